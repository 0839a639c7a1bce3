"""Who may import whom: cli imports all; model nothing of ours; base only model; every other room
model and base."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "advisor"
ROOMS = sorted(folder.name for folder in PACKAGE.iterdir() if (folder / "__init__.py").exists())
OPEN_TO_ALL = {"model", "base"}


def modules_of(room: str):
    return sorted((PACKAGE / room).rglob("*.py"))


def imported_rooms(file: Path):
    """(line, room) of each import of ours. `from advisor import __version__` names no room."""
    for node in ast.walk(ast.parse(file.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{file}:{node.lineno}: relative import hides the room"
            names = (
                [f"advisor.{alias.name}" for alias in node.names]
                if node.module == "advisor"
                else [node.module]
            )
        for name in names:
            if name.startswith("advisor.") and name != "advisor.__version__":
                yield node.lineno, name.split(".")[1]


def allowed(room: str):
    if room == "cli":
        return None
    return {"model": {"model"}, "base": {"base", "model"}}.get(room, {room} | OPEN_TO_ALL)


def test_rooms_are_those_of_the_plan():
    assert set(ROOMS) == {
        "model",
        "base",
        "cli",
        "launching",
        "probing",
        "intake",
        "analysis",
        "advice",
        "reports",
        "comparing",
        "bundling",
        "verifying",
        "fleet",
    }


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_model_and_never_a_sibling(room):
    if allowed(room) is None:
        return
    wrong = [
        f"{file.relative_to(PACKAGE)}:{line} imports {name}"
        for file in modules_of(room)
        for line, name in imported_rooms(file)
        if name not in allowed(room)
    ]
    assert wrong == []


def test_the_check_sees_a_wrong_import(tmp_path):
    file = tmp_path / "bad.py"
    file.write_text(
        "from advisor.reports.compose import compose\nimport advisor.intake\nfrom advisor import"
        " trusted\n"
    )
    assert list(imported_rooms(file)) == [(1, "reports"), (2, "intake"), (3, "trusted")]


def test_core_never_includes_mpi():
    core = PACKAGE.parent / "collectors" / "core"
    sources = sorted(core.rglob("*.[ch]"))
    assert sources, "collectors/core has no sources"
    assert [str(f) for f in sources if "mpi.h" in f.read_text()] == []


def test_one_file_reads_elf():
    assert [
        str(file.relative_to(PACKAGE))
        for file in sorted(PACKAGE.rglob("*.py"))
        if "from elftools" in file.read_text()
    ] == ["base/elf_reader.py"]
