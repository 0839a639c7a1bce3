"""Families after the skeletons of applications, and healthy ones that look as if they were faulty:
written and committed before any of them was judged, and before a look at the rules' conditions.
Faults may be small: what they cost begins near the limit below which they count as none."""

from __future__ import annotations

import math
from random import Random
from typing import Callable, Dict, List, NamedTuple, Tuple

from programs import Made, Programs, Stage, _each_step, _twice
from simulator import (
    Collective,
    Compute,
    Epoch,
    Lock,
    Machine,
    Put,
    Receive,
    Send,
    Unlock,
    Wait,
    WaitAny,
)


def _size(random: Random, least: float = 0.06, most: float = 0.6) -> float:
    """Of a fault: small ones as often as large ones."""
    return math.exp(random.uniform(math.log(least), math.log(most)))


def _hosts(stage: Stage, fewest: int) -> None:
    """Spread the ranks over so many hosts at least."""
    hosts = max(fewest, stage.hosts)
    each = stage.ranks // hosts
    stage.hosts = hosts
    stage.machine = Machine(tuple(min(rank // each, hosts - 1) for rank in range(stage.ranks)))


def _of_host(stage: Stage, host: int) -> Tuple[int, ...]:
    return tuple(rank for rank in range(stage.ranks) if stage.machine.host[rank] == host)


# More to compute.


def corner_halos(random: Random) -> Made:
    """Halos of a grid of ranks with faces, edges and corners, of three sizes; one subdomain has
    more cells."""
    stage = Stage(random, fewest=8, most=48)
    more, wide = _size(random), 2 if stage.ranks % 4 else 4
    face = random.choice([8_000, 60_000])
    sizes = {1: face, wide: face, wide - 1: 64, wide + 1: 64}

    def halos(rank: int) -> List[NamedTuple]:
        receives: List[NamedTuple] = []
        sends: List[NamedTuple] = []
        for place, (away, size) in enumerate(sorted(sizes.items())):
            for turn, sign in enumerate((-1, 1)):
                tag = 10 * place + turn
                receives.append(Receive((rank - sign * away) % stage.ranks, tag, tag + 1))
                sends.append(Send((rank + sign * away) % stage.ranks, size, tag, tag + 101))
        return [*receives, *sends, Wait(tuple(one.request for one in [*receives, *sends]))]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        factor = 1 + more * stage.share(fault, rank == stage.some)
        last = [] if step % 10 else [Collective("Allreduce", 24)]
        return [stage.seconds(factor), *halos(rank), *last]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), (stage.some,))


def sparse_rows(random: Random) -> Made:
    """Products with a sparse matrix: rows are dealt out in equal numbers, and some are dense."""
    stage = Stage(random, fewest=6, most=48)
    stage.work /= 3
    weights = [random.paretovariate(3) for _ in range(stage.ranks)]
    mean = sum(weights) / stage.ranks
    partners = [random.sample(range(stage.ranks), 3) for _ in range(stage.ranks)]

    def fetched(rank: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = []
        count = 0
        for other in partners[rank]:
            if other != rank:
                count += 1
                parts.append(Receive(other, 5, count))
        for other in range(stage.ranks):
            if rank in partners[other] and other != rank:
                count += 1
                parts.append(Send(other, 3000, 5, count))
        return [*parts, Wait(tuple(range(1, count + 1)))] if count else []

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        factor = weights[rank] if fault else mean
        return [*fetched(rank), stage.seconds(factor), *([Collective("Allreduce", 8)] * 2)]

    longest = tuple(one for one, weight in enumerate(weights) if weight > 0.9 * max(weights))
    return Made("load imbalance", stage.machine, *_each_step(stage, body), longest)


def particles_pile_up(random: Random) -> Made:
    """Particles drift towards one rank: the messages that carry them grow, and so does its work."""
    stage = Stage(random, fewest=6)
    more = _size(random, 0.2, 1.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        at = step / stage.steps
        factor = 1 + more * at * stage.share(fault, rank == stage.some)
        left, right = (rank - 1) % stage.ranks, (rank + 1) % stage.ranks
        size = 400 + int(20_000 * at * random.uniform(0.5, 1))
        return [
            stage.seconds(factor),
            Receive(left, 1, 1),
            Receive(right, 2, 2),
            Send(right, size, 1, 3),
            Send(left, size, 2, 4),
            Wait((1, 2, 3, 4)),
            Collective("Allreduce", 8),
        ]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), (stage.some,))


def one_long_task(random: Random) -> Made:
    """A parameter study: each rank computes its own tasks, and there is one sum at the end; the
    tasks of one rank take longer."""
    stage = Stage(random)
    more, tasks = _size(random), random.choice([1, 5, 20])

    def make(fault: bool) -> Programs:
        made = []
        for rank in range(stage.ranks):
            factor = stage.steps / tasks * (1 + more * stage.share(fault, rank == stage.some))
            mine: List[NamedTuple] = [Collective("Bcast", 4000)]
            mine += [stage.seconds(factor) for _ in range(tasks)]
            made.append([*mine, Collective("Reduce", 800)])
        return made

    return Made("load imbalance", stage.machine, *_twice(stage, make), (stage.some,))


def heavy_pencils(random: Random) -> Made:
    """Transforms in pencils: transposes in rows and columns of a grid of ranks, and the pencils of
    one row hold more."""
    stage = Stage(random, fewest=12)
    wide = max(one for one in range(2, 7) if stage.ranks % one == 0 and one * one <= stage.ranks)
    more, row = _size(random), random.randrange(stage.ranks // wide)
    columns = [tuple(range(one, stage.ranks, wide)) for one in range(wide)]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        mine, first = rank // wide == row, rank - rank % wide
        factor = 0.5 * (1 + more * (float(mine) if fault else wide / stage.ranks))
        return [
            stage.seconds(factor),
            Collective("Alltoall", 3000, members=tuple(range(first, first + wide))),
            stage.seconds(factor),
            Collective("Alltoall", 3000, members=columns[rank % wide]),
        ]

    culprits = tuple(range(row * wide, (row + 1) * wide))
    return Made("load imbalance", stage.machine, *_each_step(stage, body), culprits)


def coupled_by_roots(random: Random) -> Made:
    """Atmosphere and ocean on ranks of their own: their first ranks swap the fields now and then,
    gathered before and broadcast after it; one of the two takes longer."""
    stage = Stage(random, fewest=12, most=48)
    middle = stage.ranks // random.choice([2, 3])
    often, slow, more = random.choice([2, 5, 10]), random.randrange(2), _size(random, 0.08, 0.8)
    models = (tuple(range(middle)), tuple(range(middle, stage.ranks)))

    def swapped(rank: int, mine: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [Collective("Gather", 2000, members=models[mine])]
        if rank in (0, middle):
            other = middle if rank == 0 else 0
            parts += [Receive(other, 7, 1), Send(other, 30_000, 7, 2), Wait((1, 2))]
        return [*parts, Collective("Bcast", 30_000, members=models[mine])]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        mine = int(rank >= middle)
        even = len(models[slow]) / stage.ranks
        factor = 1 + more * (float(mine == slow) if fault else even)
        inside = Collective("Allreduce", 16, members=models[mine])
        swap = swapped(rank, mine) if step % often == often - 1 else []
        return [stage.seconds(factor), inside, *swap]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), models[slow])


def unpacked_as_they_come(random: Random) -> Made:
    """Halos of four neighbours that are unpacked by MPI_Waitany as they come; one rank has more to
    compute."""
    stage = Stage(random, fewest=6)
    more = _size(random)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = []
        for place, away in enumerate((-2, -1, 1, 2)):
            parts.append(Receive((rank - away) % stage.ranks, place, place + 1))
        parts.append(stage.seconds(1 + more * stage.share(fault, rank == stage.some)))
        for place, away in enumerate((-2, -1, 1, 2)):
            parts.append(Send((rank + away) % stage.ranks, stage.halo, place, place + 5))
        for _ in range(4):
            parts += [WaitAny((1, 2, 3, 4)), stage.seconds(0.005)]
        return [*parts, Wait((5, 6, 7, 8))]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), (stage.some,))


