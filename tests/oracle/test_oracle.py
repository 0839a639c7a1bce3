"""Every MPI call, made a known number of times with known bytes, is in the profile exactly so."""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess

import pytest

import features
import judging
from advisor import intake
from mpi_builds import BUILDS, environment, require, run

HERE = pathlib.Path(__file__).resolve().parent
LEFT_OUT = {
    "Abort": "ends the job",
    "Comm_join": (
        "needs a socket between two ranks and ports, which three of five libraries cannot open here"
    ),
    "Init": "the C program uses MPI_Init_thread; the Fortran programs use this one",
    "Abi_set_fortran_booleans": "must be called before MPI_Init, where nothing is counted",
    "Abi_set_fortran_info": "the same",
}
SPAWNED_BY_UCX = "mm ep failed to connect"
"""A process that MPICH spawns opens the memory of another through /proc, where that is not always
there yet: seen without us as well."""
_EXPORTED = re.compile(r" [TW] MPI_([A-Z][a-z]\w*)(?:@|$)", re.MULTILINE)


def _compare(profiled, build, ranks, words):
    """The program prints the same with and without collector, and the profile agrees with the
    program."""
    bare = profiled(build, ranks, words, collect=False)
    ran = profiled(build, ranks, words)
    lines = judging.differences(ran.expected, ran.seen)
    assert not lines, f"{build.name}, {ranks} ranks: {len(lines)} differences\n" + "\n".join(lines)
    assert _printed(ran.stdout) == _printed(bare.stdout)
    return ran


def _printed(text):
    """Without what UCX says, by chance and without us too, when a process ends while another opens
    its memory."""
    return [line for line in text.splitlines() if "mm_posix.c" not in line]


@pytest.mark.parametrize("ranks", (2, 4))
@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_every_call_is_counted_once_with_its_bytes(build, ranks, oracle, profiled):
    ran = _compare(profiled, build, ranks, [oracle(require(build))])
    assert len({operation for _, operation in ran.expected}) > 300


@pytest.mark.parametrize("topic", ("names", "spawning"))
@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_what_not_every_library_can_do(build, topic, oracle, profiled):
    program = oracle(require(build))
    if run(build, 2, [program, topic]).returncode:
        pytest.skip(f"{build.name} cannot do {topic} here, without a profiler either")
    for tries in range(3):
        try:
            _compare(profiled, build, 2, [program, topic])
            return
        except AssertionError as error:
            if tries == 2 or SPAWNED_BY_UCX not in str(error):
                raise


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_calls_with_large_counts_are_counted_under_the_same_names(
    build, available, oracle, profiled
):
    has = re.search(
        r"#define HAVE_Send_c (\d)", (available(require(build)) / "available.h").read_text()
    )
    if has.group(1) == "0":
        pytest.skip(f"{build.name} has no calls with large counts (no MPI_Send_c)")
    _compare(profiled, build, 2, [oracle(build, large=True)])


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_the_oracle_calls_everything_that_the_library_exports(build, oracle):
    """MPI_T_ apart, which is the tools' interface and not the program's communication."""
    if not shutil.which("nm"):
        pytest.skip("nm is not installed")
    program = oracle(require(build))
    linked = subprocess.run(
        ["ldd", program], env=environment(build), capture_output=True, text=True
    ).stdout
    library = re.search(r"=> (\S*libmpi(?:ch)?\.so\S*)", linked).group(1)
    exported = set(
        _EXPORTED.findall(
            subprocess.run(
                ["nm", "-D", "--defined-only", library], capture_output=True, text=True
            ).stdout
        )
    )
    assert len(exported) > 300
    assert exported - set(features.names(HERE.glob("*.c"))) - set(LEFT_OUT) == set()


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_call_sites_and_communicators_add_up_to_the_same(build, oracle, profiled):
    """Three views of the same calls: by size, by calling code, and of collectives by communicator.
    None may lose a call."""
    topics = [
        "point_to_point",
        "collectives",
        "collectives_varying",
        "communicators",
        "onesided",
        "threads",
    ]
    parts = profiled(build, 2, [oracle(require(build)), *topics]).parts
    calls, sites, members = (judging.sums(parts, table) for table in ("calls", "sites", "members"))
    assert sites == calls
    assert members and members == {key: calls[key] for key in members}
    assert {operation for _, operation in members} >= {
        "Allreduce",
        "Barrier",
        "Bcast",
        "Alltoallv",
        "Reduce_scatter",
    }


# Counted by hand in point_to_point.c: calls of rank 0 and 1 by the way they took. Both ranks are on
# this host.
PATHS = {
    (0, "Send"): {"intra_node": 15, "none": 11},
    (1, "Send"): {"intra_node": 2, "none": 11},
    (0, "Ssend"): {"intra_node": 5, "none": 2},
    (1, "Ssend"): {"none": 2},
    (0, "Rsend"): {"intra_node": 3, "none": 3},
    (1, "Rsend"): {"none": 3},
    (0, "Isend"): {"none": 1},
    (1, "Isend"): {"none": 1},
    (0, "Recv"): {"intra_node": 2, "none": 5},
    (1, "Recv"): {"intra_node": 15, "any": 5, "none": 5},
    (0, "Sendrecv"): {"intra_node": 7, "self": 3, "none": 2},
    (1, "Sendrecv"): {"intra_node": 7, "self": 3, "none": 2},
    (0, "Sendrecv_replace"): {"intra_node": 3},
    (1, "Sendrecv_replace"): {"intra_node": 3},
}
# (sender, receiver): messages, bytes. Calls to MPI_PROC_NULL are no messages.
PEERS = {(0, 1): (33, 1044), (1, 0): (12, 472), (0, 0): (3, 30), (1, 1): (3, 30)}


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_messages_are_told_apart_by_path_and_peer(build, oracle, profiled):
    tables = intake.read(
        profiled(build, 2, [oracle(require(build)), "point_to_point"]).parts
    ).tables
    paths: dict = {}
    for rank, operation, way, count in zip(
        *(tables["calls"][name] for name in ("rank", "operation", "class", "count"))
    ):
        if (int(rank), str(operation)) in PATHS:
            row = paths.setdefault((int(rank), str(operation)), {})
            row[str(way)] = row.get(str(way), 0) + int(count)
    assert paths == PATHS
    rows = zip(*(tables["peers"][name] for name in ("rank", "peer", "messages", "bytes")))
    assert {
        (int(rank), int(peer)): (int(messages), int(size)) for rank, peer, messages, size in rows
    } == PEERS
