"""What a counter says of a run's energy, and whether it can be true.

Faults that are known, each with a planted case in tests/base/test_worth.py:

- Slurm writes 0 where no plug-in measures, NO_VAL (2^32-2) or NO_VAL64 (2^64-2) where it never did,
  and a number near 2^64 after a counter went backwards (slurm.h; acct_gather_energy plug-ins).
- Slurm's RAPL plug-in counts too much: it takes the energy unit of the package for memory too
  (gist.github.com/mahendrapaipuri/bcd357747d32073e3cb4622940db408b); HSUper's users are warned of
  it (portal.hpc.hsu-hh.de/documentation/hsuper/accounting). What shows it is more power than a
  node can take, which only the site knows: most_watts_per_node.
- Where jobs share a node, each gets the energy of the whole node (slurm.conf,
  AcctGatherEnergyType).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from advisor.base.numbers import HARD, number

LEAST_WATTS = 20.0
"""Of a node that computes: less is a counter that stood still."""
UNSET = (0xFFFFFFFE, 0xFFFFFFFF)
_BACKWARDS = 1 << 63
_MOST_JOULES = float(1 << 60)


@dataclass(frozen=True)
class Energy:
    """Of a run or step, on all its nodes. `joules` None: nobody measured, or `fault` says why it is
    not believed."""

    source: str
    joules: Optional[float] = None
    watts: Optional[float] = None
    """Mean power of a node."""
    fault: str = ""


def doubtful(source: str, fault: str) -> Energy:
    """Measured, and not believed."""
    return Energy(source, None, None, fault)


def believed(
    source: str, joules: Optional[float], seconds: float, nodes: float, most_watts: float
) -> Energy:
    """The energy if a node can take it."""
    if joules is None or not seconds > 0 or not nodes > 0:
        return Energy(source)
    if joules == 0:
        return Energy(source)
    if not 0 < joules < _MOST_JOULES:
        return doubtful(source, "the counter went backwards")
    watts = joules / seconds / nodes
    said = f"{number(watts)}{HARD}W a node"
    if watts > most_watts:
        return doubtful(source, f"{said}, and {number(most_watts)}{HARD}W is the most it can take")
    if watts < LEAST_WATTS:
        return doubtful(source, f"{said} is less than an idle one takes")
    return Energy(source, joules, watts)


def of_slurm(raw: int) -> "tuple[Optional[float], str]":
    """ConsumedEnergyRaw → joules, or why there are none."""
    if raw >= _BACKWARDS and raw < (1 << 64) - 2:
        return None, "the counter went backwards"
    if raw == 0 or raw in UNSET or raw >= (1 << 64) - 2:
        return None, ""
    return float(raw), ""
