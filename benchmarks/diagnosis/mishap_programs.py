"""Families after mishaps of users, written and committed before any of them was judged, and before
a look at the rules' conditions: ordered output, one parameter a call, a throttled node, coupled
models, memory on the other socket."""

from __future__ import annotations

from random import Random
from typing import Callable, Dict, List, NamedTuple

from programs import Made, Programs, Stage, _each_step, _twice
from simulator import Collective, Receive, Send, Wait


def ordered_output(random: Random) -> Made:
    """Now and then the ranks write one after the other, to keep their lines in order: by a token,
    or by a loop over ranks with a barrier in it."""
    stage = Stage(random, most=16)
    often, by_token = random.choice([5, 10, 20]), random.random() < 0.5
    part = random.uniform(0.15, 0.6) * often / stage.ranks

    def ordered(rank: int) -> List[NamedTuple]:
        last = stage.ranks - 1
        if by_token:
            before: List[NamedTuple] = [Receive(rank - 1, 9)] if rank else []
            after: List[NamedTuple] = [Send(rank + 1, 4, 9)] if rank < last else []
            return [*before, stage.seconds(part), *after, Collective("Barrier", 0)]
        parts: List[NamedTuple] = []
        for turn in range(stage.ranks):
            parts += [stage.seconds(part)] if turn == rank else []
            parts.append(Collective("Barrier", 0))
        return parts

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts = [stage.seconds(), *stage.end_of_step(rank, step, "both")]
        if step % often != often - 1:
            return parts
        if fault:
            return [*parts, *ordered(rank)]
        return [*parts, stage.seconds(part), Collective("Barrier", 0)]

    return Made("one after the other", stage.machine, *_each_step(stage, body))


def parameters_one_by_one(random: Random) -> Made:
    """What rank 0 knows of the next step goes to all others in a broadcast a number."""
    stage = Stage(random, most=16)
    stage.steps, stage.work = 30, 2e-3
    pieces = random.choice([200, 500])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        count, size = (pieces, 4) if fault else (1, 4 * pieces)
        return [
            stage.seconds(),
            *([Collective("Bcast", size)] * count),
            Collective("Allreduce", 8),
        ]

    return Made("many small collective calls", stage.machine, *_each_step(stage, body))


def throttled_host(random: Random) -> Made:
    """One host gets hot in the middle of the run, and all its ranks are slower from then on."""
    stage = Stage(random, fewest=8)
    while stage.hosts < 2:
        stage = Stage(random, fewest=8)
    style, slower = stage.style(), random.uniform(0.3, 0.8)
    host, begin = random.randrange(stage.hosts), random.uniform(0.3, 0.6)
    ranks = tuple(rank for rank in range(stage.ranks) if stage.machine.host[rank] == host)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        hot = fault and rank in ranks and step >= begin * stage.steps
        return [stage.seconds(1 + slower * hot), *stage.end_of_step(rank, step, style)]

    return Made("slow host", stage.machine, *_each_step(stage, body), ranks)


def barriers_around_timers(random: Random) -> Made:
    """Two phases that are uneven the opposite way round, with a barrier after each to time it:
    without the barrier between them, nobody would wait."""
    stage = Stage(random)
    wide = random.uniform(0.3, 1.0)
    heavy = [rank % 2 for rank in range(stage.ranks)]
    random.shuffle(heavy)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        first = stage.seconds(0.5 * (1 + wide * heavy[rank]))
        second = stage.seconds(0.5 * (1 + wide * (1 - heavy[rank])))
        between = [Collective("Barrier", 0)] if fault else []
        return [first, *between, second, Collective("Barrier", 0)]

    return Made("late in turns", stage.machine, *_each_step(stage, body))


def fields_read_by_rank_0(random: Random) -> Made:
    """Before the first step rank 0 reads one field after the other and scatters it."""
    stage = Stage(random)
    fields, style = random.choice([10, 30, 60]), stage.style()
    reading = random.uniform(0.15, 0.5) * stage.steps / fields
    size = random.choice([20_000, 400_000])

    def make(fault: bool) -> Programs:
        made = []
        for rank in range(stage.ranks):
            parts: List[NamedTuple] = []
            for _ in range(fields):
                parts.append(stage.seconds(reading * stage.share(fault, rank == 0)))
                parts.append(Collective("Scatter", size))
            for step in range(stage.steps):
                parts += [stage.seconds(), *stage.end_of_step(rank, step, style)]
            made.append(parts)
        return made

    return Made("late root", stage.machine, *_twice(stage, make), (0,))


def gathered_fields(random: Random) -> Made:
    """In each step rank 0 gathers whole fields, of which it needs a number each."""
    stage = Stage(random, fewest=8)
    stage.steps, stage.work = 60, 5e-3
    far = stage.machine.bandwidth[stage.hosts > 1]
    size = int(random.uniform(0.5, 1.2) * stage.work * far / stage.ranks)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        given = size if fault else 8
        return [stage.seconds(), Collective("Gather", given), Collective("Bcast", 8)]

    return Made("everything goes to one rank", stage.machine, *_each_step(stage, body), (0,))


def replicated_data(random: Random) -> Made:
    """Each rank keeps all particles, and all of them are gathered everywhere in each step."""
    stage = Stage(random, fewest=8)
    stage.steps, stage.work = 60, 5e-3
    far = stage.machine.bandwidth[stage.hosts > 1]
    size = int(random.uniform(0.4, 1.2) * stage.work * far / stage.ranks)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        return [stage.seconds(), Collective("Allgather", size if fault else 8)]

    return Made("transfer of all-to-all", stage.machine, *_each_step(stage, body))


