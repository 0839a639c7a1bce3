"""Lower bounds of waiting from durations: METRICS 3.4, level 2."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.analysis import measure

from .profiles import cell, profile, table

WORLD = 7


def waiting(members, calls=None, size=None, kind="multi_node"):
    """Measures of ranks that call as `members` says; by default all of it is in `calls` as well."""
    count = 1 + max(row[0] for row in members)
    calls = calls or [
        (rank, operation, kind, 4, number, size_, time)
        for rank, _, operation, number, size_, time in members
    ]
    ids = sorted({row[1] for row in members} - {0})
    communicators = table(
        "communicators", id=ids, size=[size or count] * len(ids), class_=[kind] * len(ids)
    )
    return measure(
        profile([100.0] * count, calls, members=members, tables={"communicators": communicators})
    )


@pytest.mark.parametrize(
    "title, members, expected",
    [
        # rows: rank, communicator, operation, calls, bytes, seconds             mean waiting
        (
            "late rank 1",
            [(0, WORLD, "Allreduce", 5, 8, 9.0), (1, WORLD, "Allreduce", 5, 8, 1.0)],
            4.0,
        ),
        (
            "all wait alike, in turns: nothing is known",
            [(0, WORLD, "Barrier", 5, 0, 3.0), (1, WORLD, "Barrier", 5, 0, 3.0)],
            0.0,
        ),
        (
            "operations count apart",
            [
                (0, WORLD, "Barrier", 5, 0, 9.0),
                (1, WORLD, "Barrier", 5, 0, 1.0),
                (0, WORLD, "Allreduce", 5, 8, 1.0),
                (1, WORLD, "Allreduce", 5, 8, 9.0),
            ],
            8.0,
        ),
        (
            "communicators count apart",
            [
                (0, 8, "Barrier", 5, 0, 9.0),
                (1, 8, "Barrier", 5, 0, 1.0),
                (0, 9, "Barrier", 5, 0, 1.0),
                (1, 9, "Barrier", 5, 0, 9.0),
            ],
            8.0,
        ),
        (
            "a broadcast says nothing",
            [(0, WORLD, "Bcast", 5, 8, 9.0), (1, WORLD, "Bcast", 5, 8, 1.0)],
            0.0,
        ),
        (
            "unequal numbers of calls: cut off",
            [(0, WORLD, "Barrier", 6, 0, 9.0), (1, WORLD, "Barrier", 5, 0, 1.0)],
            0.0,
        ),
        (
            "overflowed communicators",
            [(0, 0, "Barrier", 5, 0, 9.0), (1, 0, "Barrier", 5, 0, 1.0)],
            0.0,
        ),
        (
            "a member without data may leave early",
            [(0, WORLD, "Alltoallv", 5, 8, 9.0), (1, WORLD, "Alltoallv", 5, 0, 1.0)],
            0.0,
        ),
        (
            "three with data",
            [
                (0, WORLD, "Alltoallv", 5, 8, 9.0),
                (1, WORLD, "Alltoallv", 5, 0, 1.0),
                (2, WORLD, "Alltoallv", 5, 8, 6.0),
            ],
            1.0,
        ),
    ],
)
def test_by_hand(title, members, expected):
    assert cell(waiting(members), "run.wait_time") == pytest.approx(expected)


def test_communicators_of_two_groups_say_nothing():
    members = [(0, WORLD, "Barrier", 5, 0, 9.0), (1, WORLD, "Barrier", 5, 0, 1.0)]
    found = waiting(members, kind="inter")
    assert (cell(found, "run.wait_time"), cell(found, "communicator.wait")) == (0.0, None)


def test_mean_over_members_and_mean_over_ranks():
    members = [
        (0, WORLD, "Barrier", 5, 0, 9.0),
        (1, WORLD, "Barrier", 5, 0, 1.0),
        (2, 8, "Bcast", 1, 8, 1.0),
    ]
    found = waiting(members, size=2)
    assert cell(found, "run.wait_time") == pytest.approx(8 / 3)  # of 3 ranks
    assert cell(found, "communicator.wait") == pytest.approx(8 / 2)  # of 2 members


entries = st.integers(2, 6).flatmap(
    lambda ranks: st.lists(
        st.tuples(st.lists(st.floats(0, 10), min_size=ranks, max_size=ranks), st.floats(0, 2)),
        min_size=1,
        max_size=12,
    )
)


@settings(max_examples=50, deadline=None)
@given(entries)
def test_never_more_than_true_waiting(instances):
    """Entry times of all ranks in each instance, and the transfer after the last entry; all leave
    together."""
    ranks = len(instances[0][0])
    duration, waited = [0.0] * ranks, [0.0] * ranks
    for entered, transfer in instances:
        for rank, moment in enumerate(entered):
            waited[rank] += max(entered) - moment
            duration[rank] += max(entered) - moment + transfer
    members = [
        (rank, WORLD, "Allreduce", len(instances), 8, duration[rank]) for rank in range(ranks)
    ]
    found = waiting(members)
    assert -1e-9 <= cell(found, "run.wait_time") <= sum(waited) / ranks + 1e-9
    # METRICS 3.4: sum_i D_i - P * min_i D_i
    assert cell(found, "run.wait_time") * ranks == pytest.approx(
        sum(duration) - ranks * min(duration), abs=1e-6
    )
    assert cell(found, "run.wait_time") <= cell(found, "run.mpi_time") + 1e-9


@pytest.mark.parametrize(
    "title, calls, expected",
    [
        # rows: rank, operation, class, bin, calls, bytes, seconds
        # then: mean seconds in calls that found nothing
        (
            "a poll that found something after many",
            [
                (0, "Test", "nothing", -1, 900, 0, 6.0),
                (0, "Test", "none", -1, 1, 0, 1.0),
                (1, "Send", "intra_node", 4, 1, 8, 1.0),
            ],
            3.0,
        ),
        (
            "of probes as well",
            [(0, "Iprobe", "nothing", -1, 9, 0, 2.0), (1, "Win_test", "nothing", -1, 9, 0, 4.0)],
            3.0,
        ),
        (
            "nobody asked",
            [(0, "Recv", "intra_node", -1, 1, 0, 6.0), (1, "Send", "intra_node", 4, 1, 8, 1.0)],
            0.0,
        ),
        (
            "older profiles do not tell",
            [(0, "Test", "none", -1, 900, 0, 6.0), (1, "Send", "intra_node", 4, 1, 8, 1.0)],
            None,
        ),
    ],
)
def test_polls_that_found_nothing(title, calls, expected):
    assert cell(measure(profile([100.0, 100.0], calls)), "run.polling_time") == expected


def test_polls_of_each_rank():
    calls = [
        (0, "Testall", "nothing", -1, 900, 0, 1.0),
        (0, "Testall", "none", -1, 100, 0, 1.0),
        (0, "Waitall", "none", -1, 50, 0, 1.0),
        (1, "Iprobe", "none", -1, 10, 0, 1.0),
    ]
    measures = measure(profile([100.0, 100.0, 100.0], calls))
    assert list(measures.tables["rank"].columns["polls"].values) == [1000, 10, 0]


def test_time_between_polls():
    """Two ranks of 10 s outside MPI: one polls for 4 s of it, and the kernel says that the other
    slept for 1 s."""
    polled = {
        "between_polls": [4.0, 0.0],
        "asleep_outside": [0.0, 1.0],
        **{name: [0.0] * 2 for name in ("asleep_inside", "no_core_inside", "no_core_outside")},
        "run_delay_reported": [1, 1],
    }
    measures = measure(profile([10.0, 10.0], ranks=table("ranks", **polled)))
    rank = measures.tables["rank"].columns
    assert list(rank["between_polls"].values) == [4.0, 0.0]
    assert list(rank["work_time"].values) == [6.0, 10.0]
    assert cell(measures, "run.between_polls_share") == pytest.approx(0.2)
    assert cell(measures, "run.imbalance_share") == 0.0
    assert cell(measures, "run.polled_imbalance_share") == pytest.approx(0.2)
    parts = {part.kind: row.tolist() for part, row in zip(*measures.causes[:2])}
    assert parts == {
        "computing": [6.0, 9.0],
        "between polls": [4.0, 0.0],
        "asleep outside MPI": [0.0, 1.0],
    }


@pytest.mark.parametrize(
    "in_mpi, polled, longest, hidden",
    [
        pytest.param([0, 0], [4, 0], 0.0, 0.2, id="the other one polls, and hides that it waits"),
        pytest.param([3, 0], [0, 4], 0.4, 0.0, id="who is outside MPI for longest polls"),
        pytest.param([3, 0], [0, 0], 0.0, 0.0, id="nobody polls"),
        pytest.param([0, 0, 0, 0], [0, 0, 0, 4], 0.0, 0.0, id="one of four polls: a coordinator"),
    ],
)
def test_load_imbalance_beside_polls(in_mpi, polled, longest, hidden):
    """Ranks of 10 s, some of them in MPI_Allreduce."""
    calls = [
        (rank, "Allreduce", "multi_node", 3, 10, 80, float(each))
        for rank, each in enumerate(in_mpi)
        if each
    ]
    polls = table("ranks", between_polls=[float(each) for each in polled])
    measures = measure(profile([10.0] * len(polled), calls, ranks=polls))
    assert cell(measures, "run.longest_between_polls_share") == pytest.approx(longest)
    assert cell(measures, "run.hidden_imbalance_share") == pytest.approx(hidden)


def test_where_polls_are_not_known_they_hide_nothing():
    measures = measure(profile([10.0, 10.0]))
    for name in ("longest_between_polls_share", "hidden_imbalance_share"):
        assert cell(measures, f"run.{name}") == 0.0


def test_pauses_between_polls_are_sleep():
    polled = {
        "between_polls": [4.0, 4.0],
        "asleep_outside": [3.0, 5.0],
        **{name: [0.0] * 2 for name in ("asleep_inside", "no_core_inside", "no_core_outside")},
        "run_delay_reported": [1, 1],
    }
    measures = measure(profile([10.0, 10.0], ranks=table("ranks", **polled)))
    parts = {part.kind: row.tolist() for part, row in zip(*measures.causes[:2])}
    assert parts["between polls"] == [1.0, 0.0]


def test_older_profiles_do_not_tell_what_lies_between_polls():
    measures = measure(profile([10.0, 10.0]))
    assert cell(measures, "run.between_polls_share") is None


@pytest.mark.parametrize(
    "title, computing, messages, collective, expected",
    [
        # seconds of each rank; of 10 s of elapsed
        (
            "a chain: the last one waits for messages, the first one for the last",
            7,
            [0, 1.5, 3],
            [3, 1.5, 0],
            1.5,
        ),
        ("nobody waits for messages", 7, [0, 0, 0], [3, 1.5, 0], 0.0),
        ("all wait for messages alike", 7, [1, 1, 1], [2, 1, 0], 0.0),
    ],
)
def test_waiting_for_who_waited_for_messages(title, computing, messages, collective, expected):
    calls, waits = [], []
    for rank in range(3):
        spare = 10 - computing - messages[rank] - collective[rank]
        rows = (("Recv", messages[rank]), ("Allreduce", collective[rank]), ("Send", spare))
        calls += [(rank, name, "multi_node", 4, 9, 8, seconds) for name, seconds in rows]
        waits += [(rank, name, seconds) for name, seconds in rows[:2]]
    columns = dict(zip(("rank", "operation", "time"), zip(*waits)))
    count = len(waits)
    sampled = table(
        "waits",
        **columns,
        class_=["multi_node"] * count,
        bin=[4] * count,
        communicator=[0] * count,
        calls=[9] * count,
        sampled=[9] * count,
        duration=columns["time"],
        wait=columns["time"],
        unresolved=[0.0] * count,
    )
    measures = measure(profile([10.0] * 3, calls, tables={"waits": sampled}))
    found = cell(measures, "run.wait_after_messages_share")
    assert found == pytest.approx(expected / 10)
