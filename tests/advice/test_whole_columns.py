"""An expression over all rows of a table says what it says of each of them."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.advice.language.cells import reasons, spread, truth
from advisor.advice.language.expression import parse
from advisor.advice.language.scope import Scope, View
from advisor.model.measures import Column, Measures, Table
from advisor.model.profile import Library, Profile, Run

ROWS = 600
NUMBERS = np.arange(ROWS, dtype=np.float64)


def table(name, **columns):
    return Table(name, {label: Column(label, "count", values) for label, values in columns.items()})


def scope():
    """Ranks 0 to 599, of which `hole` is not known for one."""
    hole = np.where(NUMBERS == 7, np.nan, NUMBERS)
    rank = table(
        "rank", never=NUMBERS * np.nan, id=NUMBERS, half=NUMBERS / 2, hole=hole, zero=NUMBERS * 0
    )
    rank.columns["name"] = Column(
        "name", "text", np.array(["even", "odd"] * (ROWS // 2), dtype=object)
    )
    rank.columns["bound"] = Column(
        "bound", "yes/no", np.where(NUMBERS == 598, np.nan, NUMBERS == 599)
    )
    run = table("run", ranks=np.array([float(ROWS)]), nodes=np.array([np.nan]))
    return Scope(
        View(Measures({"rank": rank, "run": run}, Profile(Run("x"), Library(), (), {}))), {}
    )


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
    one_by_one = each(text, here)
    assert answers(text, here) == one_by_one
    assert sum(one_by_one) == holds


PARTLY_KNOWN = {
    "rank.hole > 3": (595, 1),
    "rank.id / rank.zero > 1": (0, ROWS),
    "run.nodes > 1 and rank.id > 3": (0, 596),
    "run.nodes > 1 or rank.id > 3": (596, 4),
    "not (rank.hole > 3)": (4, 1),
    "0 < rank.hole < 10 and rank.id > 0": (8, 1),
    "abs(rank.hole - 10) < 2": (3, 1),
    'rank.id in ("a", "b")': (0, ROWS),
    "rank.absent > 1": (0, ROWS),
    "rank.id": (0, ROWS),
    'rank.id == "a"': (0, ROWS),
    'rank.name == "even"': (300, 0),
    'rank.name != "even"': (300, 0),
    'rank.name > "even"': (0, ROWS),
    'rank.name in ("odd", "a") and rank.id < 10': (5, 0),
    'rank.name not in ("odd", "a")': (300, 0),
    '"v" in rank.name': (300, 0),
    "rank.bound": (1, 1),
    "not rank.bound or rank.id > 598": (599, 1),
}


@pytest.mark.parametrize("text, counts", PARTLY_KNOWN.items())
def test_what_is_not_known_of_a_row_is_not_known_here(text, counts):
    here = scope()
    assert answers(text, here) == [
        truth if isinstance(truth, bool) else None for truth in each(text, here)
    ]
    found = truth(parse(text, "rank").over(here, "rank"))
    assert (
        int(np.sum(np.broadcast_to(found.true, ROWS))),
        ROWS - int(np.sum(np.broadcast_to(found.known, ROWS))),
    ) == counts


def each(text, here):
    """What it says of each row, looked at alone."""
    return [parse(text, "rank").evaluate(here.at("rank", row)) for row in range(ROWS)]


def answers(text, here):
    """True, False or None for each row."""
    found = spread(truth(parse(text, "rank").over(here, "rank")), ROWS)
    return [bool(value) if known else None for value, known in zip(found.values, found.known)]


AGGREGATES = {
    "sum(rank.id)": ROWS * (ROWS - 1) / 2,
    "sum(rank.id, rank.id < 3)": 3.0,
    "sum(rank.id, rank.id < 0)": 0.0,
    "count(rank.id > 500)": 99.0,
    "count(rank.id, rank.id > 500)": 99.0,
    "any(rank.id > 598)": True,
    "any(rank.id > 5, rank.id < 0)": False,
    "any(rank.hole > 5)": True,
    "all(rank.hole > 5)": False,
    'count(rank.name == "odd")': 300.0,
    "sum(rank.hole, rank.id > 7)": ROWS * (ROWS - 1) / 2 - 28,
    "all(rank.id >= 0)": True,
    "most(rank.half)": 299.5,
    "least(rank.id, rank.half > 1)": 3.0,
}


@pytest.mark.parametrize("text, expected", AGGREGATES.items())
def test_aggregates(text, expected):
    assert parse(text).evaluate(scope()) == expected


REASONS = {
    "rank.hole > 3": "rank.hole: not measured",
    "rank.id / rank.zero > 1": "division by zero",
    "rank.name > 3": "text cannot be compared with number by >",
    "rank.absent > 1 and run.nodes > 1": "rank.absent, run.nodes: not measured",
    "sum(rank.hole)": "rank.hole: not measured",
    "count(rank.hole, rank.never > 3)": "rank.never: not measured",
    "most(rank.id, rank.id < 0)": "no rank meets the condition",
}


@pytest.mark.parametrize("text, reason", REASONS.items())
def test_why_a_value_is_not_known(text, reason):
    found = parse(text, "rank").over(scope(), "rank")
    assert reasons(found, ~found.known).reason() == reason


def test_an_aggregate_may_depend_on_the_row_at_hand():
    node = table("node", size=np.array([2.0, 4.0]))
    here = scope()
    here.view.measures.tables["node"] = node
    assert answers("count(node.size > rank.id) > 0", here) == [row < 4 for row in range(ROWS)]
    found = parse("sum(node.size, node.size > rank.id)", "rank").over(
        here, "rank", np.array([3, 1])
    )
    assert found.values.tolist() == [4.0, 6.0]
