"""Which variables of the environment a profile can hold: the collector's list, read from its
source."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Tuple

from advisor.base import resource_paths

_SOURCE = ("core", "process", "settings.c")


def is_recorded(name: str) -> bool:
    """Whether the collector records a variable of this name. Names in small letters are not of the
    environment: a library lists them."""
    if not name[:1].isupper():
        return True
    if name.startswith(_listed("internal")) or any(word in name for word in _listed("secrets")):
        return False
    return name in _listed("names") or name.startswith(prefixes())


def prefixes() -> Tuple[str, ...]:
    """How the names of recorded variables begin, but for single ones."""
    return _listed("prefixes")


@lru_cache(maxsize=None)
def _listed(array: str) -> Tuple[str, ...]:
    text = resource_paths.collectors().joinpath(*_SOURCE).read_text(encoding="utf-8")
    found = re.search(rf"\b{array}\[\] = \{{(.*?)\}};", text, re.DOTALL)
    return tuple(re.findall(r'"(\w+)"', found.group(1) if found else ""))
