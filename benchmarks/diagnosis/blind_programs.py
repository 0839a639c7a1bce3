"""Families after real codes, written and committed before any of them was judged, and without a
look at the rules' conditions: sweeps, refinement, ensembles, checkpoints, progress loops, RMA."""

from __future__ import annotations

import math
from random import Random
from typing import Callable, Dict, List, NamedTuple, Tuple

from programs import Made, Programs, Stage, _each_step, _twice
from simulator import Collective, Poll, Probe, Put, Receive, Send, Wait


def _grid(ranks: int) -> int:
    """Columns of a grid of ranks, as square as can be."""
    return max(wide for wide in range(1, ranks) if ranks % wide == 0 and wide * wide <= ranks)


def _members(rank: int, wide: int) -> Tuple[int, ...]:
    """The row of a grid that a rank is in."""
    first = rank - rank % wide
    return tuple(range(first, first + wide))


def uneven_neighbours(random: Random) -> Made:
    """One subdomain touches many others, and packs and unpacks a message for each."""
    stage = Stage(random, fewest=8)
    hub, touched = stage.some, min(stage.ranks - 1, random.choice([6, 8, 12]))
    others = [(hub + 1 + place) % stage.ranks for place in range(touched)]
    packing = random.uniform(0.05, 0.12)
    edges = {tuple(sorted((rank, (rank + 1) % stage.ranks))) for rank in range(stage.ranks)}
    edges |= {tuple(sorted((hub, one))) for one in others}
    near = [[sum(e) - rank for e in sorted(edges) if rank in e] for rank in range(stage.ranks)]
    mean = sum(map(len, near)) / stage.ranks

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        mine, count = near[rank], len(near[rank])
        pieces = len(mine) if fault else mean
        return [
            stage.seconds(1 + packing * pieces),
            *(Receive(one, 1, 1 + place) for place, one in enumerate(mine)),
            *(Send(one, stage.halo, 1, 1 + count + place) for place, one in enumerate(mine)),
            Wait(tuple(range(1, 1 + 2 * count))),
        ]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), (hub,))


