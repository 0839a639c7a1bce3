"""More families after codes that a support desk sees, with hosts, links and communicators at fault.
Written without a look at the rules."""

from __future__ import annotations

import math
from random import Random
from typing import Callable, Dict, List, NamedTuple

from field_programs import _faces, _group, _ring, _stage, _with
from programs import Made, Programs, _each_step, _twice
from simulator import ANY, Collective, Compute, Receive, Send, Wait
from skeleton_programs import _size


def one_server_gets_most(random: Random) -> Made:
    """A climate model whose last four ranks write: the first of them is given more than half of the
    ranks, and cannot keep up with their records of each tenth step."""
    stage = _stage(random, (12, 20, 36, 52))
    stage.halo, model = 4096, tuple(range(stage.ranks - 4))
    most = math.ceil(random.uniform(0.55, 0.7) * len(model))
    writing = 10 * (1 + _size(random, 0.12, 1.0)) / most

    def make(fault: bool) -> Programs:
        taken = [0] * 4
        made: Programs = []
        for rank in model:
            place = (0 if rank < most else 1 + rank % 3) if fault else rank % 4
            taken[place] += 1
            parts: List[NamedTuple] = []
            for step in range(stage.steps):
                halo = _ring(model, rank, stage.halo)
                parts += [*halo, stage.seconds(), Collective("Allreduce", 8, 0, model)]
                if step % 10 == 9:
                    parts += [Wait((9,))] if step > 9 else []
                    parts.append(Send(len(model) + place, 300_000, 3, 9))
            parts.append(Wait((9,)))
            made.append(parts)
        records = stage.steps // 10
        for count in taken:
            each = (Receive(ANY, 3), Compute(writing * stage.work))
            made.append([part for _ in range(count * records) for part in each])
        return made

    return Made("busy consumer", stage.machine, *_twice(stage, make), (stage.ranks - 4,))


