"""Families after calls to the hotline of a computing centre, in about the frequency of these. Some
run over slow Ethernet, and most have several phases, of which one is at fault. Written without a
look at the rules. Where a second label is as right, a comment says so."""

from __future__ import annotations

from random import Random
from typing import Callable, Dict, List, NamedTuple, Tuple

from centre_programs import _extra, _halo, _inside, _place, _scaled, _shape, _shifted, _site, _top
from programs import Made, Programs, Stage, _each_step, _twice
from simulator import Collective, Compute, Machine, Poll, Receive, Send, Wait

Operations = List[NamedTuple]


def _ethernet(stage: Stage, latency: float) -> Machine:
    """The same hosts, but messages between them need so long at least."""
    return Machine(stage.machine.host, (1e-6, latency), (6e9, 2.5e9))


def _now_and_then(step: int, every: int, *calls: NamedTuple) -> Operations:
    """These calls, at the end of every so many steps."""
    return [*calls] if step % every == every - 1 else []


def _all_round(stage: Stage, rank: int, size: int) -> Operations:
    return _inside(range(stage.ranks), rank, size)


def _cut(random: Random, ranks: int, parts: int, least: int) -> List[Tuple[int, ...]]:
    """Neighbouring ranks in so many groups of unlike size, none below `least`."""
    spare = ranks - parts * least
    marks = sorted(random.randint(0, spare) for _ in range(parts - 1))
    ends = [0, *(mark + least * (one + 1) for one, mark in enumerate(marks)), ranks]
    return [tuple(range(begin, end)) for begin, end in zip(ends, ends[1:])]


def sand_fills_the_hopper(random: Random) -> Made:
    """Grains of sand fall into a hopper: with time the ranks at its bottom hold more and more of
    them, and those at the top fewer. The box is divided once, at the start."""
    stage = _site(random, (8, 12, 16, 27, 36, 48, 64), (1, 2, 3, 4))
    stage.steps, shape = random.choice([80, 120, 160]), _shape(stage.ranks, 3)
    stage.work = random.uniform(0.02, 0.08)
    tilt, high = 2 * _extra(random, 0.1, 0.3), shape[0] - 1
    bottom = tuple(rank for rank in range(stage.ranks) if _place(rank, shape)[0] == 0)

    def body(fault: bool, rank: int, step: int) -> Operations:
        lower = 1 - 2 * _place(rank, shape)[0] / high
        load = 1 + tilt * lower * step / stage.steps * fault
        parts: Operations = [stage.seconds(0.25 * load), Collective("Allreduce", 8)]
        parts += [*_halo(rank, shape, stage.halo, False), stage.seconds(0.75 * load)]
        return [*parts, *_now_and_then(step, 16, Collective("Gather", 48))]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), bottom)


def three_models_share_the_ranks(random: Random) -> Made:
    """Air, sea and ice run side by side on groups of ranks, which somebody chose years ago: one has
    too few. Every few steps their first ranks exchange what they gathered, and spread it."""
    # Also right: late partner.
    stage = _site(random, (12, 16, 20, 24, 32, 40, 64), (1, 2, 4))
    stage.steps, every = random.choice([48, 72]), random.choice([2, 3, 4, 6])
    groups = _cut(random, stage.ranks, 3, 3)
    slow = random.choice([group for group in groups if 2 * len(group) <= stage.ranks])
    more = _extra(random, 0.1, 0.4)
    less = more * len(slow) / (stage.ranks - len(slow))
    roots = tuple(group[0] for group in groups)
    size = random.choice([800, 5000, 30_000])

    def body(fault: bool, rank: int, step: int) -> Operations:
        group = next(one for one in groups if rank in one)
        load = (1 + more if rank in slow else 1 - less) if fault else 1.0
        parts: Operations = [stage.seconds(0.6 * load), *_inside(group, rank, stage.halo)]
        parts += [stage.seconds(0.4 * load), Collective("Allreduce", 16, 0, group)]
        if step % every == every - 1:
            parts.append(Collective("Gather", size, 0, group))
            parts += [Collective("Allgather", size, 0, roots)] if rank in roots else []
            parts.append(Collective("Bcast", size, 0, group))
        return parts

    return Made("load imbalance", stage.machine, *_each_step(stage, body), slow)


