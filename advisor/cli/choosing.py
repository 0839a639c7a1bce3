"""Settings of remedies, as `verify`, `apply` and `run --with` take them from advice."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

from advisor.advice.judging.remedies import START, settings_of
from advisor.cli import consent
from advisor.cli.messages import say
from advisor.launching.parse.line import parse
from advisor.launching.parse.masking import MASK, mask
from advisor.launching.run import endpoints
from advisor.model.errors import UserError
from advisor.model.finding import Advice, Finding, State, Step
from advisor.model.message import unstopped
from advisor.model.profile import Profile
from advisor.reports.composing.actions import first_sentence
from advisor.reports.composing.launch_line import launch_line
from advisor.verifying.trial import Command

_VARIABLE = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_RULE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)+")


@dataclass(frozen=True)
class Chosen:
    """Settings, and the rule that asks for them; no rule if they are the user's own."""

    name: str
    rules: Tuple[str, ...]
    settings: Mapping[str, str]
    risky_start: bool = False
    """The job may not start with them."""


def doable(advice: Advice) -> List[Chosen]:
    """The first doable step of each finding that is a matter of settings."""
    return _first_settings(advice.findings, State.DOABLE)


def to_try(advice: Advice) -> List[Chosen]:
    """The first experiment of each rule that is a matter of settings: for verify, not for apply."""
    return _first_settings(advice.experiments, State.EXPERIMENT)


def _first_settings(findings: Sequence[Finding], state: State) -> List[Chosen]:
    chosen = []
    for finding in findings:
        steps = (step for step in finding.steps if step.state is state and settings_of(step))
        first = next(steps, None)
        if first is not None:
            chosen.append(
                Chosen(finding.rule, (finding.rule,), settings_of(first), first.risk == START)
            )
    return chosen


def by_id(advice: Advice, ids: Sequence[str], trying: bool = False) -> List[Chosen]:
    """Those with these ids, in their order; IDs may be joined by commas. `trying`: experiments too.
    Raises UserError if one is not there, or no setting."""
    known = {each.name: each for each in to_try(advice)} if trying else {}
    known.update({each.name: each for each in doable(advice)})
    wanted = list(dict.fromkeys(part for text in ids for part in text.split(",") if part))
    for name in wanted:
        if name not in known:
            raise _not_doable(name, advice, list(known))
    return [known[name] for name in wanted]


def typed(text: str) -> Chosen:
    """Settings of the user's own: NAME=value, or options of the launcher. Raises UserError if there
    are none."""
    step = Step("launch", text, "you", "", "", "", State.DOABLE, 1)
    settings = settings_of(step)
    if not settings:
        raise UserError(
            f"{text!r} is no setting.",
            do="Write NAME=value, or an option of the launcher: --setting '--bind-to core'",
        )
    return Chosen(text, (), settings)


def asked_for(
    advice: Advice, ids: Sequence[str], texts: Sequence[str], trying: bool = False
) -> List[Chosen]:
    """Those with these ids and the settings that were typed; where neither was given, all that is
    doable. `trying`: experiments may be named. Raises UserError."""
    own = [typed(text) for text in texts]
    return [*by_id(advice, ids, trying), *own] if ids or own else doable(advice)


def merged(chosen: Sequence[Chosen]) -> Dict[str, str]:
    """All settings as one. Raises UserError if two want another value for the same."""
    settings: Dict[str, str] = {}
    for each in chosen:
        for name, value in each.settings.items():
            if settings.setdefault(name, value) != value:
                raise UserError(
                    f"{each.name} wants {name} to be {value!r}, and another one"
                    f" {settings[name]!r}.",
                    do="Choose one of them.",
                )
    return settings


def recorded_command(profile: Profile, words: Optional[Sequence[str]], agreed: bool) -> Command:
    """The command of a result, or the one that was typed after two dashes. Raises UserError if it
    cannot be repeated.

    A recorded one goes to nobody who might start its launcher, if only to ask for its version,
    before the user wants it: see consent.py.
    """
    run = profile.run
    if words:
        return Command(tuple(words), {}, Path.cwd())
    behind = "Write it after two dashes: advisor verify RESULT -- mpirun … ./program …"
    if not run.launch_line:
        raise UserError("The result does not say how its program was started.", do=behind)
    if any(MASK in word for word in run.launch_line):
        raise UserError(
            "The recorded command has a secret in it, which was not recorded.",
            "It cannot be repeated as it stands.",
            behind,
        )
    if (
        not run.launcher
        and (run.ranks_expected or len(next(iter(profile.tables.get("ranks", {}).values()), ())))
        != 1
    ):
        raise UserError(
            "The run was recorded from inside its launch line, which therefore is not known.",
            do=behind,
        )
    if run.directory and not os.path.isdir(run.directory):
        raise UserError(
            f"The folder {run.directory}, in which the program ran, is not here.", do=behind
        )
    command = Command(run.launch_line, {}, Path(run.directory or os.getcwd()))
    consent.ask(profile, command, agreed)
    return command


