"""Errors that are meant for people: what happened, what it means for the result, what to do."""

from __future__ import annotations

import unicodedata


class UserError(Exception):
    """An error that the user can do something about. Printed in up to three lines, never as a
    traceback."""

    def __init__(self, what: str, meaning: str = "", do: str = "") -> None:
        super().__init__(what)
        self.what, self.meaning, self.do = what, meaning, do

    def lines(self) -> tuple:
        """The lines to print, without empty ones. What they quote, such as names of files, cannot
        command a terminal."""
        return tuple(harmless(line) for line in (self.what, self.meaning, self.do) if line)


def harmless(text: str) -> str:
    """Text that moves no cursor and changes no direction of writing: what is no printable character
    is a question mark, but for ends of lines. Any other width of space is a space: our own figures
    hold theirs together with such ones."""
    return "".join(map(_harmless, text))


def _harmless(character: str) -> str:
    if character.isprintable() or character == "\n":
        return character
    return " " if unicodedata.category(character) == "Zs" else "?"
