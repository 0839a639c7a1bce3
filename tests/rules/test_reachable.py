"""Each measure that a condition of the book names can have a value, and each value of a setting
that it waits for is one that the library reads: else the rule is dead."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from pathlib import Path

import pytest

from advisor.advice.language.expression import STANDS_FOR_CLASS, parse
from advisor.advice.language.unknown import Unknown
from advisor.advice.rulebook.intents import book
from advisor.advice.rulebook.load import expressions_of, load_rules, written
from advisor.analysis.measure import measure
from advisor.base import resource_paths
from advisor.intake.read import read
from advisor.probing.programs import lammps
from .setting_comparisons import asked

try:
    import tomllib
except ModuleNotFoundError:  # Python below 3.11
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
REACHABLE = tomllib.loads((HERE / "reachable.toml").read_text(encoding="utf-8"))
VALUES = tomllib.loads((HERE / "setting_values.toml").read_text(encoding="utf-8"))["setting"]


@lru_cache(maxsize=None)
def rules():
    return load_rules([resource_paths.rules()])


def named(expression):
    """table.column of all measures in an expression."""
    for node in ast.walk(expression.tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            column = "class" if node.attr == STANDS_FOR_CLASS else node.attr
            yield f"{node.value.id}.{column}"


def asked_of_measures():
    """Names in all conditions, sentences and numbers of the book, and what intents need."""
    found = {
        name
        for rule in rules()
        for *_, text, form in written(rule)
        for expression in expressions_of(text, rule.look.each, form)
        for name in named(expression)
    }
    needs = (need for intent in book() for words in intent.words for need in words.needs)
    found.update(name for need in needs for name in named(parse(need, "run")))
    return {name for name in found if not name.startswith("limit.")}


def in_recorded_runs():
    """Names that have a value in a recorded run."""
    found = set()
    for file in REACHABLE["recorded"]:
        for table, each in measure(read(ROOT / file)).tables.items():
            for place in range(min(len(each), 100)):
                row = each.row(place)
                found.update(
                    f"{table}.{column}"
                    for column, value in row.items()
                    if value is not None and value == value and not isinstance(value, Unknown)
                )
    return found


def test_each_measure_of_the_book_can_have_a_value():
    shown = {name for names in REACHABLE["shown"].values() for name in names}
    missing = asked_of_measures() - in_recorded_runs()
    assert sorted(missing - shown) == [], "no recorded run and no test gives these"
    assert sorted(shown - missing) == [], "these need no test of their own"


@pytest.mark.parametrize("file", REACHABLE["shown"])
def test_the_test_of_a_measure_names_it(file):
    text = (ROOT / file).read_text(encoding="utf-8")
    words = {
        name: REACHABLE["written"].get(name, name.partition(".")[2])
        for name in REACHABLE["shown"][file]
    }
    assert [name for name, word in words.items() if not re.search(rf"\b{word}\b", text)] == []


def test_kspace_style_of_lammps():
    """bench/in.rhodo of LAMMPS."""
    text = "kspace_style    pppm 1e-4\npair_modify     mix arithmetic\n"
    assert lammps.parse_script(text, {})["kspace_style"] == "pppm 1e-4"


def entries(names):
    """Entries of setting_values.toml that speak of one of these names: whole names, beginnings that
    end in _, ends that begin with one."""
    return [
        entry
        for entry in VALUES
        if any(
            name == known
            or (known.endswith("_") and name.startswith(known))
            or (known.startswith("_") and name.endswith(known))
            or (name.endswith("_") and known.startswith(name))
            for name in names
            for known in entry["names"]
        )
    ]


def can_be(each):
    """Whether one of its settings can have the value that it is compared with."""
    if each.part:
        return any(each.word in one for entry in entries(each.names) for one in entry["examples"])
    return any(re.fullmatch(entry["value"], each.word) for entry in entries(each.names))


def test_rules_wait_for_values_that_libraries_read():
    compared = {each for rule in rules() for each in asked(rule) if each.word}
    assert len(compared) > 200
    assert sorted(map(str, (each for each in compared if not each.names))) == []
    assert sorted(map(str, (each for each in compared if not can_be(each)))) == []


@pytest.mark.parametrize("entry", VALUES, ids=lambda entry: entry["names"][0])
def test_examples_are_values_themselves(entry):
    wrong = [one for one in entry.get("examples", ()) if not re.fullmatch(entry["value"], one)]
    assert wrong == [] and entry["source"]
