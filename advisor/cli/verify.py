"""`advisor verify`: tries advice in interleaved runs of the user's own command."""

from __future__ import annotations

import argparse
import os
import shlex
import signal
from typing import List

from advisor.advice import read_rules
from advisor.cli.arguments import add_rules
from advisor.cli import choosing, consent, opening, remembered, verifying_run
from advisor.cli.messages import complain, say
from advisor.cli.progress import Progress
from advisor.cli.report import folders, judged
from advisor.model.errors import UserError
from advisor.model.finding import Advice
from advisor.model.profile import Profile
from advisor.verifying import plan
from advisor.verifying.campaign import Campaign, Change
from advisor.verifying.metric import PRESETS, metric
from advisor.verifying.pairs import Limits
from advisor.verifying.trial import Command

EXAMPLES = """examples:
  advisor verify RESULT --dry-run
      what it would cost
  advisor verify RESULT --budget 1h
      all settings on offer
  advisor verify RESULT --advice eager-limit-in-host
                        --metric 'Loop time of ([0-9.]+)'
  advisor verify RESULT --metric vasp
                        --check 'grep -q "reached required accuracy" OUTCAR'
  advisor verify RESULT --metric qe
                        --against 'qe-pools: mpirun -n 4 pw.x -nk 4 -in si.in'
  advisor verify RESULT --setting OMPI_MCA_pml=ucx -- mpirun -n 64 ./app short.in
The command runs repeatedly in the folder in which it ran, and writes its files
there each time. Its output goes to RESULT/trials-1. Standard input, if it is a
file, is read from the beginning in each run.
exit code: 0 the runs were made, 2 they could not be, 130 interrupted: what is
known by then is kept
"""