def _swept(stage: Stage, blocks: int, sweep: int) -> Callable[[int], List[NamedTuple]]:
    """A sweep over the grid of ranks from one of its corners, in blocks of angles."""
    wide = _grid(stage.ranks)
    high = stage.ranks // wide
    right, down = (1, -1)[sweep % 2], (1, -1)[sweep // 2 % 2]

    def parts(rank: int) -> List[NamedTuple]:
        row, column = divmod(rank, wide)
        found: List[NamedTuple] = []
        for _ in range(blocks):
            if 0 <= column - right < wide:
                found.append(Receive(rank - right, 1))
            if 0 <= row - down < high:
                found.append(Receive(rank - down * wide, 2))
            found.append(stage.seconds(1 / blocks))
            if 0 <= column + right < wide:
                found.append(Send(rank + right, 3000, 1))
            if 0 <= row + down < high:
                found.append(Send(rank + down * wide, 3000, 2))
        return found

    return parts


def wavefront(random: Random) -> Made:
    """Sweeps from the corners of a grid of ranks, in so few blocks that most ranks wait until the
    front comes by."""
    stage = Stage(random, fewest=8)
    stage.work /= 4
    blocks = random.choice([1, 2, 3])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        if fault:
            return [*_swept(stage, blocks, step)(rank), Collective("Allreduce", 8)]
        return [*(stage.seconds(1 / blocks) for _ in range(blocks)), Collective("Allreduce", 8)]

    return Made("one after the other", stage.machine, *_each_step(stage, body))


def small_tasks(random: Random) -> Made:
    """Rank 0 hands out tasks that are shorter than it takes to hand out one to each."""
    stage = Stage(random, fewest=8)
    handing = random.uniform(2e-5, 6e-5)
    task = handing * (stage.ranks - 1) * random.uniform(0.1, 0.5)
    stage.work, stage.steps = task, 400

    def make(fault: bool) -> Programs:
        times, larger = (stage.steps, 1) if fault else (stage.steps // 20, 20)
        workers = range(1, stage.ranks)
        manager = [
            part
            for _ in range(times)
            for rank in workers
            for part in (Receive(rank, 1), stage.seconds(handing / task), Send(rank, 500, 2))
        ]
        asks = (Send(0, 50, 1), Receive(0, 2))
        return [
            manager,
            *(
                [part for _ in range(times) for part in (*asks, stage.seconds(larger))]
                for _ in workers
            ),
        ]

    return Made("busy manager", stage.machine, *_twice(stage, make), (0,))


def planes_left_over(random: Random) -> Made:
    """Planes that the ranks do not divide: some have one more, which shows in the transposes."""
    stage = Stage(random, fewest=8)
    wide = _grid(stage.ranks)
    each, more = random.choice([1, 2]), random.randrange(1, stage.ranks // 2 + 1)
    stage.steps = 60
    size = int(0.03 * stage.work / wide * 9e9)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        planes = each + (rank < more) if fault else each + more / stage.ranks
        return [
            stage.seconds(planes / (2 * each)),
            Collective("Alltoallv", size, members=_members(rank, wide)),
            stage.seconds(planes / (2 * each)),
            Collective("Alltoallv", size),
        ]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), tuple(range(more)))


def checkpoint_by_rank_0(random: Random) -> Made:
    """Now and then all send their part of the state to rank 0, which writes one after the other."""
    stage = Stage(random)
    often, writing = random.choice([10, 20, 30]), random.uniform(0.1, 0.4)
    size = random.choice([1_000_000, 4_000_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts = [stage.seconds(), *stage.end_of_step(rank, step, "both")]
        if step % often != often - 1:
            return parts
        part = writing * often / stage.ranks
        if not fault:
            return [*parts, stage.seconds(part), Collective("Barrier", 0)]
        if rank:
            return [*parts, Send(0, size, 5), Collective("Barrier", 0)]
        for one in range(1, stage.ranks):
            parts += [Receive(one, 5), stage.seconds(part)]
        return [*parts, stage.seconds(part), Collective("Barrier", 0)]

    return Made("serial part", stage.machine, *_each_step(stage, body), (0,))


def drifting_refinement(random: Random) -> Made:
    """A refined spot wanders through the domain: who has most to do changes slowly, and all have
    done the same in the end."""
    stage = Stage(random, fewest=8)
    more, wide = random.uniform(0.8, 2), random.uniform(0.06, 0.15)

    def weight(rank: int, step: int) -> float:
        apart = abs(rank / stage.ranks - step / stage.steps)
        return more * math.exp(-((min(apart, 1 - apart) / wide) ** 2))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        mean = sum(weight(one, step) for one in range(stage.ranks)) / stage.ranks
        parts = [stage.seconds(1 + (weight(rank, step) if fault else mean))]
        parts += stage.end_of_step(rank, step, "both")
        return [*parts, Collective("Allgather", 500)] if step % 10 == 9 else parts

    return Made("drifting imbalance", stage.machine, *_each_step(stage, body))


def dot_products(random: Random) -> Made:
    """An iterative solver with three sums of a number each in every short iteration; one call
    could take all three."""
    stage = Stage(random, fewest=16, most=64)
    stage.steps, stage.halo = 300, 2000
    stage.work = random.uniform(3e-5, 8e-5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        sums = [Collective("Allreduce", 8)] * 3 if fault else [Collective("Allreduce", 24)]
        return [stage.seconds(), *stage.exchange(rank, step), *sums]

    return Made("many small collective calls", stage.machine, *_each_step(stage, body))


def uneven_ensemble(random: Random) -> Made:
    """Independent members of an ensemble, a group of ranks each: one takes longer, and the others
    wait for it at the end."""
    stage = Stage(random, fewest=8)
    groups = random.choice([each for each in (2, 4) if stage.ranks % each == 0])
    size, longest = stage.ranks // groups, random.randrange(groups)
    more = random.uniform(0.3, 1.2)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        group = rank // size
        factor = 1 + more * (float(group == longest) if fault else 1 / groups)
        members = tuple(range(group * size, (group + 1) * size))
        return [stage.seconds(factor), Collective("Allreduce", 800, members=members)]

    culprits = tuple(range(longest * size, (longest + 1) * size))
    return Made("load imbalance", stage.machine, *_each_step(stage, body), culprits)


def polled_messages(random: Random) -> Made:
    """The receiver asks again and again whether the message is there; it is sent late."""
    stage = Stage(random, most=16)
    stage.halo = random.choice([512, 4096])
    share = random.uniform(0.3, 0.8)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        other = rank ^ 1
        before = share if fault and rank % 2 else 0
        polls = Poll((1, 2), stage.work / 60)
        return [
            stage.seconds(before + 1e-9),
            Receive(other, 1, 1),
            Send(other, stage.halo, 1, 2),
            polls,
            stage.seconds(1 - before),
            Collective("Allreduce", 8),
        ]

    return Made("late sender", stage.machine, *_each_step(stage, body))


def late_at_the_fence(random: Random) -> Made:
    """Halos by MPI_Put between two fences, and one rank that has more to compute."""
    stage = Stage(random)
    more = random.uniform(0.3, 1.2)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        factor = 1 + more * stage.share(fault, rank == stage.some)
        return [stage.seconds(factor), *_put_halos(stage, rank)]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), (stage.some,))


def _put_halos(stage: Stage, rank: int) -> List[NamedTuple]:
    return [
        Collective("Win_fence", 0),
        Put((rank - 1) % stage.ranks, stage.halo),
        Put((rank + 1) % stage.ranks, stage.halo),
        Collective("Win_fence", 0),
    ]


def stages_of_a_pipeline(random: Random) -> Made:
    """Each rank is a stage: large blocks go from rank to rank, and too few of them are under way
    to keep all stages busy."""
    stage = Stage(random, most=16)
    stage.work /= 4
    blocks = max(2, round(stage.ranks * random.uniform(0.3, 0.8)))
    large = int(random.uniform(0.05, 0.2) * stage.work / blocks * 9e9)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = []
        for _ in range(blocks):
            if fault and rank:
                parts.append(Receive(rank - 1, 1))
            parts.append(stage.seconds(1 / blocks))
            if fault and rank < stage.ranks - 1:
                parts.append(Send(rank + 1, large, 1))
        return [*parts, Collective("Allreduce", 8)]

    return Made("one after the other", stage.machine, *_each_step(stage, body))


def healthy_wavefront(random: Random) -> Made:
    """Sweeps in so many blocks that the front reaches all ranks soon."""
    stage = Stage(random, fewest=8, most=16)
    stage.steps, stage.halo = 8, 3000
    blocks = 30 * (_grid(stage.ranks) + stage.ranks // _grid(stage.ranks))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        return [*_swept(stage, blocks, 0)(rank), *([] if step % 4 else stage.exchange(rank, step))]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_bursts(random: Random) -> Made:
    """All ranks write their part at the same time now and then, and meet after it."""
    stage = Stage(random)
    often, writing = random.choice([5, 10, 20]), random.uniform(0.5, 3)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts = [stage.seconds(), *stage.end_of_step(rank, step, "both")]
        if step % often == often - 1:
            parts += [stage.seconds(writing), Collective("Barrier", 0)]
        return parts

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_fences(random: Random) -> Made:
    """Halos by MPI_Put between fences, of even work."""
    stage = Stage(random)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        return [stage.seconds(), *_put_halos(stage, rank)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_progress(random: Random) -> Made:
    """Halos under way while ranks compute, with a call for progress after each piece of work."""
    stage = Stage(random)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        *posted, wait = stage.exchange(rank, step)
        work = [part for _ in range(20) for part in (stage.seconds(0.05), Probe())]
        return [*posted, *work, wait]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_tasks(random: Random) -> Made:
    """Rank 0 hands out tasks long enough that nobody waits for it."""
    stage = Stage(random, fewest=8)
    handing = 2e-5

    def make(fault: bool) -> Programs:
        workers = range(1, stage.ranks)
        manager = [
            part
            for _ in range(stage.steps)
            for rank in workers
            for part in (Receive(rank, 1), stage.seconds(handing / stage.work), Send(rank, 500, 2))
        ]
        asks = (Send(0, 50, 1), Receive(0, 2))
        tasks = [
            [part for _ in range(stage.steps) for part in (*asks, stage.seconds())] for _ in workers
        ]
        return [manager, *tasks]

    return Made("healthy", stage.machine, *_twice(stage, make))


BLIND: Dict[str, Callable[[Random], Made]] = {
    each.__name__: each
    for each in (
        uneven_neighbours,
        wavefront,
        small_tasks,
        planes_left_over,
        checkpoint_by_rank_0,
        drifting_refinement,
        dot_products,
        uneven_ensemble,
        polled_messages,
        late_at_the_fence,
        stages_of_a_pipeline,
        healthy_wavefront,
        healthy_bursts,
        healthy_fences,
        healthy_progress,
        healthy_tasks,
    )
}
