"""No line is wider than 100 columns, but in tables, recorded files and what a program wrote."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WIDEST = 100
SUFFIXES = (".py", ".c", ".h", ".md")
WRITTEN = re.compile(r"(^|/)(golden|recorded)/(?!README)")
"""Files that tools wrote or programs printed."""
WHOLE = re.compile(r"https?://|# type: |# noqa|^\s*\|")
"""Addresses, marks for tools and rows of tables cannot be broken."""


def sources():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this is no checkout of git")
    return [
        name
        for name in listed.stdout.splitlines()
        if name.endswith(SUFFIXES) and not WRITTEN.search(name) and (ROOT / name).is_file()
    ]


def too_wide(text, allowed=frozenset()):
    """Numbers of the lines that are, but those allowed."""
    return [
        number
        for number, line in enumerate(text.split("\n"), 1)
        if len(line) > WIDEST and not WHOLE.search(line) and number not in allowed
    ]


def quoted(source):
    """Lines of texts that are data: expressions, scripts for a browser, sources of programs."""
    tree = ast.parse(source)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return {
        line
        for node in ast.walk(tree)
        if isinstance(node, (ast.Constant, ast.JoinedStr))
        and isinstance(getattr(node, "value", ""), (str, bytes))
        and id(node) not in prose
        for line in range(node.lineno, node.end_lineno + 1)
    }


def commands(markdown):
    """Lines of blocks of code: what is to be copied into a shell stays in one line."""
    lines = markdown.split("\n")
    return {number for number, line in enumerate(lines, 1) if line.startswith("    ")}


def allowed_in(name, text):
    """By the kind of file. What commands say of themselves is read in a terminal."""
    if name.endswith(".py") and not name.startswith("advisor/cli/"):
        return quoted(text)
    return commands(text) if name.endswith(".md") else frozenset()


def test_no_line_is_wider_than_100_columns():
    texts = {name: (ROOT / name).read_text("utf-8") for name in sources()}
    found = [
        f"{name}:{number}"
        for name, text in texts.items()
        for number in too_wide(text, allowed_in(name, text))
    ]
    assert found == []


def test_the_check_sees_a_wide_line():
    wide = "x" * 101
    assert too_wide(f"short\n{wide}\n| {wide}") == [2]
    assert quoted(f"def f():\n    \"{wide}\"\n\n\nTEXT = '{wide}'") == {5}
