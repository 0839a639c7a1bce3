"""`advisor report`: judge a result again, with the rules of today, and print it in one of five
formats."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import List, Optional

from advisor import advice, analysis, intake, reports
from advisor.cli.arguments import add_rules
from advisor.cli import opening, remembered, worth
from advisor.cli.messages import unwritable
from advisor.cli.progress import Progress, with_progress
from advisor.cli.rule_book import rule_folders, rules_in_use
from advisor.cli.written_format import written_format
from advisor.model.errors import UserError
from advisor.model.finding import Advice
from advisor.model.profile import Profile

FILES = {
    "html": "report.html",
    "markdown": "report.md",
    "mail": "report.mail.txt",
    "json": "report.json",
    "terminal": "report.txt",
}

EXAMPLES = """examples:
  advisor report RESULT                       the first screen, as after the run
  advisor report RESULT --full | less         all parts of all findings
  advisor report RESULT --format markdown     for a ticket
  advisor report RESULT --format mail         the first screen as plain text
  advisor report RESULT --format mail --full  with check, undo and requests
  advisor report RESULT -o page.html          one file to send
  advisor report RESULT --language ko         in Korean; also ja, zh
  advisor report RESULT --rules ~/rules       with rules of your own
  advisor report --mpi 'mpirun -n 4' TRACE    a large OTF2 trace, by four processes
"""


def add(subparsers) -> None:
    """The command and its options."""
    command = subparsers.add_parser(
        "report",
        help="judge a result again and print the advice",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("result", metavar="RESULT", help="a result folder or a profile file")
    command.add_argument(
        "--format",
        choices=reports.FORMATS,
        help="default: as the name after -o ends (.html, .md, .json, .txt), else terminal",
    )
    command.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help=(
            "write to FILE instead of standard output, which - is too; html without -o goes to"
            " RESULT/report.html if standard output is a terminal"
        ),
    )
    add_rules(command)
    command.add_argument(
        "--language",
        choices=reports.LANGUAGES,
        default="en",
        help=(
            "of fixed words and headings of findings; what has no translation, commands and JSON"
            " stay English"
        ),
    )
    command.add_argument(
        "--mpi",
        metavar="LAUNCHER",
        default="",
        help=(
            "of a large OTF2 trace: read it by an MPI job, each process a part of the ranks;"
            " 'mpirun -n 4'"
        ),
    )
    command.add_argument(
        "--who",
        choices=advice.AUDIENCES,
        default="",
        help="only what this reader can do; the rest is listed as left out",
    )
    command.add_argument(
        "--effort",
        type=int,
        choices=range(1, 6),
        default=5,
        help=(
            "only what takes no more: 1 a variable, 2 another launch, 3 a rebuild, 4 code, 5 the"
            " centre"
        ),
    )
    command.add_argument(
        "--full",
        action="store_true",
        help=(
            "terminal and markdown: all parts of all findings, as in report.txt; mail: how to check"
            " and undo each action, and requests to the centre"
        ),
    )
    command.set_defaults(run=run)


@with_progress("reading the result", "judging it", "writing the report")
def run(arguments: argparse.Namespace, progress: Progress) -> int:
    """Read, measure, judge, compose, render."""
    format = written_format(arguments.output, arguments.format, reports.FORMATS)
    progress.look = intake.part_read(arguments.result) if progress.shows else None
    profile = opening.read(arguments.result, _launcher(arguments.mpi))
    progress.stage(1)
    found = judged(profile, arguments.rules)
    progress.stage(2)
    shown = advice.for_audience(found, arguments.who, arguments.effort)
    document = reports.compose(shown, worth.rates_of(profile))
    output = arguments.output or _default_output(arguments.result, format)
    full = arguments.full or (output is not None and format == "terminal")
    look = {} if output else terminal_options(sys.stdout)
    text = reports.render(document, format, full=full, language=arguments.language, **look)
    progress.done()
    write(output if arguments.output or output is None else _unlinked(output), text)
    return 0


def _launcher(text: str) -> List[str]:
    """The words of --mpi. Raises UserError."""
    try:
        return shlex.split(text)
    except ValueError:
        raise UserError(
            f"--mpi {text} has a quote that does not end.", do="Write it like this: 'mpirun -n 4'"
        ) from None


def judged(profile: Profile, more: List[str], forgetting: bool = False) -> Advice:
    """What all rules say. A rule file with a mistake is listed among what could not look, and said
    on standard error; the others speak.

    What was verified of this result is said, and what was disproved here is not offered again,
    unless `forgetting`.
    """
    book, own = rules_in_use(more), remembered.verified_of(profile)
    evidence = [] if forgetting else remembered.evidence_for(profile, own)
    return replace(
        advice.judge(analysis.measure(profile, book.intents), book.rules, book.mistakes, evidence),
        verified=own,
    )


def folders(more: List[str]) -> List[Path]:
    """Our rule book, then the site's folders, then those of the command line."""
    return rule_folders(more)


def terminal_options(stream) -> dict:
    """Width, colour and ASCII for a stream: plain if it is no terminal, or if NO_COLOR or TERM=dumb
    say so."""
    terminal = stream.isatty()
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    width = min(80, os.get_terminal_size(stream.fileno()).columns or 80) if terminal else 80
    return {"width": width, "color": terminal and not plain, "ascii_only": not _utf8(stream)}


def _utf8(stream) -> bool:
    """Whether the locale is UTF-8. In the C locale Python writes UTF-8 all the same, which batch
    logs and old terminals do not expect."""
    if sys.flags.utf8_mode and "PYTHONUTF8" not in os.environ:
        return False
    return (getattr(stream, "encoding", "") or "").lower().replace("-", "") == "utf8"


def write(output: Optional[str], text: str) -> None:
    """To a file, or to standard output: without one, or "-"."""
    if output in (None, "-"):
        # UTF-8 whatever the locale: in another one the terminal's report is ASCII, and files are
        # read elsewhere.
        sys.stdout.buffer.write(text.encode("utf-8"))
        return
    try:
        Path(output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise unwritable(str(output), error) from error
    print(f"advisor: wrote {output}", file=sys.stderr)


def _unlinked(output: str) -> str:
    """A name that we chose ourselves, in a folder that may be anybody's: a link of that name may
    lead to a file of ours. Raises UserError."""
    if os.path.islink(output):
        raise UserError(
            f"{output} is a link, and is not followed.", do="Choose another file with -o."
        )
    return output


def _default_output(result: str, format: str) -> Optional[str]:
    """A page is of no use on standard output of a terminal: it goes beside its profile."""
    if format != "html" or not sys.stdout.isatty():
        return None
    folder = Path(result) if Path(result).is_dir() else Path(result).parent
    return str(folder / FILES["html"])
