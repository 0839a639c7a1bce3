"""A number whose 95 % interval is wider than 10 % of it to either side is printed as its interval,
in every place by one decision."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import advices
import numpy as np
import pytest

from advisor import reports
from advisor.advice.language import sentence, units as sentences
from advisor.advice.language.scope import Scope, View
from advisor.base.numbers import percent, seconds
from advisor.cli import forms, grid
from advisor.model.interval import interval, written
from advisor.model.measures import Column, Quality, Table


@pytest.mark.parametrize(
    "value, low, high, text",
    [
        (0.21, 0.12, 0.31, "12 to 31 %"),
        (0.21, 0.195, 0.225, ""),  # within 10 %: the number may stand alone
        (0.21, 0.0, 0.31, "at most 31.0 %"),
        (0.21, 0.0021, 0.31, "at most 31.0 %"),  # a hundredth of the upper end
        (0.21, 0.21, 0.31, "at least 21.0 %"),
        (0.31, 0.12, 0.31, "12 to 31 %"),
        (0.31, None, 0.31, "at most 31.0 %"),
        (0.12, 0.12, None, "at least 12.0 %"),
        (0.31, 0.12, None, "12 to 31 %"),
        # the end is of something else, such as the rank that took longest
        (0.12, None, 0.90, ""),
        (0.21, None, None, ""),
        (0.0, 0.0, 0.05, "at most 5.00 %"),
        (0.0, 0.0, 0.0, ""),
        (float("nan"), 0.1, 0.2, ""),
        (0.21, float("nan"), float("nan"), ""),
    ],
)
def test_what_is_printed(value, low, high, text):
    found = interval(value, low, high)
    assert (written(found, percent) if found else "").replace("\u00a0", " ") == text


def test_what_was_counted_stands_alone():
    """A mean size between the ends of its bin is known."""
    assert interval(48e3, 32768, 65535, Quality.DERIVED) is None


@pytest.mark.parametrize(
    "write, low, high, text",
    [
        (seconds, 0.02, 1.24, "20 ms to 1.2 s"),
        (seconds, 1000, 1960, "1 000 to 2 000 s"),
        (seconds, 0.19, 1.7, "0.2 to 1.7 s"),
        (seconds, 4.0, 5.1, "4.0 to 5.1 s"),
        (seconds, 0.83, 19.0, "0.83 to 19 s"),
        (seconds, 0.02e-3, 1.0e-3, "20 µs to 1.0 ms"),
        (seconds, 1.04, 2.96, "1.0 to 3.0 s"),
        (percent, 0.022, 0.196, "2 to 20 %"),
        (lambda end: sentences.value(end, "B"), 32768, 65535, "32 to 64 KiB"),
        (
            lambda end: sentences.value(end, "count"),
            800_000,
            1_300_000,
            "800 thousand to 1.3 million",
        ),
    ],
)
def test_ends_with_their_units(write, low, high, text):
    digits = 16 if text.endswith("KiB") else 2
    shown = written(interval((low + high) / 2, low, high), write, digits=digits)
    assert shown.replace("\u00a0", " ").replace("\u202f", " ").replace("\u2009", " ") == text


def _column(name, unit, value, low, high):
    return Column(
        name, unit, np.array([value]), Quality.ESTIMATED, low=np.array([low]), high=np.array([high])
    )


def _uncertain():
    """The sampled run, with a waiting that is known badly."""
    advice = advices.sampled()
    run = advice.measures.tables["run"]
    elapsed = float(run.columns["time"].values[0])
    wide = {
        "wait_time": _column("wait_time", "s", 2.0, 1.4, 3.2),
        "transfer_time": _column("transfer_time", "s", 4.6, 3.4, 5.2),
        "wait_share": _column("wait_share", "share", 2.0 / elapsed, 1.4 / elapsed, 3.2 / elapsed),
    }
    tables = {**advice.measures.tables, "run": Table("run", {**run.columns, **wide})}
    # Causes are divided by the waiting that was measured, not by this one.
    return replace(advice, measures=replace(advice.measures, tables=tables, causes=None))


def test_the_same_interval_in_every_report():
    document = reports.compose(_uncertain())
    plain = lambda text: text.replace("\u00a0", " ")  # noqa: E731
    shown = {
        name: plain(reports.render(document, name)) for name in ("terminal", "markdown", "html")
    }
    assert "  10 to 23 %  1.4 to 3.2 s  " in shown["terminal"]
    assert "waiting 10 to 23 % (1.4 to 3.2 s)" in shown["markdown"]
    assert (
        "1.4 to 3.2 s</b>waiting" in shown["html"]
        and '<td class="n">10 to 23 %</td>' in shown["html"]
    )
    # How well it was measured says both: "~2.00 s a rank on average, two standard errors around it:
    # 1.40 s to 3.20 s".
    assert not any(
        re.search(r"~2\.00 s(?! a rank on average, two)|~16\.9 %", text) for text in shown.values()
    )
    assert max(map(len, shown["terminal"].splitlines())) <= 80


def test_json_keeps_value_and_both_ends():
    column = json.loads(reports.render(reports.compose(_uncertain()), "json"))["tables"]["run"][
        "columns"
    ]["wait_time"]
    assert (column["values"], column["low"], column["high"]) == ([2], [1.4], [3.2])


@pytest.mark.parametrize(
    "text, said",
    [
        (
            "Ranks wait for {run.wait_share} (mean over ranks).",
            "Ranks wait for 12 to 27 % of elapsed time (mean over ranks).",
        ),
        ("Ranks wait for {run.wait_time}.", "Ranks wait for 1.4 to 3.2 s."),
        # the sentence says which end it means
        ("At most {run.wait_time} is waiting.", "At most ~2.00 s is waiting."),
        (
            "They wait {run.wait_time} at most, and move data.",
            "They wait ~2.00 s at most, and move data.",
        ),
        # made from several
        ("Ranks wait for {run.time - run.wait_time}.", "Ranks wait for ~9.81 s."),
    ],
)
def test_sentences_of_rules(text, said):
    scope = Scope(View(_uncertain().measures), {})
    assert sentence.fill(text, scope).text.replace("\u00a0", " ") == said


def test_tables_of_show():
    shown = grid.choose("run", grid.of_measures(_uncertain().measures))
    lines = [line.split() for line in forms.as_text(shown, False).splitlines()]
    assert ["wait_time", "1.4", "to", "3.2", "s", "estimated"] in lines
    columns = {column["name"]: column for column in json.loads(forms.as_json(shown))["columns"]}
    assert (columns["wait_time"]["low"], columns["wait_time"]["high"]) == (
        [1.4],
        [3.2],
    ) and "low" not in columns["time"]
    assert (
        dict(zip(*(row.split(",") for row in forms.as_csv(shown).splitlines())))["wait_time [s]"]
        == "2.0"
    )


@pytest.mark.parametrize(
    "language, share", [("ko", "10에서 23 %"), ("ja", "10 ～ 23 %"), ("zh", "10 至 23 %")]
)
def test_in_other_languages(language, share):
    shown = reports.render(reports.compose(_uncertain()), "terminal", language=language).replace(
        "\u00a0", " "
    )
    assert share in shown and " to " not in "\n".join(shown.splitlines()[2:8])
