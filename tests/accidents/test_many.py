"""Very many threads' calls, communicators, requests and call sites: all counted, in memory that
does not grow."""

from __future__ import annotations

import os
import platform

import pytest
from mpi_builds import BUILDS, find, run

LONG = bool(os.environ.get("ADVISOR_TEST_LONG"))
"""Also what takes minutes."""
TWO = ["ompi4", "mpich4"]
THREADS, ROUNDS = 6, 2
MOST_MEMORY = 9 << 18
"""Bytes mapped in a rank, tables that nobody has touched among them. Some 6 % of it is for handles
of datatypes with gaps and of the program's own operators."""


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_threads_under_multiple_lose_no_call(build, compiled, job):
    number = 20
    left = job(build).run(2, [compiled(build, "many.c"), "threads", number], time_limit=100)
    each = THREADS * ROUNDS * number
    expected = {
        **dict.fromkeys(("Allreduce", "Irecv", "Isend", "Waitall"), each),
        **dict.fromkeys(("Comm_dup", "Comm_free"), each // 10 + THREADS),
    }
    expected.update(
        dict.fromkeys(
            (
                "Type_contiguous",
                "Type_commit",
                "Bcast",
                "Type_free",
                "Barrier",
                "Comm_set_name",
                "Send_init",
                "Start",
                "Wait",
                "Request_free",
                "Pcontrol",
            ),
            each // 10,
        )
    )
    assert {name: left.counts(name) for name in expected} == {
        name: {0: count, 1: count} for name, count in expected.items()
    }
    assert (left.code, left.states, left.profile.tables["ranks"]["threads_called"].tolist()) == (
        0,
        {0: 2, 1: 2},
        [1 + THREADS * ROUNDS] * 2,
    )
    peers = left.profile.tables["peers"]
    assert [(int(m), int(b)) for m, b in zip(peers["messages"], peers["bytes"])] == [
        (each, 4 * each)
    ] * 2


def collector_memory(left):
    (bytes_,) = left.profile.tables["ranks"]["collector_memory"].tolist()
    return bytes_


@pytest.mark.parametrize(
    "topic, few, many, operation",
    [
        ("communicators", 100, 1000000 if LONG else 50000, "Comm_dup"),
        ("sites", 100, 1000000, "Comm_size"),
    ],
)
@pytest.mark.parametrize("name", TWO)
def test_memory_does_not_grow_with_the_number_of(name, topic, few, many, operation, compiled, job):
    if topic == "sites" and platform.machine() != "x86_64":
        pytest.skip("the call sites are machine code of x86-64")
    program = compiled(find(name), "many.c")
    small, large = (
        job(find(name), str(number)).run(1, [program, topic, number], time_limit=200)
        for number in (few, many)
    )
    assert (small.code, large.code) == (0, 0)
    assert large.counts(operation) == {0: many + small.counts(operation)[0] - few}
    assert collector_memory(small) == collector_memory(large) < MOST_MEMORY
    assert "Own memory" in large.report and " MiB in a rank" in large.report


@pytest.mark.parametrize("name, number", [("mpich4", 50000), ("ompi4", 50000 if LONG else 5000)])
def test_an_array_of_a_hundred_thousand_requests(name, number, compiled, job):
    """Half to receive, half to send. Open MPI 4 searches long lists, with and without us: that
    takes it half a minute."""
    build = find(name)
    left = job(build).run(2, [compiled(build, "many.c"), "requests", number], time_limit=100)
    assert (left.code, left.states) == (0, {0: 2, 1: 2})
    for operation, count in (("Irecv", number), ("Isend", number), ("Testall", 1)):
        assert left.counts(operation) == {0: count, 1: count}
    assert left.profile.tables["peers"]["messages"].tolist() == [number] * 2


@pytest.mark.parametrize("name", TWO)
def test_cancelled_and_freed_requests(name, compiled, job):
    build, number = find(name), 5000  # more than our table of them holds
    words = [compiled(build, "many.c"), "cancelled", number]
    left = job(build).run(1, words)
    assert (left.code, left.out) == (0, run(build, 1, words).stdout) == (0, f"cancelled {number}\n")
    expected = {
        "Cancel": number,
        "Wait": number,
        "Recv_init": number,
        "Send_init": number,
        "Start": number,
        "Request_free": 2 * number,
    }
    assert {operation: left.counts(operation)[0] for operation in expected} == expected


@pytest.mark.parametrize("name", TWO)
def test_communicators_of_changing_members(name, compiled, job):
    build, number = find(name), 100
    left = job(build).run(3, [compiled(build, "many.c"), "subsets", number], time_limit=100)
    assert (left.code, left.counts("Barrier"), left.counts("Comm_split")) == (
        0,
        *[{rank: number for rank in range(3)}] * 2,
    )


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_intercommunicators(build, compiled, job):
    left = job(build).run(4, [compiled(build, "many.c"), "halves", 5])
    assert (left.code, sorted(left.out.split("\n"))) == (0, ["", *["between 1"] * 4])
    calls = left.profile.tables["calls"]
    chosen = calls["operation"] == "Allreduce"
    assert set(calls["class"][chosen]) == {"inter"} and left.counts("Allreduce") == {
        rank: 5 for rank in range(4)
    }


@pytest.mark.parametrize("topic", ["spawn", "connect"])
@pytest.mark.parametrize("name", ["ompi4", "ompi5", "mpich5"])
def test_processes_of_other_worlds(name, topic, compiled, job):
    build = find(name)
    program = compiled(build, "many.c")
    bare = run(build, 2, [program, topic, 5])
    if bare.returncode:
        pytest.skip(f"{name} cannot do {topic} here, without a profiler either")
    left = job(build).run(2, [program, topic, 5])
    assert (left.code, sorted(left.out.split())) == (0, sorted(bare.stdout.split()))
    assert (left.counts("Allreduce"), left.states) == ({0: 5, 1: 5}, {0: 2, 1: 2})
    assert left.gaps() == (
        "children: processes started by MPI_Comm_spawn ran without being measured"
        if topic == "spawn"
        else ""
    )


def test_more_ranks_than_cores(compiled, job):
    build, ranks = find("ompi4"), 4 * (os.cpu_count() or 1)
    left = job(build).run(min(ranks, 16), [compiled(build, "accident.c")], time_limit=100)
    assert (left.code, left.counts("Allreduce")) == (
        0,
        {rank: 13 for rank in range(min(ranks, 16))},
    )
