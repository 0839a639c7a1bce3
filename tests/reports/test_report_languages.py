"""Reports in other languages: the same facts, numbers and commands; catalogues that fit what the
reports say."""

from __future__ import annotations

import ast
import html
import json
import re
from collections import Counter
from pathlib import Path

import advices
import pytest
from rich.cells import cell_len

import advisor
from advisor.advice import load_rules
from advisor.advice.rulebook.intents import book
from advisor.base import resource_paths
from advisor.model.errors import UserError
from advisor.reports import FORMATS, LANGUAGES, compose, render
from advisor.reports.languages import PLACE, Translator, messages, pattern, translator
from advisor.reports.languages.document import _limit
from advisor.reports.page import Page

OTHERS = [language for language in LANGUAGES if language != "en"]
SHOWN = ("slow_host", "sampled", "no_setting_helps")
PACKAGE = Path(advisor.__file__).parent
RULES = {rule.id: rule for rule in load_rules([resource_paths.rules()])}
TECHNICAL = re.compile(
    r"MPI_[A-Za-z_]+|\bMPI\b|\bPOP\b|\bJSON\b|\bAPS\b|XPMEM|Open MPI|`[^`]+`|\d+(?:\.\d+)?"
)

COMPOSED = {
    "collector prebuilt for the {abi} ABI",
    "moving data or waiting, mostly in {call}",
    (
        "Means over {#ranks} ranks. Orange: waiting for other ranks ({#wlow} to {#whigh}); blue:"
        " moving data ({#mlow} to {#mhigh}). Estimates from sampled calls, with 95 % intervals of"
        " the mean seconds."
    ),
    "Efficiency: more is lost by communication than by uneven work",
    "Your launch line, with findings {numbers}",
    "Your launch line, with finding {#number}, without {words}",
    "Your launch line, with findings {numbers}, without {words}",
    "{#share} of the run was MPI; how much of that was waiting is not known.",
    "{#share} of the run was MPI, and nearly all of that was waiting.",
    "{#share} of the run was MPI; between {#low} and {#high} of that was waiting.",
    "No MPI setting helps here; the cause is in the program: ask its developers.",
    (
        "Unrepresentative run: the time in MPI rests on too few calls, most of all on MPI_{name},"
        " called {#calls} times a rank. What rests on them has no predicted gain."
    ),
    (
        "The run was cut off: numbers reach until {#time} after MPI_Init; no rank reached"
        " MPI_Finalize."
    ),
    (
        "The run was cut off: numbers reach until {#time} after MPI_Init; without MPI_Finalize:"
        " {which}."
    ),
    "Recording took {#share} of the elapsed time on the most affected rank. No gain is predicted.",
    "{need} on the hosts: not known",
    "the layer that sends messages to be {layer}",
    (
        "All ranks, in slices of {#time} since the end of MPI_Init. Most waiting is for rank"
        " {#rank} all the time."
    ),
    (
        "All ranks, in slices of {#time} since the end of MPI_Init. From {#since} on most waiting"
        " is for rank {#rank}."
    ),
    "By rank: bytes sent from (row) to (column)",
    (
        "Not explained: {#share} of elapsed, most of it waiting in {call} ({state}). `advisor run"
        " --stacks` tells how the program gets there."
    ),
    (
        "Not explained: {#share} of elapsed, most of it waiting in {call} ({state}) for rank"
        " {#rank}. `advisor run --stacks` tells how the program gets there."
    ),
    (
        "Not explained: {#share} of elapsed, most of it moving data in {call}. `advisor run"
        " --stacks` tells how the program gets there."
    ),
    (
        "Not explained: {#share} of elapsed, most of it in {call}, not split into waiting and"
        " moving data. `advisor run --stacks` tells how the program gets there."
    ),
    (
        "Not explained: {#share} of elapsed, most of it in {call}. `advisor run --stacks` tells how"
        " the program gets there."
    ),
    "Not explained: {#share} of elapsed, most of it before other ranks left MPI_Init.",
    "Not explained: {#share} of elapsed, most of it without a core.",
    "Most of MPI_{name} is called at {place}.",
    "Of these calls MPI_{name} takes longest, most of it at {place}.",
    "Of these calls MPI_{name} takes longest, longest of all at {place}.",
}
"""Messages that are put together from pieces, and are in none of the states."""


