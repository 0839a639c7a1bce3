"""One run in pieces: on which rank, which pieces, and that they add up."""

from __future__ import annotations

import pytest
from analysis.profiles import profile, table

from advisor.analysis import measure
from advisor.analysis.elapsed import elapsed
from advisor.analysis.engine.size_bins import size_group
from advisor.model.errors import UserError
from advisor.model.profile import Run

CALLS = [
    (0, "Allreduce", "multi_node", 4, 10, 80, 6.0),
    (1, "Allreduce", "multi_node", 4, 10, 80, 1.0),
    (1, "File_write", "multi_node", 20, 1, 1 << 19, 2.0),
    (1, "Init", "none", -1, 1, 0, 9.0),
]


def waits(*rows):
    names = ("rank", "operation", "class_", "bin", "time", "duration", "wait")
    columns = dict(zip(names, zip(*rows)))
    zero = [0.0] * len(rows)
    return table(
        "waits",
        **columns,
        communicator=[7] * len(rows),
        calls=[10] * len(rows),
        sampled=[10] * len(rows),
        unresolved=zero,
        wait_wait=zero,
        wait_duration=zero,
        duration_duration=zero,
    )


def delays(*rows):
    return table(
        "delays", **dict(zip(("rank", "class_", "instances", "last", "delay_cost"), zip(*rows)))
    )


def pieces(made):
    return {(piece.kind, *piece.detail): piece.seconds for piece in elapsed(measure(made)).pieces}


def test_without_samples_the_calls_of_the_rank_with_most_time_outside_mpi():
    """Rank 1 is 10 - 1 - 2 = 7 s outside MPI, rank 0 only 2 s (8 - 6)."""
    assert pieces(profile([8.0, 10.0], CALLS)) == {
        ("outside",): 7.0,
        ("unsplit", "Allreduce", "multi_node", "1 to 63 B"): 1.0,
        ("io",): 2.0,
        ("unattributed",): 0.0,
    }


def test_a_command_that_was_timed_has_start_up():
    made = profile([8.0, 10.0], CALLS, run=Run("a.out", job_seconds=12.5, ranks_expected=2))
    assert pieces(made)[("startup",)] == 2.5 and elapsed(measure(made)).command == 12.5


def test_waiting_goes_to_those_that_all_waited_for_but_never_to_the_rank_itself():
    """Rank 1 waits 0.25 of its 1.0 s; of what others caused rank 0 has 3 of 4 s, rank 2 1 of 4 s;
    rank 1's own 5 s do not count."""
    more = {
        "waits": waits((1, "Allreduce", "multi_node", 4, 1.0, 2.0, 0.5)),
        "delays": delays(
            (0, "multi_node", 9, 3, 3.0), (1, "multi_node", 9, 5, 5.0), (2, "multi_node", 9, 1, 1.0)
        ),
    }
    found = pieces(profile([8.0, 10.0, 5.0], CALLS, tables=more))
    assert {
        key: value for key, value in found.items() if key[0] in ("waiting", "moving", "unsplit")
    } == {
        ("waiting", "0"): 0.1875,
        ("waiting", "2"): 0.0625,
        ("moving", "Allreduce", "multi_node", "1 to 63 B"): 0.75,
    }


def test_ranks_that_were_summed_up_give_means():
    made = profile([10.0, 10.0], [(-1, "Allreduce", "multi_node", 4, 10, 80, 4.0)])
    assert pieces(made) == {
        ("outside",): 8.0,
        ("unsplit", "Allreduce", "multi_node", "1 to 63 B"): 2.0,
        ("unattributed",): 0.0,
    }
    assert elapsed(measure(made)).rank is None


def test_a_window_shorter_than_the_run_is_unattributed():
    """Rank 0 works 6 s and is the critical one; the run lasts until rank 1 ends after 10 s of
    mostly MPI."""
    found = pieces(profile([6.0, 10.0], [(1, "Barrier", "multi_node", -1, 1, 0, 9.0)]))
    assert found == {("outside",): 6.0, ("unattributed",): 4.0}


def test_no_elapsed_time_is_an_error_in_words():
    with pytest.raises(UserError, match="does not say how long the run took"):
        elapsed(measure(profile([0.0])))


@pytest.mark.parametrize(
    "bin, name",
    [
        (-2, "all sizes"),
        (-1, ""),
        (0, "0 B"),
        (1, "1 to 63 B"),
        (6, "1 to 63 B"),
        (7, "64 to 1023 B"),
        (11, "1 to 8 KiB"),
        (17, "64 KiB to 1 MiB"),
        (25, "16 MiB and more"),
    ],
)
def test_size_groups(bin, name):
    assert size_group(bin) == name


def test_a_critical_rank_that_was_summed_up_with_others_gives_means():
    """Rank 1 has the most time outside MPI, but only rank 0's calls were kept apart: (4 + 2) / 2 s
    in MPI."""
    ranks = table("ranks", mpi_time=[4.0, 2.0])
    made = profile(
        [10.0, 10.0],
        [
            (0, "Allreduce", "multi_node", 4, 10, 80, 4.0),
            (-1, "Allreduce", "multi_node", 4, 10, 80, 2.0),
        ],
        ranks=ranks,
    )
    assert pieces(made) == {
        ("outside",): 7.0,
        ("unsplit", "Allreduce", "multi_node", "1 to 63 B"): 3.0,
        ("unattributed",): 0.0,
    }
