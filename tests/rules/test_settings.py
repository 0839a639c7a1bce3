"""Settings that do nothing, set for real runs: what advice says of them under the library that is
installed."""

from __future__ import annotations

import os

import pytest
from mpi_builds import compiling_one, environment, find

from advisor.advice import judge, load_rules
from advisor.analysis import measure
from advisor.base import resource_paths
from advisor.intake import read

from .real_runs import profile_of

RULES = [rule for rule in load_rules([resource_paths.rules()]) if rule.folder == "library"]
ABOUT_SETTINGS = {
    "settings-differ",
    "setting-misspelt",
    "setting-has-another-name",
    "settings-without-effect",
    "tuned-algorithm-not-used",
    "settings-overruled",
    "settings-below-their-threshold",
    "settings-contradict",
    "shared-memory-switched-off",
    "settings-dangerous",
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    source = resource_paths.samples() / "thread_level.c"
    return compiling_one(tmp_path_factory.mktemp("settings"), source, "-pthread")


def findings(build, program, folder, monkeypatch, extra, words=()):
    """Rule about settings → its first sentence and its first step. Without the variables that the
    tests' own environment sets."""
    for name in environment(build):
        if name.startswith(("OMPI_MCA_", "PRTE_MCA_")):
            monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(
        "mpi_builds.ENVIRONMENT",
        {
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMP_NUM_THREADS": "1",
        },
    )
    advice = judge(
        measure(read(profile_of(build, [*words, "-n", 2, program, 101], folder, extra))), RULES
    )
    return {
        found.rule: " | ".join((found.subject, *found.facts, found.steps[0].text))
        for found in advice.findings
        if found.rule in ABOUT_SETTINGS
    }


# build, variables, words of the launch line, what is said: rule → parts of its sentences and its
# first step
LOUD = (
    (
        "ompi4",
        {
            "OMPI_MCA_btl_vader_eager_limt": "16384",
            "MV2_USE_MCAST": "1",
            "OMPI_MCA_coll_tuned_bcast_algorithm": "6",
            "OMPI_MCA_btl": "self,tcp",
        },
        (),
        {
            "shared-memory-switched-off": [
                "OMPI_MCA_btl=self,tcp leaves shared memory out",
                "| OMPI_MCA_btl=self,vader,tcp",
            ],
            "setting-misspelt": [
                "the library knows OMPI_MCA_btl_vader_eager_limit",
                "| OMPI_MCA_btl_vader_eager_limit=16384",
            ],
            "settings-without-effect": [
                "MV2_USE_MCAST=1 is set, and Open MPI 4.1.4 does not use it",
                "HCOLL",
            ],
            "tuned-algorithm-not-used": ["| OMPI_MCA_coll_tuned_use_dynamic_rules=1"],
        },
    ),
    (
        "ompi5",
        {
            "OMPI_MCA_btl_vader_single_copy_mechanism": "cma",
            "OMPI_MCA_hwloc_base_binding_policy": "none",
        },
        ("--mca", "coll_han_priorty", "0"),
        {
            "setting-misspelt": ["| OMPI_MCA_coll_han_priority=0"],
            "setting-has-another-name": [
                "OMPI_MCA_smsc=cma",
                "PRTE_MCA_hwloc_default_binding_policy=none",
            ],
        },
    ),
    (
        "mpich4",
        {"UCX_RNDV_TRESH": "8192", "I_MPI_FABRICS": "shm"},
        (),
        {
            "setting-misspelt": ["| UCX_RNDV_THRESH=8192"],
            "settings-without-effect": [
                "I_MPI_FABRICS=shm is set, and MPICH 4.0.2 does not use it"
            ],
        },
    ),
    (
        "mpich5",
        {"MPIR_CVAR_CH4_NUM_VCI": "1", "OMPI_MCA_btl_vader_eager_limit": "16384"},
        (),
        {
            "setting-misspelt": ["| MPIR_CVAR_CH4_NUM_VCIS=1"],
            "setting-has-another-name": ["MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE=16384"],
        },
    ),
    (
        "impi",
        {"MPICH_ASYNC_PROGRESS": "1", "I_MPI_EAGER_THRESHOLD": "65536", "I_MPI_FABRICS": "ofi"},
        (),
        {
            "shared-memory-switched-off": [
                "I_MPI_FABRICS=ofi leaves shared memory out",
                "| I_MPI_FABRICS=shm:ofi",
            ],
            "setting-has-another-name": ["I_MPI_ASYNC_PROGRESS=1"],
            "settings-without-effect": ["I_MPI_EAGER_THRESHOLD=65536", "libfabric provider"],
        },
    ),
)
UCX = {"OMPI_MCA_pml": "ucx", "OMPI_MCA_pml_ucx_tls": "any", "OMPI_MCA_pml_ucx_devices": "any"}
LOUD += (
    (
        "ompi4",
        {**UCX, "OMPI_MCA_btl_vader_eager_limit": "65536", "UCX_TLS": "tcp,self"},
        (),
        {
            "settings-overruled": [
                "OMPI_MCA_btl_vader_eager_limit=65536 is set, and messages go through ucx"
            ],
            "shared-memory-switched-off": ["UCX_TLS=tcp,self leaves shared memory out"],
        },
    ),
)
QUIET = (
    (
        "ompi4",
        {
            "OMPI_MCA_btl_vader_eager_limit": "16384",
            "OMPI_MCA_btl_vader_max_send_size": "16384",
            "OMPI_MCA_btl": "self,vader,tcp",
            "UCX_LOG_LEVEL": "warn",
        },
        (),
        {},
    ),
    (
        "ompi5",
        {
            "OMPI_MCA_coll_tuned_bcast_algorithm": "6",
            "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
            "OMPI_MCA_btl_sm_eager_limit": "8192",
        },
        (),
        {},
    ),
    ("impi", {"I_MPI_ASYNC_PROGRESS": "0", "I_MPI_PIN": "1"}, (), {}),
)


@pytest.mark.parametrize(
    "name, extra, words, expected",
    LOUD + QUIET,
    ids=[row[0] for row in LOUD] + [f"{row[0]}, all right" for row in QUIET],
)
def test_what_is_said_of_settings(name, extra, words, expected, programs, tmp_path, monkeypatch):
    build = find(name)
    said = findings(build, programs(build), tmp_path, monkeypatch, extra, words)
    assert set(said) == set(expected), said
    assert [
        (rule, part) for rule, parts in expected.items() for part in parts if part not in said[rule]
    ] == []


@pytest.mark.parametrize(
    "name",
    [
        "ompi4",
        pytest.param(
            "ompi5",
            marks=pytest.mark.skipif(
                os.environ.get("ADVISOR_TEST_LONG") != "1", reason="runs with ADVISOR_TEST_LONG=1"
            ),
        ),
    ],
)
def test_each_setting_says_where_it_is_from(name, programs, tmp_path, monkeypatch):
    """Environment, launch line, the user's file, the file of --tune; a misspelt name in a file is
    found with its line."""
    parameters, tune = tmp_path / ".openmpi" / "mca-params.conf", tmp_path / "tune.conf"
    parameters.parent.mkdir()
    parameters.write_text("btl_tcp_eager_limit = 40960\nbtl_tcp_eager_limt = 1\n")
    tune.write_text("--mca btl_tcp_rcvbuf 65537\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    build = find(name)
    result = profile_of(
        build,
        ["--mca", "btl_tcp_links", "2", "--tune", tune, "-n", 1, programs(build), 11],
        tmp_path,
        {"OMPI_MCA_btl_tcp_sndbuf": "65538"},
    )
    profile = read(result)
    origin = {
        setting.name: setting.source.replace(str(tmp_path), "~")
        for setting in profile.settings
        if "btl_tcp" in setting.name and setting.source != "mpi_t"
    }
    assert origin == {
        "OMPI_MCA_btl_tcp_sndbuf": "environment",
        "OMPI_MCA_btl_tcp_links": "launch line",
        "OMPI_MCA_btl_tcp_rcvbuf": "file ~/tune.conf:1",
        "OMPI_MCA_btl_tcp_eager_limit": "file ~/.openmpi/mca-params.conf:1",
        "OMPI_MCA_btl_tcp_eager_limt": "file ~/.openmpi/mca-params.conf:2",
    }
    (found,) = [
        found
        for found in judge(measure(profile), RULES).findings
        if found.rule == "setting-misspelt"
    ]
    assert f"It is set in {parameters}, line 2." in found.facts