def exposed_halos(random: Random) -> Made:
    """Halos by MPI_Put between MPI_Win_start and MPI_Win_complete, and one rank with more work."""
    stage = Stage(random)
    more = _size(random)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        both = tuple(sorted({(rank - 1) % stage.ranks, (rank + 1) % stage.ranks}))
        return [
            stage.seconds(1 + more * stage.share(fault, rank == stage.some)),
            Epoch("Win_post", both),
            Epoch("Win_start", both),
            *(Put(one, stage.halo) for one in both),
            Epoch("Win_complete", both),
            Epoch("Win_wait", both),
        ]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), (stage.some,))


def subcycling(random: Random) -> Made:
    """Local time steps: a third of the ranks does several small steps, with halos among each other,
    while the others do one."""
    stage = Stage(random, fewest=6)
    fine = tuple(range(stage.ranks - stage.ranks // 3, stage.ranks))
    count, more = random.choice([2, 4, 8]), _size(random)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        if rank not in fine:
            even = 1 if fault else 1 + more * len(fine) / stage.ranks
            return [stage.seconds(even), Collective("Allreduce", 8)]
        whole = 1 + more * (1 if fault else len(fine) / stage.ranks)
        inner: List[NamedTuple] = []
        for _ in range(count):
            inner += [stage.seconds(whole / count), Collective("Allgather", 64, members=fine)]
        return [*inner, Collective("Allreduce", 8)]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), fine)


