"""launchers.toml, the one list of launchers, and what all rooms need of it: their names.

Parsing it takes longer than reading a launch line, so what it holds is kept from job to job.
"""

from __future__ import annotations

import json
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any, FrozenSet, Mapping, Tuple

from advisor.base import answer_cache
from advisor.model import library

FILE = Path(__file__).with_name("launchers.toml")


@lru_cache(maxsize=None)
def tables() -> Mapping[str, Any]:
    """The file as it is; launching/launchers/table.py makes objects of it."""
    return json.loads(
        answer_cache.answer(["launchers, parsed", str(FILE)], lambda _: [str(FILE)], _parsed)
        or "{}"
    )


def _parsed() -> str:
    # Here, since a job need not wait for it again.
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    return json.dumps(tomllib.loads(FILE.read_text(encoding="utf-8")))


@lru_cache(maxsize=None)
def names() -> FrozenSet[str]:
    """Programs of which we know how their lines are read."""
    own = (name for entry in tables()["launcher"] for name in entry["names"])
    return frozenset(own) | frozenset(tables()["shared"])


@lru_cache(maxsize=None)
def all_names() -> FrozenSet[str]:
    """Those too that are known to be launchers, and no more."""
    return names() | frozenset(tables()["others"])


@lru_cache(maxsize=None)
def names_with(key: str) -> FrozenSet[str]:
    """Programs whose entry says so: "of_any_library", "assignments"."""
    return frozenset(
        name for entry in tables()["launcher"] if entry.get(key) for name in entry["names"]
    )


def commands(name: str) -> Tuple[Tuple[str, ...], ...]:
    """Words behind the name that belong to it: `flux run`."""
    return tuple(
        tuple(words)
        for entry in tables()["launcher"]
        if name in entry["names"]
        for words in entry.get("commands", ())
    )


@lru_cache(maxsize=None)
def short_names() -> FrozenSet[str]:
    """What rules call them: by their programs, and by families that a program is named after, such
    as hydra. The name of a library is that of the library."""
    families = (
        entry["family"]
        for entry in tables()["launcher"]
        if any(entry["family"] in name.split(".") for name in entry["names"])
    )
    return (names() | frozenset(families)) - frozenset(library.NAMES)