def refined_blocks_stay_with_their_parents(random: Random) -> Made:
    """A shock: at each of a few times some more blocks are refined, and the new ones stay at the
    ranks that held the coarse ones, as nobody has switched on the step that moves them."""
    stage = _site(random, (6, 8, 12, 20, 24, 32, 48), (1, 2, 4))
    stage.steps, every = 84, random.choice([7, 12, 21])
    weights = [random.random() ** random.choice([2, 4, 8]) for _ in range(stage.ranks)]
    weights[stage.some] = 1.15
    extra, times = _extra(random, 0.1, 0.4), stage.steps // every
    last = _scaled(weights, 2 * extra * times / (times + 1))
    total = sum(last) / stage.ranks
    near = random.sample([1, 2, 3], 2)

    def body(fault: bool, rank: int, step: int) -> Operations:
        part = (step // every + 1) / times
        load = max(0.1, 1 + part * ((last[rank] if fault else total) - 1))
        parts: Operations = []
        for _ in range(2):
            for one, shift in enumerate(near):
                parts.append(Receive((rank - shift) % stage.ranks, 10 + one, 1 + one))
                parts.append(Send((rank + shift) % stage.ranks, stage.halo, 10 + one, 3 + one))
            parts += [stage.seconds(0.35 * load), Wait((1, 2, 3, 4)), stage.seconds(0.15 * load)]
        parts.append(Collective("Allreduce", 8))
        if step % every == every - 1:
            parts += [stage.seconds(0.05), Collective("Allgather", 400), Collective("Alltoall", 8)]
        return parts

    return Made("load imbalance", stage.machine, *_each_step(stage, body), _top(last))


def thick_clouds_trap_the_photons(random: Random) -> Made:
    """Photons in a sky whose clouds lie in one corner: there each is scattered many times. The
    other ranks ask again and again whether the photons of their neighbours are there."""
    # Also right: late sender, late partner.
    stage = _site(random, (9, 12, 16, 24, 30, 36), (1, 2, 3))
    stage.steps, shape = random.choice([50, 70]), _shape(stage.ranks, 2)
    top, left = random.randrange(shape[0]), random.randrange(shape[1])
    far = [
        abs(_place(one, shape)[0] - top) + abs(_place(one, shape)[1] - left)
        for one in range(stage.ranks)
    ]
    loads = _scaled([0.4**one for one in far], _extra(random, 0.1, 0.45))
    even, size = sum(loads) / stage.ranks, random.choice([3000, 20_000])

    def body(fault: bool, rank: int, step: int) -> Operations:
        load = loads[rank] if fault else even
        parts: Operations = []
        count = 0
        for axis in (0, 1):
            for way in (1, -1):
                source = _shifted(rank, shape, axis, way, False)
                if source is not None:
                    parts.append(Receive(source, 4 * axis + 1 - way, count + 1))
                    parts.append(Send(source, size, 4 * axis + 1 + way, count + 2))
                    count += 2
        posted = [stage.seconds(load), *parts, Poll(tuple(range(1, count + 1)), stage.work / 30)]
        return [*posted, *_now_and_then(step, 5, Collective("Allreduce", 2400))]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), _top(loads))


def another_job_on_one_host(random: Random) -> Made:
    """For some time of the run something else ran on one of the hosts, a backup or a job that had
    lost its way: all its ranks compute slower, and the others wait for them."""
    # Also right: too few cores.
    stage = _site(random, (8, 12, 18, 24, 36, 48), (2, 3, 4, 6))
    stage.steps, shape = random.choice([60, 90]), _shape(stage.ranks, 2)
    length = random.uniform(0.35, 0.75)
    begin = int(stage.steps * random.uniform(0.02, 0.97 - length))
    steps = range(begin, begin + int(stage.steps * length))
    slower = _extra(random, 0.1, 0.3) / length
    host = random.choice(sorted(set(stage.machine.host)))
    ranks = tuple(rank for rank in range(stage.ranks) if stage.machine.host[rank] == host)

    def body(fault: bool, rank: int, step: int) -> Operations:
        factor = 1 + slower * (fault and rank in ranks and step in steps)
        parts: Operations = []
        for share in (0.3, 0.3, 0.4):
            parts += [stage.seconds(share * factor), *_halo(rank, shape, stage.halo)]
        return [*parts, *_now_and_then(step, 3, Collective("Allreduce", 24))]

    return Made("slow host", stage.machine, *_each_step(stage, body), ranks)


