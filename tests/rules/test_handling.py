"""Data with gaps and operators of the program's own, in real runs under two libraries, each beside
its cure."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.advice import judge, load_rules
from advisor.analysis.measure import measure
from advisor.base import resource_paths
from advisor.intake.read import read
from mpi_builds import compiling, find, preloaded, require, run

ROUNDS = 300
RULES = {"gaps": "data-with-gaps", "own": "own-operators"}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return compiling(tmp_path_factory.mktemp("handling"), Path(__file__).parent)


def judged(measures, name):
    """found, clear, moot or unknown."""
    rules = [rule for rule in load_rules([resource_paths.rules()]) if rule.id == name]
    advice = judge(measures, rules)
    return "found" if advice.findings else advice.silences[0].verdict.value


@pytest.mark.parametrize("name", ("ompi4", "mpich4"))
@pytest.mark.parametrize(
    "fault, cure, counted, operation",
    (
        ("gaps", "whole", {"gaps_calls": ROUNDS}, "Send"),
        (
            "own",
            "standard",
            {"own_operator_calls": 2 * ROUNDS, "ordered_operator_calls": 2 * ROUNDS},
            "Allreduce",
        ),
    ),
)
def test_found_and_gone_with_the_cure(
    fault, cure, counted, operation, name, program, collector, tmp_path
):
    build, found = require(find(name)), {}
    for what in (fault, cure):
        folder = tmp_path / what
        folder.mkdir()
        words = [*preloaded(collector(build), folder), program(build, "handling.c"), what]
        done = run(build, 2, words)
        assert done.returncode == 0, done.stderr
        measures = measure(read(folder / "merged.profile"))
        table = measures.tables["operation"]
        row = next(row for row in map(table.row, range(len(table))) if row["name"] == operation)
        starved = measures.tables["run"].row(0)["no_core_share"] > 0.05
        found[what] = {key: row[key] for key in counted}, judged(measures, RULES[fault]), starved
    assert found[cure][:2] == (dict.fromkeys(counted, 0), "moot")
    # Where other tests had the cores, the rule does not judge times.
    assert found[fault][:2] == (counted, "moot" if found[fault][2] else "found")
