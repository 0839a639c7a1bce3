"""Time without a core: what it cost, what is left of transfer and computing, and what bounds it
where the kernel does not tell."""

from __future__ import annotations

import pytest

from advisor.analysis import measure

from .profiles import cell, profile, table

ZERO = [0.0, 0.0]
PARTS = ("no_core_inside", "no_core_outside", "asleep_inside", "asleep_outside")


def bounds(measures, key):
    name, _, column = key.partition(".")
    found = measures.tables[name].columns[column]
    return pytest.approx(
        (float(found.low[0]), float(found.values[0]), float(found.high[0])), abs=1e-4
    )


def run_with(mpi, wait=None, reported=1, more=None, **parts):
    """Two ranks of 10 s, `mpi` and `wait` of it in Allreduce, all calls sampled, in ten slices of a
    second that are alike."""
    calls = [
        (rank, "Allreduce", "intra_node", 4, 100, 800, seconds) for rank, seconds in enumerate(mpi)
    ]
    values = {name: parts.get(name, ZERO) for name in PARTS}
    tables = {}
    if wait is not None:
        of_both = {
            "rank": [0, 1],
            "operation": ["Allreduce"] * 2,
            "class_": ["intra_node"] * 2,
            "bin": [4] * 2,
            "communicator": [1] * 2,
        }
        tables["waits"] = table(
            "waits",
            **of_both,
            calls=[100, 100],
            sampled=[100, 100],
            time=mpi,
            duration=mpi,
            wait=wait,
            unresolved=ZERO,
            overlappable=ZERO,
            wait_wait=ZERO,
            wait_duration=ZERO,
            duration_duration=ZERO,
        )
        tables["delays"] = table(
            "delays",
            rank=[0, 1],
            class_=["intra_node"] * 2,
            instances=[100, 100],
            last=[50, 50],
            delay_cost=[wait[1], wait[0]],
        )
        rows = [(rank, slice_) for rank in (0, 1) for slice_ in range(10)]
        each = {
            "collective": mpi,
            "split": mpi,
            "wait": wait,
            "delay_cost": [wait[1], wait[0]],
            "no_core_inside": values["no_core_inside"],
            "no_core_outside": values["no_core_outside"],
        }
        tables["phases"] = table(
            "phases",
            rank=[rank for rank, _ in rows],
            slice=[number for _, number in rows],
            width=[1.0] * 20,
            ranks=[1] * 20,
            calls=[10] * 20,
            bytes=[80] * 20,
            **{name: [of[rank] / 10 for rank, _ in rows] for name, of in each.items()},
            **{
                name: [0.0] * 20
                for name in ("messages", "completion", "onesided", "io", "management")
            },
        )
    ranks = table("ranks", **values, run_delay_reported=[reported] * 2, **(more or {}))
    return measure(profile([10.0, 10.0], calls, ranks=ranks, tables=tables))


def test_a_core_lost_while_waiting_costs_nothing():
    """Rank 1 waits for 8 s of 8.1 s in MPI, and has no core for 6 s of them."""
    measures = run_with([0.1, 8.1], [0.0, 8.0], no_core_inside=[0.0, 6.0])
    assert bounds(measures, "run.no_core_lost") == (0.0, pytest.approx(6.0 * 0.1 / 8.1 / 2), 0.05)
    assert cell(measures, "run.no_core_share") < 0.005
    assert cell(measures, "rank.no_core_time", 1) == pytest.approx(6.0)


def test_what_waiting_has_no_room_for_was_lost_and_is_no_transfer():
    """Both ranks are in MPI for 8 s, wait for 1 s, and have no core for 6 s: between 5 and 6 s of
    the other 7 s."""
    measures = run_with([8.0, 8.0], [1.0, 1.0], no_core_inside=[6.0, 6.0])
    assert bounds(measures, "run.no_core_lost") == (5.0, pytest.approx(6 * 7 / 8), 6.0)
    low, value, high = (
        float(getattr(measures.tables["run"].columns["transfer_time"], name)[0])
        for name in ("low", "values", "high")
    )
    assert value == pytest.approx(7 - 6 * 7 / 8) and low <= 1.0 and high >= 2.0


def test_a_transfer_lasts_while_the_other_side_has_no_core():
    """Both are in MPI for 8 s and wait for 1 s. Rank 0 has its core; rank 1 has none for 2 s of its
    8 s, in which rank 0 may have tried to copy. 1 % of 8 s is what quiet hosts lack as well."""
    measures = run_with([8.0, 8.0], [1.0, 1.0], no_core_inside=[0.0, 2.0])
    assert bounds(measures, "run.transfer_time") == (
        ((7 - (2 - 0.08)) + (7 - 2)) / 2,
        (7 + 7 - 2 * 7 / 8) / 2,
        (7 + 6) / 2,
    )


