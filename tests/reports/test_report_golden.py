"""Whole reports, kept as files: terminal, Markdown and JSON of several states.

To accept changed reports: ADVISOR_GOLDEN=write pytest tests/reports/test_report_golden.py, then
read the diff.
"""

from __future__ import annotations

import os
from pathlib import Path

import advices
import pytest

from advisor import __version__
from advisor.reports import compose, render

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
KINDS = {
    "terminal.txt": dict(format="terminal"),
    "full.txt": dict(format="terminal", full=True),
    "narrow.txt": dict(format="terminal", width=50, ascii_only=True),
    "color.ansi": dict(format="terminal", color=True),
    "ticket.md": dict(format="markdown"),
    "report.json": dict(format="json"),
}
FILES = [(state, kind) for state in advices.STATES for kind in ("terminal.txt", "ticket.md")]
FILES += [("slow_host", kind) for kind in ("full.txt", "narrow.txt", "color.ansi")] + [
    ("lammps", "report.json"),
    ("sampled", "full.txt"),
]


@pytest.mark.parametrize("state, kind", FILES)
def test_report_is_as_kept(state, kind):
    file = GOLDEN / f"{state}.{kind}"
    text = render(compose(advices.STATES[state]()), **KINDS[kind]).replace(
        f"advisor {__version__}", "advisor VERSION"
    )
    if os.environ.get("ADVISOR_GOLDEN") == "write":
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("width, scale", [(60, False), (80, True)])
def test_the_scale_of_the_bars_never_touches_the_title_beside_it(width, scale):
    text = render(compose(advices.STATES["slow_host"]()), format="terminal", full=True, width=width)
    (line,) = [line for line in text.splitlines() if "worth doing first" in line]
    behind = line.partition("on top")[2]
    assert (behind.strip() != "", behind[:1].strip()) == (scale, "")
