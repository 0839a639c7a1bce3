"""No function longer than a screen: 30 lines in Python."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "advisor"
LONGEST = 30


def body_lines(node) -> int:
    """Lines of a function without its docstring: what has to be understood at once."""
    first = node.body[1] if ast.get_docstring(node) and len(node.body) > 1 else node.body[0]
    return node.end_lineno - first.lineno + 1


def test_functions_fit_on_a_screen():
    long = []
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if (
                isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
                and body_lines(node) > LONGEST
            ):
                long.append(
                    f"{file.relative_to(PACKAGE)}:{node.lineno} {node.name} {body_lines(node)}"
                )
    assert long == []
