"""More families after tickets of a computing centre: work divided by a rule that does not fit,
parts that run alone, ranks on the wrong hosts. Written without a look at the rules."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Callable, Dict, List, NamedTuple, Set, Tuple

from centre_programs import (
    _extra,
    _faces,
    _halo,
    _inside,
    _place,
    _posted,
    _scaled,
    _shape,
    _site,
    _top,
)
from programs import Made, Programs, _each_step, _twice
from simulator import Collective, Compute, Receive, Send, Wait


def planes_that_do_not_divide(random: Random) -> Made:
    """Turbulence in slabs: the planes do not divide by the ranks. Either all take them rounded up
    until none are left, or rounded down, and the last rank takes the rest."""
    # Also right: nothing else.
    stage = _site(random, (8, 12, 16, 24, 32, 48))
    stage.steps, ranks = 60, stage.ranks
    while True:
        planes, upwards = random.randint(ranks + 1, 12 * ranks), random.random() < 0.6
        each = -(-planes // ranks) if upwards else planes // ranks
        counts = [max(0, min(each, planes - rank * each)) for rank in range(ranks)]
        counts[-1] += planes - sum(counts)
        loads = [one * ranks / planes for one in counts]
        if 1.12 < max(loads) < 2.2:
            break

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        load = loads[rank] if fault else 1
        parts: List[NamedTuple] = []
        for part in (0.3, 0.3, 0.25):
            parts += [stage.seconds(part * load + 0.001), Collective("Alltoallv", 2000)]
        means = [Collective("Allreduce", 2048)] if step % 10 == 9 else []
        return [*parts, stage.seconds(0.15 * load + 0.001), Collective("Allreduce", 8), *means]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), _top(loads))


def metal_that_yields(random: Random) -> Made:
    """Solid mechanics on an unstructured mesh: where the metal yields, in the elements of a few
    ranks, stresses take many inner iterations; the equations are then solved evenly."""
    # Also right: nothing else.
    stage = _site(random, (8, 16, 24, 32, 64))
    stage.steps, ranks = 25, stage.ranks
    raw = [random.random() * 0.15 for _ in range(ranks)]
    for rank in random.sample(range(ranks), random.randint(1, max(1, ranks // 6))):
        raw[rank] = random.uniform(0.7, 1.0)
    more = _extra(random, 0.1, 0.45)
    loads = _scaled(raw, more / 0.5)
    even = sum(loads) / ranks
    pairs: Set[Tuple[int, int]] = {(one, one + 1) for one in range(ranks - 1)}
    for one in range(ranks):
        other = random.randrange(ranks)
        pairs |= {(min(one, other), max(one, other))} if one != other else set()
    sizes = {pair: random.choice([400, 2000, 12_000]) for pair in sorted(pairs)}
    partners = [
        [(a if b == rank else b, size) for (a, b), size in sizes.items() if rank in (a, b)]
        for rank in range(ranks)
    ]

    def shared(rank: int) -> List[NamedTuple]:
        receives = [(other, 5) for other, _ in partners[rank]]
        begin, end = _posted(receives, [(other, size, 5) for other, size in partners[rank]])
        return [*begin, *end]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        stresses = stage.seconds(0.5 * (loads[rank] if fault else even))
        parts: List[NamedTuple] = [stresses, *shared(rank), Collective("Allreduce", 16)]
        for _ in range(8):
            parts += [stage.seconds(0.06), *shared(rank), Collective("Allreduce", 8)]
            parts.append(Collective("Allreduce", 8))
        reaction = [Collective("Reduce", 600)] if step % 5 == 4 else []
        return [*parts, *reaction]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), _top(loads))


def droplet_in_vapour(random: Random) -> Made:
    """Molecular dynamics in boxes of equal size: most molecules are in a droplet, and ranks with
    vapour have little to do."""
    # Also right: nothing else.
    stage = _site(random, (8, 16, 24, 32, 64))
    stage.steps, shape = 60, _shape(stage.ranks, 3)
    centre, radius = [random.random() for _ in shape], random.uniform(0.2, 0.4)
    raw = []
    for rank in range(stage.ranks):
        inside = 0
        for points in product(range(4), repeat=3):
            at = [
                (here + (point + 0.5) / 4) / count
                for here, point, count in zip(_place(rank, shape), points, shape)
            ]
            away = [min(abs(x - y), 1 - abs(x - y)) for x, y in zip(at, centre)]
            inside += sum(one * one for one in away) < radius * radius
        raw.append(inside / 64 + random.uniform(0.02, 0.06))
    loads = _scaled(raw, _extra(random, 0.1, 0.45))
    even = sum(loads) / stage.ranks

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        load = loads[rank] if fault else even
        rebuilt = [stage.seconds(0.3 * load), Collective("Allreduce", 4)] if step % 10 == 0 else []
        pairs, moved = stage.seconds(0.9 * load), stage.seconds(0.1 * load)
        energies = [Collective("Allreduce", 96)] if step % 20 == 19 else []
        there, back = _halo(rank, shape, stage.halo), _halo(rank, shape, stage.halo)
        return [*there, *rebuilt, pairs, *back, moved, *energies]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), _top(loads))


def hubs_on_a_few_ranks(random: Random) -> Made:
    """Ranks of pages: each rank has equally many nodes of the graph, but a few have those with most
    edges. Values go to all who need them, and a sum tells how far it is from done."""
    # Also right: nothing else.
    stage = _site(random, (8, 16, 32, 48, 64))
    stage.steps = random.choice([40, 80])
    raw = [random.paretovariate(1.8) for _ in range(stage.ranks)]
    loads = _scaled(raw, _extra(random, 0.1, 0.5))
    even = sum(loads) / stage.ranks
    size = random.choice([400, 3000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        edges = stage.seconds(0.95 * (loads[rank] if fault else even))
        nodes = stage.seconds(0.05)
        sent = [Collective("Alltoall", 4), Collective("Alltoallv", size)]
        loaded = [Collective("Bcast", 4096), Collective("Alltoallv", 40_000)] if step == 0 else []
        return [*loaded, *sent, edges, nodes, Collective("Allreduce", 8)]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), _top(loads))


def grids_nested_anew_by_rank_0(random: Random) -> Made:
    """Adaptive refinement: every few steps the marked cells are gathered, rank 0 clusters them to
    boxes, and all wait for the list of boxes; then data moves."""
    # Also right: load imbalance, everything goes to one rank, late root.
    stage = _site(random, (8, 16, 24, 32, 64))
    stage.steps, every = 60, random.choice([4, 6, 10])
    shape, marks = _shape(stage.ranks, 3), random.choice([1000, 20_000])
    clustering = every * _extra(random, 0.1, 0.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = []
        for _ in ("coarse", "fine"):
            begin, end = _faces(rank, shape, stage.halo)
            parts += [*begin, stage.seconds(0.35), *end, stage.seconds(0.15)]
        parts.append(Collective("Allreduce", 8))
        if step % every == every - 1:
            clustered = stage.seconds(clustering * stage.share(fault, rank == 0))
            parts += [stage.seconds(0.05), Collective("Gather", marks), clustered]
            parts += [Collective("Bcast", 6000), Collective("Alltoallv", 3000)]
        return parts

    return Made("serial part", stage.machine, *_each_step(stage, body), (0,))


def mesh_read_and_divided_by_rank_0(random: Random) -> Made:
    """Once, at the start: rank 0 reads the mesh, divides it and sends each rank its part. The steps
    that follow are even, but the run is too short to forget the start."""
    # Also right: late root, uneven at the start, load imbalance.
    stage = _site(random, (8, 16, 24, 32, 48, 64))
    shape, size = _shape(stage.ranks, 2), random.choice([60_000, 500_000])
    alone = stage.steps * _extra(random, 0.1, 0.5)

    def make(fault: bool) -> Programs:
        made: Programs = []
        for rank in range(stage.ranks):
            parts: List[NamedTuple] = [Collective("Bcast", 400)]
            parts.append(stage.seconds(alone * stage.share(fault, rank == 0)))
            parts.append(Collective("Scatter", 16))
            if rank:
                parts.append(Receive(0, 11))
            else:
                parts += [Send(other, size, 11) for other in range(1, stage.ranks)]
            parts.append(Collective("Allreduce", 64))
            for step in range(stage.steps):
                parts += [stage.seconds(0.6), *_halo(rank, shape, stage.halo, False)]
                parts += [stage.seconds(0.4), Collective("Allreduce", 24)]
                parts += [Collective("Gather", 200)] if step % 30 == 29 else []
            made.append(parts)
        return made

    return Made("serial part", stage.machine, *_twice(stage, make), (0,))


def host_that_lacks_memory_channels(random: Random) -> Made:
    """A module of the memory of one host has failed: what needs bandwidth, the solver, is slower on
    all of its ranks; what only computes, the chemistry, is not."""
    # Also right: nothing else.
    stage = _site(random, (8, 16, 24, 32, 64), (2, 4))
    stage.steps, shape = 30, _shape(stage.ranks, 3)
    host, bound = random.randrange(stage.hosts), random.uniform(0.4, 0.7)
    slower = _extra(random, 0.1, 0.42) / bound
    ranks = tuple(rank for rank in range(stage.ranks) if stage.machine.host[rank] == host)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds(1 - bound)]
        factor = 1 + slower * (fault and rank in ranks)
        for _ in range(6):
            parts += [stage.seconds(bound * factor / 6), *_halo(rank, shape, stage.halo, False)]
            parts += [Collective("Allreduce", 8)]
        probes = [Collective("Gather", 80)] if step % 5 == 4 else []
        return [*parts, *probes]

    return Made("slow host", stage.machine, *_each_step(stage, body), ranks)


def triangles_solved_across_ranks(random: Random) -> Made:
    """Conjugate gradients whose preconditioner solves for one rank after the other, forwards and
    backwards. The cured twin solves inside each rank only, in equally many iterations."""
    # Also right: late sender, late partner.
    stage = _site(random, (6, 8, 12, 16, 24, 32))
    stage.steps, last = random.choice([60, 90]), stage.ranks - 1
    piece = _extra(random, 0.12, 0.5) / (2 * last)
    edge = random.choice([800, 6000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        halo = _halo(rank, (stage.ranks,), stage.halo, False)
        parts = [stage.seconds(), *halo, Collective("Allreduce", 8)]
        for way, first, end in ((1, 0, last), (-1, last, 0)):
            solved = stage.seconds(piece)
            parts += [Receive(rank - way, 20 + way)] if fault and rank != first else []
            parts.append(solved)
            parts += [Send(rank + way, edge, 20 + way)] if fault and rank != end else []
        return [*parts, Collective("Allreduce", 16)]

    return Made("one after the other", stage.machine, *_each_step(stage, body))


def ranks_dealt_out_to_hosts_in_turn(random: Random) -> Made:
    """Boxes that are long in one direction: the large halos go to the next rank in a row, which
    would be on the same host, had the ranks not been dealt out to the hosts one by one."""
    # Also right: transfer of large messages.
    hosts, each = random.choice([2, 4]), random.choice([4, 8, 12, 16])
    stage = _site(random, (hosts * each,), (hosts,))
    stage.steps, stage.work = 60, random.uniform(3e-3, 0.012)
    row = random.choice([one for one in (2, 4, each) if each % one == 0])
    near, far = random.uniform(8e9, 12e9), random.uniform(1.2e9, 3e9)
    size = int(stage.work * _extra(random, 0.12, 0.5) / (1 / far - 1 / near))
    blocks = stage.machine._replace(bandwidth=(near, far))
    dealt = blocks._replace(host=tuple(rank % hosts for rank in range(stage.ranks)))
    shape = (stage.ranks // row, row)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        stress, velocity = stage.seconds(0.5), stage.seconds(0.5)
        halo = _halo(rank, shape, (2000, size // 2))
        record = [Collective("Gather", 120)] if step % 20 == 19 else []
        return [stress, *halo, velocity, *halo, Collective("Allreduce", 8), *record]

    label, made = "ranks far from their partners", _each_step(stage, body)
    return Made(label, dealt, *made, healed=blocks)


def analysis_that_cannot_keep_up(random: Random) -> Made:
    """Each group of ranks has one more rank that takes their fields every few steps and analyses
    them. It is not done when the next ones come, so that the others wait to get rid of theirs."""
    # Also right: late receiver, load imbalance, busy manager, late partner.
    each = random.choice([4, 6, 8])
    stage = _site(random, [each * one for one in (1, 2, 4, 6) if 6 <= each * one <= 48])
    stage.steps, every = 60, random.choice([3, 5, 6])
    analysts = tuple(range(each - 1, stage.ranks, each))
    models = tuple(rank for rank in range(stage.ranks) if rank not in analysts)
    size, more = random.choice([100_000, 600_000]), _extra(random, 0.12, 0.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        output = step % every == every - 1
        analyst = rank - rank % each + each - 1
        if rank == analyst:
            parts: List[NamedTuple] = []
            for one in range(rank - each + 1, rank) if output else ():
                analysed = every * (1 + more if fault else 0.7) / (each - 1)
                parts += [Receive(one, 9), stage.seconds(analysed)]
            return parts
        parts = [stage.seconds(), *_inside(models, rank, stage.halo)]
        parts.append(Collective("Allreduce", 8, 0, models))
        if output:
            before = [Wait((99,))] if step >= every else []
            parts += [*before, Send(analyst, size, 9, 99)]
        return [*parts, Wait((99,))] if step == stage.steps - 1 else parts

    return Made("busy consumer", stage.machine, *_each_step(stage, body), analysts)


def slices_sent_to_the_monitor(random: Random) -> Made:
    """A combustor whose users watch it: each few steps all ranks send a large slice to one rank,
    which receives them in order, and takes part in the next step when it has the last."""
    # Also right: transfer of large messages, busy manager, late receiver.
    stage = _site(random, (12, 16, 24, 32, 48))
    stage.steps, stage.work = 60, random.uniform(4e-3, 0.012)
    every, shape = random.choice([2, 4]), _shape(stage.ranks, 3)
    stage.halo = random.choice([4096, 30_000])
    monitor = random.choice([0, stage.some])
    far = stage.machine.bandwidth[stage.hosts > 1]
    seconds = every * stage.work * _extra(random, 0.12, 0.5)
    size = max(10_000, int(seconds * far / (stage.ranks - 1)))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        flow, species = stage.seconds(0.4), stage.seconds(0.6)
        parts = [flow, *_halo(rank, shape, stage.halo, False), species, Collective("Allreduce", 8)]
        if step % every == 0 and rank == monitor:
            parts += [Receive(one, 30) for one in range(stage.ranks) if one != monitor]
        elif step % every == 0:
            parts += [Send(monitor, size if fault else 8, 30)]
        return parts

    made = _each_step(stage, body)
    return Made("everything goes to one rank", stage.machine, *made, (monitor,))


def nest_that_waits_for_its_parent(random: Random) -> Made:
    """Weather in a grid with a finer one inside it, each on ranks of its own: those of the coarse
    one compute a good part of their step before they send the edges, for which the fine one
    waits; then they wait for what comes back. They could send the edges of the step before."""
    # Also right: late partner, one after the other.
    stage = _site(random, (8, 12, 16, 24, 32, 48))
    stage.steps, count = 50, random.randint(max(2, stage.ranks // 4), stage.ranks // 2)
    coarse, fine = tuple(range(count)), tuple(range(count, stage.ranks))
    before = min(0.95, _extra(random, 0.12, 0.48))
    edges = random.choice([4000, 50_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        if rank in fine:
            parent = fine.index(rank) % count
            parts: List[NamedTuple] = [Receive(parent, 40)]
            for _ in range(3):
                parts += [stage.seconds(1 / 3), *_inside(fine, rank, stage.halo)]
            return [*parts, Collective("Allreduce", 8, 0, fine), Send(parent, edges, 41)]
        children = [one for one in fine if fine.index(one) % count == rank]
        sent = [Send(one, edges, 40) for one in children]
        first, second = stage.seconds(before), stage.seconds(1 - before)
        parts = [first, *sent] if fault else [*sent, first]
        parts += [*_inside(coarse, rank, stage.halo), second]
        parts.append(Collective("Allreduce", 8, 0, coarse))
        return [*parts, *(Receive(one, 41) for one in children)]

    return Made("late sender", stage.machine, *_each_step(stage, body), coarse)


def healthy_dynamics_of_proteins(random: Random) -> Made:
    """Molecular dynamics: halos in one direction after the other, there and back in each step,
    neighbours found anew every ten steps, energies seldom."""
    stage = _site(random, (8, 16, 24, 32, 64))
    stage.steps, shape = 60, _shape(stage.ranks, 3)
    loads = [random.uniform(0.99, 1.01) for _ in range(stage.ranks)]

    def staged(rank: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = []
        stride = stage.ranks
        for here, count in zip(_place(rank, shape), shape):
            stride //= count
            line = [rank + (one - here) * stride for one in range(count)]
            parts += _inside(line, rank, stage.halo) if count > 1 else []
        return parts

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        found = [stage.seconds(0.4), Collective("Allreduce", 4)] if step % 10 == 0 else []
        forces, moved = stage.seconds(0.9 * loads[rank]), stage.seconds(0.1)
        energies = [Collective("Allreduce", 120)] if step % 20 == 19 else []
        return [*staged(rank), *found, forces, *staged(rank), moved, *energies]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_pools_of_k_points(random: Random) -> Made:
    """Electronic structure: each pool of ranks has its k-points, transposes and sums inside it, and
    the density is summed over the pools; a short setup on rank 0."""
    stage = _site(random, (8, 16, 24, 32, 64))
    pools = random.choice([2, 4])
    each = stage.ranks // pools
    points, bands = random.choice([2, 3]), random.choice([4, 6])
    stage.steps = 15
    setup = 0.1 * stage.work

    def make(fault: bool) -> Programs:
        made: Programs = []
        for rank in range(stage.ranks):
            pool = tuple(range(rank - rank % each, rank - rank % each + each))
            across = tuple(range(rank % each, stage.ranks, each))
            parts: List[NamedTuple] = [Compute(setup)] if rank == 0 else []
            parts.append(Collective("Bcast", 20_000))
            for _ in range(stage.steps):
                for _ in range(points):
                    for _ in range(bands):
                        parts += [stage.seconds(0.5 / bands), Collective("Alltoall", 4000, 0, pool)]
                        parts += [stage.seconds(0.5 / bands), Collective("Alltoall", 4000, 0, pool)]
                    parts.append(Collective("Allreduce", 20_000, 0, pool))
                parts += [Collective("Allreduce", 100_000, 0, across), stage.seconds(0.1)]
                parts.append(Collective("Allreduce", 8))
            made.append(parts)
        return made

    return Made("healthy", stage.machine, *_twice(stage, make))


def healthy_gradients_round_a_ring(random: Random) -> Made:
    """Training in which the sum of the gradients is written by hand: pieces go round a ring twice,
    from neighbour to neighbour. It takes a fiftieth of the step."""
    stage = _site(random, (4, 6, 8, 12, 16))
    stage.steps, last = 50, stage.ranks - 1
    piece = int(stage.work * random.uniform(0.008, 0.02) * 9e9 / (2 * last))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        left, right = (rank - 1) % stage.ranks, (rank + 1) % stage.ranks
        parts: List[NamedTuple] = [stage.seconds(0.33), stage.seconds(0.62)]
        for _ in range(2 * last):
            begin, end = _posted([(left, 50)], [(right, piece, 50)])
            parts += [*begin, *end]
        tested = [Collective("Bcast", 64), Collective("Reduce", 16)] if step % 25 == 24 else []
        return [*parts, stage.seconds(0.05), *tested]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_checkpoints_of_each_rank(random: Random) -> Made:
    """A flow solver of which each rank writes a file of its own every so many steps, equally long;
    rank 0 adds an index, which is nothing beside it."""
    stage = _site(random, (8, 12, 24, 32, 64))
    stage.steps, every, shape = 60, random.choice([10, 20]), _shape(stage.ranks, 3)
    written = random.uniform(1, 3)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds(0.6), *_halo(rank, shape, stage.halo, False)]
        parts += [stage.seconds(0.4), Collective("Allreduce", 40)]
        if step % every == every - 1:
            index = [stage.seconds(0.02)] if rank == 0 else []
            parts += [Collective("Barrier", 0), stage.seconds(written)]
            parts += [Collective("Gather", 64), *index, Collective("Barrier", 0)]
        return parts

    return Made("healthy", stage.machine, *_each_step(stage, body))


CENTRE_MORE: Dict[str, Callable[[Random], Made]] = {
    each.__name__: each
    for each in (
        planes_that_do_not_divide,
        metal_that_yields,
        droplet_in_vapour,
        hubs_on_a_few_ranks,
        grids_nested_anew_by_rank_0,
        mesh_read_and_divided_by_rank_0,
        host_that_lacks_memory_channels,
        triangles_solved_across_ranks,
        ranks_dealt_out_to_hosts_in_turn,
        analysis_that_cannot_keep_up,
        slices_sent_to_the_monitor,
        nest_that_waits_for_its_parent,
        healthy_dynamics_of_proteins,
        healthy_pools_of_k_points,
        healthy_gradients_round_a_ring,
        healthy_checkpoints_of_each_rank,
    )
}
