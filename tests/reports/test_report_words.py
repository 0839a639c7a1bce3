"""Words that reports do not use, in all that reports say themselves."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

REPORTS = Path(__file__).resolve().parents[2] / "advisor" / "reports"
AVOIDED = re.compile(
    r"\b(idle|useful|knob|optimal\w*|significant\w*|simply|just|should|poor|bad|inefficien\w+|bottleneck|critical|speed-?up|N/A|no"
    r" problem)\b|\bup to\b|!(?![=\[-])",
    re.IGNORECASE,
)


def texts(file: Path):
    """String constants of a module that look like sentences; docstrings, names and templates' tags
    left out."""
    if file.suffix == ".j2":
        yield re.sub(r"{[{%].*?[%}]}|<[^>]*>", " ", file.read_text(), flags=re.DOTALL)
        return
    tree = ast.parse(file.read_text())
    notes = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in notes
            and " " in node.value
        ):
            yield node.value


@pytest.mark.parametrize(
    "file",
    [
        *sorted((REPORTS / "composing").glob("*.py")),
        *sorted(REPORTS.glob("*.py")),
        *sorted(REPORTS.glob("*.j2")),
    ],
    ids=lambda file: file.name,
)
def test_no_avoided_word(file):
    assert [text for text in texts(file) if AVOIDED.search(text)] == []


def test_the_check_sees_an_avoided_word(tmp_path):
    file = tmp_path / "bad.py"
    file.write_text('"""Should be fine here."""\nTEXT = "This should be optimal"\n')
    assert [bool(AVOIDED.search(text)) for text in texts(file)] == [True]
