"""At most three things to do, each with what it may save, its caution and one command. Findings
that explain the same time are one of them."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import replace
from typing import Callable, List, Mapping, Optional, Sequence, Tuple

from advisor.base.numbers import seconds
from advisor.model.finding import Advice, Finding, State
from advisor.model.message import changed, joined, message
from advisor.reports.composing.changed_line import changed_line
from advisor.reports.composing.experiment import experiments
from advisor.reports.composing.unexplained import unexplained_sentence
from advisor.reports.composing.whole_run import MOSTLY_STARTING, by_role, is_healthy, whole
from advisor.reports.document import Action, Item
from advisor.reports.first_screen import Advised, mail_of
from advisor.reports.lookup import Lookup

MOST = 3
WORTH, WORTH_IN_SHORT = 0.02, 0.1
"""Of the whole run: what explains less is no action, however grave its rule. The second of runs
that are mostly start-up."""
_MCA, _BALANCE = "OMPI_MCA_", "balance"
TESTS = ("uneven-hosts", "slow-host")
"""Rules whose remedy is a run that tells which of two explanations holds."""
_TELLS = {
    True: message("To tell which: {other}"),
    False: message("{do} If nothing changes: {other}"),
}
_THEN_RUN, _CALL_PATHS = message("Then run:"), message("To see the call paths:")
_NOT_OFFERED = (State.WITHHELD, State.NO_SETTING)
_SENTENCE = re.compile(r"(?<=[a-z0-9)`]\.)\s+(?=[A-Z])")

Line = Callable[[Mapping[str, str]], Optional[str]]
"""Settings → the user's launch line with them; None where it is not known."""


def actions(
    run: Lookup, advice: Advice, items: Sequence[Item], line: Line, balance: bool
) -> Tuple[Tuple[Advised, ...], int]:
    """What to do, most worth doing first; and how many findings are not among it. `balance`: the
    verdict names load imbalance, so it stands first here too."""
    pairs = list(zip(advice.findings, items))
    counting = [pair for pair in pairs if _counts(run, *pair)]
    if balance:
        counting.sort(key=lambda pair: (pair[0].severity != "must", pair[0].folder != _BALANCE))
    chosen = counting[:MOST]
    rivals = {
        finding.rival_of: entry for finding, entry in reversed(pairs) if _rivals(finding, entry)
    }
    commands: List[str] = []
    found = []
    for finding, entry in chosen:
        rival = rivals.get(finding.rule)
        made = _advised(run, advice, finding, entry, rival, line, commands)
        if rival is not None:
            made = replace(made, title=_title(finding, made.title, rival, balance))
        found.append(made)
        commands.append(made.command)
    more = (*_unexplained(run, advice), *_experiments(advice, run.profile.source))
    found += [each for each in more if each.command not in commands][: MOST - len(found)]
    merged = sum(finding.rule in rivals for finding, _ in chosen)
    left = len(items) - len(chosen) - merged
    return tuple(found), left


def _counts(run: Lookup, finding: Finding, entry: Item) -> bool:
    if finding.rival_of or finding.folder == "measurement" or finding.severity == "note":
        return False
    if finding.state in _NOT_OFFERED and not any(each.request for each in entry.actions):
        return False
    stake = _stake(run, finding, entry)
    return stake is None or stake >= _worth(run)


def _worth(run: Lookup) -> float:
    """Seconds that an action has to be about."""
    all_ = whole(run)
    starting = by_role(run).get("startup", 0.0) >= MOSTLY_STARTING * all_
    return (WORTH_IN_SHORT if starting else WORTH) * all_


def _rivals(finding: Finding, entry: Item) -> bool:
    """Whether it explains the time of another, and something can be done about it."""
    can = finding.state not in _NOT_OFFERED or any(each.request for each in entry.actions)
    return bool(finding.rival_of) and finding.severity != "note" and can


def _stake(run: Lookup, finding: Finding, entry: Item) -> Optional[float]:
    """Seconds that it is about: what it may save at most, or what it explains; None: not known."""
    known = run.measures.causes
    own = float(known.means[list(finding.causes)].sum()) if known and finding.causes else None
    if entry.gain is None:
        return own
    return entry.gain.high if own is None else max(own, entry.gain.high)


