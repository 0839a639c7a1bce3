"""What silence means: rules that are silent for one reason stand together, each by its name."""

from __future__ import annotations

from dataclasses import replace

import advices
import numpy as np
import pytest

from advisor import reports
from advisor.base.numbers import HARD
from advisor.model.measures import Column, Table
from advisor.reports.document import Quiet
from advisor.reports.grouping import Lack, grouped, lacking, ways


def test_rules_with_one_reason_are_one_line_with_their_names():
    queue = "Ranks had no core: see cores-taken-by-others"
    found = grouped(
        [
            Quiet("a-b", queue, "", "a b"),
            Quiet("io", "No file was opened", "", "io"),
            Quiet("c-d", queue, "", "c d"),
        ]
    )
    assert [entry.sentence.replace(HARD, " ") for entry in found] == [
        queue + " (2 rules: a b, c d)",
        "No file was opened",
    ]


def test_the_same_reason_with_another_way_to_look_stays_apart():
    assert (
        len(
            grouped(
                [Quiet("a", "Not known", "run --x", "a"), Quiet("b", "Not known", "run --y", "b")]
            )
        )
        == 2
    )


def test_many_that_could_not_look_are_told_by_what_they_lack():
    settings, sizes = ("no settings", "run ours"), ("no sizes", "run --sizes")
    entries = [
        Quiet(name, "", "", name, missing)
        for name, missing in (
            ("a", (sizes,)),
            ("b", (settings, sizes)),
            ("c", (settings,)),
            ("d", (settings, sizes)),
        )
    ]
    found = lacking([*entries, Quiet("broken", "The rule failed", "tell its author")])
    assert found == [
        Lack("no sizes", 3, "run --sizes"),
        Lack("no settings", 3, "run ours"),
        Lack("The rule failed", 1, "tell its author"),
    ]
    assert (
        ways(found) == "run --sizes; run ours; tell its author" and ways([Lack("x", 1, "")]) == ""
    )


def _said(document):
    """The verdict, and what the row of time in MPI says of how far the run could go."""
    text = document.screen.verdict
    return "save" in text and "settings" in text, [
        row.reach.replace(HARD, " ") for row in document.standings if row.name == "Time in MPI"
    ]


@pytest.mark.parametrize(
    "advice, reach",
    [
        # a setting of the library, and a request
        (advices.slow_host(), "settings: at most 119 s"),
        # ranks queue for cores
        (advices.with_banner(no_core_share=0.3), ""),
        (advices.no_setting_helps(), ""),
        # lines of input are no MPI settings
        (advices.lammps(), ""),
        (replace(advices.slow_host(), findings=(), settings=None), ""),
    ],
)
def test_how_far_settings_reach_stands_only_beside_one_and_never_in_the_verdict(advice, reach):
    assert _said(reports.compose(advice)) == (False, [reach])


def test_where_nothing_is_found_and_ranks_had_no_core_that_is_said():
    advice = replace(
        advices.with_banner(no_core_share=0.83, no_core_lost=870.0, no_core_outside=400.0),
        findings=(),
        settings=None,
    )
    document = reports.compose(advice)
    text = document.screen.verdict.replace(HARD, " ")
    assert text.startswith(
        "Ranks had no core for 60.9 % of the run (870 s): other processes or a quota took their"
        " cores"
    )
    assert not [
        row.reach
        for row in document.standings
        if row.name == "Time in MPI" and "settings" in row.reach
    ]


def test_ranks_that_share_a_core_are_what_took_it():
    """Not something else that ran there."""
    advice = advices.with_banner(no_core_share=0.3, no_core_lost=420.0, no_core_outside=100.0)
    rank = advice.measures.tables["rank"]
    shared = Column("shared_cores", "count", np.ones(len(rank)))
    tables = {
        **advice.measures.tables,
        "rank": Table("rank", {**rank.columns, "shared_cores": shared}),
    }
    document = reports.compose(replace(advice, measures=replace(advice.measures, tables=tables)))
    assert document.screen.verdict.replace(HARD, " ") == (
        "Ranks had no core for 29.4 % of the run (420 s): ranks are bound to the same cores."
    )
