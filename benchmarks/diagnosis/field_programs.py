"""Families after codes that a support desk sees: particles, grids, solvers and coupled models, each
with one fault among innocent calls. Written without a look at the rules."""

from __future__ import annotations

import math
from random import Random
from typing import Callable, Dict, List, NamedTuple, Sequence, Tuple

from programs import Made, Programs, Stage, _each_step, _twice
from simulator import ANY, Collective, Compute, Lock, Put, Receive, Send, Unlock, Wait
from skeleton_programs import _size


def _stage(random: Random, ranks: Sequence[int], hosts: Sequence[int] = (1, 2, 4)) -> Stage:
    """So many ranks, in blocks on so many hosts, each by chance."""
    stage = Stage(random)
    stage.ranks, stage.hosts = random.choice(ranks), random.choice(hosts)
    each = -(-stage.ranks // stage.hosts)
    host = tuple(rank // each for rank in range(stage.ranks))
    stage.machine, stage.some = stage.machine._replace(host=host), random.randrange(1, stage.ranks)
    return stage


def _group(rank: int, each: int) -> Tuple[int, ...]:
    """Ranks of its block of so many."""
    first = rank - rank % each
    return tuple(range(first, first + each))


def _with(partners: Sequence[Tuple[int, int, int]], size: int) -> List[NamedTuple]:
    """Messages with partners, each with the tag of what comes and of what goes: posted, then waited
    for."""
    came = [Receive(one, tag, at) for at, (one, tag, _) in enumerate(partners, 1)]
    went = [Send(one, size, tag, 50 + at) for at, (one, _, tag) in enumerate(partners, 1)]
    return [*came, *went, Wait(tuple(part.request for part in (*came, *went)))]


def _ring(members: Sequence[int], rank: int, size: int) -> List[NamedTuple]:
    """Halos with the neighbours among some ranks."""
    place, count = members.index(rank), len(members)
    return _with([(members[place - 1], 1, 2), (members[(place + 1) % count], 2, 1)], size)


def _faces(rank: int, ranks: int, across: int, size: int) -> List[NamedTuple]:
    """Halos with four neighbours, in a grid that is closed."""
    row, column = divmod(rank, across)
    west, east = (row * across + (column + way) % across for way in (-1, 1))
    north, south = ((rank + way * across) % ranks for way in (-1, 1))
    return _with([(west, 1, 2), (east, 2, 1), (north, 3, 4), (south, 4, 3)], size)


def too_few_ranks_for_long_forces(random: Random) -> Made:
    """Molecular dynamics where each fourth rank does the long-range forces of the three before it:
    these ranks have too much to do, and the others wait for their forces."""
    stage = _stage(random, (8, 16, 32, 48))
    more = _size(random, 0.12, 0.9)
    mesh = tuple(range(3, stage.ranks, 4))
    short = tuple(rank for rank in range(stage.ranks) if rank not in mesh)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        *clients, server = _group(rank, 4)
        if rank == server:
            half = stage.seconds((1 + (more if fault else more / 4)) / 2)
            transposed = [half, Collective("Alltoall", 3000, 0, mesh)] * 2
            taken = [Receive(one, 5) for one in clients]
            return [*taken, *transposed, *(Send(one, 6000, 6) for one in clients)]
        work = stage.seconds(1 if fault else 1 + more / 4)
        halo = _ring(short, rank, stage.halo)
        return [Send(server, 6000, 5), *halo, work, Receive(server, 6)]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), mesh)


