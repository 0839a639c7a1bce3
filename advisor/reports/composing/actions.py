"""At most three things to do, each with what it may save, its caution and one command. Findings
that explain the same time are one of them."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import replace
from typing import Callable, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from advisor.base.numbers import HARD, seconds
from advisor.model.finding import Advice, Finding, State
from advisor.model.message import changed, joined, message, unstopped
from advisor.reports.composing.changed_line import changed_line
from advisor.reports.composing.experiment import experiments
from advisor.reports.composing.order import LAST
from advisor.reports.composing.stake import ceiling_of, from_rows, rows_of, some_of, stake_of
from advisor.reports.composing.unexplained import unexplained
from advisor.reports.composing.whole_run import MOSTLY_STARTING, by_role, is_healthy, whole
from advisor.reports.document import Action, Item
from advisor.reports.first_screen import Advised, Policy, mail_of
from advisor.reports.lookup import Lookup

MOST = 3
WORTH, WORTH_IN_SHORT = 0.02, 0.1
"""Of the whole run: what explains less is no action, however grave its rule. The second of runs
that are mostly start-up."""
_MCA = "OMPI_MCA_"
TESTS = ("uneven-hosts", "slow-host")
"""Rules whose remedy is a run that tells which of two explanations holds."""
_TELLS = {
    True: message("To tell which: {other}"),
    False: message("To tell which: {do} If nothing changes: {other}"),
}
PICKLED = ("python-objects", "python-objects-in-collectives")
"""Rules on pickled objects, whose time outside MPI looks like load imbalance: what else takes the
time of the same calls is no other explanation."""
_BOTH = message("{do} Besides: {other}")
_BESIDE = message("In the program: {other} To see what a setting does, first try:")
_THEN_RUN, _CALL_PATHS = message("Then run:"), message("To see the call paths:")
_LINE = re.compile(r":\d+$")
_SENTENCE = re.compile(r"(?<=[a-z0-9)`]\.)\s+(?=[A-Z])")

LOOK = 0.1
"""Of the whole: so much time without an explanation is worth a look; small waits have many."""
MOSTLY = 0.9
"""Of the time in MPI: so much at lines that are known is nearly all."""
STARVED = "cores-taken-by-others"
"""The rule that finds what such a verdict says."""
ASLEEP = "asleep-outside-mpi"
"""Its share holds time in a queue for a core too, where the rows of the screen tell the two apart:
of a starved run it is no action."""
CUT = "run-was-cut"
"""The rule that finds what stands above the verdict of a killed run."""

Pair = Tuple[Finding, Item]
Line = Callable[[Mapping[str, str]], Optional[str]]
"""Settings → the user's launch line with them; None where it is not known."""


def actions(
    run: Lookup, advice: Advice, items: Sequence[Item], line: Line, starved: bool = False
) -> Tuple[Tuple[Advised, ...], int]:
    """What to do, most worth doing first; and how many findings are neither among it nor
    policies. `starved`: the verdict says that ranks had no core."""
    pairs = list(zip(advice.findings, items))
    chosen = [
        pair for pair in pairs if _counts(run, *pair) and not (starved and pair[0].rule == ASLEEP)
    ][:MOST]
    chosen += [pair for pair in pairs if pair[0].rule == CUT][: MOST - len(chosen)]
    rivals = {pair[0].rival_of: pair for pair in reversed(pairs) if _rivals(*pair)}
    commands: List[str] = []
    found = []
    for pair in chosen:
        made = _advised(run, advice, pair, rivals.get(pair[0].rule), line, commands)
        if pair[0].rule == CUT or (starved and pair[0].rule == STARVED):
            made = _in_short(made, pair)
        found.append(made)
        commands.append(made.command)
    more = (*_unexplained(run, advice), *_experiments(advice, run.profile.source))
    found += [each for each in more if each.command not in commands][: MOST - len(found)]
    merged = sum(finding.rule in rivals for finding, _ in chosen)
    asked = sum(finding.policy for finding in advice.findings)
    return tuple(found), len(items) - len(chosen) - merged - asked


