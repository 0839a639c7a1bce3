"""Families after what a computing centre's users bring most often: work that lies unevenly, parts
that run alone or in turn, and small calls without end. Written without a look at the rules."""

from __future__ import annotations

import math
from itertools import product
from random import Random
from typing import Callable, Dict, List, NamedTuple, Sequence, Tuple

from field_programs import _faces, _group, _ring, _stage, _with
from programs import Made, Programs, _each_step, _twice
from simulator import Collective, Compute, Probe, Put, Receive, Send


def _part(random: Random, low: float, high: float) -> float:
    """A part of a step by chance, small ones as often as large ones."""
    return math.exp(random.uniform(math.log(low), math.log(high)))


def _longest(loads: Sequence[float]) -> Tuple[int, ...]:
    """Ranks that have nearly as much to do as the one that has most."""
    return tuple(rank for rank, load in enumerate(loads) if load >= 0.95 * max(loads))


def _open_faces(rank: int, ranks: int, across: int, size: int) -> List[NamedTuple]:
    """Halos with up to four neighbours, in a grid that ends at its edges."""
    row, column = divmod(rank, across)
    partners = [(rank - 1, 1, 2)] if column else []
    partners += [(rank + 1, 2, 1)] if column < across - 1 else []
    partners += [(rank - across, 3, 4)] if row else []
    partners += [(rank + across, 4, 3)] if rank + across < ranks else []
    return _with(partners, size)


def absorbing_layers_at_the_edges(random: Random) -> Made:
    """Seismic waves in a grid of ranks: those at an edge have an absorbing layer to compute, and
    those in a corner have two."""
    stage = _stage(random, (16, 24, 32, 48, 64))
    across = 4 if stage.ranks < 32 else 8
    thick, rows = _part(random, 0.1, 0.9), stage.ranks // across
    sides = [
        (row in (0, rows - 1)) + (column in (0, across - 1))
        for row, column in product(range(rows), range(across))
    ]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        layers = sides[rank] if fault else sum(sides) / stage.ranks
        stress = _open_faces(rank, stage.ranks, across, stage.halo)
        velocity = _open_faces(rank, stage.ranks, across, stage.halo)
        work = [stage.seconds(0.5 * (1 + thick * layers)) for _ in range(2)]
        energy = [Collective("Reduce", 8)] if step % 10 == 9 else []
        return [work[0], *stress, work[1], *velocity, *energy]

    made = _each_step(stage, body)
    return Made("load imbalance", stage.machine, *made, _longest(sides))


def contact_on_a_few_ranks(random: Random) -> Made:
    """A car crash: in each fifth step, the two or three ranks that hold the bumper search for
    contacts; halos are put into windows."""
    stage = _stage(random, (8, 16, 32, 48))
    more, halo = 5 * _part(random, 0.1, 1.0), random.choice([2000, 60_000])
    bumper = tuple(sorted(random.sample(range(stage.ranks), random.choice([2, 3]))))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        mine = rank in bumper if fault else len(bumper) / stage.ranks
        search = stage.seconds(more * mine)
        left, right = (rank - 1) % stage.ranks, (rank + 1) % stage.ranks
        forces = [Put(left, halo), Put(right, halo), Collective("Win_fence", 0)]
        searched = [search, Collective("Allreduce", 16)] if step % 5 == 2 else []
        return [stage.seconds(), *forces, *searched, Collective("Allreduce", 8)]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), bumper)


def triangle_of_pairs(random: Random) -> Made:
    """Many bodies: each rank has equally many rows of the pairs, but rows become shorter, so that
    work falls evenly from one end of the ranks to the other."""
    stage = _stage(random, (4, 8, 16, 32, 64))
    pairs = _part(random, 0.11, 1.0)
    rows = [(2 * (stage.ranks - rank) - 1) / stage.ranks for rank in range(stage.ranks)]
    if random.random() < 0.5:
        rows.reverse()
    loads = [1 - pairs + pairs * row for row in rows]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        work = stage.seconds(loads[rank] if fault else 1)
        moved = Compute(stage.work * 0.02)
        return [Collective("Allgather", 2400), work, Collective("Allreduce", 40_000), moved]

    made = _each_step(stage, body)
    return Made("load imbalance", stage.machine, *made, _longest(loads))