def writer_of_each_host(random: Random) -> Made:
    """Now and then the ranks of a host gather their output on the first of them, which writes it
    while the others go on to the next sum."""
    stage = Stage(random, fewest=12)
    _hosts(stage, 2)
    often = random.choice([1, 5, 10])
    writing = _size(random, 0.08, 0.6) * often
    groups = [_of_host(stage, host) for host in range(stage.hosts)]
    writers = tuple(group[0] for group in groups)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds(), Collective("Allreduce", 8)]
        if step % often == often - 1:
            group = groups[stage.machine.host[rank]]
            parts.append(Collective("Gather", 1000, members=group))
            share = float(rank in writers) if fault else 1 / len(group)
            parts.append(stage.seconds(writing * share))
        return parts

    return Made("load imbalance", stage.machine, *_each_step(stage, body), writers)


def slow_node_of_eight(random: Random) -> Made:
    """One of eight hosts is somewhat slower, in a job with halos and a sum now and then."""
    stage = Stage(random, fewest=32, most=64)
    _hosts(stage, 8)
    slower, host = _size(random, 0.06, 0.25), random.randrange(8)
    ranks = _of_host(stage, host)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        last = [] if step % 5 else [Collective("Allreduce", 8)]
        factor = 1 + slower * (fault and rank in ranks)
        return [stage.seconds(factor), *stage.exchange(rank, step), *last]

    return Made("slow host", stage.machine, *_each_step(stage, body), ranks)


# One works, all wait.


