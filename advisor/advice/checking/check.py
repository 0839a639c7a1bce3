"""What a rule must have beyond its form: known measures, reasons, sources, cases; and its cases
must pass."""

from __future__ import annotations

from itertools import islice
from typing import (
    Callable,
    Collection,
    FrozenSet,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
)

from advisor.advice.checking.cases import run_cases
from advisor.advice.checking.dead_conditions import never_true, never_true_words
from advisor.advice.checking.unrecorded import unrecorded
from advisor.advice.judging.time_limit import TimeLimit
from advisor.advice.language.expression import parse
from advisor.advice.rulebook.checked_rules import changed_by
from advisor.advice.rulebook.intent_files import Read
from advisor.advice.rulebook.load import Draft, RuleBook, expressions_of, names_of, written
from advisor.advice.rulebook.messages import name_of
from advisor.advice.rulebook.mistakes import Mistake, line_of, nearest
from advisor.advice.rulebook.rule_file import MOST_MISTAKES
from advisor.advice.rulebook.schema import CHANGES, FOLDERS, NONE, POLICY
from advisor.base.numbers import HARD, counted
from advisor.model.rule import Rule

NEEDED_CASES = ("found", "clear", "unknown")
_ANY_COLUMN = ("application",)
"""Tables whose columns differ from run to run: settings that the program happens to have."""

NO_GAIN = 'no [gain] and no severity: nothing says how grave it is; write severity = "low"'
NO_REMEDY = "no [[remedy]]: a finding ends in something to do, or says who can"
Place = Tuple[str, int, str]


def check(
    book: RuleBook,
    vocabulary: Optional[Mapping[str, str]] = None,
    produced: Mapping[str, FrozenSet[str]] = {},
    progress: Callable[[float], None] = lambda part: None,
) -> Tuple[Mistake, ...]:
    """All mistakes of a rule book, sorted by file and line. `progress` is told which part is done.

    `vocabulary`: table.column → unit of every measure there is; None: names are not checked.
    `produced`: the words that a measure can have, where they are a fixed set. An
    amended rule has to pass its cases as it was before: a site's other thresholds are no mistake.
    """
    mistakes, time_limit = list(book.mistakes), TimeLimit()
    for number, rule in enumerate(book.rules):
        progress(number / len(book.rules))
        mistakes += _of_rule(book, rule, vocabulary, produced, time_limit)
    for draft in book.drafts:
        mistakes += _of_draft(book, draft, vocabulary, produced, time_limit)
    mistakes += [
        Mistake(file, number, f"still to be written: {what}")
        for file, text in book.texts.items()
        for number, what in islice(_left_open(text), MOST_MISTAKES)
    ]
    mistakes += _unused_records(book)
    for read in book.own_intents:
        mistakes += [
            Mistake(read.reading.shown, line_of(read.reading.text, *place), what)
            for what, place in (
                *_intent(read, vocabulary),
                *never_true_words(read.intent, produced),
            )
        ]
        mistakes += [
            Mistake(read.reading.shown, number, f"still to be written: {what}")
            for number, what in _left_open(read.reading.text)
        ]
    return tuple(sorted(set(mistakes)))


def refused(
    book: RuleBook, vocabulary: Mapping[str, str], produced: Mapping[str, FrozenSet[str]]
) -> Tuple[Mistake, ...]:
    """Mistakes of rules and amendments of others that could be read: these rules are not to be
    used."""
    time_limit, mistakes = TimeLimit(), []  # type: Tuple[TimeLimit, List[Mistake]]
    for rule in (each for each in book.rules if each.of_site):
        mistakes += _of_rule(book, rule, vocabulary, produced, time_limit)
        mistakes += [
            Mistake(file, number, f"still to be written: {what}")
            for file in {rule.file, *changed_by(rule)}
            for number, what in islice(_left_open(book.texts.get(file, "")), MOST_MISTAKES)
        ]
    return tuple(sorted(set(mistakes)))


def _of_rule(
    book: RuleBook,
    rule: Rule,
    vocabulary: Optional[Mapping[str, str]],
    produced: Mapping[str, FrozenSet[str]],
    time_limit: TimeLimit,
) -> List[Mistake]:
    looked = (
        _names(rule, vocabulary),
        _form(rule),
        _numbers(rule),
        never_true(rule, produced),
        unrecorded(rule),
        _cases(book.before.get(rule.id, rule), vocabulary, time_limit),
    )
    return _placed(rule, book.texts.get(rule.file, ""), looked)


def _placed(rule: Rule, text: str, looked: Iterable[Iterable[Tuple[str, Place]]]) -> List[Mistake]:
    """What was found, with its lines. Of a file full of mistakes the first of each kind are
    enough."""
    return [
        Mistake(rule.file, line_of(text, *place), what)
        for found in looked
        for what, place in islice(found, MOST_MISTAKES)
    ]


