"""Families after codes of a university's research groups, second half: data that is moved in too
many pieces, too much of it, or over the wrong way. Written without a look at the rules."""

from __future__ import annotations

from random import Random
from typing import Callable, Dict, List, NamedTuple

from field_programs import _faces, _group, _ring, _stage, _with
from programs import Made, _each_step
from simulator import Collective, Compute, Lock, Put, Receive, Send, Unlock, Wait
from site_programs import _part


def all_populations_sent(random: Random) -> Made:
    """Lattice Boltzmann in three dimensions: ranks swap faces along one axis after the other, and
    send all 19 populations of each cell, where the five that cross the face would do."""
    stage = _stage(random, (8, 16, 32, 64))
    stage.steps = random.choice([40, 60])
    stage.work, part = random.uniform(5e-3, 2e-2), _part(random, 0.1, 1.2)
    size = int(part * stage.work * 9e9 / 3)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        faces: List[NamedTuple] = []
        for stride, many in ((1, 2), (2, 2), (4, stage.ranks // 4)):
            place = rank // stride % many
            low, high = (rank + ((place + way) % many - place) * stride for way in (-1, 1))
            faces += _with([(low, 1, 2), (high, 2, 1)], size if fault else size * 5 // 19)
        mass = [Collective("Reduce", 8)] if step % 10 == 9 else []
        return [stage.seconds(0.6), *faces, stage.seconds(0.4), *mass]

    return Made("transfer of large messages", stage.machine, *_each_step(stage, body))


def wave_vectors_summed_one_by_one(random: Random) -> Made:
    """Molecular dynamics: the structure factor is reduced to rank 0 in a call for each wave vector,
    where one call could take all."""
    stage = _stage(random, (8, 16, 24, 32))
    stage.steps, vectors = 30, random.choice([50, 70, 100])
    far = stage.machine.latency[stage.hosts > 1]
    one = (stage.ranks - 1).bit_length() * (far + 0.3e-6)
    stage.work = vectors * one / _part(random, 0.1, 1.2)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        summed = [Compute(1e-7), Collective("Reduce", 16)] * vectors
        if not fault:
            summed = [Compute(1e-7 * vectors), Collective("Reduce", 16 * vectors)]
        halo = _faces(rank, stage.ranks, 4, 6000)
        return [*halo, stage.seconds(), *summed, Collective("Allreduce", 24)]

    return Made("many small collective calls", stage.machine, *_each_step(stage, body))


def transpose_by_pairs_in_order(random: Random) -> Made:
    """Plane waves: the transposes of a transform are made by hand, each rank with one other rank
    after the other in order of their numbers, which takes four times as long as one call."""
    stage = _stage(random, (8, 12, 16, 24, 32))
    stage.steps, size = 30, random.choice([10_000, 40_000])
    machine = stage.machine
    one = machine.cost(0, stage.ranks - 1, size) + 2 * machine.latency[0]
    stage.work = 4 * (stage.ranks - 1) * one / _part(random, 0.1, 1.3)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        moved: List[NamedTuple] = [Collective("Alltoall", size)]
        if fault:
            moved = []
            for other in (*range(rank), *range(rank + 1, stage.ranks)):
                pair = [Send(other, size, 3), Receive(other, 3)]
                moved += pair if rank < other else pair[::-1]
        return [stage.seconds(0.5), *moved, stage.seconds(0.5), Collective("Allreduce", 16)]

    return Made("all-to-all by hand", stage.machine, *_each_step(stage, body))


def updates_put_one_by_one(random: Random) -> Made:
    """A graph: ranks of vertices are put into the windows of four other ranks, each in a call of
    its own, before the fence; those for the same rank could go in one."""
    stage = _stage(random, (8, 12, 16))
    stage.steps, edges = 25, random.choice([30, 40, 60])
    ways = random.sample(range(1, stage.ranks), 4)
    costs = [
        sum(stage.machine.cost(rank, (rank + way) % stage.ranks, 12) for way in ways)
        for rank in range(stage.ranks)
    ]
    stage.work = edges * max(costs) / _part(random, 0.08, 1.0)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        count, size = (edges, 12) if fault else (1, 12 * edges)
        put = [Put((rank + way) % stage.ranks, size) for _ in range(count) for way in ways]
        moved = [*put, Collective("Win_fence", 0)]
        return [stage.seconds(0.8), *moved, stage.seconds(0.2), Collective("Allreduce", 8)]

    return Made("many small messages", stage.machine, *_each_step(stage, body))


def tokens_padded_to_capacity(random: Random) -> Made:
    """Training with experts on all ranks: each layer exchanges tokens with all ranks, there and
    back, in buffers for the most that may come, of which a small part is filled."""
    stage = _stage(random, (8, 16, 32, 64))
    stage.steps, layers = 25, random.choice([3, 4, 6])
    stage.work, part = random.uniform(1e-2, 4e-2), _part(random, 0.1, 1.2)
    far, filled = stage.machine.bandwidth[stage.hosts > 1], random.uniform(3, 8)
    size = int(part * stage.work * far / (2 * layers * (stage.ranks - 1)))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        tokens = Collective("Alltoall", size if fault else int(size / filled))
        parts: List[NamedTuple] = []
        for _ in range(layers):
            experts = [tokens, stage.seconds(0.6 / layers), tokens]
            parts += [stage.seconds(0.4 / layers), *experts]
        return [*parts, Collective("Allreduce", 200_000), Collective("Allreduce", 8)]

    return Made("transfer of all-to-all", stage.machine, *_each_step(stage, body))


def images_composited_by_one_rank(random: Random) -> Made:
    """Pictures of a running simulation: each rank renders a whole image and sends it to one rank,
    which takes one after the other, where halves swapped in pairs would leave it little."""
    stage = _stage(random, (8, 16, 32, 64))
    stage.work, part = random.uniform(5e-3, 2e-2), _part(random, 0.08, 0.9)
    every = random.choice([1, 2, 4])
    image = int(part * every * stage.work * 9e9 / (1.15 * (stage.ranks - 1)))
    blend = 0.15 * image / 9e9

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        work = [stage.seconds(), *stage.exchange(rank, step), Collective("Allreduce", 8)]
        if step % every:
            return work
        if fault and rank != stage.some:
            return [*work, Send(stage.some, image, 6)]
        parts: List[NamedTuple] = []
        if fault:
            for one in range(stage.ranks):
                parts += [Receive(one, 6), Compute(blend)] if one != rank else []
            return [*work, *parts]
        for level in range(stage.ranks.bit_length() - 1):
            parts += _with([(rank ^ 1 << level, 6, 6)], image >> level + 1)
            parts.append(Compute(blend / 2 ** (level + 1)))
        return [*work, *parts, Collective("Gather", image // stage.ranks, stage.some)]

    made = _each_step(stage, body)
    return Made("everything goes to one rank", stage.machine, *made, (stage.some,))


def blocks_sent_along_the_row(random: Random) -> Made:
    """Products of matrices on a grid of ranks: in each step the next rank of each row sends its
    block to all the others in the row, in one blocking call after the other."""
    across = random.choice([8, 16])
    stage = _stage(random, (across, 2 * across, 4 * across))
    stage.work, part = random.uniform(3e-3, 1e-2), _part(random, 0.12, 1.3)
    block = int(part * stage.work * 9e9 / (across - 1))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        row, owner = _group(rank, across), step % across
        column = tuple(range(rank % across, stage.ranks, across))
        others = [one for one in row if one != row[owner]]
        sent: List[NamedTuple] = [Collective("Bcast", block, owner, row)]
        if fault and rank == row[owner]:
            sent = [Send(one, block, 4) for one in others]
        elif fault:
            sent = [Receive(row[owner], 4)]
        shifted = _ring(column, rank, 8000) if len(column) > 1 else []
        return [*sent, stage.seconds(), *shifted, Collective("Allreduce", 8)]

    return Made("broadcast by hand", stage.machine, *_each_step(stage, body))


def all_levels_for_surface_drifters(random: Random) -> Made:
    """Drifters in stored currents: a rank that has them ready broadcasts all 40 levels of the ocean
    for each hour, one after the other, though the drifters stay in the upper two."""
    stage = _stage(random, (8, 16, 32, 64))
    every, levels = random.choice([2, 4]), 40
    stage.work, part = random.uniform(1e-2, 4e-2), _part(random, 0.09, 1.0)
    far = stage.machine.bandwidth[stage.hosts > 1]
    size = int(part * every * stage.work * far / levels)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        currents = [Collective("Bcast", size, stage.some)] * (levels if fault else 2)
        sent = currents if step % every == 0 else []
        return [*sent, stage.seconds(), *_ring(range(stage.ranks), rank, 5000)]

    return Made("large broadcasts", stage.machine, *_each_step(stage, body))


def credits_of_the_correlators(random: Random) -> Made:
    """A telescope: three of four ranks filter samples and stream them to the fourth, which
    correlates them; it is slower than they are, and they wait for its leave to send more."""
    stage = _stage(random, (8, 16, 32, 48))
    late, size = _part(random, 0.08, 0.9), random.choice([8000, 150_000])
    correlators = tuple(range(3, stage.ranks, 4))
    filters = tuple(rank for rank in range(stage.ranks) if rank not in correlators)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        *sources, server = _group(rank, 4)
        if rank == server:
            parts: List[NamedTuple] = []
            for source in sources:
                correlated = stage.seconds((1 + late if fault else 0.7) / 3)
                parts += [Receive(source, 7), correlated, Send(source, 4, 8)]
            return parts
        leave = [Receive(server, 8)] if step >= 2 else []
        rest = [Receive(server, 8)] * 2 if step == stage.steps - 1 else []
        flags = [Collective("Allgather", 64, 0, filters)] if step % 20 == 19 else []
        return [stage.seconds(), *flags, *leave, Send(server, size, 7), *rest]

    return Made("busy consumer", stage.machine, *_each_step(stage, body), correlators)


def butterfly_over_a_bad_cable(random: Random) -> Made:
    """Gradients are added up by hand in a butterfly over four hosts, with a partner at twice the
    distance in each stage; what goes between two of the hosts takes much longer than the rest."""
    stage = _stage(random, (8, 16, 32, 64), (4,))
    stage.work, each = random.uniform(4e-3, 1e-2), stage.ranks // 4
    stage.steps = random.choice([40, 60])
    size = int(0.02 * stage.work * 11e9)
    pair = random.choice([(0, 1), (2, 3), (0, 2), (1, 3)])
    machine = stage.machine._replace(slow=((*pair, 1 + _part(random, 0.08, 1.0) / 0.02),))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds()]
        for stage_of_it in range(stage.ranks.bit_length() - 1):
            parts += [*_with([(rank ^ 1 << stage_of_it, 1, 1)], size), stage.seconds(0.002)]
        loss = [Collective("Reduce", 8, 0, _group(rank, each))] if step % 5 == 4 else []
        return [*parts, *loss]

    made = _each_step(stage, body)
    return Made("slow network path", machine, *made, healed=stage.machine)


def repeats_behind_one_lock(random: Random) -> Made:
    """Words of genomes are counted in a table over all windows, each locked for an update; the most
    frequent words all lie in the window of one rank, for which nearly all ranks queue."""
    stage = _stage(random, (8, 12, 16, 24, 32))
    often = random.uniform(0.6, 0.9)
    hold = random.uniform(1.25, 2.4) / (often * stage.ranks)
    others = [[one for one in range(stage.ranks) if one != rank] for rank in range(stage.ranks)]
    hot = [[random.random() < often for _ in range(stage.steps)] for _ in range(stage.ranks)]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        reads, updated = stage.seconds(stage.random.uniform(0.8, 1.2)), stage.seconds(hold)
        owner = stage.random.choice(others[rank])
        if fault and hot[rank][step] and rank != stage.some:
            owner = stage.some
        parts = [reads, Lock(owner), updated, Put(owner, 400), Unlock(owner)]
        return [*parts, Collective("Allreduce", 8)] if step % 30 == 29 else parts

    return Made("lock contention", stage.machine, *_each_step(stage, body))


def tall_faces_across_hosts(random: Random) -> Made:
    """An ocean in a grid of ranks whose faces to north and south are large and those to east and
    west small; each row of ranks is on one host, where a column of ranks should be."""
    stage = _stage(random, (16, 32, 64), (2, 4))
    across, memory, network = stage.ranks // stage.hosts, 9e9, random.uniform(1.2e9, 2.5e9)
    stage.work, part = random.uniform(5e-3, 2e-2), _part(random, 0.09, 1.0)
    size = int(part * stage.work / (1 / network - 1 / memory))
    rows = stage.machine._replace(bandwidth=(memory, network))
    wide = across // stage.hosts
    columns = rows._replace(host=tuple(rank % across // wide for rank in range(stage.ranks)))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        north, south = ((rank + way * across) % stage.ranks for way in (-1, 1))
        large = _with([(north, 3, 4), (south, 4, 3)], size)
        small = _ring(_group(rank, across), rank, 3000)
        return [stage.seconds(), *large, *small, Collective("Allreduce", 16)]

    made = _each_step(stage, body)
    return Made("ranks far from their partners", rows, *made, healed=columns)


def healthy_steering_by_messages(random: Random) -> Made:
    """Every few steps rank 0 sends some numbers to each of the others in a small message, and each
    sends it a line: made by hand, and over in no time."""
    stage = _stage(random, (4, 8, 16, 32, 48))
    every, style = random.choice([2, 5, 10]), random.choice(["halo", "both"])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        steered: List[NamedTuple] = []
        if step % every == 0 and rank == 0:
            steered = [Send(one, 48, 8) for one in range(1, stage.ranks)]
            steered += [Receive(one, 9) for one in range(1, stage.ranks)]
        elif step % every == 0:
            steered = [Receive(0, 8), Send(0, 100, 9)]
        return [*steered, stage.seconds(), *stage.end_of_step(rank, step, style)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_gradients_in_buckets(random: Random) -> Made:
    """Training with the same model on all ranks: gradients are added up in a dozen or more buckets
    in each step, which takes a hundredth of it."""
    stage = _stage(random, (4, 8, 16, 32))
    stage.steps, stage.noise = 40, random.uniform(0.001, 0.003)
    buckets = random.choice([12, 16, 24])
    size = int(random.uniform(0.002, 0.01) * stage.work * 9e9 / (2 * buckets))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds(0.35)]
        for _ in range(buckets):
            parts += [stage.seconds(0.6 / buckets), Collective("Allreduce", size)]
        return [*parts, stage.seconds(0.05)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_unlike_numbers_of_neighbours(random: Random) -> Made:
    """An unstructured mesh whose parts have from one or two to a dozen neighbours: some ranks make
    many times as many calls as others, and all compute equally long."""
    stage = _stage(random, (16, 24, 32, 48))
    stage.steps, size = 40, random.choice([200, 3000, 8000])
    partners: List[List[int]] = [[] for _ in range(stage.ranks)]
    social = [random.random() ** 2 for _ in range(stage.ranks)]
    for one in range(stage.ranks):
        for other in range(one):
            near = other == one - 1 or random.random() < social[one] * social[other]
            if near and max(len(partners[one]), len(partners[other])) < 14:
                partners[one].append(other)
                partners[other].append(one)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        halo = _with([(one, 1, 1) for one in partners[rank]], size)
        return [stage.seconds(0.6), *halo, stage.seconds(0.4), *halo, Collective("Allreduce", 8)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_long_forces_well_shared(random: Random) -> Made:
    """Molecular dynamics where each fourth rank does the long-range forces of the three before it,
    and is done just before they are: unlike calls, and next to no wait."""
    stage = _stage(random, (8, 16, 32, 48))
    stage.noise, mesh_part = random.uniform(0.001, 0.004), random.uniform(0.96, 0.985)
    mesh = tuple(range(3, stage.ranks, 4))
    short = tuple(rank for rank in range(stage.ranks) if rank not in mesh)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        *clients, server = _group(rank, 4)
        if rank == server:
            came = [Receive(one, 5, 50 + at) for at, one in enumerate(clients)]
            half = stage.seconds(mesh_part / 2)
            solved = [half, Collective("Alltoall", 2000, 0, mesh)] * 2
            return [*came, Wait((50, 51, 52)), *solved, *(Send(one, 6000, 6) for one in clients)]
        halo = _ring(short, rank, 6000)
        return [Send(server, 6000, 5), *halo, stage.seconds(), Receive(server, 6)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


CAMPUS_MORE: Dict[str, Callable[[Random], Made]] = {
    each.__name__: each
    for each in (
        all_populations_sent,
        wave_vectors_summed_one_by_one,
        transpose_by_pairs_in_order,
        updates_put_one_by_one,
        tokens_padded_to_capacity,
        images_composited_by_one_rank,
        blocks_sent_along_the_row,
        all_levels_for_surface_drifters,
        credits_of_the_correlators,
        butterfly_over_a_bad_cable,
        repeats_behind_one_lock,
        tall_faces_across_hosts,
        healthy_steering_by_messages,
        healthy_gradients_in_buckets,
        healthy_unlike_numbers_of_neighbours,
        healthy_long_forces_well_shared,
    )
}