def rims_sent_after_the_archive(random: Random) -> Made:
    """In each group of ranks one has the rim of the reactor. It keeps a record of what it found,
    and only then sends the rim to the others of its group, who cannot do their second half without
    it. All have the same to compute."""
    # Also right: late partner.
    each = random.choice([3, 4, 6, 8])
    stage = _site(random, [each * count for count in (1, 2, 3, 5, 8) if 4 <= each * count <= 48])
    stage.steps = random.choice([60, 90])
    groups = [tuple(range(one, one + each)) for one in range(0, stage.ranks, each)]
    owners = tuple(random.choice(group) for group in groups)
    kept, first = _extra(random, 0.1, 0.38), random.uniform(0.1, 0.3)
    size = random.choice([800, 6000, 60_000])

    def body(fault: bool, rank: int, step: int) -> Operations:
        group = groups[rank // each]
        owner, others = owners[rank // each], [one for one in group if one not in owners]
        begin, archive, rest = (stage.seconds(one) for one in (first, kept, 1 - first - kept))
        if rank == owner:
            sends = [Send(one, size, 15, 1 + place) for place, one in enumerate(others)]
            done = Wait(tuple(range(1, each)))
            order = [archive, *sends] if fault else [*sends, archive]
            parts: Operations = [begin, *order, rest, done]
        else:
            parts = [Receive(owner, 15, 1), begin, Wait((1,)), archive, rest]
        parts.append(Collective("Allreduce", 40, 0, group))
        return [*parts, *_now_and_then(step, 4, Collective("Allreduce", 8))]

    return Made("late sender", stage.machine, *_each_step(stage, body), owners)


def wanted_last_made_first(random: Random) -> Made:
    """Ranks in threes: the first makes a mask, which the second needs near its end, and after it a
    flux, which the third needs at once. The other order would keep nobody waiting."""
    # Also right: late partner.
    stage = _site(random, (6, 9, 12, 18, 24, 36, 48, 60), (1, 2, 3))
    stage.steps, shape = random.choice([50, 80]), _shape(stage.ranks, 2)
    mask, flux = _extra(random, 0.1, 0.35), random.uniform(0.05, 0.25)
    mask_size, flux_size = random.choice([1000, 8000]), random.choice([500, 4000])
    makers = tuple(range(0, stage.ranks, 3))

    def body(fault: bool, rank: int, step: int) -> Operations:
        place, first = rank % 3, rank - rank % 3
        make_mask, make_flux = stage.seconds(mask), stage.seconds(flux)
        rest = stage.seconds(1 - mask - flux)
        if place == 0:
            masks = [make_mask, Send(first + 1, mask_size, 1)]
            fluxes = [make_flux, Send(first + 2, flux_size, 2)]
            parts: Operations = [*masks, *fluxes] if fault else [*fluxes, *masks]
            parts.append(rest)
        elif place == 1:
            before = Compute(make_mask.seconds + rest.seconds)
            parts = [before, Compute(0.8 * make_flux.seconds), Receive(first, 1)]
            parts.append(Compute(0.2 * make_flux.seconds))
        else:
            parts = [make_flux, Receive(first, 2), make_mask, rest]
        parts += _halo(rank, shape, 3000)
        return [*parts, Collective("Allreduce", 8)]

    return Made("late sender", stage.machine, *_each_step(stage, body), makers)


def pictures_drawn_by_rank_0(random: Random) -> Made:
    """Every few steps rank 0 gathers thin slices, draws pictures from them and writes these, while
    its neighbours wait for its next halo, and all others for them."""
    # Also right: load imbalance.
    stage = _site(random, (6, 8, 12, 16, 28, 40, 56), (1, 2, 4))
    stage.steps, every = random.choice([60, 80]), random.choice([1, 2, 4, 5])
    shape = _shape(stage.ranks, 2)
    drawn, size = every * _extra(random, 0.1, 0.45), random.choice([2000, 16_000])

    def body(fault: bool, rank: int, step: int) -> Operations:
        parts: Operations = []
        for share in (0.5, 0.3, 0.2):
            parts += [*_halo(rank, shape, stage.halo, False), stage.seconds(share)]
        if step % every == 0:
            drawing = stage.seconds(drawn * stage.share(fault, rank == 0))
            parts += [Collective("Gather", size), drawing] if fault else [drawing]
        return [*parts, *_now_and_then(step, 8, Collective("Allreduce", 56))]

    return Made("serial part", stage.machine, *_each_step(stage, body), (0,))


def remote_values_asked_for_one_by_one(random: Random) -> Made:
    """An unstructured mesh over Ethernet: for each value that lies at its partner a rank asks, gets
    the answer, and asks for the next, though it knows all of them from the start."""
    stage = _site(random, (4, 6, 8, 12), (2,))
    stage.machine = _ethernet(stage, random.uniform(4e-5, 8e-5))
    stage.steps, values = random.choice([40, 48]), random.choice([40, 60])
    half, width = stage.ranks // 2, random.choice([8, 24, 64])
    stage.work = values * 2 * stage.machine.latency[1] / _extra(random, 0.1, 0.45)

    def body(fault: bool, rank: int, step: int) -> Operations:
        other = (rank + half) % stage.ranks
        count, times = (values, 1) if fault else (1, values)
        question = [Send(other, 4 * times, 1), Receive(other, 1)]
        answer = [Send(other, width * times, 2), Receive(other, 2)]
        parts: Operations = [stage.seconds(0.7), *((*question, *answer) * count)]
        return [*parts, stage.seconds(0.3), Collective("Allreduce", 8)]

    return Made("many small messages", stage.machine, *_each_step(stage, body))


def spectra_summed_wave_by_wave(random: Random) -> Made:
    """Turbulence: the energy of each wave number is summed over all ranks in a call of its own, and
    the parts of all ranks gathered in another, in most steps. Two calls could do for all waves."""
    stage = _site(random, (8, 12, 16, 24), (2, 4))
    stage.machine = _ethernet(stage, random.uniform(2e-5, 5e-5))
    stage.steps, waves = random.choice([48, 72]), random.choice([24, 32])
    call = (stage.ranks - 1).bit_length() * stage.machine.latency[1]
    stage.work = 2 * waves * call / _extra(random, 0.1, 0.45)
    size = random.choice([200, 3000])

    def body(fault: bool, rank: int, step: int) -> Operations:
        waved = stage.seconds(0.3)
        parts: Operations = [stage.seconds(0.7), *_all_round(stage, rank, size)]
        if step % 6 == 5:
            return [*parts, waved, Collective("Allreduce", 8)]
        count, each = (waves, 8) if fault else (1, 8 * waves)
        for _ in range(count):
            parts += [Compute(waved.seconds / count), Collective("Allreduce", each)]
            parts.append(Collective("Allgather", each))
        return parts

    return Made("many small collective calls", stage.machine, *_each_step(stage, body))


def whole_distributions_turned_round(random: Random) -> Made:
    """Kinetic plasma: rows of ranks turn the whole distribution of each species round and back, to
    take its moments, where the moments alone are a fortieth of that."""
    stage = _site(random, (8, 16, 24, 36, 48, 64), (1, 2, 4))
    stage.steps, species = random.choice([25, 40]), random.choice([1, 2, 3])
    stage.work, across = random.uniform(0.02, 0.1), _shape(stage.ranks, 2)[0]
    rows = [tuple(range(one, one + across)) for one in range(0, stage.ranks, across)]
    split = any(len({stage.machine.host[one] for one in row}) > 1 for row in rows)
    moved = stage.work * _extra(random, 0.1, 0.5) / 2 / species
    size = int(moved * stage.machine.bandwidth[split] / (across - 1))

    def body(fault: bool, rank: int, step: int) -> Operations:
        row, given = rows[rank // across], size if fault else size // 40
        parts: Operations = [*_all_round(stage, rank, 9000)]
        for _ in range(species):
            parts += [stage.seconds(0.5 / species), Collective("Alltoallv", given, 0, row)]
            parts += [stage.seconds(0.5 / species), Collective("Alltoallv", given, 0, row)]
        return [*parts, *_now_and_then(step, 2, Collective("Allreduce", 800))]

    return Made("transfer of all-to-all", stage.machine, *_each_step(stage, body))


def opacities_sent_out_anew(random: Random) -> Made:
    """Stars: the opacities do not change, yet in every step the first rank of each group sends the
    whole table to its group again, and rank 0 the table of the nuclei to all."""
    stage = _site(random, (8, 12, 16, 24, 32, 64), (1, 2, 4))
    stage.steps, stage.work = random.choice([30, 50]), random.uniform(0.02, 0.09)
    each = random.choice([4, stage.ranks // 2])
    groups = [tuple(range(one, one + each)) for one in range(0, stage.ranks, each)]
    moved = stage.work * _extra(random, 0.14, 0.5) * stage.machine.bandwidth[0] / 2
    part = random.uniform(0.4, 0.8)
    tables = (int(moved * part), int(moved * (1 - part)))

    def body(fault: bool, rank: int, step: int) -> Operations:
        parts: Operations = []
        if fault or step == 0:
            parts.append(Collective("Bcast", tables[0], 0, groups[rank // each]))
            parts.append(Collective("Bcast", tables[1]))
        parts += [stage.seconds(0.8), *_inside(groups[rank // each], rank, 20_000)]
        return [*parts, stage.seconds(0.2), Collective("Allreduce", 8)]

    return Made("large broadcasts", stage.machine, *_each_step(stage, body))


def barriers_to_keep_prints_in_order(random: Random) -> Made:
    """Somebody wanted his prints in order, and put barriers behind each part of a step. The prints
    are gone. The parts differ from rank to rank and from time to time, even in the sum."""
    stage = _site(random, (6, 8, 12, 16, 24, 32), (1, 2, 4))
    stage.steps, pieces = random.choice([60, 100]), random.choice([8, 12, 16])
    stage.work, stage.noise = random.uniform(0.012, 0.06), random.uniform(0.06, 0.25)
    size = random.choice([300, 5000])

    def body(fault: bool, rank: int, step: int) -> Operations:
        parts: Operations = [*_all_round(stage, rank, size)]
        for _ in range(pieces):
            parts.append(stage.seconds(1 / pieces))
            parts += [Collective("Barrier", 0)] if fault else []
        return [*parts, *_now_and_then(step, 10, Collective("Reduce", 96))]

    return Made("many barriers", stage.machine, *_each_step(stage, body))


def smoothed_in_natural_order(random: Random) -> Made:
    """A smoother that takes the newest values of all three lower neighbours: the ranks of the grid
    begin one after the other, from one corner on. Two colours would smooth as well at once."""
    # Also right: late sender.
    stage = _site(random, (8, 12, 18, 24, 27, 36, 48), (1, 2, 3))
    stage.steps, shape = random.choice([40, 60]), _shape(stage.ranks, 3)
    sweeps = random.choice([1, 2, 3])
    smoothed = _extra(random, 0.12, 0.5) / (sum(shape) - 3) / sweeps
    size = random.choice([1500, 7000, 50_000])

    def body(fault: bool, rank: int, step: int) -> Operations:
        below = [_shifted(rank, shape, axis, -1, False) for axis in range(3)]
        above = [_shifted(rank, shape, axis, 1, False) for axis in range(3)]
        parts: Operations = [stage.seconds(0.9)]
        for _ in range(sweeps):
            mine = stage.seconds(smoothed)
            if fault:
                parts += [Receive(one, 33) for one in below if one is not None]
                parts += [mine, *(Send(one, size, 33) for one in above if one is not None)]
            else:
                for _ in range(2):
                    parts += [Compute(mine.seconds / 2), *_halo(rank, shape, size // 2, False)]
            parts.append(Collective("Allreduce", 8))
        return [*parts, stage.seconds(0.1), *_halo(rank, shape, size, False)]

    return Made("one after the other", stage.machine, *_each_step(stage, body))


def written_in_turn_between_barriers(random: Random) -> Made:
    """Every few steps all write to one file: a loop over the ranks, in which that one writes whose
    turn it is, and all meet at a barrier before the next. Each could write at its own place."""
    # Also right: late in turns, many barriers.
    stage = _site(random, (6, 8, 12, 20, 32, 44), (1, 2, 4))
    stage.steps, every = 60, random.choice([5, 10, 15])
    shape = _shape(stage.ranks, 2)
    written = every * _extra(random, 0.1, 0.5) / (stage.ranks - 1)

    def body(fault: bool, rank: int, step: int) -> Operations:
        parts: Operations = [stage.seconds(0.75), *_halo(rank, shape, stage.halo)]
        parts += [stage.seconds(0.25), Collective("Allreduce", 32)]
        if step % every == every - 1:
            mine = stage.seconds(written)
            for turn in range(stage.ranks if fault else 1):
                parts += [mine] if turn == rank or not fault else []
                parts.append(Collective("Barrier", 0))
        return parts

    return Made("one after the other", stage.machine, *_each_step(stage, body))


def results_merged_before_the_next_piece(random: Random) -> Made:
    """One rank, not always the first, hands out pieces of a scan. It merges each result into its
    tables before it sends the next piece, so that most of the workers stand in its queue. They
    could merge their own results."""
    # Also right: late sender.
    stage = _site(random, (12, 16, 24, 32, 48), (1, 2, 4))
    stage.steps, stage.noise = random.choice([60, 90]), random.uniform(0.01, 0.04)
    stage.work, manager = random.uniform(0.02, 0.1), random.choice([0, stage.some])
    workers = [rank for rank in range(stage.ranks) if rank != manager]
    merged = stage.work * (1 + _extra(random, 0.2, 0.55)) / len(workers)
    size = random.choice([1000, 7000])

    def make(fault: bool) -> Programs:
        made: Programs = [[Collective("Bcast", 50_000, manager)] for _ in range(stage.ranks)]
        for step in range(stage.steps):
            for rank in workers:
                there, here = (merged, 0.0) if fault else (3e-6, merged)
                made[manager] += [Receive(rank, 5), Compute(there), Send(rank, 400, 6)]
                made[rank] += [Compute(stage.seconds().seconds + here)]
                made[rank] += [Send(manager, size, 5), Receive(manager, 6)]
            if step % 30 == 29:
                for program in made:
                    program.append(Collective("Bcast", 2000, manager))
        return made

    return Made("busy manager", stage.machine, *_twice(stage, make), (manager,))


def healthy_blocks_sent_to_all_behind_work(random: Random) -> Made:
    """Each rank sends a block to each other one, message by message, which looks costly; but it
    computes a whole step before it needs what came, and by then all of it is there."""
    stage = _site(random, (6, 8, 12, 16, 24), (1, 2, 4))
    stage.steps, stage.noise = random.choice([50, 70]), random.uniform(0.002, 0.004)
    size = random.choice([500, 4000, 30_000])

    def body(fault: bool, rank: int, step: int) -> Operations:
        shifts = range(1, stage.ranks)
        got = [Receive((rank - one) % stage.ranks, one, one) for one in shifts]
        gave = [Send((rank + one) % stage.ranks, size, one, stage.ranks + one) for one in shifts]
        done = Wait(tuple(part.request for part in (*got, *gave)))
        return [*got, stage.seconds(0.05), *gave, stage.seconds(0.95), done]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_two_models_of_one_length(random: Random) -> Made:
    """Two models on groups of unlike size: one sums in each of many iterations, the other sends in
    few long ones. They were fitted to each other, and meet when both are done."""
    stage = _site(random, (10, 16, 24, 32, 48), (1, 2, 4))
    stage.steps, stage.noise = random.choice([40, 60]), random.uniform(0.002, 0.006)
    groups = _cut(random, stage.ranks, 2, 4)
    slight, parts_of = random.uniform(0.0, 0.012), random.choice([10, 16])
    size = random.choice([2000, 12_000])
    pairs = list(zip(*groups))

    def body(fault: bool, rank: int, step: int) -> Operations:
        parts: Operations = []
        if rank in groups[0]:
            for _ in range(parts_of):
                parts += [stage.seconds(1 / parts_of), Collective("Allreduce", 16, 0, groups[0])]
        else:
            for share in (0.5, 0.5):
                parts += [stage.seconds(share * (1 - slight))]
                parts += _inside(groups[1], rank, stage.halo)
        if step % 4 == 3:
            for one, other in pairs:
                if rank in (one, other):
                    there = other if rank == one else one
                    parts += [Receive(there, 9, 1), Send(there, size, 9, 2), Wait((1, 2))]
        return parts

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_tables_read_and_sent_once(random: Random) -> Made:
    """Rank 0 reads large tables and sends them to all, and neighbours tell each other of hundreds
    of points, one by one. All this is over after a fiftieth of the run, and the rest is even."""
    stage = _site(random, (8, 12, 16, 24, 36), (1, 2, 3, 4))
    stage.steps, stage.noise = random.choice([120, 160]), random.uniform(0.002, 0.004)
    stage.work, shape = random.uniform(0.03, 0.09), _shape(stage.ranks, 2)
    read, points = random.uniform(0.4, 1.2), random.choice([200, 400])
    table = int(random.uniform(0.1, 0.5) * stage.work * 9e9 / 2)

    def body(fault: bool, rank: int, step: int) -> Operations:
        parts: Operations = []
        if step == 0:
            parts += [stage.seconds(read)] if rank == 0 else []
            parts.append(Collective("Bcast", table))
            right, left = (rank + 1) % stage.ranks, (rank - 1) % stage.ranks
            parts += [Send(right, 12, 7), Receive(left, 7)] * points
        parts += [stage.seconds(0.6), *_halo(rank, shape, stage.halo), stage.seconds(0.4)]
        return [*parts, *_now_and_then(step, 2, Collective("Allreduce", 8))]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_collisions_at_random(random: Random) -> Made:
    """Rare gas: how many particles collide differs a little between ranks, in each step at others,
    and each step ends with a sum that decides about the next. Nobody could know it before."""
    stage = _site(random, (4, 8, 12, 16, 24, 32, 64), (1, 2, 4))
    stage.steps, stage.noise = random.choice([80, 120]), random.uniform(0.006, 0.011)
    shape = _shape(stage.ranks, 2)

    def body(fault: bool, rank: int, step: int) -> Operations:
        moved = [stage.seconds(0.55), *_halo(rank, shape, stage.halo), stage.seconds(0.45)]
        written = _now_and_then(step, 20, Collective("Gather", 64))
        return [*moved, Collective("Allreduce", 24), *written]

    return Made("healthy", stage.machine, *_each_step(stage, body))


HOTLINE: Dict[str, Callable[[Random], Made]] = {
    each.__name__: each
    for each in (
        sand_fills_the_hopper,
        three_models_share_the_ranks,
        refined_blocks_stay_with_their_parents,
        thick_clouds_trap_the_photons,
        another_job_on_one_host,
        rims_sent_after_the_archive,
        wanted_last_made_first,
        pictures_drawn_by_rank_0,
        remote_values_asked_for_one_by_one,
        spectra_summed_wave_by_wave,
        whole_distributions_turned_round,
        opacities_sent_out_anew,
        barriers_to_keep_prints_in_order,
        smoothed_in_natural_order,
        written_in_turn_between_barriers,
        results_merged_before_the_next_piece,
        healthy_blocks_sent_to_all_behind_work,
        healthy_two_models_of_one_length,
        healthy_tables_read_and_sent_once,
        healthy_collisions_at_random,
    )
}
