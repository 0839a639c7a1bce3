"""Facts that are not the same in both runs: program, library, hosts, placement, settings, input."""

from __future__ import annotations

import os
import shlex
from typing import Iterator, Mapping, Tuple

import numpy as np

from advisor.model.comparison import Difference
from advisor.model.profile import Profile

_PLACED = (
    ("cores", "logical CPUs of a rank"),
    ("omp_threads", "OMP_NUM_THREADS"),
    ("threads", "threads of a rank"),
    ("cpus", "CPU lists"),
)
_FLEETING = frozenset({"shm_free"})
"""Facts of hosts that are another number at each look, and say something only by their size."""
_LISTED = 4
"""Names that are written out; of more, their number."""
Facts = Mapping[str, str]


def differences(before: Profile, after: Profile) -> Tuple[Difference, ...]:
    """All of them, in the order of the groups."""
    found = []
    for group, facts in (
        ("program", _program),
        ("library", _library),
        ("hosts", _hosts),
        ("placement", _placement),
        ("settings", _settings),
        ("input", _input),
    ):
        old, new = facts(before), facts(after)
        names = dict.fromkeys([*old, *new])
        found += [
            Difference(group, name, old.get(name, ""), new.get(name, ""))
            for name in names
            if old.get(name, "") != new.get(name, "")
        ]
    return tuple(found)


def _program(profile: Profile) -> Facts:
    run = profile.run
    return {
        "program": os.path.basename(run.program),
        "arguments": shlex.join(run.arguments),
        "launch line": shlex.join(run.launch_line),
        "launcher": run.launcher,
        "collector": run.collector,
    }


def _library(profile: Profile) -> Facts:
    library = profile.library
    facts = {"name": library.name, "version": library.version, "path": library.path}
    return {
        **facts,
        **{name: str(fact.value) for name, fact in library.facts.items() if fact.value is not None},
    }


def _hosts(profile: Profile) -> Facts:
    names = sorted(node.name for node in profile.nodes)
    facts = {"hosts": _several(names), "number of hosts": str(len(names))}
    for name in dict.fromkeys(
        name for node in profile.nodes for name in node.facts if name not in _FLEETING
    ):
        values = {
            str(node.facts[name].value)
            for node in profile.nodes
            if name in node.facts and node.facts[name].value is not None
        }
        facts[name] = _several(sorted(values))
    return facts


def _several(values: list) -> str:
    return (
        ", ".join(values)
        if len(values) <= _LISTED
        else f"{', '.join(values[:_LISTED])} and {len(values) - _LISTED} more"
    )


def _placement(profile: Profile) -> Facts:
    ranks = profile.tables.get("ranks", {})
    facts = {"ranks": str(len(ranks.get("rank", ())))}
    if "node" in ranks and len(ranks["node"]) and int(ranks["node"].min()) >= 0:
        counts = np.bincount(ranks["node"].astype(int))
        counts = counts[counts > 0]
        facts["ranks a host"] = _range(int(counts.min()), int(counts.max()))
    facts.update(_columns(ranks))
    return facts


def _columns(ranks: Mapping[str, np.ndarray]) -> Iterator[Tuple[str, str]]:
    for column, name in _PLACED:
        if column not in ranks or not len(ranks[column]):
            continue
        values = ranks[column]
        if values.dtype == object:
            yield name, _several(sorted(set(map(str, values))))
        else:
            yield name, _range(int(values.min()), int(values.max()))


def _range(least: int, most: int) -> str:
    return str(least) if least == most else f"{least} to {most}"


def _settings(profile: Profile) -> Facts:
    return {
        setting.name: setting.value + (" (not on all ranks)" if setting.differs else "")
        for setting in profile.settings
    }


def _input(profile: Profile) -> Facts:
    settings = profile.application.settings if profile.application else {}
    return {name: str(fact.value) for name, fact in settings.items() if fact.value is not None}
