"""What rules say about the measures of their own cases is said in each language: a place of a
number must fit what is printed there."""

from __future__ import annotations

import pytest

from advisor.advice import load_rules
from advisor.advice.checking.cases import given_measures
from advisor.advice.judging.judge import judge_rule
from advisor.advice.language.scope import View
from advisor.base import resource_paths
from advisor.cli.rule_book import vocabulary
from advisor.model.finding import Finding
from advisor.reports import LANGUAGES
from advisor.reports.languages import PLACE, Translator, messages, pattern, translator

NO_SUBJECT = "The question does not arise for "
"""Moot without a reason: reports say that in words of their own."""


@pytest.fixture(scope="module")
def said():
    """(rule, text) of all findings and silences of all cases."""
    units, found = dict(vocabulary()), set()
    for rule in load_rules([resource_paths.rules()]):
        for case in rule.cases:
            found |= {
                (rule.id, " ".join(text.split()))
                for text in _texts(judge_rule(rule, View(given_measures(case.given, units))))
            }
    return sorted(found)


def _texts(opinion):
    if not isinstance(opinion, Finding):
        return (
            [opinion.sentence]
            if opinion.verdict.value in ("clear", "moot")
            and not opinion.sentence.startswith(NO_SUBJECT)
            else []
        )
    steps = [
        text
        for step in opinion.steps
        for text in (step.text if step.kind in ("do", "code") else "", step.check, step.undo)
        if text.endswith(".") and " = " not in text
    ]
    return [opinion.title, opinion.subject, opinion.why, *opinion.facts, *opinion.hurts, *steps]


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_what_rules_say_of_their_cases_has_a_translation(language, said):
    to = translator(language)
    assert [(rule, text) for rule, text in said if to.text(text) == text] == []


def test_every_message_with_places_is_a_pattern():
    """One place may stand in it twice, for the same words."""
    for key in messages("ko"):
        assert pattern(key).groups == len({name for _, name in PLACE.findall(key)})


@pytest.mark.parametrize(
    "text, expected",
    [
        ("srun -c 4 --gpus=4", "4 대, srun -c 4"),
        ("srun -c 4 --gpus=8", "srun -c 4 --gpus=8"),
    ],
)
def test_a_place_that_stands_twice_holds_the_same(text, expected):
    assert (
        Translator("ko", {"srun -c {#gpus} --gpus={#gpus}": "{#gpus} 대, srun -c {#gpus}"}).text(
            text
        )
        == expected
    )


def test_a_caveat_that_could_not_be_checked_is_translated_with_the_reason_behind_it():
    to = Translator(
        "ko",
        {
            "{caveat} (not known here: {reason})": "{caveat} (알 수 없음: {reason})",
            "It may hurt.": "해로울 수 있다.",
            "counters were not asked for": "카운터를 요청하지 않았다",
        },
    )
    assert (
        to.text("It may hurt. (not known here: run.stalls: counters were not asked for)")
        == "해로울 수 있다. (알 수 없음: run.stalls: 카운터를 요청하지 않았다)"
    )
