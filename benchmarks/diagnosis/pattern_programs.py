"""Families written without a look at the rules, and committed before any of them was judged: their
first result is that of programs that no rule was made for."""

from __future__ import annotations

from random import Random
from typing import Callable, Dict, List, NamedTuple

from programs import Made, Programs, Stage, _each_step, _twice
from simulator import Collective, Epoch, Poll, Put, Receive, Send
from skeleton_programs import _size


def _few_on_the_last(stage: Stage) -> int:
    """Two hosts of which the second has a third of the ranks; the first rank there."""
    first = stage.ranks - stage.ranks // 3
    host = tuple(int(rank >= first) for rank in range(stage.ranks))
    stage.machine, stage.hosts = stage.machine._replace(host=host), 2
    return first


def opposite_phases(random: Random) -> Made:
    """The first half of the ranks has more in one phase, the second half in the other; a sum
    between the phases makes both wait."""
    stage = Stage(random, fewest=6)
    more = _size(random, 0.15, 0.8)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = []
        for phase in (False, True):
            extra = 2 * more * ((rank >= stage.ranks // 2) == phase) if fault else more
            parts += [stage.seconds((1 + extra) / 2), Collective("Allreduce", 8)]
        return parts

    return Made("late in turns", stage.machine, *_each_step(stage, body))


def another_late_at_each_halo(random: Random) -> Made:
    """Three halos in a step, and before each another rank has more to do."""
    stage = Stage(random, fewest=6, most=24)
    more = _size(random, 0.1, 0.6)
    late = random.sample(range(stage.ranks), 3)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = []
        for one in late:
            extra = more * stage.share(fault, rank == one)
            parts += [stage.seconds((1 + 3 * extra) / 3), *stage.exchange(rank, step)]
        return parts

    return Made("late in turns", stage.machine, *_each_step(stage, body))


def fence_waits_for_one(random: Random) -> Made:
    """Halos are put to both neighbours between fences; one rank has more to compute."""
    stage = Stage(random)
    more, late = _size(random, 0.1, 0.8), stage.some

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        puts = [Put((rank + way) % stage.ranks, stage.halo) for way in (1, -1)]
        work = stage.seconds(1 + more * stage.share(fault, rank == late))
        return [work, *puts, Collective("Win_fence", 0)]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), (late,))


def polled_halo_of_a_late_rank(random: Random) -> Made:
    """All ranks ask for their halos again and again; one rank has more to compute."""
    stage = Stage(random, most=16)
    stage.steps = 40
    more, late = _size(random, 0.15, 0.8), stage.some

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        work = stage.seconds(1 + more * stage.share(fault, rank == late))
        posted = stage.exchange(rank, step)[:-1]
        return [work, *posted, Poll((1, 2, 3, 4), stage.work / 100)]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), (late,))


def gathered_and_sent_back(random: Random) -> Made:
    """Rank 0 gathers a field of all ranks and broadcasts it whole, where an allgather would do."""
    stage = Stage(random, fewest=8, most=32)
    stage.steps, stage.work = 50, 5e-3
    size = int(_size(random, 0.15, 0.8) * stage.work * 9e9 / stage.ranks / 3)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        if fault:
            both = [Collective("Gather", size), Collective("Bcast", size * stage.ranks)]
            return [stage.seconds(), *both]
        return [stage.seconds(), Collective("Allgather", size)]

    return Made("everything goes to one rank", stage.machine, *_each_step(stage, body), (0,))