def policies(advice: Advice, items: Sequence[Item]) -> Tuple[Policy, ...]:
    """What the site asks for and this run does not meet."""
    return tuple(
        Policy(entry.number, _must(finding, entry), _meeting(entry))
        for finding, entry in zip(advice.findings, items)
        if finding.policy
    )


def _must(finding: Finding, entry: Item) -> str:
    return (
        message("Must: {title}", title=entry.title) if finding.severity == "must" else entry.title
    )


def _meeting(entry: Item) -> str:
    step = entry.actions[0]
    offered = step.command and step.state == State.DOABLE.value
    return step.paste or step.text if offered else ""


def _counts(run: Lookup, finding: Finding, entry: Item) -> bool:
    if finding.rival_of or finding.policy or finding.folder == "measurement":
        return False
    if finding.severity == "note":
        return False
    if finding.state in LAST and not any(each.request for each in entry.actions):
        return False
    stake = stake_of(run, finding, entry)
    return stake is None or stake >= _worth(run)


def _worth(run: Lookup) -> float:
    """Seconds that an action has to be about."""
    return _worth_share(run) * whole(run)


def _worth_share(run: Lookup) -> float:
    starting = by_role(run).get("startup", 0.0) >= MOSTLY_STARTING * whole(run)
    return WORTH_IN_SHORT if starting else WORTH


def least_worth(run: Lookup) -> str:
    """The share of the run that an action has to be about."""
    return f"{100 * _worth_share(run):.0f}{HARD}%"


def _rivals(finding: Finding, entry: Item) -> bool:
    """Whether it explains the time of another, and something can be done about it."""
    can = finding.state not in LAST or any(each.request for each in entry.actions)
    return bool(finding.rival_of) and finding.severity != "note" and can


def _advised(
    run: Lookup,
    advice: Advice,
    pair: Pair,
    rival: Optional[Pair],
    line: Line,
    earlier: Sequence[str],
) -> Advised:
    """`rival`: another explanation of the same time; `earlier`: commands of actions before, which
    stand there."""
    finding, entry = pair
    step = entry.actions[0]
    do, command, lead = _what(run, step, advice.settings or {}, line)
    if command in earlier:
        command = lead = ""
    if rival is not None:
        other = rival[1].actions[0]
        test = changed(other.text, first_sentence)
        if rival[1].rule in TESTS:
            step, (_, command, _) = other, _what(run, other, {}, line)
            do = _TELLS[True].of(other=test)
        elif do:
            both = finding.rule in PICKLED or rival[0].rule in PICKLED
            do = (_BOTH if both else _TELLS[False]).of(do=do, other=test)
            do = joined(" ", (do, lead)) if lead == _CALL_PATHS else do
        elif command:
            do = _BESIDE.of(other=test)
    elif do and lead:
        do = joined(" ", (do, lead))
    tried = message("Verified: {result}", result=entry.verified) if entry.verified else ""
    bounded = _estimated(pair, rival) or ceiling_of(run, finding) is not None
    rows = "" if bounded else from_rows(rows_of(run, finding.causes))
    numbers = [each[1].number for each in (pair, rival) if each is not None]
    return Advised(
        finding=min(numbers),
        title=_title(pair, rival),
        do=joined(" ", [text for text in (tried, do) if text]),
        gain=_gain(run, pair, rival),
        rows=rows,
        who=entry.actions[0].who,
        command=command,
        file=step.file if step.command else "",
        caution=_caution(finding),
        most=_most(pair, rival),
        check=step.check,
        undo=step.undo,
        either=rival is not None,
        help_url=entry.help_url,
    )


