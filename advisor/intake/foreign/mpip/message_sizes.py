"""Message sizes in mpiP's report: largest, mean and smallest of a call site, to four digits."""

from __future__ import annotations

from typing import Callable, Dict, List, Optional, Tuple

from advisor.intake.foreign.base.operation_names import MIXED, UNSIZED, bin_of, carries
from advisor.intake.foreign.base.profile_builder import Row, count, number, rank

_SECTIONS = (
    "Callsite Message Sent statistics",
    "Callsite RMA statistics",
    "Callsite I/O statistics",
)
_SUMS = ("Aggregate Sent Message Size", "Aggregate RMA Origin Size", "Aggregate I/O Size")
_HALF_A_DIGIT = 5e-4
Rows = Callable[[str], List[List[str]]]


def add(calls: List[Row], rows: Rows) -> None:
    """`bytes` and `bin` for each rank and call site."""
    found: Dict[Tuple[int, int], Tuple[int, int]] = {}
    for section in _SECTIONS:
        for row in rows(section):
            if len(row) == 8 and row[2] != "*":
                found[count(row[1], "Site"), rank(row[2])] = _sizes(*row[3:])
    for call in calls:
        _set(call, found.get((call["site"], call["rank"])))


def add_sums(calls: List[Row], rows: Rows) -> None:
    """`bytes` for each call site over all ranks; sizes are not kept apart."""
    found = {
        count(row[1], "Site"): int(number(row[3], "Total"))
        for section in _SUMS
        for row in rows(section)
        if len(row) == 6
    }
    for call in calls:
        _set(call, (found[call["site"]], MIXED) if call["site"] in found else None)


def _set(call: Row, known: Optional[Tuple[int, int]]) -> None:
    # mpiP leaves out call sites that sent nothing, but also those with MPI_IN_PLACE, and all of
    # MPI_Alltoallv.
    call["bytes"], call["bin"] = known or (0, MIXED if carries(call["operation"]) else UNSIZED)


def _sizes(calls: str, largest: str, mean: str, smallest: str, total: str) -> Tuple[int, int]:
    """Bytes and bin. The smallest size of one-sided calls is always printed as 0: a mean like the
    largest tells more."""
    most, middle, least = number(largest, "Max"), number(mean, "Mean"), number(smallest, "Min")
    if middle >= most * (1 - _HALF_A_DIGIT):
        least = most
    size = _exact(most)
    if least == most:
        return count(calls, "Count") * size, bin_of(size)
    same = bin_of(size) == bin_of(_exact(least))
    return int(number(total, "Sum")), bin_of(size) if same else MIXED


def _exact(size: float) -> int:
    """A size of four digits; the power of two that rounds to it, if there is one, since such sizes
    are the usual ones."""
    power = 1 << max(0, round(size) - 1).bit_length()
    for near in (power, power >> 1):
        if size >= 1e4 and near and float(f"{near:.3e}") == size:
            return near
    return int(size)
