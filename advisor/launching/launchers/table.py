"""The launchers and wrappers that we know, of base/launchers.toml, as objects."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Mapping, Tuple

from advisor.base import launcher_names
from advisor.launching.launchers.launcher import Launcher, Wrapper
from advisor.launching.launchers.options import Options

_FOLLOWING = {"none": 0, "one": 1, "two": 2, "four": 4, "maybe": -1}


@lru_cache(maxsize=None)
def launchers() -> Tuple[Launcher, ...]:
    """All of them, in the order of the file: the first whose name or answer fits is taken."""
    return tuple(launcher(entry) for entry in launcher_names.tables()["launcher"])


@lru_cache(maxsize=None)
def wrappers() -> Mapping[str, Wrapper]:
    """Programs that start another program, by name."""
    by_family = {each.family: each.options for each in launchers()}
    return {
        name: _wrapper(entry, by_family)
        for name, entry in launcher_names.tables()["wrapper"].items()
    }


def launcher(entry: Mapping[str, Any]) -> Launcher:
    """One entry of the file: its keys are the fields of Launcher, and those of its options.

    TypeError for another key.
    """
    fields = {
        name: _frozen(value)
        for name, value in entry.items()
        if name not in ("options", "reading", "otherwise", "value_if")
    }
    return Launcher(options=_options(entry), **fields)


def _wrapper(entry: Mapping[str, Any], by_family: Mapping[str, Options]) -> Wrapper:
    fields = {name: value for name, value in entry.items() if name not in ("options", "options_of")}
    options = (
        by_family[entry["options_of"]]
        if "options_of" in entry
        else _options({"reading": "getopt", **entry})
    )
    return Wrapper(options, **fields)


def _options(entry: Mapping[str, Any]) -> Options:
    groups = {group: names.split() for group, names in entry.get("options", {}).items()}
    variable = frozenset(groups.pop("variable", ()))
    return Options(
        reading=entry["reading"],
        following={name: _FOLLOWING[group] for group, names in groups.items() for name in names},
        variable=variable,
        value_if={name: re.compile(pattern) for name, pattern in entry.get("value_if", {}).items()},
        otherwise=entry.get("otherwise"),
        attached=entry.get("attached", False),
    )


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
