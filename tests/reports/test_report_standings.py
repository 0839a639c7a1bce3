"""Now, target, potential: rows that not every job has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import advices
import pytest

import advisor
from advisor import reports
from advisor.base.numbers import HARD
from advisor.model.measures import Column, Quality, Table


def standings(**cells):
    """Rows of the first sample by their names, with estimated cells (value, low, high) in the table
    run."""
    advice = advices.slow_host()
    run = advice.measures.tables["run"]
    made = {
        name: Column(name, "share", [value], Quality.ESTIMATED, low=[low], high=[high])
        for name, (value, low, high) in cells.items()
    }
    tables = {**advice.measures.tables, "run": Table(run.name, {**run.columns, **made})}
    document = reports.compose(replace(advice, measures=replace(advice.measures, tables=tables)))
    return {
        row.name: tuple(text.replace(HARD, " ") for text in (row.now, row.target, row.reach))
        for row in document.standings
    }


@pytest.mark.parametrize(
    "efficiency, missed, now, reach",
    [
        ((0.1, 0.1, 0.4), (0.02, 0.01, 0.03), "~10 to 40 %", "between {low} and {high} missed"),
        ((0.1, 0.1, 0.1), (0.02, 0.02, 0.02), "~10 %", "{high} missed"),
    ],
)
def test_overlap_of_messages(efficiency, missed, now, reach):
    elapsed = float(advices.slow_host().measures.tables["run"].columns["time"].values[0])
    from_to = {"low": f"{elapsed * missed[1]:.3g} s", "high": f"{elapsed * missed[2]:.3g} s"}
    assert standings(overlap_efficiency=efficiency, overlap_missed_share=missed)[
        "Overlap, of what was possible"
    ] == (now, "none set", reach.format(**from_to))


def test_where_nothing_was_compared_there_is_no_row():
    assert "Overlap, of what was possible" not in standings()


def test_what_balance_is_expected_to_save_is_not_called_its_ceiling():
    """Of two ranks of which one has nearly all the work: expected is half of the difference."""
    recorded = Path(__file__).parent / "recorded" / "imbalance.2r.profile"
    document = reports.compose(advisor.read(recorded).advice())
    (balance,) = [each for each in document.items if each.rule == "lammps-balance"]
    reach = {row.name: row.reach.replace(HARD, " ") for row in document.standings}["Load balance"]
    assert (balance.gain.ceiling_text.replace(HARD, " "), balance.gain.ceiling_name, reach) == (
        "at most 0.941 s",
        "the time that this is about",
        "not met; perfect balance is expected to save 0.470 s",
    )


RECORDED = Path(__file__).parent / "recorded"


def composed(name):
    return reports.compose(advisor.read(RECORDED / f"{name}.2r.profile").advice())


@pytest.mark.parametrize(
    "name, reach, title",
    [
        (
            "starved",
            ["unreliable"] * 3,
            "Efficiency: unreliable, because ranks had no core",
        ),
        (
            "imbalance",
            ["not met", "not met; perfect balance is expected to save 0.470 s", "met"],
            "Efficiency: more is lost by uneven work than by communication",
        ),
    ],
)
def test_factors_of_a_starved_run_are_no_verdict_on_the_program(name, reach, title):
    document = composed(name)
    factors = ("Parallel efficiency", "Load balance", "Communication efficiency")
    found = {row.name: row.reach.replace(HARD, " ") for row in document.standings}
    assert [found[factor] for factor in factors] == reach
    starved = "Ranks had no core: such factors say little about the program."
    assert (starved in document.standing_notes) == (name == "starved")
    tree = document.figures.efficiency
    advised = [row.name for row in tree.factors if "settings" in row.note]
    assert (tree.title, bool(advised)) == (title, name != "starved")


@pytest.mark.parametrize(
    "name, row, note",
    [
        ("starved", "0 to 1.4 s", "waiting for other ranks (0 s to 1.44 s)"),
        ("too_small", "16 to 25 ms", "waiting for other ranks (15.6 ms to 25.1 ms)"),
    ],
)
def test_a_row_has_the_interval_of_the_figures(name, row, note):
    """An estimate that may be anything below its upper end is not called a bound."""
    document = composed(name)
    (waiting,) = [part for part in document.screen.parts if part.role == "waiting"]
    assert waiting.seconds_text.replace(HARD, " ") == row
    assert note in document.time.note.replace(HARD, " ")
