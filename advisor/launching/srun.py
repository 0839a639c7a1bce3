"""Slurm's srun (srun(1), 22.05): options as getopt_long reads them. Most take a word, so the table
has those that do not."""

from __future__ import annotations

from typing import Sequence

from advisor.launching.launcher import Launcher
from advisor.launching.options import getopt, table

OPTIONS = table(
    none="""E H O Q V X Z h j k l s u v allocate contiguous disable-status exact help hold interactive label multi-prog
        no-allocate no-kill no-shell overcommit overlap oversubscribe parallel preserve-env quiet reboot share
        spread-job test-only unbuffered usage use-min-nodes verbose version""",
    maybe=(
        "I K core-spec-any exclusive get-user-env immediate kill-on-bad-exit nice propagate pty x11"
        " resv-ports"
    ),
)


def consumed(words: Sequence[str], at: int) -> int:
    """Words of the option at `at`, itself included. An option that is not in the table takes one
    word."""
    return getopt(words, at, OPTIONS, otherwise=1) or 1


LAUNCHER = Launcher(
    family="srun",
    names=("srun",),
    answers=("slurm",),
    consumed=consumed,
    of_any_library=True,
    directory=("D", "chdir"),
    hosts=("w", "nodelist", "n", "ntasks", "N", "nodes"),
    ranks=("n", "ntasks"),
    # With it srun copies the program that stands first to the nodes.
    bare=("bcast",),
    files=("multi-prog",),
    file_lines="ranks",
    file_is_operand=True,
    attached=True,
)
