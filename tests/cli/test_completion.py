"""Completion: each shell gets all commands and options, with the words that the parsers have."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from advisor import cli
from advisor.__main__ import main
from advisor.cli.command_tree import command_tree
from advisor.cli.completion import script

TOP = command_tree(cli.parser())
SHELLS = ("bash", "zsh", "fish")


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_takes_it(shell, tmp_path):
    program = shutil.which(shell) or pytest.skip(f"no {shell} here")
    file = tmp_path / "completion"
    file.write_text(script(TOP, shell))
    assert subprocess.run([program, "-n", str(file)], capture_output=True, text=True).stderr == ""


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_option_is_there(shell, capsys):
    assert main(["completion", shell]) == 0
    words = set(capsys.readouterr().out.replace('"', " ").replace("'", " ").split())
    options = {
        name
        for command in TOP.parts
        for action in command.options
        for name in action.option_strings
    }
    wanted = {name.lstrip("-") for name in options} if shell == "fish" else options
    assert ({command.word for command in TOP.parts} | wanted) - words == set()


@pytest.mark.parametrize(
    "line, offered",
    [
        ("advisor comp", ["compare", "completion"]),
        ("advisor report --fo", ["--format"]),
        ("advisor rules --ru", ["--rules"]),
    ],
)
def test_bash_offers_what_may_follow(line, offered, tmp_path):
    bash = shutil.which("bash") or pytest.skip("no bash here")
    words = " ".join(line.split())
    asked = (
        f"{script(TOP, 'bash')}\nCOMP_WORDS=({words}); COMP_CWORD={len(line.split()) - 1};"
        " _advisor; printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    assert (
        subprocess.run([bash, "-c", asked], capture_output=True, text=True).stdout.split()
        == offered
    )


@pytest.mark.parametrize(
    "line, offered",
    [
        ("advisor comp", ["compare", "completion"]),
        ("advisor rules exp", ["explain"]),
        ("advisor report --form", ["--format"]),
        ("advisor report --format m", ["mail", "markdown"]),
        ("advisor run -- report --form", []),
    ],
)
def test_fish_offers_what_may_follow(line, offered, tmp_path):
    fish = shutil.which("fish") or pytest.skip("no fish here")
    file = tmp_path / "advisor.fish"
    file.write_text(script(TOP, "fish"))
    asked = subprocess.run(
        [fish, "--no-config", "-c", f"source {file}; complete -C '{line}'"],
        capture_output=True,
        text=True,
    )
    assert asked.stderr == ""
    assert [each.partition("\t")[0] for each in asked.stdout.splitlines()] == offered


def test_a_line_of_fish_says_what_an_option_is_and_takes():
    lines = script(TOP, "fish").splitlines()
    here = "complete -c advisor -n 'not __advisor_job; and __fish_seen_subcommand_from report' "
    assert (
        here
        + "-l format -x -a 'terminal html markdown mail json' -d 'default: as the name after -o ends"
        " (.html, .md, .json, .txt), else terminal'" in lines
    )