def add(subparsers) -> None:
    """The command and its options."""
    command = subparsers.add_parser(
        "verify",
        help="try advice in interleaved runs of your command",
        usage="advisor verify [options] RESULT [-- mpirun … ./program …]",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("result", metavar="RESULT", help="a result folder of advisor run")
    _add_changes(command.add_argument_group("what is tried"))
    _add_measuring(command.add_argument_group("how it is timed and judged"))
    _add_campaign(command.add_argument_group("the campaign"))
    command.set_defaults(run=run)


def _add_changes(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--advice",
        metavar="ID",
        action="append",
        default=[],
        help=(
            "only these findings or experiments, by their rule; again or with commas for several"
            " (default: all findings that settings can do)"
        ),
    )
    group.add_argument(
        "--setting",
        metavar="TEXT",
        action="append",
        default=[],
        help="also settings of your own: NAME=value …, or options of the launcher",
    )
    group.add_argument(
        "--against",
        metavar="COMMAND",
        action="append",
        default=[],
        help=(
            "also another command: other arguments, input or program; 'ID: COMMAND' says which"
            " finding it cures"
        ),
    )
    add_rules(group)


def _add_measuring(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--metric",
        metavar="REGEX",
        default="",
        help=(
            "what is timed: a regular expression for a line of the output, FILE:REGEX for a file,"
            f" or one of {', '.join(PRESETS)} (default: the wall clock)"
        ),
    )
    group.add_argument(
        "--higher-is-better",
        action="store_true",
        help=(
            "what --metric finds is a rate; units like ns/day and GFLOP/s behind the number are"
            " known without"
        ),
    )
    group.add_argument(
        "--check",
        metavar="CMD",
        default="",
        help=(
            "run by sh after each run, with the output's name in ADVISOR_TRIAL_OUTPUT; fails: the"
            " change breaks the program"
        ),
    )
    group.add_argument(
        "--margin",
        metavar="SHARE",
        default="1",
        help="effects up to this are the same (default: 1%%)",
    )
    group.add_argument(
        "--pairs",
        metavar="N",
        type=int,
        default=12,
        help="pairs of runs at most for each change (default: 12)",
    )


def _add_campaign(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--budget",
        metavar="TIME",
        default="30m",
        help="no pair of runs begins that would not end in time (default: 30m)",
    )
    group.add_argument(
        "--dry-run", action="store_true", help="say what would run and what it may cost"
    )
    group.add_argument(
        "--remember",
        action="store_true",
        help=(
            "remember the verdicts for other runs, in $ADVISOR_EVIDENCE or in your data folder"
            " (always if ADVISOR_EVIDENCE is set)"
        ),
    )
    group.add_argument("--json", action="store_true", help="the outcome as JSON on standard output")
    group.add_argument("--yes", action="store_true", help=consent.HELP)


def run(arguments: argparse.Namespace) -> int:
    """Plan, say the cost, run, record, report."""
    budget = plan.length(arguments.budget, "--budget")
    pairs = plan.pairs_allowed(arguments.pairs)
    margin = plan.share(arguments.margin, "--margin")
    with Progress("reading the result", "judging it") as progress:
        profile = opening.read(arguments.result)
        folder = remembered.folder_of(profile)
        if folder is None:
            raise UserError(
                f"{arguments.result} is not a result folder: what is verified has no place to go.",
                do="Give the folder that advisor run made.",
            )
        begin = choosing.recorded_command(profile, arguments.words, arguments.yes)
        progress.stage(1)
        forgetting = bool(arguments.advice or arguments.against)
        advice = judged(profile, arguments.rules, forgetting)
    changes = _changes(begin, profile, advice, arguments)
    # What was typed after -- is another command than the recorded one: its length is not known.
    seconds = None if arguments.words else profile.run.job_seconds
    cost = plan.Cost(
        len(changes),
        seconds,
        max(1, len(profile.nodes)),
        budget,
        pairs,
    )
    limits = Limits(margin, cost.most, None, 2 * (seconds or 0.0))
    timed = metric(arguments.metric, begin.directory, arguments.higher_is_better)
    if arguments.dry_run:
        return verifying_run.show_plan(cost, begin, changes, arguments.json)
    verifying_run.state(cost, begin, changes, say(False))
    refusal = cost.refusal()
    if refusal:
        raise refusal
    campaign = Campaign(begin, dict(os.environ), folder, timed, arguments.check, limits)
    # A batch system ends us like this, and what is known must stay.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    done = verifying_run.execute(campaign, changes, cost, profile, folder)
    verifying_run.conclude(done, profile, folder, arguments)
    return 130 if campaign.stopped == "interrupted" else 2 if campaign.stopped else 0


def _changes(
    begin: Command, profile: Profile, advice: Advice, arguments: argparse.Namespace
) -> List[Change]:
    """What was asked for by name must be possible; what comes from all that is doable is left out
    with the reason if it is not."""
    changes = [
        Change(name, rules, {}, command)
        for name, rules, command in (
            choosing.another(text, advice, begin) for text in arguments.against
        )
    ]
    for each in _chosen(advice, profile, arguments):
        try:
            changes.append(
                Change(
                    each.name,
                    each.rules,
                    each.settings,
                    choosing.applied(begin, each.settings, profile),
                    each.risky_start,
                )
            )
        except UserError as problem:
            if arguments.advice or not each.rules:
                raise
            complain(problem)
    if not changes:
        raise UserError("No advice of this result can be tried here.")
    return changes


def _chosen(advice, profile, arguments: argparse.Namespace) -> List[choosing.Chosen]:
    if arguments.against and not (arguments.advice or arguments.setting):
        return []
    chosen = choosing.asked_for(advice, arguments.advice, arguments.setting, trying=True)
    if not (arguments.advice or consent.own(profile)):
        chosen = _without_names_of_others(chosen, arguments.rules)
    if not chosen:
        names = ",".join(each.name for each in choosing.to_try(advice))
        if names:
            raise UserError(
                "No advice of this result can be tried by settings, but experiments can.",
                do=f"Name those to try: --advice {names}",
            )
        raise UserError(
            "No advice of this result can be tried by settings.",
            do=(
                "Try settings of your own (--setting NAME=value), or another command (--against"
                " 'ID: COMMAND')"
            ),
        )
    return chosen


def _without_names_of_others(
    chosen: List[choosing.Chosen], rules: List[str]
) -> List[choosing.Chosen]:
    """Of a result of somebody else's without settings whose names it gives itself: it could have
    any variable set for a command of ours."""
    given = {
        rule.id
        for rule in read_rules(folders(rules)).rules
        if any("}=" in remedy.text for remedy in rule.remedies)
    }
    for each in (one for one in chosen if given & set(one.rules)):
        left_out = (
            f"{each.name} is left out: nothing shows that you recorded this result, and it names"
            f" {shlex.join(each.settings)} itself."
        )
        complain(UserError(left_out, do=f"To try it all the same: --advice {each.name}"))
    return [each for each in chosen if not given & set(each.rules)]