def last_rank_keeps_the_log(random: Random) -> Made:
    """The last rank gets a line of each, works on them, and lets the others go on by messages."""
    stage = Stage(random, most=24)
    last, alone = stage.ranks - 1, _size(random, 0.08, 0.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        mine = stage.seconds(alone * stage.share(fault, rank == last))
        if rank < last:
            return [stage.seconds(), Send(last, 200, 1), mine, Receive(last, 2)]
        others = range(last)
        return [
            stage.seconds(),
            *(Receive(one, 1) for one in others),
            mine,
            *(Send(one, 8, 2) for one in others),
        ]

    return Made("serial part", stage.machine, *_each_step(stage, body), (last,))


def mesh_read_once(random: Random) -> Made:
    """Rank 0 reads the mesh once, and all others wait for the broadcast."""
    stage = Stage(random)
    reading, style = _size(random, 0.08, 0.6) * stage.steps, stage.style()

    def make(fault: bool) -> Programs:
        return [
            [
                stage.seconds(reading * stage.share(fault, rank == 0)),
                Collective("Bcast", 2_000_000),
                *(
                    part
                    for step in range(stage.steps)
                    for part in (stage.seconds(), *stage.end_of_step(rank, step, style))
                ),
            ]
            for rank in range(stage.ranks)
        ]

    return Made("late root", stage.machine, *_twice(stage, make), (0,))


def result_written_at_the_end(random: Random) -> Made:
    """Rank 0 gathers the result once, and writes it while the others wait to end."""
    stage = Stage(random)
    writing, style = _size(random, 0.08, 0.6) * stage.steps, stage.style()

    def make(fault: bool) -> Programs:
        return [
            [
                *(
                    part
                    for step in range(stage.steps)
                    for part in (stage.seconds(), *stage.end_of_step(rank, step, style))
                ),
                Collective("Gather", 100_000),
                stage.seconds(writing * stage.share(fault, rank == 0)),
            ]
            for rank in range(stage.ranks)
        ]

    return Made("serial part", stage.machine, *_twice(stage, make), (0,))


def merged_up_a_tree(random: Random) -> Made:
    """Results are merged up a binary tree of messages; a merge takes time, and grows with what is
    in it, so that rank 0 does most of it."""
    stage = Stage(random, fewest=8)
    unit = _size(random, 0.1, 0.6) / stage.ranks

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds()]
        away = 1
        while away < stage.ranks:
            if rank % (2 * away) == away:
                parts.append(Send(rank - away, 500 * away, 3))
                break
            if rank + away < stage.ranks:
                parts.append(Receive(rank + away, 3))
                parts.append(stage.seconds(unit * (away if fault else 1)))
            away *= 2
        return [*parts, Collective("Bcast", 800)]

    return Made("serial part", stage.machine, *_each_step(stage, body), (0,))


def _cycle(stage: Stage, coarse: Callable[[bool, int], float]):
    """V-cycles: on coarser levels fewer ranks take part, on the coarsest one rank 0 alone."""
    levels = int(math.log2(stage.ranks))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        down: List[NamedTuple] = []
        for level in range(levels):
            away = 2**level
            inside = tuple(range(0, stage.ranks, away))
            if rank % away == 0:
                work = stage.seconds(1 / 8**level)
                down += [work, Collective("Allreduce", 8, members=inside)]
                if rank % (2 * away):
                    down.append(Send(rank - away, 4000 >> level, 4))
                elif rank + away < stage.ranks:
                    down.append(Receive(rank + away, 4))
        bottom = stage.seconds(coarse(fault, rank))
        return [*down, bottom, Collective("Bcast", 200), stage.seconds(0.5)]

    return _each_step(stage, body)


def coarse_grid_on_rank_0(random: Random) -> Made:
    """Multigrid whose coarsest level is solved by rank 0, and takes long."""
    stage = Stage(random, fewest=8)
    alone = _size(random, 0.1, 0.6)
    made = _cycle(stage, lambda fault, rank: alone * stage.share(fault, rank == 0))
    return Made("serial part", stage.machine, *made, (0,))


# Late in turns.


def stiff_cells(random: Random) -> Made:
    """Chemistry: in each step and on each rank some cells need many more iterations than others,
    never the same."""
    stage = Stage(random, fewest=8, most=48)
    wide, style = random.uniform(0.05, 0.5), random.choice(["sum", "both", "barrier"])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        drawn = random.expovariate(1)
        return [
            stage.seconds(1 + wide * (drawn if fault else 1)),
            *stage.end_of_step(rank, step, style),
        ]

    return Made("late in turns", stage.machine, *_each_step(stage, body))


def os_jitter(random: Random) -> Made:
    """A daemon wakes up on every core, at its own time on each, once in some steps."""
    stage = Stage(random, fewest=24, most=64)
    often, held = random.choice([7, 16, 30]), random.uniform(0.1, 0.6)
    phase = [random.randrange(often) for _ in range(stage.ranks)]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        mine = float(step % often == phase[rank]) if fault else 1 / often
        return [stage.seconds(1 + held * mine), Collective("Allreduce", 8)]

    return Made("late in turns", stage.machine, *_each_step(stage, body))


