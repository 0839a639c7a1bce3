"""Of waits that are known, the part that computing before the calls does not explain, against what
the collector tells."""

from __future__ import annotations

import math

import numpy as np
import pytest

from advisor.intake.read import read
from mpi_builds import find, preloaded, require, run

INSTANCES = 600


def reported(name, what, ranks, collector, program, folder):
    """True wait and propagated part by the program's own clock, and the rows of all ranks, every
    call being sampled."""
    build = require(find(name))
    line = [
        *preloaded(collector(build), folder, "ADVISOR_RUN=waits"),
        program(build, "propagated.c"),
        what,
        str(INSTANCES),
    ]
    done = run(build, ranks, line)
    assert done.returncode == 0, done.stderr
    words = done.stdout.split()
    waits = read(folder / "merged.profile").tables["waits"]
    assert all((waits[name] >= 0).all() for name in ("propagated", "inherited", "first_use"))
    return float(words[1]), float(words[3]), waits


def of(waits, operations, *names):
    """Sums of columns over the rows of these operations."""
    chosen = np.isin(waits["operation"], operations)
    return [waits[name][chosen].sum() for name in names]


COLLECTIVES = ("Allreduce", "Barrier")


@pytest.mark.parametrize(
    "what, least, most",
    (
        # the last rank computes before each call: that is no fault of the calls
        ("skew", 0.0, 0.06),
        ("paced", 0.0, 0.06),  # so does a sender before each message
        # it leaves each call 0.3 ms late, 600 of them, unless the other has no core just then
        ("made", 0.03, math.inf),
        (
            "mixed",
            0.001,
            math.inf,
        ),  # in two of three turns, and it computes half as long in between
    ),
)
def test_part_that_computing_does_not_explain(what, least, most, collector, program, tmp_path):
    """Ranks that lose their core inside a call leave it late: on a busy machine the truth is more
    than what is made here, and what is told is as much more."""
    wait, propagated, waits = reported("ompi4", what, 2, collector, program, tmp_path)
    found_wait, found, other = of(
        waits, ("Recv",) if what == "paced" else COLLECTIVES, "wait", "propagated", "inherited"
    )
    assert other < 0.001
    assert found_wait == pytest.approx(wait, rel=0.05, abs=0.06)
    assert found == pytest.approx(propagated, rel=0.05, abs=0.06)
    assert found_wait > 0.005
    assert least <= found <= most + propagated


@pytest.mark.parametrize("what", ("two", "chain", "lower", "halves"))
def test_computing_handed_on_is_not_called_propagated(what, collector, program, tmp_path):
    """The last to come made no pause, but who it came from had waited for computing: a call that
    lets go before all have come hands that on."""
    waits = reported("ompi4", what, 3, collector, program, tmp_path)[2]
    wait, propagated, other = of(waits, ("Recv", *COLLECTIVES), "wait", "propagated", "inherited")
    assert wait > 0.002
    assert propagated + other < 0.1 * wait


@pytest.mark.parametrize(
    "name, what, operation, after",
    (
        ("ompi4", "other", "Barrier", "Allreduce"),
        ("mpich4", "other", "Barrier", "Allreduce"),
        ("ompi4", "fresh", "Allreduce", "Comm_dup"),
        ("mpich5", "fresh", "Allreduce", "Comm_dup"),
    ),
)
def test_what_another_operation_hands_on(
    name, what, operation, after, collector, program, tmp_path
):
    """The barrier waits for who left the reduction late, the first reduction of a communicator for
    who got it late; computing in between is neither's."""
    wait, propagated, waits = reported(name, what, 2, collector, program, tmp_path)
    found_wait, own, found, first_use, duration = of(
        waits, (operation,), "wait", "propagated", "inherited", "first_use", "duration"
    )
    assert {
        str(each) for each, chosen in zip(waits["after"], waits["operation"]) if chosen == operation
    } == {after}
    assert found_wait == pytest.approx(wait, rel=0.05, abs=0.06)
    assert found == pytest.approx(propagated, rel=0.05, abs=0.06)
    assert own == 0
    assert first_use == pytest.approx(duration - found_wait if what == "fresh" else 0)
    # 0.1 s where each has a core of its own; a rank without one leaves anything late
    assert found > (0.001 if what == "other" else -1e-9)
