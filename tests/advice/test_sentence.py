"""Numbers in sentences and in commands."""

from __future__ import annotations

import pytest
from rule_writing import plain, scope

from advisor.advice.language import units
from advisor.advice.language.expression import ExpressionError
from advisor.advice.language.scope import Scope, View
from advisor.advice.language.sentence import fill, fill_advice, fill_command, places
from advisor.advice.language.units import base_of
from advisor.model.measures import Column, Measures, Quality, Table
from advisor.model.profile import Library, Profile, Run
from advisor.model.rule import Limit

import numpy as np

VALUES = [
    # amount, unit, text
    (0.191, "share", "19.1 % of elapsed time"),
    (1.0, "share", "100 % of elapsed time"),
    (0.0000019, "s", "1.90 µs"),
    (0.9999, "s", "1.00 s"),
    (0.00003, "share", "below 0.01 % of elapsed time"),
    (0.5, "s", "0.500 s"),
    (1412.3, "s", "1 412 s"),
    (0.0, "s", "0 s"),
    (65536.0, "B", "64 KiB"),
    (64000.0, "B", "62.5 KiB"),
    (512.0, "B", "512 B"),
    (3 * 2.0**20, "B", "3 MiB"),
    (8.0, "count", "8"),
    (1412.0, "count", "1 412"),
    (60400.0, "count", "60.4 thousand"),
    (1450000.0, "count", "1.45 million"),
    (2.5, "count", "2.50"),
    (120.0, "1/s", "120 a second"),
    (True, "yes/no", "yes"),
    ("n1", "text", "n1"),
]


@pytest.mark.parametrize("amount, unit, text", VALUES)
def test_value_with_unit(amount, unit, text):
    assert plain(units.value(amount, unit)) == text


def measured():
    columns = {
        "id": ("count", 1200.0, Quality.ESTIMATED),
        "node": ("text", "n1; rm -rf /", Quality.MEASURED),
        "cores": ("count", 1.0, Quality.MEASURED),
        "threads": ("count", 8.0, Quality.MEASURED),
        "share": ("share", 0.125, Quality.ESTIMATED),
        "size": ("B", 65536.0, Quality.ASSUMED),
        "time": ("s", 8.4, Quality.DERIVED),
        "lost": ("s", float("nan"), Quality.UNKNOWN),
    }
    table = Table(
        "rank",
        {
            name: Column(
                name, unit, np.array([value], dtype=object if unit == "text" else float), quality
            )
            for name, (unit, value, quality) in columns.items()
        },
    )
    limits = {"edge": Limit("edge", 64000, "64000 B", "it is so")}
    return Scope(
        View(Measures({"rank": table}, Profile(Run("p"), Library(), (), {}))), limits, {"rank": 0}
    )


SENTENCES = [
    (
        "Rank {rank.id} runs {rank.threads:thread} on {rank.cores:core}.",
        "Rank 1200 runs 8 threads on 1 core.",
    ),
    ("It takes {rank.share}.", "It takes ~12.5 % of elapsed time."),
    ("It takes {rank.share} of MPI.", "It takes ~12.5 % of MPI."),
    ("Messages of {rank.size}", "Messages of 64 KiB*"),
    ("above {limit.edge}", "above 64000 B"),
    ("{rank.time / rank.threads} each", "1.05 s each"),
    ("{rank.threads / rank.cores} a core", "8 a core"),
    ("{rank.cores / rank.threads:share}", "12.5 % of elapsed time"),
    ("{rank.lost} lost", "? lost"),
    ("{sum(rank.time)} in all", "8.40 s in all"),
    ("{count(rank.cores > 0)} of them", "1 of them"),
]


@pytest.mark.parametrize("text, filled", SENTENCES)
def test_sentence(text, filled):
    assert plain(fill(text, measured(), "rank").text) == filled


COMMANDS = [
    ("--map-by slot:PE={rank.threads}", "--map-by slot:PE=8"),
    ("LIMIT={rank.size} EDGE={limit.edge}", "LIMIT=65536 EDGE=64000"),
    ("X={rank.share}", "X=0.125"),
    ("sbatch --exclude={rank.node}", "sbatch --exclude='n1; rm -rf /'"),
]


@pytest.mark.parametrize("text, filled", COMMANDS)
def test_command_has_bare_numbers_and_quoted_text(text, filled):
    assert fill_command(text, measured(), "rank").text == filled


def test_text_of_a_run_cannot_act_on_a_shell_or_a_terminal():
    assert (
        fill_advice("Run sbatch --exclude={rank.node}", measured(), "rank").text
        == "Run sbatch --exclude='n1; rm -rf /'"
    )
    assert units.value("n1\x1b[2J\n", "text") == "n1?[2J?"


def test_what_is_unknown_in_a_sentence_is_told():
    assert (
        fill("{rank.lost} of {rank.none}", measured(), "rank").unknown.reason()
        == "rank.lost, rank.none: not measured"
    )


@pytest.mark.parametrize(
    "text", ["{rank.id", "rank.id}", "{{rank.id}}", "{}", "{rank}", "{rank.id!r}", "{node.x}"]
)
def test_wrong_braces_are_refused(text):
    with pytest.raises(ExpressionError):
        places(text, "rank")


@pytest.mark.parametrize(
    "name, text",
    [
        ("openmpi", "Open MPI is used."),
        ("mpich", "MPICH is used."),
        ("another", "another is used."),
    ],
)
def test_a_library_has_the_name_that_users_write(name, text):
    assert plain(fill("{library.name} is used.", scope({"library": {"name": name}})).text) == text


@pytest.mark.parametrize(
    "name, base",
    (
        ("run.delaying_rank_share", "of all waiting"),
        ("rank.delay_cost_share", "of all waiting"),
        ("run.wait_share", "of elapsed time"),
    ),
)
def test_a_share_says_of_what(name, base):
    assert base_of(name) == base
