"""What of one-sided communication, MPI-IO, started neighbourhood calls and counters is in the trace
of a run, and where calls are made."""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict

import pytest
from mpi_builds import compile_program, find, require

from advisor.intake import read

from .test_real_traces import HERE, RANKS, printed, totals, traced

BUILDS = (
    ("ompi4", "mpich4", "ompi5", "mpich5", "impi")
    if os.environ.get("ADVISOR_TEST_LONG") == "1"
    else ("ompi4",)
)
# of rank 0: the operation, the call in which it is complete there, and the one in which it is at
# its target
COMPLETED = [
    ("Put", "Win_fence", "Win_fence"),
    ("Put", "Win_flush", "Win_flush"),
    ("Accumulate", "Win_flush_local_all", "Win_flush_all"),
    ("Rput", "Wait", "Win_flush_all"),
    ("Rget", "Wait", "Wait"),
    ("Get", "Win_flush_local", "Win_flush_local"),
]
MOVED = [  # the call, what it asks for, and the call in which it has got how much
    ("File_write_at", "WRITE", 64, "File_write_at", 64),
    ("File_read_at_all", "READ", 64, "File_read_at_all", 64),
    ("File_read", "READ", 32, "File_read", 32),
    ("File_iwrite_at", "WRITE", 48, "Wait", 48),
    ("File_write_at_all_begin", "WRITE", 40, "File_write_at_all_end", 40),
    ("File_read_at", "READ", 64, "File_read_at", 8),
]


@pytest.fixture(scope="module", params=BUILDS)
def run(request, tmp_path_factory):
    """Profiles, measured and read from the trace of the same run; and the records of rank 0 with
    the call that each is in."""
    pytest.importorskip("numpy")
    build, folder = require(find(request.param)), tmp_path_factory.mktemp("remote")
    program = compile_program(
        build, "c", [HERE / "remote_and_files.c"], folder / "remote_and_files", ["-w", "-g"]
    )
    result, said = traced(
        build, program, folder / "result", folder / "data", more=["--counters=cpu_time,page_faults"]
    )
    anchor = result / "trace" / "traces.otf2"
    assert anchor.exists(), said
    return read(str(result)), read(str(anchor)), anchor


def in_calls(anchor, rank: int):
    """(call, kind, text) of each record of a rank."""
    call = ""
    for kind, at, _, text in printed(anchor):
        if at == rank:
            call = re.search('"MPI_([^"]*)"', text)[1] if kind == "ENTER" else call
            yield call, kind, text


def number(label: str, text: str) -> int:
    return int(re.search(rf"{label}: (\d+)", text)[1])


def test_calls_bytes_and_times_are_those_of_the_collector(run):
    measured, seen = totals(run[0]), totals(run[1])
    assert {key: values[:2] for key, values in seen.items()} == {
        key: values[:2] for key, values in measured.items()
    }
    assert seen[0, "File_iwrite_at"][1] == 48 and seen[0, "Ineighbor_allgather"][1] == 4
    for key, (calls, _, seconds) in measured.items():
        assert seen[key][2] == pytest.approx(seconds, abs=1e-9 * calls, rel=1e-6), key


def test_calls_are_made_where_the_collector_says(run):
    places = []
    for profile in run[:2]:
        sites, found = profile.tables["sites"], Counter()
        for *place, calls in zip(
            *(
                sites[name].tolist()
                for name in ("rank", "operation", "function", "file", "line", "count")
            )
        ):
            found[tuple(place)] += calls
        places.append(found)
    assert places[0] == places[1]
    lines = (HERE / "remote_and_files.c").read_text().splitlines()
    (line,) = {
        line for rank, operation, function, _, line in places[1] if operation == "Win_flush_all"
    }
    assert lines[line - 1].strip() == "MPI_Win_flush_all(window);"


def test_one_sided_operations_are_complete_where_the_standard_says(run):
    begun, here, there = {}, {}, {}
    for call, kind, text in in_calls(run[2], 0):
        if kind in ("RMA_PUT", "RMA_GET", "RMA_ATOMIC"):
            begun[number("Matching", text)] = call
        elif kind in ("RMA_OP_COMPLETE_NON_BLOCKING", "RMA_OP_COMPLETE_REMOTE"):
            found = here if kind.endswith("BLOCKING") else there
            assert found.setdefault(number("Matching", text), call) is call
    assert [(call, here[match], there[match]) for match, call in begun.items()] == COMPLETED