def sequences_divided_by_count(random: Random) -> Made:
    """Ranks compare sequences with a database that they got at the start, equally many each, but
    some got longer ones; they meet only at the end."""
    stage = _stage(random, (8, 12, 24, 48, 64))
    wide = _part(random, 0.12, 0.45)
    loads = [math.exp(random.gauss(0, wide)) for _ in range(stage.ranks)]
    even = sum(loads) / stage.ranks

    def make(fault: bool) -> Programs:
        made: Programs = []
        for load in loads:
            parts: List[NamedTuple] = [Collective("Bcast", 64), Collective("Bcast", 3_000_000)]
            for _ in range(stage.steps):
                length = stage.random.uniform(0.7, 1.3)
                parts += [stage.seconds(length * (load if fault else even)), Probe()]
            parts += [Collective("Reduce", 16), Collective("Gather", 20_000)]
            made.append(parts)
        return made

    made = _twice(stage, make)
    return Made("load imbalance", stage.machine, *made, _longest(loads))


def garbage_collected_by_each_on_its_own(random: Random) -> Made:
    """A code in an interpreted language: each rank collects its garbage after so many steps, but
    ranks began at different steps, so that in nearly each step another one pauses."""
    stage = _stage(random, (16, 32, 48, 64))
    stage.steps, period = 120, random.choice([6, 10, 15, 20])
    pause = _part(random, 0.16, 1.2)
    first = [random.randrange(period) for _ in range(stage.ranks)]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        pauses = step % period == (first[rank] if fault else 0)
        collected = stage.seconds(pause)
        halo = stage.exchange(rank, step)
        parts = [*halo, stage.seconds(), *([collected] if pauses else [])]
        return [*parts, Collective("Allreduce", 24)]

    return Made("late in turns", stage.machine, *_each_step(stage, body))


