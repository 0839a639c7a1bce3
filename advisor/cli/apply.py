"""`advisor apply`: advice as files that a job takes up, or in a copy of its script."""

from __future__ import annotations

import argparse
import difflib
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import List, Mapping, Optional, Sequence, Tuple

from advisor import bundling
from advisor.cli.arguments import add_rules
from advisor.cli import choosing, consent, opening, remembered
from advisor.cli.by_hand import by_hand
from advisor.cli.messages import say
from advisor.base import launcher_names
from advisor.base.suggestions import nearest
from advisor.cli.progress import Progress, with_progress
from advisor.cli.report import judged
from advisor.cli.started_program import other_program, refuse_other_program
from advisor.model.errors import UserError
from advisor.model.finding import Advice
from advisor.model.launch_options import contradicted
from advisor.model.profile import Profile
from advisor.reports.composing.launch_line import launch_line
from advisor.reports.document import LaunchLine
from advisor.verifying import overlay, replacing, script, undoing

EXAMPLES = """examples:
  advisor apply RESULT
      all that settings can do, as files in RESULT/overlay
  advisor apply RESULT --advice single-copy --to job.sh
      a copy, job.advisor.sh, with that setting; the difference is shown
  advisor apply RESULT --setting OMPI_MCA_pml=ucx
      a setting of your own, and no others
  advisor apply RESULT --to job.sh --in-place
      job.sh itself
  advisor undo RESULT
      undoes all of it, byte for byte
RESULT is what advisor report takes. Settings go into the launch lines of its
program; lines of other programs stay as they are. The next result of advisor run
names what was applied.
"""
_COPY = ".advisor"


def add(subparsers) -> None:
    """The command and its options."""
    command = subparsers.add_parser(
        "apply",
        help="write advice as an overlay, or into a copy of a job script",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "result",
        metavar="RESULT",
        help="a result folder, a profile file, a ticket, or another tool's file",
    )
    command.add_argument(
        "--advice",
        metavar="ID",
        action="append",
        default=[],
        help=(
            "only these findings, by their rule; again or with commas for several (default: all"
            " that settings can do)"
        ),
    )
    command.add_argument(
        "--setting",
        metavar="TEXT",
        action="append",
        default=[],
        help=(
            "settings of your own, such as advisor verify found better: NAME=value …, or options of"
            " the launcher"
        ),
    )
    command.add_argument(
        "--to", metavar="SCRIPT", type=Path, help="put it into a copy of this job script"
    )
    command.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        help="name of the copy (default: job.advisor.sh for job.sh)",
    )
    command.add_argument(
        "--in-place",
        action="store_true",
        help="change the script itself; its bytes are kept for advisor undo",
    )
    add_rules(command)
    command.add_argument(
        "--force",
        action="store_true",
        help="also into launch lines of other programs than the result's",
    )
    command.add_argument("--yes", action="store_true", help=consent.HELP)
    command.set_defaults(run=run)


@with_progress("reading the result", "judging it")
def run(arguments: argparse.Namespace, progress: Progress) -> int:
    """Write the overlay; the diff or what to paste goes to standard output."""
    if arguments.to:
        _read(arguments.to)
    profile = opening.read(arguments.result)
    result = remembered.folder_of(profile) or Path(arguments.result)
    progress.stage(1)
    advice = judged(profile, arguments.rules, forgetting=bool(arguments.advice))
    progress.done()
    chosen = choosing.asked_for(advice, arguments.advice, arguments.setting)
    edits = [] if arguments.advice or arguments.setting else _edits(advice, chosen)
    if not chosen:
        raise _nothing(arguments, edits)
    settings, name = (
        choosing.preloading(choosing.merged(chosen), profile, arguments.yes),
        choosing.overlay_name(chosen, result),
    )
    line = launch_line(profile.run, profile.library.name, settings, ())
    if opening.is_ticket(arguments.result):
        line = _without_pseudonyms(settings, line)
    changed = _script(arguments, settings, name, profile) if arguments.to else None
    folder = overlay.write(result, name, settings, line.text if line else "")
    if changed:
        _put(arguments, folder, result, changed)
    else:
        say(False)(f"wrote {folder}; {_way_back(result)}")
        say(False)(
            f"{'run this line, or ' if line else ''}put this in front of yours: ."
            f" {shlex.quote(str(folder / 'overlay.sh'))}"
        )
        print(
            line.text if line else (folder / "overlay.sh").read_text(encoding="utf-8"),
            end="\n" if line else "",
        )
    return 0


def _edits(advice: Advice, chosen: Sequence[choosing.Chosen]) -> List[str]:
    """What is left to the user, said."""
    edits = by_hand(advice, [rule for each in chosen for rule in each.rules])
    for line in ["left to you, since no setting does it:", *edits] if edits else ():
        say(False)(line)
    return edits


