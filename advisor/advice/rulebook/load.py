"""Rule files → Rules. The first folders are ours, later ones a site's: they add rules, or amend
earlier ones."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from advisor.advice.language.expression import Expression, ExpressionError, parse, with_causes
from advisor.advice.language.sentence import places
from advisor.advice.rulebook.amendments import Amendment, amended, read_amendment
from advisor.advice.rulebook.conditions import (
    is_conditions,
    own_conditions,
    read_conditions,
    with_conditions,
)
from advisor.advice.rulebook.evidence_files import Topics, is_record_file, read_topics
from advisor.advice.rulebook.intent_files import Read, is_intent, read_intents_of_sites, together
from advisor.advice.rulebook.mistakes import Mistake, error, nearest
from advisor.advice.rulebook.parsed_files import documents
from advisor.advice.rulebook.rule_file import LARGEST_FILE, Reading
from advisor.advice.rulebook.schema import (
    ACTIONS,
    FOLDERS,
    MUST,
    POLICY,
    SECTIONS,
    SEVERITIES,
    TOP,
    Key,
    Section,
)
from advisor.advice.rulebook.sections import cases, caveats, evidence, gain, limits, remedies
from advisor.base.resource_paths import rules as ours
from advisor.model.errors import UserError
from advisor.model.intent import Intent
from advisor.model.rule import Look, Require, Rule

IDENTIFIER = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_ATTRIBUTES = {"else": "otherwise"}
"""A key that is a word of Python, and its attribute."""
PATTERNS = ("*.toml", "*/*.toml")
"""Where rule files lie in their folder."""
_MOST_FILES, _MOST_BYTES = 2000, 2 << 20
"""Of a folder. Ours has 200 files and 1 MiB."""


class Draft(NamedTuple):
    """A rule of a file with mistakes, as far as it could be read. What could not is empty. Only
    `rules check` looks at it."""

    rule: Rule
    reading: Reading
    document: Mapping[str, object]


class RuleBook(NamedTuple):
    """Rules that could be read, the mistakes of those that could not, the text of each rule's file,
    and amended rules by id as they were before."""

    rules: Tuple[Rule, ...]
    mistakes: Tuple[Mistake, ...]
    texts: Mapping[str, str]
    before: Mapping[str, Rule] = {}
    intents: Tuple[Intent, ...] = ()
    """All that remedies may name: ours, with those of the folders."""
    own_intents: Tuple[Read, ...] = ()
    """Those of the folders, as their files have them."""
    topics: Topics = Topics({}, ())
    """The records that gains may rest on."""
    drafts: Tuple[Draft, ...] = ()
    """Rules of files with mistakes."""


def load_rules(folders: Iterable[os.PathLike]) -> List[Rule]:
    """All rules of these folders, in the order of their files. Raises UserError with every
    mistake."""
    return list(load_book(folders).rules)


def load_book(folders: Iterable[os.PathLike]) -> RuleBook:
    """The same with the intents that they may name."""
    book = read_rules(folders)
    if book.mistakes:
        raise error(book.mistakes)
    return book


def read_rules(folders: Iterable[os.PathLike]) -> RuleBook:
    """The same, but mistakes are returned beside the rules that are right."""
    rules: Dict[str, Rule] = {}
    mistakes: List[Mistake] = []
    texts: Dict[str, str] = {}
    amendments: List[Amendment] = []
    drafts: List[Draft] = []
    files = [file for folder in folders for file in _files(Path(folder), mistakes)]
    known = documents([*files, *own_conditions(files)], LARGEST_FILE)
    own = read_intents_of_sites(
        Reading(file, shown(file), known=known) for file in files if is_intent(file)
    )
    intents = together(own)
    topics = read_topics(
        Reading(file, shown(file), known=known) for file in files if is_record_file(file)
    )
    shared = read_conditions(
        Reading(file, shown(file), known=known)
        for file in (*own_conditions(files), *filter(is_conditions, files))
    )
    for file in filter(_is_rule, files):
        reading = Reading(file, shown(file), intents, topics.records, known)
        document = with_conditions(reading, reading.document(), shared.conditions)
        if "amends" in document:
            amendments += read_amendment(reading, document)
        elif document:
            rule = read_rule(reading, document)
            if not reading.mistakes:
                _add(rules, reading, rule)
            elif rule:
                drafts.append(Draft(rule, reading, document))
        mistakes += reading.mistakes
        texts[reading.shown] = reading.text
    before = {each.amends: rules[each.amends] for each in amendments if each.amends in rules}
    _amend(rules, amendments, mistakes)
    mistakes += [
        mistake
        for reading in (*(each.reading for each in own), *topics.readings, *shared.readings)
        for mistake in reading.mistakes
    ]
    return RuleBook(
        tuple(rules.values()),
        tuple(sorted(set(mistakes))),
        texts,
        before,
        intents,
        own,
        topics,
        tuple(drafts),
    )


def _is_rule(file: Path) -> bool:
    return not (is_intent(file) or is_record_file(file) or is_conditions(file))


def read_rule(reading: Reading, document: Mapping[str, object]) -> Optional[Rule]:
    """One rule. With mistakes, which are noted in `reading`, it is what could be read; None if that
    is too little to look further."""
    reading.each = _each(document)
    _no_other_sections(reading, document)
    top = reading.entry(
        {name: value for name, value in document.items() if name not in SECTIONS}, TOP
    )
    sections = {
        name: reading.section(document, name, form)
        for name, form in SECTIONS.items()
        if not form.named
    }
    limit = limits(reading, document)
    rule = _rule(reading, top, sections, limit)
    _check_kind(reading, rule, document)
    _check_identifier(reading, rule)
    if reading.each is None or reading.full:
        return None
    reading.unread = {each.line for each in reading.mistakes}
    return rule if _check_names(reading, rule, document) else None


def has_files(folder: Path) -> bool:
    """Whether a folder has any rule file."""
    return any(True for pattern in PATTERNS for _ in folder.glob(pattern))


def _files(folder: Path, mistakes: List[Mistake]) -> List[Path]:
    """The rule files of a folder and its folders. What leads out of it by a link is not read."""
    if folder.is_file():
        home = folder.parent.parent if folder.parent.name in FOLDERS else folder.parent
        raise UserError(
            f"{folder} is a file; rules are read by the folder.", "", f"Give {home} in its place."
        )
    if not folder.is_dir():
        raise UserError(
            f"The rule folder {folder} does not exist.",
            "",
            "Give a folder that has rule files: --rules FOLDER or ADVISOR_RULES.",
        )
    home, files = folder.resolve(), []
    found = sorted(file for pattern in PATTERNS for file in folder.glob(pattern))
    if len(found) > _MOST_FILES:
        raise UserError(
            f"The rule folder {folder} has {len(found)} files.",
            "",
            f"At most {_MOST_FILES} are read: was this the folder that you meant?",
        )
    for file in found:
        if home not in Path(os.path.realpath(file)).parents:
            mistakes.append(
                Mistake(shown(file), 0, "leads out of its folder; expected a file, not a link")
            )
        elif file.is_file():
            files.append(file)
        else:
            mistakes.append(Mistake(shown(file), 0, "is not a regular file; expected a rule"))
    size = sum(file.stat().st_size for file in files)
    if size > _MOST_BYTES:
        raise UserError(
            f"The rule folder {folder} has {size >> 20} MiB of rules.",
            "",
            f"At most {_MOST_BYTES >> 20} MiB are read: was this the folder that you meant?",
        )
    return files


def shown(file: Path) -> str:
    """A file as it is seen from the working directory; in full if it lies elsewhere."""
    near = os.path.relpath(file)
    return str(file) if near.startswith("..") else near


def _each(document: Mapping[str, object]) -> Optional[str]:
    look = document.get("look")
    each = look.get("each") if isinstance(look, dict) else None
    return each if isinstance(each, str) else None


def _no_other_sections(reading: Reading, document: Mapping[str, object]) -> None:
    for name in document:
        if (
            not reading.full
            and name not in SECTIONS
            and name not in TOP
            and isinstance(document[name], (dict, list))
        ):
            reading.wrong(f"unknown section [{name}]{nearest(name, SECTIONS)}", name)
    for name in [
        name
        for name in document
        if name not in SECTIONS and name not in TOP and isinstance(document[name], (dict, list))
    ]:
        document.pop(name)  # type: ignore[attr-defined]


def _rule(
    reading: Reading, top: Mapping, sections: Mapping[str, List[Dict]], limit: Mapping
) -> Rule:
    top = _filled(top, TOP)
    sections = {
        name: [_filled(entry, SECTIONS[name].keys) for entry in entries]
        for name, entries in sections.items()
    }
    look = sections["look"][0] if sections["look"] else _filled({}, SECTIONS["look"].keys)
    return Rule(
        id=top["id"],
        folder=reading.file.resolve().parent.name,
        file=reading.shown,
        found=top["found"],
        clear=top["clear"],
        why=top["why"],
        status=top.get("status", "stable"),
        kind=top.get("kind", "advice"),
        severity=top.get("severity", ""),
        help_url=top.get("help_url", ""),
        look=Look(**{_ATTRIBUTES.get(key, key): value for key, value in look.items()}),
        limits=limit,
        requires=tuple(Require(each["that"], each["else"]) for each in sections["require"]),
        evidence=evidence(sections["evidence"]),
        gain=gain(reading, sections["gain"]),
        remedies=remedies(reading, sections["remedy"]),
        caveats=caveats(sections["caveat"]),
        cases=cases(reading, sections["case"], top.get("given", {})),
        of_site=ours().resolve() not in reading.file.resolve().parents,
    )


def _filled(entry: Mapping[str, Any], keys: Mapping[str, Key]) -> Dict[str, Any]:
    """An entry with something in place of what it lacks: that was noted, and the rest is looked at
    all the same."""
    missing = (name for name, key in keys.items() if key.required and name not in entry)
    return {**dict.fromkeys(missing, ""), **entry}


def _check_kind(reading: Reading, rule: Rule, document: Mapping[str, object]) -> None:
    if rule.kind == POLICY and "severity" not in document:
        reading.wrong(
            f"severity is missing: a policy has one of {', '.join(SEVERITIES)}", key="kind"
        )
    if rule.kind == POLICY and "gain" in document:
        reading.wrong("a policy has no [gain]; leave the section out", "gain")
    if rule.kind != POLICY and rule.severity == MUST:
        reading.wrong(
            'severity: only a policy has "must"; write kind = "policy", or another severity',
            key="severity",
        )


def _check_identifier(reading: Reading, rule: Rule) -> None:
    if not rule.id:
        return
    if not IDENTIFIER.fullmatch(rule.id) or len(rule.id) > 60:
        reading.wrong(
            f'id: "{rule.id}" is not a name; expected small words with - between them', key="id"
        )


def written(rule: Rule) -> "List[Tuple[str, int, str, str, str]]":
    """Every expression and sentence of a rule: section, index, key, text, and "expression",
    "ownership" or "sentence"."""
    parts: Dict[str, Sequence[Any]] = {
        "look": [rule.look],
        "require": rule.requires,
        "gain": [rule.gain] if rule.gain else [],
        "remedy": rule.remedies,
        "caveat": rule.caveats,
    }
    found = [("", 0, "found", rule.found, "sentence")]
    for section, entries in parts.items():
        for index, entry in enumerate(entries):
            for key, form in _places_of(SECTIONS[section]):
                value = (
                    (entry.text if entry.kind == key else "")
                    if key in ACTIONS
                    else getattr(entry, _ATTRIBUTES.get(key, key))
                )
                for each in value if isinstance(value, tuple) else (value,):
                    if each:
                        found.append((section, index, key, each, form))
    return found


def _places_of(section: Section) -> List[Tuple[str, str]]:
    return [
        (name, key.kind.rstrip("s"))
        for name, key in section.keys.items()
        if key.kind.rstrip("s") in ("expression", "ownership", "sentence")
    ]


def names_of(rule: Rule, kind: str = "") -> Dict[str, Tuple[str, int, str]]:
    """Every table.column and limit.name that a rule uses, with the place of its first use.
    Prerequisites are among them."""
    found: Dict[str, Tuple[str, int, str]] = {}
    for section, index, key, text, form in written(rule):
        used = expressions_of(text, rule.look.each, form)
        for name in (name for expression in used for name in expression.names):
            if not kind or form == kind:
                found.setdefault(name, (section, index, key))
    return found


def expressions_of(text: str, each: str, form: str) -> List[Expression]:
    """The expressions in a text of a rule, as `written` gives it with its form."""
    if form == "sentence":
        return [place.expression for place in places(text, each)]
    return [parse(text, with_causes(each) if form == "ownership" else each)]


def _check_names(reading: Reading, rule: Rule, document: Mapping[str, object]) -> bool:
    """Limits that are used and not there. One with a mistake of its own is there. False: a text
    cannot be read, so that nobody can look further."""
    limits = document.get("limit")
    there = limits if isinstance(limits, dict) else {}
    try:
        used = names_of(rule)
    except ExpressionError as error:  # in a launch line made of a setting
        reading.wrong(str(error), "remedy")
        return False
    for name, place in used.items():
        table, _, column = name.partition(".")
        if not reading.full and table == "limit" and column not in there:
            cure = nearest(column, there) or f'; write {column} = {{ value = …, why = "…" }} there'
            reading.wrong(f"{name} is not in [limit]{cure}", *place)
    return True


def _add(rules: Dict[str, Rule], reading: Reading, rule: "Rule | None") -> None:
    if rule is None:
        return
    if rule.id in rules:
        reading.wrong(
            f'id "{rule.id}" is taken by {rules[rule.id].file}; to change that rule, write amends ='
            f' "{rule.id}"',
            key="id",
        )
        return
    rules[rule.id] = rule


def _amend(
    rules: Dict[str, Rule], amendments: Sequence[Amendment], mistakes: List[Mistake]
) -> None:
    for each in amendments:
        if each.amends not in rules:
            mistakes.append(
                Mistake(
                    each.file,
                    each.line,
                    f'amends "{each.amends}", which is no rule{nearest(each.amends, rules)}',
                )
            )
            continue
        rule, wrong = amended(rules[each.amends], each)
        mistakes += wrong
        rules[each.amends] = rule