def subspace_on_rank_0(random: Random) -> Made:
    """Electronic structure: the small matrix of the subspace is summed up on rank 0, which alone
    finds its eigenvectors and broadcasts them."""
    stage = _stage(random, (4, 8, 16, 32, 64))
    alone, matrix = _part(random, 0.09, 1.0), random.choice([5000, 80_000, 700_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        eigenvectors = stage.seconds(alone * stage.share(fault, rank == 0))
        turned = stage.seconds(0.3)
        transposed = Collective("Alltoall", 1000)
        solved = [Collective("Reduce", matrix), eigenvectors, Collective("Bcast", matrix)]
        return [stage.seconds(0.7), transposed, *solved, turned, Collective("Allreduce", 64)]

    return Made("serial part", stage.machine, *_each_step(stage, body), (0,))


def forcing_read_by_one_rank(random: Random) -> Made:
    """A river model: every few steps one rank, not the first, reads the rain of the next hours and
    broadcasts it; all others wait for it."""
    stage = _stage(random, (6, 12, 24, 48))
    every = random.choice([3, 5, 10])
    reading, rain = every * _part(random, 0.09, 0.9), random.choice([3000, 60_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        read = stage.seconds(reading * stage.share(fault, rank == stage.some))
        forced = [read, Collective("Bcast", rain, stage.some)] if step % every == 0 else []
        flow = _ring(range(stage.ranks), rank, stage.halo)
        return [*forced, stage.seconds(), *flow, Collective("Allreduce", 8)]

    return Made("late root", stage.machine, *_each_step(stage, body), (stage.some,))


def host_that_fills_its_memory(random: Random) -> Made:
    """One host has less memory than the others: from a third of the run on it swaps, and all its
    ranks become slower and slower."""
    stage = _stage(random, (8, 16, 32, 64), (2, 4))
    slower, host = _part(random, 0.3, 2.2), random.randrange(stage.hosts)
    ranks = tuple(rank for rank in range(stage.ranks) if stage.machine.host[rank] == host)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        filled = 1.5 * max(0.0, step / stage.steps - 1 / 3)
        work = stage.seconds(1 + slower * filled * (fault and rank in ranks))
        halo = _faces(rank, stage.ranks, 4, stage.halo)
        return [work, *halo, Collective("Allreduce", 8), Collective("Allreduce", 48)]

    return Made("slow host", stage.machine, *_each_step(stage, body), ranks)


def accelerator_of_a_host_in_turn(random: Random) -> Made:
    """The ranks of a host share one accelerator, and hand on the right to use it, though it could
    run the kernels of all of them at once."""
    each, hosts = random.choice([4, 6, 8]), random.choice([1, 2, 4])
    stage = _stage(random, (each * hosts,), (hosts,))
    kernel = _part(random, 0.1, 1.2) / (each - 1)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        members = _group(rank, each)
        before = [Receive(rank - 1, 9)] if fault and rank > members[0] else []
        after = [Send(rank + 1, 4, 9)] if fault and rank < members[-1] else []
        halo = stage.exchange(rank, step)
        work, ran = stage.seconds(), stage.seconds(kernel)
        return [work, *halo, *before, ran, *after, Collective("Allreduce", 8)]

    return Made("one after the other", stage.machine, *_each_step(stage, body))


def energies_swapped_after_analysis(random: Random) -> Made:
    """Replicas swap with the next one and the one before in turn: the lower one of a pair analyses
    its trajectory before it sends its energy, for which the upper one waits."""
    stage = _stage(random, (4, 8, 16, 32, 64))
    analysis = _part(random, 0.1, 1.3)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        lower = (rank + step) % 2 == 0
        other = (rank + (1 if lower else -1)) % stage.ranks
        work, analysed = stage.seconds(), stage.seconds(analysis)
        mean = [Collective("Reduce", 32)] if step % 20 == 19 else []
        if lower:
            swap = [Send(other, 64, 1), Receive(other, 2)]
            swap += [Send(other, stage.halo, 3), Receive(other, 4)]
        else:
            swap = [Receive(other, 1), Send(other, 64, 2)]
            swap += [Receive(other, 3), Send(other, stage.halo, 4)]
        if fault and lower:
            return [work, analysed, *swap, *mean]
        return [work, *swap, analysed, *mean]

    return Made("late sender", stage.machine, *_each_step(stage, body))


def agents_sent_singly(random: Random) -> Made:
    """A city in strips: people who cross into a neighbouring strip are sent one by one, after
    their number."""
    stage = _stage(random, (4, 8, 12, 16))
    stage.steps, most = 25, random.choice([60, 80, 100])
    stage.work = 0.75 * most * 4 * 0.3e-6 / _part(random, 0.12, 1.2)
    crossing = [
        [[random.randint(most // 2, most) for _ in range(2)] for _ in range(stage.ranks)]
        for _ in range(stage.steps)
    ]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        left, right = (rank - 1) % stage.ranks, (rank + 1) % stage.ranks
        sides = [(right, 1, left, crossing[step][rank][0], crossing[step][left][0])]
        sides += [(left, 2, right, crossing[step][rank][1], crossing[step][right][1])]
        parts: List[NamedTuple] = [stage.seconds()]
        for to, tag, source, going, coming in sides:
            parts += [Send(to, 4, 10 + tag), Receive(source, 10 + tag)]
            if fault:
                parts += [Send(to, 80, tag)] * going + [Receive(source, tag)] * coming
            else:
                parts += [Send(to, 80 * going, tag), Receive(source, tag)]
        return [*parts, Collective("Allreduce", 16)]

    return Made("many small messages", stage.machine, *_each_step(stage, body))


def zonal_means_level_by_level(random: Random) -> Made:
    """An atmosphere whose rows of ranks average along their circle of latitude: a sum for each
    level, where one sum could take all levels."""
    stage = _stage(random, (8, 16, 24, 32))
    stage.steps, levels, across = 30, random.choice([40, 60, 80]), random.choice([4, 8])
    far = len({stage.machine.host[rank] for rank in range(across)}) > 1
    one = (across - 1).bit_length() * (stage.machine.latency[far] + 0.3e-6)
    stage.work = levels * one / _part(random, 0.12, 1.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        row = _group(rank, across)
        added = [Compute(1e-7), Collective("Allreduce", 16, 0, row)]
        means = added * levels
        if not fault:
            means = [Compute(1e-7 * levels), Collective("Allreduce", 16 * levels, 0, row)]
        halo = _faces(rank, stage.ranks, across, 3000)
        return [stage.seconds(), *halo, *means, Collective("Allreduce", 8)]

    return Made("many small collective calls", stage.machine, *_each_step(stage, body))


def healthy_sums_in_two_levels(random: Random) -> Made:
    """Sums are made inside each host, then among the first ranks of the hosts, and handed back: the
    first ranks make more calls, and nobody waits for long."""
    stage = _stage(random, (8, 16, 32, 64), (2, 4))
    each = stage.ranks // stage.hosts
    leaders = tuple(range(0, stage.ranks, each))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        members = _group(rank, each)
        among = [Collective("Allreduce", 400, 0, leaders)] if rank in leaders else []
        inside = [Collective("Reduce", 400, 0, members), *among]
        summed = [*inside, Collective("Bcast", 400, 0, members)]
        halo = stage.exchange(rank, step)
        return [stage.seconds(0.6), *summed, *halo, stage.seconds(0.4), *summed]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_pieces_asked_for_ahead(random: Random) -> Made:
    """Workers ask for the next piece before they begin with the one they have: the manager is busy
    half of the time, but its answers are there when they are needed."""
    stage = _stage(random, (6, 8, 16, 32))
    workers = stage.ranks - 1
    think = random.uniform(0.3, 0.7) / workers

    def make(fault: bool) -> Programs:
        manager: List[NamedTuple] = []
        for _ in range(stage.steps):
            for rank in range(1, stage.ranks):
                manager += [Receive(rank, 1), stage.seconds(think), Send(rank, 3000, 2)]
        made: Programs = [manager]
        for _ in range(workers):
            parts: List[NamedTuple] = [Send(0, 100, 1)]
            for step in range(stage.steps):
                ask = [Send(0, 100, 1)] if step < stage.steps - 1 else []
                parts += [Receive(0, 2), *ask, stage.seconds()]
            made.append(parts)
        return made

    return Made("healthy", stage.machine, *_twice(stage, make))


def healthy_steps_of_unlike_length(random: Random) -> Made:
    """A solver needs few iterations in one step and many in the next, but all ranks equally
    many."""
    stage = _stage(random, (4, 12, 24, 48))
    stage.steps = 60
    iterations = [1 + int(random.expovariate(0.4)) for _ in range(stage.steps)]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds(0.5), *stage.exchange(rank, step)]
        for _ in range(min(iterations[step], 8)):
            parts += [stage.seconds(0.4), *stage.exchange(rank, step), Collective("Allreduce", 8)]
        return parts

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_slightly_uneven(random: Random) -> Made:
    """Ranks differ a little in what they compute, by three percent at most, which nobody would
    spend a day on."""
    stage = _stage(random, (4, 8, 16, 32, 64))
    style, wide = stage.style(), random.uniform(0.015, 0.03)
    parts = [random.uniform(0, wide) for _ in range(stage.ranks)]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        return [stage.seconds(1 + parts[rank]), *stage.end_of_step(rank, step, style)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


SITE: Dict[str, Callable[[Random], Made]] = {
    each.__name__: each
    for each in (
        absorbing_layers_at_the_edges,
        contact_on_a_few_ranks,
        triangle_of_pairs,
        sequences_divided_by_count,
        garbage_collected_by_each_on_its_own,
        subspace_on_rank_0,
        forcing_read_by_one_rank,
        host_that_fills_its_memory,
        accelerator_of_a_host_in_turn,
        energies_swapped_after_analysis,
        agents_sent_singly,
        zonal_means_level_by_level,
        healthy_sums_in_two_levels,
        healthy_pieces_asked_for_ahead,
        healthy_steps_of_unlike_length,
        healthy_slightly_uneven,
    )
}
