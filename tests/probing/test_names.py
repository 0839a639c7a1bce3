"""Names of settings as libraries list them, and as they are spelled in a library that lists
none."""

from __future__ import annotations

import os
import subprocess
from functools import partial

import pytest

from advisor.launching.target.library_of import launcher_library, with_version
from advisor.probing import names
from advisor.probing.library import known_elsewhere, known_settings
from mpi_builds import BUILDS, require
from recordings import recorded


def test_prte():
    found = names.parse_prte(recorded("prte_info-3.0.11"))
    assert found >= {
        "prte_if_include",
        "oob_tcp_include",
        "mapby",
        "oob_tcp_if_include",
        "rmaps_default_mapping_policy",
        "prte_ssh_agent",
        "plm_ssh_agent",
    }


def test_ucx():
    found = names.parse_ucx(recorded("ucx_variables-1.20.1"))
    assert {"UCX_TLS", "UCX_RNDV_THRESH", "UCX_NET_DEVICES"} <= found and all(
        name.startswith("UCX_") for name in found
    )


def test_ofi():
    assert names.parse_ofi("FI_PROVIDER\nnot one\nFI_TCP_IFACE\n") == {
        "FI_PROVIDER",
        "FI_TCP_IFACE",
    }


def test_names_that_stand_in_a_file(tmp_path):
    file = tmp_path / "libmpi.so"
    file.write_bytes(b"\0MV2_USE_MCAST\0 set MV2_SMP_USE_CMA=0 \0xMV2_NO\0MV2_%s\0MV2_lower\0")
    assert names.spelled(str(file), ("MV2_",)) == {"MV2_USE_MCAST", "MV2_SMP_USE_CMA"}
    assert names.spelled(str(tmp_path / "absent"), ("MV2_",)) == frozenset()
    assert known_settings(str(file), "mvapich2", "2.3.7", str(tmp_path)) == {
        "MV2_USE_MCAST",
        "MV2_SMP_USE_CMA",
    }


def test_mpivars_of_mvapich2_lists_the_tool_interface_alone(tmp_path):
    """Its names add to those that the library and mpirun_rsh spell; they do not stand for them."""
    library, commands = tmp_path / "lib", tmp_path / "bin"
    library.mkdir()
    commands.mkdir()
    (tmp_path / "mpi.c").write_text('const char *read(void) { return "MV2_SMP_EAGERSIZE"; }')
    (tmp_path / "mpivars.c").write_text(
        "#include <stdio.h>\nconst char *read(void);\nint main(void) {"
        ' printf("\\tMPIR_CVAR_DEFAULT_THREAD_LEVEL = MPI_THREAD_SINGLE\\n"); return !read(); }'
    )
    run = partial(subprocess.run, check=True, cwd=tmp_path)
    run(["gcc", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.12", "-o", "lib/libmpi.so.12", "mpi.c"])
    run(["gcc", "-o", "bin/mpivars", "mpivars.c", "lib/libmpi.so.12", f"-Wl,-rpath,{library}"])
    (commands / "mpirun_rsh").write_bytes(b"\x7fELF\0MV2_MPIRUN_BIND_TIMEOUT\0")
    (commands / "mpirun_rsh").chmod(0o755)
    found = known_settings(str(library / "libmpi.so.12"), "mvapich2", "2.3.7", str(commands))
    assert found == {
        "MV2_SMP_EAGERSIZE",
        "MPIR_CVAR_DEFAULT_THREAD_LEVEL",
        "MV2_MPIRUN_BIND_TIMEOUT",
    }


# what a build lists beside its own settings, and a name in it
ELSEWHERE = {
    "ompi4": {"ucx": "UCX_RC_MLX5_TM_ENABLE", "ofi": "FI_TCP_IFACE"},
    "mpich4": {"ucx": "UCX_TLS"},
    "ompi5": {
        "ucx": "UCX_RNDV_THRESH",
        "ofi": "FI_PROVIDER",
        "prte": "rmaps_default_mapping_policy",
    },
    "mpich5": {"ucx": "UCX_RNDV_THRESH", "ofi": "FI_PROVIDER"},
    "impi": {"ofi": "FI_PROVIDER_PATH"},
}


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_what_the_installed_libraries_stand_on(build):
    require(build)
    environment = {**os.environ, **build.environment}
    library = with_version(launcher_library(build.launcher[0], environment), environment)
    found = known_elsewhere(library.path, library.name, library.version, build.launcher[0])
    assert {
        kind: name
        for kind, name in ELSEWHERE[build.name].items()
        if name not in found.get(kind, ())
    } == {}
