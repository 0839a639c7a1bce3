"""More families after what a computing centre's users bring: servers, transfers, windows,
placement, and work that lies unevenly for a while only. Written without a look at the rules."""

from __future__ import annotations

import math
from itertools import product
from random import Random
from typing import Callable, Dict, List, NamedTuple

from field_programs import _faces, _group, _ring, _stage, _with
from programs import Made, Programs, _each_step, _twice
from simulator import Collective, Compute, Lock, Poll, Put, Receive, Send, Unlock, Wait
from site_programs import _part


def day_moves_round_the_globe(random: Random) -> Made:
    """A climate model whose chemistry is done where the sun shines: day moves once round the
    columns of ranks in the run, so that in the sum all have the same."""
    stage = _stage(random, (16, 32, 48, 64))
    more, noon = _part(random, 0.14, 1.3), random.uniform(0, 2 * math.pi)

    def sun(column: int, step: int) -> float:
        """How high it stands there."""
        hour = 2 * math.pi * (column / 8 - step / stage.steps)
        return max(0.0, math.cos(noon + hour))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        all_of_them = [sun(column, step) for column in range(8)]
        light = all_of_them[rank % 8] if fault else sum(all_of_them) / 8
        work = [stage.seconds(0.6), stage.seconds(0.4 + more * light)]
        winds = _faces(rank, stage.ranks, 8, stage.halo)
        return [work[0], *winds, work[1], Collective("Allreduce", 8)]

    return Made("drifting imbalance", stage.machine, *_each_step(stage, body))


def replicas_that_settle_slowly(random: Random) -> Made:
    """Replicas of four ranks each, which meet in each step: one or two of them start badly, and
    their solver needs more iterations in the first fifth of the run."""
    stage = _stage(random, (16, 24, 32, 48))
    replicas, fifth = stage.ranks // 4, stage.steps // 5
    more = _part(random, 1.2, 6.0)
    bad = random.sample(range(replicas), 1 if replicas < 8 else 2)
    ranks = tuple(rank for rank in range(stage.ranks) if rank % replicas in bad)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        members = tuple(range(rank % replicas, stage.ranks, replicas))
        mine = rank in ranks if fault else len(ranks) / stage.ranks
        factor = 1 + more * max(0.0, 1 - step / fifth) * mine
        parts: List[NamedTuple] = []
        for _ in range(3):
            parts += [stage.seconds(factor / 3), Collective("Allreduce", 8, 0, members)]
        return [*parts, *_ring(members, rank, stage.halo), Collective("Allgather", 16)]

    return Made("uneven at the start", stage.machine, *_each_step(stage, body), ranks)


def barrier_after_each_species(random: Random) -> Made:
    """A plasma of ten species, pushed one after the other with a barrier after each: a rank has
    many of one and few of the next, by chance, but as many as the others in the sum."""
    stage = _stage(random, (6, 12, 24, 48))
    wide = _part(random, 0.15, 0.95)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        species = [stage.random.uniform(1 - wide, 1 + wide) for _ in range(10)]
        parts: List[NamedTuple] = []
        for many in species:
            parts += [stage.seconds(many / sum(species))]
            parts += [Collective("Barrier", 0)] if fault else []
        return [*parts, *stage.exchange(rank, step), Collective("Allreduce", 80)]

    return Made("many barriers", stage.machine, *_each_step(stage, body))