def test_locks_of_all_targets_are_taken_and_given_back(run):
    kinds = [
        (call, kind, "UNDEFINED" in text)
        for call, kind, text in in_calls(run[2], 0)
        if "LOCK" in kind and kind.startswith("RMA_A") or kind == "RMA_RELEASE_LOCK"
    ]
    assert kinds == [
        ("Win_lock_all", "RMA_ACQUIRE_LOCK", True),
        ("Win_unlock_all", "RMA_RELEASE_LOCK", True),
        ("Win_lock", "RMA_ACQUIRE_LOCK", False),
        ("Win_unlock", "RMA_RELEASE_LOCK", False),
    ]


def test_what_is_read_and_written_is_what_the_program_asks_for_and_gets(run):
    asked, got = {}, {}
    for call, kind, text in in_calls(run[2], RANKS - 1):
        if kind == "IO_OPERATION_BEGIN":
            asked[number("Matching Id", text)] = (
                call,
                re.search(r"Mode: (\w+)", text)[1],
                number("Bytes Request", text),
            )
        elif kind == "IO_OPERATION_COMPLETE":
            got[number("Matching Id", text)] = (call, number("Bytes Result", text))
    assert [(*asked[match], *got[match]) for match in asked] == MOVED
    assert Counter(kind for _, kind, _ in in_calls(run[2], 0) if "HANDLE" in kind) == {
        "IO_CREATE_HANDLE": 1,
        "IO_DESTROY_HANDLE": 1,
    }


def test_started_neighbourhood_calls_wait_for_those_that_data_comes_from(run):
    """In a line of three ranks the first and the last receive from the second one only, which is 2
    ms late."""
    times = defaultdict(list)
    for kind, at, time, text in printed(run[2]):
        if kind in ("ENTER", "LEAVE"):
            times[at, re.search('"MPI_([^"]*)"', text)[1], kind].append(time)
    waits = run[1].tables["waits"]
    for rank in (0, 2):
        started, calls = (
            times[rank, "Ineighbor_allgather", "LEAVE"][0],
            zip(times[rank, "Wait", "ENTER"], times[rank, "Wait", "LEAVE"]),
        )
        begin, end = next(call for call in calls if call[0] > started)
        expected = max(0, min(times[1, "Ineighbor_allgather", "ENTER"][0], end) - begin)
        # The other calls of MPI_Wait are for this rank's own operations.
        found = sum(
            wait
            for at, operation, wait in zip(
                *(waits[name].tolist() for name in ("rank", "operation", "wait"))
            )
            if (at, operation) == (rank, "Wait")
        )
        assert found == pytest.approx(expected / 1e9, abs=1e-12)
    assert not run[1].tables["ranks"]["unmatched"].any()


def test_counters_go_up_to_what_the_profile_has(run):
    seen = [
        (
            number(r'"cpu_time" <\d+>; UINT64', text.replace("UINT64;", "UINT64:")),
            number(r'"page_faults" <\d+>; UINT64', text.replace("UINT64;", "UINT64:")),
        )
        for call, kind, text in in_calls(run[2], 0)
        if kind == "METRIC"
    ]
    counters = run[0].tables["counters"]
    totals_of = {
        name: total
        for rank, name, total in zip(
            *(counters[column].tolist() for column in ("rank", "counter", "total"))
        )
        if rank == 0
    }
    # around sixteen calls in a row, with pauses in between
    assert seen and seen == sorted(seen)
    assert seen[-1] == (totals_of["cpu_time"], totals_of["page_faults"])


def test_counters_of_the_trace_are_those_that_the_collector_measured(run):
    found = []
    for profile in run[:2]:
        table = profile.tables["counters"]
        found.append(
            {
                (rank, name): values
                for rank, name, *values in zip(
                    *(
                        table[label].tolist()
                        for label in ("rank", "counter", "total", "inside_time", "outside_time")
                    )
                )
            }
        )
    assert {key: total for key, (total, *_) in found[0].items()} == {
        key: total for key, (total, *_) in found[1].items()
    }
    assert {name for _, name in found[0]} >= {"cpu_time", "page_faults"} and len(
        found[0]
    ) >= 2 * RANKS
    # All windows of the one, and what was read after its last one: the rest of the run is behind it
    # in both.
    assert all(found[1][key][1] > 0 and found[1][key][2] > 0 for key in found[0])


def test_what_flushes_wait_for_is_a_gap(run):
    assert ["waits.locks"] == [
        gap.subject for gap in run[1].gaps if gap.subject.startswith("waits")
    ]