def _of_draft(
    book: RuleBook,
    draft: Draft,
    vocabulary: Optional[Mapping[str, str]],
    produced: Mapping[str, FrozenSet[str]],
    time_limit: TimeLimit,
) -> Iterator[Mistake]:
    """What else is wrong in a file with mistakes. A line that has one gets no other: that would
    mostly follow from the first."""
    rule, text = draft.rule, draft.reading.text
    known = draft.reading.unread
    looked = [
        _names(rule, vocabulary),
        _form_of_draft(draft),
        _numbers(rule),
        never_true(rule, produced),
        unrecorded(rule),
    ]
    if all(case.expect for case in rule.cases):
        looked.append(_missing_cases(rule))
    if draft.reading.sections <= {"", "case", "evidence"}:
        looked.append(_failed_cases(rule, vocabulary, time_limit))
    yield from (each for each in _placed(rule, text, looked) if each.line not in known)


def _form_of_draft(draft: Draft) -> Iterator[Tuple[str, Place]]:
    """Without what is there and could not be read: a limit is used if the file names it."""
    for what, place in _form(draft.rule):
        section, _, key = place
        if section == "limit" and f"limit.{key}" in draft.reading.text:
            continue
        if what in (NO_GAIN, NO_REMEDY) and {"gain", "severity", "remedy"} & set(draft.document):
            continue
        yield what, place


def _unused_records(book: RuleBook) -> Iterator[Mistake]:
    """Topics that no rule names, and what their authors left open."""
    used = {rule.gain.records for rule in book.rules if rule.gain}
    for reading in book.topics.readings:
        for topic in sorted(
            {
                record.topic
                for found in book.topics.records.values()
                for record in found
                if record.file == reading.shown
            }
            - used
        ):
            yield Mistake(
                reading.shown,
                line_of(reading.text, key="topic"),
                f'no rule rests on the topic "{topic}"{nearest(topic, filter(None, used))}',
            )
        for number, what in _left_open(reading.text):
            yield Mistake(reading.shown, number, f"still to be written: {what}")


def _intent(read: Read, vocabulary: Optional[Mapping[str, str]]) -> Iterator[Tuple[str, Place]]:
    """An intent of a site, read without mistakes: its file's name, and the measures that its words
    need."""
    if read.reading.mistakes:
        return
    if read.reading.file.stem != read.intent.id:
        yield (
            (
                f'the intent is "{read.intent.id}", but the file is {read.reading.file.name};'
                f" expected {read.intent.id}.toml"
            ),
            ("", 0, "amends" if read.amends else "intent"),
        )
    for index, words in enumerate(read.intent.words):
        for name in (name for need in words.needs for name in parse(need, "run").names):
            if vocabulary is None or name in vocabulary:
                continue
            yield (
                f"there is no measure {name}{_near_name(name, vocabulary)}",
                (
                    "words",
                    index,
                    "needs",
                ),
            )


def _names(rule: Rule, vocabulary: Optional[Mapping[str, str]]) -> Iterator[Tuple[str, Place]]:
    if vocabulary is None:
        return
    tables = {name.partition(".")[0] for name in vocabulary}
    if rule.look.each and rule.look.each not in tables:
        yield (
            f'each: there is no table "{rule.look.each}"{nearest(rule.look.each, tables)}',
            (
                "look",
                0,
                "each",
            ),
        )
    used = [
        (name, (section, index, key))
        for section, index, key, text, form in written(rule)
        for expression in expressions_of(text, rule.look.each, form)
        for name in sorted(expression.names)
    ]
    used += [
        (f"{table}.{column}", ("case", index, f"given.{table}"))
        for index, case in enumerate(rule.cases)
        for table, rows in case.given.items()
        for row in rows
        for column in row
    ]
    for name, place in dict.fromkeys(used):
        if name not in vocabulary and name.partition(".")[0] not in (*_ANY_COLUMN, "limit"):
            yield f"there is no measure {name}{_near_name(name, vocabulary)}", place


def _near_name(name: str, vocabulary: Collection[str]) -> str:
    table = name.partition(".")[0]
    same = [each for each in vocabulary if each.startswith(f"{table}.")]
    return (
        nearest(name, same)
        if same
        else nearest(table, {each.partition(".")[0] for each in vocabulary})
    )


def _form(rule: Rule) -> Iterator[Tuple[str, Place]]:
    name = rule.file.rpartition("/")[2]
    if name != f"{rule.id}.toml":
        yield f'id is "{rule.id}", but the file is {name}; expected {rule.id}.toml', ("", 0, "id")
    if rule.folder not in FOLDERS:
        yield (
            f'the folder "{rule.folder}" is not known{nearest(rule.folder, FOLDERS)}',
            (
                "",
                0,
                "id",
            ),
        )
    used = names_of(rule)
    for limit in rule.limits.values():
        if f"limit.{limit.name}" not in used:
            yield (
                f"limit {limit.name} is not used; write limit.{limit.name} in a condition, or"
                " delete it",
                ("limit", 0, limit.name),
            )
        if not limit.why:
            yield f'limit {limit.name} has no reason; write why = "…"', ("limit", 0, limit.name)
    yield from _sources(rule)
    if rule.gain is None and not rule.severity:
        yield NO_GAIN, ("", 0, "id")
    if not rule.remedies:
        yield NO_REMEDY, ("", 0, "id")


