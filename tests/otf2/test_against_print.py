"""Counts, bytes and waits against what otf2-print says of the same archive; a real one, and one of
many rounds of reading."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from advisor import analysis
from advisor.intake import read

from . import printed
from .archives import writer

PING_PONG = Path(__file__).with_name("recorded") / "ping-pong" / "traces.otf2"
TICKS = 2095197216
"""Of a second of that trace."""
MEETS = Path(__file__).with_name("recorded") / "meets" / "traces.otf2"
MEETS_TICKS = 2445439214
RANKS, STEPS = 8, 5000


@pytest.fixture(scope="module")
def real():
    """The real trace's profile."""
    writer()
    return read(PING_PONG)


def test_calls_of_a_real_trace_are_those_that_otf2_print_lists(real):
    calls = real.tables["calls"]
    found = {}
    for rank, operation, count in zip(
        calls["rank"].tolist(), calls["operation"], calls["count"].tolist()
    ):
        found[rank, operation] = found.get((rank, operation), 0) + count
    assert found == {
        key: count
        for key, count in printed.calls(PING_PONG).items()
        if key[1] not in ("Init", "Finalize")
    }


def test_messages_of_a_real_trace_are_those_that_otf2_print_lists(real):
    peers = real.tables["peers"]
    assert dict(
        zip(zip(peers["rank"].tolist(), peers["peer"].tolist()), peers["bytes"].tolist())
    ) == dict(printed.sent(PING_PONG))


def test_waits_of_a_real_trace_follow_from_what_otf2_print_lists(real):
    waits = real.tables["waits"]
    found = {}
    for rank, operation, wait in zip(
        waits["rank"].tolist(), waits["operation"], waits["wait"].tolist()
    ):
        found[rank, operation] = found.get((rank, operation), 0) + wait * TICKS
    assert {key: round(ticks) for key, ticks in found.items()} == printed.blocking_waits(PING_PONG)


def test_a_real_trace_names_program_host_and_callers(real):
    assert real.run.program.endswith("ping-pong.otf2") and real.run.collector == "Score-P 7.1"
    assert [node.name for node in real.nodes] == ["quartz10"]
    assert set(zip(real.tables["sites"]["function"], real.tables["sites"]["file"])) == {
        ("int main(int, char**)", "/g/g92/bhatele1/umd/traces/score-p/ping-pong.c")
    }


def test_the_window_of_a_real_trace_is_that_from_init_to_finalize(real):
    seen = printed.events(PING_PONG)
    begin = min(event.time for event in seen if event.kind == "LEAVE" and event.region == "Init")
    end = max(event.time for event in seen if event.kind == "ENTER" and event.region == "Finalize")
    assert analysis.measure(real).tables["run"].row(0)["time"] == pytest.approx(
        (end - begin) / TICKS
    )


def test_one_sided_waits_of_a_real_trace_are_those_between_the_calls_that_otf2_print_lists():
    writer()
    tables = read(MEETS).tables
    found = {
        (rank, operation): wait
        for rank, operation, wait in zip(
            *(tables["waits"][name].tolist() for name in ("rank", "operation", "wait"))
        )
    }
    entered = {
        (event.location, event.region): event.time
        for event in printed.events(MEETS)
        if event.kind == "ENTER"
    }
    expected = {  # who waits, and for whom
        (0, "Win_start"): (1, "Win_post"),
        (1, "Win_wait"): (0, "Win_complete"),
        (2, "Win_lock"): (1, "Win_unlock"),
    }
    waits = {key: (entered[other] - entered[key]) / MEETS_TICKS for key, other in expected.items()}
    assert {key: found[key] for key in expected} == pytest.approx(waits) and min(
        waits.values()
    ) > 0.005
    assert {
        key: found[key]
        for key in ((0, "Win_complete"), (1, "Win_lock"), (1, "Win_unlock"), (2, "Win_unlock"))
    } == dict.fromkeys(
        ((0, "Win_complete"), (1, "Win_lock"), (1, "Win_unlock"), (2, "Win_unlock")), 0.0
    )
    # Score-P does not say on which communicator
    assert "Neighbor_allgather" not in tables["waits"]["operation"].tolist()


def _lateness() -> np.ndarray:
    """What the writer draws, int64 [ranks, steps]."""
    late = np.zeros((RANKS, STEPS), np.int64)
    for rank in range(RANKS):
        state = (rank * 2654435761 + 1) % 2**32
        for step in range(STEPS):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            late[rank, step] = state >> 33 & 0x7FFF
    return late


def test_a_trace_of_many_rounds_has_the_waits_that_it_was_made_of(tmp_path):
    writer()
    source = Path(__file__).resolve().parents[2] / "benchmarks" / "otf2" / "write_trace.c"
    subprocess.run(
        ["cc", "-O1", str(source), "-o", str(tmp_path / "write_trace"), "-lotf2"], check=True
    )
    subprocess.run(
        [str(tmp_path / "write_trace"), str(tmp_path / "trace"), str(RANKS), str(STEPS)], check=True
    )
    tables = read(tmp_path / "trace").tables
    late = _lateness()
    reduction = late // 2 + 1
    from_left = np.roll(late, 1, axis=0) + 1300 - (late + 1600)
    to_right = np.roll(late, -1, axis=0) + 1000 - (late + 1600)
    expected = {
        "Waitall": np.maximum(np.maximum(from_left, to_right), 0).sum(axis=1),
        "Allreduce": (reduction.max(axis=0) - reduction).sum(axis=1),
    }
    for operation, nanoseconds in expected.items():
        rows = tables["waits"]["operation"] == operation
        assert (
            np.rint(tables["waits"]["wait"][rows] * 1e9).astype(int).tolist()
            == nanoseconds.tolist()
        )
        assert tables["waits"]["sampled"][rows].tolist() == [STEPS] * RANKS
    caused = tables["delays"]["delay_cost"].sum()
    assert round(caused * 1e9) == sum(int(nanoseconds.sum()) for nanoseconds in expected.values())
