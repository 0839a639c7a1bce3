"""Flux's `flux run` (flux-run(1) of flux-core, also `flux mini run`). Options as Python's argparse
reads them."""

from __future__ import annotations

from typing import Optional, Sequence

from advisor.launching.launcher import Launcher
from advisor.launching.options import getopt, table

OPTIONS = table(
    none="debug dry-run exclusive h help label-io l quiet u unbuffered v verbose watch x",
    one="""B N S add-file bank begin-time c cores cores-per-task cwd dependency env env-file env-remove error flags g gpus-per-node
        gpus-per-task input job-name n nodes ntasks o output p q queue requires rlimit setattr setopt signal t taskmap tasks-per-core
        tasks-per-node time-limit urgency wait-event""",
)


def consumed(words: Sequence[str], at: int) -> Optional[int]:
    """Words of the option at `at`, itself included; None if it is not documented."""
    return getopt(words, at, OPTIONS)


LAUNCHER = Launcher(
    family="flux",
    names=("flux",),
    answers=(),
    # The others queue a job and return before it runs.
    commands=(("run",), ("mini", "run")),
    consumed=consumed,
    of_any_library=True,
    directory=("cwd",),
    hosts=("n", "ntasks", "N", "nodes"),
    ranks=("n", "ntasks"),
    environment=("env",),
    handing=("--env={}",),
    in_front=False,
    attached=True,
    tried=False,
    separator="",
)
