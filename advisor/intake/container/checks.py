"""Checks of meaning after the checks of shape: analysis may rely on what passed here."""

from __future__ import annotations

from typing import Mapping

import numpy as np

from advisor.intake.untrusted.damage import Damage
from advisor.model.columns import TABLES
from advisor.model.profile import Columns

MOST_HOSTS = 200_000
"""Hosts of a job: more than any machine has. Each has facts, and what is said of it takes more than
its name."""
_LATEST = 1e11
"""Seconds since the epoch: the year 5138. Larger values lose microseconds and are damage."""


def check(tables: Mapping[str, Columns], nodes: int) -> None:
    """Damage unless times are finite, ranks, hosts and communicators exist, and keys are there."""
    if nodes > MOST_HOSTS:
        raise Damage(f"it names {nodes} hosts; the most that is read is {MOST_HOSTS}")
    for name, columns in tables.items():
        for label, kind in TABLES[name].items() if columns else ():
            if kind.needed and label not in columns:
                raise Damage(f"table {name} has no column {label}")
        for label, values in columns.items():
            _check_numbers(f"{name}.{label}", values, TABLES[name][label].not_negative)
    _check_ranks(tables, nodes)
    _check_communicators(tables)
    _check_bins(tables.get("calls", {}))


def _check_numbers(what: str, values: np.ndarray, not_negative: bool) -> None:
    if values.dtype.kind != "f" or not len(values):
        return
    # NaN is an unknown cell; the minimum and maximum of the others must be real times.
    known = values[~np.isnan(values)]
    # counts and their squares
    most = np.finfo(np.float64).max if what.startswith("counters.") else _LATEST
    if len(known) and not (-most <= known.min() and known.max() <= most):
        raise Damage(f"{what} holds a time that cannot be")
    if len(known) and not_negative and known.min() < 0:
        raise Damage(f"{what} holds a negative duration")


def _check_ranks(tables: Mapping[str, Columns], nodes: int) -> None:
    ranks = tables.get("ranks", {}).get("rank")
    if ranks is None or not len(ranks):
        raise Damage("no rank is in it")
    known = np.unique(ranks)
    if len(known) != len(ranks) or known[0] < 0:
        raise Damage("ranks are there twice or negative")
    for name in TABLES:
        column = tables.get(name, {}).get("rank")
        # Rank -1: sums over all ranks, of jobs with too many of them.
        if column is not None and not (np.isin(column, known) | (column == -1)).all():
            raise Damage(f"table {name} names a rank that is not there")
    node = tables["ranks"].get("node")
    if node is not None and (int(node.min()) < -1 or int(node.max()) >= nodes):
        raise Damage("a rank is on a host that is not there")


def _check_communicators(tables: Mapping[str, Columns]) -> None:
    known = tables.get("communicators", {}).get("id", np.zeros(0, np.uint64))
    if len(np.unique(known)) != len(known):
        raise Damage("a communicator is there twice")
    used = tables.get("members", {}).get("communicator")
    if used is not None and known.size and not (np.isin(used, known) | (used == 0)).all():
        raise Damage("table members names a communicator that is not there")


def _check_bins(calls: Columns) -> None:
    bins = calls.get("bin")
    if bins is not None and len(bins) and (int(bins.min()) < -2 or int(bins.max()) > 64):
        raise Damage("a size bin is outside -2 to 64")