def catalogue(language):
    return json.loads(
        (PACKAGE / "reports" / "languages" / f"{language}.json").read_text(encoding="utf-8")
    )


@pytest.fixture(scope="module")
def documents():
    return {state: compose(advices.STATES[state]()) for state in advices.STATES}


@pytest.mark.parametrize("language", OTHERS)
def test_places_numbers_and_names_are_those_of_the_english_text(language):
    for english, translation in messages(language).items():
        assert Counter(map(str, PLACE.findall(translation))) == Counter(
            map(str, PLACE.findall(english))
        ), english
        outside, translated = PLACE.sub("", english), PLACE.sub("", translation)
        missing = Counter(TECHNICAL.findall(outside)) - Counter(
            re.findall(TECHNICAL.pattern.replace(r"\b", ""), translated)
        )
        # "Rank 0 alone" may be told without repeating the number
        missing -= Counter({"0": outside.count("ank 0")})
        assert not missing, (english, missing)


@pytest.mark.parametrize("language", OTHERS)
def test_catalogues_have_the_same_messages(language):
    assert messages(language).keys() == messages("ko").keys()
    assert catalogue(language)["rules"].keys() == catalogue("ko")["rules"].keys()


@pytest.mark.parametrize("language", OTHERS)
def test_messages_of_rules_are_theirs(language):
    stale = [
        (name, text)
        for name, texts in catalogue(language)["rules"].items()
        for text in texts
        if name not in RULES or _bare(text) not in map(_bare, _sentences(RULES[name]))
    ]
    assert stale == []


@pytest.mark.parametrize("language", OTHERS)
def test_messages_of_intents_are_theirs(language):
    """Why a library has no words for it; others of them are remedies of rules as well."""
    reported = {
        " ".join(words.text.split())
        for intent in book()
        for words in intent.words
        if words.kind == "none"
    }
    assert set(catalogue(language)["intents"]) <= reported
    assert reported <= set(messages(language))


@pytest.mark.parametrize("language", OTHERS)
def test_reasons_of_limits_are_theirs(language):
    reasons = {
        " ".join(limit.why.split()).rstrip(".")
        for rule in RULES.values()
        for limit in rule.limits.values()
    }
    assert set(catalogue(language)["limits"]) <= reasons


@pytest.mark.parametrize(
    "text, korean",
    [
        (
            "shortest = 10 s: Below this nothing is at stake",
            "shortest = 10 s: 이보다 작으면 문제 삼을 것이 없다",
        ),
        (
            "share = 5 %: Medium severity begins here (severity scale (2026); changed by a.toml)",
            "share = 5 %: Medium severity begins here (severity scale (2026); changed by a.toml)",
        ),
        (
            "share = 5 %: Medium severity begins here (severity scale of this rule book)",
            "share = 5 %: 여기서 중간 심각도가 시작된다 (severity scale of this rule book)",
        ),
        ("own = 1: A reason that a site gave", "own = 1: A reason that a site gave"),
    ],
)
def test_limits_keep_their_names_and_sources(text, korean):
    assert _limit(text, translator("ko")) == korean


def _sentences(rule):
    remedies = [
        text for remedy in rule.remedies for text in (remedy.text, remedy.check, remedy.undo)
    ]
    silences = [
        text.rstrip(".")
        for text in (rule.look.otherwise, *(each.otherwise for each in rule.requires))
    ]
    return [
        rule.found,
        rule.clear,
        rule.why,
        rule.look.say,
        *remedies,
        *silences,
        *(caveat.text for caveat in rule.caveats),
        *rule.look.evidence,
    ]


TYPED = re.compile(
    r"(?<![\w-])--?[A-Za-z][\w-]*(?:=[\w*]+)?|\b[A-Za-z0-9]+_[\w=]+|\b[A-Z][A-Z0-9]+_[A-Z0-9_]+\b"
)
"""Options, variables and names of commands: what somebody types."""


@pytest.mark.parametrize("language", OTHERS)
def test_what_is_typed_stays(language):
    for english, translation in messages(language).items():
        typed = Counter(TYPED.findall(PLACE.sub("{}", english)))
        assert not typed - Counter(
            re.findall(TYPED.pattern.replace(r"\b", ""), PLACE.sub("{}", translation), re.ASCII)
        ), (english, translation)


