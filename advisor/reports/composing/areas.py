"""The parts of the time in MPI as every figure draws them: those of the first screen, so that no
second is waiting in one figure and not split in the next."""

from __future__ import annotations

from typing import Mapping

import numpy as np

from advisor.base.numbers import seconds
from advisor.model.message import joined, message
from advisor.reports.composing.causes_in_mpi import IN_MPI, Parts, in_mpi
from advisor.reports.composing.splitting import lower_bound, sampled
from advisor.reports.lookup import Lookup

WORDS = {
    "outside": message("outside MPI"),
    "no_core": message("without a core"),
    "waiting": message("waiting"),
    "moving": message("transfer"),
    "polling": message("polling in vain"),
    "unsplit": message("in MPI, not split"),
}
"""In the order in which they are drawn."""
SEEN = 0.002
"""Of MPI: a smaller part is not seen in any figure."""
_ROUNDS = 30


def of_ranks(run: Lookup, mpi: np.ndarray) -> Parts:
    """Seconds by role of each rank, which add up to `mpi`."""
    known = in_mpi(run)
    if known is None or len(known["waiting"]) != len(mpi):
        return _bounded(run, mpi)
    total = sum(known.values())
    fits = np.divide(mpi, total, out=np.zeros_like(mpi), where=total > 0)
    parts = {role: values * fits for role, values in known.items()}
    parts["unsplit"] = parts["unsplit"] + np.where(total > 0, 0.0, mpi)
    return seen(parts)


def _bounded(run: Lookup, mpi: np.ndarray) -> Parts:
    """At least so long each rank waited; how the rest divides is not known for single ranks."""
    wait = run.numbers("rank.wait_time")
    if wait is None or sampled(run) and (run.number("run.wait_sampled_share") or 0) < 1 - SEEN:
        wait = np.zeros_like(mpi)
    waiting = np.minimum(np.nan_to_num(wait), mpi)
    return seen({"waiting": waiting, "unsplit": mpi - waiting})


def seen(parts: Mapping[str, np.ndarray]) -> Parts:
    """Without parts that nobody would see; they stay in the sum, as not split."""
    total = float(sum(values.sum() for values in parts.values()))
    kept = {role: values for role, values in parts.items() if values.sum() > SEEN * total}
    rest = [values for role, values in parts.items() if role not in kept]
    if rest and kept:
        largest = max(kept, key=lambda role: kept[role].sum())
        kept[largest] = kept[largest] + sum(rest)
    return kept or dict(parts)


def over_time(run: Lookup, mpi: np.ndarray, first: Mapping[str, np.ndarray]) -> Parts:
    """Mean seconds by role in each slice, `mpi` being all of them, that add up to the parts of the
    whole run. `first`: what the slices tell by themselves. The means of the run are spread so that
    both sums hold (iterative proportional fitting)."""
    known = in_mpi(run)
    if known is None or not sampled(run):
        return {"unsplit": mpi}
    means = {role: float(values.mean()) for role, values in known.items() if values.mean() > 0}
    if not means or not mpi.sum() > 0:
        return {"unsplit": mpi}
    scale = float(mpi.sum()) / sum(means.values())
    cells = {role: first.get(role, mpi) + 1e-6 * mpi for role in means}
    for _ in range(_ROUNDS):
        cells = {
            role: values * (means[role] * scale / values.sum() if values.sum() > 0 else 0.0)
            for role, values in cells.items()
        }
        total = sum(cells.values())
        fits = np.divide(mpi, total, out=np.zeros_like(mpi), where=total > 0)
        cells = {role: values * fits for role, values in cells.items()}
    return seen(cells)


def left_in(run: Lookup, parts: Mapping[str, np.ndarray]) -> str:
    """What a striped area holds of the waiting that the first screen names; empty: nothing."""
    low = lower_bound(run) or 0.0
    drawn = float(np.mean(parts["waiting"])) if "waiting" in parts else 0.0
    mpi = float(sum(np.mean(values) for values in parts.values()))
    if "unsplit" not in parts or low - drawn <= SEEN * mpi:
        return ""
    return message(
        "Of the striped part {time} are waiting on average, at least; where is not known.",
        time=seconds(low - drawn),
    )


def colours(run: Lookup, parts: Mapping[str, np.ndarray]) -> str:
    """The words of a caption for the areas that are drawn."""
    words = {
        "moving": message("transfer blue"),
        "no_core": message("without a core dark grey"),
        "polling": message("polling in vain dark grey"),
        "unsplit": message("striped: transfer or waiting, not split"),
        "waiting": message("waiting orange")
        if sampled(run)
        else message("waiting, at least so much, orange"),
    }
    return joined(", ", [words[role] for role in IN_MPI if role in parts])
