"""From the remedies of a rule to steps for this run: chosen, filled in, and offered only as far as
they are possible here."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from typing import Dict, List, Mapping, Tuple

from advisor.advice.judging.dialect import for_scheduler
from advisor.advice.judging.prerequisites import prerequisite
from advisor.advice.language import sentence
from advisor.advice.language.expression import parse
from advisor.advice.language.scope import Scope
from advisor.advice.language.unknown import Unknown
from advisor.advice.rulebook.schema import COMMANDS
from advisor.advice.rulebook.selectors import OTHER, covers
from advisor.model.finding import Prerequisite, State, Step
from advisor.model.library import MADE_FROM, TITLES
from advisor.model.message import joined, message
from advisor.model.rule import Remedy, Rule

BETTER = (
    State.DOABLE,
    State.REQUEST,
    State.DEVELOPER,
    State.EXPERIMENT,
    State.WITHHELD,
    State.NO_SETTING,
)
RESULTS, START = "results", "start"
RISKS = {
    RESULTS: message(
        "It can change what the program computes: only who knows the program can tell that it does"
        " not. advisor never sets, applies or verifies it."
    ),
    START: message(
        "The job may not start with it: advisor verify looks at that before it compares times."
    ),
    "slower": message("It can make a run slower: compare times before you keep it."),
}
"""What a remedy of that risk says first of when it hurts."""
_SETTING = "setting"
_VARIABLE = re.compile(r"([A-Za-z_][\w.]*)=(.+)", re.DOTALL)


def steps(rule: Rule, scope: Scope) -> Tuple[Step, ...]:
    """The remedies for this run, doable ones first, but of a program that nobody knows the change
    of its source before advice to look for an option. None fits: one step that says so. No remedies
    at all: none.

    What is written for "any" is always among them; for "other" only if nothing else fits, or if all
    of that is withheld. What is for another setting than the one at hand is left out.
    """
    facts = _as_remedies_name_it(rule, run_facts(scope))
    remedies = [
        each
        for each in rule.remedies
        if all(
            parse(need, _SETTING).evaluate(scope) is not False
            for need in each.needs
            if _tells_settings_apart(need, rule)
        )
    ]
    chosen = [
        step(each, rule, scope)
        for each in remedies
        if each.applies != OTHER and covers(each.applies, facts)
    ]
    if all(each.state is State.WITHHELD for each in chosen):
        chosen += [step(each, rule, scope) for each in remedies if each.applies == OTHER]
    if not chosen and rule.remedies:
        return (_no_equivalent(rule, facts),)
    code_first = not facts["application"] and any(each.state is State.DEVELOPER for each in chosen)
    return tuple(sorted(chosen, key=lambda each: _place(each, code_first)))


def _place(found: Step, code_first: bool) -> float:
    behind_code = BETTER.index(State.DEVELOPER) + 0.5
    if code_first and found.state is State.DOABLE and _vague(found):
        return behind_code
    return BETTER.index(found.state)


def _vague(found: Step) -> bool:
    """Whether a step asks the user to find an option. A known application has a manual; a program
    without one is most often run by those who wrote it."""
    return found.kind == "do" and found.who == "you" and not found.change


def _as_remedies_name_it(rule: Rule, facts: Mapping[str, str]) -> Mapping[str, str]:
    """The facts, with the library that this one is made from in its place where no remedy names it
    itself."""
    name = facts["library"]
    if name not in MADE_FROM or any(
        part.split()[0] == name for each in rule.remedies for part in each.applies.split(" and ")
    ):
        return facts
    return {**facts, "library": MADE_FROM[name]}


def _tells_settings_apart(need: str, rule: Rule) -> bool:
    """Whether a need is about the row of a rule that looks at settings: no capability, but which
    setting a remedy is for."""
    return rule.look.each == _SETTING and all(
        name.startswith(f"{_SETTING}.") for name in parse(need, _SETTING).names
    )


def withdrawn(found: Tuple[Step, ...], reason: str) -> Tuple[Step, ...]:
    """The steps, none of them offered any more, because of a caveat."""
    return tuple(replace(each, state=State.WITHHELD, reason=reason) for each in found)


def run_facts(scope: Scope) -> Mapping[str, str]:
    """What selectors compare with: library, version, application, launcher, scheduler; empty where
    unknown."""
    columns = {
        "library": ("library", "name"),
        "version": ("library", "version"),
        "application": ("application", "name"),
        "launcher": ("run", "launcher"),
        "scheduler": ("run", "scheduler"),
    }
    values = {name: scope.value(*column) for name, column in columns.items()}
    return {name: value if isinstance(value, str) else "" for name, value in values.items()}


def state_of(found: Tuple[Step, ...]) -> State:
    """The best that can be done about a finding."""
    return min((each.state for each in found), key=BETTER.index, default=State.NO_SETTING)


def step(remedy: Remedy, rule: Rule, scope: Scope) -> Step:
    """One remedy with its numbers filled in, and its state."""
    each = rule.look.each
    text = (sentence.fill_command if remedy.kind in COMMANDS else sentence.fill_advice)(
        remedy.text, scope, each
    )
    needs = tuple(
        prerequisite(need, each, scope)
        for need in remedy.needs
        if not _tells_settings_apart(need, rule)
    )
    request = sentence.fill(remedy.request, scope, each).text
    state, reason = _state(remedy, needs, text.unknown, request)
    return Step(
        kind=remedy.kind,
        text=for_scheduler(text.text, run_facts(scope)["scheduler"]),
        who=_who(remedy, state),
        check=sentence.fill_advice(remedy.check, scope, each).text,
        undo=sentence.fill_advice(remedy.undo, scope, each).text,
        source=remedy.source,
        state=state,
        effort=5 if state is State.REQUEST else remedy.effort,
        prerequisites=needs,
        request=request,
        reason=reason,
        file=remedy.file,
        instead=sentence.fill_advice(remedy.instead, scope, each).text,
        hurts=(RISKS[remedy.risk],) if remedy.risk else (),
        risk=remedy.risk,
        change=sentence.fill_advice(remedy.change, scope, each).text,
    )


def _who(remedy: Remedy, state: State) -> str:
    if state is State.REQUEST:
        return "centre"
    return "developer" if remedy.risk == RESULTS else remedy.who


def _state(
    remedy: Remedy, needs: Tuple[Prerequisite, ...], unknown: Unknown, request: str
) -> Tuple[State, str]:
    lacking = [each.lacking for each in needs if not each.holds]
    if lacking:
        reason = message("it needs {reasons}", reasons=joined("; ", lacking))
        return (State.REQUEST if request else State.WITHHELD), reason
    if unknown.missing and remedy.kind in COMMANDS:
        reason = message("a number in it is not known: {reason}", reason=unknown.reason())
        return State.WITHHELD, reason
    if remedy.risk == RESULTS:
        return State.DEVELOPER, ""
    return {"centre": State.REQUEST, "developer": State.DEVELOPER, "nobody": State.NO_SETTING}.get(
        remedy.who, State.DOABLE
    ), ""


def _no_equivalent(rule: Rule, facts: Mapping[str, str]) -> Step:
    library = f"{TITLES.get(facts['library'], facts['library'])} {facts['version']}".strip()
    others = list(dict.fromkeys(each.applies for each in rule.remedies))
    if not facts["library"]:
        text, reason = (
            message("The MPI library of this run is not known, so no setting can be named."),
            message("library not known"),
        )
    else:
        text, reason = (
            message(
                "No MPI setting helps: {library} has no equivalent known to this rule.",
                library=library,
            ),
            message("remedies are known for {libraries}", libraries=", ".join(others)),
        )
    return Step("do", text, "you", "", "", "", State.NO_SETTING, 5, reason=reason)


def settings_of(found: Step) -> Dict[str, str]:
    """The settings that a doable step asks for. Variables by name; options of the launcher begin
    with -. None of what can change results: nothing sets that by itself.

    `--mca NAME VALUE` is the variable OMPI_MCA_NAME, so that both ways to write it meet.
    """
    if found.risk == RESULTS:
        return {}
    if found.kind == "set":
        given = map(_VARIABLE.fullmatch, _words(found.text))
        return {match[1]: match[2] for match in given if match}
    return _options(_words(found.text)) if found.kind == "launch" else {}


def _words(text: str) -> List[str]:
    """As a shell takes them apart: what is quoted is one value, whatever it looks like. Values may
    be texts of somebody else's profile."""
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _options(words: List[str]) -> Dict[str, str]:
    options, at = {}, 0
    while at < len(words):
        word, rest = words[at], words[at + 1 :]
        if word in ("--mca", "-mca") and len(rest) >= 2:
            options[f"OMPI_MCA_{rest[0]}"], at = rest[1], at + 3
        elif word in ("-x", "-genv", "-env") and rest and _VARIABLE.fullmatch(rest[0]):
            options.update(_VARIABLE.findall(rest[0]))
            at += 2
        elif word in ("-genv", "-env") and len(rest) >= 2:
            options[rest[0]], at = rest[1], at + 3
        elif word.startswith("-") and "=" in word:
            options[word.partition("=")[0]], at = word.partition("=")[2], at + 1
        elif word.startswith("-") and rest and not rest[0].startswith("-"):
            options[word], at = rest[0], at + 2
        elif word.startswith("-"):
            options[word], at = "", at + 1
        else:
            options.update(_VARIABLE.findall(word) if _VARIABLE.fullmatch(word) else ())
            at += 1
    return options
