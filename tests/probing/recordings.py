"""Outputs of real commands. The first line of each file says which command of which version it
was."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "recorded"


def recorded(name: str) -> str:
    """A recording without its first line."""
    return (FOLDER / f"{name}.txt").read_text().split("\n", 1)[1]
