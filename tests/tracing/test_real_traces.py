"""`advisor run --trace`: the trace of a run has the numbers that the collector measured beside
it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from mpi_builds import advisor_run, compile_program, environment, find, require

from advisor.intake import read

HERE = Path(__file__).resolve().parent
RANKS, ROUNDS = 3, 2
LONG = os.environ.get("ADVISOR_TEST_LONG") == "1"
BUILDS = ("ompi4", "mpich4", "mpich5") if LONG else ("ompi4",)
"""Each has a collector to be built."""
EXACT = (
    "Barrier",
    "Allreduce",
    "Bcast",
    "Reduce",
    "Gather",
    "Scatter",
    "Allgather",
    "Alltoall",
    "Reduce_scatter_block",
    "Sendrecv",
)
"""All calls of so short a run are sampled, and both say the same of them."""


def traced(build, program, folder, *words, selection="all", more=()):
    """The result of one run, and what was said."""
    line = advisor_run(
        build, RANKS, [program, *words], f"--trace={selection}", *more, "--no-report", "-o", folder
    )
    done = subprocess.run(
        line,
        env=environment(build),
        cwd=HERE.parent.parent,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return folder, done.stderr


@pytest.fixture(scope="module", params=BUILDS)
def build(request):
    if not shutil.which("otf2-config") or not shutil.which("otf2-print"):
        pytest.skip("libotf2-trace-dev and otf2-tools are needed")
    return require(find(request.param))


@pytest.fixture(scope="module")
def program(build, tmp_path_factory):
    return compile_program(
        build,
        "c",
        [HERE / "everything.c"],
        tmp_path_factory.mktemp("program") / "everything",
        ["-w"],
    )


@pytest.fixture(scope="module")
def whole(build, program, tmp_path_factory):
    """The profiles of one run: measured, and read from its trace; and the archive."""
    folder, said = traced(build, program, tmp_path_factory.mktemp("whole") / "result", ROUNDS)
    anchor = folder / "trace" / "traces.otf2"
    assert anchor.exists(), said
    assert not list((folder / "trace").glob("*.events"))
    return read(str(folder)), read(str(anchor)), anchor


def totals(profile):
    """(rank, operation) → [calls, bytes, seconds]."""
    found, calls = defaultdict(lambda: [0, 0, 0.0]), profile.tables["calls"]
    for rank, operation, *values in zip(
        *(calls[name].tolist() for name in ("rank", "operation", "count", "bytes", "time"))
    ):
        found[rank, operation] = [old + new for old, new in zip(found[rank, operation], values)]
    return found


def test_calls_bytes_and_times_are_those_of_the_collector(whole):
    measured, seen = totals(whole[0]), totals(whole[1])
    assert {key: values[:2] for key, values in seen.items()} == {
        key: values[:2] for key, values in measured.items()
    }
    assert len(seen) > 35 * RANKS
    for key, (calls, _, seconds) in measured.items():
        assert seen[key][2] == pytest.approx(seconds, abs=1e-9 * calls, rel=1e-6), key


def test_regions_are_those_of_the_collector(whole):
    """Levels 0 and 1 of MPI_Pcontrol, 0 first; the second one goes on to the end."""
    found = [
        {
            (rank, level): values
            for rank, level, *values in zip(
                *(
                    profile.tables["regions"][name].tolist()
                    for name in (
                        "rank",
                        "level",
                        "entries",
                        "calls",
                        "bytes",
                        "time",
                        "collective",
                        "messages",
                        "completion",
                        "onesided",
                        "io",
                        "management",
                    )
                )
            )
        }
        for profile in whole[:2]
    ]
    assert set(found[0]) == {(rank, level) for rank in range(RANKS) for level in (0, 1)}
    assert {key: values[:3] for key, values in found[1].items()} == {
        key: values[:3] for key, values in found[0].items()
    }
    for key, values in found[0].items():
        assert found[1][key][4:] == pytest.approx(values[4:], abs=1e-6) and found[1][key][
            3
        ] == pytest.approx(values[3], abs=1e-3)


def test_messages_to_each_peer_are_those_of_the_collector(whole):
    peers = [
        Counter(
            {
                (rank, peer): (messages, size)
                for rank, peer, messages, size in zip(
                    *(
                        profile.tables["peers"][name].tolist()
                        for name in ("rank", "peer", "messages", "bytes")
                    )
                )
            }
        )
        for profile in whole[:2]
    ]
    assert peers[0] == peers[1]
    # the next one, and memory of rank 0
    assert set(peers[0]) == {(0, 0), (0, 1), (1, 0), (1, 2), (2, 0)}


def test_waits_are_those_of_the_collector(whole):
    waits = []
    for profile in whole[:2]:
        table = profile.tables["waits"]
        found = Counter()
        for operation, wait, duration, time in zip(
            *(table[name].tolist() for name in ("operation", "wait", "duration", "time"))
        ):
            found[operation] += wait / duration * time if duration else 0
        waits.append({name: found[name] for name in EXACT})
    assert waits[1] == pytest.approx(waits[0], abs=2e-6, rel=1e-3)
    assert waits[1]["Barrier"] > 0.002  # rank 1 comes 2 ms late
    assert whole[1].tables["ranks"]["unmatched"].tolist() == [0] * RANKS


def printed(anchor):
    """(kind, location, time, text) of each record that otf2-print lists."""
    done = subprocess.run(["otf2-print", str(anchor)], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""
    found = (re.match(r"([A-Z_]+) +(\d+) +(\d+) *(.*)", line) for line in done.stdout.splitlines())
    return [(match[1], int(match[2]), int(match[3]), match[4]) for match in found if match]


def test_otf2_print_lists_it_and_no_message_runs_backwards(whole):
    events, sent = printed(whole[2]), defaultdict(list)
    entered = Counter(
        (at, re.search('"MPI_([^"]*)"', text)[1]) for kind, at, _, text in events if kind == "ENTER"
    )
    for (rank, operation), values in totals(whole[0]).items():
        assert entered[rank, operation] == values[0]
    number = lambda label, text: int(re.search(rf"{label}: (\d+)", text)[1])  # noqa: E731
    for kind, at, time, text in events:
        if kind in ("MPI_SEND", "MPI_ISEND"):
            sent[at, number("Receiver", text), number("Tag", text)].append(time)
    received = [
        (sent[number("Sender", text), at, number("Tag", text)].pop(0), time)
        for kind, at, time, text in events
        if kind in ("MPI_RECV", "MPI_IRECV")
    ]
    assert len(received) == RANKS * (4 * ROUNDS + 1 + ROUNDS) and all(
        begin <= end for begin, end in received
    )
    kinds = Counter(kind for kind, *_ in events)
    assert (
        kinds["RMA_PUT"] - 1
        == kinds["RMA_GET"]
        == kinds["RMA_ATOMIC"]
        == kinds["RMA_ACQUIRE_LOCK"]
        == RANKS
    )
    assert kinds["RMA_GROUP_SYNC"] == 4 and kinds["RMA_WIN_CREATE"] == 2 * RANKS
    assert kinds["NON_BLOCKING_COLLECTIVE_COMPLETE"] == 2 * ROUNDS * RANKS


LATE = {  # who waits in a call, and for whom in which one
    (0, "Win_start"): [(1, "Win_post")],
    (0, "Win_complete"): [(1, "Win_post")],
    (1, "Win_wait"): [(0, "Win_complete")],
    (1, "Win_post"): [],
    **{
        (rank, "Neighbor_allgather"): [
            (peer, "Neighbor_allgather") for peer in (rank - 1, rank + 1) if 0 <= peer < RANKS
        ]
        for rank in range(RANKS)
    },
    **{
        (rank, "Neighbor_alltoall"): [((rank + 1) % RANKS, "Neighbor_alltoall")]
        for rank in range(RANKS)
    },
}


def test_waits_for_groups_and_neighbours_are_those_between_the_calls(whole):
    """Groups of post and start, a line of ranks, and a graph in which each receives from the next
    one."""
    waits = whole[1].tables["waits"]
    found = {
        (rank, operation): wait
        for rank, operation, wait in zip(
            *(waits[name].tolist() for name in ("rank", "operation", "wait"))
        )
    }
    times = {
        (kind, at, re.search('"MPI_([^"]*)"', text)[1]): time
        for kind, at, time, text in printed(whole[2])
        if kind in ("ENTER", "LEAVE")
    }
    expected = {}
    for (rank, operation), others in LATE.items():
        begin, end = (times[kind, rank, operation] for kind in ("ENTER", "LEAVE"))
        latest = max((times[("ENTER", *other)] for other in others), default=0)
        expected[rank, operation] = max(0, min(latest, end) - begin) / 1e9
    assert {key: found[key] for key in LATE} == pytest.approx(expected, abs=1e-12) and sum(
        expected.values()
    ) > 0.002


def test_communicators_have_their_members_and_names(whole):
    listed = subprocess.run(
        ["otf2-print", "-G", str(whole[2])], capture_output=True, text=True
    ).stdout
    group = re.search(r'COMM +\d+ +Name: "halves" <\d+>, Group: "" <(\d+)>', listed)[1]
    # The other half is rank 1 alone: MPI_COMM_SELF to a trace.
    assert re.search(rf"GROUP +{group} .* 2 Members: (\d+) .*, (\d+) ", listed).groups() == (
        "0",
        "2",
    )


def test_a_region_alone(build, program, tmp_path):
    folder, said = traced(build, program, tmp_path / "result", 3, selection="region=1,size=1M")
    seen = read(str(folder / "trace" / "traces.otf2"))
    # Levels are 0, 1, 0: the second round is in it, the messages behind the loop are not.
    assert {
        operation: calls
        for (rank, operation), (calls, *_) in totals(seen).items()
        if rank == 0 and operation in ("Scan", "Sendrecv", "Mrecv", "Startall")
    } == {"Scan": 2, "Sendrecv": 1}
    assert "trace: " in said


def test_a_killed_rank_leaves_a_trace_up_to_there(build, program, tmp_path):
    folder, said = traced(build, program, tmp_path / "result", 1, "die", selection="size=1M")
    assert "of the ranks did not come to MPI_Finalize: theirs end where they were stopped" in said
    last = [
        text
        for kind, at, _, text in printed(folder / "trace" / "traces.otf2")
        if kind == "LEAVE" and at == 1
    ][-1]
    assert '"MPI_Barrier"' in last
    assert not [
        *Path("/dev/shm").glob("advisor-*.events"),
        *Path("/dev/shm").glob("advisor-*/advisor-*.events"),
    ]


def test_the_python_bindings_read_it(whole):
    # In a process of its own: a folder of these tests is called otf2 as well.
    words = (
        "import sys, otf2\nwith otf2.reader.open(sys.argv[1]) as trace:"
        " print(sum(type(event).__name__ == 'Enter' for _, event in trace.events))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", words, str(whole[2])], capture_output=True, text=True
    )
    if "No module named" in done.stderr:
        pytest.skip("the Python bindings of OTF2 are not installed")
    assert int(done.stdout) == sum(kind == "ENTER" for kind, *_ in printed(whole[2]))
