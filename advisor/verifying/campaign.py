"""All that is to be verified of one result: each change alone, then those that proved better
together."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from advisor.model.errors import UserError
from advisor.model.message import message
from advisor.model.verified import Verified
from advisor.verifying import trial
from advisor.verifying.metric import Found, Metric, value
from advisor.verifying.pairs import BASELINE, VARIANT, Limits, Measured, Pairs, measure_pairs
from advisor.verifying.trial import Command

TOGETHER = "all together"
START = "start"
_START_SECONDS = 60.0
"""A job that has not failed by then has started; what it does is then a matter of the pairs."""
_SLOWER, _MORE = 5.0, 60.0
"""A variant is ended after so many times the slowest baseline, and so many seconds more: it hangs,
or is worse beyond doubt."""


@dataclass(frozen=True)
class Change:
    """What is tried. `command`: the user's with it applied."""

    name: str
    rules: Tuple[str, ...]
    settings: Mapping[str, str]
    command: Command
    risky_start: bool = False
    """The job may not start with it: that is looked at first."""


@dataclass
class Campaign:
    """What is the same for all changes of one campaign."""

    baseline: Command
    environment: Mapping[str, str]
    folder: Path
    """Where the output of the runs goes."""
    metric: Metric = Metric()
    check: str = ""
    """A command of the shell; another exit code than 0 says that a run gave a wrong result."""
    limits: Limits = Limits()
    runs: List[Dict[str, object]] = field(default_factory=list)
    """All runs: change, side, seconds on the wall clock, what was timed, exit code, output."""
    stopped: str = ""
    """Why the campaign ended early: interrupted, or the command itself fails."""
    slowest: float = 0.0
    inverse: bool = False
    """The program prints rates, and what is compared is the time for the same work."""

    def measure(self, change: Change, side: str) -> Measured:
        """Run one side once."""
        command = change.command if side == VARIANT else self.baseline
        limit = self.slowest * _SLOWER + _MORE if side == VARIANT and self.slowest else None
        output, began = self.folder / f"{len(self.runs) + 1:03}-{side}.out", time.time()
        ended = trial.run(command, self.environment, output, limit)
        found = self._judged(ended, command, began)
        if side == BASELINE:
            self.slowest = max(self.slowest, ended.seconds)
        self.runs.append(
            {
                "change": change.name,
                "side": side,
                "wall": ended.seconds,
                "seconds": found.seconds,
                "code": ended.code,
                "why": found.why,
                "output": output.name,
            }
        )
        return found

    def start_fails(self, change: Change) -> str:
        """Why the job does not start with a change, which runs for a minute at most; empty if it
        does."""
        output = self.folder / f"{len(self.runs) + 1:03}-{START}.out"
        ended = trial.run(change.command, self.environment, output, _START_SECONDS)
        failed = bool(ended.code) and ended.code != trial.TOO_LONG
        why = (
            message("the job does not start with it: {reason}", reason=self._exit(ended))
            if failed
            else ""
        )
        self.runs.append(
            {
                "change": change.name,
                "side": START,
                "wall": ended.seconds,
                "seconds": None,
                "code": 0 if not failed else ended.code,
                "why": why,
                "output": output.name,
            }
        )
        return why

    @staticmethod
    def _exit(ended: trial.Ended) -> str:
        errors = ended.output.with_suffix(".err").name
        return ended.why or message("exit code {code}, see {file}", code=ended.code, file=errors)

    def _judged(self, ended: trial.Ended, command: Command, began: float) -> Measured:
        if ended.why or ended.code:
            return Measured(None, self._exit(ended))
        found = (
            Found(ended.seconds, False)
            if self.metric.pattern is None
            else value(self.metric, ended.output, command.directory, began)
        )
        if found is None:
            untimed = message(
                "no time was found with --metric {metric}, see {file}",
                metric=self.metric.name,
                file=ended.output.name,
            )
            return Measured(None, untimed)
        wrong = self._check(ended.output, command) if self.check else ""
        self.inverse = found.inverse
        return Measured(None, wrong) if wrong else Measured(found.seconds)

    @property
    def timed_by(self) -> str:
        """What is timed, in words."""
        return f"the inverse of {self.metric.name}" if self.inverse else self.metric.name

    def _check(self, output: Path, command: Command) -> str:
        """Empty if the check is content."""
        added = {**command.added, "ADVISOR_TRIAL_OUTPUT": str(output)}
        with open(output.with_suffix(".check"), "wb") as said:
            done = subprocess.run(
                ["/bin/sh", "-c", self.check],
                env={**self.environment, **added},
                cwd=command.directory,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
            )
        if not done.returncode:
            return ""
        return message(
            "the check ended with code {code}, see {file}",
            code=done.returncode,
            file=output.with_suffix(".check").name,
        )


