"""rules/README.md: the commands of its first chapter, typed as they stand, print what it shows.

To accept a changed report: ADVISOR_GOLDEN=write pytest tests/documents/test_rules_page.py.
"""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from advisor import intake
from advisor.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "rules" / "README.md"
SHOWN = re.compile(r"(?<=of a job that breaks it:\n\n)(?:    .*\n)+")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a result of Open MPI on four nodes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    heat = intake.read(ROOT / "samples" / "profiles" / "heat.4r.json")
    nodes = tuple(replace(heat.nodes[at % 2], name=f"n{at}") for at in range(4))
    ranks = {**heat.tables["ranks"], "node": np.arange(4)}
    intake.write(replace(heat, nodes=nodes, tables={**heat.tables, "ranks": ranks}), "RESULT")
    return tmp_path


def test_the_page_shows_what_its_commands_print(here, capsys):
    page = PAGE.read_text(encoding="utf-8")
    policy, _, check, report = re.findall(r"^    advisor (r.*)$", page, re.M)[:4]
    assert main(_words(policy)) == 0
    file = here / "rules" / "library" / "network-port.toml"
    lines = re.findall(r"^    ((?:severity|where) *=.*)$", page, re.M)
    text = file.read_text().replace("TODO", "our network")
    for line in lines:
        text = re.sub(rf"(?m)^{line.split()[0]} .*$", lambda _, line=line: line, text)
    file.write_text(text)
    assert main(_words(check)) == 0
    capsys.readouterr()
    assert main([*_words(report), "--full"]) == 0
    printed = capsys.readouterr().out.splitlines()
    at = next(number for number, line in enumerate(printed) if line.startswith("1 MUST"))
    said = "".join(f"    {line}\n" for line in printed[at : at + 2])
    if os.environ.get("ADVISOR_GOLDEN") == "write":
        PAGE.write_text(SHOWN.sub(lambda _: said, page), encoding="utf-8")
    assert SHOWN.findall(PAGE.read_text(encoding="utf-8")) == [said]


def _words(line):
    return [os.path.expanduser(word) for word in shlex.split(line)]
