"""Versions of the profile file: which can be read, and how they are made one."""

from __future__ import annotations

from typing import Any, Mapping, Tuple

from advisor.intake.damage import Damage, mapping, sequence, whole
from advisor.intake.header import FORMAT
from advisor.intake.layout import placed

NEWEST = 2
"""The newest major version that is read. It differs from the first, which results are written in, in how it declares columns."""


class Newer(ValueError):
    """The file has a major version that we do not know."""


def current(header: Mapping[str, Any]) -> Mapping[str, Any]:
    """The header as the first major version has it. Raises Damage, Newer."""
    if header.get("format") != FORMAT:
        raise Damage(f"its format is not {FORMAT}")
    major, minor = version(header)
    if major > NEWEST:
        raise Newer(f"{major}.{minor}")
    return {**header, "tables": placed(mapping(header.get("tables", {}), "tables"))} if major == NEWEST else header


def version(header: Mapping[str, Any]) -> Tuple[int, int]:
    """Major and minor version, or Damage."""
    numbers = sequence(header.get("version"), "its version")
    if len(numbers) != 2:
        raise Damage("its version is not two numbers")
    return whole(numbers[0], "its major version", 1, 10**6), whole(numbers[1], "its minor version", 0, 10**6)
