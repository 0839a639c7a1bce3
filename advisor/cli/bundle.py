"""`advisor bundle`: one page for a ticket, with the profile inside and without names of users,
hosts and paths."""

from __future__ import annotations

import argparse
import getpass
import os
import shlex
import sys
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from typing import List, Mapping, Tuple

from advisor import advice, analysis, bundling, reports
from advisor.analysis.metrics.setting_names import is_meant
from advisor.cli.arguments import add_rules
from advisor.cli import opening
from advisor.cli.progress import Progress, with_progress
from advisor.cli.report import write
from advisor.cli.rule_book import rules_in_use
from advisor.cli.written_format import written_format
from advisor.intake.container.ticket import packed
from advisor.model.errors import UserError
from advisor.model.finding import Advice
from advisor.model.harmless import visible
from advisor.reports.ticket import KEPT, KEPT_ARGUMENTS, sentences, ticket

EXAMPLES = """examples:
  advisor bundle RESULT                            RESULT/ticket.html
  advisor bundle RESULT -o ticket.html --keep-arguments
  advisor bundle RESULT --note "ticket 4711"
  advisor bundle RESULT --names                    what host1, /path1 … stand for
  advisor report ticket.html --format markdown     at the centre, by its own rules
  advisor compare ticket1.html ticket2.html
Only numbers and known words of settings, launch lines, facts and messages stay.
All others are replaced: host1, user1, /path1, word1 … stand for one name each in
the whole page. Hosts are numbered in the order of the profile. The page does not
hold the names; you look them up in the result with --names. What was removed,
and what stays by its nature, is listed on standard error and in the page.
"""
_LONGEST_NOTE = 200


def add(subparsers) -> None:
    """The command and its options."""
    command = subparsers.add_parser(
        "bundle",
        help="one page for a ticket, without names of users, hosts and paths",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "result", metavar="RESULT", help="a result folder, a profile file, or another tool's file"
    )
    command.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help=(
            "default: ticket.html in the result folder; never overwritten: ticket-2.html,"
            " ticket-3.html …"
        ),
    )
    command.add_argument(
        "--note",
        metavar="TEXT",
        help="a line on the page, as it stands; advisor list shows it",
    )
    command.add_argument(
        "--keep-arguments",
        action="store_true",
        help=(
            "those of the program stay, but for users, hosts and paths in them; else only known"
            " options and numbers"
        ),
    )
    command.add_argument(
        "--names",
        action="store_true",
        help="print what host1, user1, /path1 … stand for, and write no page; keep it to yourself",
    )
    add_rules(command)
    command.set_defaults(run=run)


@with_progress("reading the result", "judging it", "writing the page")
def run(arguments: argparse.Namespace, progress: Progress) -> int:
    """Redact, judge what is left, and write one page."""
    note = "" if arguments.note is None else _note(arguments.note)
    if arguments.output:
        written_format(arguments.output, None, ("html",))
    output = _free(arguments.output or _beside(arguments.result))
    profile = opening.read(arguments.result)
    progress.stage(1)
    cleaned = bundling.redact(
        profile, arguments.keep_arguments, _user(), lambda name: is_meant(name, profile.library)
    )
    if arguments.names:
        progress.done()
        return _print_names(cleaned.names())
    run = replace(cleaned.profile.run, note=note)
    cleaned = cleaned._replace(profile=replace(cleaned.profile, run=run))
    book = rules_in_use(arguments.rules)
    judged = _without_folders(
        advice.judge(analysis.measure(cleaned.profile, book.intents), book.rules, book.mistakes),
        cleaned.clean,
    )
    progress.stage(2)
    page = reports.render(reports.compose(judged), "html")
    kept = KEPT + KEPT_ARGUMENTS * arguments.keep_arguments
    progress.done()
    write(output, ticket(page, cleaned.removals, packed(cleaned.profile), kept, note))
    for sentence in sentences(cleaned.removals):
        print(
            f"advisor: removed {sentence}" if cleaned.removals else f"advisor: {sentence}",
            file=sys.stderr,
        )
    print(f"advisor: {kept}", file=sys.stderr)
    if cleaned.removals:
        # The names themselves are not said here: what a terminal shows is pasted into tickets.
        print(
            "advisor: host1, /path1 and the like stand for one name each. To see which: advisor"
            f" bundle {shlex.quote(arguments.result)} --names",
            file=sys.stderr,
        )
    return 0


def _print_names(names: Mapping[str, str]) -> int:
    width = max(map(len, names), default=0)
    text = "".join(f"{alias.ljust(width)}  {visible(name)}\n" for alias, name in names.items())
    write(None, text or "No name was replaced.\n")
    return 0


def _free(output: str) -> str:
    """The file, or with -2, -3 … in its name, whichever is not there."""
    base, ending = os.path.splitext(output)
    names = chain([output], (f"{base}-{number}{ending}" for number in count(2)))
    return next(name for name in names if not os.path.lexists(name))


def _note(text: str) -> str:
    """One line without control characters, of bounded length: it is shown in terminals."""
    if len(text) > _LONGEST_NOTE:
        raise UserError(f"The note has {len(text)} letters.", do=f"Write at most {_LONGEST_NOTE}.")
    if not text.strip():
        raise UserError(
            "The note is empty.", do='Write one, as in --note "ticket 4711", or leave --note out.'
        )
    return visible(" ".join(text.split()))


def _beside(result: str) -> str:
    folder = Path(result) if os.path.isdir(result) else Path(result).parent
    return str(folder / "ticket.html")


def _user() -> List[str]:
    """Who bundles; mostly who ran the job."""
    try:
        return [getpass.getuser()]
    except (KeyError, OSError):
        return []


def _without_folders(judged: Advice, clean) -> Advice:
    """Limits name the file that changed them, and rules that failed their own: folders of this
    machine."""
    findings, experiments = (
        tuple(replace(one, limits=_limits(one.limits, clean)) for one in found)
        for found in (judged.findings, judged.experiments)
    )
    silences = tuple(
        replace(
            one, reason=clean(one.reason), collect=clean(one.collect), sentence=clean(one.sentence)
        )
        for one in judged.silences
    )
    return replace(
        judged,
        findings=findings,
        experiments=experiments,
        silences=silences,
        changed_limits=_limits(judged.changed_limits, clean),
    )


def _limits(limits: Tuple, clean) -> Tuple:
    return tuple(replace(limit, changed_by=clean(limit.changed_by)) for limit in limits)
