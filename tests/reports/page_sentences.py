"""The sentences of a page, as a reader meets them: one element of text after the other."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import List

BLOCKS = {
    "p",
    "li",
    "h1",
    "h2",
    "h3",
    "h4",
    "td",
    "th",
    "dd",
    "dt",
    "caption",
    "summary",
    "figcaption",
}
BLOCKS |= {"div", "section", "table", "tr", "ul", "ol", "details", "figure", "span", "pre"}
SILENT = {"h3", "script", "style", "title", "svg", "pre", "dd"}
"""In "dd" stands what to do, whole in each finding: nobody looks up one half of it elsewhere."""
LEAST_WORDS = 5
"""Shorter ones are labels: "Change in the program."."""


LABELS = {"lab", "cap2", "val", "tag", "save", "who", "sort", "rows", "hm"}
"""Classes of what stands at a thing, and of tables of numbers."""
VOID = {"meta", "br", "rect", "path", "link", "img", "hr", "input"}


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.blocks, self.open = [""], []

    def handle_starttag(self, tag, attributes):
        classes = set((dict(attributes).get("class") or "").split())
        if tag not in VOID:
            self.open.append(tag in SILENT or bool(classes & LABELS))
        if tag in BLOCKS:
            self.blocks.append("")

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        self.open.pop()
        if tag in BLOCKS:
            self.blocks.append("")

    def handle_data(self, data):
        if not any(self.open):
            self.blocks[-1] += data


def sentences(page: str) -> List[str]:
    """All of at least five words, without what stands in commands and pictures."""
    parser = _Texts()
    parser.feed(page)
    found: List[str] = []
    for block in parser.blocks:
        text = " ".join(block.replace("\u202f", " ").replace("\u00a0", " ").split())
        found += [part.strip(" .;:") for part in re.split(r"(?<=[.;]) (?=[A-Z])", text)]
    return [text for text in found if len(text.split()) >= LEAST_WORDS]
