"""Every command explains itself: what it is for, each option, and lines to copy."""

from __future__ import annotations

import argparse

import pytest

from advisor import cli
from advisor.__main__ import main


def commands(parser: argparse.ArgumentParser, name: str = "advisor"):
    """(name, parser) of a command and of all below it."""
    yield name, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, part in action.choices.items():
                yield from commands(part, f"{name} {word}")


ALL = dict(commands(cli.parser()))


def test_all_commands_are_looked_at():
    assert {
        "advisor",
        "advisor run",
        "advisor exec",
        "advisor demo",
        "advisor rules explain",
        "advisor rules schema",
        "advisor rules vocabulary",
    } <= set(ALL)


@pytest.mark.parametrize("name", sorted(ALL))
def test_help_ends_with_examples_of_this_command(name):
    text = ALL[name].format_help()
    examples = text.partition("example")[2]
    assert name in examples, text


@pytest.mark.parametrize("name", sorted(ALL))
def test_every_option_is_explained(name):
    silent = [
        action.dest
        for action in ALL[name]._actions
        if not action.help and not isinstance(action, argparse._SubParsersAction)
    ]
    assert silent == []


@pytest.mark.parametrize(
    "line, said",
    [
        ("run mpirun -n 2 ./a", "Write the job after two dashes: advisor run -- mpirun -n 2 ./a"),
        ("run -o x ./a", "Write the job after two dashes: advisor run -- ./a"),
        ("exec ./a 1", "Write the job after two dashes: advisor exec -- ./a 1"),
    ],
)
def test_forgotten_dashes_are_named_with_the_line_to_write(line, said, capsys):
    assert main(line.split()) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "line, said",
    [
        (
            "doctor --jsn",
            ("advisor: advisor doctor does not know: --jsn\nadvisor: Did you mean --json?\n"),
        ),
        (
            "--jsn",
            "advisor: advisor does not know: --jsn\nadvisor: What it knows: advisor --help\n",
        ),
        (
            "raport x",
            "advisor: There is no command raport.\nadvisor: Did you mean report?\n",
        ),
        (
            "rules chek",
            "advisor: advisor rules has no command chek.\nadvisor: Did you mean check?\n",
        ),
        (
            "report x --format pdf",
            "advisor: --format cannot be pdf.\n"
            "advisor: There are: terminal, html, markdown, mail, json.\n",
        ),
        (
            "report x --language kr",
            "advisor: --language cannot be kr.\nadvisor: There are: en, ko, ja, zh.\n",
        ),
        (
            "report",
            "advisor: advisor report needs RESULT.\nadvisor: What it knows: advisor report --help\n",
        ),
        (
            "show x --limit y",
            "advisor: --limit needs a whole number, not y.\n"
            "advisor: What it knows: advisor show --help\n",
        ),
        (
            "run --colector x -- true",
            "advisor: advisor run does not know: --colector x\nadvisor: Did you mean --collector?\n",
        ),
    ],
)
def test_other_words_that_nobody_takes_are_refused_by_the_command(line, said, capsys):
    assert (main(line.split()), capsys.readouterr().err) == (2, said)


MISTAKES = [
    # what is typed                         what is said, before anything else is looked at
    (
        "verify nowhere --budget 1hour",
        "advisor: --budget 1hour is no length of time.\nadvisor: Write it like 90s, 30m or 2h.\n",
    ),
    (
        "run --no-report -- mpirrun -n 2 true",
        "advisor: The program mpirrun is not found on this host.\n"
        "advisor: Check the name, the folder and the modules that are loaded.\n",
    ),
]


@pytest.mark.parametrize("line, said", MISTAKES)
def test_a_mistake_is_said_once_and_first(line, said, capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(line.split()) in (2, 127) and capfd.readouterr().err == said