def coupled_models(random: Random) -> Made:
    """Two models side by side on half of the ranks each, which exchange fields by messages now and
    then: one of them was given too few ranks."""
    stage = Stage(random, fewest=8)
    middle, often = stage.ranks // 2, random.choice([1, 3, 6])
    more, slow = random.uniform(0.3, 1), random.randrange(2)
    halves = (tuple(range(middle)), tuple(range(middle, stage.ranks)))

    def coupled(rank: int) -> List[NamedTuple]:
        other = (rank + middle) % stage.ranks
        return [Receive(other, 7, 1), Send(other, 50_000, 7, 2), Wait((1, 2))]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        mine = int(rank >= middle)
        factor = 1 + more * (float(mine == slow) if fault else 0.5)
        inside = Collective("Allreduce", 64, members=halves[mine])
        return [
            stage.seconds(factor),
            inside,
            *(coupled(rank) if step % often == often - 1 else []),
        ]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), halves[slow])


def more_ranks_than_pieces(random: Random) -> Made:
    """The work comes in fewer pieces than there are ranks: the last ranks have nothing to do."""
    stage = Stage(random, fewest=6)
    pieces = max(2, round(stage.ranks * random.uniform(0.5, 0.85)))
    style = random.choice(["sum", "barrier"])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        factor = float(rank < pieces) if fault else pieces / stage.ranks
        return [stage.seconds(0.01 + factor), *stage.end_of_step(rank, step, style)]

    return Made("load imbalance", stage.machine, *_each_step(stage, body))


def broadcast_by_hand(random: Random) -> Made:
    """Rank 0 sends the same array to each of the others, one after the other."""
    stage = Stage(random, fewest=8)
    stage.steps, stage.work = 60, 5e-3
    size = int(random.uniform(0.5, 1.5) * stage.work * 9e9 / stage.ranks)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        if not fault:
            return [stage.seconds(), Collective("Bcast", size)]
        if rank:
            return [stage.seconds(), Receive(0, 1)]
        return [stage.seconds(), *(Send(one, size, 1) for one in range(1, stage.ranks))]

    return Made("broadcast by hand", stage.machine, *_each_step(stage, body), (0,))


def message_per_variable(random: Random) -> Made:
    """Halos in a message for each variable and level: all posted, then completed together."""
    stage = Stage(random, most=16)
    stage.steps, stage.work = 40, 1e-3
    pieces = random.choice([200, 500])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        left, right = (rank - 1) % stage.ranks, (rank + 1) % stage.ranks
        count, size = (pieces, 80) if fault else (1, 80 * pieces)
        parts: List[NamedTuple] = [stage.seconds()]
        for one in range(count):
            parts += [Receive(left, one, 2 * one + 1), Send(right, size, one, 2 * one + 2)]
        return [*parts, Wait(tuple(range(1, 2 * count + 1)))]

    return Made("many small messages", stage.machine, *_each_step(stage, body))


def far_socket(random: Random) -> Made:
    """The second half of the ranks of each host is slower: their memory is on the other socket."""
    stage = Stage(random, fewest=8)
    style, slower = stage.style(), random.uniform(0.15, 0.5)
    each = stage.ranks // stage.hosts
    ranks = tuple(rank for rank in range(stage.ranks) if rank % each >= each / 2)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        factor = 1 + slower * (fault and rank in ranks)
        return [stage.seconds(factor), *stage.end_of_step(rank, step, style)]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), ranks)


def healthy_output_server(random: Random) -> Made:
    """The last rank takes the output of the others now and then, writes it while they go on, and
    is idle for the rest of the time, as meant."""
    stage = Stage(random, fewest=12)
    last, often = stage.ranks - 1, random.choice([5, 10, 20])
    computing = tuple(range(last))
    writing = random.uniform(0.1, 0.6) * often / last

    def make(fault: bool) -> Programs:
        server: List[NamedTuple] = []
        for _ in range(stage.steps // often):
            for one in computing:
                server += [Receive(one, 3), stage.seconds(writing)]
        made = []
        for _ in computing:
            parts: List[NamedTuple] = []
            for step in range(stage.steps):
                parts += [stage.seconds(), Collective("Allreduce", 8, members=computing)]
                if step % often == often - 1:
                    parts.append(Send(last, 4000, 3))
            made.append(parts)
        return [*made, server]

    return Made("healthy", stage.machine, *_twice(stage, make))


def healthy_remainder(random: Random) -> Made:
    """Pieces that the ranks do not divide: the last rank has less to do, which costs nothing."""
    stage = Stage(random, fewest=24, most=64)
    style, less = stage.style(), random.uniform(0.2, 0.7)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        factor = 1 - less * (rank == stage.ranks - 1)
        return [stage.seconds(factor), *stage.end_of_step(rank, step, style)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_two_speeds(random: Random) -> Made:
    """All ranks have much more to do in every tenth step, and in the first one."""
    stage = Stage(random)
    style, more = stage.style(), random.uniform(1, 4)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        factor = 1 + more * (step % 10 == 0)
        return [stage.seconds(factor), *stage.end_of_step(rank, step, style)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


MISHAPS: Dict[str, Callable[[Random], Made]] = {
    each.__name__: each
    for each in (
        ordered_output,
        parameters_one_by_one,
        throttled_host,
        barriers_around_timers,
        fields_read_by_rank_0,
        gathered_fields,
        replicated_data,
        coupled_models,
        more_ranks_than_pieces,
        broadcast_by_hand,
        message_per_variable,
        far_socket,
        healthy_output_server,
        healthy_remainder,
        healthy_two_speeds,
    )
}