def shuffle_without_combiner(random: Random) -> Made:
    """Words are counted: ranks exchange every occurrence of each, where they could first add up
    their own, so that the exchange of all with all moves twenty times as much."""
    stage = _stage(random, (8, 16, 32, 64))
    stage.work, part = random.uniform(5e-3, 2e-2), _part(random, 0.12, 1.2)
    far = stage.machine.bandwidth[stage.hosts > 1]
    size = int(part * stage.work * far / (stage.ranks - 1))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        counted = Collective("Alltoall", 4)
        shuffled = Collective("Alltoallv", size if fault else size // 20)
        return [stage.seconds(0.6), counted, shuffled, stage.seconds(0.4), Collective("Reduce", 8)]

    return Made("transfer of all-to-all", stage.machine, *_each_step(stage, body))


def pieces_asked_for_by_polling(random: Random) -> Made:
    """Workers ask the last rank for each piece and test again and again for its answer, which takes
    long, as it has many to answer."""
    stage = _stage(random, (6, 8, 12, 16))
    stage.steps, workers = 40, stage.ranks - 1
    answer = random.uniform(1.25, 2.4) / workers

    def make(fault: bool) -> Programs:
        made: Programs = []
        for _ in range(workers):
            parts: List[NamedTuple] = [Collective("Bcast", 2000)]
            for _ in range(stage.steps):
                asked = [Receive(workers, 2, 1), Send(workers, 100, 1)]
                parts += [*asked, Poll((1,), stage.work / 30), stage.seconds()]
            made.append(parts)
        manager: List[NamedTuple] = [Collective("Bcast", 2000)]
        for _ in range(stage.steps):
            for rank in range(workers):
                found = stage.seconds(answer)
                manager += [Receive(rank, 1), found if fault else Compute(2e-6)]
                manager.append(Send(rank, 5000, 2))
        return [*made, manager]

    return Made("busy manager", stage.machine, *_twice(stage, make), (stage.ranks - 1,))


def background_sent_to_all_members(random: Random) -> Made:
    """An ensemble of models of eight ranks each: every fourth step the whole background state is
    broadcast to the first ranks and from these to the others, where the change would do."""
    stage = _stage(random, (16, 32, 48, 64))
    stage.work, part = random.uniform(5e-3, 2e-2), _part(random, 0.1, 1.0)
    leaders = tuple(range(0, stage.ranks, 8))
    size = int(4 * part * stage.work * 9e9 / 4)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        members, given = _group(rank, 8), size if fault else size // 50
        among = [Collective("Bcast", given, 0, leaders)] if rank in leaders else []
        sent = [*among, Collective("Bcast", given, 0, members)] if step % 4 == 0 else []
        halo = _ring(members, rank, 6000)
        return [*sent, *halo, stage.seconds(), Collective("Allreduce", 8, 0, members)]

    return Made("large broadcasts", stage.machine, *_each_step(stage, body))


def compression_on_the_output_ranks(random: Random) -> Made:
    """The last of each eight ranks compresses the fields of the other seven before it writes them,
    and cannot keep up: these wait until it takes what they sent two steps ago."""
    stage = _stage(random, (8, 16, 32, 48))
    late, field = _part(random, 0.12, 1.2), random.choice([100_000, 2_000_000])
    servers = tuple(range(7, stage.ranks, 8))
    clients = tuple(rank for rank in range(stage.ranks) if rank not in servers)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        *sources, server = _group(rank, 8)
        if rank == server:
            parts: List[NamedTuple] = []
            for source in sources if step % 2 == 0 else []:
                compressed = stage.seconds(2 / 7 * (1 + late if fault else 0.5))
                parts += [Receive(source, 7), compressed]
            return parts
        work = [
            stage.seconds(),
            *_ring(clients, rank, 8000),
            Collective("Allreduce", 8, 0, clients),
        ]
        if step % 2 == 0:
            waited = [Wait((90,))] if step else []
            return [*work, *waited, Send(server, field, 7, 90)]
        return [*work, Wait((90,))] if step == stage.steps - 1 else work

    return Made("busy consumer", stage.machine, *_each_step(stage, body), servers)


def bound_behind_a_lock(random: Random) -> Made:
    """A search with bounds: after each node a rank locks the window with the best result so far,
    and proves its own while it holds the lock, for which the others queue."""
    stage = _stage(random, (8, 12, 16, 24, 32))
    proof = random.uniform(1.35, 2.4) / stage.ranks

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        node = stage.seconds(stage.random.uniform(0.8, 1.2))
        proved, stored = stage.seconds(proof), Put(stage.some, 32)
        locked = [Lock(stage.some), proved, stored] if fault else [proved, Lock(stage.some), stored]
        parts = [node, *locked, Unlock(stage.some)]
        return [*parts, Collective("Allreduce", 16)] if step % 20 == 19 else parts

    return Made("lock contention", stage.machine, *_each_step(stage, body))


def rings_across_hosts(random: Random) -> Made:
    """Ranks were dealt out to the hosts like cards: neighbours in a ring, who exchange large halos,
    are never on one host, and the network is much slower than memory."""
    stage = _stage(random, (16, 24, 32, 48, 64), (2, 4))
    each = stage.ranks // stage.hosts
    memory, network = 9e9, 1.2e9
    stage.work, part = random.uniform(5e-3, 2e-2), _part(random, 0.1, 1.0)
    size = int(part * stage.work / (1 / network - 1 / memory))
    near = stage.machine._replace(bandwidth=(memory, network))
    dealt = near._replace(host=tuple(rank % stage.hosts for rank in range(stage.ranks)))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        halo = _ring(_group(rank, each), rank, size)
        return [stage.seconds(), *halo, Collective("Allreduce", 8)]

    made = _each_step(stage, body)
    return Made("ranks far from their partners", dealt, *made, healed=near)


def seismograms_to_one_rank(random: Random) -> Made:
    """Waves in the earth: every fourth step one rank takes the three components of the seismograms
    of all others, one large message after the other, where a thirtieth of the samples would do."""
    stage = _stage(random, (8, 16, 32, 64))
    stage.work, part = random.uniform(1e-2, 4e-2), _part(random, 0.1, 1.0)
    size = int(part * 4 * stage.work * 9e9 / (3 * (stage.ranks - 1)))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        given = size if fault else size // 30
        taken: List[NamedTuple] = []
        if step % 4 == 3 and rank != stage.some:
            taken = [Send(stage.some, given, 5 + at) for at in range(3)]
        elif step % 4 == 3:
            others = [one for one in range(stage.ranks) if one != rank]
            taken = [Receive(one, 5 + at) for one, at in product(others, range(3))]
        return [stage.seconds(), *_faces(rank, stage.ranks, 4, stage.halo), *taken]

    made = _each_step(stage, body)
    return Made("everything goes to one rank", stage.machine, *made, (stage.some,))


def buddies_receive_late(random: Random) -> Made:
    """Every few steps a rank keeps a copy of its state at a buddy: half of the ranks send it at
    once, and their buddies receive it only after the work of the step."""
    stage = _stage(random, (4, 8, 16, 32, 64))
    half, every = stage.ranks // 2, random.choice([2, 3, 4, 6, 8])
    state = random.choice([300_000, 3_000_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        work = [stage.seconds()]
        end = [*stage.exchange(rank, step), Collective("Allreduce", 8)]
        other = (rank + half) % stage.ranks
        if step % every:
            return [*work, *end]
        if rank < half:
            return [Send(other, state, 8), Receive(other, 9), *work, *end]
        copied = [Receive(other, 8), Send(other, state, 9)]
        return [*work, *copied, *end] if fault else [*copied, *work, *end]

    return Made("late receiver", stage.machine, *_each_step(stage, body))


def plans_made_in_each_transform(random: Random) -> Made:
    """A spectral code that makes its plan anew for each transform: two splits of all ranks, into
    rows and columns, which it frees after the transposes."""
    stage = _stage(random, (8, 12, 16), (1, 2))
    stage.steps = 900
    far, stages = stage.hosts > 1, (stage.ranks - 1).bit_length()
    one = stages * stage.machine.latency[far]
    stage.work = 3 * one / _part(random, 0.15, 1.2)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        row, column = _group(rank, 4), tuple(range(rank % 4, stage.ranks, 4))
        splits = [Collective("Comm_split", 0)] * 2 if fault or not step else []
        frees = [Collective("Comm_free", 0, 0, members) for members in (column, row)]
        frees = frees if fault or step == stage.steps - 1 else []
        moved = [Collective("Alltoall", 64, 0, members) for members in (row, column)]
        return [stage.seconds(0.7), *splits, moved[0], stage.seconds(0.3), moved[1], *frees]

    return Made("communicators made and freed", stage.machine, *_each_step(stage, body))


def healthy_all_corners(random: Random) -> Made:
    """A grid in three dimensions where each rank exchanges small halos with all of its 26
    neighbours: many messages, which take next to no time beside the work."""
    deep = random.choice([3, 4])
    stage = _stage(random, (9 * deep, 12 * deep))
    stage.steps, shape = 40, (deep, stage.ranks // (3 * deep), 3)
    ways = [way for way in product((-1, 0, 1), repeat=3) if any(way)]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        layer, row, column = rank // (3 * shape[1]), rank // 3 % shape[1], rank % 3
        partners = []
        for at, way in enumerate(ways):
            up, south, east = (
                (place + move) % most for place, move, most in zip((layer, row, column), way, shape)
            )
            partners.append(((up * shape[1] + south) * 3 + east, len(ways) - 1 - at, at))
        return [stage.seconds(), *_with(partners, 300), Collective("Allreduce", 8)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_blocks_handed_round(random: Random) -> Made:
    """Blocks go round a ring: each rank receives from the one before what that sent a step ago, so
    that it looks like a chain, but nobody waits."""
    stage = _stage(random, (4, 8, 16, 32, 64))
    block = random.choice([200, 3000, 8000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        before, after = (rank - 1) % stage.ranks, (rank + 1) % stage.ranks
        came = [Receive(before, 1)] if step else []
        went = [Send(after, block, 1)] if step < stage.steps - 1 else []
        summed = [Collective("Allreduce", 8)] if step % 15 == 14 else []
        return [*came, stage.seconds(), *went, *summed]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_short_serial_start(random: Random) -> Made:
    """Rank 0 reads the input and broadcasts it, and then the mesh is divided with ten calls: all
    of it two percent of a run whose steps are even."""
    stage = _stage(random, (4, 8, 16, 32, 64))
    style, reading = stage.style(), stage.steps * random.uniform(0.003, 0.015)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        start: List[NamedTuple] = []
        if step == 0:
            start = [stage.seconds(reading)] if rank == 0 else []
            start += [Collective("Bcast", 5_000_000), Collective("Comm_split", 0)]
            start += [Collective("Allgather", 8), Collective("Alltoallv", 20_000)] * 4
        return [*start, stage.seconds(), *stage.end_of_step(rank, step, style)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_windows_in_two_colours(random: Random) -> Made:
    """Ranks lock the windows of both neighbours to put their halos there, even ranks first and odd
    ones after half of the work: many locks, for which nobody queues."""
    stage = _stage(random, (4, 8, 16, 32))
    size = random.choice([500, 8000, 100_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        put: List[NamedTuple] = []
        for other in ((rank + 1) % stage.ranks, (rank - 1) % stage.ranks):
            put += [Lock(other), Put(other, size), Unlock(other)]
        first, second = stage.seconds(0.5), stage.seconds(0.5)
        halves = [*put, first, second] if rank % 2 == 0 else [first, *put, second]
        return [*halves, Collective("Barrier", 0)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


SITE_MORE: Dict[str, Callable[[Random], Made]] = {
    each.__name__: each
    for each in (
        day_moves_round_the_globe,
        replicas_that_settle_slowly,
        barrier_after_each_species,
        shuffle_without_combiner,
        pieces_asked_for_by_polling,
        background_sent_to_all_members,
        compression_on_the_output_ranks,
        bound_behind_a_lock,
        rings_across_hosts,
        seismograms_to_one_rank,
        buddies_receive_late,
        plans_made_in_each_transform,
        healthy_all_corners,
        healthy_blocks_handed_round,
        healthy_short_serial_start,
        healthy_windows_in_two_colours,
    )
}
