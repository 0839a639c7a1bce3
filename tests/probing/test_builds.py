"""Facts about the MPI libraries that are installed here."""

from __future__ import annotations

import os

import pytest

from advisor.launching.target.library_of import launcher_library, with_version
from advisor.model.profile import Library, Run
from advisor.probing import complete, known_settings, probe_library
from mpi_builds import BUILDS, find, require

# name, version begins with, device, what it was built with (all), what not, a setting that it knows
EXPECTED = {
    "ompi4": (
        "openmpi",
        "4.1",
        None,
        {"ucx", "ofi", "cma", "thread_multiple"},
        {"xpmem", "knem", "cuda", "mcast"},
        "btl_vader_eager_limit",
    ),
    "mpich4": (
        "mpich",
        "4.0",
        "ch4:ucx",
        {"ucx", "cma", "thread_multiple"},
        {"ofi", "xpmem", "cuda", "mcast"},
        "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM",
    ),
    "ompi5": (
        "openmpi",
        "5.0",
        None,
        {"ucx", "ofi", "cma", "thread_multiple"},
        {"xpmem", "psm2", "cuda", "mcast"},
        "btl_sm_eager_limit",
    ),
    "mpich5": (
        "mpich",
        "5.0",
        "ch4:ucx ofi",
        {"ucx", "ofi", "cma", "thread_multiple"},
        {"xpmem", "cuda", "mcast"},
        "MPIR_CVAR_CH4_NETMOD",
    ),
    "impi": (
        "intel",
        "2021",
        "ch4:ofi",
        {"ofi", "cma", "psm2", "thread_multiple"},
        {"ucx", "xpmem"},
        "I_MPI_ADJUST_ALLREDUCE",
    ),
}


def installed(build):
    """(library, launcher) of a build."""
    require(build)
    environment = {**os.environ, **build.environment}
    return (
        with_version(launcher_library(build.launcher[0], environment), environment),
        build.launcher[0],
    )


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_library(build):
    library, launcher = installed(build)
    name, version, device, have, lack, setting = EXPECTED[build.name]
    assert library.name == name and library.version.startswith(version)
    facts = {
        key: fact.value
        for key, fact in probe_library(
            library.path, library.name, library.version, launcher
        ).items()
    }
    assert facts["version"] == library.version
    assert facts.get("device") == device
    assert {part for part in have if facts[f"built_with.{part}"] is not True} == set()
    assert {part for part in lack if facts[f"built_with.{part}"] is not False} == set()
    assert facts.get("ucx_shared_memory") is (True if "ucx" in have else None)
    assert setting in known_settings(library.path, library.name, library.version, launcher)


def test_commands_of_another_version_are_not_believed():
    library, launcher = installed(find("ompi4"))
    facts = probe_library(library.path, "openmpi", "9.9.9", launcher)
    assert "configure" not in facts and "built_with.cma" not in facts
    assert known_settings(library.path, "openmpi", "9.9.9", launcher) == frozenset()


@pytest.mark.parametrize(
    "name", ["openmpi", "mpich", "intel", "mvapich2", "cray", "unknown", "nonsense"]
)
@pytest.mark.parametrize(
    "content", [None, b"", b"\x7fELF" + bytes(range(256)) * 40, b"#!/bin/sh\nexit 1\n"]
)
def test_no_library_at_all(tmp_path, monkeypatch, name, content):
    monkeypatch.setenv("PATH", str(tmp_path))
    if content is not None:
        (tmp_path / "libmpi.so.12").write_bytes(content)
    facts = probe_library(str(tmp_path / "libmpi.so.12"), name, "1.0", str(tmp_path))
    assert [key for key in facts if key.startswith(("failed.", "device", "configure"))] == []
    assert known_settings(str(tmp_path / "libmpi.so.12"), name, "1.0", str(tmp_path)) == frozenset()


def test_a_command_that_hangs_or_floods(tmp_path, monkeypatch):
    (tmp_path / "mpichversion").write_text("#!/bin/sh\nexec sleep 600\n")
    (tmp_path / "mpichversion").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert probe_library("", "mpich", "4.0", str(tmp_path), seconds=1.0) == {}


def test_a_loader_that_hangs(tmp_path, monkeypatch):
    library, _ = installed(find("mpich4"))
    (tmp_path / "ldd").write_text("#!/bin/sh\nexec sleep 5\n")
    (tmp_path / "ldd").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    facts = probe_library(library.path, library.name, library.version, seconds=2.0)
    assert facts["device"].value == "ch4:ucx" and "ucx_version" not in facts


def test_complete(tmp_path):
    build = find("mpich4")
    library, launcher = installed(build)
    (tmp_path / "INCAR").write_text("NCORE = 8\n")
    run = Run(program="./vasp_std", directory=str(tmp_path))
    described = complete(run, Library(library.name, library.version, path=library.path), launcher)
    assert described["application"]["name"] == "vasp"
    assert described["application"]["settings"]["ncore"] == [8, "INCAR"]
    assert described["library"]["facts"]["device"][0] == "ch4:ucx"
    assert described["nodes"][0]["name"] == os.uname().nodename
    assert described["nodes"][0]["facts"]["cpus"][0] == len(os.sched_getaffinity(0))
    assert None not in [value for value, _ in described["nodes"][0]["facts"].values()]


def test_complete_without_library_or_application(tmp_path):
    described = complete(Run(program="./a.out", directory=str(tmp_path)))
    assert described["application"] is None and "library" not in described
