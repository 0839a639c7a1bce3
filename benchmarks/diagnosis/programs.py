"""Families of programs, each with one fault of known size, or with none.

A family makes a program from a source of random numbers. `cured` takes the fault out and changes
nothing else, so that what the fault costs is known: the time of one less that of the other. Work
that lay at one rank is divided among all.
"""

from __future__ import annotations

from random import Random
from typing import Callable, Dict, List, NamedTuple, Optional, Tuple

from simulator import ANY, Collective, Compute, Machine, Receive, Send, Wait

Programs = List[List[NamedTuple]]


class Made(NamedTuple):
    """`label`: as in labels.toml; `culprits`: ranks whose fault it is, empty: nobody's;
    `healed`: the machine of the cured twin, where that has the fault."""

    label: str
    machine: Machine
    faulty: Programs
    cured: Programs
    culprits: Tuple[int, ...] = ()
    healed: Optional[Machine] = None


class Stage:
    """What is common to all: ranks on hosts, steps, noise of computing."""

    def __init__(self, random: Random, fewest: int = 4, most: int = 32) -> None:
        sizes = [size for size in (4, 6, 8, 12, 16, 24, 32, 48, 64) if fewest <= size <= most]
        self.random, self.ranks = random, random.choice(sizes)
        hosts = random.choice([each for each in (1, 2, 4) if self.ranks // each >= 2])
        each = self.ranks // hosts
        self.machine = Machine(tuple(min(rank // each, hosts - 1) for rank in range(self.ranks)))
        self.hosts, self.steps = hosts, random.choice([60, 90, 140])
        self.work = random.uniform(0.04, 0.15)
        self.noise = random.uniform(0.002, 0.01)
        self.halo = random.choice([512, 4096, 40_000, 200_000])
        self.some = random.randrange(1, self.ranks)

    def seconds(self, factor: float = 1.0) -> Compute:
        """One piece of the common work, with noise."""
        return Compute(self.work * factor * max(0.1, self.random.gauss(1, self.noise)))

    def exchange(self, rank: int, step: int) -> List[NamedTuple]:
        """Halos with both neighbours in a ring: posted, then waited for."""
        left, right = (rank - 1) % self.ranks, (rank + 1) % self.ranks
        return [
            Receive(left, 1, 1),
            Receive(right, 2, 2),
            Send(right, self.halo, 1, 3),
            Send(left, self.halo, 2, 4),
            Wait((1, 2, 3, 4)),
        ]

    def end_of_step(self, rank: int, step: int, kind: str) -> List[NamedTuple]:
        """How ranks meet: `sum`, `halo`, `both`, `barrier`."""
        parts: List[NamedTuple] = []
        if kind in ("halo", "both"):
            parts += self.exchange(rank, step)
        if kind in ("sum", "both"):
            parts.append(Collective("Allreduce", 8))
        if kind == "barrier":
            parts.append(Collective("Barrier", 0))
        return parts

    def share(self, fault: bool, mine: bool) -> float:
        """Of what is too much: all of it at whom the fault is, or the same part at all ranks."""
        return float(mine) if fault else 1 / self.ranks

    def style(self) -> str:
        """One way to meet, by chance."""
        return self.random.choice(["sum", "halo", "both", "barrier"])


def _twice(stage: Stage, make: Callable[[bool], Programs]) -> Tuple[Programs, Programs]:
    """With the fault and without it, of the same random numbers. Both end as MPI programs do: all
    ranks meet in MPI_Finalize, for which a last barrier stands."""
    state = stage.random.getstate()
    made = []
    for fault in (True, False):
        stage.random.setstate(state)
        made.append([[*program, Collective("Barrier", 0)] for program in make(fault)])
    return made[0], made[1]


def _each_step(stage: Stage, body: Callable[[bool, int, int], List[NamedTuple]]):
    def make(fault: bool) -> Programs:
        return [
            [part for step in range(stage.steps) for part in body(fault, rank, step)]
            for rank in range(stage.ranks)
        ]

    return _twice(stage, make)


def healthy(random: Random) -> Made:
    """Even work, few and small messages."""
    stage = Stage(random)
    style = stage.style()

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        return [stage.seconds(), *stage.end_of_step(rank, step, style)]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_manager(random: Random) -> Made:
    """Rank 0 hands out pieces and does nothing else, as meant; workers are never idle for long."""
    stage = Stage(random, most=16)
    pieces = stage.steps * (stage.ranks - 1)

    def make(fault: bool) -> Programs:
        manager: List[NamedTuple] = []
        for _ in range(pieces):
            manager += [Receive(ANY, 1), Compute(2e-6)]
        workers = [
            [part for _ in range(stage.steps) for part in (stage.seconds(), Send(0, 200, 1))]
            for _ in range(stage.ranks - 1)
        ]
        return [manager, *workers]

    return Made("healthy", stage.machine, *_twice(stage, make))


def one_rank_computes_more(random: Random) -> Made:
    """One rank, not rank 0, has more to compute in each step."""
    stage = Stage(random)
    style, more = stage.style(), random.uniform(0.3, 1.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        factor = 1 + more * stage.share(fault, rank == stage.some)
        return [stage.seconds(factor), *stage.end_of_step(rank, step, style)]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), (stage.some,))


def uneven_pieces(random: Random) -> Made:
    """Work grows from rank to rank, or differs at random: the same in all steps."""
    stage = Stage(random)
    style, wide = stage.style(), random.uniform(0.4, 1.0)
    parts = [rank / (stage.ranks - 1) for rank in range(stage.ranks)]
    if random.random() < 0.5:
        random.shuffle(parts)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        return [
            stage.seconds(1 + wide * (parts[rank] if fault else 0.5)),
            *stage.end_of_step(rank, step, style),
        ]

    longest = tuple(rank for rank, part in enumerate(parts) if 1 + wide * part >= 0.95 * (1 + wide))
    return Made("load imbalance", stage.machine, *_each_step(stage, body), longest)


def late_in_turns(random: Random) -> Made:
    """In each step another rank has more to do: even in the sum, uneven in every step."""
    stage = Stage(random)
    more, style = random.uniform(0.5, 2), random.choice(["sum", "barrier"])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        factor = 1 + more * stage.share(fault, step % stage.ranks == rank)
        return [stage.seconds(factor), *stage.end_of_step(rank, step, style)]

    return Made("late in turns", stage.machine, *_each_step(stage, body))


def serial_part(random: Random) -> Made:
    """Rank 0 alone works between a gather and a broadcast."""
    stage = Stage(random)
    alone = random.uniform(0.15, 0.6)
    size = random.choice([8, 1000, 20_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        mine = stage.seconds(alone * stage.share(fault, rank == 0))
        return [stage.seconds(), Collective("Gather", size), mine, Collective("Bcast", size)]

    return Made("serial part", stage.machine, *_each_step(stage, body), (0,))


def slow_host(random: Random) -> Made:
    """All ranks of one host compute slower; the program is even."""
    stage = Stage(random, fewest=8)
    while stage.hosts < 2:
        stage = Stage(random, fewest=8)
    style, slower = stage.style(), random.uniform(0.15, 0.6)
    host = random.randrange(stage.hosts)
    ranks = tuple(rank for rank in range(stage.ranks) if stage.machine.host[rank] == host)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        factor = 1 + slower * (fault and rank in ranks)
        return [stage.seconds(factor), *stage.end_of_step(rank, step, style)]

    return Made("slow host", stage.machine, *_each_step(stage, body), ranks)


def late_senders(random: Random) -> Made:
    """Pairs: one side computes before it sends, the other waits, then they change sides."""
    stage = Stage(random)
    share = random.uniform(0.3, 0.8)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        other, tag = rank ^ 1, step % 100
        if rank % 2:
            before, after = (share, 1 - share) if fault else (0, 1)
            return [
                stage.seconds(before),
                Send(other, stage.halo, tag),
                stage.seconds(after),
                Receive(other, tag),
            ]
        return [Receive(other, tag), stage.seconds(1), Send(other, stage.halo, tag)]

    return Made("late sender", stage.machine, *_each_step(stage, body))


def late_receivers(random: Random) -> Made:
    """Large messages whose receiver comes late, both ways in turn: the sender cannot go on."""
    stage = Stage(random)
    stage.halo = random.choice([100_000, 1_000_000])
    share = random.uniform(0.3, 0.8)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        other = rank ^ 1
        if rank % 2:
            before = share if fault else 0
            return [
                stage.seconds(before),
                Receive(other, 1),
                stage.seconds(1 - before),
                Send(other, stage.halo, 2),
            ]
        return [Send(other, stage.halo, 1), stage.seconds(1), Receive(other, 2)]

    return Made("late receiver", stage.machine, *_each_step(stage, body))


def pipeline(random: Random) -> Made:
    """A sweep: each rank waits for its left neighbour in every step, and the first for the last."""
    stage = Stage(random, most=16)
    part = 1 / stage.ranks

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        if not fault:
            return [stage.seconds(part), Collective("Allreduce", 8)]
        before: List[NamedTuple] = [Receive(rank - 1, 1)] if rank else []
        after: List[NamedTuple] = [Send(rank + 1, 2000, 1)] if rank < stage.ranks - 1 else []
        return [*before, stage.seconds(part), *after, Collective("Allreduce", 8)]

    return Made("one after the other", stage.machine, *_each_step(stage, body))


def token(random: Random) -> Made:
    """A critical section that goes round: each rank works only while it has the token."""
    stage = Stage(random, most=12)
    part = 1 / stage.ranks

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        if not fault:
            return [stage.seconds(part), Collective("Barrier", 0)]
        last = stage.ranks - 1
        first_of_all = step == 0 and rank == 0
        before: List[NamedTuple] = [] if first_of_all else [Receive((rank - 1) % stage.ranks, 3)]
        after: List[NamedTuple] = (
            []
            if step == stage.steps - 1 and rank == last
            else [Send((rank + 1) % stage.ranks, 8, 3)]
        )
        return [*before, stage.seconds(part), *after]

    return Made("one after the other", stage.machine, *_each_step(stage, body))


def busy_manager(random: Random) -> Made:
    """Workers ask rank 0 for each piece, and it takes long to answer."""
    stage = Stage(random, fewest=6, most=16)
    workers = stage.ranks - 1
    stage.steps = 40
    answer = stage.work / workers * random.uniform(1.5, 3)

    def make(fault: bool) -> Programs:
        manager: List[NamedTuple] = []
        for _ in range(stage.steps):
            for rank in range(1, stage.ranks):
                think = answer if fault else 2e-6
                manager += [Receive(rank, 1), Compute(think), Send(rank, 2000, 2)]
        return [
            manager,
            *(
                [
                    part
                    for _ in range(stage.steps)
                    for part in (Send(0, 100, 1), Receive(0, 2), stage.seconds())
                ]
                for _ in range(workers)
            ),
        ]

    return Made("busy manager", stage.machine, *_twice(stage, make), (0,))


def small_messages(random: Random) -> Made:
    """What could be one message is sent in hundreds."""
    stage = Stage(random, most=8)
    stage.steps, stage.work = 30, 3e-3
    pieces = random.choice([400, 700])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        left, right = (rank - 1) % stage.ranks, (rank + 1) % stage.ranks
        count, size = (pieces, 64) if fault else (1, 64 * pieces)
        order = [Send(right, size, 1), Receive(left, 1)]
        if size > stage.machine.eager and rank % 2:
            order.reverse()
        return [stage.seconds(), *(order * count)]

    return Made("many small messages", stage.machine, *_each_step(stage, body))


def small_reductions(random: Random) -> Made:
    """A sum of one number after the other, where one call could take all."""
    stage = Stage(random, most=12)
    stage.steps, stage.work = 30, 2e-3
    pieces = random.choice([400, 800])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        count, size = (pieces, 8) if fault else (1, 8 * pieces)
        return [stage.seconds(), *([Collective("Allreduce", size)] * count)]

    return Made("many small collective calls", stage.machine, *_each_step(stage, body))


def needless_barriers(random: Random) -> Made:
    """A barrier after every little piece of work, which nothing needs."""
    stage = Stage(random, most=12)
    stage.steps, stage.noise = 6000, random.uniform(0.1, 0.4)
    stage.work = random.uniform(1e-5, 4e-5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        return [stage.seconds(), *([Collective("Barrier", 0)] if fault else [])]

    return Made("many barriers", stage.machine, *_each_step(stage, body))


def all_to_all(random: Random) -> Made:
    """Transposes whose transfer takes as long as the work."""
    stage = Stage(random, fewest=8)
    stage.steps, stage.work = 60, 5e-3
    cost = random.uniform(0.5, 1.5) * stage.work
    size = int(cost / (stage.ranks - 1) * stage.machine.bandwidth[stage.hosts > 1])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        return [stage.seconds(), Collective("Alltoall", size if fault else 8)]

    return Made("transfer of all-to-all", stage.machine, *_each_step(stage, body))


def large_messages(random: Random) -> Made:
    """Halos so large that their transfer dominates."""
    stage = Stage(random)
    stage.steps, stage.work = 60, 5e-3
    large = int(random.uniform(0.4, 1.2) * stage.work * 9e9)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        stage.halo = large if fault else 64
        return [stage.seconds(), *stage.exchange(rank, step)]

    return Made("transfer of large messages", stage.machine, *_each_step(stage, body))


def large_broadcasts(random: Random) -> Made:
    """The same large array goes from rank 0 to all in each step."""
    stage = Stage(random)
    stage.steps, stage.work = 60, 5e-3
    far = stage.machine.bandwidth[stage.hosts > 1]
    large = int(random.uniform(0.3, 1.0) * stage.work * far / 2)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        return [stage.seconds(), Collective("Bcast", large if fault else 8)]

    return Made("large broadcasts", stage.machine, *_each_step(stage, body))


def late_root(random: Random) -> Made:
    """The root of a broadcast, not rank 0, reads or computes before it calls."""
    stage = Stage(random)
    more = random.uniform(0.3, 0.9)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        mine = stage.seconds(more * stage.share(fault, rank == stage.some))
        return [stage.seconds(), mine, Collective("Bcast", 8, stage.some)]

    return Made("late root", stage.machine, *_each_step(stage, body), (stage.some,))


def first_steps(random: Random) -> Made:
    """Uneven in the first tenth of the steps, even after it."""
    stage = Stage(random)
    more, style = random.uniform(1, 2), stage.style()

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        early = more * (step < stage.steps // 5) * stage.share(fault, rank == stage.some)
        return [stage.seconds(1 + early), *stage.end_of_step(rank, step, style)]

    return Made("uneven at the start", stage.machine, *_each_step(stage, body), (stage.some,))


def uneven_later(random: Random) -> Made:
    """Even at first; from a third of the steps on one rank has more and more to do."""
    stage = Stage(random)
    more, style = random.uniform(1, 2.5), stage.style()

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        growth = max(0.0, step / stage.steps - 1 / 3) * 1.5
        factor = 1 + more * growth * stage.share(fault, rank == stage.some)
        return [stage.seconds(factor), *stage.end_of_step(rank, step, style)]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), (stage.some,))


def communicators(random: Random) -> Made:
    """A communicator is made and freed in each inner step."""
    stage = Stage(random, most=12)
    stage.steps, stage.work = 3000, 4e-5

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        made = [Collective("Comm_dup", 0), Collective("Comm_free", 0)]
        return [stage.seconds(), *(made * 3 if fault else []), Collective("Allreduce", 8)]

    return Made("communicators made and freed", stage.machine, *_each_step(stage, body))


def gathered_by_hand(random: Random) -> Made:
    """All send their part to rank 0, message by message, in each step."""
    stage = Stage(random, fewest=8)
    stage.steps, stage.work = 60, 5e-3
    size = int(random.uniform(0.5, 1.2) * stage.work * 9e9 / stage.ranks)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        given = size if fault else 8
        if rank:
            return [stage.seconds(), Send(0, given, 1), Collective("Bcast", 8)]
        got = [Receive(one, 1) for one in range(1, stage.ranks)]
        return [stage.seconds(), *got, Collective("Bcast", 8)]

    return Made("everything goes to one rank", stage.machine, *_each_step(stage, body), (0,))


FAMILIES: Dict[str, Callable[[Random], Made]] = {
    each.__name__: each
    for each in (
        healthy,
        healthy_manager,
        one_rank_computes_more,
        uneven_pieces,
        late_in_turns,
        serial_part,
        slow_host,
        late_senders,
        late_receivers,
        pipeline,
        token,
        busy_manager,
        small_messages,
        small_reductions,
        needless_barriers,
        all_to_all,
        large_messages,
        large_broadcasts,
        late_root,
        first_steps,
        uneven_later,
        communicators,
        gathered_by_hand,
    )
}
