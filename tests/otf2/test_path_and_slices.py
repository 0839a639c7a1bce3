"""The critical path and the slices of time of traces whose every tick is known. A tick is a
microsecond."""

from __future__ import annotations

import numpy as np
import pytest

from advisor import analysis
from advisor.intake import read
from advisor.model.measures import Quality

from .archives import BARRIER, archive, call, collective, world


def _main(at, *events, end=100):
    """A rank from MPI_Init (0 to 10) to MPI_Finalize (10 long, from `end`), in a region of the
    program all the time."""
    inner = [line for lines in events for line in lines]
    return [
        f"{at} 0 enter main",
        *call(at, 0, 10, "Init"),
        *inner,
        *call(at, end, end + 10, "Finalize"),
        f"{at} {end + 10} leave main",
    ]


def _path(profile):
    """(rank, operation, function) → microseconds."""
    path = profile.tables["path"]
    keys = zip(path["rank"].tolist(), path["operation"].tolist(), path["function"].tolist())
    return {key: round(1e6 * seconds, 6) for key, seconds in zip(keys, path["time"].tolist())}


@pytest.fixture(scope="module")
def late(tmp_path_factory):
    """Rank 1 computes until 50, half of it in a region of its own; rank 0 waits for it."""
    inner = ["1 20 enter solve", "1 40 leave solve"]
    lines = (
        world(0, 0)
        + _main(0, call(0, 20, 52, "Barrier", collective(BARRIER)))
        + _main(1, inner, call(1, 50, 53, "Barrier", collective(BARRIER)))
    )
    return read(archive(tmp_path_factory.mktemp("late"), lines))


def test_the_critical_path_goes_over_to_the_rank_that_was_waited_for(late):
    assert _path(late) == {
        (0, "", "main"): 48,
        (0, "Barrier", "main"): 2,
        (1, "", "main"): 20,
        (1, "", "solve"): 20,
    }


def test_the_critical_path_is_as_long_as_the_run(late):
    run = analysis.measure(late).tables["run"].row(0)
    assert (
        float(late.tables["path"]["time"].sum())
        == pytest.approx(run["time"])
        == pytest.approx(90e-6)
    )


def test_what_is_on_the_critical_path_is_measured(late):
    tables = analysis.measure(late).tables
    assert np.asarray(tables["rank"].columns["path_share"].values).tolist() == pytest.approx(
        [50 / 90, 40 / 90]
    )
    rows = [
        (row["operation"], row["function"], round(1e6 * row["time"]))
        for row in map(tables["path"].row, range(len(tables["path"])))
    ]
    assert rows == [
        ("outside MPI", "main", 68),
        ("outside MPI", "solve", 20),
        ("Barrier", "main", 2),
    ]


def test_waits_of_all_calls_are_measured_and_not_estimated(late):
    tables = analysis.measure(late).tables
    assert [
        tables[table].columns[name].quality
        for table, name in (
            ("run", "wait_time"),
            ("rank", "wait_time"),
            ("operation", "wait"),
            ("rank", "delay_cost"),
        )
    ] == [Quality.DERIVED] * 4


def test_a_message_in_a_chain_hands_the_path_on(tmp_path):
    chain = (
        _main(0, call(0, 30, 32, "Send", "send 1 0 7 100")),
        _main(
            1, call(1, 12, 34, "Recv", "recv 0 0 7 100"), call(1, 60, 61, "Send", "send 2 0 7 100")
        ),
    )
    last = _main(
        2, call(2, 15, 63, "Recv", "recv 1 0 7 100"), ["2 70 enter slow", "2 99 leave slow"]
    )
    last = [line.replace("2 100 ", "2 105 ") for line in last]  # it ends last
    lines = world(0, 0, 0) + [line for part in chain for line in part] + last
    assert _path(read(archive(tmp_path, lines))) == {
        (0, "", "main"): 20,
        (1, "Recv", "main"): 4,
        (1, "", "main"): 26,
        (2, "Recv", "main"): 3,
        (2, "", "main"): 13,
        (2, "", "slow"): 29,
    }


@pytest.mark.parametrize("wait", [2**31, 2**32, 2**32 + 2**31, 3 * 2**40])
def test_what_does_not_fit_into_32_bits_of_ticks_is_on_the_path_as_well(tmp_path, wait):
    """A clock of nanoseconds has calls, waits and gaps of more than four seconds."""
    begin = 20 + wait
    ranks = (
        _main(0, call(0, 20, begin + 2, "Barrier", collective(BARRIER)), end=begin + 50),
        _main(1, call(1, begin, begin + 3, "Barrier", collective(BARRIER)), end=begin + 50),
    )
    assert _path(read(archive(tmp_path, world(0, 0) + ranks[0] + ranks[1]))) == {
        (0, "", "main"): 48,
        (0, "Barrier", "main"): 2,
        (1, "", "main"): begin - 10,
    }


def test_waiting_in_wrong_order_is_a_share_of_the_run(tmp_path):
    first, second = (
        call(0, 20, 21, "Send", "send 1 0 1 100"),
        call(0, 50, 51, "Send", "send 1 0 2 100"),
    )
    lines = (
        world(0, 0)
        + _main(0, first, second)
        + _main(
            1, call(1, 30, 60, "Recv", "recv 0 0 2 100"), call(1, 61, 62, "Recv", "recv 0 0 1 100")
        )
    )
    run = analysis.measure(read(archive(tmp_path, lines))).tables["run"].row(0)
    assert (run["wait_share"], run["wrong_order_share"]) == pytest.approx(
        (20 / 2 / 90, 20 / 2 / 90)
    )


def test_slices_hold_what_the_calls_hold(late):
    phases, calls, waits = (late.tables[name] for name in ("phases", "calls", "waits"))
    kinds = ("collective", "messages", "completion", "onesided", "io", "management")
    assert sum(float(phases[kind].sum()) for kind in kinds) == pytest.approx(
        float(calls["time"].sum()), abs=2e-6
    )
    assert int(phases["calls"].sum()) == int(calls["count"].sum())
    assert float(phases["wait"].sum()) == pytest.approx(float(waits["wait"].sum()), abs=1e-6)
    waiting = phases["wait"] > 0
    begin = phases["slice"] * phases["width"] * 1e6
    assert (
        set(phases["rank"][waiting].tolist()) == {0}
        and 8 < begin[waiting].min() <= 11
        and 38 < begin[waiting].max() <= 40
    )
    assert set(phases["rank"][phases["delay_cost"] > 0].tolist()) == {1}
