"""`advisor compare`: what changed from one result to another, where, and whether it is more than
noise."""

from __future__ import annotations

import argparse
import sys
from typing import List, Tuple

from advisor import advice, analysis, comparing
from advisor.advice.language.expression import ExpressionError, parse
from advisor.advice.language.scope import Scope, View
from advisor.advice.language.unknown import Unknown
from advisor.advice.rulebook.checked_rules import CheckedRules
from advisor.analysis.elapsed import elapsed
from advisor.cli.arguments import add_rules
from advisor.cli import opening, worth
from advisor.cli.progress import Progress, with_progress
from advisor.cli.report import terminal_options, write
from advisor.cli.rule_book import rules_in_use
from advisor.cli.written_format import written_format
from advisor.model.comparison import Comparison, Outcome
from advisor.model.errors import UserError
from advisor.model.measures import Measures
from advisor.model.units import UnitError
from advisor.reports import comparison as reports

HOLDS, UNDECIDED = 1, 3
EXAMPLES = """examples:
  advisor compare BEFORE AFTER
  advisor compare BEFORE AFTER --repeats BEFORE-2 BEFORE-3
      noise is measured, not assumed
  advisor compare BEFORE AFTER -o change.html
  advisor compare N1 N2 N4 N8
      trend, speed-up, parallel efficiency
  advisor compare LAST NOW --fail-if 'elapsed > 5 % and beyond_noise'
                           --junit compare.xml
conditions:
  elapsed, outside, no_core, waiting, moving, unsplit, polling, io, startup
      change as share of elapsed before; NAME_seconds in s
  beyond_noise, starved, new_findings
      yes or no, twice; a count. starved: ranks of the first or the last run
      had no core for more than 5 % of elapsed time. beyond_noise is then
      unknown: 'elapsed > 5 % and beyond_noise' ends with 3 where it would
      have ended with 1
  run.load_balance, any(rank.mpi_share > 0.5), ...
      names of the rules' vocabulary, of the last result
exit code:
  0  compared, no condition holds
  1  a condition holds
  2  the results cannot be compared
  3  a condition cannot be decided
"""


def add(subparsers) -> None:
    """The command and its options."""
    command = subparsers.add_parser(
        "compare",
        help="what changed between results, beyond the noise or not",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "results",
        metavar="RESULT",
        nargs="+",
        help="two or more: result folders, profile files, tickets, or other tools' files",
    )
    command.add_argument(
        "--repeats",
        metavar="RESULT",
        nargs="+",
        default=[],
        help="more runs as the first one: from three in all the noise is measured",
    )
    command.add_argument(
        "--weak", action="store_true", help="the work grows with the ranks: efficiency is T0 / T"
    )
    command.add_argument(
        "--force",
        action="store_true",
        help="compare different programs too, by shares of each run's own time",
    )
    form = command.add_mutually_exclusive_group()
    form.add_argument(
        "--format",
        choices=reports.FORMATS,
        help="default: as the name after -o ends (.html, .md, .json, .txt), else terminal",
    )
    form.add_argument("--json", action="store_true", help="the same as --format json")
    command.add_argument(
        "-o", "--output", metavar="FILE", help="write to FILE instead of standard output"
    )
    command.add_argument("--full", action="store_true", help="terminal: all rows of all tables")
    add_rules(command)
    command.add_argument(
        "--fail-if",
        metavar="CONDITION",
        action="append",
        default=[],
        help="exit with 1 if it holds; may be given several times",
    )
    command.add_argument("--junit", metavar="FILE", help="conditions as JUnit XML")
    command.add_argument(
        "--sarif",
        metavar="FILE",
        help="conditions that hold and findings that are new, unchanged or absent, as SARIF 2.1.0",
    )
    command.set_defaults(run=run)


@with_progress("reading and judging the results")
def run(arguments: argparse.Namespace, progress: Progress) -> int:
    """Compare, print, decide."""
    conditions = [_checked(text) for text in arguments.fail_if]
    book = rules_in_use(arguments.rules)
    paths = [*arguments.results, *arguments.repeats]
    measured = []
    for number, path in enumerate(paths):
        progress.stage(0, number / len(paths))
        measured.append(_measured(path, book))
    runs, repeats = (
        measured[: len(arguments.results)],
        measured[len(arguments.results) :],
    )
    comparison = worth.compared(
        comparing.compare(runs, repeats, arguments.weak, arguments.force),
        [run.advice.measures for run in (runs[0], runs[-1])],
    )
    outcomes = _decided(comparison, runs[-1].advice.measures, conditions)
    progress.done()
    _print(arguments, comparison, outcomes)
    for file, made in ((arguments.junit, reports.as_junit), (arguments.sarif, reports.as_sarif)):
        if file:
            write(file, made(comparison, outcomes))
    return _code(outcomes)


def _measured(path: str, book: CheckedRules) -> comparing.Measured:
    judged = advice.judge(
        analysis.measure(opening.read(path), book.intents), book.rules, book.mistakes
    )
    return comparing.Measured(judged, elapsed(judged.measures))


def _print(arguments: argparse.Namespace, comparison: Comparison, outcomes: List[Outcome]) -> None:
    named = "json" if arguments.json else arguments.format
    format = written_format(arguments.output, named, reports.FORMATS)
    look = {} if arguments.output else terminal_options(sys.stdout)
    write(
        arguments.output,
        reports.render(
            comparison, outcomes, format, full=arguments.full or bool(arguments.output), **look
        ),
    )


def _checked(text: str) -> Tuple[str, str]:
    """A condition as written, and in the rules' language. Raises UserError before anything is
    read."""
    try:
        written = comparing.condition(text)
        parse(written, "change")
    except (ExpressionError, UnitError) as error:
        raise UserError(
            f"The condition {text} cannot be read: {error}.",
            do="advisor compare --help lists what may stand in it.",
        ) from None
    return text, written


def _decided(
    comparison: Comparison, after: Measures, conditions: List[Tuple[str, str]]
) -> List[Outcome]:
    """What became of each condition. What is unknown, and what is no yes or no, is said and never
    taken for no."""
    if not conditions:
        return []
    scope = Scope(View(comparing.subject(comparison, after)), {}).at("change", 0)
    return [
        _outcome(text, parse(written, "change").evaluate(scope)) for text, written in conditions
    ]


def _outcome(text: str, value: object) -> Outcome:
    if isinstance(value, bool):
        return Outcome(text, value)
    if isinstance(value, Unknown):
        reasons = [
            f"{part.name}: {part.reason}" if part.name else part.reason for part in value.missing
        ]
        return Outcome(text, None, "; ".join(dict.fromkeys(reasons)))
    return Outcome(text, None, "it is neither yes nor no: compare with something")


def _code(outcomes: List[Outcome]) -> int:
    if any(one.holds for one in outcomes):
        return HOLDS
    return UNDECIDED if any(one.holds is None for one in outcomes) else 0
