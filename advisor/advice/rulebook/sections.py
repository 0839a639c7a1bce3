"""Parts of rules, most of which amendments have as well: limits, gain, remedies, caveats, evidence,
cases."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from advisor.advice.rulebook.intents import from_intent
from advisor.advice.rulebook.mistakes import nearest
from advisor.advice.rulebook.rule_file import Reading
from advisor.advice.rulebook.schema import ACTIONS, INTENT, LIMIT, NONE, RECORDS, REMEDY, SECTIONS
from advisor.advice.rulebook.selectors import SelectorMistake, check_selector
from advisor.model.intent import IntentMistake
from advisor.model.rule import Case, Caveat, Evidence, Gain, Limit, Remedy


def limits(
    reading: Reading, document: Mapping[str, object], changed_by: str = ""
) -> Dict[str, Limit]:
    """[limit]: name = { value, why, source }."""
    found = document.get("limit", {})
    if not isinstance(found, dict):
        reading.wrong("limit is written wrongly; expected [limit]", "limit")
        return {}
    read = {}
    for name, entry in found.items():
        if not isinstance(entry, dict):
            reading.wrong(
                f'{name}: expected {{ value = …, why = "…" }}; every limit has a reason',
                "limit",
                0,
                name,
            )
            continue
        checked = _limit(reading, name, entry)
        if "value" in checked and "why" in checked:
            value, text = checked["value"]
            read[name] = Limit(
                name, value, text, checked["why"], checked.get("source", ""), changed_by
            )
    return read


def _limit(reading: Reading, name: str, entry: Mapping[str, object]) -> Dict[str, Any]:
    before = len(reading.mistakes)
    checked = reading.entry(entry, LIMIT, "limit", 0)
    wrong = reading.mistakes[before:]
    # The entry stands on one line, or its keys follow [limit.name]: its own name finds the line.
    del reading.mistakes[before:]
    for each in wrong:
        reading.wrong(f"limit {name}: {each.what}", "limit", 0, name)
    return {} if wrong else checked


_WANTED: Mapping[str, Tuple[Tuple[str, ...], Tuple[str, ...]]] = {
    RECORDS: (("records", "ceiling"), ("low", "high")),
    NONE: ((), ("records", "before")),
    "": (("low", "high"), ("records", "before")),
}
"""Basis → what a gain needs with it, and what does not go with it."""


def gain(reading: Reading, entries: Sequence[Mapping]) -> Optional[Gain]:
    """[gain]: expressions for both ends; with basis records a topic and the time at stake in their
    place."""
    if not entries or not entries[0]["basis"]:
        return None
    entry = entries[0]
    rests = entry["basis"] == RECORDS
    wanted, refused = _WANTED.get(entry["basis"], _WANTED[""])
    for key in wanted:
        if key not in entry:
            reading.wrong(
                f'{key} is missing; basis "{entry["basis"]}" needs {" and ".join(wanted)}',
                "gain",
            )
    if entry["basis"] != NONE and "source" not in entry:
        reading.wrong("source is missing: measurement, model or publication", "gain")
    for key in refused:
        if key in entry:
            reading.wrong(
                f'{key} does not go with basis "{entry["basis"]}"; leave it out', "gain", 0, key
            )
    if rests and entry.get("records") not in reading.topics:
        reading.wrong(
            "there are no records on"
            f' "{entry.get("records", "")}"{nearest(entry.get("records", ""), reading.topics)}',
            "gain",
            0,
            "records",
        )
    if rests and entry.get("unit", "share") != "share":
        reading.wrong("gains from records are shares of elapsed", "gain", 0, "unit")
    return Gain(
        **{"low": "", "high": "", "source": "", **entry},
        rests_on=reading.topics.get(entry.get("records", ""), ()),
    )


def remedies(reading: Reading, entries: Iterable[Mapping]) -> Tuple[Remedy, ...]:
    """[[remedy]]: exactly one of launch, set, input, code, do; or an intent, which becomes a remedy
    for each library."""
    read: List[Remedy] = []
    for index, entry in enumerate(entries):
        kinds = [kind for kind in (*ACTIONS, INTENT) if kind in entry]
        if len(kinds) != 1:
            reading.wrong(
                f"a remedy has exactly one of {', '.join((*ACTIONS, INTENT))}; found"
                f" {', '.join(kinds) or 'none'}",
                "remedy",
                index,
            )
            read.append(_UNREADABLE)
            continue
        try:
            check_selector(entry["for"] or "any")
        except SelectorMistake as error:
            reading.wrong(f"for: {error}", "remedy", index, "for")
        if not 1 <= entry.get("effort", 1) <= 5:
            reading.wrong("effort: expected 1 to 5", "remedy", index, "effort")
        if kinds == [INTENT]:
            read += _of_intent(reading, entry, index)
            continue
        if "source" not in entry:
            reading.wrong(f"source is missing: {REMEDY.keys['source'].meaning}", "remedy", index)
            read.append(_UNREADABLE)
            continue
        rest = {
            name: value
            for name, value in entry.items()
            if name not in (*ACTIONS, "for", "who", "effort")
        }
        who = entry.get("who", "developer" if kinds[0] == "code" else "you")
        read.append(
            Remedy(
                entry["for"],
                kinds[0],
                entry[kinds[0]],
                who=who,
                effort=entry.get("effort", _EFFORT[kinds[0]]),
                **rest,
            )
        )
    return tuple(read)


def _of_intent(reading: Reading, entry: Mapping, index: int) -> Tuple[Remedy, ...]:
    try:
        if not entry["for"]:
            return (_UNREADABLE,)
        return from_intent(entry, reading.intents)
    except IntentMistake as error:
        reading.wrong(str(error), "remedy", index, INTENT)
        return ()


_UNREADABLE = Remedy("any", "do", "", "none")
"""Stands for a remedy with a mistake, so that the others keep their places in the file."""
_EFFORT = {"set": 1, "launch": 2, "input": 1, "do": 2, "code": 4}


def caveats(entries: Iterable[Mapping]) -> Tuple[Caveat, ...]:
    """[[caveat]]."""
    return tuple(Caveat(**{**entry, "of": tuple(entry.get("of", ()))}) for entry in entries)


def evidence(entries: Iterable[Mapping]) -> Tuple[Evidence, ...]:
    """[[evidence]]."""
    return tuple(Evidence(**entry) for entry in entries)


Tables = Mapping[str, Sequence[Mapping[str, object]]]


def cases(reading: Reading, found: Iterable[Mapping[str, Any]], common: Tables) -> Tuple[Case, ...]:
    """[[case]], each with what [given] has for all of them."""
    read = []
    for index, entry in enumerate(found):
        given = _with_common(entry.get("given", {}), common)
        if not given:
            meaning = SECTIONS["case"].keys["given"].meaning
            reading.wrong(f"given is missing: {meaning}", "case", index)
        read.append(Case(**{**entry, "given": given}))
    return tuple(read)


def _with_common(own: Tables, common: Tables) -> Tables:
    """Tables that a case leaves out, and columns of a table with one row on both sides."""
    joined = {
        name: [{**common[name][0], **rows[0]}]
        if len(rows) == len(common.get(name, ())) == 1
        else rows
        for name, rows in own.items()
    }
    return {**common, **joined}
