"""Remedies from intents: what one may want of an MPI library, in the words of each."""

from __future__ import annotations

from difflib import get_close_matches
from functools import lru_cache
from typing import Mapping, Sequence, Tuple

from advisor.base import resource_paths
from advisor.model.intent import FOLDER, VALUE, Intent, IntentMistake, Words, read_intents
from advisor.model.rule import Remedy

ANY = "any"


def from_intent(entry: Mapping, intents: Sequence[Intent] = ()) -> Tuple[Remedy, ...]:
    """A remedy for each library and range of versions that has words for entry["intent"].
    IntentMistake if it cannot be.

    `for` of the entry narrows them: "any" takes all, "openmpi" those of Open MPI. `value` fills
    {value}; `needs`, `request`, `check` and `undo` of the entry go with or before those of the
    words. What a library has no words for says so, and why. `intents`: those that may be named;
    empty: those of the rule book.
    """
    intent = _named(entry["intent"], intents or book())
    words = [
        each
        for each in intent.everywhere()
        if entry["for"] in (ANY, each.applies.partition(" ")[0])
    ]
    if not words:
        raise IntentMistake(f"{intent.id} has no words for {entry['for']}")
    if any(VALUE in each.text for each in words) and not entry.get("value"):
        raise IntentMistake(f"{intent.id} needs a value: {intent.size}")
    return tuple(
        _remedy(each, intent, entry) for each in words if _fits(each, entry.get("value", ""))
    )


def _named(name: str, intents: Sequence[Intent]) -> Intent:
    known = {intent.id: intent for intent in intents}
    if name not in known:
        near = get_close_matches(name, known, 1)
        raise IntentMistake(
            f'there is no intent "{name}"'
            + (f"; did you mean {near[0]}?" if near else f"; there are {', '.join(known)}")
        )
    return known[name]


@lru_cache(maxsize=1)
def book() -> Tuple[Intent, ...]:
    """All intents of the rule book. IntentMistake if a file cannot be read."""
    return read_intents(resource_paths.rules() / FOLDER)


def _fits(words: Words, value: str) -> bool:
    """An algorithm that a library does not have is no remedy there."""
    return not words.values or value in words.values


def _remedy(words: Words, intent: Intent, entry: Mapping) -> Remedy:
    if words.kind == "none":
        return Remedy(
            words.applies,
            "do",
            words.text,
            source=words.source,
            who="nobody",
            effort=entry.get("effort", 1),
        )
    return Remedy(
        words.applies,
        words.kind,
        words.filled(entry.get("value", "")),
        source=words.source,
        who=entry.get("who", "you"),
        check=entry.get("check", words.check),
        undo=entry.get("undo", words.undo),
        needs=words.needs + tuple(entry.get("needs", ())),
        request=entry.get("request", words.request),
        effort=entry.get("effort", 1 if words.kind == "set" else 2),
        risk=entry.get("risk", words.risk),
    )
