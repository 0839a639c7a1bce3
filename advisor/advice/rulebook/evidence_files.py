"""Evidence of rules as data: FOLDER/evidence/*.toml, held against the form of such files. Files of
one topic add up, ours and a site's."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, Iterable, List, Mapping, NamedTuple, Tuple

from advisor.advice.rulebook.mistakes import nearest
from advisor.advice.rulebook.rule_file import Reading
from advisor.advice.rulebook.schema import Key, Section
from advisor.model.record import (
    BEST,
    DIRECTION,
    ELAPSED,
    EQUAL,
    FABRICS,
    FASTER,
    FOLDER,
    OPERATION,
    PAIR,
    SLOWER,
    Record,
)

SMALLEST, LARGEST = 0.02, 50.0
"""Ratios that are believed. Beyond them it is rather 81 written for 0.81, or a launch that failed.
"""

TOP: Mapping[str, Key] = {
    "schema": Key("whole", "version of this form: 1", True),
    "topic": Key(
        "text", "by which rules name these records: small words with - between them", True
    ),
    "about": Key("text", "what was changed, in one sentence", True),
}
RECORD: Mapping[str, Key] = {
    "of": Key(
        "text",
        "what the times are of: operation (the calls alone) or elapsed (the whole run, or the loop"
        " that its user times)",
        False,
        (OPERATION, ELAPSED),
    ),
    "reported": Key(
        "text",
        "pair (the default); best: the best of several, the others are not published; direction: no"
        " number, see result",
        False,
        (PAIR, BEST, DIRECTION),
    ),
    "with": Key("factor", "time with the change, in any unit"),
    "without": Key("factor", "time without it, in the same unit"),
    "ratio": Key(
        "factor", "in place of both: time with the change over time without it; below 1 is faster"
    ),
    "result": Key(
        "text", "of a direction: faster, equal or slower", False, (FASTER, EQUAL, SLOWER)
    ),
    "origin": Key(
        "text",
        "published, or own: measured by those who wrote the file",
        False,
        ("published", "own"),
    ),
    "library": Key("text", "the MPI library, as library.name has it"),
    "version": Key("text", "its version"),
    "against": Key("text", "what it was compared with"),
    "fabric": Key("text", f"between the hosts: {', '.join(FABRICS)}"),
    "cpu": Key("text", "model of the CPU"),
    "application": Key("text", "program, as application.name has it where we know it"),
    "operation": Key("text", "of which calls, as cell.operation has it"),
    "hosts": Key("number", "number of hosts"),
    "hosts_to": Key("number", "upper end, where one result is given for a range"),
    "ranks_per_node": Key("number", "ranks on a host"),
    "size": Key("quantity", "size of a message"),
    "before": Key("number", "the setting before the change, if the result depends on it"),
    "together": Key("texts", "what else was changed at once"),
    "conditions": Key("text", "what else was true there"),
    "source": Key("text", "by whom, when, where"),
    "page": Key("text", "page, slide, table or section of it"),
}
SECTIONS: Mapping[str, Section] = {
    "all": Section(RECORD, "what holds for every record of the file, unless it says otherwise"),
    "record": Section(
        {"id": Key("text", "a name that no other record has", True), **RECORD},
        "one result",
        many=True,
        required=True,
    ),
}
# What a record of this kind may not have.
_NOT_OF = {PAIR: ("result",), BEST: ("result",), DIRECTION: ("with", "without", "ratio")}


class Topics(NamedTuple):
    """Records by topic, and the files as they were read."""

    records: Mapping[str, Tuple[Record, ...]]
    readings: Tuple[Reading, ...]


def is_record_file(file: Path) -> bool:
    """Whether a file of a rule folder holds records, by where it lies."""
    return file.parent.name == FOLDER


def read_topics(readings: Iterable[Reading]) -> Topics:
    """The records of all files. A wrong one is noted in its reading and left out."""
    known: Dict[str, Record] = {}
    read = tuple(readings)
    for reading in read:
        for index, record in _records(reading):
            if record.id in known:
                reading.wrong(
                    f'id "{record.id}" is taken by a record of {known[record.id].file}',
                    "record",
                    index,
                    "id",
                )
            else:
                known[record.id] = record
    topics: Dict[str, List[Record]] = {}
    for record in known.values():
        topics.setdefault(record.topic, []).append(record)
    return Topics({topic: tuple(found) for topic, found in topics.items()}, read)


def _records(reading: Reading) -> List[Tuple[int, Record]]:
    document = dict(reading.document())
    if reading.mistakes:
        return []
    top = reading.entry(
        {name: value for name, value in document.items() if name not in SECTIONS}, TOP
    )
    every = reading.section(document, "all", SECTIONS["all"])
    entries = reading.section(document, "record", SECTIONS["record"])
    found = []
    for index, entry in enumerate(entries):
        # What is wrong by itself was noted already; it would only be missed here.
        if len(entry) < len(document["record"][index]):  # type: ignore[index]
            continue
        merged = {**_shared(every[0] if every else {}, entry), **entry}
        wrong = _wrong(merged)
        for key, what in wrong:
            reading.wrong(f"{key}: {what}", "record", index, key)
        if not wrong and "id" in entry and "topic" in top:
            found.append((index, _record(reading, str(top["topic"]), merged)))
    return found


def _shared(every: Mapping, entry: Mapping) -> Dict[str, object]:
    """What holds for all records, without the numbers that this one gives in another way."""
    own_numbers = any(key in entry for key in ("with", "without", "ratio", "result"))
    return {
        key: value
        for key, value in every.items()
        if not own_numbers or key not in ("with", "without", "ratio", "result")
    }


def _wrong(entry: Mapping) -> List[Tuple[str, str]]:
    """(key, what is wrong) of one record with what holds for all."""
    found = [
        (key, f"is missing: {RECORD[key].meaning}")
        for key in ("of", "source")
        if not entry.get(key)
    ]
    reported = entry.get("reported", PAIR)
    found += [
        (key, f'does not go with reported = "{reported}"')
        for key in _NOT_OF[reported]
        if key in entry
    ]
    if entry.get("fabric") and entry["fabric"] not in FABRICS:
        found.append(
            ("fabric", f'"{entry["fabric"]}" is not known{nearest(str(entry["fabric"]), FABRICS)}')
        )
    found += _wrong_hosts(entry)
    if not found and reported == DIRECTION and "result" not in entry:
        found.append(("result", f"is missing: {RECORD['result'].meaning}"))
    return found or ([] if reported == DIRECTION else _wrong_numbers(entry))


def _wrong_numbers(entry: Mapping) -> List[Tuple[str, str]]:
    both = "with" in entry and "without" in entry
    if both is ("ratio" in entry) or not both and ("with" in entry or "without" in entry):
        return [("ratio", "expected with and without, or ratio in their place")]
    ratio = _ratio(entry)
    if SMALLEST <= ratio <= LARGEST:
        return []
    return [
        (
            "with" if both else "ratio",
            (
                f"{ratio:g} times the time is not believed; expected {SMALLEST:g} to {LARGEST:g},"
                " time with the change over time without it"
            ),
        )
    ]


def _wrong_hosts(entry: Mapping) -> List[Tuple[str, str]]:
    counts = [(key, entry[key]) for key in ("hosts", "hosts_to", "ranks_per_node") if key in entry]
    found = [(key, "expected at least 1") for key, count in counts if count < 1]
    if "hosts_to" in entry and entry["hosts_to"] < entry.get("hosts", float("inf")):
        found.append(("hosts_to", "expected the upper end of a range that begins at hosts"))
    return found


def _ratio(entry: Mapping) -> float:
    return entry["ratio"] if "ratio" in entry else entry["with"] / entry["without"]


def _record(reading: Reading, topic: str, entry: Mapping) -> Record:
    plain = {
        key: value
        for key, value in entry.items()
        if key not in ("with", "without", "ratio", "size", "reported", "origin")
    }
    reported = entry.get("reported", PAIR)
    return Record(
        topic=topic,
        file=reading.shown,
        reported=reported,
        origin=entry.get("origin", "published"),
        ratio=None if reported == DIRECTION else _ratio(entry),
        times=(entry["with"], entry["without"]) if "with" in entry else (),
        size=entry["size"][0] if "size" in entry else None,
        **plain,
    )
