"""What silence means: rules that are silent for one reason stand together, each by its name."""

from __future__ import annotations

from dataclasses import replace

import advices

from advisor import reports
from advisor.reports.document import Quiet
from advisor.reports.format import HARD
from advisor.reports.grouping import Lack, grouped, lacking, ways


def test_rules_with_one_reason_are_one_line_with_their_names():
    queue = "Ranks had no core: see cores-taken-by-others"
    found = grouped([Quiet("a-b", queue, "", "a b"), Quiet("io", "No file was opened", "", "io"), Quiet("c-d", queue, "", "c d")])
    assert [entry.sentence.replace(HARD, " ") for entry in found] == [queue + " (2 rules: a b, c d)", "No file was opened"]


def test_the_same_reason_with_another_way_to_look_stays_apart():
    assert len(grouped([Quiet("a", "Not known", "run --x", "a"), Quiet("b", "Not known", "run --y", "b")])) == 2


def test_many_that_could_not_look_are_told_by_what_they_lack():
    settings, sizes = ("no settings", "run ours"), ("no sizes", "run --sizes")
    entries = [Quiet(name, "", "", name, missing) for name, missing in (("a", (sizes,)), ("b", (settings, sizes)), ("c", (settings,)), ("d", (settings, sizes)))]
    found = lacking([*entries, Quiet("broken", "The rule failed", "tell its author")])
    assert found == [Lack("no sizes", 3, "run --sizes"), Lack("no settings", 3, "run ours"), Lack("The rule failed", 1, "tell its author")]
    assert ways(found) == "run --sizes; run ours; tell its author" and ways([Lack("x", 1, "")]) == ""


def test_no_reach_is_promised_where_ranks_had_no_core():
    shown = [" ".join("".join(span.text for span in sentence) for sentence in reports.compose(advices.with_banner(no_core_share=share)).verdict) for share in (0.0, 0.3)]
    assert ["MPI settings can save" in text for text in shown] == [True, False]


def test_where_nothing_is_found_and_ranks_had_no_core_that_is_said():
    advice = replace(advices.with_banner(no_core_share=0.83, no_core_lost=870.0, no_core_outside=400.0), findings=(), settings=None)
    document = reports.compose(advice)
    text = " ".join("".join(span.text for span in sentence) for sentence in document.verdict).replace(HARD, " ")
    assert "could save" not in text and text.startswith("Ranks had no core for 83.0 % of the run (870 s): something else ran on their hosts")
    assert not [row.reach for row in document.standings if row.name == "Time in MPI" and "settings" in row.reach]
