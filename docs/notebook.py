"""The worked example as a Jupyter notebook, made from docs/EXAMPLE.md: the text stands there once,
and a test compares what it shows with what it prints."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, List

NOTEBOOK = "docs/EXAMPLE.ipynb"
_BLOCK = re.compile(r"^```(python|text)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def notebook(page: str) -> str:
    """A page as a notebook: blocks of Python are cells, the block of text behind one its output."""
    cells: List[Dict[str, Any]] = []
    pieces = _BLOCK.split(page)
    for number, text in enumerate(pieces[0::3]):
        if text.strip():
            cells.append({"cell_type": "markdown", "metadata": {}, "source": text.strip()})
        if 3 * number + 2 < len(pieces):
            kind, content = pieces[3 * number + 1 : 3 * number + 3]
            if kind == "python":
                cells.append(_code(content.rstrip("\n")))
            else:
                cells[-1]["outputs"] = [
                    {"output_type": "stream", "name": "stdout", "text": content}
                ]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    whole = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _code(source: str) -> Dict[str, Any]:
    return {
        "cell_type": "code",
        "metadata": {},
        "execution_count": None,
        "source": source,
        "outputs": [],
    }
