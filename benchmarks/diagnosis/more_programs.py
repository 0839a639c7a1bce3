"""More families, written after the rules had been mended by those of programs.py and before any of
these was run: what a rule book says of programs that nobody looked at while it was written."""

from __future__ import annotations

from random import Random
from typing import Callable, Dict, List, NamedTuple, Tuple

from programs import Made, Programs, Stage, _each_step, _twice
from simulator import ANY, Collective, Compute, Receive, Send, Wait


def two_groups(random: Random) -> Made:
    """Two halves of the job do different things side by side and meet now and then; one half has
    more to do."""
    stage = Stage(random, fewest=8)
    middle, more = stage.ranks // 2, random.uniform(0.3, 1)
    halves = (tuple(range(middle)), tuple(range(middle, stage.ranks)))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        upper = rank >= middle
        factor = 1 + more * (upper if fault else 0.5)
        parts: List[NamedTuple] = [
            stage.seconds(factor),
            Collective("Allreduce", 64, members=halves[upper]),
        ]
        return [*parts, Collective("Allreduce", 8)] if step % 5 == 4 else parts

    ranks = tuple(range(middle, stage.ranks))
    return Made("load imbalance", stage.machine, *_each_step(stage, body), ranks)


def a_slow_core(random: Random) -> Made:
    """One core is slower than all others, by a tenth to a third; the program is even."""
    stage = Stage(random, fewest=6)
    slower, style = random.uniform(0.1, 0.35), stage.style()

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        factor = 1 + slower * (fault and rank == stage.some)
        return [stage.seconds(factor), *stage.end_of_step(rank, step, style)]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), (stage.some,))


def output_by_rank_0(random: Random) -> Made:
    """Every tenth step all data goes to rank 0, which writes it while the others wait."""
    stage = Stage(random)
    writing = random.uniform(2, 6)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds(), Collective("Allreduce", 8)]
        if step % 10 == 9:
            mine = writing * stage.share(fault, rank == 0)
            parts += [Collective("Gather", 100_000), stage.seconds(mine), Collective("Barrier", 0)]
        return parts

    return Made("serial part", stage.machine, *_each_step(stage, body), (0,))


def noisy_system(random: Random) -> Made:
    """Now and then any rank is held up for a while: many ranks, so that somebody always is."""
    stage = Stage(random, fewest=16, most=64)
    often, long = random.uniform(0.02, 0.06), random.uniform(0.5, 1.2)
    style = random.choice(["sum", "both"])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        held = random.random() < often
        return [
            stage.seconds(1 + long * (held and fault)),
            *stage.end_of_step(rank, step, style),
        ]

    return Made("late in turns", stage.machine, *_each_step(stage, body))


def late_completion(random: Random) -> Made:
    """Halos posted early and completed late, but one side of each pair posts after its work."""
    stage = Stage(random)
    stage.halo = random.choice([2000, 40_000])
    share = random.uniform(0.3, 0.7)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        other = rank ^ 1
        before = share if fault and step % 2 == rank % 2 else 0
        return [
            stage.seconds(before + 1e-9),
            Receive(other, 1, 1),
            Send(other, stage.halo, 1, 2),
            Wait((1, 2)),
            stage.seconds(1 - before),
        ]

    return Made("late sender", stage.machine, *_each_step(stage, body))


def ring_exchange(random: Random) -> Made:
    """A shift round the ring by blocking large sends: each waits for the next, like dominoes."""
    stage = Stage(random, most=16)
    stage.steps, stage.work = 60, 4e-3
    large = int(random.uniform(0.2, 0.6) * stage.work * 9e9)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        left, right = (rank - 1) % stage.ranks, (rank + 1) % stage.ranks
        send, receive = Send(right, large, 1), Receive(left, 1)
        if fault:
            order = [send, receive] if rank else [receive, send]
        else:
            order = [Receive(left, 1, 1), Send(right, large, 1, 2), Wait((1, 2))]
        return [stage.seconds(), *order]

    return Made("one after the other", stage.machine, *_each_step(stage, body))


