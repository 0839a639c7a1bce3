"""Versions of the profile file: which can be read, and how they are made one."""

from __future__ import annotations

from typing import Any, Mapping, Tuple

from advisor.intake.container.header import FORMAT
from advisor.intake.container.layout import placed
from advisor.intake.untrusted.damage import Damage, mapping, sequence, whole

PLACED, COMPACT = 2, 3
"""Major versions: the second differs from the first, which results are written in, in how it
declares columns; the third is a profile of the second in a compressed form."""
NEWEST = COMPACT
"""The newest major version that is read."""


class Newer(ValueError):
    """The file has a major version that we do not know."""


def current(header: Mapping[str, Any]) -> Mapping[str, Any]:
    """The header of a profile that is not compact, as the first major version has it. Raises
    Damage, Newer."""
    number = major(header)
    if number == COMPACT:
        raise Damage("its version is that of a compact profile, which it is not")
    return (
        {**header, "tables": placed(mapping(header.get("tables", {}), "tables"))}
        if number == PLACED
        else header
    )


def major(header: Mapping[str, Any]) -> int:
    """The major version, one that we know. Raises Damage, Newer."""
    if header.get("format") != FORMAT:
        raise Damage(f"its format is not {FORMAT}")
    number, minor = version(header)
    if number > NEWEST:
        raise Newer(f"{number}.{minor}")
    return number


def version(header: Mapping[str, Any]) -> Tuple[int, int]:
    """Major and minor version, or Damage."""
    numbers = sequence(header.get("version"), "its version")
    if len(numbers) != 2:
        raise Damage("its version is not two numbers")
    return whole(numbers[0], "its major version", 1, 10**6), whole(
        numbers[1], "its minor version", 0, 10**6
    )
