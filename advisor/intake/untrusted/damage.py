"""What is wrong with a file, in words that fit after "cannot be read: "."""

from __future__ import annotations

from typing import Any, Mapping

_LONGEST = 300


class Damage(ValueError):
    """A file breaks its format. The message completes a sentence; `read` adds the file's name.

    What it quotes comes from the file: it is made fit for a line of a terminal.
    """

    def __init__(self, message: str) -> None:
        line = "".join(character if character.isprintable() else "?" for character in message)
        super().__init__(line if len(line) <= _LONGEST else line[:_LONGEST] + "…")


def whole(value: Any, what: str, least: int = 0, most: int = 2**63 - 1) -> int:
    """`value` as an integer within bounds, or Damage."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise Damage(f"{what} is not a whole number")
    if not least <= value <= most:
        raise Damage(f"{what} is {value}, outside {least} to {most}")
    return value


def text(value: Any, what: str) -> str:
    """`value` as text that can be printed everywhere, or Damage."""
    if not isinstance(value, str):
        raise Damage(f"{what} is not text")
    # JSON may spell half a surrogate pair, which no terminal and no file can take.
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")


def mapping(value: Any, what: str) -> Mapping[str, Any]:
    """`value` as a JSON object, or Damage."""
    if not isinstance(value, dict):
        raise Damage(f"{what} is not an object")
    return value


def sequence(value: Any, what: str) -> list:
    """`value` as a JSON array, or Damage."""
    if not isinstance(value, list):
        raise Damage(f"{what} is not a list")
    return value


def inside(offset: int, size: int, total: int, what: str) -> None:
    """Damage unless `size` bytes at `offset` lie within a file of `total` bytes."""
    if offset < 0 or size < 0 or offset + size > total:
        raise Damage(f"{what} lies outside the file: it was cut short or changed")
