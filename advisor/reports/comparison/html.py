"""Story → one HTML file: opens offline, complete without script, the numbers inside as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import List, Sequence

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from advisor.model.comparison import Comparison, Outcome
from advisor.model.harmless import json_text
from advisor.reports.comparison.data import content
from advisor.reports.comparison.story import Step, Story
from advisor.reports.drawing.svg import bar, box
from advisor.reports.html import button_words, policy, prose, script
from advisor.reports.languages import ENGLISH

_HERE = Path(__file__).resolve().parent.parent
_FILLS = {"waiting": "wait", "moving": "move", "unsplit": "unsplit"}


def html(reported: Story, comparison: Comparison, outcomes: Sequence[Outcome]) -> str:
    """The whole page. Everything that came from the runs is escaped by the template engine."""
    code = script()
    environment = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters.update(prose=prose)
    data = json_text(content(comparison, outcomes))
    return environment.get_template("comparison.html.j2").render(
        s=reported,
        bars=falls(reported.steps, reported.total),
        css=Markup((_HERE / "report.css").read_text(encoding="utf-8")),
        js=Markup(code),
        policy=policy(code),
        button_words=button_words(ENGLISH),
        data=Markup(data.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")),
    )


def falls(steps: Sequence[Step], total: Step) -> List[Markup]:
    """A bar a step, each beginning where the one before ended, and one for the total; all on one
    scale."""
    ends, reached = [0.0], 0.0
    for step in steps:
        reached += step.value
        ends.append(reached)
    low, high = min(*ends, total.value), max(*ends, total.value)
    width = (high - low) or 1.0
    spans = [(begin, begin + step.value, _fill(step)) for begin, step in zip(ends, steps)] + [
        (0.0, total.value, "gain")
    ]
    middle = bar(100 * (0.0 - low) / width, 0, 0.15, 100, "base")
    return [
        box(middle + _bar(begin, end, low, width, fill), "", "fall") for begin, end, fill in spans
    ]


def _bar(begin: float, end: float, low: float, width: float, fill: str) -> str:
    left, right = sorted((begin, end))
    return bar(
        100 * (left - low) / width,
        18,
        max(100 * (right - left) / width, 0.2 if right > left else 0),
        64,
        fill,
    )


def _fill(step: Step) -> str:
    return _FILLS.get(step.role, "calls") if step.clear else "useful"
