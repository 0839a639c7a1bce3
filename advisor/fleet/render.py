"""The report as Markdown, JSON and one offline page."""

from __future__ import annotations

import re
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any, Iterator

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from advisor import __version__
from advisor.fleet.report import FleetReport
from advisor.fleet.tabular import Section, facts, headline, notes, sections
from advisor.model.harmless import json_text, visible

FORMAT, VERSION = "advisor-fleet-report", (1, 0)
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""Nothing is fetched and no script runs: even an escaping mistake could not run one."""
_MARKS = re.compile(r"([\\`*_\[\]<>&|~#])")


def render(report: FleetReport, format: str, style: str = "") -> str:
    """The text of a format: markdown, json, html. `style`: of the page."""
    if format == "json":
        return as_json(report)
    return page(report, style) if format == "html" else markdown(report)


def as_json(report: FleetReport) -> str:
    """All rows, with the names that fleet.sql gives them."""
    content = {
        "format": FORMAT,
        "version": list(VERSION),
        "made_by": f"advisor {__version__}",
        **{name: _plain(value) for name, value in asdict(report).items()},
    }
    return json_text(content, indent=1) + "\n"


def markdown(report: FleetReport) -> str:
    """For a ticket or a wiki."""
    lines = ["# What the jobs lose", "", headline(report), "", facts(report), ""]
    for section in sections(report):
        lines += _section(section)
    lines += [f"{note}\n" for note in notes(report)]
    return "\n".join(lines).rstrip() + "\n"


def page(report: FleetReport, style: str) -> str:
    """One HTML file; the template engine escapes all that came from jobs."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).resolve().parent),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    return environment.get_template("fleet.html.j2").render(
        policy=POLICY,
        style=Markup(style),
        headline=headline(report),
        facts=facts(report),
        sections=sections(report),
        notes=notes(report),
        version=__version__,
    )


def _section(section: Section) -> Iterator[str]:
    yield from (f"## {section.title}", "")
    if section.note:
        yield from (section.note, "")
    if not section.rows:
        yield from (section.empty, "")
        return
    sides = ["---" if place < section.numeric else "---:" for place in range(len(section.columns))]
    yield f"| {' | '.join(section.columns)} |"
    yield f"|{'|'.join(sides)}|"
    for row in section.rows:
        yield f"| {' | '.join(map(_cell, row))} |"
    yield ""


def _cell(text: str) -> str:
    """Names are of strangers: no mark-up of theirs."""
    return _MARKS.sub(r"\\\1", visible(text))


def _plain(value: Any) -> Any:
    """As JSON has it: dates in ISO form, sums of whole numbers whole."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value
