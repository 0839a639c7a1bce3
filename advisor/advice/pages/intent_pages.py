"""The intents as pages of the book: what one may want, in the words of each library."""

from __future__ import annotations

from typing import Iterable, List

from advisor.model.intent import Intent, Words

TITLE = """## One intent in the words of every library

Made from `rules/intents`. In braces stands a value. Variables are handed on as "hand-on-a-variable" says.
"""


def pages(intents: Iterable[Intent]) -> str:
    """A chapter with one table for each intent."""
    return "\n".join([TITLE, *(_page(intent) for intent in intents)])


def _page(intent: Intent) -> str:
    size = f" Value: {intent.size}." if intent.size else ""
    note = f" {intent.note}" if intent.note else ""
    head = [
        f"### {intent.id}",
        "",
        f"**{intent.means}.**{size}{note}",
        "",
        "| for | words | meaning, needs | in force, undo |",
        "|---|---|---|---|",
    ]
    return "\n".join([*head, *map(_row, intent.words), ""])


def _row(words: Words) -> str:
    if words.kind == "none":
        return _cells(words.applies, "no equivalent", words.text, "")
    meaning = [words.size] if words.size else []
    meaning += (
        [f"Values: {', '.join(f'{name} `{written}`' for name, written in words.values.items())}."]
        if words.values
        else []
    )
    meaning += [f"Needs {', '.join(f'`{need}`' for need in words.needs)}."] if words.needs else []
    meaning += [f"Risk: {words.risk}."] if words.risk else []
    return _cells(
        words.applies,
        f"`{words.text}`",
        " ".join(meaning),
        f"{words.check} Undo: {words.undo.rstrip('.')}.",
    )


def _cells(*cells: str) -> str:
    written: List[str] = [cell.replace("|", "\\|").strip() for cell in cells]
    return f"| {' | '.join(written)} |"
