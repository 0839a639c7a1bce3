"""The efficiency tree: balance, or communication?"""

from __future__ import annotations

from typing import Optional, Tuple

from advisor.base.numbers import number
from advisor.model.message import message
from advisor.reports.composing.no_core import matters
from advisor.reports.figures import Efficiency, Factor
from advisor.reports.lookup import Lookup

_TREE = (
    (0, "", message("Parallel efficiency"), "run.parallel_efficiency", ""),
    (1, "=", message("Load balance"), "run.load_balance", ""),
    (2, "=", message("inside hosts"), "run.load_balance_in", ""),
    (2, "×", message("between hosts"), "run.load_balance_out", ""),
    (
        1,
        "×",
        message("Cores"),
        "run.core_efficiency",
        message("outside MPI without a core: something else took it"),
    ),
    (
        1,
        "×",
        message("Communication"),
        "run.communication_efficiency",
        message("the only branch that settings can reach"),
    ),
)

ALL = 0.995
"""Ranks had their cores while they computed: a factor of 1 is not worth a line."""


def efficiency(run: Lookup) -> Optional[Efficiency]:
    """None if nothing was measured. One host has no balance between hosts."""
    if run.number("run.parallel_efficiency") is None:
        return None
    one_host = run.number("run.nodes") == 1
    factors = [
        Factor(
            depth,
            sign,
            name,
            run.number(measure),
            run.mark(measure).replace("?", "") + number(run.number(measure)),
            "" if matters(run) and measure != "run.core_efficiency" else note,
        )
        for depth, sign, name, measure, note in _TREE
        if not (one_host and depth == 2)
        and not (measure == "run.core_efficiency" and (run.number(measure) or 1) > ALL)
    ]
    factors += _communication(run)
    factors.append(
        Factor(0, "", message("Computation scaling"), None, "?", message("needs a reference run"))
    )
    caption = message(
        "POP factors; each is the product of those below it. The tick marks 0.80, which POP calls"
        " acceptable."
    )
    return Efficiency(_title(run), caption, tuple(factors))


def _communication(run: Lookup) -> Tuple[Factor, ...]:
    """What communication is made of; estimates, for the time of an ideal network is not replayed
    but taken from sampled waits."""
    order, transfer = (
        run.number("run.serialisation_efficiency"),
        run.number("run.transfer_efficiency"),
    )
    if order is None or transfer is None:
        return (
            Factor(
                2,
                "",
                message("serialisation, transfer"),
                None,
                "?",
                message("need wait times, which were not measured"),
            ),
        )
    return (
        Factor(
            2,
            "=",
            message("serialisation"),
            order,
            "~" + number(order),
            "" if matters(run) else message("waiting for each other; no setting changes it"),
        ),
        Factor(
            2,
            "×",
            message("transfer"),
            transfer,
            "~" + number(transfer),
            "" if matters(run) else message("transfer; settings are worth trying"),
        ),
    )


def _title(run: Lookup) -> str:
    if matters(run):
        return message("Efficiency: unreliable, because ranks had no core")
    balance, communication = (
        run.number("run.load_balance"),
        run.number("run.communication_efficiency"),
    )
    if balance is None or communication is None:
        return message("Efficiency")
    if min(balance, communication) >= 0.95:
        return message("Efficiency: little is lost")
    if balance < communication:
        return message("Efficiency: more is lost by uneven work than by communication")
    return message("Efficiency: more is lost by communication than by uneven work")