def regridded(random: Random) -> Made:
    """After every regrid other ranks have more to do, until the next one."""
    stage = Stage(random, fewest=8)
    often, more, style = random.choice([6, 10, 15]), _size(random, 0.1, 1.0), stage.style()
    heavy = [random.randrange(stage.ranks) for _ in range(stage.steps // often + 1)]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        mine = rank == heavy[step // often]
        regrid = [Collective("Allgather", 400)] if step % often == 0 else []
        factor = 1 + more * stage.share(fault, mine)
        return [*regrid, stage.seconds(factor), *stage.end_of_step(rank, step, style)]

    return Made("drifting imbalance", stage.machine, *_each_step(stage, body))


def panels(random: Random) -> Made:
    """A factorisation: the owner of a panel, another rank in each step, factors it alone and then
    broadcasts it; all update."""
    stage = Stage(random, most=24)
    panel, size = _size(random, 0.08, 0.6), random.choice([20_000, 200_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        owner = step % stage.ranks
        mine = stage.seconds(panel * stage.share(fault, rank == owner))
        return [mine, Collective("Bcast", size, root=owner), stage.seconds()]

    return Made("rotating root", stage.machine, *_each_step(stage, body))


# Messages.


def busy_analysis(random: Random) -> Made:
    """In-situ analysis: some ranks take a large array of the others now and then, and work on it
    for longer than it takes to compute the next."""
    stage = Stage(random, fewest=8)
    analysts = max(1, stage.ranks // 8)
    first, often = stage.ranks - analysts, random.choice([2, 4, 8])
    computing = tuple(range(first))
    groups = [[one for one in computing if one % analysts == place] for place in range(analysts)]
    slower = 1 + _size(random, 0.08, 1.0)

    def make(fault: bool) -> Programs:
        made = []
        for rank in computing:
            parts: List[NamedTuple] = []
            for step in range(stage.steps):
                parts += [stage.seconds(), Collective("Allreduce", 8, members=computing)]
                if step % often == often - 1:
                    parts.append(Send(first + rank % analysts, 500_000, 3))
            made.append(parts)
        for group in groups:
            each = often / len(group) * (slower if fault else 0.9)
            made.append(
                [
                    part
                    for _ in range(stage.steps // often)
                    for one in group
                    for part in (Receive(one, 3), stage.seconds(each))
                ]
            )
        return made

    return Made(
        "busy consumer", stage.machine, *_twice(stage, make), tuple(range(first, stage.ranks))
    )


def received_after_work(random: Random) -> Made:
    """Messages a little larger than the eager limit, whose receiver first does something else: the
    sender waits for the end of its send before it goes on."""
    stage = Stage(random, most=24)
    size, share = random.choice([9_000, 16_000]), _size(random, 0.06, 0.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        other, late = rank ^ 1, share if fault else 0.0
        if (rank + step) % 2:
            return [
                Send(other, size, 1, 1),
                Wait((1,)),
                stage.seconds(),
            ]
        return [stage.seconds(late), Receive(other, 1, 1), Wait((1,)), stage.seconds(1 - late)]

    return Made("late receiver", stage.machine, *_each_step(stage, body))


def slow_link(random: Random) -> Made:
    """Halos over four hosts; between two of them everything takes much longer."""
    stage = Stage(random, fewest=16, most=48)
    _hosts(stage, 4)
    stage.halo = random.choice([200_000, 1_000_000])
    one = random.randrange(3)
    there = stage.halo / stage.machine.bandwidth[1]
    stage.work = there * random.uniform(8, 15)
    times = 1 + _size(random, 0.06, 0.6) * stage.work / there
    slow = stage.machine._replace(slow=((one, one + 1, times),))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        return [stage.seconds(), *stage.exchange(rank, step)]

    made = _each_step(stage, body)
    return Made("slow network path", slow, *made, (), stage.machine)


def not_overlapped(random: Random) -> Made:
    """Large halos that are posted and completed before the work that does not need them."""
    stage = Stage(random)
    stage.work = 5e-3
    stage.halo = int(_size(random, 0.1, 0.6) * stage.work * stage.machine.bandwidth[0])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts = stage.exchange(rank, step)
        inner, outer = stage.seconds(0.9), stage.seconds(0.1)
        if fault:
            return [*parts, inner, outer]
        return [*parts[:-1], inner, parts[-1], outer]

    return Made("transfer of large messages", stage.machine, *_each_step(stage, body))


def gradient_ring(random: Random) -> Made:
    """Gradients are added up round a ring by hand, in as many large messages as there are ranks."""
    stage = Stage(random, fewest=4, most=16)
    stage.steps, stage.work = 40, 8e-3
    moved = _size(random, 0.1, 0.8) * stage.work
    size = int(moved / (2 * (stage.ranks - 1)) * stage.machine.bandwidth[0])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        left, right = (rank - 1) % stage.ranks, (rank + 1) % stage.ranks
        given = size if fault else size // 16
        turn = [Receive(left, 1, 1), Send(right, given, 1, 2), Wait((1, 2))]
        return [stage.seconds(), *(turn * (2 * (stage.ranks - 1)))]

    return Made("transfer of large messages", stage.machine, *_each_step(stage, body))


def everybody_is_asked(random: Random) -> Made:
    """Each rank sends each other rank how much will follow, nothing to most, where two of them are
    its neighbours."""
    stage = Stage(random, fewest=24, most=64)
    stage.steps = 15
    cost = stage.machine.overhead * 2 * (stage.ranks - 1)
    stage.work = cost / _size(random, 0.1, 0.8)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        away = range(1, stage.ranks) if fault else (1, stage.ranks - 1)
        receives = [Receive((rank - one) % stage.ranks, one, one) for one in away]
        sends = [Send((rank + one) % stage.ranks, 8, one, 100 + one) for one in away]
        every = [*receives, *sends]
        return [stage.seconds(), *every, Wait(tuple(one.request for one in every))]

    return Made("many small messages", stage.machine, *_each_step(stage, body))


def solver_along_lines(random: Random) -> Made:
    """Lines that cross all ranks are eliminated forward from rank to rank and substituted back, in
    a few bundles."""
    stage = Stage(random, most=16)
    bundles, share = random.choice([1, 2, 4]), _size(random, 0.1, 0.8)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        part = share / stage.ranks / bundles / 2
        if not fault:
            return [stage.seconds(), stage.seconds(share / stage.ranks), Collective("Allreduce", 8)]
        parts: List[NamedTuple] = [stage.seconds()]
        for tag, forward in ((1, True), (2, False)):
            before, after = (rank - 1, rank + 1) if forward else (rank + 1, rank - 1)
            for _ in range(bundles):
                parts += [Receive(before, tag)] if 0 <= before < stage.ranks else []
                parts.append(stage.seconds(part))
                parts += [Send(after, 1600, tag)] if 0 <= after < stage.ranks else []
        return [*parts, Collective("Allreduce", 8)]

    return Made("one after the other", stage.machine, *_each_step(stage, body))


def shared_counter(random: Random) -> Made:
    """Tasks are taken from a counter on rank 0, behind an exclusive lock: they are so short that
    the ranks queue for it."""
    stage = Stage(random, fewest=8, most=24)
    stage.steps = 150
    held = 5 * stage.machine.latency[stage.hosts > 1]
    stage.work = held * stage.ranks / random.uniform(1.1, 2.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        tasks = 1 if fault or step % 20 == 0 else 0
        return [*([Lock(0), Put(0, 8), Unlock(0)] * tasks), stage.seconds()]

    return Made("lock contention", stage.machine, *_each_step(stage, body))


def norm_in_each_iteration(random: Random) -> Made:
    """A solver of short iterations reduces a norm to rank 0, which broadcasts whether to go on, in
    each of them; one in ten would do."""
    stage = Stage(random, fewest=8)
    stage.steps = 600
    stages = math.ceil(math.log2(stage.ranks))
    stage.work = 2 * stages * stage.machine.latency[stage.hosts > 1] / _size(random, 0.1, 0.8)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        checked = [Collective("Reduce", 8), Collective("Bcast", 4)]
        return [stage.seconds(), *(checked if fault or step % 10 == 9 else [])]

    return Made("many small collective calls", stage.machine, *_each_step(stage, body))


def transposes(random: Random) -> Made:
    """Spectral steps: two transposes of everything in each."""
    stage = Stage(random, fewest=8, most=48)
    stage.steps, stage.work = 50, 6e-3
    cost = _size(random, 0.08, 0.8) * stage.work / 2
    size = int(cost / (stage.ranks - 1) * stage.machine.bandwidth[stage.hosts > 1])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        moved = Collective("Alltoall", size if fault else size // 20)
        return [stage.seconds(0.5), moved, stage.seconds(0.5), moved]

    return Made("transfer of all-to-all", stage.machine, *_each_step(stage, body))


# Healthy, and looks as if it were not.


def healthy_coarse_grids(random: Random) -> Made:
    """Multigrid whose coarse levels leave most ranks idle, for next to no time."""
    stage = Stage(random, fewest=8)
    tiny = random.uniform(0.002, 0.015)
    return Made("healthy", stage.machine, *_cycle(stage, lambda fault, rank: tiny * (rank == 0)))


def healthy_chain(random: Random) -> Made:
    """Numbers of the first particle go from rank to rank in each step, which takes no time."""
    stage = Stage(random, most=16)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        before: List[NamedTuple] = [Receive(rank - 1, 1)] if rank else []
        after: List[NamedTuple] = [Send(rank + 1, 8, 1)] if rank < stage.ranks - 1 else []
        return [stage.seconds(), *before, *after, Collective("Allreduce", 8)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_analysis(random: Random) -> Made:
    """In-situ analysis by the last rank, which is done long before the next array comes."""
    stage = Stage(random, fewest=12)
    last, often = stage.ranks - 1, random.choice([2, 5, 10])
    computing, each = tuple(range(last)), random.uniform(0.1, 0.7)

    def make(fault: bool) -> Programs:
        made = []
        for rank in computing:
            parts: List[NamedTuple] = []
            for step in range(stage.steps):
                parts += [stage.seconds(), Collective("Allreduce", 8, members=computing)]
                if step % often == often - 1:
                    parts += [Wait((1,))] if step >= often else []
                    parts.append(Send(last, 60_000, 3, 1))
            made.append([*parts, Wait((1,))])
        server: List[NamedTuple] = []
        for _ in range(stage.steps // often):
            for one in computing:
                server += [Receive(one, 3), stage.seconds(each * often / last)]
        return [*made, server]

    return Made("healthy", stage.machine, *_twice(stage, make))


def healthy_small_messages(random: Random) -> Made:
    """Tens of thousands of small messages, in steps so long that they do not count."""
    stage = Stage(random, most=12)
    stage.steps, stage.work = 40, random.uniform(0.02, 0.05)
    pieces = random.choice([100, 250])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        left, right = (rank - 1) % stage.ranks, (rank + 1) % stage.ranks
        return [stage.seconds(), *([Send(right, 40, 1), Receive(left, 1)] * pieces)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_opposite_phases(random: Random) -> Made:
    """Two phases that are uneven the opposite way round, with nothing between them."""
    stage = Stage(random)
    wide = random.uniform(0.2, 0.8)
    heavy = [rank % 2 for rank in range(stage.ranks)]
    random.shuffle(heavy)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        first = stage.seconds(0.5 * (1 + wide * heavy[rank]))
        pair = (rank - rank % 2, rank - rank % 2 + 1)
        ready = [Send(rank ^ 1, 100, 2, 1)] if pair[1] < stage.ranks else []
        second = stage.seconds(0.5 * (1 + wide * (1 - heavy[rank])))
        got = [Receive(rank ^ 1, 2, 2), Wait((1, 2))] if ready else []
        return [first, *ready, second, *got, Collective("Allreduce", 8)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_spare_rank(random: Random) -> Made:
    """One of many ranks is kept idle, and takes part in sums only."""
    stage = Stage(random, fewest=32, most=64)
    idle = random.choice([0, stage.ranks - 1])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        return [stage.seconds(0.01 if rank == idle else 1), Collective("Allreduce", 40)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_slow_link(random: Random) -> Made:
    """Between two hosts everything takes three times as long, and hardly anything goes there."""
    stage = Stage(random, fewest=16, most=48)
    _hosts(stage, 4)
    stage.halo = 4096
    slow = stage.machine._replace(slow=((1, 2, 3.0),))
    made = _each_step(
        stage, lambda fault, rank, step: [stage.seconds(), *stage.exchange(rank, step)]
    )
    return Made("healthy", slow, *made, (), stage.machine)


def healthy_counter(random: Random) -> Made:
    """Tasks are taken from a counter behind a lock, and take long."""
    stage = Stage(random, fewest=8, most=24)
    stage.noise = 0.2

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        return [Lock(0), Put(0, 8), Unlock(0), stage.seconds()]

    def make(fault: bool) -> Programs:
        made = []
        for rank in range(stage.ranks):
            parts = [part for step in range(stage.steps) for part in body(fault, rank, step)]
            spent = sum(part.seconds for part in parts if isinstance(part, Compute))
            rest = max(0.0, 1.02 * stage.steps * stage.work - spent)
            made.append([*parts, Compute(rest)])
        return made

    return Made("healthy", stage.machine, *_twice(stage, make))


def healthy_barriers(random: Random) -> Made:
    """Thousands of barriers in a program of even work, where each takes next to nothing."""
    stage = Stage(random, most=16)
    stage.steps, stage.work, stage.noise = 2500, random.uniform(1e-3, 3e-3), 0.002

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        return [stage.seconds(), Collective("Barrier", 0)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_duplicates(random: Random) -> Made:
    """Libraries duplicate communicators, a hundred times before the first step and never again."""
    stage = Stage(random)
    style = stage.style()

    def make(fault: bool) -> Programs:
        return [
            [
                *([Collective("Comm_dup", 0)] * 100),
                *(
                    part
                    for step in range(stage.steps)
                    for part in (stage.seconds(), *stage.end_of_step(rank, step, style))
                ),
            ]
            for rank in range(stage.ranks)
        ]

    return Made("healthy", stage.machine, *_twice(stage, make))


def healthy_light_root(random: Random) -> Made:
    """Rank 0 was given fewer cells, since it also collects a line of each rank."""
    stage = Stage(random, fewest=16, most=48)
    less = random.uniform(0.1, 0.4)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        work = stage.seconds(1 - less * (rank == 0))
        if rank:
            return [work, Send(0, 120, 1), Collective("Allreduce", 8)]
        lines = [Receive(one, 1) for one in range(1, stage.ranks)]
        return [work, *lines, Collective("Allreduce", 8)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_rotating_root(random: Random) -> Made:
    """Each step another rank broadcasts what it had long before."""
    stage = Stage(random)
    size = random.choice([800, 20_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        return [Collective("Bcast", size, root=step % stage.ranks), stage.seconds()]

    return Made("healthy", stage.machine, *_each_step(stage, body))


SKELETONS: Dict[str, Callable[[Random], Made]] = {
    each.__name__: each
    for each in (
        corner_halos,
        sparse_rows,
        particles_pile_up,
        one_long_task,
        heavy_pencils,
        coupled_by_roots,
        unpacked_as_they_come,
        exposed_halos,
        subcycling,
        writer_of_each_host,
        slow_node_of_eight,
        last_rank_keeps_the_log,
        mesh_read_once,
        result_written_at_the_end,
        merged_up_a_tree,
        coarse_grid_on_rank_0,
        stiff_cells,
        os_jitter,
        regridded,
        panels,
        busy_analysis,
        received_after_work,
        slow_link,
        not_overlapped,
        gradient_ring,
        everybody_is_asked,
        solver_along_lines,
        shared_counter,
        norm_in_each_iteration,
        transposes,
        healthy_coarse_grids,
        healthy_chain,
        healthy_analysis,
        healthy_small_messages,
        healthy_opposite_phases,
        healthy_spare_rank,
        healthy_slow_link,
        healthy_counter,
        healthy_barriers,
        healthy_duplicates,
        healthy_light_root,
        healthy_rotating_root,
    )
}
