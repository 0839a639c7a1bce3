"""docs/EXAMPLE.md: each block of Python prints what stands in the block of text behind it, in the
page and in the notebook that is made from it."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
from pathlib import Path

import pytest

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


def shown(notebook):
    """What stands below each cell of code."""
    return [
        "".join(output["text"] for output in cell.outputs)
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def test_the_notebook_runs_and_shows_what_the_page_says():
    nbclient = pytest.importorskip("nbclient", reason="pip install -e '.[docs]'")
    pytest.importorskip("ipykernel", reason="pip install -e '.[docs]'")
    nbformat = pytest.importorskip("nbformat")
    found = importlib.util.spec_from_file_location("maker", ROOT / "docs" / "notebook.py")
    maker = importlib.util.module_from_spec(found)
    found.loader.exec_module(maker)
    page = PAGE.read_text(encoding="utf-8")
    notebook = nbformat.reads(maker.notebook(page), as_version=4)
    nbformat.validate(notebook)
    expected = [text for _, text in BLOCKS.findall(page)]
    assert shown(notebook) == expected
    nbclient.NotebookClient(notebook, resources={"metadata": {"path": str(ROOT)}}).execute()
    assert shown(notebook) == expected