def sums_by_a_tree_of_messages(random: Random) -> Made:
    """Sums of one number are made by hand, up a tree and down again, one for each field."""
    stage = Stage(random, fewest=8, most=16)
    stage.steps, fields = 20, random.choice([40, 100])
    stage.work = fields * 2e-5 / _size(random, 0.2, 0.8)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        if not fault:
            return [stage.seconds(), Collective("Allreduce", 8 * fields)]
        below = [one for one in (2 * rank + 1, 2 * rank + 2) if one < stage.ranks]
        tree: List[NamedTuple] = [Receive(one, 1) for one in below]
        if rank:
            tree += [Send((rank - 1) // 2, 8, 1), Receive((rank - 1) // 2, 2)]
        tree += [Send(one, 8, 2) for one in below]
        return [stage.seconds(), *(tree * fields)]

    return Made("many small messages", stage.machine, *_each_step(stage, body))


def input_read_in_turn(random: Random) -> Made:
    """Each rank reads its input when the one before has done so."""
    stage = Stage(random, fewest=6)
    reading = _size(random, 0.1, 0.6) * stage.steps / stage.ranks

    def make(fault: bool) -> Programs:
        made = []
        for rank in range(stage.ranks):
            parts: List[NamedTuple] = [Receive(rank - 1, 7)] if fault and rank else []
            parts.append(stage.seconds(reading))
            if fault and rank + 1 < stage.ranks:
                parts.append(Send(rank + 1, 4, 7))
            for step in range(stage.steps):
                parts += [stage.seconds(), *stage.end_of_step(rank, step, "both")]
            made.append(parts)
        return made

    return Made("one after the other", stage.machine, *_twice(stage, make))


def output_server_too_busy(random: Random) -> Made:
    """The last rank takes large blocks of all others and writes each; they wait to be rid of
    them."""
    stage = Stage(random, fewest=6, most=16)
    last = stage.ranks - 1
    writing = (1 + _size(random, 0.15, 1.0)) / last

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        if rank < last:
            return [stage.seconds(), Send(last, 200_000, 3)]
        share = writing if fault else 0.3 / last
        return [part for one in range(last) for part in (Receive(one, 3), stage.seconds(share))]

    return Made("busy consumer", stage.machine, *_each_step(stage, body), (last,))


def slow_host_of_few(random: Random) -> Made:
    """Two hosts with different numbers of ranks; all ranks of the smaller one are slower."""
    stage = Stage(random, fewest=12)
    first, style = _few_on_the_last(stage), stage.style()
    ranks, more = tuple(range(first, stage.ranks)), _size(random, 0.1, 0.6)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        work = stage.seconds(1 + more * (fault and rank in ranks))
        return [work, *stage.end_of_step(rank, step, style)]

    return Made("slow host", stage.machine, *_each_step(stage, body), ranks)


def slow_core_that_wanders(random: Random) -> Made:
    """One rank is slow for some ten steps, then another."""
    stage = Stage(random, fewest=6)
    style, long, more = stage.style(), random.choice([8, 15]), _size(random, 0.1, 0.8)
    order = [random.randrange(stage.ranks) for _ in range(stage.steps)]

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        work = stage.seconds(1 + more * (fault and order[step // long] == rank))
        return [work, *stage.end_of_step(rank, step, style)]

    return Made("drifting imbalance", stage.machine, *_each_step(stage, body))


def transposed_twice(random: Random) -> Made:
    """Two transposes in a step by MPI_Alltoallv, whose data is most of the time."""
    stage = Stage(random, fewest=8)
    stage.steps, stage.work = 40, 8e-3
    size = int(_size(random, 0.1, 0.8) * stage.work * 9e9 / stage.ranks / 2)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        swap = Collective("Alltoallv", size if fault else size // 40)
        return [stage.seconds(0.5), swap, stage.seconds(0.5), swap]

    return Made("transfer of all-to-all", stage.machine, *_each_step(stage, body))


def prefix_by_hand(random: Random) -> Made:
    """A running sum over ranks: each adds its part, which takes a while, and hands it on."""
    stage = Stage(random, fewest=6, most=24)
    share = _size(random, 0.15, 1.0)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        mine = stage.seconds(share / stage.ranks)
        if not fault:
            return [stage.seconds(), mine, Collective("Scan", 8), Collective("Allreduce", 8)]
        parts: List[NamedTuple] = [stage.seconds()]
        parts += [Receive(rank - 1, 4)] if rank else []
        parts.append(mine)
        parts += [Send(rank + 1, 8, 4)] if rank + 1 < stage.ranks else []
        return [*parts, Collective("Allreduce", 8)]

    return Made("one after the other", stage.machine, *_each_step(stage, body))


def rows_and_columns(random: Random) -> Made:
    """Sums along rows and then along columns of a grid of ranks; one rank has more to do."""
    stage = Stage(random, fewest=8)
    wide, late, more = 4 if stage.ranks % 4 == 0 else 3, stage.some, _size(random, 0.1, 0.8)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        start = rank - rank % wide
        row = tuple(range(start, min(start + wide, stage.ranks)))
        column = tuple(range(rank % wide, stage.ranks, wide))
        work = stage.seconds(1 + more * stage.share(fault, rank == late))
        sums = [Collective("Allreduce", 800, members=each) for each in (row, column)]
        return [work, *sums]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), (late,))


def delay_handed_on(random: Random) -> Made:
    """A line of ranks, each of which waits for both neighbours; the delay of one rank travels."""
    stage = Stage(random, fewest=8)
    late, more = stage.some, _size(random, 0.15, 0.8)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        near = [one for one in (rank - 1, rank + 1) if 0 <= one < stage.ranks]
        work = stage.seconds(1 + more * stage.share(fault, rank == late))
        sends = [Send(one, 2000, 2) for one in near]
        return [work, *sends, *(Receive(one, 2) for one in near)]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), (late,))


def receives_after_the_work(random: Random) -> Made:
    """Even ranks send large blocks before their work is done, odd ones receive them after theirs;
    then the same the other way round."""
    stage = Stage(random, most=24)
    share = _size(random, 0.15, 0.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        other = rank ^ 1
        if rank % 2 == step % 2:
            return [stage.seconds(1 - share), Send(other, 300_000, 2), stage.seconds(share)]
        if fault:
            return [stage.seconds(), Receive(other, 2)]
        return [stage.seconds(1 - share), Receive(other, 2), stage.seconds(share)]

    return Made("late receiver", stage.machine, *_each_step(stage, body))


def parameters_broadcast_one_by_one(random: Random) -> Made:
    """Rank 0 broadcasts hundreds of single numbers in each step."""
    stage = Stage(random, fewest=8)
    stage.steps, count = 15, random.choice([100, 300])
    stage.work = count * 1e-5 / _size(random, 0.15, 0.8)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        if fault:
            pieces = [Collective("Bcast", 8)] * count
        else:
            pieces = [Collective("Bcast", 8 * count)]
        return [stage.seconds(), *pieces, Collective("Allreduce", 8)]

    return Made("many small collective calls", stage.machine, *_each_step(stage, body))


def one_long_task_at_the_end(random: Random) -> Made:
    """Tasks are shared evenly but for one long one, which one rank takes up last of all."""
    stage = Stage(random, fewest=6)
    late, long = stage.some, _size(random, 0.15, 0.6) * stage.steps

    def make(fault: bool) -> Programs:
        made = []
        for rank in range(stage.ranks):
            parts: List[NamedTuple] = []
            for _ in range(stage.steps):
                parts += [stage.seconds(), Collective("Allreduce", 8)]
            parts.append(stage.seconds(long * stage.share(fault, rank == late)))
            made.append([*parts, Collective("Reduce", 8)])
        return made

    return Made("load imbalance", stage.machine, *_twice(stage, make), (late,))


def healthy_post_and_start(random: Random) -> Made:
    """Halos by MPI_Win_post, start, complete and wait; work is even."""
    stage = Stage(random, fewest=6)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        near = ((rank - 1) % stage.ranks, (rank + 1) % stage.ranks)
        opened = [Epoch(name, near) for name in ("Win_post", "Win_start")]
        closed = [Epoch(name, near) for name in ("Win_complete", "Win_wait")]
        return [stage.seconds(), *opened, *(Put(one, stage.halo) for one in near), *closed]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_short_polls(random: Random) -> Made:
    """Ranks ask for halos that are there almost at once."""
    stage = Stage(random, most=16)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        posted = stage.exchange(rank, step)[:-1]
        return [stage.seconds(), *posted, Poll((1, 2, 3, 4), 2e-5)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_unlike_communicators(random: Random) -> Made:
    """A quarter of the ranks and the rest have communicators of their own, and meet every tenth
    step."""
    stage = Stage(random, fewest=8)
    cut = stage.ranks // 4
    groups = (tuple(range(cut)), tuple(range(cut, stage.ranks)))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        own = Collective("Allreduce", 800, members=groups[rank >= cut])
        return [stage.seconds(), own, *([Collective("Barrier", 0)] if step % 10 == 9 else [])]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_covered_halos(random: Random) -> Made:
    """Large halos travel while the inner cells are computed."""
    stage = Stage(random)
    stage.halo = 400_000

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        *posted, wait = stage.exchange(rank, step)
        return [stage.seconds(0.1), *posted, stage.seconds(0.9), wait]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_idle_server(random: Random) -> Made:
    """An output rank that has little to do, and for which nobody waits."""
    stage = Stage(random, fewest=6, most=24)
    last = stage.ranks - 1
    others = tuple(range(last))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        if rank < last:
            own = Collective("Allreduce", 8, members=others)
            return [stage.seconds(), Send(last, 4000, 3), own]
        received = (Receive(one, 3) for one in others)
        return [part for each in received for part in (each, stage.seconds(0.2 / last))]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_hosts_of_unlike_size(random: Random) -> Made:
    """Two hosts with different numbers of ranks, and even work."""
    stage = Stage(random, fewest=12)
    _few_on_the_last(stage)
    style = stage.style()

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        return [stage.seconds(), *stage.end_of_step(rank, step, style)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_few_broadcasts(random: Random) -> Made:
    """Each step, rank 0 broadcasts a time step and all add up their norms."""
    stage = Stage(random)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        few = [Collective("Bcast", 8), Collective("Allreduce", 64), Collective("Reduce", 8)]
        return [stage.seconds(), *few]

    return Made("healthy", stage.machine, *_each_step(stage, body))


PATTERNS: Dict[str, Callable[[Random], Made]] = {
    each.__name__: each
    for each in (
        opposite_phases,
        another_late_at_each_halo,
        fence_waits_for_one,
        polled_halo_of_a_late_rank,
        gathered_and_sent_back,
        sums_by_a_tree_of_messages,
        input_read_in_turn,
        output_server_too_busy,
        slow_host_of_few,
        slow_core_that_wanders,
        transposed_twice,
        prefix_by_hand,
        rows_and_columns,
        delay_handed_on,
        receives_after_the_work,
        parameters_broadcast_one_by_one,
        one_long_task_at_the_end,
        healthy_post_and_start,
        healthy_short_polls,
        healthy_unlike_communicators,
        healthy_covered_halos,
        healthy_idle_server,
        healthy_hosts_of_unlike_size,
        healthy_few_broadcasts,
    )
}
