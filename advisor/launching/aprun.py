"""Cray's aprun (ALPS): options as "Run Applications Using the aprun Command" of HPE lists them.
Two-letter options have one dash."""

from __future__ import annotations

from typing import Optional, Sequence

from advisor.launching.launcher import Launcher
from advisor.launching.options import attached, dashed, table

OPTIONS = table(
    none="""B C T b batch-args bypass-app-transfer h help q quiet reconnect ss strict-memory-containment sync-output usage v version
        zone-sort z""",
    one="""D E F L M N P R S a access-mode architecture cc cp cpu-binding cpu-binding-file cpu-time-limit cpus-per-cu d debug depth e
        environment-override j l m memory-per-pe n node-list node-list-file numa-node-list numa-nodes-per-node p pes pes-per-node
        pes-per-numa-node pipes protection-domain r relaunch sl sn specialized-cpus t w""",
)


def consumed(words: Sequence[str], at: int) -> Optional[int]:
    """Words of the option at `at`, itself included; None if it is not documented. -n64 is one
    word."""
    return dashed(words, at, OPTIONS) or attached(words, at, OPTIONS)


LAUNCHER = Launcher(
    family="aprun",
    names=("aprun",),
    answers=("ALPS",),
    consumed=consumed,
    of_any_library=True,
    ranks=("n", "pes"),
    # aprun copies the program that stands first to the nodes, so none of ours may; the option holds
    # for all programs of the line.
    handing=("-e", "{}"),
    in_front=False,
    handing_once=True,
    environment=("e", "environment-override"),
    hosts=("n", "pes", "B"),
    attached=True,
    tried=False,
)
