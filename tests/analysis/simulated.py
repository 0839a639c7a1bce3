"""Programs simulated step by step, and the profile that a collector which sees every call would
write of them."""

from __future__ import annotations

from collections import defaultdict
from typing import Dict, List, NamedTuple, Sequence, Tuple

import numpy as np

from advisor.model.profile import Profile

from .profiles import profile, table


class Step(NamedTuple):
    """`kind`: Allreduce (all wait for all), Recv (each receives from its left neighbour, which has
    sent before; rank 0 from nobody), Mrecv (the same, and each sends on what it received).

    `computing`: seconds of each rank before it, `cost`: seconds that moving the data takes."""

    kind: str
    computing: Tuple[float, ...]
    cost: float


class Times(NamedTuple):
    """Seconds by operation and rank. `handed`: of waiting, what was there when the ranks left their
    previous call."""

    elapsed: float
    time: Dict[str, np.ndarray]
    wait: Dict[str, np.ndarray]
    handed: Dict[str, np.ndarray]
    delay_cost: np.ndarray
    windows: np.ndarray


def simulate(steps: Sequence[Step]) -> Times:
    """When each rank reaches and leaves each call, from the first principles: nobody leaves before
    what it needs is there."""
    count = len(steps[0].computing)
    now, left = np.zeros(count), np.zeros(count)
    sums: List[Dict[str, np.ndarray]] = [defaultdict(lambda: np.zeros(count)) for _ in range(3)]
    delay_cost = np.zeros(count)
    for step in steps:
        entered = now + np.array(step.computing)
        ready, delaying = _awaited(step, entered)
        wait = np.maximum(ready - entered, 0)
        now = np.maximum(entered, ready) + step.cost
        # Who sends on what it received left its receive a moment before.
        before = now if step.kind == "Mrecv" else left
        already = np.clip(before[delaying] - left, 0, wait)
        np.add.at(delay_cost, delaying, wait)
        for total, values in zip(sums, (now - entered, wait, already)):
            total[step.kind] = total[step.kind] + values
        left = now
    return Times(float(now.max()), *sums, delay_cost, now)


def _awaited(step: Step, entered: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """When what each rank needs is there, and who brings it last."""
    ranks = np.arange(len(entered))
    if step.kind == "Allreduce":
        return np.full(len(entered), entered.max()), np.full(len(entered), int(entered.argmax()))
    if step.kind == "Recv":
        return np.append(entered[:1], entered[:-1]), np.maximum(ranks - 1, 0)
    ready = entered.copy()
    for rank in ranks[1:]:
        ready[rank] = max(ready[rank], ready[rank - 1] + step.cost)
    return ready, np.maximum(ranks - 1, 0)


def profile_of(times: Times) -> Profile:
    """All calls sampled, none estimated."""
    count = len(times.windows)
    rows = [
        (
            rank,
            name,
            float(times.time[name][rank]),
            float(times.wait[name][rank]),
            float(times.handed[name][rank]),
        )
        for name in times.time
        for rank in range(count)
    ]
    rank, name, time, wait, handed = (list(column) for column in zip(*rows))
    calls = [
        (one, each, "intra_node", 4, 10, 80, seconds)
        for one, each, seconds in zip(rank, name, time)
    ]
    zero = [0.0] * len(rows)
    waits = table(
        "waits",
        rank=rank,
        communicator=[1] * len(rows),
        operation=name,
        class_=["intra_node"] * len(rows),
        bin=[4] * len(rows),
        calls=[10] * len(rows),
        sampled=[10] * len(rows),
        time=time,
        duration=time,
        wait=wait,
        unresolved=zero,
        propagated=handed,
        after=[""] * len(rows),
        inherited=zero,
        first_use=zero,
    )
    late = table(
        "delays",
        rank=list(range(count)),
        class_=["intra_node"] * count,
        instances=[10.0] * count,
        last=[1.0] * count,
        delay_cost=times.delay_cost.tolist(),
    )
    communicators = table(
        "communicators",
        id=[1],
        size=[count],
        nodes=[1],
        class_=["intra_node"],
        world=[1],
        name=[""],
    )
    return profile(
        times.windows.tolist(),
        calls,
        tables={"waits": waits, "delays": late, "communicators": communicators},
        ranks=_with_cores(times),
    )


def _with_cores(times: Times) -> dict:
    """Columns of ranks that had a core each, all the time."""
    count = len(times.windows)
    none = {
        name: [0.0] * count
        for name in (
            "no_core_inside",
            "no_core_outside",
            "asleep_inside",
            "asleep_outside",
            "system_time",
        )
    }
    return table(
        "ranks",
        threads=[1] * count,
        omp_threads=[1] * count,
        cores=[1] * count,
        cpus=[str(rank) for rank in range(count)],
        user_time=times.windows.tolist(),
        run_delay_reported=[1] * count,
        **none,
    )