Told = Callable[[Change, Pairs, float], None]


def verify(
    campaign: Campaign,
    changes: Sequence[Change],
    together: Callable[[Sequence[Verified]], Optional[Change]],
    tell: Told,
) -> Iterator[Verified]:
    """Each change alone, with an equal part of the time that is left; then what `together` makes of
    those that are better."""
    found: List[Verified] = []
    # The last part of the time is for all together, which takes two.
    parts = len(changes) + (len(changes) > 1)
    for place, change in enumerate(changes):
        found.append(_one(campaign, change, parts - place, tell))
        yield found[-1]
        if campaign.stopped:
            return
    last = together(found)
    if last is not None:
        yield _one(campaign, last, 1, tell)


def _one(campaign: Campaign, change: Change, parts: int, tell: Told) -> Verified:
    limits, now = campaign.limits, time.monotonic()
    if limits.deadline is not None:
        limits = Limits(
            limits.margin, limits.pairs, now + (limits.deadline - now) / parts, limits.pair_seconds
        )
    pairs = _not_starting(campaign, change) or measure_pairs(
        lambda side: campaign.measure(change, side),
        limits,
        lambda known, left: tell(change, known, left),
    )
    if pairs.interrupted:
        campaign.stopped = "interrupted"
    elif pairs.baseline_failed:
        campaign.stopped = f"the command as it was failed: {pairs.reason}"
    return said(change, pairs, limits.margin, campaign.timed_by)


def _not_starting(campaign: Campaign, change: Change) -> Optional[Pairs]:
    """The verdict on a change with which the job does not start; None if it does, or need not be
    looked at. That it is the change's fault shows a run without it."""
    if not change.risky_start:
        return None
    try:
        why = campaign.start_fails(change)
        if not why:
            return None
        before = Measured(1.0) if campaign.slowest else campaign.measure(change, BASELINE)
    except KeyboardInterrupt:
        return Pairs(reason="interrupted", interrupted=True)
    if before.seconds is None:
        return Pairs(reason=before.why, baseline_failed=True)
    return Pairs(verdict="breaks", reason=why)


def said(change: Change, pairs: Pairs, margin: float, metric: str) -> Verified:
    """What the pairs say of a change."""
    known = pairs.interval()
    effect, low, high = known.effect() if known else (None, None, None)
    return Verified(
        name=change.name,
        rules=change.rules,
        settings=change.settings,
        verdict=pairs.verdict,
        pairs=known.pairs if known else len(pairs.ratios),
        effect=effect,
        low=low,
        high=high,
        margin=margin,
        metric=metric,
        baseline=pairs.typical(BASELINE),
        variant=pairs.typical(VARIANT),
        reason=pairs.reason,
        dropped=bool(known and known.dropped),
        middle=known.middle if known else "mean",
        date=time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    )


def compatible(found: Sequence[Verified]) -> Tuple[Verified, ...]:
    """Those that are better, the best first, without what wants another value for a setting than
    one before it; none if fewer than two.

    Other commands are left out: how two of them become one is not known.
    """
    kept: List[Verified] = []
    settings: Dict[str, str] = {}
    for each in sorted(
        (one for one in found if one.verdict == "better" and one.settings),
        key=lambda one: one.effect or 0.0,
    ):
        if all(settings.get(name, wanted) == wanted for name, wanted in each.settings.items()):
            kept.append(each)
            settings.update(each.settings)
    return tuple(kept) if len(kept) > 1 else ()


def trials_folder(result: Path) -> Path:
    """A new folder for the output of the runs of a campaign: RESULT/trials-1, trials-2 … Raises
    UserError if there can be none."""
    number = 1
    while True:
        folder = result.resolve() / f"trials-{number}"
        try:
            os.mkdir(folder)
            return folder
        except FileExistsError:
            number += 1
        except OSError as error:
            raise UserError(
                f"{folder} cannot be made: {error.strerror}.",
                "Nothing was run.",
                "Copy the result to a folder that can be written, and verify the copy.",
            ) from error
