"""What is measured beside a bare run: our collector and other profilers, by library and
environment. Which are missing is known, with how to name them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

PEERS = ("IPM", "TALP", "mpiP", "mpiP without stacks")
"""Compared where they are named by `--peer` or by a variable: ADVISOR_PEER_IPM, …_TALP, …_MPIP."""
OF_PEERS = {
    "IPM": {"IPM_LOG": "full"},
    "TALP": {"DLB_ARGS": "--talp --talp-output-file=talp.json"},
    "mpiP": {},
    "mpiP without stacks": {"MPIP": "-k 0"},
}
"""Each with its defaults, but for reports in files: IPM's full log, TALP's JSON."""


class Profiler(NamedTuple):
    """`libraries`: preloaded, in this order; none: a bare run."""

    name: str
    libraries: Tuple[str, ...] = ()
    variables: Tuple[Tuple[str, str], ...] = ()

    def front(self, folder: str) -> List[str]:
        """Words in front of the program, in the ranks only. `folder`: where it may write."""
        if not self.libraries:
            return []
        values = {
            "LD_PRELOAD": ":".join(self.libraries),
            "ADVISOR_OUTPUT": folder,
            "ADVISOR_RUN": "benchmark",
            **dict(self.variables),
        }
        return ["env", *(f"{name}={value}" for name, value in values.items())]


BARE = Profiler("bare")


def peer(text: str) -> Profiler:
    """NAME=LIB.so[,VARIABLE=VALUE …]; without variables those of OF_PEERS."""
    name, _, rest = text.partition("=")
    library, *settings = rest.split(",")
    given = tuple(tuple(setting.split("=", 1)) for setting in settings) or tuple(
        OF_PEERS.get(name, {}).items()
    )
    return Profiler(name, (os.path.abspath(library),), given)


def from_environment() -> List[Profiler]:
    """The peers that variables name."""
    named = (
        (name, os.environ.get("ADVISOR_PEER_" + name.split()[0].upper(), "")) for name in PEERS
    )
    return [peer(f"{name}={library}") for name, library in named if library]


def chosen(given: Sequence[str]) -> List[Profiler]:
    """The peers of `--peer`, then those of variables that `--peer` does not name."""
    known: Dict[str, Profiler] = {each.name: each for each in map(peer, given)}
    for each in from_environment():
        known.setdefault(each.name, each)
    return list(known.values())


def why_not(profiler: Profiler) -> Optional[str]:
    """Why it cannot be run here; None if it can."""
    absent = [library for library in profiler.libraries if not Path(library).is_file()]
    return f"there is no {', '.join(absent)}" if absent else None


def gaps(profilers: Sequence[Profiler]) -> List[str]:
    """One sentence for each peer that is not measured."""
    present = {each.name for each in profilers}
    return [
        f"{name} is not measured: name its library with --peer '{name}=LIB.so' or in"
        f" ADVISOR_PEER_{name.split()[0].upper()}"
        for name in PEERS
        if name not in present
    ]