NAMES = re.compile(
    r"\b[A-Z][A-Z0-9]{2,}\b|[\w^]+=[\w:,^.]*\w|(?<![\w{}])/?[a-z_]\w*(?:/\w+)+|\b[a-z]+\.[a-z0-9]+(?:\.\w+)*\b|\^\w+|\b[a-z]+(?:-[a-z0-9]+){2,}\b",
    re.ASCII,
)
"""NCORE, name=value, coll/tuned, md.log, ^han, names of rules with two hyphens."""
ORDINARY = ("point-to-point", "all-to-all")


@pytest.mark.parametrize("language", OTHERS)
def test_names_without_an_underscore_stay(language):
    for english, translation in messages(language).items():
        names = [
            name
            for name in NAMES.findall(PLACE.sub("{}", english))
            if name not in ORDINARY and name != english
        ]
        assert [name for name in names if name not in PLACE.sub("{}", translation)] == [], (
            english,
            translation,
        )


def test_the_readme_says_how_much_of_the_rules_is_translated():
    """Within 3 % of them: a new rule need not wait for the page."""
    said = int(
        re.search(
            r"(\d+) % of the sentences of the rule book",
            (PACKAGE / "reports" / "languages" / "README.md").read_text(encoding="utf-8"),
        ).group(1)
    )
    known = {name: set(map(_bare, texts)) for name, texts in catalogue("ko")["rules"].items()}
    every = set().union(*known.values())
    sentences = {_bare(text) for rule in RULES.values() for text in _read_by_people(rule)}
    assert abs(100 * len(sentences & every) / len(sentences) - said) <= 3


def _read_by_people(rule):
    """Without what is typed."""
    remedies = [
        text
        for remedy in rule.remedies
        for text in (remedy.text * (remedy.kind in ("do", "code")), remedy.check, remedy.undo)
    ]
    reported = [
        text
        for text in _sentences(rule)
        if text
        not in [text for each in rule.remedies for text in (each.text, each.check, each.undo)]
    ]
    return [
        text
        for text in [*reported, *remedies]
        if text and not text.startswith("unset ") and not re.fullmatch(r"[A-Z0-9_]+=\S+", text)
    ]


def _bare(text):
    """Without the names of places; {node.ranks:rank} is printed as "4 ranks",
    {rank.switch_rate:count} as a number."""
    return re.sub(
        r"\{[^}]*\}",
        "{}",
        re.sub(r"\{[^}:]*:(?!(?:count|number)\})([\w -]+)\}", r"{} \1s", " ".join(text.split())),
    )


def test_no_message_is_stale(documents, monkeypatch):
    """Each is found in a report of one of the states, or its fixed parts are in the sources."""
    used, whole, forms = set(), Translator._whole_of, Translator._form_of
    monkeypatch.setattr(
        Translator, "_whole_of", lambda self, core: _noted(used, core, whole(self, core))
    )
    monkeypatch.setattr(
        Translator, "_form_of", lambda self, core: _noted(used, None, forms(self, core))
    )
    for document in documents.values():
        for format in ("terminal", "html", "markdown"):
            render(document, format, language="ko", full=True)
    sources = _sources()
    left = [
        key
        for key in catalogue("ko")["words"]
        if key not in used and not all(part in sources for part in _fixed(key))
    ]
    assert set(left) == COMPOSED


def _noted(used, key, found):
    if found is not None:
        used.add(found.key if key is None else key)
    return found


def _fixed(key):
    parts = (
        re.sub(r"\s+", " ", part).strip(" ,:.()·;").lower()
        for part in PLACE.sub("\0", key).split("\0")
    )
    return [part for part in parts if part]


def _sources():
    texts = [html.unescape(file.read_text(encoding="utf-8")) for file in PACKAGE.rglob("*.j2")]
    for file in PACKAGE.rglob("*.py"):
        if "languages" not in file.parts:
            tree = ast.parse(file.read_text(encoding="utf-8"))
            texts += [
                node.value
                for node in ast.walk(tree)
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            ]
    texts += [text for text in texts if "<" in text]
    joined = " ".join(texts) + " ".join(re.sub(r"<[^>]*>", "", text) for text in texts)
    return re.sub(r"[\s\u00a0\u202f]+", " ", joined).lower()


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("width", [80, 50])
def test_lines_fit_the_terminal(documents, language, width):
    """Wide characters take two cells. Commands are never wrapped."""
    for state in SHOWN:
        english = render(documents[state], "terminal", width=width)
        commands = {line.strip() for line in english.splitlines() if cell_len(line) > width}
        for line in render(
            documents[state], "terminal", width=width, language=language
        ).splitlines():
            assert cell_len(line) <= width or any(command[-20:] in line for command in commands), (
                line
            )