def many_gathers(random: Random) -> Made:
    """Small gathers of everything by everybody, thousands of them."""
    stage = Stage(random, most=12)
    stage.steps, stage.work = 30, 2e-3
    pieces = random.choice([300, 600])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        count, size = (pieces, 8) if fault else (1, 8 * pieces)
        return [stage.seconds(), *([Collective("Allgather", size)] * count)]

    return Made("many small collective calls", stage.machine, *_each_step(stage, body))


def transposes_of_rows(random: Random) -> Made:
    """All-to-all in rows and columns of a grid of ranks."""
    stage = Stage(random, fewest=16)
    stage.steps, stage.work = 60, 5e-3
    wide = max(
        each
        for each in range(2, stage.ranks)
        if stage.ranks % each == 0 and each * each <= stage.ranks
    )
    size = int(random.uniform(0.3, 0.8) * stage.work / wide * 9e9)

    def members(rank: int, column: bool) -> Tuple[int, ...]:
        if column:
            return tuple(one for one in range(stage.ranks) if one % wide == rank % wide)
        first = rank - rank % wide
        return tuple(range(first, first + wide))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        given = size if fault else 8
        return [
            stage.seconds(0.5),
            Collective("Alltoall", given, members=members(rank, False)),
            stage.seconds(0.5),
            Collective("Alltoall", given, members=members(rank, True)),
        ]

    return Made("transfer of all-to-all", stage.machine, *_each_step(stage, body))


def too_many_ranks(random: Random) -> Made:
    """The domain is so small that a sum in each step costs as much as the work."""
    stage = Stage(random, fewest=24, most=64)
    stage.steps, stage.work, stage.halo = 400, random.uniform(2e-5, 4e-5), 2000

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        kind = "both" if fault or step % 8 == 0 else "halo"
        return [stage.seconds(), *stage.end_of_step(rank, step, kind)]

    return Made("many small collective calls", stage.machine, *_each_step(stage, body))


def workers_of_uneven_pieces(random: Random) -> Made:
    """A manager hands out few large pieces; at the end most workers wait for the last ones."""
    stage = Stage(random, fewest=6, most=16)
    pieces = stage.ranks + random.randrange(1, stage.ranks // 2)
    long = stage.work * 40

    def make(fault: bool) -> Programs:
        fine = 1 if fault else 20
        count, each = pieces * fine, long / fine
        manager: List[NamedTuple] = []
        given = [0] * stage.ranks
        for piece in range(count):
            given[1 + piece % (stage.ranks - 1)] += 1
            manager += [Receive(ANY, 1)]
        workers = [
            [part for _ in range(given[rank]) for part in (Compute(each), Send(0, 100, 1))]
            for rank in range(1, stage.ranks)
        ]
        return [manager, *workers]

    return Made("load imbalance", stage.machine, *_twice(stage, make))


def healthy_overlap(random: Random) -> Made:
    """Halos posted before the work and completed after it: hidden."""
    stage = Stage(random)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts = stage.exchange(rank, step)
        return [*parts[:-1], stage.seconds(), parts[-1]]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_ensemble(random: Random) -> Made:
    """Independent members: ranks meet in groups only, and once at the end."""
    stage = Stage(random, fewest=8)
    half = stage.ranks // 2

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        group = tuple(range(half)) if rank < half else tuple(range(half, stage.ranks))
        return [stage.seconds(), Collective("Allreduce", 800, members=group)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


MORE: Dict[str, Callable[[Random], Made]] = {
    each.__name__: each
    for each in (
        two_groups,
        a_slow_core,
        output_by_rank_0,
        noisy_system,
        late_completion,
        ring_exchange,
        many_gathers,
        transposes_of_rows,
        too_many_ranks,
        workers_of_uneven_pieces,
        healthy_overlap,
        healthy_ensemble,
    )
}
