"""Every rule is shown by a program under a real library, or it is written down why no program can
show it here."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from advisor.advice import load_rules
from advisor.base import resource_paths

try:
    import tomllib
except ModuleNotFoundError:  # Python below 3.11
    import tomli as tomllib

HERE = Path(__file__).parent
LIST = tomllib.loads((HERE / "where_shown.toml").read_text(encoding="utf-8"))
RULES = {rule.id for rule in load_rules([resource_paths.rules()])}


def test_every_rule_stands_in_the_list_once():
    named = Counter(rule for part in LIST.values() for rules in part.values() for rule in rules)
    assert sorted(RULES - set(named)) == [], "show it by a sample, or say why none can"
    assert (
        sorted(set(named) - RULES) == []
        and [rule for rule, times in named.items() if times > 1] == []
    )


@pytest.mark.parametrize("file", LIST["shown"])
def test_the_test_that_shows_a_rule_names_it(file):
    text = (HERE / file).read_text(encoding="utf-8")
    assert [rule for rule in LIST["shown"][file] if f'"{rule}"' not in text] == []


def test_reasons_are_sentences_and_most_rules_are_shown():
    assert all(len(reason.split()) >= 3 for reason in LIST["cannot"])
    shown = sum(len(rules) for rules in LIST["shown"].values())
    assert shown >= 0.55 * len(RULES), "fewer than before"
