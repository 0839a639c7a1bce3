"""Families after what a support desk is asked about: uneven work of several shapes, hosts that are
slower than others, and programs that are fine. The other faults are in `desk_programs_more.py`.
Written without a look at the rules."""

from __future__ import annotations

import math
from random import Random
from typing import Callable, Dict, List, NamedTuple

from centre_programs import (
    _extra,
    _halo,
    _inside,
    _posted,
    _scaled,
    _shape,
    _site,
    _top,
)
from programs import Made, _each_step
from simulator import Collective, Compute, Probe, Receive, Send, Wait
from ticket_programs import _groups, _swap


def electrons_pile_up_at_the_wall(random: Random) -> Made:
    """Plasma between two walls, cut into slabs: the electrons gather before one wall during the
    first part of the run, and the slabs there have more and more of them to push."""
    stage = _site(random, (8, 12, 16, 24, 32, 48))
    stage.steps, wide = random.choice([80, 120]), random.uniform(0.06, 0.2) * stage.ranks
    heap = [math.exp(-((rank / wide) ** 2)) for rank in range(stage.ranks)]
    if random.random() < 0.5:
        heap.reverse()
    filled = random.uniform(0.2, 0.6)
    loads = _scaled(heap, _extra(random, 0.1, 0.4) / (1 - filled / 2))
    stage.halo = random.choice([3000, 30_000, 90_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        gathered = min(1.0, step / stage.steps / filled) * fault
        push = stage.seconds(0.8 * max(0.2, 1 + (loads[rank] - 1) * gathered / 0.8))
        moved = _halo(rank, (stage.ranks, 1), stage.halo, False)
        field = [Collective("Allreduce", 4000), stage.seconds(0.2)]
        return [push, *moved, *field, *([Collective("Gather", 800)] if step % 12 == 11 else [])]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), _top(loads))