def healthy_servers_in_bursts(random: Random) -> Made:
    """The last two ranks take the output of each tenth step at once and write it until shortly
    before the next: busy, but never in the way."""
    stage = _stage(random, (10, 18, 34, 50))
    stage.steps, model = 100, tuple(range(stage.ranks - 2))
    writing = random.uniform(6.0, 9.0)

    def make(fault: bool) -> Programs:
        made: Programs = []
        for rank in model:
            parts: List[NamedTuple] = []
            for step in range(stage.steps):
                parts += [*_ring(model, rank, stage.halo), stage.seconds()]
                parts += [Collective("Allreduce", 8, 0, model)]
                parts += [Send(len(model) + rank % 2, 200_000, 3)] if step % 10 == 0 else []
            made.append(parts)
        taken = [Receive(ANY, 3)] * (len(model) // 2)
        for _ in range(2):
            bursts = [[*taken, stage.seconds(writing)] for _ in range(stage.steps // 10)]
            made.append([part for burst in bursts for part in burst])
        return made

    return Made("healthy", stage.machine, *_twice(stage, make))


def backup_of_each_host_in_turn(random: Random) -> Made:
    """A backup runs on one host at a time and goes on to any other, so that now the ranks of this
    host are late and now those of that one."""
    stage = _stage(random, (8, 16, 32, 64), (2, 4))
    more = _size(random, 0.08, 0.9)
    hosts = [step % stage.hosts for step in range(stage.steps)]
    random.shuffle(hosts)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        slower = fault and stage.machine.host[rank] == hosts[step]
        work = stage.seconds(1 + more * slower)
        return [work, *stage.exchange(rank, step), Collective("Allreduce", 40)]

    return Made("late in turns", stage.machine, *_each_step(stage, body))


def neighbours_in_order_of_number(random: Random) -> Made:
    """Finite elements in a row of ranks: blocking exchanges with the neighbours in order of their
    numbers, so that no rank gets to its second before its first has come to it."""
    stage = _stage(random, (6, 8, 16, 32))
    stage.work, last = 0.02, stage.ranks - 1
    size = int(_size(random, 0.1, 1.2) * stage.work * 9e9 / last / 2)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        down = [(rank - 1, 1, 2)] if rank else []
        up = [(rank + 1, 2, 1)] if rank < last else []
        dots = [stage.seconds(0.3), Collective("Allreduce", 8)]
        if not fault:
            return [stage.seconds(0.7), *_with([*down, *up], size), *dots]
        parts: List[NamedTuple] = [stage.seconds(0.7)]
        parts += [Receive(rank - 1, 1), Send(rank - 1, size, 2)] if down else []
        parts += [Send(rank + 1, size, 1), Receive(rank + 1, 2)] if up else []
        return [*parts, *dots]

    return Made("one after the other", stage.machine, *_each_step(stage, body))


def update_sent_to_each_on_the_host(random: Random) -> Made:
    """The first rank of each host sends the same update to every other rank there, one message
    after the other."""
    stage = _stage(random, (16, 32, 64), (2, 4))
    stage.work, each = 5e-3, stage.ranks // stage.hosts
    size = int(_size(random, 0.15, 1.2) * stage.work * 9e9 / (each - 1))
    leaders = tuple(range(0, stage.ranks, each))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        leader, *others = _group(rank, each)
        update: List[NamedTuple] = [Collective("Bcast", size, 0, (leader, *others))]
        if fault:
            update = [Receive(leader, 5)]
            if rank == leader:
                update = [Send(one, size, 5) for one in others]
        return [*update, stage.seconds(), *stage.exchange(rank, step), Collective("Allreduce", 8)]

    return Made("broadcast by hand", stage.machine, *_each_step(stage, body), leaders)


def particles_through_rank_0(random: Random) -> Made:
    """Particles that leave a rank go to rank 0, which sends them on to where they belong, though
    most belong to a neighbour."""
    stage = _stage(random, (8, 16, 32))
    stage.work = 5e-3
    size = int(_size(random, 0.1, 1.2) * stage.work * 9e9 / (stage.ranks - 1) / 2)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        moved = _ring(range(stage.ranks), rank, size // 2)
        if fault and rank:
            moved = [Send(0, size, 3), Receive(0, 4)]
        elif fault:
            others = range(1, stage.ranks)
            moved = [*([Receive(ANY, 3)] * len(others)), *(Send(one, size, 4) for one in others)]
        return [stage.seconds(0.6), *moved, stage.seconds(0.4), Collective("Allreduce", 8)]

    return Made("everything goes to one rank", stage.machine, *_each_step(stage, body), (0,))


def pools_of_unlike_size(random: Random) -> Made:
    """Plane waves: four pools have as many k-points each, but the last pool has fewer ranks to
    compute them; all meet in the sum of the density."""
    base = random.choice([4, 8, 12])
    fewer = random.randrange(1, base // 2 + 1)
    stage = _stage(random, (4 * base - fewer,))
    first = 3 * base
    last = tuple(range(first, stage.ranks))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        pool = last if rank >= first else _group(rank, base)
        points = 4 * base / stage.ranks
        if fault:
            points = base / len(pool)
        wave = [stage.seconds(points / 3), Collective("Alltoall", 400, 0, pool)] * 3
        return [*wave, Collective("Allreduce", 160, 0, pool), Collective("Allreduce", 9000)]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), last)


def field_not_expected(random: Random) -> Made:
    """An atmosphere sends its large fields in the middle of a step, and the ocean calls for them
    only at the end of its own: the atmosphere is held up in its sends."""
    stage = _stage(random, (4, 8, 16, 32))
    half, later = stage.ranks // 2, _size(random, 0.1, 0.8)
    early, size = random.uniform(0.05, 0.95 - later), random.choice([60_000, 800_000])
    sea = tuple(range(half, stage.ranks))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        before = early + later if rank >= half else early
        halo = _ring(_group(rank, half), rank, 4000)
        first, second = stage.seconds(before), stage.seconds(1 - before)
        summed = Collective("Allreduce", 8)
        if rank < half:
            return [*halo, first, Send(rank + half, size, 7), second, summed]
        if fault:
            return [*halo, first, Receive(rank - half, 7), second, summed]
        return [Receive(rank - half, 7, 70), *halo, first, Wait((70,)), second, summed]

    return Made("late receiver", stage.machine, *_each_step(stage, body), sea)


def odd_ranks_post_late(random: Random) -> Made:
    """Halos are posted and waited for; the odd ranks post theirs only after their inner cells, so
    that the even ranks wait for these first, and the odd ones for the even ones in the sum."""
    stage = _stage(random, (4, 8, 16, 32, 64))
    later = _size(random, 0.1, 0.7)
    early = random.uniform(0.05, 0.95 - later)
    odd = tuple(range(1, stage.ranks, 2))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        *posted, waited = stage.exchange(rank, step)
        before = early + later if rank % 2 else early
        inner, outer = stage.seconds(before), stage.seconds(1 - before)
        start = [inner, *posted] if fault and rank % 2 else [*posted, inner]
        return [*start, waited, outer, Collective("Allreduce", 8)]

    return Made("late partner", stage.machine, *_each_step(stage, body), odd)


def levels_split_anew(random: Random) -> Made:
    """Multigrid that splits a communicator for each of its coarse levels in each cycle, and frees
    it, where those of the first cycle would do."""
    stage = _stage(random, (8, 16, 32))
    stage.steps, stage.halo = 4000 // stage.ranks, random.choice([800, 6000])
    latency = (stage.ranks - 1).bit_length() * stage.machine.latency[stage.hosts > 1]
    stage.work = 6 * latency / _size(random, 0.15, 1.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts = [stage.seconds(0.7), *stage.exchange(rank, step)]
        for level in (2, 4, 8):
            members = _group(rank, max(2, stage.ranks // level))
            smoothed = [stage.seconds(0.1), Collective("Allreduce", 8, 0, members)]
            if fault:
                smoothed = [Collective("Comm_split", 0), *smoothed]
                smoothed.append(Collective("Comm_free", 0, 0, members))
            parts += smoothed
        return parts

    return Made("communicators made and freed", stage.machine, *_each_step(stage, body))


def roots_interpolate_before_they_scatter(random: Random) -> Made:
    """Four components, each with a rank that gets the fields of the others, interpolates them and
    scatters them to its component, which waits."""
    stage = _stage(random, (16, 32, 48, 64))
    each, more = stage.ranks // 4, _size(random, 0.1, 1.0)
    places = [random.randrange(each) for _ in range(4)]
    roots = tuple(part * each + place for part, place in enumerate(places))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        mine, place = _group(rank, each), places[rank // each]
        interpolated = stage.seconds(more * (rank in roots if fault else 1 / each))
        scattered = [interpolated, Collective("Scatter", 2000, place, mine)]
        model = [
            *_ring(mine, rank, stage.halo),
            stage.seconds(),
            Collective("Allreduce", 8, 0, mine),
        ]
        return [*scattered, *model, *([Collective("Barrier", 0)] if step % 10 == 9 else [])]

    return Made("late root", stage.machine, *_each_step(stage, body), roots)


def fields_sent_after_diagnostics(random: Random) -> Made:
    """Particles in cells, with the fields on the first of each four ranks: it writes diagnostics
    before it sends the fields for which the others wait, and is idle while they push particles."""
    stage = _stage(random, (8, 16, 32, 64))
    diagnostics, size = _size(random, 0.08, 0.5), random.choice([4000, 100_000])
    solvers = tuple(range(0, stage.ranks, 4))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        solver, *pushers = _group(rank, 4)
        if rank != solver:
            pushed = [stage.seconds(0.5), Receive(solver, 5), stage.seconds(0.5)]
            return [*pushed, Send(solver, 4000, 6)]
        solved, written = stage.seconds(0.5), stage.seconds(diagnostics)
        fields = [Send(one, size, 5) for one in pushers]
        currents = [Receive(one, 6) for one in pushers]
        sums = Collective("Allreduce", 8, 0, solvers)
        if fault:
            return [solved, sums, written, *fields, *currents]
        return [solved, sums, *fields, written, *currents]

    return Made("late sender", stage.machine, *_each_step(stage, body), solvers)


def partners_on_other_hosts(random: Random) -> Made:
    """Two spins: each rank exchanges its whole array with the same rank of the other half, which
    was placed on another host, though both would fit on one."""
    stage = _stage(random, (8, 16, 32), (4,))
    stage.work, half = 5e-3, stage.ranks // 2
    machine = stage.machine._replace(bandwidth=(9e9, 2.5e9))
    size = int(_size(random, 0.12, 1.5) * stage.work * 2.5e9)
    together = tuple(rank % half * 4 // half for rank in range(stage.ranks))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        spins = _with([((rank + half) % stage.ranks, 3, 3)], size)
        halo = _ring(_group(rank, half), rank, 4000)
        return [stage.seconds(), *spins, *halo, Collective("Allreduce", 8)]

    made = _each_step(stage, body)
    healed = machine._replace(host=together)
    return Made("ranks far from their partners", machine, *made, healed=healed)


def coupler_over_a_slow_link(random: Random) -> Made:
    """Two models on two hosts each exchange fields, pair by pair; the link between one pair of
    hosts is slow, that of the other pair is not."""
    stage = _stage(random, (8, 16, 32, 64), (4,))
    stage.work, half = 5e-3, stage.ranks // 2
    size = int(0.04 * stage.work * 11e9)
    machine = stage.machine._replace(slow=((0, 2, 1 + _size(random, 0.1, 1.2) / 0.04),))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        fields = _with([((rank + half) % stage.ranks, 3, 3)], size)
        mine = _group(rank, half)
        model = [*_ring(mine, rank, 8000), stage.seconds(), Collective("Allreduce", 8, 0, mine)]
        return [*model, *fields, *([Collective("Allreduce", 8)] if step % 10 == 9 else [])]

    made = _each_step(stage, body)
    return Made("slow network path", machine, *made, healed=stage.machine)


def barriers_left_from_debugging(random: Random) -> Made:
    """A flow solver with a barrier in the row of ranks before each halo, and one of all after it;
    the halos make neighbours wait for each other as it is."""
    stage = _stage(random, (16, 32, 64), (2, 4))
    stage.steps, stage.halo = 10_000 // stage.ranks, random.choice([200, 3000])
    stages = (stage.ranks - 1).bit_length() + 2
    stage.work = stages * 2.2e-6 / _size(random, 0.15, 1.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts = [stage.seconds()]
        parts += [Collective("Barrier", 0, 0, _group(rank, 8))] if fault else []
        parts += _faces(rank, stage.ranks, 8, stage.halo)
        parts += [Collective("Barrier", 0)] if fault else []
        return [*parts, *([Collective("Allreduce", 8)] if step % 20 == 19 else [])]

    return Made("many barriers", stage.machine, *_each_step(stage, body))


def healthy_pencil_transposes(random: Random) -> Made:
    """A spectral code that transposes in rows and in columns of its grid of ranks, all the time,
    with little to move."""
    stage = _stage(random, (16, 32, 64))
    size = int(random.uniform(0.002, 0.012) * stage.work * 9e9 / 16)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        row, column = _group(rank, 8), tuple(range(rank % 8, stage.ranks, 8))
        there = [Collective("Alltoall", size, 0, row), Collective("Alltoallv", size, 0, column)]
        return [stage.seconds(0.5), *there, stage.seconds(0.5), *reversed(there)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_split_at_start(random: Random) -> Made:
    """Dozens of communicators are made, and parameters broadcast one by one, before the first step:
    it is over in no time, and is not done again."""
    stage = _stage(random, (4, 8, 16, 32, 64))
    made = [Collective("Comm_split", 0), Collective("Bcast", 8), Collective("Barrier", 0)]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        setup = [] if step else made * 60
        return [*setup, stage.seconds(), *stage.exchange(rank, step), Collective("Allreduce", 8)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_noisy_cores(random: Random) -> Made:
    """Many ranks whose steps take a little more or less by chance, and a barrier in each that shows
    it."""
    stage = _stage(random, (24, 32, 48, 64))
    stage.noise = random.uniform(0.006, 0.012)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        return [stage.seconds(), *stage.exchange(rank, step), Collective("Barrier", 0)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_manager_of_each_host(random: Random) -> Made:
    """The first rank of each host hands out pieces; workers ask for the next one before they start
    on what they have, so that the answer is always there."""
    stage = _stage(random, (16, 24, 32, 48), (2, 4))
    stage.noise, each = 0.03, stage.ranks // stage.hosts

    def make(fault: bool) -> Programs:
        made: Programs = []
        for rank in range(stage.ranks):
            manager, *workers = _group(rank, each)
            parts: List[NamedTuple] = []
            for _ in range(stage.steps):
                if rank == manager:
                    for one in workers:
                        parts += [Receive(one, 1), Compute(5e-6), Send(one, 4000, 2)]
                else:
                    parts += [Send(manager, 100, 1), stage.seconds(), Receive(manager, 2)]
            made.append(parts)
        return made

    return Made("healthy", stage.machine, *_twice(stage, make))


def healthy_loose_steps(random: Random) -> Made:
    """In each step another rank has much more to do, but neighbours need only what was sent four
    steps ago: nobody waits, and in the sum all have the same."""
    stage = _stage(random, (4, 6, 8, 12))
    stage.steps, more = 96, random.uniform(0.4, 1.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        sides = [((rank - 1) % stage.ranks, 1, 2), ((rank + 1) % stage.ranks, 2, 1)]
        came = [Receive(one, tag, 2 * step + tag) for one, tag, _ in sides]
        went = [Send(one, 2000, tag) for one, _, tag in sides]
        waited = [Wait((2 * step - 7, 2 * step - 6))] if step > 3 else []
        if step == stage.steps - 1:
            waited.append(Wait(tuple(range(2 * step - 5, 2 * step + 3))))
        return [stage.seconds(1 + more * (step % stage.ranks == rank)), *came, *went, *waited]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_pools_in_proportion(random: Random) -> Made:
    """Pools of very unlike size, each with as many k-points as it has ranks for; small and large
    pools call alike in communicators of their own."""
    stage = _stage(random, (12, 24, 48))
    half, quarter = stage.ranks // 2, stage.ranks // 4

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        pool = _group(rank, half if rank < half else quarter)
        wave = [stage.seconds(1 / 3), Collective("Alltoall", 100, 0, pool)] * 3
        return [*wave, Collective("Allreduce", 160, 0, pool), Collective("Allreduce", 9000)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_coarse_levels_on_few(random: Random) -> Made:
    """Multigrid that gathers its coarse levels on one of eight ranks, which is soon done: the
    others wait for next to nothing."""
    stage = _stage(random, (16, 32, 64))
    stage.steps, share = 60, random.uniform(0.004, 0.015)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        group, fine = _group(rank, 8), _faces(rank, stage.ranks, 8, stage.halo)
        levels = [Collective("Gather", 600, 0, group), stage.seconds(share * (rank % 8 == 0))]
        return [*fine, stage.seconds(), *levels, Collective("Scatter", 600, 0, group), *fine]

    return Made("healthy", stage.machine, *_each_step(stage, body))


FIELD_MORE: Dict[str, Callable[[Random], Made]] = {
    each.__name__: each
    for each in (
        one_server_gets_most,
        backup_of_each_host_in_turn,
        neighbours_in_order_of_number,
        update_sent_to_each_on_the_host,
        particles_through_rank_0,
        pools_of_unlike_size,
        field_not_expected,
        odd_ranks_post_late,
        levels_split_anew,
        roots_interpolate_before_they_scatter,
        fields_sent_after_diagnostics,
        partners_on_other_hosts,
        coupler_over_a_slow_link,
        barriers_left_from_debugging,
        healthy_servers_in_bursts,
        healthy_pencil_transposes,
        healthy_split_at_start,
        healthy_noisy_cores,
        healthy_manager_of_each_host,
        healthy_loose_steps,
        healthy_pools_in_proportion,
        healthy_coarse_levels_on_few,
    )
}
