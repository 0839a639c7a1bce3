"""Rules compare classes and paths with names that a profile can hold: with another name they would
never fire, and nothing else would tell."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from advisor.base import resource_paths

ROOT = Path(__file__).resolve().parents[2]
COMPARED = re.compile(r"\bclass (?:==|!=|in) (\([^()]*\)|\\?[\"']\w*\\?[\"'])")
RECORD = ROOT / "collectors" / "core" / "record" / "record_layout.c"
"""Where the collector names them."""


def names():
    """The classes and paths that the collector writes."""
    table = re.search(r"class_names\[CLASS_COUNT\] = \{(.*?)\}", RECORD.read_text(), re.DOTALL)
    return set(re.findall(r'"(\w+)"', table[1]))


def compared(text: str):
    """The names that a text compares a class with."""
    return {name for words in COMPARED.findall(text) for name in re.findall(r"\w+", words)}


@pytest.mark.parametrize(
    "text, found",
    [
        ('cell.class == "self"', {"self"}),
        ('where = "cell.class in (\\"intra_node\\", \\"other\\") and x"', {"intra_node", "other"}),
    ],
)
def test_the_check_sees_names(text, found):
    assert compared(text) == found


def test_rules_compare_classes_with_names_that_there_are():
    files = {file: compared(file.read_text()) for file in resource_paths.rules().rglob("*.toml")}
    assert sum(map(len, files.values())) > 20
    assert {file.name: used - names() for file, used in files.items() if used - names()} == {}
