"""The order inside the large rooms: a folder may import itself and the folders that are named for
it, never one above, never the room's door.

The door is what lies directly in the room (`read`, `measure`, `judge` …): it may import all of its
folders.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "advisor"
TOOLS = ("aps", "caliper", "cube", "darshan", "ipm", "mpip")
BELOW = {
    "intake": {
        "untrusted": (),
        "container": ("untrusted",),
        "crash": ("container", "untrusted"),
        "symbols": (),
        "foreign": ("container", "untrusted"),
        "otf2": ("foreign", "container", "untrusted"),
    },
    "intake/foreign": {"base": (), **{tool: ("base",) for tool in TOOLS}},
    "analysis": {
        "engine": (),
        "derived": ("engine",),
        "metrics": ("derived", "engine"),
    },
    "advice": {
        "language": (),
        "rulebook": ("language",),
        "judging": ("rulebook", "language"),
        "checking": ("judging", "rulebook", "language"),
        "pages": ("judging", "rulebook", "language"),
    },
    "launching": {
        "launchers": (),
        "target": (),
        "parse": ("launchers", "target"),
        "collector": ("target",),
        "run": ("collector", "parse", "launchers", "target"),
    },
}
"""Folder → the folders of the same room that it may import; each stands below it."""


def imported(file: Path):
    """(line, dotted name) of each import of ours; `from advisor.a import b` names advisor.a.b."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (
                (node.lineno, alias.name)
                for alias in node.names
                if alias.name.startswith("advisor.")
            )
        elif (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.split(".")[0] == "advisor"
        ):
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def wrong(room: str, below, package: Path = PACKAGE):
    """Imports inside a room that go up or aside: "judging/gain.py:3 imports pages"."""
    prefix = ["advisor", *room.split("/")]
    for folder, allowed in below.items():
        for file in sorted((package / room / folder).rglob("*.py")):
            for line, name in imported(file):
                parts = name.split(".")
                if parts[: len(prefix)] == prefix and parts[len(prefix)] not in (folder, *allowed):
                    yield f"{file.relative_to(package / room)}:{line} imports {parts[len(prefix)]}"


@pytest.mark.parametrize("room", BELOW)
def test_folders_import_only_what_stands_below_them(room):
    assert list(wrong(room, BELOW[room])) == []


@pytest.mark.parametrize("room", BELOW)
def test_all_folders_are_in_the_order_and_none_stands_below_itself(room):
    folders = {path.parent.name for path in (PACKAGE / room).glob("*/__init__.py")}
    assert folders == set(BELOW[room])
    seen = set()
    for folder, allowed in BELOW[room].items():
        assert set(allowed) <= seen, f"{folder} may import what stands above it"
        seen.add(folder)


def test_the_check_sees_a_wrong_import(tmp_path):
    low = tmp_path / "advice" / "language"
    low.mkdir(parents=True)
    (low / "sums.py").write_text(
        "from advisor.advice.pages import book\nfrom advisor.advice import judge\nimport"
        " advisor.advice.language.scope\n"
    )
    assert list(wrong("advice", {"language": (), "pages": ("language",)}, tmp_path)) == [
        "language/sums.py:1 imports pages",
        "language/sums.py:2 imports judge",
    ]
