"""Two runs: what the steps are, that they add up, and what counts as noise."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.comparing.attribution import attribute
from advisor.comparing.noise import busiest, noise_of
from advisor.model.comparison import Comparison, Elapsed, Load, Noise, Part, Piece
from advisor.model.measures import Column, Measures, Table
from advisor.reports.comparison import words
from advisor.reports.comparison.story import verdict

ALLREDUCE = ("Allreduce", "multi_node", "1 to 63 B")


class Run:
    """As compare.Measured, with nothing but its pieces."""

    def __init__(self, run, command=None, sampled=True, **pieces):
        made = [Piece(kind, detail, seconds) for kind, (detail, seconds) in pieces.items()]
        made.append(Piece("unattributed", (), run - sum(piece.seconds for piece in made)))
        made += [Piece("startup", (), command - run)] if command else []
        self.elapsed = Elapsed(command, run, 0, sampled, tuple(made))


def steps(before, after, repeats=(), shares=False):
    base, unit, total, parts = attribute(
        before.elapsed, after.elapsed, noise_of([before, *repeats]), shares
    )
    return base, unit, total, {(part.kind, *part.detail): part for part in parts}


def test_parts_and_total():
    before = Run(20.0, 24.0, outside=((), 12.0), waiting=(("3",), 6.0), moving=(ALLREDUCE, 2.0))
    after = Run(15.0, 18.0, outside=((), 12.0), waiting=(("0",), 1.0), moving=(ALLREDUCE, 2.0))
    base, unit, total, parts = steps(before, after)
    assert (base, unit, total.change) == ("command", "s", -6.0)
    assert {key: part.change for key, part in parts.items()} == {
        ("startup",): -1.0,
        ("outside",): 0.0,
        ("waiting", "3"): -6.0,
        ("waiting", "0"): 1.0,
        ("moving", *ALLREDUCE): 0.0,
        ("unattributed",): 0.0,
    }


def test_start_up_counts_only_if_both_commands_were_timed():
    base, _, total, parts = steps(Run(20.0, 24.0), Run(15.0))
    assert (base, total.change) == ("run", -5.0) and ("startup",) not in parts


def test_what_one_run_alone_has_split_is_not_split():
    """6 + 2 s of waiting and moving against 5 s of either."""
    before = Run(20.0, waiting=(("3",), 6.0), moving=(ALLREDUCE, 2.0))
    _, _, _, parts = steps(before, Run(17.0, sampled=False, unsplit=(ALLREDUCE, 5.0)))
    assert {key: part.change for key, part in parts.items() if part.change} == {("unsplit",): -3.0}


def test_shares_are_of_each_run_s_own_time():
    base, unit, total, parts = steps(
        Run(20.0, outside=((), 10.0)), Run(10.0, outside=((), 6.0)), shares=True
    )
    assert (unit, total.change) == ("share", 0.0)
    assert {key: round(part.change, 9) for key, part in parts.items()} == {
        ("outside",): 0.1,
        ("unattributed",): -0.1,
    }


@pytest.mark.parametrize(
    "after, clear", [(100.0, False), (102.0, False), (98.0, False), (103.5, True), (96.0, True)]
)
def test_assumed_noise_is_one_percent_a_run(after, clear):
    """2.09 * sqrt(2) * 1 % of 100 s: 2.95 s."""
    assert steps(Run(100.0), Run(after))[2].clear is clear


@pytest.mark.parametrize("after, clear", [(102.0, False), (105.0, False), (107.0, True)])
def test_noise_of_three_runs(after, clear):
    """99, 100, 101: deviation 1; Student's t for 2 degrees of freedom 4.303, times sqrt(2): 6.09
    s."""
    assert steps(Run(100.0), Run(after), [Run(99.0), Run(101.0)])[2].clear is clear


def test_a_part_has_its_own_noise_and_one_that_repeats_lack_has_that_of_elapsed():
    repeats = [Run(seconds, outside=((), 50.0)) for seconds in (99.0, 101.0)]
    _, _, total, parts = steps(
        Run(100.0, outside=((), 50.0)),
        Run(100.0, outside=((), 51.0), waiting=(("3",), 1.0)),
        repeats,
    )
    assert parts[("outside",)].clear and not parts[("waiting", "3")].clear
    assert parts[("waiting", "3")].noise == pytest.approx(4.303 * math.sqrt(2))


def test_two_runs_measure_no_noise():
    assert noise_of([Run(100.0), Run(120.0)]).of_elapsed.runs == 0


seconds = st.floats(0, 1e5)
pieces = st.dictionaries(
    st.sampled_from(["outside", "waiting", "moving", "unsplit", "io"]),
    st.tuples(st.sampled_from([(), ("1",), ("2",), ALLREDUCE]), seconds),
)


@settings(max_examples=200, deadline=None)
@given(
    pieces,
    pieces,
    st.floats(0.1, 1e5),
    st.floats(0.1, 1e5),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_parts_always_add_up(old, new, first, second, split, timed, shares):
    before = Run(first, first * 1.25 if timed else None, **old)
    after = Run(second, second * 1.5 if timed else None, split, **new)
    _, _, total, parts = steps(before, after, shares=shares)
    largest = max(1.0, *(abs(part.before) + abs(part.after) for part in parts.values()))
    assert sum(part.before for part in parts.values()) == pytest.approx(
        total.before, abs=1e-9 * largest
    )
    assert sum(part.change for part in parts.values()) == pytest.approx(
        total.change, abs=1e-9 * largest
    )


@pytest.mark.parametrize(
    "noise, said",
    [
        (
            1.0,
            (
                "The largest change is in: transfer in MPI_Allreduce, across hosts, 1 to"
                " 63\u00a0B (+8.00 s)."
            ),
        ),
        (
            9.0,
            (
                "The largest change is in: transfer in MPI_Allreduce, across hosts, 1 to"
                " 63\u00a0B (+8.00 s), which is not beyond its noise of ±9.00 s; beyond its own:"
                " computing (+2.00 s)."
            ),
        ),
    ],
)
def test_the_largest_part_is_named_even_if_it_is_inside_its_noise(noise, said):
    parts = (Part("outside", (), 1.0, 3.0, 0.1), Part("moving", ALLREDUCE, 1.0, 9.0, noise))
    both = Comparison(
        (),
        (),
        (),
        "run",
        "s",
        Part("total", (), 2.0, 12.0, 0.1),
        parts,
        (None, None),
        Noise(0.01, 0),
        (),
        (),
        (),
    )
    assert verdict(both).endswith(said)


MEASURE = (
    " To measure it, run BEFORE twice more and add --repeats BEFORE-2 BEFORE-3 to this command."
)


@pytest.mark.parametrize(
    "variation, runs, loads, said",
    [
        (
            0.01,
            0,
            (Load(0.3, 2), None),
            "Noise is assumed*: elapsed time varies by 1.00\u00a0% from run to run, as on idle nodes."
            + MEASURE,
        ),
        (
            0.01,
            0,
            (Load(15.7, 2), Load(0.1, 2)),
            "Noise is assumed*: elapsed time varies by 1.00\u00a0% from run to run, as on idle nodes."
            " These nodes were not idle when the runs began (load 15.7 on 2\u00a0cores before, 0.1 on"
            " 2\u00a0cores after): the noise may be larger." + MEASURE,
        ),
        (
            0.05,
            3,
            (Load(15.65, 2), Load(15.65, 2)),
            "Noise from 3 runs: elapsed time varies by 5.00\u00a0% (one standard deviation).",
        ),
    ],
)
def test_the_noise_says_what_was_assumed_and_how_to_measure_it(variation, runs, loads, said):
    comparison = SimpleNamespace(noise=Noise(variation, runs), loads=loads)
    assert words.noise(comparison) == said


def test_the_busiest_node_counts():
    columns = {
        "load_at_start": Column("load_at_start", "count", np.array([9.0, 5.0, np.nan])),
        "cores": Column("cores", "count", np.array([64.0, 8.0, 2.0])),
    }
    assert busiest(Measures({"node": Table("node", columns)}, None)) == Load(5.0, 8.0)


DOUBTS = [
    # seconds before and after, variation, the runs that it is from: what stands beside the verdict
    (100.0, 104.0, 0.01, 0, "less than 1.36\u00a0% from run to run; 1.00\u00a0% is assumed*"),
    (100.0, 102.0, 0.01, 0, "more than 0.678\u00a0% from run to run; 1.00\u00a0% is assumed*"),
    (100.0, 160.0, 0.01, 0, ""),
    (100.0, 100.1, 0.01, 0, ""),
    (100.0, 104.0, 0.01, 3, ""),
    (100.0, 102.0, 0.01, 3, ""),
]


@pytest.mark.parametrize("before, after, variation, runs, said", DOUBTS)
def test_an_assumption_that_decides_the_verdict_stands_beside_it(
    before, after, variation, runs, said
):
    """Half of the interval of a difference is 2.95 % of the first run."""
    total = Part("total", (), before, after, 2.95)
    both = Comparison(
        *((), (), (), "run", "s", total, (Part("outside", (), before, after, 2.95),)),
        *((None, None), Noise(variation, runs), (), (), ()),
    )
    first = verdict(both)
    assert ("varies by" in first, said in first) == (bool(said), True)
    assert not said or first.index("assumed") < first.find("The largest change") or not total.clear
