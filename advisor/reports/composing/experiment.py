"""Experiments: what to try, against what, and with which command. Below the findings, since nobody
knows yet whether it helps here."""

from __future__ import annotations

import os
import shlex
from typing import Sequence, Tuple

from advisor.model.finding import Finding, Step
from advisor.model.message import message
from advisor.model.verified import Verified
from advisor.reports.composing import verified
from advisor.reports.document import Experiment

_INPUT = "input"


def experiments(
    found: Sequence[Finding], source: str, tried: Sequence[Verified] = ()
) -> Tuple[Experiment, ...]:
    """One for each rule: its first change; the others are alternatives to it. `source`: where the
    profile came from; `tried`: what runs said of changes."""
    result = os.path.dirname(source) if os.path.basename(source) == "profile" else source
    return tuple(_experiment(each, result or "RESULT", tried) for each in found)


def _experiment(finding: Finding, result: str, tried: Sequence[Verified]) -> Experiment:
    step = finding.steps[0]
    return Experiment(
        rule=finding.rule,
        folder=finding.folder,
        title=finding.title.rstrip("."),
        subject=finding.subject,
        kind=step.kind,
        text=step.text.strip(),
        file=step.file,
        reason=step.reason,
        command=_command(finding, step, result),
        before=(
            message(
                "Change {file} in a copy of the folder, and put the command that runs there in"
                " place of COMMAND.",
                file=step.file,
            )
            if step.kind == _INPUT
            else ""
        ),
        check=step.check,
        undo=step.undo,
        hurts=tuple(dict.fromkeys((*step.hurts, *finding.hurts))),
        source=step.source,
        risk=step.risk,
        verified=verified.of_finding(finding, tried),
    )


def _command(finding: Finding, step: Step, result: str) -> str:
    """Files of the program are not ours to change: their variant is another command."""
    name = shlex.quote(result) if result != "RESULT" else result
    if step.kind == _INPUT:
        return f"advisor verify {name} --against '{finding.rule}: COMMAND'"
    return f"advisor verify {name} --advice {finding.rule}"