def regrid_on_rank_0(random: Random) -> Made:
    """A refined grid: in each tenth step rank 0 alone clusters the marked cells of all into boxes,
    and broadcasts these."""
    stage = _stage(random, (8, 16, 32, 64))
    alone, marks = 10 * _size(random, 0.08, 1.0), random.choice([200, 5000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts = [*_faces(rank, stage.ranks, 4, stage.halo), stage.seconds()]
        if step % 10 == 9:
            clustering = stage.seconds(alone * stage.share(fault, rank == 0))
            parts += [Collective("Gather", marks), clustering, Collective("Bcast", 40_000)]
        return [*parts, Collective("Allreduce", 8)]

    return Made("serial part", stage.machine, *_each_step(stage, body), (0,))


def pulse_through_the_plasma(random: Random) -> Made:
    """Particles in cells: a laser pulse crosses the columns of ranks once in the run, and most
    particles are where it is."""
    stage = _stage(random, (16, 32, 48))
    across = stage.ranks // 2
    more, wide = _size(random, 0.12, 1.2), random.uniform(1.0, across / 5)

    def extra(column: int, step: int) -> float:
        away = abs(column - step / stage.steps * across)
        return more * math.exp(-((min(away, across - away) / wide) ** 2))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        all_of_them = [extra(column, step) for column in range(across)]
        mine = all_of_them[rank % across] if fault else sum(all_of_them) / across
        moved = _faces(rank, stage.ranks, across, stage.halo)
        fields = _faces(rank, stage.ranks, across, 2000)
        return [stage.seconds(1 + mine), *moved, *fields, Collective("Allreduce", 16)]

    return Made("drifting imbalance", stage.machine, *_each_step(stage, body))


def _gram_schmidt(stage: Stage, part: float) -> Callable[[bool, int, int], List[NamedTuple]]:
    """A solver with restarts after 20 iterations; its sums one by one take such a part of what the
    work takes."""
    stage.steps = 120
    one = (stage.ranks - 1).bit_length() * (stage.machine.latency[stage.hosts > 1] + 0.3e-6)
    stage.work = 10.5 * one / part

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        before = step % 20 + 1
        added = [Compute(1e-7), Collective("Allreduce", 8)]
        sums = added * before if fault else [Compute(1e-7 * before), added[1]._replace(size=160)]
        return [*stage.exchange(rank, step), stage.seconds(), *sums, Collective("Allreduce", 8)]

    return body


def orthogonalised_one_by_one(random: Random) -> Made:
    """A Krylov solver that makes its vector orthogonal to up to 20 others: a sum of one number for
    each, where one sum could take all."""
    stage = _stage(random, (12, 24, 32, 48))
    stage.halo = random.choice([800, 6000])
    made = _each_step(stage, _gram_schmidt(stage, _size(random, 0.12, 1.5)))
    return Made("many small collective calls", stage.machine, *made)


def coarse_levels_on_few(random: Random) -> Made:
    """Multigrid that gathers its coarse levels on one of eight ranks: the solution there takes
    long, and all the others wait in the sum after it."""
    stage = _stage(random, (16, 32, 64))
    more = _size(random, 0.1, 1.0)
    leaders = tuple(range(0, stage.ranks, 8))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        group = _group(rank, 8)
        coarse = stage.seconds(more * (rank in leaders if fault else 1 / 8))
        return [
            *_faces(rank, stage.ranks, 8, stage.halo),
            stage.seconds(),
            Collective("Gather", 4000, 0, group),
            coarse,
            Collective("Allreduce", 8),
            Collective("Scatter", 4000, 0, group),
        ]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), leaders)