def _advised(
    run: Lookup,
    advice: Advice,
    finding: Finding,
    entry: Item,
    rival: Optional[Item],
    line: Line,
    earlier: Sequence[str],
) -> Advised:
    """`earlier`: commands of actions before, which stand there."""
    action, title = entry.actions[0], entry.title
    if finding.severity == "must":
        title = message("Must: {title}", title=title)
    do, command, lead = _what(run, action, advice.settings or {}, line)
    if command in earlier:
        command = lead = ""
    if rival is not None and rival.rule in TESTS:
        _, command, _ = _what(run, rival.actions[0], {}, line)
    if rival is not None:
        test = changed(rival.actions[0].text, first_sentence)
        do = _TELLS[rival.rule in TESTS].of(do=do, other=test) if do or rival.rule in TESTS else do
    if entry.verified:
        tried = message("Verified: {result}", result=entry.verified)
        do = joined(" ", [text for text in (tried, do) if text])
    if do and lead and rival is None:
        do = joined(" ", (do, lead))
    return Advised(
        finding=entry.number,
        title=title,
        do=do,
        gain=_gain(run, finding, entry),
        who=action.who,
        command=command,
        file=action.file if action.command else "",
        caution=changed(entry.hurts[0], first_sentence) if entry.hurts else "",
    )


def _title(finding: Finding, title: str, rival: Item, balance: bool) -> str:
    """Both explanations, the one of the verdict first."""
    first, second = title, rival.title
    if balance and rival.folder == _BALANCE != finding.folder:
        first, second = second, first
    return message("{finding}; or: {rival}", finding=first, rival=second)


def _gain(run: Lookup, finding: Finding, entry: Item) -> str:
    if entry.gain is not None:
        return entry.gain.text
    stake = _stake(run, finding, entry)
    if stake is None:
        return message("not estimated")
    return message("some of {time}", time=seconds(stake))


def _what(
    run: Lookup, action: Action, settings: Mapping[str, str], line: Line
) -> Tuple[str, str, str]:
    """What to do in a sentence, where the command does not say it; the command; and what leads to
    it, where it does not hold the change itself."""
    if action.state == State.REQUEST.value:
        return message("Send the request to your centre."), mail_of(shlex.quote(result_of(run))), ""
    if not action.command:
        changed_ = changed_line(run.profile.run, action.change, line) if action.change else ""
        if changed_:
            return changed(action.text, first_sentence), changed_, ""
        in_code = action.kind == "code" or action.state == State.DEVELOPER.value
        command = again(run, in_code)
        lead = (_CALL_PATHS if in_code else _THEN_RUN) if command else ""
        return changed(action.text, first_sentence), command, lead
    if action.kind == "input":
        return "", action.text, ""
    own = {name: value for name, value in settings.items() if _named(name) in action.text}
    return "", (line(own) if own else None) or action.paste or action.text, ""


def _named(name: str) -> str:
    return name[len(_MCA) :] if name.startswith(_MCA) else name


def again(run: Lookup, stacks: bool = False) -> str:
    """The same run once more under advisor; `stacks`: with call paths. Empty where the launch line
    is not known."""
    words = run.profile.run.launch_line
    if not words:
        return ""
    option = "--stacks " if stacks else ""
    return f"advisor run {option}-- {shlex.join(words)}"


def result_of(run: Lookup) -> str:
    """The result folder where the profile lies in one, else the file."""
    source = run.profile.source
    folder, name = os.path.split(source)
    return folder if folder and name == "profile" else source or "RESULT"


def first_sentence(text: str) -> str:
    """Up to the first full stop that ends a sentence."""
    return _SENTENCE.split(" ".join(text.split()), maxsplit=1)[0]


def _unexplained(run: Lookup, advice: Advice) -> Tuple[Advised, ...]:
    """Time that no finding explains is a thing to look at."""
    left = advice.unexplained
    if is_healthy(run):
        return ()
    sentence = unexplained_sentence(run, advice)
    if left is None or not sentence or left.seconds < _worth(run):
        return ()
    amount = message("some of {time}", time=seconds(left.seconds))
    command = again(run, True)
    lead = _CALL_PATHS if command else ""
    return (Advised(0, sentence, lead, amount, "", command),)


def _experiments(advice: Advice, source: str) -> Tuple[Advised, ...]:
    """What nobody knows to help here, and may be tried."""
    return tuple(
        Advised(
            0,
            each.title,
            each.before,
            message("to be tried"),
            "",
            each.command,
            caution=changed(each.hurts[0], first_sentence) if each.hurts else "",
        )
        for each in experiments(advice.experiments, source)
    )
