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
from advisor.cli.messages import say
from advisor.cli.progress import Progress, with_progress
from advisor.cli.report import write
from advisor.cli.results_in import is_result, others_in, results_in
from advisor.cli.rule_book import rules_in_use
from advisor.model.errors import UserError
from advisor.model.finding import Advice, Finding
from advisor.model.harmless import json_text, visible
from advisor.reports.compose import as_read

EXAMPLES = """examples:
  advisor list tickets                       a folder of tickets, or of results
  advisor list *.advisor ticket.html
  advisor list tickets --json                for other programs
The oldest stands first. The note is what advisor bundle --note wrote. In a
narrow terminal long texts are cut; --json has all of them.
exit code: 0 some could be read, 2 none
"""
_HEADS = ("started", "program", "ranks", "whole run", "first finding", "note", "file")
_PROGRAM, _FINDING, _NOTE, _FILE = 1, 4, 5, 6
_LEAST = 12
"""Letters of a column that gives way."""
_INDENT = "  "
_NAMED = 5
_UNREAD, _WHY = "cannot be read", "is not a profile that can be read: "


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
    _name_others(arguments.places)
    write(None, json_text(entries, indent=1) + "\n" if arguments.json else _text(entries))
    return 2 if all(each["problem"] for each in entries) else 0


def _results(place: Path) -> List[Path]:
    """The place itself if it is a result, else the results and tickets in it."""
    if not os.path.lexists(place):
        raise UserError(f"{place} does not exist.", do="Give a folder with results or tickets.")
    return list(results_in(place)) if place.is_dir() and not is_result(place) else [place]


def _name_others(places: Sequence[str]) -> None:
    """What lies in the folders besides, so that nobody takes it for listed."""
    folders = [Path(place) for place in places if Path(place).is_dir()]
    names = [visible(each.name) for one in folders if not is_result(one) for each in others_in(one)]
    if names:
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        say(False)(f"neither results nor tickets: {', '.join(names[:_NAMED])}{more}")


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
    """Number 1 of the report of the same result."""
    return next(iter(as_read(judged).findings), None)


def _number(value: object) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        return None
    return int(value) if value == int(value) else value


def _text(entries: Sequence[Mapping[str, Any]]) -> str:
    """Aligned. In a terminal without room for all, files have lines of their own, in full, and the
    finding, the note and what cannot be read give way."""
    rows = [_HEADS, *(_row(each) for each in entries if not each["problem"])]
    widths = [max(len(row[place]) for row in rows) for place in range(len(_HEADS))]
    if not any(row[_NOTE] for row in rows[1:]):
        widths[_NOTE] = 0
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    below = room is not None and _taken(widths) > room
    if room is not None and below:
        widths[_FILE] = 0
        for place in (_FINDING, _NOTE, _PROGRAM):
            over = max(0, _taken(widths) - room)
            widths[place] = max(min(_LEAST, widths[place]), widths[place] - over)
    lines = [_line(_HEADS, widths)]
    for each in entries:
        if each["problem"]:
            lines.append(_unread(each, widths[0], room))
        else:
            lines.append(_line(_row(each), widths))
            lines += [f"{_INDENT}{visible(each['file'])}\n"] if below else []
    return "".join(lines).replace(HARD, " ")


def _unread(entry: Mapping[str, Any], wide: int, room: Optional[int]) -> str:
    """What cannot be read, and why; the file has a line of its own where there is no room."""
    lead, problem, file = f"{_UNREAD.ljust(wide)}  ", visible(entry["problem"]), entry["file"]
    if room is None or len(lead) + len(problem) <= room:
        return f"{lead}{problem}\n"
    why = problem[len(visible(file)) :].strip() if problem.startswith(visible(file)) else problem
    why = why.partition(_WHY)[2] or why
    return f"{lead}{_cut(why, room - len(lead))}\n{_INDENT}{visible(file)}\n"


def _taken(widths: Sequence[int]) -> int:
    kept = [width for width in widths if width]
    return sum(kept) + 2 * (len(kept) - 1)


def _row(entry: Mapping[str, Any]) -> tuple:
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
    cells = (
        _cut(cell, width).rjust(width) if place in (2, 3) else _cut(cell, width).ljust(width)
        for place, (cell, width) in enumerate(zip(row, widths))
        if width
    )
    return "  ".join(cells).rstrip() + "\n"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
