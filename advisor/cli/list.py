"""`advisor list`: several results or tickets, one line each."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence

from advisor import advice, analysis
from advisor.advice.rulebook.checked_rules import CheckedRules
from advisor.base.numbers import HARD, seconds
from advisor.cli.arguments import add_rules
from advisor.cli import opening
from advisor.cli.progress import Progress, with_progress
from advisor.cli.report import write
from advisor.cli.results_in import is_result, results_in
from advisor.cli.rule_book import rules_in_use
from advisor.model.errors import UserError
from advisor.model.finding import Advice, Finding
from advisor.model.harmless import json_text, visible
from advisor.reports import compose
from advisor.reports.composing.headline import is_of_balance

EXAMPLES = """examples:
  advisor list tickets                       a folder of tickets, or of results
  advisor list *.advisor ticket.html
  advisor list tickets --json                for other programs
The oldest stands first. The note is what advisor bundle --note wrote. In a
narrow terminal long texts are cut; --json has all of them.
exit code: 0 some could be read, 2 none
"""
_HEADS = ("started", "program", "ranks", "whole run", "first finding", "note", "file")
_FINDING, _NOTE, _FILE = 4, 5, 6
_LEAST = 16
"""Letters of a column that gives way."""
_INDENT = "  "


def add(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the parser."""
    parser = subparsers.add_parser(
        "list",
        help="several results or tickets, one line each",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "places",
        metavar="FOLDER",
        nargs="+",
        help="a folder with results or tickets, a result folder, a ticket, or a profile file",
    )
    parser.add_argument("--json", action="store_true", help="for programs")
    add_rules(parser)
    parser.set_defaults(run=run)


@with_progress("reading and judging the results")
def run(arguments: argparse.Namespace, progress: Progress) -> int:
    """Read, judge and print each."""
    found = [file for place in arguments.places for file in _results(Path(place))]
    if not found:
        raise UserError(
            f"There is no result and no ticket in {' '.join(arguments.places)}.",
            do="Give a folder that has some; advisor bundle makes tickets.",
        )
    book, entries = rules_in_use(arguments.rules), []
    for number, file in enumerate(found):
        progress.stage(0, number / len(found))
        entries.append(_entry(file, book))
    entries.sort(key=lambda each: (each["started"] or "9", each["file"]))
    progress.done()
    write(None, json_text(entries, indent=1) + "\n" if arguments.json else _text(entries))
    return 2 if all(each["problem"] for each in entries) else 0


def _results(place: Path) -> List[Path]:
    """The place itself if it is a result, else the results and tickets in it."""
    if not os.path.lexists(place):
        raise UserError(f"{place} does not exist.", do="Give a folder with results or tickets.")
    return list(results_in(place)) if place.is_dir() and not is_result(place) else [place]


def _entry(file: Path, book: CheckedRules) -> Dict[str, Any]:
    """What is said of one. A file that cannot be read has a problem in place of all else."""
    entry: Dict[str, Any] = dict.fromkeys(
        (
            *("file", "started", "job", "program", "ranks", "nodes"),
            *("whole_run", "elapsed", "finding", "note"),
        )
    )
    entry["file"] = str(file)
    try:
        profile = opening.read(str(file))
        judged = advice.judge(analysis.measure(profile, book.intents), book.rules, book.mistakes)
    except UserError as problem:
        return {**entry, "problem": problem.what}
    row, run = judged.measures.tables["run"].row(0), profile.run
    first = first_finding(judged)
    return {
        **entry,
        "started": run.started or None,
        "job": run.job or None,
        "program": os.path.basename(run.program) or None,
        "ranks": _number(row["ranks"]),
        "nodes": _number(row["nodes"]),
        "whole_run": _number(max(filter(None, (row["time"], row["job_time"])), default=None)),
        "elapsed": _number(row["time"]),
        "finding": first
        and {"rule": first.rule, "title": str(first.title), "severity": first.severity},
        "note": run.note or None,
        "problem": None,
    }


def first_finding(judged: Advice) -> Optional[Finding]:
    """The first finding; of two that explain the same time, the one that the verdict names."""
    first = next(iter(judged.findings), None)
    rival = next((each for each in judged.findings if first and each.rival_of == first.rule), None)
    if rival and rival.folder == "balance" and is_of_balance(compose(judged).screen.verdict):
        return rival if first and first.folder != "balance" else first
    return first


def _number(value: object) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        return None
    return int(value) if value == int(value) else value


def _text(entries: Sequence[Mapping[str, Any]]) -> str:
    """Aligned. In a terminal without room for all, files have lines of their own, in full, and the
    finding and the note give way."""
    rows = [_HEADS, *(_row(each) for each in entries)]
    widths = [max(len(row[place]) for row in rows if len(row) > 2) for place in range(len(_HEADS))]
    if not any(row[_NOTE] for row in rows[1:] if len(row) > 2):
        widths[_NOTE] = 0
    below = False
    if sys.stdout.isatty():
        room = shutil.get_terminal_size().columns
        below = _taken(widths) > room
        if below:
            widths[_FILE] = 0
        for place in (_FINDING, _NOTE):
            over = max(0, _taken(widths) - room)
            widths[place] = max(min(_LEAST, widths[place]), widths[place] - over)
    lines = (_line(row, widths) + (_below(row) if below and row != _HEADS else "") for row in rows)
    return "".join(lines).replace(HARD, " ")


def _taken(widths: Sequence[int]) -> int:
    kept = [width for width in widths if width]
    return sum(kept) + 2 * (len(kept) - 1)


def _below(row: tuple) -> str:
    return f"{_INDENT}{row[_FILE]}\n" if len(row) > 2 else ""


def _row(entry: Mapping[str, Any]) -> tuple:
    if entry["problem"]:
        return ("cannot be read", visible(entry["problem"]))
    finding = entry["finding"]
    return tuple(
        visible(text)
        for text in (
            (entry["started"] or "?")[:16].replace("T", " "),
            entry["program"] or "?",
            "?" if entry["ranks"] is None else f"{entry['ranks']:.0f}",
            "?" if entry["whole_run"] is None else seconds(entry["whole_run"]).replace(HARD, " "),
            finding["title"] if finding else "nothing found",
            entry["note"] or "",
            entry["file"],
        )
    )


def _line(row: tuple, widths: List[int]) -> str:
    if len(row) == 2:
        return f"{row[0].ljust(widths[0])}  {row[1]}\n"
    cells = (
        _cut(cell, width).rjust(width) if place in (2, 3) else _cut(cell, width).ljust(width)
        for place, (cell, width) in enumerate(zip(row, widths))
        if width
    )
    return "  ".join(cells).rstrip() + "\n"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
