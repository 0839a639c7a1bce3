"""Reports in other languages: the same facts, numbers and commands; catalogues that fit what the
reports and rules say."""

from __future__ import annotations

import copy
import pickle
import re
from collections import Counter

import advices
import pytest
from extracted_messages import COMMAND, messages
from rich.cells import cell_len

from advisor.advice import load_rules
from advisor.advice.rulebook.messages import messages_of, with_messages
from advisor.analysis import measure
from advisor.advice import judge
from advisor.base import resource_paths
from advisor.base.numbers import counted
from advisor.intake import read
from advisor.model.errors import UserError
from advisor.model.message import (
    DIGITS,
    PLACE,
    Message,
    behind,
    changed,
    joined,
    message,
    message_in,
    unstopped,
)
from advisor.reports import FORMATS, LANGUAGES, compose, render
from advisor.reports.languages import FOLDER, Catalogue, catalogue
from advisor.reports.page import Page
from advisor.reports.plain import plain

OTHERS = [language for language in LANGUAGES if language != "en"]
SHOWN = ("slow_host", "sampled", "no_setting_helps")
TECHNICAL = re.compile(
    r"MPI_[A-Za-z_]+|\bMPI\b|\bPOP\b|\bJSON\b|\bAPS\b|XPMEM|Open MPI|`[^`]+`|\d+(?:\.\d+)?"
)


@pytest.fixture(scope="module")
def documents():
    return {state: compose(advices.STATES[state]()) for state in advices.STATES}


@pytest.fixture(scope="module")
def rules():
    return load_rules([resource_paths.rules()])


@pytest.mark.parametrize("language", OTHERS)
def test_places_numbers_and_names_are_those_of_the_english_text(language):
    for (_, english), translation in catalogue(language).entries.items():
        assert _places(translation) == _places(english), english
        outside, translated = PLACE.sub("", english), PLACE.sub("", translation)
        missing = Counter(TECHNICAL.findall(outside)) - Counter(
            re.findall(TECHNICAL.pattern.replace(r"\b", ""), translated)
        )
        # "Rank 0 alone" may be told without repeating the number
        missing -= Counter({"0": outside.count("ank 0")})
        assert not missing, (english, missing)


def _places(text):
    """Of a number with its noun a translation may take the number alone, and more than once."""
    return {
        place[: -len(DIGITS)] if place.endswith(DIGITS) else place for place in PLACE.findall(text)
    }


@pytest.mark.parametrize("language", OTHERS)
def test_no_entry_is_dead(language):
    """Each message is in the sources or in the rule book."""
    assert sorted(set(catalogue(language).entries) - set(messages())) == []


def test_the_readme_has_the_command_that_finds_all_messages():
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert COMMAND in " ".join(text.replace("\\\n", " ").split())


@pytest.mark.parametrize("language", OTHERS)
def test_all_that_reports_say_by_themselves_is_translated(language):
    """Headings, verdicts, and every other message of the reports."""
    own = {
        key
        for key, files in messages().items()
        if any(str(file).startswith("advisor/reports") for file in files)
    }
    assert len(own) > 400
    assert sorted(own - set(catalogue(language).entries)) == []


@pytest.mark.parametrize("language", OTHERS)
def test_titles_of_rules_and_what_to_do_are_translated(language, rules):
    words = catalogue(language)
    texts = [
        text
        for rule in map(with_messages, rules)
        for text in (rule.found, *(each.text for each in rule.remedies))
        if isinstance(text, Message) and (text.context, _bare(text)) in messages()
    ]
    assert len(texts) > 300
    assert [text for text in texts if words.find(text.context, text) is None] == []


def _bare(text):
    return " ".join(text.split())


def test_rules_that_say_the_same_share_a_translation(rules):
    texts = [text for rule in rules for text in messages_of(rule)]
    assert {text.context for text in texts} == {""}
    clear = {rule.id: rule.clear for rule in rules}
    assert ("", clear["uneven-compute"]) in messages()


SAMPLE = resource_paths.samples() / "profiles" / "uneven_compute.4r.json"


