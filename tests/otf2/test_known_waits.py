"""Waits that are known to the tick, one case for each class of METRICS 3.3. A tick of these
archives is a microsecond."""

from __future__ import annotations

import pytest

from advisor.intake import read

from .archives import (
    ALLGATHERV,
    ALLREDUCE,
    BARRIER,
    BCAST,
    CREATE,
    GATHERV,
    REDUCE,
    SCAN,
    archive,
    call,
    collective,
    neighbour_call,
    world,
)

BOTH = world(0, 0)
ALL = 0xFFFFFFFF
"""Targets of MPI_Win_lock_all."""
CASES = {
    # name: (lines, {(rank, operation): microseconds waited}, {rank: microseconds that others waited
    # for it})
    "the last comes to all": (
        world(0, 0, 1)
        + call(0, 10, 60, "Allreduce", collective(ALLREDUCE))
        + call(1, 50, 61, "Allreduce", collective(ALLREDUCE))
        + call(2, 30, 62, "Allreduce", collective(ALLREDUCE)),
        {(0, "Allreduce"): 40, (1, "Allreduce"): 0, (2, "Allreduce"): 20},
        {0: 0, 1: 60, 2: 0},
    ),
    "never longer than the call": (
        BOTH
        + call(0, 10, 20, "Barrier", collective(BARRIER))
        + call(1, 50, 61, "Barrier", collective(BARRIER)),
        {(0, "Barrier"): 10, (1, "Barrier"): 0},
        {0: 0, 1: 10},
    ),
    "making a communicator": (
        BOTH
        + call(0, 10, 60, "Comm_dup", collective(CREATE))
        + call(1, 50, 61, "Comm_dup", collective(CREATE)),
        {(0, "Comm_dup"): 40, (1, "Comm_dup"): 0},
        {0: 0, 1: 40},
    ),
    "the root of a broadcast is late, or not": (
        world(0, 0, 0)
        + call(0, 40, 45, "Bcast", collective(BCAST, root=0))
        + call(1, 10, 46, "Bcast", collective(BCAST, root=0))
        + call(2, 42, 47, "Bcast", collective(BCAST, root=0)),
        {(0, "Bcast"): 0, (1, "Bcast"): 30, (2, "Bcast"): 0},
        {0: 30, 1: 0, 2: 0},
    ),
    "the root of a broadcast stays until its receiver is there": (
        BOTH
        + call(0, 10, 60, "Bcast", collective(BCAST, root=0))
        + call(1, 50, 61, "Bcast", collective(BCAST, root=0)),
        {(0, "Bcast"): 40, (1, "Bcast"): 0},
        {0: 0, 1: 40},
    ),
    "... with three ranks it may have served the other one for 50 microseconds": (
        world(0, 0, 0)
        + call(0, 1000, 1500, "Bcast", collective(BCAST, root=0))
        + call(1, 1100, 1200, "Bcast", collective(BCAST, root=0))
        + call(2, 1400, 1500, "Bcast", collective(BCAST, root=0)),
        {(0, "Bcast"): 350, (1, "Bcast"): 0, (2, "Bcast"): 0},
        {0: 0, 1: 0, 2: 350},
    ),
    "who sends in a gather stays until the root is there": (
        BOTH
        + call(0, 50, 61, "Gatherv", collective(GATHERV, root=0, sent=8))
        + call(1, 10, 60, "Gatherv", collective(GATHERV, root=0, sent=8)),
        {(0, "Gatherv"): 0, (1, "Gatherv"): 40},
        {0: 40, 1: 0},
    ),
    "the root of a reduction waits for the last": (
        world(0, 0, 0)
        + call(0, 10, 60, "Reduce", collective(REDUCE, root=0))
        + call(1, 20, 22, "Reduce", collective(REDUCE, root=0))
        + call(2, 50, 52, "Reduce", collective(REDUCE, root=0)),
        {(0, "Reduce"): 40, (1, "Reduce"): 0, (2, "Reduce"): 0},
        {0: 0, 1: 0, 2: 40},
    ),
    "who has nothing to give delays nobody": (
        world(0, 0, 0)
        + call(0, 10, 60, "Allgatherv", collective(ALLGATHERV))
        + call(1, 20, 60, "Allgatherv", collective(ALLGATHERV))
        + call(2, 55, 57, "Allgatherv", collective(ALLGATHERV, sent=0, received=0)),
        {(0, "Allgatherv"): 10, (1, "Allgatherv"): 0, (2, "Allgatherv"): 0},
        {0: 0, 1: 10, 2: 0},
    ),
    "the same at a root": (
        world(0, 0, 0)
        + call(0, 10, 60, "Gatherv", collective(GATHERV, root=0, sent=8))
        + call(1, 30, 31, "Gatherv", collective(GATHERV, root=0, sent=8))
        + call(2, 50, 51, "Gatherv", collective(GATHERV, root=0, sent=0)),
        {(0, "Gatherv"): 20, (1, "Gatherv"): 0, (2, "Gatherv"): 0},
        {0: 0, 1: 20, 2: 0},
    ),
    "a scan waits for lower ranks only": (
        world(0, 0, 0)
        + call(0, 30, 60, "Scan", collective(SCAN))
        + call(1, 10, 61, "Scan", collective(SCAN))
        + call(2, 50, 62, "Scan", collective(SCAN)),
        {(0, "Scan"): 0, (1, "Scan"): 20, (2, "Scan"): 0},
        {0: 20, 1: 0, 2: 0},
    ),
    "a late sender": (
        BOTH
        + call(0, 50, 52, "Send", "send 1 0 7 100")
        + call(1, 10, 55, "Recv", "recv 0 0 7 100"),
        {(0, "Send"): 0, (1, "Recv"): 40},
        {0: 40, 1: 0},
    ),
    "a late receiver": (
        BOTH
        + call(0, 10, 55, "Send", "send 1 0 7 100")
        + call(1, 50, 56, "Recv", "recv 0 0 7 100"),
        {(0, "Send"): 40, (1, "Recv"): 0},
        {0: 0, 1: 40},
    ),
    "a message that went without its receiver": (
        BOTH
        + call(0, 10, 15, "Send", "send 1 0 7 100")
        + call(1, 50, 56, "Recv", "recv 0 0 7 100"),
        {(0, "Send"): 0, (1, "Recv"): 0},
        {0: 0, 1: 0},
    ),
    "the longest of several messages": (
        world(0, 0, 0)
        + call(0, 30, 31, "Send", "send 2 0 7 100")
        + call(1, 60, 61, "Send", "send 2 0 7 100")
        + call(2, 10, 11, "Irecv", "irecv 1")
        + call(2, 12, 13, "Irecv", "irecv 2")
        + call(2, 20, 65, "Waitall", "irecv_done 0 0 7 100 1", "irecv_done 1 0 7 100 2"),
        {(0, "Send"): 0, (1, "Send"): 0, (2, "Irecv"): 0, (2, "Waitall"): 40},
        {0: 0, 1: 40, 2: 0},
    ),
    "messages meet in the order of posting, not of completion": (
        BOTH
        + call(0, 10, 11, "Send", "send 1 0 7 100")
        + call(0, 70, 71, "Send", "send 1 0 7 200")
        + call(1, 1, 2, "Irecv", "irecv 1")
        + call(1, 3, 4, "Irecv", "irecv 2")
        + call(1, 20, 80, "Wait", "irecv_done 0 0 7 200 2")
        + call(1, 85, 90, "Test", "irecv_done 0 0 7 100 1"),
        {(0, "Send"): 0, (1, "Irecv"): 0, (1, "Wait"): 50, (1, "Test"): 0},
        {0: 50, 1: 0},
    ),
    "a nonblocking send waits where it completes": (
        BOTH
        + call(0, 10, 12, "Isend", "isend 1 0 7 100 1")
        + call(0, 20, 60, "Wait", "isend_done 1")
        + call(1, 50, 58, "Recv", "recv 0 0 7 100"),
        {(0, "Isend"): 0, (0, "Wait"): 30, (1, "Recv"): 0},
        {0: 0, 1: 30},
    ),
    "a send that nobody completes was posted all the same": (
        BOTH
        + call(0, 40, 41, "Isend", "isend 1 0 7 100 1")
        + call(1, 10, 58, "Recv", "recv 0 0 7 100"),
        {(0, "Isend"): 0, (1, "Recv"): 30},
        {0: 30, 1: 0},
    ),
    "both halves of an exchange": (
        BOTH
        + call(0, 10, 60, "Sendrecv", "send 1 0 7 100", "recv 1 0 7 100")
        + call(1, 50, 61, "Sendrecv", "send 0 0 7 100", "recv 0 0 7 100"),
        {(0, "Sendrecv"): 40, (1, "Sendrecv"): 0},
        {0: 0, 1: 40},
    ),
    "an exchange waits for who receives its message, if it stays until that comes": (
        BOTH
        + call(1, 5, 6, "Send", "send 0 0 8 100")
        + call(0, 10, 60, "Sendrecv", "send 1 0 7 100", "recv 1 0 8 100")
        + call(1, 50, 61, "Recv", "recv 0 0 7 100"),
        {(1, "Send"): 0, (0, "Sendrecv"): 40, (1, "Recv"): 0},
        {0: 0, 1: 40},
    ),
    "an exchange whose message goes at once waits for nobody": (
        BOTH
        + call(1, 5, 6, "Send", "send 0 0 8 100")
        + call(0, 10, 12, "Sendrecv", "send 1 0 7 100", "recv 1 0 8 100")
        + call(1, 50, 61, "Recv", "recv 0 0 7 100"),
        {(1, "Send"): 0, (0, "Sendrecv"): 0, (1, "Recv"): 0},
        {0: 0, 1: 0},
    ),
    "ranks of a communicator are not those of the world": (
        world(0, 0, 0)
        + ["comm 2 reversed 2 1"]
        + call(2, 50, 52, "Send", "send 1 2 7 100")
        + call(1, 10, 55, "Recv", "recv 0 2 7 100"),
        {(2, "Send"): 0, (1, "Recv"): 40},
        {1: 0, 2: 40},
    ),
    "a nonblocking collective call waits where it completes": (
        BOTH
        + call(0, 10, 12, "Iallreduce", "icollective 1")
        + call(0, 20, 60, "Wait", f"icollective_done {ALLREDUCE} 0 {2**32 - 1} 8 8 1")
        + call(1, 50, 52, "Iallreduce", "icollective 9")
        + call(1, 53, 61, "Wait", f"icollective_done {ALLREDUCE} 0 {2**32 - 1} 8 8 9"),
        {(0, "Iallreduce"): 0, (0, "Wait"): 30, (1, "Iallreduce"): 0, (1, "Wait"): 0},
        {0: 0, 1: 30},
    ),
    "a fence": (
        BOTH
        + ["window 0 0"]
        + call(0, 10, 60, "Win_fence", f"win_sync {BARRIER} 0 {2**32 - 1}")
        + call(1, 50, 61, "Win_fence", f"win_sync {BARRIER} 0 {2**32 - 1}"),
        {(0, "Win_fence"): 40, (1, "Win_fence"): 0},
        {0: 0, 1: 40},
    ),
    "neighbours wait for those that they receive from": (
        world(0, 0, 0)
        + ["group 1", "group 0 2"]
        + neighbour_call(0, 10, 60, 2)
        + neighbour_call(1, 30, 61, 3)
        + neighbour_call(2, 50, 62, 2),
        {
            (0, "Neighbor_allgather"): 20,
            (1, "Neighbor_allgather"): 20,
            (2, "Neighbor_allgather"): 0,
        },
        {0: 0, 1: 20, 2: 20},
    ),
    "start waits for post, wait for complete": (
        BOTH
        + ["window 0 0", "group 0", "group 1"]
        + call(0, 50, 51, "Win_post", "meet 0 3")
        + call(0, 60, 95, "Win_wait", "meet 0 3")
        + call(1, 10, 55, "Win_start", "meet 0 2")
        + call(1, 90, 92, "Win_complete", "meet 0 2"),
        {(0, "Win_post"): 0, (0, "Win_wait"): 30, (1, "Win_start"): 40, (1, "Win_complete"): 0},
        {0: 40, 1: 30},
    ),
    "where start does not wait, complete does": (
        BOTH
        + ["window 0 0", "group 0", "group 1"]
        + call(0, 50, 51, "Win_post", "meet 0 3")
        + call(0, 60, 95, "Win_wait", "meet 0 3")
        + call(1, 10, 12, "Win_start", "meet 0 2")
        + call(1, 20, 58, "Win_complete", "meet 0 2"),
        {(0, "Win_post"): 0, (0, "Win_wait"): 0, (1, "Win_start"): 2, (1, "Win_complete"): 30},
        {0: 32, 1: 0},
    ),
    "a lock that another rank holds": (
        BOTH
        + ["window 0 0"]
        + call(0, 10, 12, "Win_lock", "lock 0 0 0")
        + call(0, 40, 42, "Win_unlock", "unlock 0 0")
        + call(1, 20, 41, "Win_lock", "lock 0 0 0")
        + call(1, 50, 51, "Win_unlock", "unlock 0 0"),
        {(0, "Win_lock"): 0, (0, "Win_unlock"): 0, (1, "Win_lock"): 20, (1, "Win_unlock"): 0},
        {0: 20, 1: 0},
    ),
    "a lock that is taken when it is given back": (
        BOTH
        + ["window 0 0"]
        + call(0, 10, 11, "Win_lock", "lock 0 0 0")
        + call(0, 30, 60, "Win_unlock", "unlock 0 0")
        + call(1, 12, 13, "Win_lock", "lock 0 0 0")
        + call(1, 20, 80, "Win_unlock", "unlock 0 0"),
        {(0, "Win_lock"): 0, (0, "Win_unlock"): 0, (1, "Win_lock"): 0, (1, "Win_unlock"): 10},
        {0: 10, 1: 0},
    ),
    "shared locks do not wait for each other, an exclusive one for both": (
        world(0, 0, 0)
        + ["window 0 0"]
        + call(0, 10, 11, "Win_lock", "lock 0 0 1")
        + call(0, 30, 31, "Win_unlock", "unlock 0 0")
        + call(1, 12, 45, "Win_lock", "lock 0 0 1")
        + call(1, 50, 52, "Win_unlock", "unlock 0 0")
        + call(2, 14, 53, "Win_lock", "lock 0 0 0")
        + call(2, 60, 61, "Win_unlock", "unlock 0 0"),
        {
            (0, "Win_lock"): 0,
            (0, "Win_unlock"): 0,
            (1, "Win_lock"): 0,
            (1, "Win_unlock"): 0,
            (2, "Win_lock"): 36,
            (2, "Win_unlock"): 0,
        },
        {0: 0, 1: 36, 2: 0},
    ),
    "alone": (
        BOTH + call(0, 10, 60, "Barrier", collective(BARRIER, communicator=1)),
        {(0, "Barrier"): 0},
        {},
    ),
    "an exclusive lock waits for one of all targets, and that one for it": (
        BOTH
        + ["window 0 0"]
        + call(0, 10, 11, "Win_lock_all", f"lock 0 {ALL} 1")
        + call(0, 30, 31, "Win_unlock_all", f"unlock 0 {ALL}")
        + call(1, 12, 33, "Win_lock", "lock 0 0 0")
        + call(0, 35, 53, "Win_lock_all", f"lock 0 {ALL} 1")
        + call(1, 50, 52, "Win_unlock", "unlock 0 0")
        + call(0, 60, 61, "Win_unlock_all", f"unlock 0 {ALL}"),
        {
            (0, "Win_lock_all"): 15,
            (0, "Win_unlock_all"): 0,
            (1, "Win_lock"): 18,
            (1, "Win_unlock"): 0,
        },
        {0: 18, 1: 15},
    ),
    "a clock that runs behind": (
        ["rank 0", "rank 0 1000", "comm 0 MPI_COMM_WORLD 0 1"]
        + call(0, 1010, 1060, "Barrier", collective(BARRIER))
        + call(1, 50, 61, "Barrier", collective(BARRIER)),
        {(0, "Barrier"): 40, (1, "Barrier"): 0},
        {0: 0, 1: 40},
    ),
}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Profiles of all cases, read once."""
    return {
        name: read(archive(tmp_path_factory.mktemp("case"), lines))
        for name, (lines, _, _) in CASES.items()
    }


@pytest.mark.parametrize("name", CASES)
def test_waits_are_known_to_the_tick(name, found):
    waits = found[name].tables["waits"]
    keys = zip(waits["rank"].tolist(), waits["operation"].tolist())
    assert {key: round(wait * 1e6, 6) for key, wait in zip(keys, waits["wait"].tolist())} == CASES[
        name
    ][1]
    assert (waits["sampled"] == waits["calls"]).all() and (waits["duration"] == waits["time"]).all()


@pytest.mark.parametrize("name", CASES)
def test_who_was_late_is_named(name, found):
    late = found[name].tables.get("delays")
    caused = {}
    for rank, seconds in zip(late["rank"].tolist(), late["delay_cost"].tolist()) if late else ():
        caused[rank] = round(caused.get(rank, 0) + seconds * 1e6, 6)
    assert caused == {rank: seconds for rank, seconds in CASES[name][2].items() if rank in caused}
    assert sum(caused.values()) == sum(CASES[name][2].values())


def test_messages_of_two_threads_of_a_rank_are_counted_and_not_matched(tmp_path):
    lines = ["rank 0", "rank 0", "thread 0", "comm 0 MPI_COMM_WORLD 0 1"]
    lines += call(0, 10, 12, "Send", "send 1 0 7 100") + call(2, 11, 13, "Send", "send 1 0 7 100")
    lines += call(1, 5, 20, "Recv", "recv 0 0 7 100") + call(1, 21, 30, "Recv", "recv 0 0 7 100")
    tables = read(archive(tmp_path, lines)).tables
    assert tables["calls"]["count"].tolist() == [2, 2]
    assert tables["ranks"]["threads_called"].tolist() == [2, 1]
    assert tables["ranks"]["unmatched"].tolist() == [1, 0]
    sends = tables["waits"]["operation"] == "Send"
    assert (
        tables["waits"]["calls"][sends].tolist(),
        tables["waits"]["sampled"][sends].tolist(),
    ) == ([2], [1])


@pytest.mark.parametrize(
    "name, reason",
    [
        (
            "Isendrecv",
            (
                "1 calls of MPI_Isendrecv have no messages in the trace: others between the same"
                " ranks with the same tag may have been taken for them"
            ),
        ),
        ("Psend_init", "what partitioned operations moved is in no record of a trace"),
    ],
)
def test_messages_that_are_in_no_record_are_a_gap(name, reason, tmp_path):
    """Score-P records the begin and the end of such calls."""
    assert reason in [
        gap.reason
        for gap in read(archive(tmp_path, BOTH + call(0, 10, 11, name))).gaps
        if gap.subject == "waits.messages"
    ]


def test_a_message_that_was_there_before_the_awaited_one_was_received_too_late(tmp_path):
    lines = (
        BOTH + call(0, 10, 11, "Send", "send 1 0 1 100") + call(0, 50, 51, "Send", "send 1 0 2 100")
    )
    lines += call(1, 20, 60, "Recv", "recv 0 0 2 100") + call(1, 61, 62, "Recv", "recv 0 0 1 100")
    waits = read(archive(tmp_path, lines)).tables["waits"]
    received = waits["operation"] == "Recv"
    assert [
        round(1e6 * float(waits[name][received].sum())) for name in ("wait", "wrong_order")
    ] == [30, 30]


def test_messages_that_are_received_as_they_were_sent_are_in_no_wrong_order(tmp_path):
    lines = (
        BOTH + call(0, 10, 11, "Send", "send 1 0 1 100") + call(0, 50, 51, "Send", "send 1 0 2 100")
    )
    lines += call(1, 5, 20, "Recv", "recv 0 0 1 100") + call(1, 21, 62, "Recv", "recv 0 0 2 100")
    waits = read(archive(tmp_path, lines)).tables["waits"]
    assert (round(1e6 * float(waits["wait"].sum())), float(waits["wrong_order"].sum())) == (34, 0)
