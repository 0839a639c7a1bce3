"""Versions of the profile file: which can be read, and how older ones are lifted."""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Tuple

from advisor.intake.damage import Damage, sequence, whole
from advisor.intake.header import FORMAT, VERSION

Lift = Callable[[Mapping[str, Any]], Mapping[str, Any]]
LIFTS: Dict[int, Lift] = {}
"""From a major version to the next, one function a step. Version 1 is the first, so there is none yet."""


class Newer(ValueError):
    """The file has a major version that we do not know."""


def current(header: Mapping[str, Any]) -> Mapping[str, Any]:
    """The header as the present major version has it. Raises Damage, Newer."""
    if header.get("format") != FORMAT:
        raise Damage(f"its format is not {FORMAT}")
    major, minor = version(header)
    if major > VERSION[0]:
        raise Newer(f"{major}.{minor}")
    for step in range(major, VERSION[0]):
        header = LIFTS[step](header)
    return header


def version(header: Mapping[str, Any]) -> Tuple[int, int]:
    """Major and minor version, or Damage."""
    numbers = sequence(header.get("version"), "its version")
    if len(numbers) != 2:
        raise Damage("its version is not two numbers")
    return whole(numbers[0], "its major version", 1, 10**6), whole(numbers[1], "its minor version", 0, 10**6)