def _nothing(arguments: argparse.Namespace, edits: Sequence[str]) -> UserError:
    own = "--setting NAME=value"
    if not edits:
        return UserError(
            "This result has no advice that is a setting: nothing is applied.",
            do=f"Name settings of your own: {own}",
        )
    script = str(arguments.to) if arguments.to else "your job script"
    result = shlex.quote(arguments.result)
    return UserError(
        "Nothing is applied: no advice of this result is a setting.",
        do=(
            f"Make the changes in {script}, your input or your program, run the job again with"
            f" advisor run, then: advisor compare {result} NEW"
        ),
    )


def _script(
    arguments: argparse.Namespace, settings: Mapping[str, str], name: str, profile: Profile
) -> script.Patched:
    """The script with the settings; before anything is written, so that a refusal leaves nothing
    behind."""
    text, known = _read(arguments.to), sorted(launcher_names.names())
    if not arguments.force:
        refuse_other_program(script.launches(text, known), profile, str(arguments.to))
    if "LD_PRELOAD" in settings and "LD_PRELOAD" in text:
        raise UserError(
            "The script sets LD_PRELOAD itself, and only one value can hold.",
            do=f"Add to it by hand: {settings['LD_PRELOAD']}",
        )
    return script.patched(
        text,
        settings,
        known,
        lambda launcher: _words(launcher, settings, profile),
        name,
        lambda launcher: contradicted(launcher, profile.library.name, settings),
        lambda launch: arguments.force or not other_program(launch, profile),
    )


def _without_pseudonyms(
    settings: Mapping[str, str], line: Optional[LaunchLine]
) -> Optional[LaunchLine]:
    """The launch line of a ticket, unless names were replaced in it. Raises UserError where they
    were in a setting."""
    for name, value in settings.items():
        if bundling.pseudonyms(value):
            raise UserError(
                f"{name} needs {value}, which stands for a name that advisor bundle replaced.",
                do="Apply it from the result that the ticket was made of.",
            )
    return None if line is None or bundling.pseudonyms(line.text) else line


def _put(
    arguments: argparse.Namespace, folder: Path, result: Path, changed: script.Patched
) -> None:
    source = arguments.to
    target = (
        source
        if arguments.in_place
        else arguments.output or source.with_name(source.stem + _COPY + source.suffix)
    )
    before = _read(source)
    try:
        overlay.put(folder, source, target, changed.text.encode("utf-8", "surrogateescape"))
    except UserError:
        overlay.discard(folder)
        raise
    lines = difflib.unified_diff(
        before.splitlines(), changed.text.splitlines(), str(source), str(target), lineterm=""
    )
    sys.stdout.buffer.write(("\n".join(lines) + "\n").encode("utf-8", "surrogateescape"))
    if not changed.lines:
        say(False)(
            "no launch line of a known launcher was found: the variables are exported at the top."
            " Check that the launcher hands them on to other hosts."
        )
    say(False)(f"{'changed' if arguments.in_place else 'wrote'} {target}; {_way_back(result)}")


def _words(
    launcher: str, settings: Mapping[str, str], profile: Profile
) -> Tuple[Sequence[str], Sequence[str]]:
    """Words in front of a launcher and behind it, as in the launch line of reports."""
    takes_variables = launcher in launcher_names.names_with("assignments")
    if takes_variables and any(not name.startswith("-") for name in settings):
        raise UserError(
            f"{launcher} takes variables in front of the program only.", do=script.BY_HAND
        )
    line = launch_line(
        replace(profile.run, launch_line=(launcher, "program"), program="program"),
        profile.library.name,
        settings,
        (),
    )
    words: List[str] = shlex.split(line.text) if line else []
    return words[: words.index(launcher)], words[words.index(launcher) + 1 : -1]


def _way_back(result: Path) -> str:
    plan = undoing.planned(result)
    return (
        f"advisor undo would refuse, since {plan.refusal}; to undo it by hand: {plan.by_hand()}"
        if plan.refusal
        else f"to undo it: advisor undo {shlex.quote(str(result))}"
    )


def _read(path: Path) -> str:
    try:
        return replacing.read(path).content.decode("utf-8", "surrogateescape")
    except UserError as problem:
        raise UserError(problem.what, do=_instead_of(path)) from None


def _instead_of(path: Path) -> str:
    """A script that was meant, or what to name."""
    try:
        near = nearest(path.name, [each.name for each in path.parent.iterdir() if each.is_file()])
    except OSError:
        near = ""
    if near and not path.exists():
        return f"Did you mean {shlex.quote(str(path.parent / near))}?"
    return "Give the job script that starts the program: --to job.sh"
