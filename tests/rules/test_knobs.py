"""Settings with a large effect on this machine are found from the profile alone, and what the rule
says about them cures them.

Each case runs a loop of one kind of call with the fault, then as the remedy wants it; what is
compared is the fastest batch. They run with ADVISOR_TEST_LONG=1. Effects were measured before: on
two cores of a virtual host, 8-byte messages unless said.
"""

from __future__ import annotations

import os
import subprocess
from typing import Dict, NamedTuple, Optional, Tuple

import pytest
from mpi_builds import REPOSITORY, compile_program, environment, find, require

from advisor.model.finding import State

from .real_runs import findings_of, profile_of, require_cores, verdicts

SECONDS = "0.7"


class Knob(NamedTuple):
    """`words` of knob.c; `fault` and `cure`: variables, None: unset; `front`: words before the
    program, with the fault only."""

    build: str
    rule: str
    words: Tuple[str, ...]
    fault: Dict[str, str]
    cure: Dict[str, Optional[str]]
    ranks: int = 2
    front: Tuple[str, ...] = ()


KNOBS = {
    "shared memory off, Open MPI 4": Knob(
        "ompi4",
        "shared-memory-switched-off",
        ("exchange", "8"),
        {"OMPI_MCA_btl": "self,tcp"},
        {"OMPI_MCA_btl": "self,vader,tcp"},
    ),
    "algorithm by hand, Intel MPI": Knob(
        "impi",
        "algorithm-chosen-by-hand",
        ("allreduce", "1000000"),
        {"I_MPI_ADJUST_ALLREDUCE": "1"},
        {"I_MPI_ADJUST_ALLREDUCE": None},
    ),
    "one core for two, Open MPI 4": Knob(
        "ompi4", "ranks-sharing-cores", ("exchange", "8"), {}, {}, front=("taskset", "-c", "0")
    ),
    "one-sided by messages, Open MPI 4": Knob(
        "ompi4",
        "component-chosen-by-hand",
        ("put", "8"),
        {"OMPI_MCA_osc": "pt2pt"},
        {"OMPI_MCA_osc": None},
    ),
    "accumulate by ucx, Open MPI 4": Knob(
        "ompi4",
        "component-chosen-by-hand",
        ("accumulate", "8"),
        {
            "OMPI_MCA_osc": "ucx",
            "OMPI_MCA_pml": "ucx",
            "OMPI_MCA_pml_ucx_tls": "any",
            "OMPI_MCA_pml_ucx_devices": "any",
        },
        {"OMPI_MCA_osc": None, "OMPI_MCA_pml": None},
    ),
    "one-sided by rdma, Open MPI 5": Knob(
        "ompi5",
        "component-chosen-by-hand",
        ("put", "8"),
        {"OMPI_MCA_osc": "rdma"},
        {"OMPI_MCA_osc": None},
    ),
    "one-sided by rdma, Open MPI 4": Knob(
        "ompi4",
        "shared-memory-windows-by-rdma",
        ("put", "8"),
        {},
        {"OMPI_MCA_osc_rdma_priority": "99"},
    ),
    "algorithm by hand, Open MPI 4": Knob(
        "ompi4",
        "algorithm-chosen-by-hand",
        ("allreduce", "1000000"),
        {
            "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
            "OMPI_MCA_coll_tuned_allreduce_algorithm": "3",
        },
        {"OMPI_MCA_coll_tuned_allreduce_algorithm": None},
    ),
    "messages above the eager limit, Open MPI 4": Knob(
        "ompi4",
        "eager-limit-in-host",
        ("exchange", "16000"),
        {},
        {"OMPI_MCA_btl_vader_eager_limit": "65536", "OMPI_MCA_btl_vader_max_send_size": "65536"},
    ),
    "the layer ob1, Open MPI 5": Knob(
        "ompi5",
        "ucx-in-host",
        ("exchange", "8"),
        {},
        {"OMPI_MCA_pml": "ucx", "OMPI_MCA_pml_ucx_tls": "any", "OMPI_MCA_pml_ucx_devices": "any"},
    ),
    "shared memory off, MPICH 4": Knob(
        "mpich4",
        "shared-memory-switched-off",
        ("exchange", "1000000"),
        {"UCX_TLS": "tcp,self"},
        {"UCX_TLS": None},
    ),
    "shared memory off, MPICH 5": Knob(
        "mpich5",
        "shared-memory-switched-off",
        ("exchange", "8"),
        {"MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp", "MPIR_CVAR_NOLOCAL": "1"},
        {"MPIR_CVAR_NOLOCAL": "0"},
    ),
    "shared memory off, Intel MPI": Knob(
        "impi",
        "shared-memory-switched-off",
        ("exchange", "8"),
        {"I_MPI_FABRICS": "ofi", "FI_PROVIDER": "tcp"},
        {"I_MPI_FABRICS": "shm:ofi", "FI_PROVIDER": None},
    ),
}
pytestmark = pytest.mark.skipif(
    os.environ.get("ADVISOR_TEST_LONG") != "1",
    reason="takes minutes: runs with ADVISOR_TEST_LONG=1",
)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("knobs")
    return lambda build: compile_program(
        build, "c", [REPOSITORY / "tests" / "rules" / "knob.c"], folder / f"knob-{build.name}"
    )