@pytest.mark.parametrize(
    "text, width, lines",
    [
        (
            "実行全体を要求する（Slurm: --exclusive）。",
            20,
            ["実行全体を要求する", "（Slurm:", "--exclusive）。"],
        ),
        ("データ移動、ランクの待ち", 12, ["データ移動、", "ランクの待ち"]),
        (
            "进程在 MPI 内的部分时间没有核心。 被占用。",
            24,
            ["进程在 MPI 内的部分时间", "没有核心。被占用。"],
        ),
        ("랭크가 코어를 기다린다", 14, ["랭크가 코어를", "기다린다"]),
    ],
)
def test_lines_end_between_characters_but_not_before_a_full_stop(text, width, lines):
    assert Page(80).parts(text, width) == lines


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("format", FORMATS)
def test_numbers_and_commands_stay(documents, language, format):
    for state in SHOWN:
        english = render(documents[state], format, full=True, width=200)
        other = render(documents[state], format, full=True, width=200, language=language)
        for action in (
            action for item in documents[state].items for action in item.actions if action.command
        ):
            for line in action.text.splitlines():
                assert (line in other) == (line in english)
        if format == "json":
            assert other == english
        elif format == "html":
            data = re.compile(r'<script type="application/json"[^>]*>.*?</script>', re.DOTALL)
            assert data.findall(other) == data.findall(english)
        else:
            assert _numbers(other) == _numbers(english)


def _numbers(text):
    """All numbers but those of findings, which a translation may put elsewhere."""
    return Counter(
        re.findall(r"\d+\.\d+|\d{2,}", re.sub(r"(?<=\d)[ \u00a0\u202f](?=\d{3})", "", text))
    )


@pytest.mark.parametrize(
    "language, tag, words",
    [
        (
            "ko",
            "ko",
            ["담당: 사용자.", "만큼 경과 시간 단축", "신뢰도 중간", "영어 원문이 기준이다"],
        ),
        ("ja", "ja", ["の経過時間短縮", "英語の原文を正とする"]),
        ("zh", "zh-Hans", ["的运行时间可节省", "以英文原文为准"]),
    ],
)
def test_a_page_in_another_language(documents, language, tag, words):
    page = render(documents["slow_host"], "html", language=language)
    assert f'<html lang="{tag}">' in page
    assert [word for word in words if word not in page] == []
    assert "Confidence" not in page and "Who:" not in page and "less elapsed" not in page


def test_what_has_no_translation_stays_english():
    to = Translator(
        "ko",
        {
            "Ranks": "랭크",
            "at most {#time}": "최대 {#time}",
            "Mean over ranks: {parts}.": "랭크 평균: {parts}.",
        },
    )
    assert [
        to.text(text)
        for text in (
            "Ranks",
            "Hosts",
            "at most 35.7 s",
            "at most once",
            "Mean over ranks: Ranks, Hosts.",
        )
    ] == ["랭크", "Hosts", "최대 35.7 s", "at most once", "랭크 평균: 랭크, Hosts."]
    assert translator("en").text("Ranks") == "Ranks"


@pytest.mark.parametrize(
    "key, text, found",
    [
        (
            "{#time} {label} ({#share} of elapsed)",
            "1 139 s outside MPI (80.7 % of elapsed)",
            {"time": "1 139 s", "label": "outside MPI", "share": "80.7 %"},
        ),
        ("at most {#time}", "at most once", None),
        ("{#nodes} hosts with {#ranks} ranks", "1 host with 2 ranks", {"nodes": "1", "ranks": "2"}),
        ("{#peers} other ranks", "1 other rank", {"peers": "1"}),
    ],
)
def test_places_for_numbers(key, text, found):
    match = pattern(key).fullmatch(text)
    assert (match and match.groupdict()) == found


def test_a_language_that_is_not_there():
    with pytest.raises(UserError, match="no reports in"):
        translator("tlh")
