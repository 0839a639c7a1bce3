"""The commands around the runs of `verify`: cost, progress, records, and the outcome."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, Dict, Mapping, Optional, Sequence

from advisor import __version__
from advisor.cli import choosing, consent, remembered, sealing, worth
from advisor.base.durations import duration
from advisor.cli.messages import complain, say
from advisor.cli.progress import Progress
from advisor.launching.parse.masking import mask
from advisor.model.errors import UserError
from advisor.model.harmless import json_text
from advisor.model.profile import Profile
from advisor.model.verified import Verified
from advisor.reports.composing.verified import effect, sentence
from advisor.verifying import campaign as campaigns
from advisor.verifying import evidence, plan, record
from advisor.verifying.campaign import Campaign, Change
from advisor.verifying.pairs import Limits, Pairs
from advisor.verifying.statistics import outlook
from advisor.verifying.trial import Command

_NAME, _LEAST = 20, 8
"""Letters of a change's name by which it is known, and by which it is at least told apart."""


def written(command: Command) -> str:
    """A command as it can be pasted; what looks like a secret is masked."""
    return consent.shown(command)


def state(
    cost: plan.Cost, begin: Command, changes: Sequence[Change], tell: Callable[[str], None]
) -> None:
    """The cost, before anything runs."""
    tell(f"as it is: {written(begin)}")
    for change in changes:
        tell(f"against it: {written(change.command)}   ({change.name})")
    for text in cost.sentences():
        tell(text)


def show_plan(cost: plan.Cost, begin: Command, changes: Sequence[Change], as_json: bool) -> int:
    """For --dry-run."""
    if not as_json:
        state(cost, begin, changes, print)
        return 0
    tried = [
        {"name": each.name, "settings": dict(each.settings), "command": written(each.command)}
        for each in changes
    ]
    most = cost.seconds(cost.pairs)
    print(
        json_text(
            {
                "command": written(begin),
                "changes": tried,
                "runs_at_most": 2 * cost.pairs,
                "seconds_at_most": most,
                "host_hours_at_most": None if most is None else most * cost.hosts / 3600,
            },
            indent=1,
        )
    )
    return 0


def execute(
    campaign: Campaign, changes: Sequence[Change], cost: plan.Cost, profile: Profile, folder: Path
) -> Dict[str, Any]:
    """All runs. The record is written after each verdict, so that whatever ends us leaves what is
    known."""
    record.read(folder)  # A damaged record would lose what the runs say: better told before them.
    campaign.folder = campaigns.trials_folder(folder)
    campaign.limits = replace(campaign.limits, deadline=time.monotonic() + cost.budget)
    done: Dict[str, Any] = {
        "began": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "command": written(campaign.baseline),
        "directory": str(campaign.baseline.directory),
        "metric": campaign.metric.name,
        "check": mask([campaign.check], os.environ)[0],
        "trials": campaign.folder.name,
        "load_before": _load(),
        "results": [],
    }
    progress = Trying(campaign.limits, changes, cost)
    with progress:
        for found in campaigns.verify(
            campaign,
            changes,
            lambda known: _together(known, campaign.baseline, profile),
            progress.pair_done,
        ):
            progress.verdict(found)
            done["results"].append(record.plain(found))
            done.update(runs=campaign.runs, stopped=campaign.stopped)
            record.write(folder, done, f"advisor {__version__}")
    return done


def conclude(done: Mapping[str, Any], profile: Profile, folder: Path, arguments: Any) -> None:
    """Remember, write the reports again, and print what came out."""
    found = [record.from_plain(each) for each in done["results"]]
    if arguments.remember or os.environ.get(evidence.VARIABLE):
        _remember(profile, found, arguments.words)
    if (folder / "report.txt").exists():
        with Progress(*sealing.STAGES) as progress:
            sealing.advise(profile, folder, arguments.rules, True, progress)
    if done.get("stopped") and done["stopped"] != "interrupted":
        complain(
            UserError(
                f"Stopped: {done['stopped']}.",
                f"What the command printed is in {folder / str(done['trials'])}.",
            )
        )
    if arguments.json:
        print(json_text(done, indent=1))
    # There each verdict has just been said.
    elif not (sys.stdout.isatty() and sys.stderr.isatty()):
        print("\n".join(f"{each.name}: {sentence(each)}" for each in found))
    if not arguments.json:
        for text in filter(None, (worth.saved(each, profile) for each in found)):
            print(text)
    say(arguments.json)(
        f"kept in {folder / record.FILE}; what the runs printed is in"
        f" {folder / str(done['trials'])}"
    )


