"""Families after tickets of a computing centre, drawn about as often as they come in: codes with
their true skeleton of halos, sums, transposes and output. Written without a look at the rules."""

from __future__ import annotations

import math
from random import Random
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from programs import Made, Programs, Stage, _each_step, _twice
from simulator import Collective, Compute, Machine, Receive, Send, Wait

Sizes = Union[int, Sequence[int]]
"""Of all halos, or of those along each axis."""
Posted = Tuple[List[NamedTuple], List[NamedTuple]]
"""What posts messages, and what waits for them."""


def _site(random: Random, sizes: Sequence[int], hosts: Sequence[int] = (1, 2, 4)) -> Stage:
    """A stage of one of these sizes, on so many hosts, in blocks."""
    stage = Stage(random)
    stage.ranks = random.choice(sizes)
    stage.hosts = random.choice([each for each in hosts if stage.ranks // each >= 2])
    each = stage.ranks // stage.hosts
    hosts_of = tuple(min(rank // each, stage.hosts - 1) for rank in range(stage.ranks))
    stage.machine = Machine(hosts_of)
    stage.some = random.randrange(1, stage.ranks)
    return stage


def _extra(random: Random, low: float = 0.1, high: float = 0.5) -> float:
    """What a fault adds to a step of length one, so that its share of elapsed is between these:
    small ones as often as large ones."""
    share = math.exp(random.uniform(math.log(low), math.log(high)))
    return share / (1 - share)


def _scaled(raw: Sequence[float], extra: float) -> List[float]:
    """Loads in this pattern, about one in the mean, of which the longest is `extra` above it."""
    mean = sum(raw) / len(raw)
    return [max(0.03, 1 + (one - mean) / (max(raw) - mean) * extra) for one in raw]


def _top(loads: Sequence[float]) -> Tuple[int, ...]:
    """Ranks that have nearly as much to do as the one that has most."""
    return tuple(rank for rank, load in enumerate(loads) if load >= 0.95 * max(loads))


def _shape(ranks: int, axes: int) -> Tuple[int, ...]:
    """A grid of ranks, as even as it goes, the longest axis first."""
    shape = [1] * axes
    left, prime, primes = ranks, 2, []
    while left > 1:
        while left % prime == 0:
            primes.append(prime)
            left //= prime
        prime += 1
    for one in reversed(primes):
        shape[shape.index(min(shape))] *= one
    return tuple(sorted(shape, reverse=True))


def _place(rank: int, shape: Sequence[int]) -> List[int]:
    """Where a rank is in its grid; the last axis counts fastest."""
    place: List[int] = []
    for count in reversed(shape):
        rank, here = divmod(rank, count)
        place.insert(0, here)
    return place


def _shifted(rank: int, shape: Sequence[int], axis: int, way: int, periodic: bool) -> Optional[int]:
    """The neighbour along an axis; None: the grid ends there."""
    place = _place(rank, shape)
    place[axis] += way
    if not periodic and not 0 <= place[axis] < shape[axis]:
        return None
    place[axis] %= shape[axis]
    other = 0
    for here, count in zip(place, shape):
        other = other * count + here
    return other


def _posted(receives: Sequence[Tuple[int, int]], sends: Sequence[Tuple[int, int, int]]) -> Posted:
    """Receives (source, tag) and sends (to, size, tag) without waiting, and the wait for them."""
    parts: List[NamedTuple] = []
    for source, tag in receives:
        parts.append(Receive(source, tag, len(parts) + 1))
    for to, size, tag in sends:
        parts.append(Send(to, size, tag, len(parts) + 1))
    return parts, [Wait(tuple(range(1, len(parts) + 1)))] if parts else []


def _faces(rank: int, shape: Sequence[int], size: Sizes, periodic: bool = True) -> Posted:
    """Halos with both neighbours along each axis, of one size or of one for each axis: what posts
    them, and what waits."""
    receives, sends = [], []
    for axis, count in enumerate(shape):
        if count == 1:
            continue
        bytes_here = size if isinstance(size, int) else size[axis]
        for way in (1, -1):
            tag = 2 * axis + 1 + (way > 0)
            source = _shifted(rank, shape, axis, -way, periodic)
            to = _shifted(rank, shape, axis, way, periodic)
            receives += [] if source is None else [(source, tag)]
            sends += [] if to is None else [(to, bytes_here, tag)]
    return _posted(receives, sends)


def _halo(rank: int, shape: Sequence[int], size: Sizes, periodic: bool = True) -> List[NamedTuple]:
    """Halos posted and waited for at once."""
    begin, end = _faces(rank, shape, size, periodic)
    return [*begin, *end]


def _inside(members: Sequence[int], rank: int, size: int) -> List[NamedTuple]:
    """Halos with both neighbours in a ring of some ranks."""
    here = members.index(rank)
    left, right = members[here - 1], members[(here + 1) % len(members)]
    begin, end = _posted([(left, 1), (right, 2)], [(right, size, 1), (left, size, 2)])
    return [*begin, *end]


def _small_sum(stage: Stage, members: Optional[Sequence[int]] = None) -> float:
    """Seconds that a sum of one number takes at least."""
    chosen = members or range(stage.ranks)
    far = len({stage.machine.host[rank] for rank in chosen}) > 1
    return (len(chosen) - 1).bit_length() * (stage.machine.latency[far] + 3e-7)


def ocean_blocks_with_land(random: Random) -> Made:
    """An ocean in equal blocks: those with little land have most points to compute. The surface is
    solved for with conjugate gradients, in the wet points too."""
    # Also right: nothing else.
    stage = _site(random, (12, 16, 24, 32, 48))
    stage.steps, shape = 30, _shape(stage.ranks, 2)
    wet = [min(1.0, random.uniform(0.1, 1.5)) for _ in range(stage.ranks)]
    wet[stage.some] = 0.05
    loads = _scaled(wet, _extra(random, 0.1, 0.45))
    even = sum(loads) / stage.ranks

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        load = loads[rank] if fault else even
        parts: List[NamedTuple] = []
        for size in (stage.halo, 2 * stage.halo):
            parts += [stage.seconds(0.35 * load), *_halo(rank, shape, size, False)]
        for _ in range(6):
            parts += [stage.seconds(0.05 * load), *_halo(rank, shape, 1600, False)]
            parts.append(Collective("Allreduce", 16))
        means = [Collective("Reduce", 2400)] if step % 12 == 11 else []
        return [*parts, *means]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), _top(loads))


def chemistry_follows_the_sun(random: Random) -> Made:
    """Chemistry of the air is stiff where the sun shines, and the sun goes round once or twice: the
    columns of ranks at noon have most to compute."""
    # Also right: load imbalance, late in turns.
    across = random.choice([6, 8, 12, 16])
    stage = _site(random, [across * rows for rows in (1, 2, 3, 4) if 8 <= across * rows <= 48])
    stage.steps = random.choice([60, 96, 120])
    shape = (stage.ranks // across, across)
    chemistry = min(0.6, _extra(random, 0.12, 0.5) / (math.pi - 1))
    days, first = random.choice([1, 2]), random.random()

    def sun(column: int, step: int) -> float:
        turn = column / across + days * step / stage.steps + first
        return max(0.0, math.cos(2 * math.pi * turn))

    means = [sum(sun(one, step) for one in range(across)) / across for step in range(stage.steps)]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        light = sun(rank % across, step) if fault else means[step]
        dynamics = stage.seconds(1 - chemistry)
        reacted = stage.seconds(chemistry * math.pi * light + 0.001)
        budget = [Collective("Reduce", 400)] if step % 24 == 23 else []
        winds = _halo(rank, shape, stage.halo)
        tracers = _halo(rank, shape, 4 * stage.halo)
        return [dynamics, *winds, reacted, *tracers, Collective("Allreduce", 8), *budget]

    return Made("drifting imbalance", stage.machine, *_each_step(stage, body))


def components_that_got_the_wrong_ranks(random: Random) -> Made:
    """Atmosphere and ocean side by side: one of them got too few ranks, and the other waits for its
    fluxes each time they couple."""
    # Also right: late sender, late partner; slow host where a component fills whole hosts.
    stage = _site(random, (8, 12, 16, 24, 32, 48))
    stage.steps = random.choice([24, 40])
    count = random.randint(max(2, stage.ranks // 3), stage.ranks // 2)
    air, sea = tuple(range(count)), tuple(range(count, stage.ranks))
    slow = random.choice([air, sea])
    others = stage.ranks - len(slow)
    more = min(_extra(random, 0.1, 0.45), 0.8 * others / len(slow))
    less = more * len(slow) / others
    pairs = [(air[one % len(air)], sea[one % len(sea)]) for one in range(len(sea))]
    fluxes = random.choice([8000, 60_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        members = air if rank in air else sea
        load = (1 + more if rank in slow else 1 - less) if fault else 1
        inner = 4 if members is air else 2
        parts: List[NamedTuple] = []
        for _ in range(inner):
            parts += [stage.seconds(load / inner), *_inside(members, rank, stage.halo)]
            parts.append(Collective("Allreduce", 8, 0, members))
        partners = [b if a == rank else a for a, b in pairs if rank in (a, b)]
        begin, end = _posted([(one, 7) for one in partners], [(one, fluxes, 7) for one in partners])
        return [*parts, *begin, *end]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), slow)


def matter_clumps(random: Random) -> Made:
    """Bodies under gravity, in equal boxes: matter falls together, so that a few boxes get more and
    more of it; nobody divides the boxes anew."""
    # Also right: nothing else.
    stage = _site(random, (8, 16, 27, 32, 64))
    stage.steps, shape = 60, _shape(stage.ranks, 3)
    raw = [random.random() ** 4 for _ in range(stage.ranks)]
    raw[stage.some] += 0.6
    final = _scaled(raw, 1)
    growth = 2 * _extra(random, 0.1, 0.42)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        later = growth * step / stage.steps
        tree = stage.seconds(max(0.05, 1 + later * (final[rank] - 1) * fault))
        moved = [Collective("Alltoall", 4), Collective("Alltoallv", 600)]
        spectrum = [Collective("Allreduce", 4096)] if step % 15 == 14 else []
        halo = _halo(rank, shape, stage.halo)
        push = stage.seconds(0.05)
        return [*halo, tree, push, *moved, Collective("Allreduce", 8), *spectrum]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), _top(final))


def host_that_gets_too_hot(random: Random) -> Made:
    """The fan of one host is broken: its cores are clocked down whenever they have become hot, and
    recover for some steps."""
    # Also right: nothing else.
    stage = _site(random, (8, 16, 32, 64), (2, 4))
    stage.steps, shape = random.choice([80, 120]), _shape(stage.ranks, 3)
    host, period = random.randrange(stage.hosts), random.choice([16, 20, 40])
    hot = random.uniform(0.5, 0.9)
    slower = _extra(random, 0.1, 0.45) / hot
    ranks = tuple(rank for rank in range(stage.ranks) if stage.machine.host[rank] == host)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        factor = 1 + slower * (fault and rank in ranks and step % period >= (1 - hot) * period)
        forces, moved = stage.seconds(0.85 * factor), stage.seconds(0.15 * factor)
        begin, end = _faces(rank, shape, stage.halo)
        energy = [Collective("Allreduce", 48)] if step % 4 == 3 else []
        return [*begin, forces, *end, moved, *energy]

    return Made("slow host", stage.machine, *_each_step(stage, body), ranks)


def fields_written_by_rank_0(random: Random) -> Made:
    """A flow solver gathers its fields on rank 0 every so many steps, which turns them into text
    and writes them, while all others stand in the first halo of the next step."""
    # Also right: load imbalance, everything goes to one rank.
    stage = _site(random, (8, 12, 16, 24, 32, 64))
    stage.steps, every = 60, random.choice([5, 10, 15])
    shape, fields = _shape(stage.ranks, 3), random.choice([3, 5])
    stage.halo = min(stage.halo, 40_000)
    written = every * _extra(random, 0.1, 0.5) / fields

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        flow, pressure = stage.seconds(0.6), [stage.seconds(0.1) for _ in range(4)]
        parts: List[NamedTuple] = [flow, *_halo(rank, shape, 5 * stage.halo, False)]
        for one in pressure:
            parts += [one, *_halo(rank, shape, stage.halo, False), Collective("Allreduce", 16)]
        if step % every == every - 1:
            for _ in range(fields):
                text = stage.seconds(written * stage.share(fault, rank == 0))
                parts += [Collective("Gather", 80_000), text]
        return parts

    return Made("serial part", stage.machine, *_each_step(stage, body), (0,))


def vectors_made_orthogonal_one_by_one(random: Random) -> Made:
    """GMRES with the modified scheme of Gram and Schmidt: a sum of one number for each vector so
    far, where the classical one, done twice, needs two sums of all."""
    # Also right: nothing else.
    stage = _site(random, (8, 12, 16, 24, 32))
    stage.steps, vectors = random.choice([6, 8]), random.choice([20, 24, 30])
    shape = _shape(stage.ranks, 3)
    calls = vectors * (vectors + 1) / 2
    stage.work = calls * _small_sum(stage) / _extra(random, 0.12, 0.4) / vectors
    stage.halo = random.choice([800, 4000])
    dot = 0.2 * vectors / calls

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = []
        for known in range(1, vectors + 1):
            parts += [stage.seconds(0.8), *_halo(rank, shape, stage.halo, False)]
            one = stage.seconds(dot)
            if fault:
                parts += [one, Collective("Allreduce", 8)] * known
            else:
                half = Compute(one.seconds * known / 2)
                parts += [half, Collective("Allreduce", 8 * known)] * 2
            parts.append(Collective("Allreduce", 8))
        return [*parts, Collective("Bcast", 64)]

    return Made("many small collective calls", stage.machine, *_each_step(stage, body))


def wave_functions_transposed(random: Random) -> Made:
    """Electronic structure with plane waves: each band is brought to real space and back, with
    transposes along the rows and the columns of ranks that move more than is computed between."""
    # Also right: nothing else.
    stage = _site(random, (16, 32, 36, 48, 64))
    stage.steps, stage.work = random.choice([40, 60]), random.uniform(2e-3, 8e-3)
    down, across = _shape(stage.ranks, 2)
    far = stage.machine.bandwidth[stage.hosts > 1]
    moved = stage.work * _extra(random, 0.15, 0.55)
    sizes = [int(0.25 * moved * far / (count - 1)) for count in (across, down)]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        row = tuple(range(rank - rank % across, rank - rank % across + across))
        column = tuple(range(rank % across, stage.ranks, across))
        there = [Collective("Alltoall", sizes[0] if fault else 8, 0, row)]
        there += [Collective("Alltoall", sizes[1] if fault else 8, 0, column)]
        transformed, applied = stage.seconds(0.6), stage.seconds(0.3)
        subspace = [Collective("Allreduce", 8000), stage.seconds(0.1), Collective("Bcast", 2000)]
        return [transformed, *there, applied, *reversed(there), *subspace]

    return Made("transfer of all-to-all", stage.machine, *_each_step(stage, body))


def adapters_summed_tensor_by_tensor(random: Random) -> Made:
    """A model is tuned with small adapters: the gradients of each are summed over all ranks in a
    call of their own, where one buffer could hold them all."""
    # Also right: nothing else.
    stage = _site(random, (4, 8, 16, 32))
    stage.steps, tensors = 30, random.choice([60, 96, 128])
    sizes = [random.choice([256, 1024, 2048]) for _ in range(tensors)]
    stage.work = tensors * _small_sum(stage) / _extra(random, 0.12, 0.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        forward = stage.seconds(0.35)
        backward = stage.seconds(0.6)
        update = stage.seconds(0.05)
        if fault:
            slice_ = Compute(backward.seconds / tensors)
            summed = [part for size in sizes for part in (slice_, Collective("Allreduce", size))]
        else:
            summed = [backward, Collective("Allreduce", sum(sizes))]
        loss = [Collective("Reduce", 8)] if step % 10 == 9 else []
        return [forward, *summed, update, *loss]

    made = _each_step(stage, body)
    return Made("many small collective calls", stage.machine, *made)


def each_layer_of_each_variable_sent(random: Random) -> Made:
    """A flow solver in boxes: for each variable, and each row of its ghost cells, a message of its
    own goes to each of up to six neighbours; all are posted, then waited for."""
    # Also right: nothing else (not all-to-all by hand: six partners at most).
    stage = _site(random, (8, 12, 16, 24))
    stage.steps, shape = 20, _shape(stage.ranks, 3)
    pieces, size = random.choice([30, 40, 48]), random.choice([128, 400, 800])
    partners = sum(2 for count in shape if count > 1)
    stage.work = 2 * pieces * partners * 3e-7 / _extra(random, 0.12, 0.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        receives, sends = [], []
        count, length = (pieces, size) if fault else (1, pieces * size)
        for axis in range(3):
            for way in (1, -1) if shape[axis] > 1 else ():
                tag = 100 * (2 * axis + (way > 0))
                source = _shifted(rank, shape, axis, -way, True)
                to = _shifted(rank, shape, axis, way, True)
                receives += [(source, tag + one) for one in range(count)]
                sends += [(to, length, tag + one) for one in range(count)]
        begin, end = _posted(receives, sends)
        flow, sources = stage.seconds(0.7), stage.seconds(0.3)
        return [flow, *begin, *end, sources, Collective("Allreduce", 16)]

    return Made("many small messages", stage.machine, *_each_step(stage, body))


def barriers_left_from_timing(random: Random) -> Made:
    """Particles in cells: somebody once timed the phases of a step, and left a barrier after each.
    What takes longer in one phase takes less in another, so that whole steps are even."""
    # Also right: late in turns.
    stage = _site(random, (8, 12, 16, 24, 32))
    stage.steps, phases, shape = 150, random.choice([5, 6, 8]), _shape(stage.ranks, 2)
    stage.work = random.uniform(1e-3, 4e-3)
    wide = min(0.8, _extra(random, 0.12, 0.42) / 0.9)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        shares = [random.uniform(-1, 1) for _ in range(phases)]
        mean = sum(shares) / phases
        parts: List[NamedTuple] = []
        for one in shares:
            parts.append(stage.seconds(max(0.05, 1 + wide * (one - mean)) / phases))
            parts += [Collective("Barrier", 0)] if fault else []
        halo = _halo(rank, shape, 3000)
        return [*parts, *halo, *([Collective("Allreduce", 24)] if step % 10 == 9 else [])]

    return Made("many barriers", stage.machine, *_each_step(stage, body))


def parameter_server(random: Random) -> Made:
    """Training with a server: each worker sends its gradients to rank 0, which applies them, one
    worker after the other, and sends the parameters back. It has more to do than fits a step."""
    # Also right: everything goes to one rank, late sender, late partner, serial part.
    stage = _site(random, (6, 8, 12, 16, 24))
    workers = tuple(range(1, stage.ranks))
    stage.steps, stage.noise = random.choice([40, 60]), random.uniform(0.01, 0.04)
    size = random.choice([40_000, 400_000])
    apply = stage.work * (1 + _extra(random, 0.12, 0.5)) / len(workers)

    def make(fault: bool) -> Programs:
        server: List[NamedTuple] = [Collective("Bcast", size)]
        for _ in range(stage.steps):
            for rank in workers:
                server += [Receive(rank, 1), Compute(apply if fault else 1e-5), Send(rank, size, 2)]
        made: Programs = [server]
        for _ in workers:
            parts: List[NamedTuple] = [Collective("Bcast", size)]
            for step in range(stage.steps):
                parts += [stage.seconds(), Send(0, size, 1), Receive(0, 2)]
                parts += [Collective("Allreduce", 8, 0, workers)] if step % 20 == 19 else []
            made.append(parts)
        return made

    return Made("busy manager", stage.machine, *_twice(stage, make), (0,))


def healthy_lattice_of_quarks(random: Random) -> Made:
    """Quarks on a lattice of four dimensions: conjugate gradients with eight neighbours, and two
    sums of one number in each iteration, which the next one needs."""
    stage = _site(random, (8, 16, 32, 64))
    stage.steps, shape = 40, _shape(stage.ranks, 4)
    stage.work = random.uniform(0.01, 0.04)
    stage.halo = random.choice([4096, 30_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = []
        for _ in ("even", "odd"):
            begin, end = _faces(rank, shape, stage.halo)
            parts += [*begin, stage.seconds(0.4), *end, stage.seconds(0.05)]
        dots = [Collective("Allreduce", 8), stage.seconds(0.1), Collective("Allreduce", 8)]
        plaquette = [stage.seconds(0.3), Collective("Allreduce", 16)] if step % 20 == 19 else []
        return [*parts, *dots, *plaquette]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_members_of_an_ensemble(random: Random) -> Made:
    """Forecasts side by side: the ranks of a member meet each other in each step, and all meet for
    the spread of the members every twenty."""
    stage = _site(random, (12, 16, 24, 48))
    each = random.choice([one for one in (3, 4, 6, 8) if stage.ranks % one == 0])
    stage.steps = 80

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        members = tuple(range(rank - rank % each, rank - rank % each + each))
        halo = _inside(members, rank, stage.halo)
        spread = [Collective("Allreduce", 20_000)] if step % 20 == 19 else []
        return [stage.seconds(), *halo, Collective("Allreduce", 8, 0, members), *spread]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_output_servers(random: Random) -> Made:
    """The last ranks only take the output of the others and write it while those go on. They are
    done long before the next output comes: that they wait is their purpose."""
    stage = _site(random, (12, 16, 24, 32, 48))
    servers, every = random.choice([1, 2]), random.choice([5, 10])
    stage.steps, count = 60, stage.ranks - servers
    models = tuple(range(count))
    size = random.choice([60_000, 500_000])
    writing = every * random.uniform(0.2, 0.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        output = step % every == every - 1
        if rank >= count:
            mine = [one for one in models if one % servers == rank - count]
            begin, end = _posted([(one, 9) for one in mine], [])
            return [*begin, *end, stage.seconds(writing)] if output else []
        halo = _inside(models, rank, stage.halo)
        parts = [stage.seconds(), *halo, Collective("Allreduce", 8, 0, models)]
        if output:
            before = [Wait((99,))] if step >= every else []
            parts += [*before, Send(count + rank % servers, size, 9, 99)]
        return [*parts, Wait((99,))] if step == stage.steps - 1 else parts

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_coarse_grids_in_a_cycle(random: Random) -> Made:
    """Multigrid: halos become smaller from grid to grid, and the coarsest is gathered and solved by
    rank 0, in less than a hundredth of the time."""
    stage = _site(random, (8, 16, 32, 64))
    stage.steps, shape = 30, _shape(stage.ranks, 3)
    stage.halo = random.choice([40_000, 200_000])
    grids, coarse = random.choice([3, 4]), random.uniform(0.002, 0.006)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = []
        for turn, grid in enumerate([*range(grids), *reversed(range(grids))]):
            smoothed = stage.seconds(0.43 / 8**grid)
            parts += [smoothed, *_halo(rank, shape, stage.halo // 4**grid, False)]
            if turn == grids - 1:
                solved = [stage.seconds(coarse)] if rank == 0 else []
                parts += [Collective("Gather", 64), *solved, Collective("Scatter", 64)]
        return [*parts, Collective("Allreduce", 8)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


CENTRE: Dict[str, Callable[[Random], Made]] = {
    each.__name__: each
    for each in (
        ocean_blocks_with_land,
        chemistry_follows_the_sun,
        components_that_got_the_wrong_ranks,
        matter_clumps,
        host_that_gets_too_hot,
        fields_written_by_rank_0,
        vectors_made_orthogonal_one_by_one,
        wave_functions_transposed,
        adapters_summed_tensor_by_tensor,
        each_layer_of_each_variable_sent,
        barriers_left_from_timing,
        parameter_server,
        healthy_lattice_of_quarks,
        healthy_members_of_an_ensemble,
        healthy_output_servers,
        healthy_coarse_grids_in_a_cycle,
    )
}
