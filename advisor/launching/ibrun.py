"""TACC's ibrun, a script in front of the MPI library's own launcher: options of the user guides of
Stampede, Frontera and Comet."""

from __future__ import annotations

from typing import Optional, Sequence

from advisor.launching.launcher import Launcher
from advisor.launching.options import dashed, table

OPTIONS = table(none="debug dump h help v verbose", one="n np npernode o tpp")


def consumed(words: Sequence[str], at: int) -> Optional[int]:
    """Words of the option at `at`, itself included; None if it is not documented."""
    return dashed(words, at, OPTIONS)


LAUNCHER = Launcher(
    family="ibrun",
    names=("ibrun",),
    answers=(),
    consumed=consumed,
    of_any_library=True,
    hosts=("n", "np"),
    ranks=("n", "np"),
    tried=False,
    separator="",
)
