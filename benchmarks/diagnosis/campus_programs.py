"""Families after codes of a university's research groups: flow, chemistry, genomes, graphs and
stars. First half: work that lies or comes at the wrong place or time. Written without a look at the
rules."""

from __future__ import annotations

import heapq
import math
from random import Random
from typing import Callable, Dict, List, NamedTuple

from field_programs import _faces, _group, _ring, _stage
from programs import Made, Programs, _each_step, _twice
from simulator import Collective, Compute, Receive, Send, Wait
from site_programs import _longest, _part


def plastic_zone_grows(random: Random) -> Made:
    """Finite elements with Newton iterations: from some load on, elements at a notch yield, and the
    ranks that hold them need longer and longer to assemble; the solver after it is even."""
    stage = _stage(random, (8, 16, 24, 48, 64))
    stage.steps, begin = 24, random.uniform(0.2, 0.5)
    more, few = 2 * _part(random, 0.1, 0.9) / (1 - begin), max(1, stage.ranks // 10)
    first = random.randrange(stage.ranks - few)
    notch = tuple(range(first, first + few))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        yielding = more * max(0.0, (step / stage.steps - begin) / (1 - begin))
        mine = yielding * (rank in notch if fault else few / stage.ranks)
        parts: List[NamedTuple] = []
        for _ in range(3):
            parts += [stage.seconds((0.5 + mine) / 3), *stage.exchange(rank, step)]
            for _ in range(5):
                parts += [stage.seconds(0.5 / 15), *stage.exchange(rank, step)]
                parts.append(Collective("Allreduce", 8))
        return parts

    return Made("load imbalance", stage.machine, *_each_step(stage, body), notch)


def unitigs_walked_by_rank_0(random: Random) -> Made:
    """Genome assembly in a few rounds: all ranks count the words of their reads, and then rank 0
    alone walks the paths of the graph it gathered, for a long time."""
    stage = _stage(random, (4, 8, 16, 32, 64))
    rounds, batches = random.choice([2, 3, 4]), random.choice([15, 25, 40])
    stage.steps, alone = rounds * batches, batches * _part(random, 0.08, 0.9)
    words = random.choice([300, 20_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        counted = [stage.seconds(0.7), Collective("Alltoallv", words), stage.seconds(0.3)]
        if step % batches < batches - 1:
            return counted
        walked = stage.seconds(alone * stage.share(fault, rank == 0))
        return [*counted, Collective("Gather", 40_000), walked, Collective("Scatter", 30_000)]

    return Made("serial part", stage.machine, *_each_step(stage, body), (0,))


def host_capped_by_power(random: Random) -> Made:
    """A scheme of two stages a step; one host draws more power than it may, so that it is slowed
    down for some time, recovers, and is slowed down again."""
    stage = _stage(random, (8, 16, 32, 48, 64), (2, 4))
    slower, host = _part(random, 0.16, 1.5), random.randrange(stage.hosts)
    period, first = random.choice([5, 8, 12]), random.choice([0, 1])
    ranks = tuple(rank for rank in range(stage.ranks) if stage.machine.host[rank] == host)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        capped = fault and rank in ranks and (step // period) % 2 == first
        parts: List[NamedTuple] = []
        for _ in range(2):
            parts += [stage.seconds(0.5 * (1 + slower * capped))]
            parts += _faces(rank, stage.ranks, 4, stage.halo)
        return [*parts, *([Collective("Allreduce", 24)] if step % 5 == 4 else [])]

    return Made("slow host", stage.machine, *_each_step(stage, body), ranks)


def planes_of_a_tomogram_in_turn(random: Random) -> Made:
    """In each step another of eight planes of ranks is cut by the line of sight of a diagnostic and
    integrates along it, while the other planes wait; no plane has more than another in the end."""
    stage = _stage(random, (16, 32, 48, 64))
    each, more = stage.ranks // 8, _part(random, 0.09, 1.2)
    stage.steps = random.choice([64, 96, 128])
    stride = random.choice([3, 5])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        cut = rank // each == step * stride % 8
        line = stage.seconds(more * (cut if fault else 1 / 8))
        plane = Collective("Allreduce", 160, 0, _group(rank, each))
        halo = stage.exchange(rank, step)
        return [stage.seconds(), *halo, line, plane, Collective("Allreduce", 8)]

    return Made("late in turns", stage.machine, *_each_step(stage, body))


def leaves_do_near_field_first(random: Random) -> Made:
    """A fast multipole method: ranks at the leaves of the tree compute their near field before they
    send their expansion, for which the ranks above wait, who have their own near field left."""
    stage = _stage(random, (8, 16, 32, 64))
    near, size = _part(random, 0.08, 0.7), random.choice([3000, 40_000])
    depth = stage.ranks.bit_length() - 1

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        below = (rank & -rank).bit_length() - 1 if rank else depth
        parent, children = rank - (1 << below), [rank + (1 << level) for level in range(below)]
        up: List[NamedTuple] = []
        for child in children:
            up += [Receive(child, 1), stage.seconds(0.003)]
        up += [Send(parent, size, 1)] if rank else []
        down: List[NamedTuple] = [Receive(parent, 2)] if rank else []
        down += [Send(child, size, 2) for child in reversed(children)]
        pairs, local = stage.seconds(near), stage.seconds(1 - near)
        if fault and rank % 2:
            return [pairs, *up, *down, local, Collective("Allreduce", 8)]
        return [*up, *down, pairs, local, Collective("Allreduce", 8)]

    odd = tuple(range(1, stage.ranks, 2))
    return Made("late sender", stage.machine, *_each_step(stage, body), odd)


def structure_posts_after_assembly(random: Random) -> Made:
    """Fluid and structure: three of four ranks send large pressures to the fourth and go on until
    they need the buffer again; the fourth posts its receives only after it has assembled."""
    stage = _stage(random, (8, 16, 32, 48))
    later, size = _part(random, 0.08, 0.7), random.choice([60_000, 900_000])
    early = random.uniform(0.05, 0.95 - later)
    structure = tuple(range(3, stage.ranks, 4))
    fluid = tuple(rank for rank in range(stage.ranks) if rank not in structure)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        *clients, server = _group(rank, 4)
        summed = Collective("Allreduce", 16)
        if rank != server:
            inner, outer = stage.seconds(early), stage.seconds(1 - early)
            went = [Send(server, size, 7, 70), inner, Wait((70,))]
            return [*went, *_ring(fluid, rank, 4000), outer, Receive(server, 8), summed]
        assembled, solved = stage.seconds(early + later), stage.seconds(0.97 - early - later)
        came = [Receive(one, 7, 60 + at) for at, one in enumerate(clients)]
        start = [assembled, *came] if fault else [*came, assembled]
        moved = [Send(one, 3000, 8) for one in clients]
        return [*start, Wait((60, 61, 62)), solved, *moved, summed]

    return Made("late partner", stage.machine, *_each_step(stage, body), structure)


def migrated_blocks_fetched_late(random: Random) -> Made:
    """Every few steps half of the ranks hand a block of the mesh to another one, each time other
    ranks to others; who gets one works on what it has first, and the sender waits until then."""
    stage = _stage(random, (4, 8, 16, 32, 48, 64))
    every, before = random.choice([2, 3, 4, 5]), random.uniform(0.3, 1.0)
    half, size = stage.ranks // 2, random.choice([60_000, 1_500_000])
    orders = [random.sample(range(stage.ranks), stage.ranks) for _ in range(stage.steps)]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        first, second = stage.seconds(before), stage.seconds(1.001 - before)
        end = [*_ring(range(stage.ranks), rank, 6000), Collective("Allreduce", 8)]
        if step % every:
            return [first, second, *end]
        place = orders[step].index(rank)
        other = orders[step][(place + half) % stage.ranks]
        if place < half:
            return [Send(other, size, 8), first, second, *end]
        fetched = [first, Receive(other, 8)] if fault else [Receive(other, 8), first]
        return [*fetched, second, *end]

    return Made("late receiver", stage.machine, *_each_step(stage, body))


def schwarz_in_four_colours(random: Random) -> Made:
    """A multiplicative Schwarz method: subdomains of one colour are solved with what those of the
    colours before found, so only each fourth rank works at a time; an additive one would do."""
    stage = _stage(random, (8, 12, 16, 24, 32, 48))
    solve, sweeps = _part(random, 0.022, 0.25), random.choice([1, 2, 3])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        sides = [(rank + way) % stage.ranks for way in (-1, 1)]
        before = [Receive(one, 5) for one in sides if one % 4 < rank % 4]
        after = [Send(one, 3000, 5) for one in sides if one % 4 > rank % 4]
        parts: List[NamedTuple] = [stage.seconds()]
        for _ in range(sweeps):
            solved = [stage.seconds(solve / sweeps)]
            parts += stage.exchange(rank, step)
            parts += [*before, *solved, *after] if fault else solved
        return [*parts, Collective("Allreduce", 8)]

    return Made("one after the other", stage.machine, *_each_step(stage, body))


def uneven_until_the_first_rebalance(random: Random) -> Made:
    """Cosmology: the particles are dealt out by volume, and only after a part of the run they are
    dealt out by their cost for the first time; from then on all ranks have the same."""
    stage = _stage(random, (8, 16, 32, 64))
    until = int(stage.steps * random.uniform(0.15, 0.35))
    dense = _part(random, 0.6, 5.0)
    raw = [1 + dense * random.random() ** 2 for _ in range(stage.ranks)]
    loads = [load * stage.ranks / sum(raw) for load in raw]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        dealt = step == (until if fault else 0)
        moved = [Collective("Allgather", 64), Collective("Alltoallv", 30_000)] if dealt else []
        tree = stage.seconds(0.6 * (loads[rank] if fault and step < until else 1))
        mesh = stage.seconds(0.4 * (loads[rank] if fault and step < until else 1))
        halo = _faces(rank, stage.ranks, 4, stage.halo)
        return [*moved, tree, *halo, mesh, Collective("Alltoall", 800), Collective("Allreduce", 8)]

    made = _each_step(stage, body)
    return Made("uneven at the start", stage.machine, *made, _longest(loads))


def pivots_integrated_by_their_owner(random: Random) -> Made:
    """Quantum chemistry: a pivoted Cholesky decomposition, where the owner of the pivot, whoever it
    is, computes the integrals of its column alone and broadcasts them; then all update."""
    stage = _stage(random, (4, 8, 16, 32, 64))
    alone, column = _part(random, 0.08, 1.0), random.choice([5000, 100_000])
    owners = [random.randrange(stage.ranks) for _ in range(stage.steps)]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        owner = owners[step]
        integrals = stage.seconds(alone * stage.share(fault, rank == owner))
        update = stage.seconds(0.2 + 1.6 * step / stage.steps)
        return [Collective("Allreduce", 16), integrals, Collective("Bcast", column, owner), update]

    return Made("rotating root", stage.machine, *_each_step(stage, body))


def spiral_arms_turn(random: Random) -> Made:
    """A galaxy in rings and sectors of ranks: most stars form in two spiral arms, which turn slowly
    through all sectors, so that all ranks have done the same in the end."""
    stage = _stage(random, (16, 32, 48, 64))
    sectors, more = stage.ranks // 2, _part(random, 0.12, 1.3)
    turns, wide = random.choice([0.5, 1.0]), random.uniform(0.15, 0.35)
    lag = random.uniform(0.0, 0.2)

    def arm(ring: int, sector: int, step: int) -> float:
        away = (sector / sectors - turns * step / stage.steps - lag * ring) % 0.5
        return more * math.exp(-((4 * min(away, 0.5 - away) / wide) ** 2))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        ring, sector = divmod(rank, sectors)
        mine = arm(ring, sector, step)
        if not fault:
            mine = sum(arm(ring, one, step) for one in range(sectors)) / sectors
        gas = _faces(rank, stage.ranks, sectors, stage.halo)
        stars = _ring(_group(rank, sectors), rank, 3000)
        return [stage.seconds(0.5), *gas, stage.seconds(0.5 + mine), *stars, *gas]

    return Made("drifting imbalance", stage.machine, *_each_step(stage, body))


def orbitals_of_one_data_server(random: Random) -> Made:
    """Coupled clusters: the last of each eight ranks serves blocks of integrals, but nearly all the
    blocks that are asked for lie with one of the servers, and all the others wait for it."""
    stage = _stage(random, (32, 48, 64))
    stage.steps, servers = 50, tuple(range(7, stage.ranks, 8))
    clients = tuple(rank for rank in range(stage.ranks) if rank not in servers)
    hot, block = random.choice(servers), random.choice([6000, 60_000])
    serve = random.uniform(1.0, 1.9) / 0.8 / len(clients)

    def asked(fault: bool, client: int, step: int) -> int:
        return hot if fault and (client + step) % 5 else client | 7

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        if rank in servers:
            parts: List[NamedTuple] = []
            for one in clients:
                if asked(fault, one, step) == rank:
                    parts += [Receive(one, 1), stage.seconds(serve), Send(one, block, 2)]
            return parts
        server = asked(fault, rank, step)
        energy = [Collective("Allreduce", 8, 0, clients)] if step % 25 == 24 else []
        return [Send(server, 100, 1), Receive(server, 2), stage.seconds(), *energy]

    return Made("busy manager", stage.machine, *_each_step(stage, body), (hot,))


def healthy_tasks_longest_first(random: Random) -> Made:
    """A manager hands out tasks of very unlike length, the longest ones first: some workers do many
    tasks and some do few, and all of them end at nearly the same time."""
    stage = _stage(random, (16, 24, 32, 48))
    workers, each = range(1, stage.ranks), random.choice([20, 30, 40])
    lengths = [stage.work * random.expovariate(1) for _ in range(each * len(workers))]
    lengths.sort(reverse=True)

    def make(fault: bool) -> Programs:
        made: Programs = [[] for _ in range(stage.ranks)]
        free = [(0.0, worker) for worker in workers]
        for at, length in enumerate(lengths):
            when, worker = heapq.heappop(free)
            came = [Receive(worker, 1)] if at >= len(workers) else []
            made[0] += [*came, Send(worker, 500, 2)]
            made[worker] += [Receive(0, 2), Compute(length), Send(0, 2000, 1)]
            heapq.heappush(free, (when + length, worker))
        made[0] += [Receive(worker, 1) for _, worker in sorted(free)]
        return made

    return Made("healthy", stage.machine, *_twice(stage, make))


def healthy_colours_on_all_ranks(random: Random) -> Made:
    """Subdomains of four colours are solved one colour after the other, but each rank has one of
    each colour: many halos and sums, and never a rank without work."""
    stage = _stage(random, (4, 8, 16, 32, 64))
    stage.noise, size = random.uniform(0.002, 0.005), random.choice([300, 5000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = []
        for _ in range(4):
            parts += [stage.seconds(0.25), *_ring(range(stage.ranks), rank, size)]
        return [*parts, Collective("Allreduce", 8)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_rebalanced_often(random: Random) -> Made:
    """Work of the ranks drifts apart a little in each step, and all is dealt out anew every few
    steps, before anybody has two percent too much."""
    stage = _stage(random, (8, 16, 32, 64))
    every = random.choice([4, 5, 8])
    drifts = [
        [random.uniform(-1, 1) * 0.018 / every for _ in range(stage.ranks)]
        for _ in range(stage.steps // every + 1)
    ]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        drift = drifts[step // every][rank] * (step % every)
        dealt = [Collective("Allgather", 16), Collective("Alltoallv", 3000)]
        moved = dealt if step % every == 0 else []
        halo = _faces(rank, stage.ranks, 4, 3000)
        return [*moved, stage.seconds(1 + drift), *halo, Collective("Allreduce", 8)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_spin_up_on_all_ranks(random: Random) -> Made:
    """A flow that starts from rest: the pressure needs many times as many iterations in the first
    tenth of the run as later, but it needs them on all ranks alike."""
    stage = _stage(random, (4, 8, 16, 32, 48))
    stage.steps, many = 60, random.choice([5, 8, 12])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds(0.5), *stage.exchange(rank, step)]
        for _ in range(many if step < 6 else 1):
            parts += [stage.seconds(0.5), *_ring(range(stage.ranks), rank, 2000)]
            parts.append(Collective("Allreduce", 16))
        return parts

    return Made("healthy", stage.machine, *_each_step(stage, body))


CAMPUS: Dict[str, Callable[[Random], Made]] = {
    each.__name__: each
    for each in (
        plastic_zone_grows,
        unitigs_walked_by_rank_0,
        host_capped_by_power,
        planes_of_a_tomogram_in_turn,
        leaves_do_near_field_first,
        structure_posts_after_assembly,
        migrated_blocks_fetched_late,
        schwarz_in_four_colours,
        uneven_until_the_first_rebalance,
        pivots_integrated_by_their_owner,
        spiral_arms_turn,
        orbitals_of_one_data_server,
        healthy_tasks_longest_first,
        healthy_colours_on_all_ranks,
        healthy_rebalanced_often,
        healthy_spin_up_on_all_ranks,
    )
}
