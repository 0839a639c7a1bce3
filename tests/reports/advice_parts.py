"""Findings and their parts with values for everything that a test does not care about."""

from __future__ import annotations

from advisor.model.finding import Finding, Saving, State, Step
from advisor.model.measures import Quality
from advisor.model.rule import Limit


def limit(name: str, value: float, text: str, why: str, changed_by: str = "") -> Limit:
    """A threshold with its reason."""
    return Limit(name, value, text, why, "METRICS 3.3", changed_by)


def saving(
    low: float,
    high: float,
    ceiling: float,
    name: str,
    base: float = 1412.0,
    basis: str = "model",
    quality=Quality.ESTIMATED,
) -> Saving:
    """A gain."""
    return Saving(
        low,
        high,
        ceiling,
        name,
        base,
        basis,
        "its time outside MPI at the other hosts' pace",
        quality,
    )


def step(kind: str, text: str, state: State, **more) -> Step:
    """A remedy with all its parts, unless other values are given."""
    parts = dict(
        who="you",
        check="The next report shows less waiting.",
        undo="Leave it out.",
        source="user guide",
        effort=1,
    )
    return Step(kind=kind, text=text, state=state, **{**parts, **more})


def finding(rule: str, folder: str, title: str, state: State, **more) -> Finding:
    """A finding with empty parts, unless values are given."""
    parts = dict(
        subject=title + ".",
        why="",
        severity="low",
        confidence="medium",
        saving=None,
        no_saving_reason="no basis for a number",
        facts=(),
        rows=1,
        steps=(),
        hurts=(),
        published=(),
        limits=(),
    )
    return Finding(rule=rule, folder=folder, title=title, state=state, **{**parts, **more})