def said(build, line, folder, variables):
    folder.mkdir()
    return verdicts(profile_of(build, line, folder, variables))


def fastest(build, line, variables):
    """Seconds of a call of the fastest batch, without us."""
    done = subprocess.run(
        [*build.launcher, *map(str, line)],
        env=environment(build, variables),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return float(done.stdout.split()[-1])


@pytest.mark.parametrize("knob", KNOBS.values(), ids=KNOBS)
def test_found_and_cured(knob, program, tmp_path):
    require_cores(2)
    build = require(find(knob.build))
    words = [program(build), *knob.words, SECONDS]
    faulty, cured = ["-n", knob.ranks, *knob.front, *words], ["-n", knob.ranks, *words]
    healthy = {
        name: value for name, value in {**knob.fault, **knob.cure}.items() if value is not None
    }
    assert said(build, faulty, tmp_path / "fault", knob.fault)[knob.rule] == "found"
    assert said(build, cured, tmp_path / "cure", healthy)[knob.rule] != "found"
    # In turns; the fastest batch shuts out most of what others do on this machine. Every one of
    # these effects is above 20 %.
    times = [(fastest(build, faulty, knob.fault), fastest(build, cured, healthy)) for _ in range(2)]
    assert min(with_fault for with_fault, _ in times) > min(without for _, without in times), times


@pytest.mark.parametrize(
    "name, variable, fault, cure",
    [("ompi4", "OMPI_MCA_mpi_yield_when_idle", "0", "1"), ("impi", "I_MPI_WAIT_MODE", "0", "1")],
    ids=["Open MPI 4", "Intel MPI"],
)
def test_more_ranks_than_cores_and_the_word_of_the_library_for_it(
    name, variable, fault, cure, program, tmp_path
):
    """Fewer ranks are the first remedy; where they have to stay, a setting shortens their waits: a
    barrier of milliseconds to microseconds."""
    build = require(find(name))
    ranks = 2 * len(os.sched_getaffinity(0))
    line = ["-n", ranks, program(build), "barrier", "8", SECONDS]
    (tmp_path / "run").mkdir()
    findings = findings_of(profile_of(build, line, tmp_path / "run", {variable: fault}))
    steps = [
        step
        for finding in findings
        if finding.rule == "oversubscribed-busy-waiting"
        for step in finding.steps
    ]
    assert [step.state for step in steps if f"{variable}={cure}" in step.text] == [State.DOABLE]
    times = [
        (fastest(build, line, {variable: fault}), fastest(build, line, {variable: cure}))
        for _ in range(2)
    ]
    assert min(with_fault for with_fault, _ in times) > min(without for _, without in times), times


@pytest.mark.parametrize(
    "name, cure",
    [
        ("ompi4", {"OMPI_MCA_btl_vader_single_copy_mechanism": "none"}),
        ("ompi5", {"OMPI_MCA_smsc": "^cma"}),
    ],
    ids=["Open MPI 4", "Open MPI 5"],
)
def test_one_copy_or_two_is_asked_where_large_messages_take_the_time(name, cure, program, tmp_path):
    """Which is quicker depends on the machine, so no time is compared. What asked once does not ask
    to have it back, and an Allreduce as large does not ask."""
    require_cores(2)
    build = require(find(name))
    line = ["-n", 2, program(build), "exchange", "1000000", SECONDS]
    before, after = (
        said(build, line, tmp_path / "once", {}),
        said(build, line, tmp_path / "twice", cure),
    )
    assert before["one-copy-or-two"] == "found" and before["single-copy"] != "found"
    assert after["one-copy-or-two"] != "found" and after["single-copy"] != "found"
    assert (
        said(
            build, ["-n", 2, program(build), "allreduce", "1000000", SECONDS], tmp_path / "sum", {}
        )["one-copy-or-two"]
        != "found"
    )