def another(text: str, advice: Advice, begin: Command) -> Tuple[str, Tuple[str, ...], Command]:
    """Another command to be tried, "ID: COMMAND" or "COMMAND": its name, the finding that it cures,
    and the command. Raises UserError."""
    front, colon, rest = text.partition(": ")
    known = (*advice.findings, *advice.experiments)
    cures = bool(colon) and any(each.rule == front.strip() for each in known)
    if colon and not cures and _RULE.fullmatch(front.strip()):
        raise UserError(
            f"--against {front.strip()}: this result has no such finding.",
            do="Give the command alone: --against 'mpirun -n 4 ./app -nk 2'",
        )
    try:
        words = shlex.split(rest if cures else text)
    except ValueError as error:
        raise UserError(f"{text!r} is no command: {error}.") from None
    first = next(
        (place for place, word in enumerate(words) if not _VARIABLE.fullmatch(word)), len(words)
    )
    if first == len(words):
        raise UserError(
            f"{text!r} is no command.", do="Write all of it: --against 'mpirun -n 4 ./app -nk 2'"
        )
    added = dict(word.split("=", 1) for word in words[:first])
    command = Command(tuple(words[first:]), {**begin.added, **added}, begin.directory)
    return (
        (front.strip(), (front.strip(),), command)
        if cures
        else (_difference(mask(words, os.environ), begin.words), (), command)
    )


def _difference(words: Sequence[str], before: Sequence[str]) -> str:
    """The words that the other command has not, "-ndiag 1"; all of them if it only lacks some."""
    return " ".join([word for word in words if word not in before] or words)


def applied(command: Command, settings: Mapping[str, str], profile: Profile) -> Command:
    """The command with settings, as reports write it, and with our own library if they ask for it.
    Raises UserError if they cannot be applied."""
    own = endpoints.own(settings)
    begin = _with_variables(
        command, {name: value for name, value in settings.items() if name not in own}, profile
    )
    return (
        replace(begin, words=endpoints.inserted(begin.words, own, os.environ, say(False)))
        if own
        else begin
    )


def preloading(settings: Mapping[str, str], profile: Profile, agreed: bool) -> Dict[str, str]:
    """The settings, with LD_PRELOAD among them if they ask for our own library. Raises UserError if
    it cannot be built."""
    if not endpoints.own(settings):
        return dict(settings)
    return {
        **settings,
        "LD_PRELOAD": str(
            endpoints.built(recorded_command(profile, None, agreed).words, os.environ, say(False))
        ),
    }


def _with_variables(command: Command, settings: Mapping[str, str], profile: Profile) -> Command:
    line = parse(command.words, os.environ)
    program = line.words[line.programs[0].index] if line.programs else profile.run.program
    run = replace(profile.run, launch_line=command.words, program=program)
    written = launch_line(run, profile.library.name, settings, ())
    if written is None:
        options = [name for name in settings if name.startswith("-")]
        if options:
            raise UserError(
                f"{' '.join(options)}: no launcher that takes this was found in"
                f" {shlex.join(command.words)}."
            )
        return replace(command, added={**command.added, **settings})
    words = shlex.split(written.text)
    front = 0
    while words[front] not in command.words and "=" in words[front]:
        front += 1
    return replace(
        command,
        words=tuple(words[front:]),
        added={**command.added, **dict(word.split("=", 1) for word in words[:front])},
    )


def _not_doable(name: str, advice: Advice, known: List[str]) -> UserError:
    tried = next((each for each in advice.experiments if each.rule == name), None)
    if tried is not None:
        how = f"--advice {name}" if settings_of(tried.steps[0]) else f"--against '{name}: COMMAND'"
        return UserError(
            f"{name} is an experiment: nothing near this run shows that it helps.",
            do=f"Try it first: advisor verify RESULT {how}",
        )
    finding = next((each for each in advice.findings if each.rule == name), None)
    do = (
        f"Doable by settings here: {', '.join(known)}."
        if known
        else "No setting on offer helps here."
    )
    if finding is None:
        return UserError(f"The report of this result has no finding {name}.", do=do)
    reason = next((step.reason for step in finding.steps if step.reason), "")
    if not reason and finding.steps and finding.steps[0].state is State.DOABLE:
        return UserError(
            f"{name} has no setting that could be applied; it says:"
            f" {first_sentence(finding.steps[0].text)}",
            do=f"Change it yourself, or try it: advisor verify RESULT --against '{name}: COMMAND'",
        )
    reason = unstopped(reason or finding.state.value)
    return UserError(f"{name} has no setting that could be applied: {reason}.", do=do)


def overlay_name(chosen: Sequence[Chosen], result: Path) -> str:
    """What was applied, and where it comes from: "single-copy,many-barriers of
    app.4r.1234.advisor"."""
    # it becomes a line of a script
    return " ".join(f"{','.join(each.name for each in chosen)} of {result.resolve().name}".split())


def latest_result(folder: Path) -> Path:
    """The newest result folder in a folder. Raises UserError if there is none."""
    found = [place.parent for place in folder.glob("*/profile") if place.is_file()]
    if not found:
        raise UserError(f"There is no result in {folder}.", do="Name one: --of RESULT")
    return max(found, key=lambda place: (place / "profile").stat().st_mtime)
