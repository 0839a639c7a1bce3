"""Families after the everyday tickets of a computing centre, about as often as they come: mostly
work that is dealt out unevenly, then rank 0 that works alone, slow hosts, late partners, and one
each of what else is common. Written without a look at the rules."""

from __future__ import annotations

import heapq
import math
from random import Random
from typing import Callable, Dict, List, NamedTuple, Sequence, Tuple

from programs import Made, Programs, Stage, _each_step, _twice
from simulator import Collective, Compute, Machine, Receive, Send, Wait
from ticket_programs import _dealt_out, _groups, _swap


def _cluster(random: Random, sizes: Sequence[int], hosts: Sequence[int] = (1, 2, 4)) -> Stage:
    """So many ranks in blocks on so many hosts, of which each has at least two."""
    stage = Stage(random, 4, 64)
    stage.ranks = random.choice(sizes)
    fitting = [one for one in hosts if stage.ranks % one == 0 and stage.ranks // one >= 2]
    stage.hosts = random.choice(fitting or [1])
    each = stage.ranks // stage.hosts
    stage.machine = Machine(tuple(rank // each for rank in range(stage.ranks)))
    stage.noise = random.uniform(0.002, 0.008)
    stage.some = random.randrange(1, stage.ranks)
    return stage


def _too_much(random: Random, least: float = 0.08, most: float = 0.4) -> float:
    """What a fault adds, in parts of the time without it: it costs this share of elapsed."""
    lost = random.uniform(least, most)
    return lost / (1 - lost)


def _grid(ranks: int, axes: int) -> Tuple[int, ...]:
    """Ranks along each axis, as even as can be; the first changes fastest."""
    if axes == 1:
        return (ranks,)
    fitting = [one for one in range(1, ranks + 1) if ranks % one == 0 and one**axes <= ranks]
    return (fitting[-1], *_grid(ranks // fitting[-1], axes - 1))


def _faces(rank: int, shape: Sequence[int], size: int) -> List[NamedTuple]:
    """Halos with the neighbours in a box of ranks without periods: posted, then waited for, which
    is the last part."""
    receives: List[NamedTuple] = []
    sends: List[NamedTuple] = []
    stride = 1
    for axis, wide in enumerate(shape):
        for way in (-1, 1):
            if 0 <= rank // stride % wide + way < wide:
                other, tag = rank + way * stride, 10 + 2 * axis
                receives.append(Receive(other, tag + (way < 0), len(receives) + 1))
                sends.append(Send(other, size, tag + (way > 0), 100 + len(sends)))
        stride *= wide
    open_ones = (*range(1, len(receives) + 1), *range(100, 100 + len(sends)))
    return [*receives, *sends, Wait(open_ones)]


def _spread(weights: Sequence[float], extra: float) -> List[float]:
    """Loads in the order of these weights: about one in the mean, and so much more at most."""
    mean = sum(weights) / len(weights)
    factor = extra / (max(weights) - mean)
    return [max(0.05, 1 + (one - mean) * factor) for one in weights]


def _heaviest(loads: Sequence[float]) -> Tuple[int, ...]:
    """Ranks with about the most."""
    return tuple(rank for rank, load in enumerate(loads) if load >= 0.95 * max(loads))


def ocean_blocks_partly_land(random: Random) -> Made:
    """An ocean is cut into equal blocks, and what is land in a block is skipped: the ranks around
    the continent have less to do than those of the open sea, for whom they wait in each halo."""
    # Also right: nothing else.
    stage = _cluster(random, (12, 16, 24, 32, 48, 64))
    stage.steps, stage.work = random.choice([30, 45]), random.uniform(0.03, 0.12)
    shape, iterations = _grid(stage.ranks, 2), random.choice([2, 3])
    middle = [random.uniform(0, wide - 1) for wide in shape]
    radius = random.uniform(0.4, 0.8) * max(shape)
    wet = []
    for rank in range(stage.ranks):
        place = (rank % shape[0], rank // shape[0])
        wet.append(min(1.0, 0.1 + math.dist(place, middle) / radius) * random.uniform(0.94, 1.0))
    loads = _spread(wet, _too_much(random))
    even = sum(loads) / stage.ranks

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        load = loads[rank] if fault else even
        parts: List[NamedTuple] = [stage.seconds(0.7 * load), *_faces(rank, shape, stage.halo)]
        for _ in range(iterations):
            parts += [stage.seconds(0.3 / iterations * load), *_faces(rank, shape, 1600)]
            parts.append(Collective("Allreduce", 8))
        return [*parts, *([Collective("Gather", 8000)] if step % 15 == 14 else [])]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), _heaviest(loads))


def beam_in_the_middle_of_the_box(random: Random) -> Made:
    """A beam of particles in a box that is cut into equal parts: the ranks it flies through push
    most particles. The fields are the same work for all. In some runs the beam gets denser."""
    # Also right: nothing else.
    stage = _cluster(random, (8, 12, 16, 24, 32, 48, 64))
    stage.steps, stage.work = random.choice([40, 60]), random.uniform(0.03, 0.15)
    shape, fields = _grid(stage.ranks, 3), random.uniform(0.2, 0.45)
    middle = [(wide - 1) / 2 + random.uniform(-0.4, 0.4) for wide in shape]
    narrow, first = random.uniform(0.3, 0.8), random.choice([1.0, 1.0, 0.5])
    dense = []
    for rank in range(stage.ranks):
        place = (rank % shape[0], rank // shape[0] % shape[1])
        dense.append(math.exp(-narrow * math.dist(place, middle[:2]) ** 2))
        dense[-1] *= random.uniform(0.9, 1.0)
    loads = _spread(dense, _too_much(random) / (1 - fields))
    even = sum(loads) / stage.ranks

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        grown = first + (1 - first) * step / stage.steps * 2
        load = max(0.02, even + (loads[rank] - even) * grown) if fault else even
        right, left = (rank + 1) % stage.ranks, (rank - 1) % stage.ranks
        parts: List[NamedTuple] = [stage.seconds((1 - fields) * load)]
        parts += [*_swap(right, left, 3000, 31), *_swap(left, right, 3000, 32)]
        parts += [stage.seconds(fields), *_faces(rank, shape, stage.halo)]
        return [*parts, *([Collective("Allreduce", 24)] if step % 4 == 3 else [])]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), _heaviest(loads))


def k_points_left_over(random: Random) -> Made:
    """Electrons in a crystal: groups of ranks share the k-points, whose number the groups do not
    divide. Some groups have one more than the others, which wait in the sum of the density."""
    # Also right: nothing else.
    groups, few, rest = random.choice(
        [
            (groups, few, rest)
            for groups in (2, 3, 4, 6, 8)
            for few in (1, 2, 3, 4)
            for rest in range(1, groups)
            if 0.08 <= 1 - (few + rest / groups) / (few + 1) <= 0.4
        ]
    )
    stage = _cluster(random, [groups * each for each in (2, 4, 6, 8) if 6 <= groups * each <= 64])
    stage.steps, stage.work = random.choice([12, 16, 24]), random.uniform(0.03, 0.12)
    pools = _groups(stage, stage.ranks // groups)
    more = tuple(rank for pool in pools[:rest] for rank in pool)
    size, inner = random.choice([2000, 20_000]), random.choice([2, 3, 4])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        pool = pools[rank * groups // stage.ranks]
        points, weight = few + 1, (few + rest / groups) / (few + 1)
        if fault:
            points, weight = few + (rank in more), 1.0
        parts: List[NamedTuple] = []
        for _ in range(points * inner):
            parts += [stage.seconds(weight * 0.7 / inner), Collective("Alltoall", size, 0, pool)]
            parts += [stage.seconds(weight * 0.3 / inner), Collective("Allreduce", 800, 0, pool)]
        return [*parts, Collective("Allreduce", 200_000), Collective("Bcast", 64)]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), more)


def columns_left_to_the_last_rank(random: Random) -> Made:
    """Columns of a model of the ground: each rank has the same whole number of them, and the last
    takes all that are left over, too."""
    # Also right: nothing else.
    stage = _cluster(random, (8, 12, 16, 24, 32, 48, 64))
    stage.steps, stage.work = random.choice([50, 70]), random.uniform(0.03, 0.15)
    rest = random.randint(max(4, stage.ranks // 3), stage.ranks - 1)
    each = max(3, round((rest - 1) / _too_much(random)))
    last = stage.ranks - 1

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        columns = each + (rest * (rank == last) if fault else rank < rest)
        parts: List[NamedTuple] = []
        for share in (0.5, 0.3, 0.2):
            parts += [stage.seconds(share * columns / each), *stage.exchange(rank, step)]
        return [*parts, *([Collective("Reduce", 320)] if step % 5 == 0 else [])]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), (last,))


def chemistry_on_the_sunny_side(random: Random) -> Made:
    """Air with chemistry: winds and transport are even, but chemistry takes longer where the sun
    shines, which is at the same ranks for the whole short run."""
    # Also right: nothing else.
    stage = _cluster(random, (12, 16, 24, 32, 48, 64))
    stage.steps, stage.work = random.choice([40, 60]), random.uniform(0.03, 0.15)
    shape, phase = _grid(stage.ranks, 2), random.uniform(0.3, 0.55)
    noon = random.uniform(0, 2 * math.pi)
    sun = []
    for rank in range(stage.ranks):
        east = 2 * math.pi * (rank // shape[0]) / shape[1]
        sun.append(max(0.0, math.cos(east - noon)) + random.uniform(0.0, 0.15))
    loads = _spread(sun, _too_much(random, 0.08, 0.35) / phase)
    even = sum(loads) / stage.ranks

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = []
        for share in (0.6, 0.4):
            parts += [stage.seconds((1 - phase) * share), *_faces(rank, shape, stage.halo)]
        parts.append(stage.seconds(phase * (loads[rank] if fault else even)))
        parts.append(Collective("Allreduce", 160))
        return [*parts, *([Collective("Gather", 4000)] if step % 20 == 19 else [])]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), _heaviest(loads))


def patches_refined_at_the_flame(random: Random) -> Made:
    """A grid that is refined where the flame is: each time it is looked at, the few ranks there get
    more patches, and nobody moves patches to other ranks. At first all is even."""
    # Also right: nothing else.
    stage = _cluster(random, (8, 12, 16, 24, 36, 48, 64))
    stage.steps, stage.work = random.choice([40, 60]), random.uniform(0.03, 0.12)
    shape, every = _grid(stage.ranks, 2), random.choice([5, 10])
    count = random.randint(1, max(1, stage.ranks // 5))
    first = random.randrange(stage.ranks - count + 1)
    flame, part = tuple(range(first, first + count)), count / stage.ranks
    lost = random.uniform(0.09, 0.4)
    fine = lost / (1 - part - lost)
    looks = max(1, (stage.steps - 1) // every)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        patches = 2 * fine * (step // every) / looks * (rank in flame if fault else part)
        parts: List[NamedTuple] = [stage.seconds(0.4), *_faces(rank, shape, stage.halo)]
        for _ in range(2):
            parts += [stage.seconds(0.3 + patches / 2), *_faces(rank, shape, stage.halo // 2)]
        parts.append(Collective("Allreduce", 8))
        if step % every == every - 1:
            parts += [stage.seconds(0.02), Collective("Allgather", 400)]
        return parts

    return Made("load imbalance", stage.machine, *_each_step(stage, body), flame)


def host_with_a_clogged_fan(random: Random) -> Made:
    """The processors of one host get hot and run slower, in some runs only after a while. The
    program has the same work for all."""
    # Also right: nothing else.
    stage = _cluster(random, (8, 16, 24, 32, 48, 64), (2, 4, 8))
    if random.random() < 0.3:
        stage.machine = Machine(_dealt_out(stage))
    stage.steps, stage.work = random.choice([50, 80]), random.uniform(0.03, 0.15)
    shape, hot = _grid(stage.ranks, 3), random.choice([0.0, 0.0, 0.15])
    slower = _too_much(random, 0.08, 0.3) / (1 - hot)
    host = random.randrange(stage.hosts)
    ranks = tuple(rank for rank in range(stage.ranks) if stage.machine.host[rank] == host)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        factor = 1 + slower * (fault and rank in ranks and step >= hot * stage.steps)
        parts: List[NamedTuple] = [stage.seconds(0.65 * factor), *_faces(rank, shape, stage.halo)]
        parts += [stage.seconds(0.35 * factor), Collective("Allreduce", 16)]
        return [*parts, *([Collective("Gather", 2000)] if step % 10 == 9 else [])]

    return Made("slow host", stage.machine, *_each_step(stage, body), ranks)


def most_ranks_on_one_host(random: Random) -> Made:
    """A job without a word on placement: one host is filled with ranks, the others have the few
    that are left. Each rank has its core, but all of a host share its memory, which is what the
    program is limited by."""
    # Also right: nothing else.
    stage = _cluster(random, (12, 16, 24, 32, 48), (2, 4))
    stage.steps, stage.work = random.choice([50, 80]), random.uniform(0.03, 0.15)
    healed, mean = stage.machine, stage.ranks // stage.hosts
    full = min(round(mean * random.uniform(1.4, 1.8)), stage.ranks - stage.hosts + 1)
    crowded = random.choice([0, 0, stage.hosts - 1])
    others = [one for one in range(stage.hosts) if one != crowded]
    spread = [others[one % len(others)] for one in range(stage.ranks - full)]
    stage.machine = Machine(tuple(sorted([crowded] * full + spread)))
    bound = min(0.9, _too_much(random, 0.09, 0.3) / (full / mean - 1))
    ranks = tuple(rank for rank in range(stage.ranks) if stage.machine.host[rank] == crowded)
    shape = _grid(stage.ranks, 2)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        beside = stage.machine.host.count(stage.machine.host[rank]) if fault else mean
        factor = 1 - bound + bound * beside / mean
        parts: List[NamedTuple] = [stage.seconds(0.5 * factor), *_faces(rank, shape, stage.halo)]
        parts += [stage.seconds(0.5 * factor), *_faces(rank, shape, stage.halo)]
        return [*parts, *([Collective("Allreduce", 8)] if step % 3 == 2 else [])]

    made = _each_step(stage, body)
    return Made("slow host", stage.machine, *made, ranks, healed)


def output_of_rank_0_in_one_file(random: Random) -> Made:
    """Every few steps rank 0 gathers the fields and writes them to a file. The others go on until
    they need its halo, and wait there."""
    # Also right: load imbalance.
    stage = _cluster(random, (8, 12, 16, 24, 32, 48, 64))
    stage.steps, every = 60, random.choice([3, 5, 10, 15])
    stage.work, shape = random.uniform(0.02, 0.12), _grid(stage.ranks, 2)
    written, fields = every * _too_much(random), random.choice([1, 2, 4])
    size = random.choice([4000, 20_000, 80_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds(0.6), *_faces(rank, shape, stage.halo)]
        parts += [stage.seconds(0.4), Collective("Allreduce", 8)]
        if step % every == every - 1:
            for _ in range(fields):
                mine = written / fields * stage.share(fault, rank == 0)
                parts += [Collective("Gather", size), stage.seconds(mine)]
        return parts

    return Made("serial part", stage.machine, *_each_step(stage, body), (0,))


def input_read_by_rank_0(random: Random) -> Made:
    """Before the first step rank 0 reads the mesh and the start values from files, block by block,
    and scatters each. That takes a good part of the run, and all others wait."""
    # Also right: late root, uneven at the start.
    stage = _cluster(random, (8, 12, 16, 24, 32, 48, 64))
    stage.steps, stage.work = random.choice([30, 50, 80]), random.uniform(0.03, 0.12)
    blocks, size = random.choice([3, 8, 20]), random.choice([20_000, 200_000])
    reading = stage.steps * _too_much(random, 0.09, 0.4) / blocks

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = []
        if step == 0:
            parts.append(Collective("Bcast", 400))
            for _ in range(blocks):
                parts += [stage.seconds(reading * stage.share(fault, rank == 0))]
                parts += [Collective("Scatter", size)]
        for share in (0.7, 0.3):
            parts += [stage.seconds(share), *stage.exchange(rank, step)]
        return [*parts, *([Collective("Allreduce", 8)] if step % 2 else [])]

    return Made("serial part", stage.machine, *_each_step(stage, body), (0,))


def coarse_grid_solved_by_rank_0(random: Random) -> Made:
    """Multigrid: in each cycle the coarsest grid is gathered to rank 0, which solves it alone and
    scatters what it found."""
    # Also right: late root, load imbalance.
    stage = _cluster(random, (12, 16, 24, 32, 48, 64))
    stage.steps, stage.work = random.choice([30, 40]), random.uniform(0.03, 0.12)
    shape, cycles = _grid(stage.ranks, 3), random.choice([1, 2, 3])
    solved, size = _too_much(random) / cycles, random.choice([800, 8000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = []
        for _ in range(cycles):
            parts += [stage.seconds(0.6 / cycles), *_faces(rank, shape, stage.halo)]
            parts.append(Collective("Gather", size))
            parts.append(stage.seconds(solved * stage.share(fault, rank == 0)))
            parts += [Collective("Scatter", size), stage.seconds(0.4 / cycles)]
            parts.append(Collective("Allreduce", 8))
        return parts

    return Made("serial part", stage.machine, *_each_step(stage, body), (0,))


def edge_of_the_nest_sent_after_physics(random: Random) -> Made:
    """One half of the ranks computes a coarse grid, the other a nest in it, with the same work. The
    coarse ranks have the edge values of the nest at once, but do their physics before they send
    them. The nest waits for the edge, and then the coarse ranks wait for what it sends back."""
    # Also right: late partner, one after the other.
    stage = _cluster(random, (8, 12, 16, 24, 32, 48))
    stage.steps, stage.work = random.choice([40, 60]), random.uniform(0.03, 0.15)
    half, before = stage.ranks // 2, _too_much(random, 0.09, 0.38)
    coarse, nest = _groups(stage, half)
    size, back = random.choice([2000, 8000, 60_000]), random.choice([1000, 6000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        if rank < half:
            right, left = (rank + 1) % half, (rank - 1) % half
            sent, physics = Send(rank + half, size, 41, 1), stage.seconds(before)
            parts: List[NamedTuple] = [physics, sent] if fault else [sent, physics]
            parts += [stage.seconds(1 - before), Wait((1,)), *_swap(right, left, 4000, 42)]
            return [*parts, Receive(rank + half, 43), Collective("Allreduce", 8, 0, coarse)]
        right, left = half + (rank + 1) % half, half + (rank - 1) % half
        parts = [Receive(rank - half, 41)]
        for _ in range(2):
            parts += [stage.seconds(0.5), *_swap(right, left, 4000, 44)]
        return [*parts, Collective("Allreduce", 8, 0, nest), Send(rank - half, back, 43)]

    return Made("late sender", stage.machine, *_each_step(stage, body))


def fields_received_after_the_filter(random: Random) -> Made:
    """In each pair, or three, of ranks one sends large fields at the start of its step. The others
    filter their own data before they receive, so the send takes as long as that, and all wait for
    that rank in the sum. All have the same to compute."""
    # Also right: late partner.
    each = random.choice([2, 2, 3])
    stage = _cluster(random, [each * count for count in (2, 4, 6, 8, 12, 16)])
    stage.steps, stage.work = random.choice([50, 80]), random.uniform(0.02, 0.1)
    size = random.choice([100_000, 400_000, 1_000_000])
    before, place = _too_much(random, 0.09, 0.38), random.randrange(each)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        feeder = rank - rank % each + place
        parts: List[NamedTuple]
        if rank == feeder:
            others = range(rank - place, rank - place + each)
            parts = [Send(one, size, 51) for one in others if one != rank]
            parts.append(stage.seconds(1.0))
        else:
            filtered, got = stage.seconds(before), Receive(feeder, 51)
            parts = [filtered, got] if fault else [got, filtered]
            parts.append(stage.seconds(1 - before))
        return [*parts, Collective("Allreduce", 40)]

    return Made("late receiver", stage.machine, *_each_step(stage, body))


def edge_cells_sent_one_by_one(random: Random) -> Made:
    """One rank with threads on each host, and Ethernet between: the cells at both edges are sent
    one by one, though they could go together."""
    # Also right: nothing else.
    stage = _cluster(random, (4, 6, 8))
    slow = random.uniform(35e-6, 60e-6)
    stage.machine = Machine(tuple(range(stage.ranks)), (0.8e-6, slow), (9e9, 1.2e9), 1e-6)
    stage.hosts, stage.steps = stage.ranks, random.choice([20, 25])
    cells, size = random.randint(120, 165), random.choice([8, 24, 48])
    stage.work = 2 * cells * (slow + 2e-6) / _too_much(random, 0.08, 0.3)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        right, left = (rank + 1) % stage.ranks, (rank - 1) % stage.ranks
        count, width = (cells, size) if fault else (1, cells * size)
        parts: List[NamedTuple] = [stage.seconds(0.8)]
        parts += [Send(right, width, 61), Receive(left, 61)] * count
        parts += [Send(left, width, 62), Receive(right, 62)] * count
        return [*parts, stage.seconds(0.2), Collective("Allreduce", 8)]

    return Made("many small messages", stage.machine, *_each_step(stage, body))


def budget_summed_term_by_term(random: Random) -> Made:
    """Virtual machines with a slow network: in each step the terms of the budgets of heat and water
    are summed over all ranks one by one, where one call could take them all."""
    # Also right: nothing else.
    stage = _cluster(random, (8, 12, 16, 24), (2, 4))
    far = random.uniform(15e-6, 30e-6)
    stage.machine = stage.machine._replace(latency=(0.8e-6, far))
    terms = random.randint(70, 110)
    stage.steps = min(60, 120_000 // (stage.ranks * terms))
    call = math.ceil(math.log2(stage.ranks)) * (far + stage.machine.overhead)
    stage.work = terms * call / _too_much(random, 0.08, 0.35)
    stage.halo = random.choice([800, 6000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds(0.7), *stage.exchange(rank, step)]
        piece = Compute(stage.seconds(0.3).seconds / terms)
        if fault:
            return [*parts, *([piece, Collective("Allreduce", 8)] * terms)]
        return [*parts, *([piece] * terms), Collective("Allreduce", 8 * terms)]

    return Made("many small collective calls", stage.machine, *_each_step(stage, body))


def barrier_after_each_routine(random: Random) -> Made:
    """Barriers that once were there to take times are left after each routine. How long a routine
    takes differs from call to call, now here, now there, and so all wait for the slowest of each
    routine, where only the halo needs the neighbours."""
    # Also right: late in turns.
    stage = _cluster(random, (8, 12, 16, 24, 32, 48))
    stage.steps, stage.work = random.choice([50, 80]), random.uniform(0.02, 0.08)
    routines, shape = random.choice([5, 6, 8, 10]), _grid(stage.ranks, 2)
    stage.noise = random.uniform(0.12, 0.28)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = []
        for _ in range(routines):
            parts.append(stage.seconds(1 / routines))
            parts += [Collective("Barrier", 0)] if fault else []
        parts += _faces(rank, shape, stage.halo)
        return [*parts, *([Collective("Allreduce", 8)] if step % 10 == 9 else [])]

    return Made("many barriers", stage.machine, *_each_step(stage, body))


def fields_turned_in_full(random: Random) -> Made:
    """Turbulence with Fourier transforms in three directions: all fields are turned in the rows and
    the columns of ranks, there and back, in double precision and with waves that are cut off
    afterwards. Without these and in single precision it is a third or so of the data."""
    # Also right: nothing else.
    stage = _cluster(random, (12, 16, 24, 32, 48, 64), (2, 4))
    bandwidth = (9e9, random.uniform(2e9, 6e9))
    stage.machine = stage.machine._replace(bandwidth=bandwidth)
    stage.steps, stage.work = random.choice([30, 50]), random.uniform(0.03, 0.12)
    across, down = _grid(stage.ranks, 2)
    kept, lost = random.uniform(0.2, 0.4), random.uniform(0.09, 0.33)
    moved = stage.work * lost / (1 - kept - lost)
    inside = across <= stage.ranks // stage.hosts and stage.ranks // stage.hosts % across == 0
    row_bytes = bandwidth[0] if inside else bandwidth[1]
    full = moved / (2 * (across - 1) / row_bytes + 2 * (down - 1) / bandwidth[1])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        size = int(full * (1 if fault else kept))
        row = tuple(range(rank - rank % across, rank - rank % across + across))
        column = tuple(range(rank % across, stage.ranks, across))
        in_row, in_column = (Collective("Alltoall", size, 0, one) for one in (row, column))
        parts: List[NamedTuple] = [stage.seconds(0.2), in_row, stage.seconds(0.2), in_column]
        parts += [stage.seconds(0.3), in_column, stage.seconds(0.2), in_row, stage.seconds(0.1)]
        return [*parts, *([Collective("Allreduce", 64)] if step % 5 == 4 else [])]

    return Made("transfer of all-to-all", stage.machine, *_each_step(stage, body))


def tables_broadcast_in_each_step(random: Random) -> Made:
    """Rank 0 broadcasts all tables of material data in each step, though they change only every
    twentieth; the rest of the time a word that nothing is new would do."""
    # Also right: nothing else.
    stage = _cluster(random, (8, 12, 16, 24, 32, 48, 64))
    stage.steps, stage.work = random.choice([40, 60, 100]), random.uniform(0.02, 0.1)
    stage.halo, times = random.choice([512, 4096, 40_000]), random.choice([1, 2, 4])
    far = stage.machine.bandwidth[stage.hosts > 1]
    size = int(stage.work * _too_much(random, 0.09, 0.38) * far / (times + 1))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        tables = Collective("Bcast", size if fault or step % 20 == 0 else 8)
        parts: List[NamedTuple] = [*([tables] * times), stage.seconds(0.5)]
        parts += [*stage.exchange(rank, step), stage.seconds(0.5)]
        return [*parts, *([Collective("Allreduce", 8)] if step % 2 else [])]

    return Made("large broadcasts", stage.machine, *_each_step(stage, body))


def manager_writes_each_result(random: Random) -> Made:
    """Rank 0 hands out pieces of work to whoever asks, and writes the result of the last piece to a
    file before it answers. There are too many workers for that: they queue. Without the fault each
    worker writes its results itself."""
    # Also right: serial part.
    stage = _cluster(random, (6, 8, 12, 16, 24, 32))
    workers, stage.work = stage.ranks - 1, random.uniform(0.05, 0.2)
    pieces, wide = workers * random.choice([20, 30, 40]), random.uniform(0.1, 0.4)
    lost = random.uniform(0.1, 0.45)
    writing = stage.work / (workers * (1 - lost) - 1)

    def make(fault: bool) -> Programs:
        made: Programs = [[] for _ in range(stage.ranks)]
        answer, more = (writing, 0.0) if fault else (3e-6, writing)
        asking, free = [(0.0, rank) for rank in range(1, stage.ranks)], 0.0
        for _ in range(pieces):
            when, rank = heapq.heappop(asking)
            length = stage.work * random.lognormvariate(-(wide**2) / 2, wide) + more
            free = max(free, when) + answer
            heapq.heappush(asking, (free + length, rank))
            made[0] += [Receive(rank, 1), Compute(answer), Send(rank, 400, 2)]
            made[rank] += [Send(0, 2000, 1), Receive(0, 2), Compute(length)]
        for _, rank in sorted(asking):
            made[0] += [Receive(rank, 1), Compute(answer)]
            made[rank].append(Send(0, 2000, 1))
        return made

    return Made("busy manager", stage.machine, *_twice(stage, make), (0,))


def healthy_parts_that_even_out(random: Random) -> Made:
    """Before a rank sends its halo it has more, or less, to do than others, and after that less, or
    more: trees and ground. Nobody waits in between, and the whole step is the same for all."""
    stage = _cluster(random, (8, 12, 16, 24, 32, 48))
    stage.steps, stage.work = random.choice([60, 90]), random.uniform(0.03, 0.12)
    stage.noise, shape = random.uniform(0.002, 0.004), _grid(stage.ranks, 2)
    first = [random.uniform(0.3, 0.65) for _ in range(stage.ranks)]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        halo = _faces(rank, shape, stage.halo)
        parts: List[NamedTuple] = [stage.seconds(first[rank]), *halo[:-1]]
        parts += [stage.seconds(0.95 - first[rank]), halo[-1], stage.seconds(0.05)]
        return [*parts, *([Collective("Allreduce", 16)] if step % 5 == 4 else [])]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_last_block_half_empty(random: Random) -> Made:
    """The last of many ranks has what was left over, about half of what the others have. It waits
    for them half its time, but if its share were full the others would hardly have less."""
    stage = _cluster(random, (32, 40, 48, 64))
    stage.steps, stage.work = random.choice([40, 60]), random.uniform(0.03, 0.12)
    stage.noise, shape = random.uniform(0.002, 0.004), _grid(stage.ranks, 2)
    left = random.uniform(0.35, 0.7)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        load = left if rank == stage.ranks - 1 else 1.0
        parts: List[NamedTuple] = [stage.seconds(0.6 * load), *_faces(rank, shape, stage.halo)]
        parts += [stage.seconds(0.4 * load), Collective("Allreduce", 8)]
        return [*parts, *([Collective("Gather", 2000)] if step % 20 == 19 else [])]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_large_halos_behind_the_work(random: Random) -> Made:
    """Halos of some ten megabytes, more than half as long on their way as a step takes. They are
    sent before the inner cells are computed and waited for after it, and by then they are there."""
    stage = _cluster(random, (8, 12, 16, 24, 32, 48))
    stage.steps, stage.work = random.choice([50, 80]), random.uniform(0.03, 0.12)
    stage.noise, shape = random.uniform(0.002, 0.004), _grid(stage.ranks, 3)
    size = int(random.uniform(0.2, 0.6) * stage.work * min(stage.machine.bandwidth))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        halo = _faces(rank, shape, size)
        parts: List[NamedTuple] = [*halo[:-1], stage.seconds(0.85), halo[-1], stage.seconds(0.15)]
        return [*parts, *([Collective("Allreduce", 8)] if step % 4 == 3 else [])]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_rank_for_output(random: Random) -> Made:
    """The last of many ranks does nothing but take the output of the others and write it, which it
    does in time. It waits for most of the run, but as one more to compute it would save little."""
    stage = _cluster(random, (32, 40, 48, 64))
    stage.steps, every = 60, random.choice([5, 6, 10])
    stage.work, stage.noise = random.uniform(0.03, 0.12), random.uniform(0.002, 0.004)
    last, size = stage.ranks - 1, random.choice([4000, 40_000, 200_000])
    computing, writing = tuple(range(last)), every * random.uniform(0.2, 0.6)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        if rank == last:
            got = [Receive(one, 71) for one in computing]
            return [*got, stage.seconds(writing)] if step % every == 0 else []
        right, left = (rank + 1) % last, (rank - 1) % last
        parts: List[NamedTuple] = [Send(last, size, 71, 50)] if step % every == 0 else []
        parts += [stage.seconds(0.5), *_swap(right, left, stage.halo, 72)]
        parts += [stage.seconds(0.5), *_swap(left, right, stage.halo, 73)]
        parts.append(Collective("Allreduce", 8, 0, computing))
        return [*parts, *([Wait((50,))] if step % every == every - 1 else [])]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_input_read_once(random: Random) -> Made:
    """Rank 0 reads the input before the first step, prints a line in each, and the solver asks for
    a sum in each of its many iterations. All that together takes some hundredths of the run."""
    stage = _cluster(random, (8, 12, 16, 24, 32))
    stage.steps, stage.work = random.choice([15, 20]), random.uniform(0.15, 0.4)
    stage.noise, shape = random.uniform(0.001, 0.003), _grid(stage.ranks, 2)
    stage.halo, iterations = random.choice([512, 4096, 40_000]), random.choice([10, 16])
    reading = stage.steps * random.uniform(0.008, 0.018)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = []
        if step == 0:
            parts += [stage.seconds(reading)] if rank == 0 else []
            parts.append(Collective("Bcast", 1_000_000))
        for _ in range(iterations):
            parts += [stage.seconds(1 / iterations), *_faces(rank, shape, stage.halo)]
            parts.append(Collective("Allreduce", 16))
        return [*parts, *([stage.seconds(0.003)] if rank == 0 else [])]

    return Made("healthy", stage.machine, *_each_step(stage, body))


DAILY: Dict[str, Callable[[Random], Made]] = {
    each.__name__: each
    for each in (
        ocean_blocks_partly_land,
        beam_in_the_middle_of_the_box,
        k_points_left_over,
        columns_left_to_the_last_rank,
        chemistry_on_the_sunny_side,
        patches_refined_at_the_flame,
        host_with_a_clogged_fan,
        most_ranks_on_one_host,
        output_of_rank_0_in_one_file,
        input_read_by_rank_0,
        coarse_grid_solved_by_rank_0,
        edge_of_the_nest_sent_after_physics,
        fields_received_after_the_filter,
        edge_cells_sent_one_by_one,
        budget_summed_term_by_term,
        barrier_after_each_routine,
        fields_turned_in_full,
        tables_broadcast_in_each_step,
        manager_writes_each_result,
        healthy_parts_that_even_out,
        healthy_last_block_half_empty,
        healthy_large_halos_behind_the_work,
        healthy_rank_for_output,
        healthy_input_read_once,
    )
}
