"""advisor(1): it is made of the parsers, and has to be made anew when they change."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from advisor import cli
from advisor.cli.command_tree import command_tree
from advisor.cli.manual import manual

PAGE = Path(__file__).resolve().parents[2] / "docs" / "man" / "advisor.1"


def test_the_page_is_fresh():
    assert PAGE.read_text(encoding="utf-8") == manual(command_tree(cli.parser())), (
        "make it anew: python -m advisor.cli.manual > docs/man/advisor.1"
    )


def test_every_command_and_option_is_on_it():
    """Dashes are written so that they can be searched for and copied."""
    page = PAGE.read_text(encoding="utf-8")
    commands = [part for each in command_tree(cli.parser()).parts for part in (each, *each.parts)]
    options = {
        name for command in commands for action in command.options for name in action.option_strings
    }
    missing = [
        name
        for name in (*(command.name for command in commands), *options)
        if name.replace("-", r"\-") not in page
    ]
    assert (len(commands) >= 21, len(options) >= 40, missing, "SUPPRESS" in page) == (
        True,
        True,
        [],
        False,
    )


def test_man_shows_it_without_complaint():
    groff = shutil.which("groff") or pytest.skip("no groff here")
    shown = subprocess.run(
        [groff, "-k", "-man", "-Tutf8", "-ww", "-P-c", str(PAGE)], capture_output=True, text=True
    )
    if "can't find" in shown.stderr or "cannot" in shown.stderr:
        pytest.skip("groff has no manual macros here")
    assert (shown.returncode, shown.stderr) == (0, "")
    # Bold is printed as a letter, a step back, and the letter again.
    text = re.sub(".\\x08", "", shown.stdout)
    for line in (
        "advisor run [options] -- mpirun",
        "--format csv|json|openmetrics|chrome|otf2",
        "advisor run -- mpirun -n 64 ./vasp_std",
    ):
        assert line in text
