"""Cells in sentences: numbers by the unit of their column, every % with its base, a mark on what is
estimated."""

from __future__ import annotations

from typing import Mapping

from advisor.base.numbers import count, number, percent, seconds, size
from advisor.model.measures import Quality
from advisor.model.message import Message, behind, joined, message

_BASES: Mapping[str, str] = {
    "operation.mpi_share": "of MPI",
    "run.small_time_share": "of MPI",
    "run.startup_share": "of the job",
    "run.small_calls_share": "of the calls with data",
    "operation.small_share": "of its calls with data",
    "operation.host_share": "of its time",
    "run.on_host_share": "of point-to-point bytes",
    "traffic.messages_share": "of messages",
    "traffic.bytes_share": "of bytes",
    "onesided.atomic_share": "of one-sided calls",
    "onesided.small_share": "of one-sided calls",
    "onesided.create_share": "of windows",
    "onesided.on_host_share": "of one-sided bytes",
    "run.load_balance": "of the longest rank",
    "run.load_balance_in": "of the longest rank",
    "run.load_balance_out": "of the longest host",
    "run.oversubscription": "of the cores",
    "node.load": "of its cores",
    "operation.imbalance": "of its longest rank",
    "run.overflowed_share": "of calls",
    "run.delaying_rank_share": "of all waiting",
    "rank.delay_cost_share": "of all waiting",
    "node.delay_cost_share": "of all waiting",
    "run.overlap_possible": "of the undisturbed time of such messages",
    "run.overlap_achieved": "of the undisturbed time of such messages",
    "run.overlap_efficiency": "of what was possible",
    "run.overlap_without_progress": "of such messages",
}
LABELS = frozenset(
    {
        "rank.id",
        "run.delaying_rank",
        "site.line",
        "run.exit_code",
        "cell.bin",
        "node.ptrace_scope",
        "library.release_major",
    }
)
"""Numbers that name or grade something: they are written as they are, and have no noun."""


def base_of(name: str) -> str:
    """The base of a share, by the name of its column; of elapsed unless said otherwise."""
    return _BASES.get(name, "of elapsed time")


def value(amount: object, unit: str, base: str = "of elapsed time") -> str:
    """A value with its unit: seconds, bytes, shares of a base, rates, counts, text, yes/no."""
    if isinstance(amount, bool):
        return message("yes") if amount else message("no")
    if isinstance(amount, Message):
        return amount.mapped(printable)
    if isinstance(amount, str):
        return printable(amount)
    known = float(amount)  # type: ignore[arg-type]
    if unit == "share":
        return of_base(percent(known), base)
    forms = {"s": seconds, "B": size, "count": count, "1/s": lambda each: f"{count(each)} a second"}
    return forms.get(unit, count if known == int(known) else number)(known)


def of_base(share: str, base: str) -> str:
    """A share with what it is a share of: "5 % of elapsed"."""
    if not base:
        return share
    return Message(f"{share} {base}", "{share} " + base, {"share": share})


OF_BASE = (
    message("{share} of elapsed time"),
    message("{share} of the cores"),
    message("{share} of calls"),
)
"""Templates that are made above, for the catalogues."""


def printable(text: str) -> str:
    """Text from a run without what would move a terminal's cursor."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def marked(text: str, quality: Quality) -> str:
    """~ before what is estimated, * after what rests on an assumed value.

    "below 0.01 %" says that it is no exact number by itself.
    """
    if quality == Quality.ESTIMATED and not text.startswith("below"):
        return behind("~", text)
    return joined("", (text, "*")) if quality == Quality.ASSUMED else text