def _remember(profile: Profile, found: Sequence[Verified], typed: Optional[Sequence[str]]) -> None:
    program = os.path.basename(profile.run.program)
    # The recorded command started the program, if need be by a script that does not show it; a
    # typed one may be of another.
    if typed and not any(program in word for word in typed):
        complain(
            UserError(
                f"Not remembered for other runs: the result is of {program}, which this command"
                " does not name."
            )
        )
        return
    reported = [
        each
        for each in remembered.as_evidence(profile, found)
        if each.verified.verdict != "undecided"
    ]
    try:
        evidence.append(evidence.place(os.environ), reported)
    except UserError as problem:
        complain(problem)


def _together(found: Sequence[Verified], begin: Command, profile: Profile) -> Optional[Change]:
    """All that proved better and fits together."""
    kept = campaigns.compatible(found)
    if not kept:
        return None
    settings = {name: value for each in kept for name, value in each.settings.items()}
    rules = tuple(rule for each in kept for rule in each.rules)
    return Change(campaigns.TOGETHER, rules, settings, choosing.applied(begin, settings, profile))


def _load() -> Optional[float]:
    """Running processes of this host, mean over a minute: who reads the numbers later may want to
    know."""
    try:
        return round(os.getloadavg()[0], 2)
    except OSError:
        return None


class Trying(Progress):
    """Which change is tried, which pair of runs is under way, and how long all that is left may
    take; a line that stays for each verdict. Once for each change, that noise is too large for its
    pairs."""

    def __init__(self, limits: Limits, changes: Sequence[Change], cost: plan.Cost) -> None:
        super().__init__("making the runs")
        self.limits, self.warned = limits, ""
        self.names = [each.name for each in changes]
        if len(changes) > 1:
            self.names.append(campaigns.TOGETHER)
        self.done_with, self.pair, self.so_far = 0, 1, ""
        most = cost.seconds(cost.pairs)
        self.ends = None if most is None else self.begun + most

    def pair_done(self, change: Change, pairs: Pairs, left: float) -> None:
        """A pair of a change was run; `left`: seconds that its others take at most."""
        known, now = pairs.interval(), time.monotonic()
        bleak = (
            outlook(known, self.limits.margin, self.limits.pairs)
            if known and self.warned != change.name
            else ""
        )
        if bleak:
            self.warned = change.name
            self.tell(f"{change.name}: {bleak}; Ctrl-C ends it here and keeps what is known")
        self.pair = min(len(pairs.ratios) + 1, self.limits.pairs)
        self.so_far = effect(campaigns.said(change, pairs, self.limits.margin, "wall clock"))
        # Those after it take as long a pair, but no longer than the budget.
        others = (len(self.names) - self.done_with - 1) * self.limits.pairs
        pairs_left = max(1, self.limits.pairs - len(pairs.ratios))
        self.ends = now + left + others * left / pairs_left
        if self.limits.deadline is not None:
            self.ends = min(self.ends, max(now, self.limits.deadline))

    def verdict(self, found: Verified) -> None:
        """What became of a change."""
        self.tell(f"{found.name}: {sentence(found)}")
        self.done_with, self.pair, self.so_far = self.done_with + 1, 1, ""

    def line(self, seconds: float) -> str:
        """After so many seconds. The name of the change gives way where there is no room."""
        if self.done_with >= len(self.names):
            return super().line(seconds)
        of = f" ({self.done_with + 1} of {len(self.names)})" if len(self.names) > 1 else ""
        left = self.ends and duration(max(0.0, self.ends - time.monotonic()))
        until = f", ≤ {left} left" if left else f", {duration(seconds)}"
        said = f"{of}: pair {self.pair} of {self.limits.pairs}{until}"
        so_far = f"; {self.so_far}" if self.so_far else ""
        return fitting(self.names[self.done_with], said, so_far, self.room)


def fitting(name: str, said: str, more: str, room: int) -> str:
    """A line that does not wrap: `more` gives way before a name that would no longer be known."""
    front = "advisor: "
    room -= len(front) + len(said)
    if room - len(more) < min(len(name), _NAME):
        more = ""
    room -= len(more)
    if len(name) > room:
        name = f"{name[: room - 3]}..." if room > _LEAST else ""
    return front + (name + said + more).lstrip(" :")