def _caution(finding: Finding) -> str:
    """Of what is shown, or of whatever is done; never of another step alone."""
    own = (*(finding.steps[0].hurts if finding.steps else ()), *finding.hurts)
    return changed(own[0], first_sentence) if own else ""


def _in_short(made: Advised, pair: Pair) -> Advised:
    """What to do alone: the lines above have said what was found."""
    entry = pair[1]
    if made.title != entry.title or not entry.actions[0].text:
        return made
    return replace(made, title=unstopped(entry.actions[0].text), do="")


def _both(pair: Pair, rival: Optional[Pair]) -> List[Pair]:
    """The explanations, in the order of the findings."""
    return sorted(
        (each for each in (pair, rival) if each is not None), key=lambda each: each[1].number
    )


def _estimated(pair: Pair, rival: Optional[Pair]) -> bool:
    """Whether the gain of the first explanation is known."""
    return _both(pair, rival)[0][1].gain is not None


def _title(pair: Pair, rival: Optional[Pair]) -> str:
    """All explanations; what the second may save stands behind it."""
    first, *others = (entry for _, entry in _both(pair, rival))
    if not others:
        return first.title
    (second,) = others
    if {first.rule, second.rule} & set(PICKLED):
        return message("{finding}; and: {rival}", finding=first.title, rival=second.title)
    if second.gain is None:
        return message("{finding}; or: {rival}", finding=first.title, rival=second.title)
    return message(
        "{finding}; or: {rival} ({gain})",
        finding=first.title,
        rival=second.title,
        gain=second.gain.text,
    )


def _gain(run: Lookup, pair: Pair, rival: Optional[Pair]) -> str:
    """Of the first explanation; where that is not known, the time that both explain."""
    first = _both(pair, rival)[0][1]
    if first.gain is not None:
        return first.gain.text
    most = ceiling_of(run, pair[0])
    if most is not None:
        return message("at most {amount}", amount=seconds(most))
    amount = stake_of(run, *pair)
    return message("not estimated") if amount is None else some_of(amount)


def _most(pair: Pair, rival: Optional[Pair]) -> str:
    """The upper bound of the gain that `_gain` says."""
    gain = _both(pair, rival)[0][1].gain
    if gain is None:
        return ""
    most: str = seconds(gain.ceiling)
    if not gain.ceiling_name:
        return most
    return message("{amount} ({name})", amount=most, name=gain.ceiling_name)


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
    """The same run once more under advisor; `stacks`: with call paths, or how to see those that it
    has. Empty where the launch line is not known, or the calls of the program are told by lines."""
    if stacks and run.numbers("stack.time") is not None:
        return f"advisor show {shlex.quote(result_of(run))} stack"
    words = run.profile.run.launch_line
    if not words or (stacks and _shows_lines(run)):
        return ""
    option = "--stacks " if stacks else ""
    return f"advisor run {option}-- {shlex.join(words)}"


def _shows_lines(run: Lookup) -> bool:
    """Whether nearly all time in MPI is told by lines of the program itself, so that the ways to
    them tell little more; calls within a library are told by who calls it."""
    times, sites = run.numbers("operation.time"), run.texts("operation.site")
    if times is None or not sites:
        return False
    within = {
        operation
        for operation, file, module in zip(
            run.texts("site.operation"), run.texts("site.file"), run.texts("site.module")
        )
        if file and ".so" in os.path.basename(module)
    }
    own = [
        bool(_LINE.search(site)) and name not in within
        for name, site in zip(run.texts("operation.name"), sites)
    ]
    return float(np.nansum(times[own])) >= MOSTLY * float(np.nansum(times))


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
    left = unexplained(run, advice)
    if is_healthy(run) or left is None or left.seconds < max(_worth(run), LOOK * whole(run)):
        return ()
    command = again(run, True)
    lead = _CALL_PATHS if command else ""
    amount, rows = some_of(left.seconds), from_rows(left.rows)
    return (Advised(0, left.sentence, lead, amount, "", command, rows=rows),)


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