def _sources(rule: Rule) -> Iterator[Tuple[str, Place]]:
    for index, remedy in enumerate(rule.remedies):
        if not remedy.source:
            yield 'a remedy needs a source; write source = "…"', ("remedy", index, "source")
        if remedy.needs and not remedy.request and remedy.who == "centre":
            yield "a remedy of the centre needs a request text", ("remedy", index, "needs")
        if remedy.kind == "set" and not all(
            "=" in word for word in remedy.text.split() if not word.startswith(("'", '"'))
        ):
            yield f'set: expected NAME=VALUE, found "{remedy.text}"', ("remedy", index, "set")
        if remedy.change and remedy.change.partition(" ")[0] not in CHANGES:
            what = f"change: expected one of {', '.join(CHANGES)} and what behind it"
            yield what, ("remedy", index, "change")
        if remedy.change and remedy.kind != "do":
            yield f"change belongs to do, not to {remedy.kind}", ("remedy", index, "change")
        if (remedy.kind == "input") is not bool(remedy.file):
            yield (
                "input and file belong together: the lines, and the file that they go into",
                (
                    "remedy",
                    index,
                    remedy.kind,
                ),
            )
    yield from (
        (f'of: no remedy has "{part}" in its text', ("caveat", index, "of"))
        for index, caveat in enumerate(rule.caveats)
        for part in caveat.of
        if not any(part in remedy.text for remedy in rule.remedies)
    )
    for index, each in enumerate(rule.evidence):
        if not each.source:
            yield "evidence needs a source", ("evidence", index, "source")
        if each.low is not None and each.high is not None and each.low > each.high:
            yield "low is above high", ("evidence", index, "low")
    if rule.gain is not None and (rule.gain.basis == "measured") is not bool(rule.gain.ranks):
        yield "basis measured and ranks belong together: with how many ranks", ("gain", 0, "basis")
    if rule.gain is not None and not rule.gain.source and rule.gain.basis != NONE:
        yield 'a gain needs a source; write source = "…"', ("gain", 0, "source")


def _left_open(text: str) -> Iterator[Tuple[int, str]]:
    """(line, what is to be put there) of what the template left to its author."""
    for number, line in enumerate(text.splitlines(), 1):
        if "TODO" in line:
            yield number, line.partition("TODO")[2].partition('"')[0].strip(": ") or "TODO"


def _numbers(rule: Rule) -> Iterator[Tuple[str, Place]]:
    """Bare numbers are limits without a reason. In [gain] they are factors, which its source
    explains; those of a policy are the policy."""
    if "{" in name_of(rule):
        yield "found: a number may stand behind a colon only", ("", 0, "found")
    if rule.kind == POLICY:
        return
    for section, index, key, text, form in written(rule):
        if form == "expression" and section != "gain":
            for number in parse(text, rule.look.each).numbers:
                yield (
                    f"{key}: the bare number {number} needs a name and a reason in [limit]; write"
                    f' limit.NAME here, and NAME = {{ value = {number}, why = "…" }} there',
                    (
                        section,
                        index,
                        key,
                    ),
                )


def _cases(
    rule: Rule, vocabulary: Optional[Mapping[str, str]], time_limit: TimeLimit
) -> Iterator[Tuple[str, Place]]:
    yield from _missing_cases(rule)
    yield from _failed_cases(rule, vocabulary, time_limit)


def _missing_cases(rule: Rule) -> Iterator[Tuple[str, Place]]:
    """Policies ask for something plain: that it is there, and that it is not."""
    expected = {case.expect for case in rule.cases}
    for verdict in ("found", "clear") if rule.kind == POLICY else NEEDED_CASES:
        if verdict not in expected:
            yield f'no [[case]] expects "{verdict}"; add one', ("", 0, "id")


def _failed_cases(
    rule: Rule, vocabulary: Optional[Mapping[str, str]], time_limit: TimeLimit
) -> Iterator[Tuple[str, Place]]:
    for result in run_cases(rule, vocabulary, time_limit):
        if result.case.expect:
            yield from (
                (f'case "{result.case.name}": {wrong}', ("case", result.number, "name"))
                for wrong in result.wrong
            )


def summary(book: RuleBook, mistakes: Sequence[Mistake]) -> str:
    """The last line: what was looked at, and what was wrong."""
    cases = sum(len(rule.cases) for rule in book.rules)
    wrong = counted(len(mistakes), "mistake") if mistakes else "no mistake"
    intents = f", {counted(len(book.own_intents), 'intent')} of sites" if book.own_intents else ""
    records = sum(map(len, book.topics.records.values()))
    rests = f", {counted(records, 'record')}" if records else ""
    return f"{counted(len(book.rules), 'rule')}, {counted(cases, 'case')}{rests}{intents}: {wrong}".replace(
        HARD, " "
    )
