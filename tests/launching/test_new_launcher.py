"""A launcher that is one more entry of launchers.toml is known everywhere: its line is read,
settings are written into it, rules may name it, and its options are its own."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from advisor.advice.judging.conflicts import _another_launcher
from advisor.advice.rulebook.selectors import check_selector, covers
from advisor.base import answer_cache, launcher_names
from advisor.launching.launchers import table
from advisor.launching.launchers.recognise import looks_like_launcher
from advisor.launching.parse.line import parse
from advisor.model.profile import Run
from advisor.reports.composing.launch_line import launch_line

ENTRY = """
[[launcher]]
family = "newrun"
names = ["newrun"]
answers = []
commands = [["go"]]
reading = "getopt"
ranks = ["n"]
of_any_library = true
[launcher.options]
none = "q"
one = "n"
"""


@pytest.fixture
def newrun(tmp_path, monkeypatch):
    """launchers.toml with one more entry."""
    text = launcher_names.FILE.read_text(encoding="utf-8")
    own, mark, wrappers = text.partition("[wrapper.")
    file = tmp_path / "launchers.toml"
    file.write_text(f"{own}{ENTRY}\n{mark}{wrappers}", encoding="utf-8")
    monkeypatch.setattr(launcher_names, "FILE", file)
    monkeypatch.setattr(answer_cache, "answer", lambda question, files, make: make())
    kept = (
        launcher_names.tables,
        launcher_names.names,
        launcher_names.all_names,
        launcher_names.names_with,
        launcher_names.short_names,
        table.launchers,
        table.wrappers,
    )
    for each in kept:
        each.cache_clear()
    yield
    for each in kept:
        each.cache_clear()


def test_its_line_is_read(newrun):
    line = parse(["newrun", "go", "-n", "4", "./app"], {})
    assert looks_like_launcher("newrun")
    assert (line.family, line.ranks, line.programs[0].index) == ("newrun", 4, 4)


def test_settings_are_written_into_its_line(newrun):
    run = Run("./app", launch_line=("newrun", "go", "-n", "4", "./app"))
    line = launch_line(run, "mpich", {"UCX_TLS": "sm", "--own": "1"}, ())
    assert line.text == "UCX_TLS=sm newrun go --own 1 -n 4 ./app"


def test_rules_may_name_it(newrun):
    check_selector("newrun")
    facts = {"library": "mpich", "version": "4", "application": "", "scheduler": ""}
    assert covers("newrun", {**facts, "launcher": "/opt/bin/newrun"})
    assert not covers("newrun", {**facts, "launcher": "srun"})


def test_its_options_are_its_own(newrun):
    view = SimpleNamespace(cells=lambda table, column: ["newrun"])
    step = SimpleNamespace(kind="launch", text="mpirun --bind-to core")
    assert _another_launcher(step, view) == (
        "these are options of mpirun, and this run was started by newrun"
    )


def test_the_name_of_a_library_is_no_launcher():
    assert {"mpirun", "hydra", "srun"} <= launcher_names.short_names()
    assert "openmpi" not in launcher_names.short_names()
