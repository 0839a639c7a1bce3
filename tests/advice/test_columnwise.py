"""Whole columns at once say what looking row by row says."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.advice import columnwise
from advisor.advice.expression import over_rows, parse
from advisor.advice.scope import Scope, View
from advisor.model.measures import Column, Measures, Table
from advisor.model.profile import Library, Profile, Run

ROWS = 600
NUMBERS = np.arange(ROWS, dtype=np.float64)


def table(name, **columns):
    return Table(name, {label: Column(label, "count", values) for label, values in columns.items()})


def scope():
    """Ranks 0 to 599, of which `hole` is not known for one."""
    hole = np.where(NUMBERS == 7, np.nan, NUMBERS)
    rank = table("rank", never=NUMBERS * np.nan, id=NUMBERS, half=NUMBERS / 2, hole=hole, zero=NUMBERS * 0)
    run = table("run", ranks=np.array([float(ROWS)]), nodes=np.array([np.nan]))
    return Scope(View(Measures({"rank": rank, "run": run}, Profile(Run("x"), Library(), (), {}))), {})


CONDITIONS = {
    "rank.id > 500": 99,
    "rank.id >= 10 and rank.half < 10": 10,
    "not (rank.id < 590)": 10,
    "0 < rank.id <= 1": 1,
    "rank.id == 5 * 1 or rank.half > 299 * 1": 2,
    "max(rank.id, 1 - rank.id) > run.ranks - 1 - 1": 1,
    "rank.id > most(rank.id) - 1": 1,
    "run.nodes > 1 and rank.id < 0": 0,
}


@pytest.mark.parametrize("text, holds", CONDITIONS.items())
def test_conditions_hold_for_the_same_rows(text, holds):
    here = scope()
    one_by_one = [parse(text, "rank").evaluate(row) for row in here.over("rank")]
    assert over_rows(text, "rank", here).tolist() == one_by_one
    assert sum(one_by_one) == holds


@pytest.mark.parametrize("text", ["rank.hole > 3", "rank.id / rank.zero > 1", "run.nodes > 1 and rank.id > 3", "rank.id in (\"a\", \"b\")", "rank.absent > 1", "rank.id"])
def test_what_is_not_known_of_all_rows_has_no_answer(text):
    assert over_rows(text, "rank", scope()) is None


AGGREGATES = {
    "sum(rank.id)": ROWS * (ROWS - 1) / 2,
    "sum(rank.id, rank.id < 3)": 3.0,
    "sum(rank.id, rank.id < 0)": 0.0,
    "count(rank.id > 500)": 99.0,
    "count(rank.id, rank.id > 500)": 99.0,
    "any(rank.id > 598)": True,
    "any(rank.id > 5, rank.id < 0)": False,
    "all(rank.id >= 0)": True,
    "most(rank.half)": 299.5,
    "least(rank.id, rank.half > 1)": 3.0,
}


@pytest.mark.parametrize("text, expected", AGGREGATES.items())
def test_aggregates_have_the_same_value(text, expected, monkeypatch):
    quick = parse(text + " ").evaluate(scope())
    monkeypatch.setattr(columnwise, "LEAST_ROWS", ROWS + 1)
    assert (quick, parse(text + " ").evaluate(scope())) == (expected, expected)


@pytest.mark.parametrize("text", ["count(rank.never > 3)", "most(rank.never)", "any(rank.absent > 1)", "sum(rank.never * run.ranks)"])
def test_a_column_that_is_never_known_gives_the_reason_of_every_row(text, monkeypatch):
    quick = parse(text + " ").evaluate(scope())
    monkeypatch.setattr(columnwise, "LEAST_ROWS", ROWS + 1)
    slow = parse(text + " ").evaluate(scope())
    assert quick.missing == slow.missing and "not measured" in quick.reason()
