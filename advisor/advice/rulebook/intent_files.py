"""Intents of a site's own rule folder: FOLDER/intents/*.toml, held against the form of such
files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Dict, Iterable, List, Mapping, NamedTuple, Sequence, Tuple

from advisor.advice.rulebook.intents import book
from advisor.advice.rulebook.mistakes import nearest
from advisor.advice.rulebook.rule_file import Reading
from advisor.advice.rulebook.schema import RISKS, Key, Section
from advisor.advice.rulebook.selectors import SelectorMistake, check_selector
from advisor.base import resource_paths
from advisor.model.intent import FOLDER, KINDS, VALUE, Intent, IntentMistake, intent_of

TOP: Mapping[str, Key] = {
    "intent": Key(
        "text", "name of the intent, as its file: words in small letters with - between them"
    ),
    "amends": Key("text", "in place of `intent`: the intent whose words are added to or replaced"),
    "means": Key("text", "what one wants, as an imperative"),
    "size": Key("text", "what {value} is"),
    "example": Key("text", "a value that the words may be filled with"),
    "note": Key("text", "what goes for all libraries"),
}
WORDS = Section(
    {
        "for": Key("text", 'library and versions, such as "openmpi >=4,<6"', True),
        "set": Key("text", "variables: NAME=VALUE; {value} stands for the value"),
        "launch": Key("text", "options of the launch line"),
        "none": Key("text", "why this library has nothing for it"),
        "size": Key("text", "what the number means here"),
        "values": Key("names", 'algorithms by name: { ring = "4" }'),
        "needs": Key("expressions", "capabilities that must be seen to hold"),
        "check": Key("text", "how to see that it is in force"),
        "undo": Key("text", "how to take it back"),
        "request": Key("text", "ready text for the centre, if the needs do not hold"),
        "read": Key("text", "control variables that show it, where these are not what was set"),
        "also": Key("texts", "further names that mean or meant the same"),
        "source": Key("text", "manual, publication or measurement", True),
        "risk": Key("text", "results, start or slower, as of a remedy", False, RISKS),
    },
    "the words of one library",
    many=True,
    required=True,
)
_OF_NONE = ("values", "needs", "check", "undo", "request", "read", "launch", "set")


class Read(NamedTuple):
    """An intent as a file of a site has it. `amends`: its words go to the intent of that name."""

    reading: Reading
    intent: Intent
    amends: bool


def is_intent(file: Path) -> bool:
    """Whether a file of a rule folder is an intent, by where it lies."""
    return file.parent.name == FOLDER


def read_intents_of_sites(readings: Iterable[Reading]) -> Tuple[Read, ...]:
    """The intents of files that are not our own; of a file with mistakes the reading alone
    counts."""
    ours = (resource_paths.rules() / FOLDER).resolve()
    return tuple(_read(reading) for reading in readings if reading.file.parent.resolve() != ours)


def together(read: Sequence[Read]) -> Tuple[Intent, ...]:
    """Our intents with those of sites: new ones behind, amended ones with the site's words in
    front. What cannot be is noted in its reading."""
    known: Dict[str, Intent] = {intent.id: intent for intent in book()}
    for reading, intent, amends in read:
        if reading.mistakes:
            continue
        if amends and intent.id not in known:
            reading.wrong(
                f'amends "{intent.id}", which is no intent{nearest(intent.id, known)}', key="amends"
            )
        elif not amends and intent.id in known:
            reading.wrong(
                f'intent "{intent.id}" is taken; to change its words, write amends = "{intent.id}"',
                key="intent",
            )
        else:
            known[intent.id] = _amended(known[intent.id], intent) if amends else intent
    return tuple(known.values())


def _amended(old: Intent, new: Intent) -> Intent:
    own = {words.applies for words in new.words}
    return replace(
        old, words=new.words + tuple(each for each in old.words if each.applies not in own)
    )


def _read(reading: Reading) -> Read:
    reading.each = "run"
    document = dict(reading.document())
    if reading.mistakes:
        return Read(reading, Intent("", "", ()), False)
    top = reading.entry({name: value for name, value in document.items() if name != "words"}, TOP)
    words = reading.section(document, "words", WORDS)
    amends = "amends" in top
    if ("intent" in top) is amends:
        reading.wrong("an intent has either `intent` or `amends`", key="intent")
    if not amends and not top.get("means"):
        reading.wrong(f"means is missing: {TOP['means'].meaning}", key="intent")
    if not reading.mistakes:
        _check_words(reading, top, words)
    return Read(reading, _intent(reading, top, words), amends)


def _intent(reading: Reading, top: Mapping, words: Sequence[Mapping]) -> Intent:
    if reading.mistakes:
        return Intent("", "", ())
    name = top.get("amends") or top["intent"]
    try:
        return intent_of(
            {
                "means": "",
                **{key: value for key, value in top.items() if key != "amends"},
                "intent": name,
                "words": words,
            }
        )
    except IntentMistake as error:
        reading.wrong(str(error), key="intent")
        return Intent("", "", ())


def _check_words(reading: Reading, top: Mapping, words: Sequence[Mapping]) -> None:
    for index, entry in enumerate(words):
        kinds = [kind for kind in KINDS if kind in entry]
        if len(kinds) != 1:
            reading.wrong(
                f"words have exactly one of {', '.join(KINDS)}; found {', '.join(kinds) or 'none'}",
                "words",
                index,
            )
            continue
        try:
            check_selector(entry["for"])
        except SelectorMistake as error:
            reading.wrong(f"for: {error}", "words", index, "for")
        for key, what in _wrong(entry, kinds[0], top):
            reading.wrong(f"{key}: {what}", "words", index, key)


def _wrong(entry: Mapping, kind: str, top: Mapping) -> "List[Tuple[str, str]]":
    """(key, what is wrong) of one entry."""
    text, found = entry[kind], []
    if kind == "none":
        return [(key, "goes with set or launch only") for key in _OF_NONE if key in entry]
    if kind == "set" and not all("=" in word for word in text.split()):
        found.append(("set", f'expected NAME=VALUE, found "{text}"'))
    found += [
        (key, f"is missing: {WORDS.keys[key].meaning}")
        for key in ("check", "undo")
        if not entry.get(key)
    ]
    if VALUE in text and "intent" in top and not top.get("example"):
        found.append((kind, "takes a value, and the intent has no `example`"))
    if entry.get("values") and VALUE not in text:
        found.append(("values", f"the words have no {VALUE} to put them in"))
    return found
