"""Programs that start another program: how many words stand between them and it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Mapping, Optional, Sequence

from advisor.launching import srun
from advisor.launching.launcher import assignment
from advisor.launching.options import Words, getopt, is_option, table


@dataclass(frozen=True)
class Wrapper:
    """Options as getopt reads them, then `operands` words, then the program."""

    options: Words
    operands: int = 0
    assignments: bool = False
    otherwise: Optional[int] = None
    """Words that an option takes which is not in `options`; None: then the wrapper cannot be read.
    """


WRAPPERS: Mapping[str, Wrapper] = {
    "env": Wrapper(
        table(
            none="0 i v null ignore-environment debug list-signal-handling",
            one="C u chdir unset",
            maybe="block-signal default-signal ignore-signal",
        ),
        assignments=True,
    ),
    "numactl": Wrapper(
        table(
            none=(
                "a l t H s V all balancing dump dump-nodes huge localalloc strict touch verify"
                " hardware show cpu-compress"
            ),
            one=(
                "C I M N P S c f i m o p w cpubind cpunodebind file interleave length membind"
                " offset physcpubind preferred preferred-many shm shmid shmmode weighted-interleave"
            ),
        )
    ),
    "taskset": Wrapper(table(none="a c p all-tasks cpu-list pid"), operands=1),
    "time": Wrapper(
        table(none="a p q v V append portability quiet verbose", one="f o format output")
    ),
    "nice": Wrapper(table(none="0 1 2 3 4 5 6 7 8 9", one="n adjustment")),
    "chrt": Wrapper(
        table(
            none=(
                "G R a b d f i m o p r v all-tasks batch deadline fifo idle max other reset-on-fork"
                " rr verbose"
            ),
            one="D P T sched-deadline sched-period sched-runtime",
        ),
        operands=1,
    ),
    "ionice": Wrapper(table(none="t ignore", one="c n class classdata")),
    "timeout": Wrapper(
        table(none="v foreground preserve-status verbose", one="k s kill-after signal"), operands=1
    ),
    "stdbuf": Wrapper(table(one="e i o error input output")),
    "setsid": Wrapper(table(none="c f w ctty fork wait")),
    "likwid-pin": Wrapper(table(none="S i m p q V", one="c C N d s t")),
    # It allocates, then runs the rest of the line; its options are srun's.
    "salloc": Wrapper(srun.OPTIONS, otherwise=1),
    "task_affinity": Wrapper({}),
    "tacc_affinity": Wrapper({}),
    "nohup": Wrapper({}),
    "catchsegv": Wrapper({}),
}


def wrapped(words: Sequence[str], at: int, end: int) -> Optional[int]:
    """Position of the program that the wrapper at `at` starts; None if it is no wrapper or cannot
    be read."""
    wrapper = WRAPPERS.get(os.path.basename(words[at]))
    if wrapper is None:
        return None
    at = _after_options(words, at + 1, end, wrapper)
    if at is None:
        return None
    at += wrapper.operands
    while wrapper.assignments and at < end and "=" in words[at]:
        at += 1
    return at if at < end else None


def assigned(words: Sequence[str], start: int, end: int, name: str) -> Optional[str]:
    """The value that `env NAME=value` words between `start` and `end` give to `name`; the last one
    counts."""
    values = [assignment(word).get(name) for word in words[start:end]]
    return next((value for value in reversed(values) if value is not None), None)


def _after_options(words: Sequence[str], at: int, end: int, wrapper: Wrapper) -> Optional[int]:
    while at < end and is_option(words[at]):
        if words[at] == "--":
            return at + 1
        takes = getopt(words, at, wrapper.options, wrapper.otherwise)
        if takes is None:
            return None
        at += takes
    return at + 1 if at < end and words[at] == "-" else at
