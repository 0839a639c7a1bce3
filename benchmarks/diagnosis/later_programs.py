"""Families written after the rules were mended by those of skeleton_programs.py, and committed
before any of them was judged: their first result is that of programs that no rule was made for."""

from __future__ import annotations

from random import Random
from typing import Callable, Dict, List, NamedTuple

from programs import Made, Programs, Stage, _each_step, _twice
from simulator import Collective, Lock, Poll, Put, Receive, Send, Unlock, Wait
from skeleton_programs import _hosts, _of_host, _size


def plane_of_boundary_cells(random: Random) -> Made:
    """A column of ranks at the edge of the domain computes a costly boundary condition; halos by
    MPI_Sendrecv in a line, and a sum every third step."""
    stage = Stage(random, fewest=9, most=48)
    edge = tuple(range(stage.ranks - max(2, stage.ranks // 6), stage.ranks))
    more = _size(random, 0.07, 0.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        factor = 1 + more * (float(rank in edge) if fault else len(edge) / stage.ranks)
        near = [one for one in (rank - 1, rank + 1) if 0 <= one < stage.ranks]
        halos: List[NamedTuple] = [Receive(one, 2, one - rank + 2) for one in near]
        halos += [Send(one, stage.halo, 2, one - rank + 6) for one in near]
        every = Wait(tuple(part.request for part in halos))
        return [
            stage.seconds(factor),
            *halos,
            every,
            *([Collective("Allreduce", 8)] if step % 3 == 2 else []),
        ]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), edge)


def adjoint_sweeps(random: Random) -> Made:
    """A tridiagonal solve over all ranks, forward and then back, once in a few steps."""
    stage = Stage(random, most=12)
    often, share = random.choice([1, 2, 4]), _size(random, 0.15, 1.0)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds(), *stage.exchange(rank, step)]
        if step % often:
            return parts
        if not fault:
            return [*parts, stage.seconds(share * often / stage.ranks), Collective("Allreduce", 8)]
        for tag, way in ((5, 1), (6, -1)):
            if 0 <= rank - way < stage.ranks:
                parts.append(Receive(rank - way, tag))
            parts.append(stage.seconds(share * often / stage.ranks / 2))
            if 0 <= rank + way < stage.ranks:
                parts.append(Send(rank + way, 800, tag))
        return parts

    return Made("one after the other", stage.machine, *_each_step(stage, body))


def flaky_port(random: Random) -> Made:
    """The port of one host is slow to all others; every rank swaps blocks with three others."""
    stage = Stage(random, fewest=24, most=48)
    _hosts(stage, 4)
    host, size = random.randrange(4), random.choice([100_000, 600_000])
    there = size / stage.machine.bandwidth[1]
    stage.work, stage.steps = there * random.uniform(10, 25), 60
    times = 1 + _size(random, 0.1, 0.6) * stage.work / there
    slow = tuple((host, other, times) for other in range(4) if other != host)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds()]
        away = (1, stage.ranks // 4, stage.ranks // 2)
        parts += [Receive((rank - one) % stage.ranks, k, k + 1) for k, one in enumerate(away)]
        parts += [Send((rank + one) % stage.ranks, size, k, k + 11) for k, one in enumerate(away)]
        return [*parts, Wait((1, 2, 3, 11, 12, 13))]

    ranks = _of_host(stage, host)
    sick = stage.machine._replace(slow=slow)
    return Made("slow network path", sick, *_each_step(stage, body), ranks, stage.machine)


def random_walkers(random: Random) -> Made:
    """Monte Carlo: lengths of walks are drawn anew on each rank in each step, and all meet in an
    MPI_Allgather."""
    stage = Stage(random, fewest=12, most=64)
    wide = random.uniform(0.06, 0.4)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        drawn = random.gammavariate(2, 0.5)
        factor = 1 + wide * (drawn if fault else 1)
        return [stage.seconds(factor), Collective("Allgather", 16)]

    return Made("late in turns", stage.machine, *_each_step(stage, body))


def restart_read_by_rank_0(random: Random) -> Made:
    """Rank 0 reads the state of each rank in turn and sends it, before the first step."""
    stage = Stage(random, fewest=6)
    reading = _size(random, 0.1, 0.6) * stage.steps / stage.ranks

    def make(fault: bool) -> Programs:
        made = []
        for rank in range(stage.ranks):
            parts: List[NamedTuple] = []
            if not fault:
                parts.append(stage.seconds(reading))
            elif rank == 0:
                parts.append(stage.seconds(reading))
                for other in range(1, stage.ranks):
                    parts += [stage.seconds(reading), Send(other, 300_000, 8)]
            else:
                parts.append(Receive(0, 8))
            for step in range(stage.steps):
                parts += [stage.seconds(), *stage.end_of_step(rank, step, "both")]
            made.append(parts)
        return made

    return Made("serial part", stage.machine, *_twice(stage, make), (0,))


def packed_field_by_field(random: Random) -> Made:
    """Halos of many fields in a blocking message each, to both neighbours, by even and odd ranks in
    turn."""
    stage = Stage(random, most=16)
    stage.steps, fields = 40, random.choice([60, 150])
    stage.work = fields * 4 * 1.5e-6 / _size(random, 0.1, 0.6)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        count, size = (fields, 96) if fault else (1, 96 * fields)
        left, right = (rank - 1) % stage.ranks, (rank + 1) % stage.ranks
        first: List[NamedTuple] = [Send(right, size, 1), Receive(left, 1)]
        second: List[NamedTuple] = [Send(left, size, 2), Receive(right, 2)]
        if rank % 2:
            first.reverse()
            second.reverse()
        return [stage.seconds(), *(first * count), *(second * count)]

    return Made("many small messages", stage.machine, *_each_step(stage, body))


def gathered_wavefunctions(random: Random) -> Made:
    """All bands are gathered on all ranks of a pool in each step, two pools side by side."""
    stage = Stage(random, fewest=8, most=32)
    stage.steps, stage.work = 50, 6e-3
    half = stage.ranks // 2
    pools = (tuple(range(half)), tuple(range(half, stage.ranks)))
    far = stage.machine.bandwidth[stage.hosts > 2]
    size = int(_size(random, 0.1, 0.8) * stage.work * far / (half - 1))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        members = pools[rank >= half]
        gathered = Collective("Allgather", size if fault else size // 30, members=members)
        return [stage.seconds(), gathered, Collective("Allreduce", 8)]

    return Made("transfer of all-to-all", stage.machine, *_each_step(stage, body))


def histogram_behind_a_lock(random: Random) -> Made:
    """All ranks add to a histogram on the last rank, each behind an exclusive lock that it keeps
    while it computes."""
    stage = Stage(random, fewest=6, most=16)
    last = stage.ranks - 1
    inside = random.uniform(1.2, 3) / stage.ranks

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        update = stage.seconds(inside)
        if fault:
            return [stage.seconds(), Lock(last), update, Put(last, 4000), Unlock(last)]
        return [stage.seconds(), update, Lock(last), Put(last, 4000), Unlock(last)]

    return Made("lock contention", stage.machine, *_each_step(stage, body))


def polled_coupler(random: Random) -> Made:
    """A coupler on rank 0 answers each component in turn; components ask for the answer again and
    again, and it interpolates for long."""
    stage = Stage(random, fewest=6, most=16)
    stage.steps = 40
    workers = stage.ranks - 1
    answer = stage.work / workers * random.uniform(0.3, 2)

    def make(fault: bool) -> Programs:
        coupler: List[NamedTuple] = []
        for _ in range(stage.steps):
            coupler += [Receive(rank, 1) for rank in range(1, stage.ranks)]
            for rank in range(1, stage.ranks):
                coupler += [
                    stage.seconds(answer / stage.work if fault else 1e-4),
                    Send(rank, 3000, 2),
                ]
        made: Programs = [coupler]
        for _ in range(workers):
            parts: List[NamedTuple] = []
            for _ in range(stage.steps):
                parts += [stage.seconds(), Send(0, 3000, 1), Receive(0, 2, 1)]
                parts.append(Poll((1,), stage.work / 80))
            made.append(parts)
        return made

    return Made("busy manager", stage.machine, *_twice(stage, make), (0,))


def healthy_edges_of_hosts(random: Random) -> Made:
    """Halos of which those between hosts take longer, as they do; work is even."""
    stage = Stage(random, fewest=24, most=48)
    _hosts(stage, 4)
    stage.halo, stage.work = 150_000, random.uniform(2e-3, 6e-3)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        return [stage.seconds(), *stage.exchange(rank, step)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_idle_quarter(random: Random) -> Made:
    """A small collective phase on a quarter of the ranks, while the others go on with their own
    work."""
    stage = Stage(random, fewest=16, most=48)
    few = tuple(range(stage.ranks // 4))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        if rank in few:
            extra = [Collective("Allreduce", 800, members=few), stage.seconds(0.05)] * 2
            return [stage.seconds(0.9), *extra, Collective("Allreduce", 8)]
        return [stage.seconds(), Collective("Allreduce", 8)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_rare_output(random: Random) -> Made:
    """Rank 0 collects a summary and writes it every twentieth step, which is soon done."""
    stage = Stage(random)
    style, writing = stage.style(), random.uniform(0.1, 0.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts = [stage.seconds(), *stage.end_of_step(rank, step, style)]
        if step % 20 == 19:
            parts.append(Collective("Gather", 2000))
            parts += [stage.seconds(writing)] if rank == 0 else []
        return parts

    return Made("healthy", stage.machine, *_each_step(stage, body))


LATER: Dict[str, Callable[[Random], Made]] = {
    each.__name__: each
    for each in (
        plane_of_boundary_cells,
        adjoint_sweeps,
        flaky_port,
        random_walkers,
        restart_read_by_rank_0,
        packed_field_by_field,
        gathered_wavefunctions,
        histogram_behind_a_lock,
        polled_coupler,
        healthy_edges_of_hosts,
        healthy_idle_quarter,
        healthy_rare_output,
    )
}
