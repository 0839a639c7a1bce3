"""MVAPICH2's mpirun_rsh: options, a host for each rank unless a file lists them, NAME=value words
for the ranks, then the program."""

from __future__ import annotations

from typing import Optional, Sequence

from advisor.launching.launcher import Launcher
from advisor.launching.options import dashed, table

OPTIONS = table(
    none=(
        "debug export export-all h help legacy rsh show ssh totalview tv use-gdb use-xterm v xterm"
    ),
    one=(
        "config dpmspec fastssh-threshold hostfile launcher mpmd n np ppn sg spawnspec startedByTv"
        " usize"
    ),
)


def consumed(words: Sequence[str], at: int) -> Optional[int]:
    """Words of the option at `at`, itself included; None if it is not documented."""
    return dashed(words, at, OPTIONS)


LAUNCHER = Launcher(
    family="mpirun_rsh",
    names=("mpirun_rsh",),
    answers=("MVAPICH2",),
    consumed=consumed,
    directory=(),
    hosts=("hostfile", "np", "n"),
    ranks=("np", "n"),
    files=("config", "mpmd"),
    file_lines="options :",
    separator="",
    assignments=True,
    listing=("hostfile", "ppn"),
)
