"""Families of a sixth round, written before any rule was read for it, and committed before any of
them was judged."""

from __future__ import annotations

from random import Random
from typing import Callable, Dict, List, NamedTuple

from programs import Made, Programs, Stage, _each_step, _twice
from simulator import (
    Collective,
    Compute,
    Epoch,
    Lock,
    Machine,
    Poll,
    Put,
    Receive,
    Send,
    Unlock,
    Wait,
)
from skeleton_programs import _of_host, _size


def polled_halos(random: Random) -> Made:
    """Halos are polled for with pieces of other work between; one rank has more cells."""
    stage = Stage(random, fewest=6, most=32)
    more, late = _size(random, 0.1, 0.8), stage.some
    every = stage.work / random.choice([40, 120])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        factor = 1 + more * stage.share(fault, rank == late)
        parts = stage.exchange(rank, step)
        return [stage.seconds(factor), *parts[:-1], Poll((1, 2, 3, 4), every)]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), (late,))


def epochs_of_a_late_rank(random: Random) -> Made:
    """Halos by MPI_Put between post, start, complete and wait; one rank has more cells."""
    stage = Stage(random, fewest=6, most=32)
    more, late = _size(random, 0.1, 0.8), stage.some

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        both = tuple(sorted({(rank - 1) % stage.ranks, (rank + 1) % stage.ranks}))
        factor = 1 + more * stage.share(fault, rank == late)
        return [
            Epoch("Win_post", both),
            stage.seconds(factor),
            Epoch("Win_start", both),
            *(Put(one, stage.halo) for one in both),
            Epoch("Win_complete", both),
            Epoch("Win_wait", both),
        ]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), (late,))


def rows_of_a_grid(random: Random) -> Made:
    """Sums along the rows and then along the columns of a grid of ranks; one row has more work."""
    stage = Stage(random, fewest=12, most=48)
    wide = 4 if stage.ranks % 4 == 0 else 3 if stage.ranks % 3 == 0 else 2
    rows = stage.ranks // wide
    heavy, more = random.randrange(rows), _size(random, 0.1, 0.6)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        row, column = divmod(rank, wide)
        factor = 1 + more * (float(row == heavy) if fault else 1 / rows)
        along = tuple(range(row * wide, row * wide + wide))
        across = tuple(range(column, stage.ranks, wide))
        return [
            stage.seconds(factor),
            Collective("Allreduce", 800, members=along),
            Collective("Allreduce", 800, members=across),
        ]

    culprits = tuple(range(heavy * wide, heavy * wide + wide))
    return Made("load imbalance", stage.machine, *_each_step(stage, body), culprits)


def one_phase_of_three(random: Random) -> Made:
    """Three phases a step, each with a sum; in the second of them two ranks have more to do."""
    stage = Stage(random, fewest=8, most=48)
    late = tuple(sorted(random.sample(range(stage.ranks), 2)))
    more = _size(random, 0.2, 1.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        share = float(rank in late) if fault else 2 / stage.ranks
        parts: List[NamedTuple] = []
        for factor in (0.4, 0.3 * (1 + more * share), 0.3):
            parts += [stage.seconds(factor), Collective("Allreduce", 8)]
        return parts

    return Made("load imbalance", stage.machine, *_each_step(stage, body), late)


def cyclic_ranks_on_a_slow_host(random: Random) -> Made:
    """Ranks are dealt to the hosts one by one; all of one host compute slower."""
    stage = Stage(random, fewest=12, most=48)
    hosts = random.choice([2, 3, 4])
    stage.hosts = hosts
    stage.machine = Machine(tuple(rank % hosts for rank in range(stage.ranks)))
    slow, more, style = random.randrange(hosts), _size(random, 0.1, 0.5), stage.style()

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        factor = 1 + more * (fault and rank % hosts == slow)
        return [stage.seconds(factor), *stage.end_of_step(rank, step, style)]

    return Made("slow host", stage.machine, *_each_step(stage, body), _of_host(stage, slow))


def sent_before_received(random: Random) -> Made:
    """All send a large block to the right before they receive; only the last rank receives first,
    so that the blocks go one after the other."""
    stage = Stage(random, fewest=6, most=16)
    size = random.choice([300_000, 2_000_000])
    one = size / stage.machine.bandwidth[0]
    stage.steps, stage.work = 60, one * stage.ranks / _size(random, 0.15, 1.0)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        last = stage.ranks - 1
        right, left = (rank + 1) % stage.ranks, (rank - 1) % stage.ranks
        blocking: List[NamedTuple] = [Send(right, size, 1), Receive(left, 1)]
        if fault:
            return [stage.seconds(), *(blocking[::-1] if rank == last else blocking)]
        return [stage.seconds(), Receive(left, 1, 1), Send(right, size, 1, 2), Wait((1, 2))]

    return Made("one after the other", stage.machine, *_each_step(stage, body))


def files_read_in_turn(random: Random) -> Made:
    """Each rank waits for a word of the rank before it, reads its file, and tells the next, once in
    some steps."""
    stage = Stage(random, fewest=6, most=24)
    often = random.choice([5, 10])
    reading = _size(random, 0.1, 0.8) * often / stage.ranks

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds(), Collective("Allreduce", 8)]
        if step % often:
            return parts
        turn: List[NamedTuple] = [stage.seconds(reading)]
        if fault and rank:
            turn.insert(0, Receive(rank - 1, 9))
        if fault and rank < stage.ranks - 1:
            turn.append(Send(rank + 1, 4, 9))
        return [*turn, *parts]

    return Made("one after the other", stage.machine, *_each_step(stage, body))


