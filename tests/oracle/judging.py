"""What the oracle's programs say they did, beside what the collector says they did."""

from __future__ import annotations

import json
import pathlib
import re
from typing import Dict, Iterable, List, Mapping, NamedTuple, Tuple

from advisor import intake

# collectors/SAMPLING.md: the times of these are columns of `ranks`; they are no rows of `calls`.
NOT_ROWS = frozenset(("Init", "Init_thread", "Finalize"))
# Left to the library with reason (collectors/standard/meaning.txt): clocks; conversions, made by
# Fortran layers behind the program's back; address arithmetic, a macro in some libraries; what may
# be asked before MPI_Init and after MPI_Finalize.
LEFT_ALONE = re.compile(
    r"Wtime|Wtick|\w+_(c2f|f2c|toint|fromint|c2f08|f082c|f082f|f2f08)|Aint_add|Aint_diff|Get_address"
    r"|Initialized|Finalized|Get_version|Get_library_version|Abi_\w+"
)


class Calls(NamedTuple):
    """`bins`: METRICS 6.2's bin → calls; -1 for calls that carry no payload by their nature, or go
    to MPI_PROC_NULL."""

    count: int
    bytes: int
    bins: Mapping[int, int]


Table = Dict[Tuple[int, str], Calls]
"""(rank, operation) → Calls."""


def expected(folder: pathlib.Path) -> Table:
    """The tables that the ranks of a program wrote into `folder`."""
    table: Table = {}
    for path in folder.glob("*.json"):
        content = json.loads(path.read_text())
        for operation, row in content["calls"].items():
            if operation not in NOT_ROWS and not LEFT_ALONE.fullmatch(operation):
                bins = {int(at): count for at, count in row.get("bins", {}).items()}
                table[content["rank"], operation] = Calls(row["count"], row["bytes"], bins)
    return table


def seen(parts: pathlib.Path) -> Table:
    """The collector's `calls`, classes added up."""
    rows = intake.read(parts).tables["calls"]
    table: Table = {}
    for rank, operation, at, count, size in zip(
        rows["rank"], rows["operation"], rows["bin"], rows["count"], rows["bytes"]
    ):
        key = (int(rank), str(operation))
        before = table.get(key, Calls(0, 0, {}))
        bins = dict(before.bins)
        bins[int(at)] = bins.get(int(at), 0) + int(count)
        table[key] = Calls(before.count + int(count), before.bytes + int(size), bins)
    return table


def differences(truth: Table, profile: Table, ignore: Iterable[str] = ()) -> List[str]:
    """One line for each (rank, operation) that disagrees in calls, bytes or sizes; sorted by
    operation."""
    skipped = set(ignore)
    keys = sorted({*truth, *profile}, key=lambda key: (key[1], key[0]))
    nothing = Calls(0, 0, {})
    lines = (
        _difference(key, truth.get(key, nothing), profile.get(key, nothing))
        for key in keys
        if key[1] not in skipped
    )
    return [line for line in lines if line]


def _difference(key: Tuple[int, str], truth: Calls, profile: Calls) -> str:
    bins = any(at >= 0 for at in truth.bins) and dict(truth.bins) != dict(profile.bins)
    if truth[:2] == profile[:2] and not bins:
        return ""
    return f"{key[1]:28} rank {key[0]}: made {_short(truth)}, profile says {_short(profile)}"


def _short(calls: Calls) -> str:
    bins = " ".join(f"b{at}:{count}" for at, count in sorted(calls.bins.items()))
    return f"{calls.count} calls {calls.bytes} B [{bins}]"


def sums(parts: pathlib.Path, table: str) -> Dict[Tuple[int, str], Tuple[int, int]]:
    """(rank, operation) → calls and bytes, from the table `calls`, `sites` or `members`."""
    rows = intake.read(parts).tables[table]
    total: Dict[Tuple[int, str], Tuple[int, int]] = {}
    for rank, operation, count, size in zip(
        rows["rank"], rows["operation"], rows["count"], rows["bytes"]
    ):
        before = total.get((int(rank), str(operation)), (0, 0))
        total[int(rank), str(operation)] = before[0] + int(count), before[1] + int(size)
    return total
