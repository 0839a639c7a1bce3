"""Rules of others have a few seconds of processor time, all of them together; our own are looked at
to the end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from advisor.advice import load_rules
from advisor.advice.judging.evaluate_rows import evaluate_rows
from advisor.advice.judging.time_limit import TimeLimit, TookTooLong
from advisor.advice.language.scope import Scope, View
from advisor.base import resource_paths
from advisor.model.measures import Column, Measures, Table
from advisor.model.profile import Library, Profile, Run

ROWS = 20_000


def looked(of_site):
    """A rule that asks about all rows of one table for each row of another."""
    rule = load_rules([resource_paths.rules()])[0]
    asks = replace(
        rule.look, each="operation", where="", when="sum(rank.id, rank.id > operation.share) > 0"
    )
    rule = replace(rule, of_site=of_site, look=asks, caveats=(), gain=None)
    numbers = np.arange(ROWS, dtype=np.float64)
    made = {
        "operation": Table(
            "operation", {"share": Column("share", "share", numbers[: 4000 if of_site else 40])}
        ),
        "rank": Table("rank", {"id": Column("id", "count", numbers)}),
    }
    view = View(Measures(made, Profile(Run("p"), Library(), (), {})))
    with TimeLimit(0.05).of(rule, view):
        return evaluate_rows(rule, Scope(view, {}))


def test_a_rule_of_a_site_that_takes_too_long_is_given_up():
    with pytest.raises(TookTooLong):
        looked(of_site=True)


def test_our_own_are_looked_at_to_the_end():
    assert len(looked(of_site=False).found) == 40