@pytest.mark.parametrize("language", OTHERS)
def test_nothing_of_a_finding_stays_english_on_its_way_to_the_page(language, rules):
    """Numbers filled in, sentences joined, full stops taken off: all of it is still known."""
    document = compose(judge(measure(read(SAMPLE)), rules))
    finding = document.items[0]
    page = render(document, "terminal", language=language, full=True, width=2000)
    english = render(document, "terminal", full=True, width=2000)
    said = [finding.title, *finding.facts, *finding.hurts, finding.why, document.screen.verdict]
    said += [text for action in finding.actions for text in (action.text, action.check)]
    said += [entry.sentence for entry in document.silences.clear]
    words = catalogue(language)
    known = [text for text in said if words.text(text) != text and _flat(text) in _flat(english)]
    assert len(known) > 25
    assert [text for text in known if _flat(text) in _flat(page)] == []


def _flat(text):
    return " ".join(text.replace("\u202f", " ").replace("\u00a0", " ").replace("`", "").split())


KOREAN = Catalogue(
    "ko",
    {
        ("", "Ranks"): "랭크",
        ("", "{time} at most"): "최대 {time}",
        ("", "{ranks} on {hosts}"): "호스트 {hosts:#}개의 {ranks}",
        ("", "{number} ranks"): "랭크 {number}개",
        ("a-rule", "{sum(a.b):s} of {n:rank}"): "{n:rank:#} 중 {sum(a.b):s}",
        ("", "It waits."): "기다린다.",
        ("", "broken {here}"): "{there} 고장",
    },
)


@pytest.mark.parametrize(
    "text, korean",
    [
        (message("Ranks"), "랭크"),
        (message("Hosts"), "Hosts"),
        ("Ranks", "Ranks"),  # no message: a name, perhaps
        (message("{time} at most", time="3 s"), "최대 3 s"),
        (message("{time} at most", time=message("Ranks")), "최대 랭크"),
        (message("at {time}", time=message("Ranks")), "at Ranks"),  # English as a whole
        (message("{ranks} on {hosts}", ranks=counted(4, "rank"), hosts=counted(1, "host")),
         "호스트 1개의 랭크 4개"),
        (behind("~", counted(4, "rank")), "랭크 ~4개"),
        (message_in("a-rule", "{sum(a.b):s} of {n:rank}",
                    **{"sum(a.b):s": "3 s", "n:rank": counted(2, "rank")}), "2 중 3 s"),
        (joined("; ", (message("Ranks"), "x")), "랭크; x"),
        (unstopped(message("It waits.")), "기다린다"),
        (changed(message("Ranks"), str.upper), "랭크"),
        (message("broken {here}", here=1), "broken 1"),
    ],
)  # fmt: skip
def test_messages_in_another_language(text, korean):
    assert KOREAN.text(text) == korean
    assert KOREAN.text(plain(text)) == korean
    assert KOREAN.text(copy.deepcopy(text)) == korean
    assert KOREAN.text(pickle.loads(pickle.dumps(text))) == korean


def test_english_is_what_it_was():
    text = message("{ranks} on {hosts}", ranks=counted(4, "rank"), hosts=counted(1, "host"))
    assert text == "4\u00a0ranks on 1\u00a0host" and hash(text) == hash(str(text))
    assert catalogue("en").text(text) is text


TYPED = re.compile(
    r"(?<![\w-])--?[A-Za-z][\w-]*(?:=[\w*]+)?|\b[A-Za-z0-9]+_[\w=]+|\b[A-Z][A-Z0-9]+_[A-Z0-9_]+\b"
)
"""Options, variables and names of commands: what somebody types."""


@pytest.mark.parametrize("language", OTHERS)
def test_what_is_typed_stays(language):
    for (_, english), translation in catalogue(language).entries.items():
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
    for (_, english), translation in catalogue(language).entries.items():
        names = [
            name
            for name in NAMES.findall(PLACE.sub("{}", english))
            if name not in ORDINARY and name != english
        ]
        assert [name for name in names if name not in PLACE.sub("{}", translation)] == [], (
            english,
            translation,
        )


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


def test_a_language_that_is_not_there():
    with pytest.raises(UserError, match="no reports in"):
        catalogue("tlh")
