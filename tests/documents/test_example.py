"""docs/EXAMPLE.md: each block of Python prints what stands in the block of text behind it."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "EXAMPLE.md"
BLOCKS = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def printed(blocks):
    """What each block prints, one after the other in one session."""
    names: dict = {}
    for code, _ in blocks:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(code, str(PAGE), "exec"), names)
        yield said.getvalue()


def test_blocks_print_what_the_page_says(monkeypatch):
    monkeypatch.chdir(ROOT)
    blocks = BLOCKS.findall(PAGE.read_text(encoding="utf-8"))
    assert len(blocks) == PAGE.read_text(encoding="utf-8").count("```python")
    assert list(printed(blocks)) == [expected for _, expected in blocks]
