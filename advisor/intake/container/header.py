"""The facts in a header ⇄ the nouns of the model. Unknown keys are left out: a newer minor version
may add some."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any, Dict, List, Mapping, Optional, Tuple

from advisor.intake.container.library_name import named
from advisor.intake.untrusted.damage import Damage, mapping, sequence, text, whole
from advisor.model.message import known
from advisor.model.profile import (
    Application,
    Fact,
    Gap,
    Library,
    Node,
    Profile,
    Run,
    Setting,
    Totals,
)

FORMAT, VERSION = "advisor-profile", (1, 0)
"""A reader of the same major version reads what it knows; a newer minor version may say more."""
_WORDS = ("arguments", "launch_line")
_NUMBERS = ("job_seconds",)
_TOTALS = tuple(field.name for field in fields(Totals))
_INTEGERS = ("exit_code", "ranks_expected")


class Newer(ValueError):
    """The file has a major version that we do not know."""


def understand(content: Mapping[str, Any]) -> None:
    """Nothing, if this is the header of a profile of our major version. Raises Damage, Newer."""
    if content.get("format") != FORMAT:
        raise Damage(f"its format is not {FORMAT}")
    numbers = sequence(content.get("version"), "its version")
    if len(numbers) != 2:
        raise Damage("its version is not two numbers")
    major, minor = (
        whole(numbers[0], "its major version", 1, 10**6),
        whole(numbers[1], "its minor version", 0, 10**6),
    )
    if major > VERSION[0]:
        raise Newer(f"{major}.{minor}")


MOST = 10_000
"""Settings, gaps, and settings of the program that are read. Libraries have some thousands of
control variables; a report lists all."""


def listed(
    content: Mapping[str, Any],
) -> Tuple[Tuple[Setting, ...], Optional[Application], Tuple[Gap, ...]]:
    """Settings, application and gaps; of more than MOST of a kind the first, and a gap that says
    how many there are."""
    settings_of, gaps_of = (
        sequence(content.get(name) or [], name) for name in ("settings", "gaps")
    )
    program = content.get("application")
    own = (
        list(mapping(mapping(program, "application").get("settings", {}), "facts").items())
        if program is not None
        else []
    )
    counts = (
        ("setting", "settings", len(settings_of)),
        ("application", "settings of the program", len(own)),
        ("gaps", "gaps", len(gaps_of)),
    )
    more = tuple(
        Gap(
            subject,
            f"the first {MOST} {words} are read, and {count - MOST} more are in the file",
            "",
        )
        for subject, words, count in counts
        if count > MOST
    )
    first = None if program is None else application({**program, "settings": dict(own[:MOST])})
    return settings(settings_of[:MOST]), first, gaps(gaps_of[:MOST]) + more


def run(value: Any) -> Run:
    """Run from its object; a missing program is empty."""
    given: Dict[str, Any] = {"program": ""}
    for name, content in mapping(value or {}, "run").items():
        if name not in {field.name for field in fields(Run)}:
            continue
        if name in _WORDS:
            given[name] = tuple(text(word, name) for word in sequence(content, name))
        elif name in _NUMBERS:
            given[name] = None if content is None else _seconds(content, name)
        elif name in _INTEGERS:
            given[name] = None if content is None else whole(content, name, -(2**31), 2**31 - 1)
        else:
            given[name] = text(content, name)
    return Run(**given)


def library(value: Any) -> Library:
    """Library from its object."""
    content = mapping(value or {}, "library")
    words = {
        name: text(content[name], name)
        for name in ("name", "version", "text", "standard", "path")
        if name in content
    }
    found = Library(**words, facts=facts(content.get("facts", {})))
    return named(found) if found.name in ("", "unknown") else found


def nodes(value: Any) -> Tuple[Node, ...]:
    """Hosts in the order that ranks.node counts them."""
    return tuple(
        Node(
            text(mapping(node, "a host").get("name"), "a host's name"), facts(node.get("facts", {}))
        )
        for node in sequence(value or [], "nodes")
    )


def facts(value: Any) -> Mapping[str, Fact]:
    """Facts from {key: [value, source]}."""
    return {
        text(key, "a fact"): _fact(key, content) for key, content in mapping(value, "facts").items()
    }


def settings(value: Any) -> Tuple[Setting, ...]:
    """Settings in force."""
    return tuple(
        Setting(
            text(mapping(one, "a setting").get("name"), "a setting's name"),
            text(one.get("value", ""), "a setting's value"),
            text(one.get("source", ""), "a setting's source"),
            one.get("differs") is True,
        )
        for one in sequence(value or [], "settings")
    )


def application(value: Any) -> Optional[Application]:
    """Application, or None."""
    if value is None:
        return None
    content = mapping(value, "application")
    return Application(
        text(content.get("name"), "the application's name"), facts(content.get("settings", {}))
    )


def gaps(value: Any) -> Tuple[Gap, ...]:
    """What was not seen."""
    read = (
        [
            text(mapping(gap, "a gap").get(name, ""), f"a gap's {name}")
            for name in ("subject", "reason", "collect")
        ]
        for gap in sequence(value or [], "gaps")
    )
    return tuple(Gap(subject, known(reason), known(collect)) for subject, reason, collect in read)


def totals(value: Any) -> Totals:
    """What is known of the whole job only."""
    content = mapping(value or {}, "totals")
    known = {name: content.get(name) for name in _TOTALS}
    return Totals(
        **{
            name: None if number is None else _seconds(number, name)
            for name, number in known.items()
        }
    )


def _fact(key: str, content: Any) -> Fact:
    pair = sequence(content, f"fact {key}")
    if len(pair) != 2 or not isinstance(pair[0], (str, int, float, bool, type(None))):
        raise Damage(f"fact {key} is not a value and its source")
    if isinstance(pair[0], float) and not math.isfinite(pair[0]):
        raise Damage(f"fact {key} is not a finite number")
    value = text(pair[0], key) if isinstance(pair[0], str) else pair[0]
    return Fact(value, text(pair[1], f"the source of {key}"))


def _seconds(value: Any, name: str) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or not math.isfinite(value)
        or value < 0
    ):
        raise Damage(f"{name} is not a time")
    return float(value)


def plain(profile: Profile) -> Dict[str, Any]:
    """The facts of a profile as JSON, without its tables."""
    return {
        "format": FORMAT,
        "version": list(VERSION),
        "run": {field.name: _json(getattr(profile.run, field.name)) for field in fields(Run)},
        "library": {
            **{
                n: getattr(profile.library, n)
                for n in ("name", "version", "text", "standard", "path")
            },
            "facts": _facts(profile.library.facts),
        },
        "nodes": [{"name": node.name, "facts": _facts(node.facts)} for node in profile.nodes],
        "settings": [
            {"name": s.name, "value": s.value, "source": s.source, "differs": s.differs}
            for s in profile.settings
        ],
        "application": (
            profile.application
            and {"name": profile.application.name, "settings": _facts(profile.application.settings)}
        ),
        "gaps": [
            {"subject": gap.subject, "reason": gap.reason, "collect": gap.collect}
            for gap in profile.gaps
        ],
        **(
            {"totals": {name: getattr(profile.totals, name) for name in _TOTALS}}
            if profile.totals != Totals()
            else {}
        ),
    }


def _facts(values: Mapping[str, Fact]) -> Dict[str, List[Any]]:
    return {key: [fact.value, fact.source] for key, fact in values.items()}


def _json(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