def seeds_scattered_late(random: Random) -> Made:
    """The last rank prepares the input of each step alone, and scatters it."""
    stage = Stage(random, fewest=6, most=48)
    root, alone = stage.ranks - 1, _size(random, 0.1, 0.6)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        before = alone * stage.share(fault, rank == root)
        return [
            stage.seconds(before),
            Collective("Scatter", 20_000, root=root),
            stage.seconds(),
            Collective("Allreduce", 8),
        ]

    return Made("late root", stage.machine, *_each_step(stage, body), (root,))


def moments_one_by_one(random: Random) -> Made:
    """Statistics of a field: hundreds of sums of one number, which could be one sum."""
    stage = Stage(random, fewest=16, most=64)
    stage.steps, count = 40, random.choice([200, 400])
    stage.work = count * 12e-6 / _size(random, 0.15, 0.8)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        sums = (
            [Collective("Allreduce", 8)] * count if fault else [Collective("Allreduce", 8 * count)]
        )
        return [stage.seconds(), *stage.exchange(rank, step), *sums]

    return Made("many small collective calls", stage.machine, *_each_step(stage, body))


def tasks_from_a_counter(random: Random) -> Made:
    """Each rank draws its next task from a counter behind an exclusive lock; tasks are tiny."""
    stage = Stage(random, fewest=12, most=32)
    stage.steps = 300
    held = 2 * stage.machine.cost(0, stage.ranks - 1, 0) * 2 + 4e-6
    stage.work = held * stage.ranks * random.uniform(0.3, 0.8)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        if not fault and step % 20:
            return [stage.seconds()]
        return [stage.seconds(), Lock(0), Put(0, 8), Unlock(0)]

    return Made("lock contention", stage.machine, *_each_step(stage, body))


def load_that_wanders(random: Random) -> Made:
    """A storm moves through the domain: for each tenth of the run, other ranks have more."""
    stage = Stage(random, fewest=12, most=48)
    stage.steps = 120
    more, wide = _size(random, 0.15, 0.8), max(1, stage.ranks // 8)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        begin = (step // 12) * stage.ranks // 10
        inside = (rank - begin) % stage.ranks < wide
        factor = 1 + more * (float(inside) if fault else wide / stage.ranks)
        return [stage.seconds(factor), *stage.exchange(rank, step), Collective("Allreduce", 8)]

    return Made("drifting imbalance", stage.machine, *_each_step(stage, body))


def server_of_states(random: Random) -> Made:
    """All ranks ask rank 0 for a value in each step, and it computes each answer."""
    stage = Stage(random, fewest=6, most=24)
    asked = stage.ranks - 1
    answer = _size(random, 0.2, 1.2) / asked

    def make(fault: bool) -> Programs:
        server: List[NamedTuple] = []
        for step in range(stage.steps):
            for rank in range(1, stage.ranks):
                server += [Receive(rank, 3), stage.seconds(answer if fault else 1e-4)]
                server.append(Send(rank, 64, 4))
            server.append(Collective("Barrier", 0))
        made: Programs = [server]
        for rank in range(1, stage.ranks):
            parts: List[NamedTuple] = []
            for step in range(stage.steps):
                parts += [stage.seconds(), Send(0, 16, 3), Receive(0, 4), Collective("Barrier", 0)]
            made.append(parts)
        return made

    return Made("busy manager", stage.machine, *_twice(stage, make), (0,))


def healthy_pairs(random: Random) -> Made:
    """Pairs of ranks exchange blocks that are small beside their work, with other partners in each
    step."""
    stage = Stage(random, fewest=8, most=32)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        other = rank ^ (1 << (step % 3)) if stage.ranks in (8, 16, 32) else rank ^ 1
        swap = [Receive(other, 1, 1), Send(other, 20_000, 1, 2), Wait((1, 2))]
        return [stage.seconds(), *swap]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_growing_work(random: Random) -> Made:
    """The work of all ranks grows alike from step to step."""
    stage = Stage(random)
    style = stage.style()

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        return [stage.seconds(1 + step / stage.steps), *stage.end_of_step(rank, step, style)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_epochs(random: Random) -> Made:
    """One-sided halos, with the epoch opened before the work, so that nobody waits."""
    stage = Stage(random, fewest=6, most=32)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        both = tuple(sorted({(rank - 1) % stage.ranks, (rank + 1) % stage.ranks}))
        return [
            Epoch("Win_post", both),
            stage.seconds(),
            Epoch("Win_start", both),
            *(Put(one, 4000) for one in both),
            Epoch("Win_complete", both),
            Epoch("Win_wait", both),
        ]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_setup(random: Random) -> Made:
    """Rank 0 reads the input before the first step, which takes a fiftieth of the run."""
    stage = Stage(random, fewest=6)
    style = stage.style()

    def make(fault: bool) -> Programs:
        made = []
        for rank in range(stage.ranks):
            parts: List[NamedTuple] = [Compute(stage.work * stage.steps / 50 * (rank == 0))]
            parts.append(Collective("Bcast", 100_000))
            for step in range(stage.steps):
                parts += [stage.seconds(), *stage.end_of_step(rank, step, style)]
            made.append(parts)
        return made

    return Made("healthy", stage.machine, *_twice(stage, make))


UNSEEN: Dict[str, Callable[[Random], Made]] = {
    each.__name__: each
    for each in (
        polled_halos,
        epochs_of_a_late_rank,
        rows_of_a_grid,
        one_phase_of_three,
        cyclic_ranks_on_a_slow_host,
        sent_before_received,
        files_read_in_turn,
        seeds_scattered_late,
        moments_one_by_one,
        tasks_from_a_counter,
        load_that_wanders,
        server_of_states,
        healthy_pairs,
        healthy_growing_work,
        healthy_epochs,
        healthy_setup,
    )
}