def test_computing_without_a_core_is_no_imbalance():
    """Rank 0 is outside MPI for 9 s, 4 s of them without a core; rank 1 computes 5 s and waits 4 s
    for it."""
    measures = run_with([1.0, 5.0], [0.0, 4.0], no_core_outside=[4.0, 0.0])
    assert [cell(measures, "rank.useful_time", rank) for rank in (0, 1)] == pytest.approx(
        [5.0, 5.0]
    )
    assert cell(measures, "run.load_balance") == pytest.approx(1.0)
    assert cell(measures, "run.core_efficiency") == pytest.approx(5 / 9)
    tree = (
        cell(measures, "run.load_balance")
        * cell(measures, "run.core_efficiency")
        * cell(measures, "run.communication_efficiency")
    )
    assert tree == pytest.approx(cell(measures, "run.parallel_efficiency"), rel=1e-9)
    # Of 4 s without a core 1 % of the time is usual; the rest explains what rank 1 waited.
    assert cell(measures, "run.wait_by_no_core") == pytest.approx((4.0 - 0.1) / 2)
    assert float(measures.tables["run"].columns["wait_time"].low[0]) <= 0.1


@pytest.mark.parametrize(
    "no_core, reported, load",
    (
        ([3.0, 3.0], 1, 2.0),  # they displace each other
        ([0.2, 0.4], 1, 1.0),  # they sleep, or compute one after the other
        ([0.2, 0.6], 1, 2.0),
        ([0.2, 0.4], 0, 2.0),  # nobody knows
    ),
)
def test_more_threads_than_cores_matter_if_they_lack_cores(no_core, reported, load):
    """Two ranks of 10 s and four threads each, on a host of four CPUs."""
    measures = run_with(
        [2.0, 2.0], reported=reported, more={"threads": [4, 4]}, no_core_outside=no_core
    )
    assert cell(measures, "run.oversubscription") == load


def test_sleep_is_not_the_lack_of_a_core():
    measures = run_with([1.0, 1.0], [0.5, 0.5], asleep_outside=[5.0, 5.0])
    assert cell(measures, "run.asleep_outside") == 5.0
    assert (cell(measures, "run.no_core_lost"), cell(measures, "run.transfer_time")) == (
        0.0,
        pytest.approx(0.5),
    )


def test_where_the_kernel_does_not_tell_there_is_an_upper_bound():
    """Elapsed without CPU time is 6 s inside MPI and 1 s outside; the process used 7 s for 8 s in
    MPI: 1 s at least was no core, or sleep."""
    measures = run_with(
        [8.0, 8.0],
        [1.0, 1.0],
        reported=0,
        no_core_inside=[6.0, 6.0],
        no_core_outside=[1.0, 1.0],
        more={"user_time": [7.0, 7.0], "system_time": ZERO},
    )
    assert bounds(measures, "run.no_core_lost") == (0.0, 1.0, 7.0)
    assert cell(measures, "rank.no_core_time") is None
    assert cell(measures, "rank.useful_time") == pytest.approx(2.0)
    assert float(measures.tables["run"].columns["transfer_time"].low[0]) <= 1.0


@pytest.mark.parametrize(
    "mpi, user, system, lost",
    [
        ([8.0, 8.0], [10.0, 9.0], [0.0, 1.0], [0.0, 0.0]),  # a core all the time
        ([8.0, 8.0], [1.0, 3.0], [1.0, 1.0], [0.6, 0.4]),  # 2 s and 4 s of CPU time for 8 s in MPI
        (
            [0.1, 8.0],
            [0.05, 9.0],
            [0.0, 0.0],
            [0.005, 0.0],
        ),  # asleep outside MPI: that is not counted
    ],
)
def test_profiles_without_run_delay_have_a_lower_bound(mpi, user, system, lost):
    calls = [
        (rank, "Allreduce", "intra_node", 4, 1, 8, seconds) for rank, seconds in enumerate(mpi)
    ]
    measures = measure(
        profile([10.0, 10.0], calls, ranks=table("ranks", user_time=user, system_time=system))
    )
    assert [cell(measures, "rank.no_core_share", row) for row in range(2)] == pytest.approx(lost)
    assert cell(measures, "run.no_core_share") == pytest.approx(sum(lost) / 2)


def test_unknown_without_cpu_time():
    measures = measure(profile([10.0], [(0, "Allreduce", "intra_node", 4, 1, 8, 5.0)]))
    assert cell(measures, "rank.no_core_share") is None
    assert cell(measures, "run.no_core_share") is None
