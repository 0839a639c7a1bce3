"""One page for each rule of the book, from what `advisor rules list --json` prints: the interface
for programs."""

from __future__ import annotations

import contextlib
import io
import json
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any, Dict, Iterator, List, Mapping, Sequence, Tuple

from advisor.__main__ import main

ALL_RULES = "rules/ALL.md"
"""Not index.md: MkDocs would leave out the README.md beside it."""
_COMMANDS = ("set", "launch", "input")
"""Kinds of remedies that are typed; others are sentences."""
_WRITTEN = {"gpu": "GPU", "io": "I/O", "onesided": "One-sided"}
"""Names of folders that are no words; the others begin with a capital."""
_OUTCOMES = {
    "found": "it fires",
    "clear": "it passes",
    "moot": "it does not apply",
    "unknown": "it cannot look",
}
Rule = Mapping[str, Any]


@dataclass(frozen=True)
class Section:
    """Pages of one folder of rules. `titles`: path → what the navigation calls it."""

    question: str
    pages: Mapping[str, str]
    titles: Mapping[str, str]


@lru_cache(maxsize=None)
def rule_pages() -> Tuple[Section, ...]:
    """The list of all rules, which has no titles of its own, then the rules of each folder."""
    groups = {
        folder: list(found) for folder, found in groupby(_rules(), key=lambda rule: rule["folder"])
    }
    sections = [
        Section(
            _WRITTEN.get(folder, folder.capitalize()),
            {_path(rule): _page(rule) for rule in found},
            {_path(rule): rule["id"] for rule in found},
        )
        for folder, found in groups.items()
    ]
    return (Section("", {ALL_RULES: _index(groups)}, {}), *sections)


def _rules() -> List[Rule]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        main(["rules", "list", "--json"])
    return sorted(json.loads(printed.getvalue()), key=lambda rule: (rule["folder"], rule["id"]))


def _path(rule: Rule) -> str:
    return f"rules/{rule['folder']}/{rule['id']}.md"


def _index(groups: Mapping[str, Sequence[Rule]]) -> str:
    lines = [
        "# All rules",
        "",
        (
            f"{sum(map(len, groups.values()))} rules, by the question that they answer. `advisor"
            " rules explain ID` shows one in the terminal."
        ),
        "",
    ]
    for folder, found in groups.items():
        lines += [
            f"## {_WRITTEN.get(folder, folder.capitalize())}",
            "",
            "| rule | finding |",
            "|---|---|",
        ]
        lines += [
            f"| [{rule['id']}]({rule['folder']}/{rule['id']}.md) | {_cell(rule['found'])} |"
            for rule in found
        ] + [""]
    return "\n".join(lines)


def _page(rule: Rule) -> str:
    state = ", ".join(
        filter(None, (rule["status"], f"severity {rule['severity']}" if rule["severity"] else ""))
    )
    parts = [
        f"# {rule['found']}",
        f"Rule `{rule['id']}` ({rule['folder']}; {state}).",
        *_paragraphs(rule["why"]),
    ]
    for title, body in (
        ("When it fires", _fires(rule)),
        ("Limits", _limits(rule)),
        ("What to do", list(_remedies(rule["remedies"]))),
        ("What it may save", _gain(rule["gain"])),
        ("Cautions", [_caution(each) for each in rule["caveats"]]),
        ("Published or measured", [_evidence(each) for each in rule["evidence"]]),
        (
            "What it needs to know",
            [
                ", ".join(f"`{name}`" for name in rule["measures"])
                + ". [What they mean](../VOCABULARY.md)."
            ],
        ),
        (
            "What it was tested with",
            [f"- {each['name']}: {_expected(each['expect'])}" for each in rule["cases"]],
        ),
    ):
        parts += [f"## {title}", "\n".join(body)] if body else []
    return "\n\n".join(parts) + "\n"


def _expected(outcome: str) -> str:
    return _OUTCOMES.get(outcome, outcome)


def _fires(rule: Rule) -> List[str]:
    look = rule["look"]
    where = f" with `{_line(look['where'])}`" if look["where"] else ""
    lines = [
        f"- It looks at each **{look['each']}**{where}.",
        f"- It fires if `{_line(look['when'])}`.",
        f"- It says: {_line(look['say'])}",
    ]
    lines += [
        f"- Only if `{_line(each['that'])}`; else: {_line(each['otherwise'])}"
        for each in rule["requires"]
    ]
    return [*lines, f"- If all is well: {rule['clear']}"]


def _limits(rule: Rule) -> List[str]:
    found = rule["limits"].values()
    return (
        ["| limit | value | reason |", "|---|---|---|"]
        + [
            f"| `{each['name']}` | {each['text']} | {_cell(each['why'])}{_source(each)} |"
            for each in found
        ]
        if found
        else []
    )


def _remedies(remedies: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for each in remedies:
        text = f"`{_line(each['text'])}`" if each["kind"] in _COMMANDS else _line(each["text"])
        yield _remedy(each, text)
        notes: Dict[str, str] = {
            "needs": "; ".join(each["needs"]),
            "check": each["check"],
            "undo": each["undo"],
            "ask your centre": each["request"],
            "source": each["source"],
        }
        yield from (f"    - {title}: {_line(note)}" for title, note in notes.items() if note)


def _remedy(remedy: Mapping[str, Any], text: str) -> str:
    place = f"in {remedy['file']}: " if remedy["file"] else ""
    return f"- **{remedy['applies']}** ({remedy['who']}): {place}{text}"


def _gain(gain: Any) -> List[str]:
    if not gain:
        return []
    if gain["basis"] == "none":
        return [f"No number. {_line(gain['source'])}"]
    if gain["basis"] == "records":
        return [
            f"What runs like this one saved, from the records on {gain['records']}."
            f" {_line(gain['source'])}"
        ]
    unit = "of elapsed time" if gain["unit"] == "share" else "seconds"
    return [
        f"From `{_line(gain['low'])}` to `{_line(gain['high'])}` {unit} ({gain['basis']})."
        f" {_line(gain['source'])}"
    ]


def _caution(caveat: Mapping[str, Any]) -> str:
    condition = f" If `{_line(caveat['when'])}`: {caveat['then']}." if caveat["when"] else ""
    return f"- {_line(caveat['text'])}{condition}{_source(caveat)}"


def _evidence(evidence: Mapping[str, Any]) -> str:
    factors = (
        f" [{evidence['low']:g} to {evidence['high']:g} times as fast]"
        if evidence["low"] is not None and evidence["high"] is not None
        else ""
    )
    conditions = f" {_line(evidence['conditions'])}" if evidence["conditions"] else ""
    return f"- {_line(evidence['text'])}{factors}{conditions}{_source(evidence)}"


def _paragraphs(text: str) -> List[str]:
    return [_line(each) for each in text.split("\n\n")]


def _source(part: Mapping[str, Any]) -> str:
    return f" ({_cell(part['source'])})" if part["source"] else ""


def _cell(text: str) -> str:
    """Text of a cell: one line, in which a bar ends nothing."""
    return _line(text).replace("|", "\\|")


def _line(text: str) -> str:
    return " ".join(text.split())