def columns_sent_row_by_row(random: Random) -> Made:
    """A flow solver in a grid of ranks: north and south get one message, east and west get one for
    each row, as the values do not lie side by side in memory."""
    stage = _stage(random, (8, 12, 16))
    stage.steps, rows = 25, random.choice([40, 60, 80])
    stage.work = 5 * rows * 0.3e-6 / _size(random, 0.15, 1.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        west, east = (rank - rank % 4 + (rank + way) % 4 for way in (-1, 1))
        north, south = ((rank + way * 4) % stage.ranks for way in (-1, 1))
        count, size = (rows, 40) if fault else (1, 40 * rows)
        sides = [(west, 1, 2), (east, 2, 1)]
        came = [Receive(one, tag, 100 * tag + at) for one, tag, _ in sides for at in range(count)]
        went = [Send(one, size, tag) for one, _, tag in sides for _ in range(count)]
        columns = [*came, *went, Wait(tuple(part.request for part in came))]
        halo = _with([(north, 3, 4), (south, 4, 3)], 3200)
        return [stage.seconds(), *halo, *columns, Collective("Allreduce", 8)]

    return Made("many small messages", stage.machine, *_each_step(stage, body))


def components_in_sequence(random: Random) -> Made:
    """Atmosphere and ocean on ranks of their own, with equal work: a part of the ocean's needs the
    fluxes of the same step, and the atmosphere waits for its surface before it goes on."""
    stage = _stage(random, (8, 16, 32, 48))
    needing, first = _size(random, 0.1, 1.0), stage.ranks * 3 // 4
    air, sea = tuple(range(first)), tuple(range(first, stage.ranks))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        mine, partners = air, [first + rank // 3]
        if rank >= first:
            mine, partners = sea, [*_group((rank - first) * 3, 3)]
        came = [Receive(one, 7, 70 + at) for at, one in enumerate(partners)]
        went = [Send(one, stage.halo, 7, 80 + at) for at, one in enumerate(partners)]
        waited, sent = (Wait(tuple(part.request for part in side)) for side in (came, went))
        free = [*_ring(mine, rank, 4000), stage.seconds(1 - needing)]
        model = [stage.seconds(needing), Collective("Allreduce", 8, 0, mine)]
        if fault and rank >= first:
            return [*came, *free, waited, *model, *went, sent]
        return [*came, *free, *model, *went, waited, sent]

    return Made("one after the other", stage.machine, *_each_step(stage, body))


def radiation_by_day(random: Random) -> Made:
    """A weather model that computes radiation in each tenth step: the half of the ranks where it is
    day have it to do, and the forecast is too short for the sun to move."""
    stage = _stage(random, (8, 16, 24, 48, 64))
    more, dawn = 10 * _size(random, 0.16, 2.0), random.randrange(stage.ranks)
    day = tuple(sorted((dawn + at) % stage.ranks for at in range(stage.ranks // 2)))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        sun = stage.seconds(more * (rank in day if fault else 0.5) * (step % 10 == 0))
        halo = _faces(rank, stage.ranks, 4, stage.halo)
        return [*halo, stage.seconds(0.7), *halo, sun, stage.seconds(0.3), Collective("Reduce", 64)]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), day)


def manager_whose_list_grows(random: Random) -> Made:
    """Workers ask rank 0 for each piece; it looks through a list of all results so far, so that its
    answers take longer and longer."""
    stage = _stage(random, (8, 12, 16, 24, 32))
    stage.steps, workers = 50, stage.ranks - 1
    longest = random.uniform(1.5, 4.0) / workers

    def make(fault: bool) -> Programs:
        manager: List[NamedTuple] = []
        for step in range(stage.steps):
            think = longest * stage.work * step / stage.steps if fault else 2e-6
            for rank in range(1, stage.ranks):
                manager += [Receive(rank, 1), Compute(think), Send(rank, 3000, 2)]
        made: Programs = [manager]
        for _ in range(workers):
            parts: List[NamedTuple] = []
            for _ in range(stage.steps):
                parts += [Send(0, 900, 1), Receive(0, 2), stage.seconds()]
            made.append(parts)
        return made

    return Made("busy manager", stage.machine, *_twice(stage, make), (0,))


def popular_key(random: Random) -> Made:
    """Records go to the rank that their hash says; in the second half of the run one key is in most
    of them, so that its rank has more to insert."""
    stage = _stage(random, (4, 8, 16, 32))
    more, size = _size(random, 0.2, 2.0), random.choice([500, 20_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        late = more * (step >= stage.steps // 2) * stage.share(fault, rank == stage.some)
        inserted = stage.seconds(0.5 + late)
        exchanged = [Collective("Alltoall", 4), Collective("Alltoallv", size)]
        return [stage.seconds(0.5), *exchanged, inserted, Collective("Allreduce", 8)]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), (stage.some,))


def keys_sent_one_by_one(random: Random) -> Made:
    """Each rank sends every new key to its owner at once, which may be any rank, instead of all the
    keys in one exchange of all with all."""
    stage = _stage(random, (8, 12, 16))
    stage.steps, keys = 20, random.choice([10, 14])
    calls = keys * (stage.ranks - 1)
    stage.work = calls * 0.5e-6 / _size(random, 0.2, 2.0)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        work = stage.seconds()
        if not fault:
            return [work, Collective("Alltoallv", 48 * keys), Collective("Allreduce", 8)]
        others = [(rank + away) % stage.ranks for away in range(1, stage.ranks)]
        sent = [Send(one, 48, 3) for _ in range(keys) for one in others]
        return [work, *sent, *([Receive(ANY, 3)] * calls), Collective("Allreduce", 8)]

    return Made("all-to-all by hand", stage.machine, *_each_step(stage, body))


def frontier_of_the_traversal(random: Random) -> Made:
    """A graph is traversed level by level; in each level the frontier lies mostly on another rank,
    by chance."""
    stage = _stage(random, (8, 16, 32, 64))
    more = _size(random, 0.1, 1.5)
    hubs = [random.randrange(stage.ranks) for _ in range(stage.steps)]
    size = random.choice([64, 3000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        work = stage.seconds(1 + more * stage.share(fault, rank == hubs[step]))
        return [work, Collective("Alltoallv", size), Collective("Allreduce", 8)]

    return Made("late in turns", stage.machine, *_each_step(stage, body))


def panel_columns_without_look_ahead(random: Random) -> Made:
    """A factorisation on a grid of ranks: one column of ranks after the other factors its panel and
    broadcasts it along the rows, where all others wait; the matrix left becomes smaller."""
    stage = _stage(random, (8, 16, 32, 64))
    across = 4 if stage.ranks < 32 else 8
    more = _size(random, 0.1, 1.0)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        owner, row = step % across, _group(rank, across)
        column = tuple(range(rank % across, stage.ranks, across))
        left = 1 - 0.7 * step / stage.steps
        panel = stage.seconds(left * more * (rank % across == owner if fault else 1 / across))
        pivots = [Collective("Allreduce", 16, 0, column)] * 3 if rank % across == owner else []
        swapped = [Collective("Alltoall", 1000, 0, column)]
        sent = [Collective("Bcast", 50_000, owner, row)]
        return [panel, *pivots, *sent, *swapped, stage.seconds(left)]

    return Made("rotating root", stage.machine, *_each_step(stage, body))


def lock_held_while_packing(random: Random) -> Made:
    """Each rank puts its tallies into a window of the first of its eight ranks, and packs them only
    when it has the lock, for which the other six wait."""
    stage = _stage(random, (8, 16, 32))
    packing = _size(random, 0.15, 1.2) / 7

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        leader, works = rank - rank % 8, stage.seconds()
        packed, summed = stage.seconds(packing), Collective("Allreduce", 8)
        if rank == leader:
            return [works, summed]
        before, inside = ([], [packed]) if fault else ([packed], [])
        added = [Lock(leader), *inside, Put(leader, 20_000), Unlock(leader)]
        return [works, *before, *added, summed]

    return Made("lock contention", stage.machine, *_each_step(stage, body))


def memory_bound_phase_on_one_host(random: Random) -> Made:
    """Two phases in each step; on one host memory is slower, so that its ranks are late after the
    second phase only."""
    stage = _stage(random, (8, 16, 32, 64), (2, 4))
    more, host = _size(random, 0.15, 1.5), random.randrange(stage.hosts)
    ranks = tuple(rank for rank in range(stage.ranks) if stage.machine.host[rank] == host)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        second = stage.seconds(0.5 * (1 + more * (fault and rank in ranks)))
        halo = stage.exchange(rank, step)
        return [stage.seconds(0.5), *halo, second, *halo, Collective("Allreduce", 24)]

    return Made("slow host", stage.machine, *_each_step(stage, body), ranks)


def sums_by_allgather(random: Random) -> Made:
    """Each rank gathers the densities of all to add them up itself, where a reduction of the array
    would do."""
    stage = _stage(random, (16, 24, 32, 64))
    stage.work, part = 5e-3, _size(random, 0.1, 1.2)
    far = stage.machine.bandwidth[stage.hosts > 1]
    size = int(part * stage.work * far / stage.ranks)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        density = Collective("Allgather" if fault else "Allreduce", size)
        return [stage.seconds(), density, stage.seconds(0.2), Collective("Allreduce", 8)]

    return Made("transfer of all-to-all", stage.machine, *_each_step(stage, body))


def tables_sent_again(random: Random) -> Made:
    """A rank broadcasts the tables of opacities in each tenth step, though they never change."""
    stage = _stage(random, (4, 8, 16, 32))
    stage.work, part = 2e-3, _size(random, 0.08, 1.0)
    far = stage.machine.bandwidth[stage.hosts > 1]
    size = int(part * 10 * stage.work * far / 2)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        wanted = step == 0 or (fault and step % 10 == 0)
        tables = [Collective("Bcast", size if wanted else 8, stage.some)] if step % 10 == 0 else []
        return [*tables, *_faces(rank, stage.ranks, 2, stage.halo), stage.seconds()]

    return Made("large broadcasts", stage.machine, *_each_step(stage, body))


def ignition_at_the_start(random: Random) -> Made:
    """Combustion: the ranks round the spark have stiff chemistry to do in the first quarter of the
    run, less and less; then the flame has spread to all."""
    stage = _stage(random, (8, 16, 32, 64))
    more, quarter = _size(random, 0.8, 5.0), stage.steps // 4
    spark = tuple(range(stage.some - 1, min(stage.some + 2, stage.ranks)))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        stiff = more * max(0.0, 1 - step / quarter)
        mine = rank in spark if fault else len(spark) / stage.ranks
        flow = [stage.seconds(0.5), *_faces(rank, stage.ranks, 4, stage.halo)]
        return [*flow, stage.seconds(0.5 + stiff * mine), Collective("Allreduce", 8)]

    return Made("uneven at the start", stage.machine, *_each_step(stage, body), spark)


def healthy_lagged_coupling(random: Random) -> Made:
    """Two models on ranks of their own that use each other's fields of the step before: unlike
    calls, equal work, and hardly a wait."""
    stage = _stage(random, (8, 16, 32, 64))
    half = stage.ranks // 2

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        other = (rank + half) % stage.ranks
        mine = _group(rank, half)
        inner = [Collective("Allreduce", 8, 0, mine)] * 3
        if rank >= half:
            inner = [*_ring(mine, rank, 4000), Collective("Alltoall", 200, 0, mine)]
        coupled = [Receive(other, 7, 91), Send(other, stage.halo, 7, 92)]
        return [*coupled, stage.seconds(0.5), *inner, stage.seconds(0.5), Wait((91, 92))]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_stealing(random: Random) -> Made:
    """Ranks take pieces out of windows of others whom they choose by chance: many locks, which
    hardly ever meet."""
    stage = _stage(random, (4, 8, 16, 32))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = []
        for _ in range(4):
            victim = (rank + stage.random.randrange(1, stage.ranks)) % stage.ranks
            parts += [stage.seconds(0.25), Lock(victim), Put(victim, 256), Unlock(victim)]
        return [*parts, Collective("Allreduce", 8)] if step % 5 == 4 else parts

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_irregular_partners(random: Random) -> Made:
    """Particles go to three ranks that change from step to step, in messages of very unlike sizes:
    even work, and little to wait for."""
    stage = _stage(random, (6, 12, 24, 48, 64))
    steps = range(stage.steps)
    away = [random.sample(range(1, stage.ranks), 3) for _ in steps]
    sizes = [int(10 ** random.uniform(1.5, 5.5)) for _ in steps]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        came = [
            Receive((rank - far) % stage.ranks, at, 10 + at) for at, far in enumerate(away[step])
        ]
        size = sizes[(step + rank) % stage.steps]
        went = [Send((rank + far) % stage.ranks, size, at) for at, far in enumerate(away[step])]
        counted = [Collective("Allreduce", 8)] if step % 2 else []
        return [stage.seconds(), *counted, *came, *went, Wait((10, 11, 12))]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_sums_in_a_long_solver(random: Random) -> Made:
    """A Krylov solver with a sum for each of its vectors, thousands in all, which are next to
    nothing beside the work."""
    stage = _stage(random, (12, 24, 32))
    stage.halo = random.choice([800, 6000])
    body = _gram_schmidt(stage, random.uniform(0.008, 0.02))
    made = _each_step(stage, lambda fault, rank, step: body(True, rank, step))
    return Made("healthy", stage.machine, *made)


FIELD: Dict[str, Callable[[Random], Made]] = {
    each.__name__: each
    for each in (
        too_few_ranks_for_long_forces,
        regrid_on_rank_0,
        pulse_through_the_plasma,
        orthogonalised_one_by_one,
        coarse_levels_on_few,
        columns_sent_row_by_row,
        components_in_sequence,
        radiation_by_day,
        manager_whose_list_grows,
        popular_key,
        keys_sent_one_by_one,
        frontier_of_the_traversal,
        panel_columns_without_look_ahead,
        lock_held_while_packing,
        memory_bound_phase_on_one_host,
        sums_by_allgather,
        tables_sent_again,
        ignition_at_the_start,
        healthy_lagged_coupling,
        healthy_stealing,
        healthy_irregular_partners,
        healthy_sums_in_a_long_solver,
    )
}