def points_do_not_divide_by_pools(random: Random) -> Made:
    """Electrons in a crystal: pools of ranks share the k-points, whose number the number of pools
    does not divide. Some pools have one more than others, which wait for the sum of the density."""
    pools = random.choice([2, 3, 4, 6])
    stage = _site(random, [size for size in (12, 24, 36, 48) if size // pools >= 2])
    wasted = [
        points
        for points in range(pools + 1, 5 * pools)
        if 0.08 <= 1 - points / pools / math.ceil(points / pools) <= 0.45
    ]
    points = random.choice(wasted)
    most, each = math.ceil(points / pools), stage.ranks // pools
    longer, groups = points % pools, _groups(stage, each)
    stage.steps, stage.work = random.choice([12, 18]), random.uniform(0.05, 0.2)
    size = random.choice([2000, 9000, 20_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        pool, parts = groups[rank // each], []
        count = most - (rank // each >= longer) if fault else most
        for _ in range(count):
            for _ in range(3):
                bands = 1 / 3 if fault else points / pools / most / 3
                parts += [stage.seconds(bands), Collective("Alltoall", size, 0, pool)]
                parts += [Collective("Allreduce", 6000, 0, pool)]
        return [*parts, Collective("Allreduce", 300_000), stage.seconds(0.2)]

    more = tuple(range(longer * each))
    return Made("load imbalance", stage.machine, *_each_step(stage, body), more)


def longest_contigs_come_first(random: Random) -> Made:
    """Genomes: the pieces to be put together are sorted by their length and dealt out in blocks, as
    many to each rank. All meet only a few times, when they shuffle what they have found."""
    stage = _site(random, (6, 8, 12, 16, 24, 32, 64))
    stage.steps, stage.work = random.choice([4, 6, 9]), random.uniform(0.3, 0.9)
    lengths = sorted(random.lognormvariate(0, 0.8) for _ in range(stage.ranks))
    lengths = lengths if random.random() < 0.3 else lengths[::-1]
    loads = _scaled(lengths, _extra(random, 0.1, 0.45))
    pieces, size = random.choice([8, 20]), random.choice([4000, 30_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        load = max(0.1, loads[rank]) if fault else 1.0
        parts: List[NamedTuple] = [Collective("Bcast", 50_000)]
        for _ in range(pieces):
            parts += [stage.seconds(load / pieces), Probe()]
        parts += [Collective("Alltoall", 4), Collective("Alltoallv", size), stage.seconds(0.04)]
        return [*parts, Collective("Allreduce", 8)]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), _top(loads))


def blocks_of_land(random: Random) -> Made:
    """An ocean in blocks of the same size, of which some are land: their ranks have next to nothing
    to do, and could take a part of the water of the others."""
    stage = _site(random, (16, 24, 36, 48, 64))
    shape = _shape(stage.ranks, 2)
    stage.steps, land = random.choice([30, 45]), set()
    first = random.randrange(stage.ranks)
    dry = random.randint(math.ceil(0.1 * stage.ranks), int(0.4 * stage.ranks)) / stage.ranks
    while len(land) < round(dry * stage.ranks):
        land.add(first)
        near = first + random.choice([1, -1, shape[1], -shape[1]])
        first = near if 0 <= near < stage.ranks else random.randrange(stage.ranks)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        load = (0.03 if rank in land else 1.0) if fault else 1 - 0.97 * dry
        parts: List[NamedTuple] = [stage.seconds(0.6 * load), *_halo(rank, shape, stage.halo)]
        for _ in range(3):
            parts += [stage.seconds(0.1 * load), *_halo(rank, shape, 1200)]
            parts += [Collective("Allreduce", 16)]
        return [*parts, stage.seconds(0.1 * load)]

    sea = tuple(rank for rank in range(stage.ranks) if rank not in land)
    return Made("load imbalance", stage.machine, *_each_step(stage, body), sea)


def stiff_cells_in_the_flame(random: Random) -> Made:
    """Combustion: the flow costs the same everywhere, but the chemistry is stiff where it burns, a
    little in some boxes and much in others. The time step is agreed upon after it."""
    stage = _site(random, (8, 12, 16, 24, 32, 48))
    stage.steps, shape = random.choice([60, 100]), _shape(stage.ranks, 3)
    burning = [random.uniform(0.2, 1) * (random.random() < 0.4) for _ in range(stage.ranks)]
    burning[stage.some] = 1.15
    chemistry = random.uniform(0.35, 0.6)
    loads = _scaled(burning, _extra(random, 0.09, 0.42) / chemistry)
    flicker = random.uniform(0.01, 0.05)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = []
        for _ in range(2):
            parts += [stage.seconds((1 - chemistry) / 2), *_halo(rank, shape, stage.halo, False)]
        now = max(0.05, (loads[rank] if fault else 1.0) + random.gauss(0, flicker))
        parts += [stage.seconds(chemistry * now), Collective("Allreduce", 8)]
        return [*parts, *([Collective("Gather", 2000)] if step % 20 == 19 else [])]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), _top(loads))


def rest_goes_to_the_last_rank(random: Random) -> Made:
    """Finite elements: each rank gets the same number, rounded down, and the last one all that
    remain. Conjugate gradients with a halo and two sums in each iteration."""
    stage = _site(random, (6, 12, 16, 24, 36, 48, 64))
    stage.steps, last = random.choice([20, 30]), stage.ranks - 1
    more = _extra(random, 0.08, 0.35) / (1 - 1 / stage.ranks)
    stage.halo = random.choice([900, 7000, 50_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        load = 1 + more * stage.share(fault, rank == last)
        parts: List[NamedTuple] = [stage.seconds(0.4 * load)]
        for _ in range(4):
            parts += [*_halo(rank, (stage.ranks, 1), stage.halo, False)]
            parts += [stage.seconds(0.11 * load), Collective("Allreduce", 8)]
            parts += [stage.seconds(0.04 * load), Collective("Allreduce", 16)]
        return parts

    return Made("load imbalance", stage.machine, *_each_step(stage, body), (last,))


def sum_is_even_phases_are_not(random: Random) -> Made:
    """Spray in a gas: who has many droplets got fewer cells, so that all have the same to do in a
    step. But between droplets and cells all must meet, and each phase by itself is uneven."""
    stage = _site(random, (6, 8, 12, 16, 24, 48))
    stage.steps, shape = random.choice([60, 90]), _shape(stage.ranks, 2)
    tilt = [random.gauss(0, 1) for _ in range(stage.ranks)]
    middle, wide = sum(tilt) / stage.ranks, max(tilt) - min(tilt)
    extra = _extra(random, 0.1, 0.36)
    tilt = [(one - middle) / wide * extra for one in tilt]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        more = tilt[rank] * fault
        cells = [stage.seconds(max(0.05, 0.55 + more)), *_halo(rank, shape, stage.halo)]
        droplets = [stage.seconds(max(0.05, 0.45 - more)), Collective("Alltoallv", 200)]
        return [*cells, Collective("Allreduce", 24), *droplets, Collective("Allreduce", 8)]

    return Made("load imbalance", stage.machine, *_each_step(stage, body))


def blade_turns_through_the_sectors(random: Random) -> Made:
    """A turbine cut into sectors: where the blade passes the mesh is fine. It goes on by one sector
    every few steps, and after its turns all sectors have had the same to do."""
    stage = _site(random, (8, 12, 16, 24))
    stage.steps, stage.work = random.choice([120, 180, 240]), random.uniform(0.02, 0.08)
    turns, wide = random.choice([1, 2]), random.uniform(0.7, 1.8)
    ring = [min(rank, stage.ranks - rank) for rank in range(stage.ranks)]
    loads = _scaled([math.exp(-((one / wide) ** 2)) for one in ring], _extra(random, 0.1, 0.45))
    size = random.choice([2000, 60_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        sector = int(step * turns * stage.ranks / stage.steps)
        load = loads[(rank - sector) % stage.ranks] if fault else 1.0
        parts: List[NamedTuple] = [stage.seconds(0.7 * load)]
        parts += _swap((rank + 1) % stage.ranks, (rank - 1) % stage.ranks, size, 12)
        parts += [stage.seconds(0.3 * load), *stage.exchange(rank, step)]
        return [*parts, Collective("Allreduce", 16)]

    return Made("drifting imbalance", stage.machine, *_each_step(stage, body))


def host_slows_when_it_is_hot(random: Random) -> Made:
    """One host lowers its clock after some minutes, as its fan is broken, and keeps it low. The
    program is even: transposes in rows of ranks, halos in columns."""
    stage = _site(random, (8, 16, 24, 32, 48, 64), (2, 4))
    stage.steps, hot = random.choice([60, 100]), random.uniform(0.15, 0.5)
    across = _shape(stage.ranks, 2)[1]
    slower = _extra(random, 0.08, 0.3) / (1 - hot)
    host = random.randrange(stage.hosts)
    ranks = tuple(rank for rank in range(stage.ranks) if stage.machine.host[rank] == host)
    rows = _groups(stage, across)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        factor = 1 + slower * (fault and rank in ranks and step >= hot * stage.steps)
        row, parts = rows[rank // across], []
        for _ in range(2):
            parts += [stage.seconds(0.3 * factor), Collective("Alltoall", 3000, 0, row)]
        up, down = (rank + across) % stage.ranks, (rank - across) % stage.ranks
        parts += [stage.seconds(0.4 * factor), *_swap(up, down, 5000, 3)]
        return [*parts, *([Collective("Reduce", 80)] if step % 5 == 4 else [])]

    return Made("slow host", stage.machine, *_each_step(stage, body), ranks)


def backup_runs_on_one_host(random: Random) -> Made:
    """On one host a backup starts now and then, and takes a part of the cores and of the memory
    from all ranks there, from some a little more. Between two backups it is like the others."""
    stage = _site(random, (8, 12, 16, 24, 32, 64), (2, 4))
    stage.steps = random.choice([80, 120])
    often, host = random.uniform(0.4, 0.7), random.randrange(stage.hosts)
    ranks = tuple(rank for rank in range(stage.ranks) if stage.machine.host[rank] == host)
    slower = _extra(random, 0.09, 0.3) / often
    taken = [slower * random.uniform(0.8, 1.0) for _ in range(stage.ranks)]
    period = random.choice([10, 20])
    shape = _shape(stage.ranks, 3)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        running = fault and rank in ranks and step % period < often * period
        factor = 1 + taken[rank] * running
        forces = [*_halo(rank, shape, 20_000), stage.seconds(0.85 * factor)]
        energy = [Collective("Allreduce", 56)] if step % 2 else []
        return [*forces, stage.seconds(0.15 * factor), *energy]

    return Made("slow host", stage.machine, *_each_step(stage, body), ranks)


def healthy_output_server_sleeps(random: Random) -> Made:
    """One rank of many only takes the fields of the others every few steps and writes them. It is
    idle most of the time, but it is one of dozens, and nobody ever waits for it."""
    stage = _site(random, (32, 48, 64))
    server, every = stage.ranks - 1, random.choice([8, 12])
    stage.steps, stage.noise = 60, random.uniform(0.002, 0.004)
    workers, size = tuple(range(server)), random.choice([4000, 100_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        due = step % every == every - 1
        if rank == server:
            requests = tuple(range(1, stage.ranks))
            taken = [Receive(one, 7, one + 1) for one in workers]
            return [*taken, Wait(requests), stage.seconds(random.uniform(1, 3))] if due else []
        parts: List[NamedTuple] = [Send(server, size, 7, 99)] if due else []
        parts += [stage.seconds(), *_inside(workers, rank, stage.halo)]
        return [*parts, *([Wait((99,))] if due else []), Collective("Allreduce", 8, 0, workers)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_halos_behind_the_interior(random: Random) -> Made:
    """Seismic waves with thick halos of many megabytes, which take nearly as long as the
    interior; they are sent before it and waited for after it, and are there by then."""
    stage = _site(random, (8, 12, 16, 24, 32))
    stage.steps, stage.work = random.choice([100, 140]), random.uniform(6e-3, 2e-2)
    stage.noise = random.uniform(0.002, 0.004)
    near, size = (1, -1, 2, -2), int(stage.work * random.uniform(0.5, 0.86) * 9e9)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        receives = [((rank - way) % stage.ranks, 20 + way) for way in near]
        sends = [((rank + way) % stage.ranks, size, 20 + way) for way in near]
        begin, end = _posted(receives, sends)
        parts = [stage.seconds(0.1), *begin, stage.seconds(0.85), *end, stage.seconds(0.05)]
        return [*parts, *([Collective("Allreduce", 8)] if step % 10 == 9 else [])]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_histories_after_long_reading(random: Random) -> Made:
    """Photons by Monte Carlo: rank 0 reads the cross sections while all wait, once, for some
    hundredths of the run. From then on all follow their photons and meet once in a batch."""
    stage = _site(random, (4, 8, 12, 24, 48, 64))
    stage.steps, stage.work = random.choice([20, 40]), random.uniform(0.2, 0.5)
    stage.noise = random.uniform(0.002, 0.006)
    reading = stage.steps * stage.work * random.uniform(0.012, 0.033)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = []
        if step == 0:
            parts += [Compute(reading)] if rank == 0 else []
            parts.append(Collective("Bcast", 2_000_000))
        return [*parts, stage.seconds(), Collective("Reduce", 40_000)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_replicas_that_swap(random: Random) -> Made:
    """Replicas of a protein at many temperatures, some ranks each: hot ones take some hundredths
    longer. Every few steps the first ranks of two neighbours swap, in pairs that change."""
    each = random.choice([2, 4, 6])
    stage = _site(random, [each * count for count in (4, 6, 8) if each * count <= 48])
    stage.steps, stage.noise = random.choice([60, 120]), random.uniform(0.002, 0.005)
    replicas, every = _groups(stage, each), random.choice([5, 10])
    hotter = random.uniform(0.01, 0.04)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        replica, group = rank // each, replicas[rank // each]
        heat = 1 + hotter * replica / len(replicas)
        parts: List[NamedTuple] = [stage.seconds(0.6 * heat), *_inside(group, rank, 9000)]
        parts += [stage.seconds(0.4 * heat), Collective("Allreduce", 80, 0, group)]
        if step % every == every - 1:
            other = ((replica + step // every) ^ 1) - step // every
            if rank == group[0] and 0 <= other < len(replicas):
                parts += _swap(replicas[other][0], replicas[other][0], 24, 5)
            parts.append(Collective("Bcast", 8, 0, group))
        return parts

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_tree_walk_with_probes(random: Random) -> Made:
    """Stars in a tree: while a rank walks it, it looks again and again for requests of others, and
    finds none. Thousands of calls, which together take next to no time."""
    stage = _site(random, (6, 8, 16, 24, 32))
    stage.steps, stage.noise = random.choice([40, 60]), random.uniform(0.003, 0.008)
    looks = random.choice([30, 60])
    even = [1 + random.uniform(-0.02, 0.02) for _ in range(stage.ranks)]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [Collective("Allgather", 64), Collective("Alltoallv", 1500)]
        for _ in range(looks):
            parts += [stage.seconds(even[rank] / looks), Probe()]
        return [*parts, Collective("Allreduce", 8), stage.seconds(0.05)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_barriers_that_cost_nothing(random: Random) -> Made:
    """A flow solver with a barrier after each of its three parts, between which all meet anyway to
    agree on a time step. The parts are even, and a barrier takes microseconds."""
    stage = _site(random, (4, 6, 12, 24, 36, 60))
    stage.steps, shape = random.choice([60, 90]), _shape(stage.ranks, 2)
    stage.noise, barrier = random.uniform(0.002, 0.008), Collective("Barrier", 0)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = []
        for part in (0.5, 0.3, 0.2):
            parts += [stage.seconds(part), *_halo(rank, shape, stage.halo), barrier]
            parts.append(Collective("Allreduce", 8))
        return [*parts, *([Collective("Gather", 500), barrier] if step % 10 == 9 else [])]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_long_range_forces_in_step(random: Random) -> Made:
    """Molecular dynamics where each fourth rank does only the long-range forces: these are ready a
    little before the three others, who sent it their charges, need them."""
    stage = _site(random, (8, 12, 16, 24, 48))
    stage.steps, stage.noise = random.choice([80, 120]), random.uniform(0.002, 0.005)
    meshes = tuple(range(3, stage.ranks, 4))
    pairs = tuple(rank for rank in range(stage.ranks) if rank not in meshes)
    early, size = random.uniform(0.03, 0.09), random.choice([6000, 30_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        if rank in meshes:
            mine = (rank - 3, rank - 2, rank - 1)
            parts: List[NamedTuple] = [Receive(one, 8) for one in mine]
            for _ in range(2):
                half = stage.seconds((1 - early) / 2)
                parts += [half, Collective("Alltoall", 4000, 0, meshes)]
            return [*parts, *(Send(one, size, 9) for one in mine)]
        mesh = rank - rank % 4 + 3
        first = [*_inside(pairs, rank, 8000), Receive(mesh, 9, 50), Send(mesh, size, 8)]
        parts = [*first, stage.seconds(), Wait((50,)), stage.seconds(0.03)]
        return [*parts, *([Collective("Allreduce", 64, 0, pairs)] if step % 4 == 0 else [])]

    return Made("healthy", stage.machine, *_each_step(stage, body))


DESK: Dict[str, Callable[[Random], Made]] = {
    each.__name__: each
    for each in (
        electrons_pile_up_at_the_wall,
        points_do_not_divide_by_pools,
        longest_contigs_come_first,
        blocks_of_land,
        stiff_cells_in_the_flame,
        rest_goes_to_the_last_rank,
        sum_is_even_phases_are_not,
        blade_turns_through_the_sectors,
        host_slows_when_it_is_hot,
        backup_runs_on_one_host,
        healthy_output_server_sleeps,
        healthy_halos_behind_the_interior,
        healthy_histories_after_long_reading,
        healthy_replicas_that_swap,
        healthy_tree_walk_with_probes,
        healthy_barriers_that_cost_nothing,
        healthy_long_range_forces_in_step,
    )
}
