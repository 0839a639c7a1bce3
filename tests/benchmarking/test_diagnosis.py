"""The set of programs with one planted fault: what is said first of some of them, and that the
simulation is right."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from random import Random

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "benchmarks" / "diagnosis")]

import score  # noqa: E402
from programs import FAMILIES  # noqa: E402
from simulator import Collective, Compute, Machine, Receive, Send, Simulation, Wait  # noqa: E402

PAIR = Machine((0, 0), latency=(1e-3, 1e-3), bandwidth=(1e6, 1e6), overhead=0.0, eager=1000)
"""A millisecond a message and a microsecond a byte; up to 1000 bytes go without the receiver."""


def times(*programs):
    """(rank, call): (entered, left) in milliseconds."""
    calls = Simulation(programs, PAIR).run()
    return {
        (call.rank, call.name): (round(1e3 * call.entered, 3), round(1e3 * call.left, 3))
        for call in calls
    }


@pytest.mark.parametrize(
    "first, second, expected",
    [
        (  # A late sender: the receive ends a millisecond and 100 bytes after the send began.
            [Compute(0.010), Send(1, 100)],
            [Receive(0)],
            {(0, "Send"): (10, 10), (1, "Recv"): (0, 11.1)},
        ),
        (  # A short message needs no receiver; a receive that comes later finds it.
            [Send(1, 100)],
            [Compute(0.010), Receive(0)],
            {(0, "Send"): (0, 0), (1, "Recv"): (10, 10)},
        ),
        (  # A long one waits for its receive: three latencies and 2000 bytes from there.
            [Send(1, 2000)],
            [Compute(0.010), Receive(0)],
            {(0, "Send"): (0, 15), (1, "Recv"): (10, 15)},
        ),
        (  # Requests: both sides go on, and meet what they began in MPI_Waitall.
            [Send(1, 2000, 0, 1), Compute(0.050), Wait((1,))],
            [Receive(0, 0, 1), Wait((1,))],
            {
                (0, "Isend"): (0, 0),
                (0, "Waitall"): (50, 50),
                (1, "Irecv"): (0, 0),
                (1, "Waitall"): (0, 5),
            },
        ),
        (  # All wait for the last, then one stage of a millisecond.
            [Collective("Barrier", 0)],
            [Compute(0.020), Collective("Barrier", 0)],
            {(0, "Barrier"): (0, 21), (1, "Barrier"): (20, 21)},
        ),
    ],
)
def test_calls_take_what_first_principles_say(first, second, expected):
    assert times(first, second) == expected


def test_ranks_that_wait_for_each_other_are_a_mistake():
    with pytest.raises(RuntimeError, match="wait for each other"):
        times([Receive(1)], [Receive(0)])


def test_a_cure_takes_nothing_but_the_fault_out():
    """The work stays the same: divided anew it saves the difference to the mean."""
    made = FAMILIES["one_rank_computes_more"](Random("a test"))
    work = [
        sum(part.seconds for program in side for part in program if isinstance(part, Compute))
        for side in (made.faulty, made.cured)
    ]
    assert work[0] == pytest.approx(work[1], rel=0.01)


SAID = {
    "pipeline/0": ("one-rank-at-a-time", "wait-at-collective", "late-sender"),
    "large_messages/0": ("large-messages",),
    "gathered_by_hand/0": ("one-late-rank", "messages-to-one-rank"),
    "many_gathers/0": ("small-collectives",),
    "serial_part/0": ("serial-phase-rank-0",),
    "slow_host/0": ("uneven-hosts",),
    "late_senders/0": ("late-in-turns",),
    "wavefront/3": ("one-rank-at-a-time", "blocking-exchange"),
    "healthy_tasks/0": (),
    "healthy/0": (),
    "healthy_manager/0": (),
}
"""Findings above a note. Of a coordinating rank only the note "coordinating-rank" is said."""


@pytest.fixture(scope="module")
def asked():
    if not shutil.which("otf2-config") or not shutil.which("otf2-print"):
        pytest.skip("libotf2-trace-dev and otf2-tools are needed")
    return score.advisor()


@pytest.mark.parametrize("name, rules", SAID.items())
def test_what_is_said(asked, name, rules):
    family, _, seed = name.partition("/")
    case = next(each for each in score.cases(int(seed) + 1, "all", [family]) if each.name == name)
    answer = asked.answer(case)
    assert answer.words == rules
    assert score.verdict(case, answer) == score.Verdict(True, False, False)


@pytest.mark.parametrize(
    "labels, verdict",
    [
        (("load imbalance", "late sender"), (True, False)),
        (("late sender", "load imbalance"), (False, True)),
        ((), (False, False)),
    ],
)
def test_an_answer_is_right_wrong_or_missing(labels, verdict):
    (case,) = score.cases(1, "all", ["one_rank_computes_more"])
    assert score.verdict(case, score.Answer(labels))[:2] == verdict
