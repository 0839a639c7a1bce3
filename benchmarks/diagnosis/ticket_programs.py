"""Families after further tickets of a computing centre: other skeletons of communication than in
`centre_programs.py`, faults in one phase only, and faults that show at others than who has them.
Written without a look at the rules."""

from __future__ import annotations

from random import Random
from typing import Callable, Dict, List, NamedTuple, Tuple

from centre_programs import (
    _extra,
    _halo,
    _inside,
    _place,
    _posted,
    _scaled,
    _shape,
    _shifted,
    _site,
    _small_sum,
    _top,
)
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
)


def _swap(to: int, source: int, size: int, tag: int) -> List[NamedTuple]:
    """What MPI_Sendrecv does."""
    return [Receive(source, tag, 1), Send(to, size, tag, 2), Wait((1, 2))]


def _dealt_out(stage: Stage) -> Tuple[int, ...]:
    """Hosts of the ranks if these are dealt out to them one by one."""
    return tuple(rank % stage.hosts for rank in range(stage.ranks))


def _groups(stage: Stage, each: int) -> List[Tuple[int, ...]]:
    """Neighbouring ranks in groups of this size."""
    return [tuple(range(first, first + each)) for first in range(0, stage.ranks, each)]


def bumper_meets_the_wall(random: Random) -> Made:
    """A crash: after some steps the front of the car touches the wall, and the few ranks that hold
    it look for contacts, and tell each other of them, in each step from then on."""
    # Also right: nothing else.
    stage = _site(random, (8, 12, 16, 24, 36, 48, 60))
    stage.steps, shape = random.choice([60, 90]), _shape(stage.ranks, 2)
    touched = int(stage.steps * random.uniform(0.15, 0.4))
    count = random.randint(2, max(2, stage.ranks // 4))
    first = random.randrange(1, stage.ranks - count + 1)
    front = tuple(range(first, first + count))
    part = count / stage.ranks
    later = 1 - touched / stage.steps
    contact = _extra(random, 0.1, 0.45) / later / (1 - part)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        forces, search = stage.seconds(0.8), contact * (step >= touched)
        mine = stage.seconds(search * (rank in front if fault else part) + 0.002)
        parts: List[NamedTuple] = [forces, *_halo(rank, shape, stage.halo, False)]
        if rank in front and step >= touched:
            here = front.index(rank)
            parts += _swap(front[(here + 1) % count], front[here - 1], 3000, 21)
        parts += [mine, stage.seconds(0.2), Collective("Allreduce", 8)]
        return [*parts, *([Collective("Gather", 400)] if step % 20 == 19 else [])]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), front)


def rows_dealt_out_not_entries(random: Random) -> Made:
    """Eigenvectors of a network: each rank has the same number of rows, but a few rows are full.
    Parts of the vector are put into the windows of others, and two norms follow."""
    # Also right: nothing else.
    stage = _site(random, (6, 8, 12, 16, 24, 32, 64))
    stage.steps = random.choice([50, 80, 120])
    entries = [random.paretovariate(random.uniform(1.2, 2.5)) for _ in range(stage.ranks)]
    entries[stage.some] = max(entries) * random.uniform(1.0, 1.3)
    loads = _scaled(entries, _extra(random, 0.1, 0.5))
    even = sum(loads) / stage.ranks
    far = [random.sample(range(stage.ranks), random.randint(2, 5)) for _ in range(stage.ranks)]
    size = random.choice([2000, 16_000, 100_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        puts = [Put(one, size) for one in far[rank] if one != rank]
        product = stage.seconds(0.9 * (loads[rank] if fault else even))
        scaled = stage.seconds(0.1 * (loads[rank] if fault else even))
        norms = [Collective("Allreduce", 8), scaled, Collective("Allreduce", 16)]
        fences = [Collective("Win_fence", 0), *puts, Collective("Win_fence", 0)]
        return [*fences, product, *norms]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), _top(loads))


def nest_over_the_alps(random: Random) -> Made:
    """Weather with a finer grid over some mountains: only the ranks that hold these compute it, in
    three short steps for each long one. The others meet them at the next halo, or the one after."""
    # Also right: late partner (what ranks far from the nest wait for waits itself).
    stage = _site(random, (12, 16, 24, 36, 48, 64))
    stage.steps, shape = 60, _shape(stage.ranks, 2)
    down, across = random.choice([1, 2]), random.choice([2, 3])
    down, across = min(down, shape[0] - 1), min(across, shape[1] - 1)
    top, left = random.randint(1, shape[0] - down), random.randint(0, shape[1] - across)
    nest = tuple(
        rank
        for rank in range(stage.ranks)
        if top <= _place(rank, shape)[0] < top + down
        and left <= _place(rank, shape)[1] < left + across
    )
    part = len(nest) / stage.ranks
    fine = _extra(random, 0.1, 0.5) / (1 - part)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds(0.7), *_halo(rank, shape, stage.halo, False)]
        for _ in range(3):
            mine = fine * (rank in nest if fault else part)
            parts += [stage.seconds(mine / 3 + 0.001)]
            parts += _inside(nest, rank, 6000) if rank in nest and len(nest) > 1 else []
        parts += [stage.seconds(0.3), *_halo(rank, shape, stage.halo // 2, False)]
        return [*parts, *([Collective("Reduce", 1200)] if step % 10 == 9 else [])]

    return Made("load imbalance", stage.machine, *_each_step(stage, body), nest)


def mesh_divided_anew_by_rank_0(random: Random) -> Made:
    """A mesh that is refined: every so many steps rank 0 gets the weights of all, divides the mesh
    anew by itself, and tells all where their cells go."""
    # Also right: late root, load imbalance.
    stage = _site(random, (8, 12, 16, 24, 32, 48))
    stage.steps, every = 60, random.choice([4, 6, 10, 15])
    stage.halo = min(stage.halo, 40_000)
    partners = random.choice([2, 4, 6])
    divided = every * _extra(random, 0.1, 0.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        receives, sends = [], []
        for one in range(1, partners // 2 + 1):
            for way in (one, -one):
                receives.append(((rank - way) % stage.ranks, 10 + way))
                sends.append(((rank + way) % stage.ranks, stage.halo, 10 + way))
        begin, end = _posted(receives, sends)
        parts: List[NamedTuple] = []
        for stages in (0.5, 0.5):
            parts += [*begin, stage.seconds(0.8 * stages), *end, stage.seconds(0.2 * stages)]
        parts.append(Collective("Allreduce", 8))
        if step % every == every - 1:
            alone = stage.seconds(divided * stage.share(fault, rank == 0))
            parts += [stage.seconds(0.02), Collective("Gather", 4000), alone]
            parts += [Collective("Scatter", 4000), Collective("Alltoall", 4)]
            parts += [Collective("Alltoallv", 3000)]
        return parts

    return Made("serial part", stage.machine, *_each_step(stage, body), (0,))


def memory_of_one_host_runs_slow(random: Random) -> Made:
    """One host lost a memory channel: what streams through memory is slower on it, what stays in
    the caches is not. Ranks are dealt out to hosts one by one."""
    # Also right: nothing else.
    stage = _site(random, (8, 12, 16, 24, 32, 48, 64), (2, 4))
    stage.machine = Machine(_dealt_out(stage))
    stage.steps, streams = random.choice([60, 100]), random.uniform(0.4, 0.7)
    slower = _extra(random, 0.09, 0.4) / streams
    host = random.randrange(stage.hosts)
    ranks = tuple(rank for rank in range(stage.ranks) if stage.machine.host[rank] == host)
    size = random.choice([4096, 40_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        right, left = (rank + 1) % stage.ranks, (rank - 1) % stage.ranks
        factor = 1 + slower * (fault and rank in ranks)
        parts: List[NamedTuple] = []
        for _ in range(2):
            parts += [stage.seconds(streams / 2 * factor), *_swap(right, left, size, 31)]
            parts += [stage.seconds((1 - streams) / 2), *_swap(left, right, size, 32)]
        return [*parts, *([Collective("Allreduce", 40)] if step % 5 == 4 else [])]

    return Made("slow host", stage.machine, *_each_step(stage, body), ranks)


def limits_of_each_tracer(random: Random) -> Made:
    """Tracers in the ocean: the ranks of a row ask for the largest and the smallest of each tracer
    in calls of their own, every other step, where two calls could do for all tracers."""
    # Also right: nothing else.
    stage = _site(random, (12, 16, 24, 32, 48, 64))
    stage.steps, tracers = random.choice([40, 60]), random.choice([24, 40, 56])
    shape = _shape(stage.ranks, 2)
    across = shape[0]
    rows = _groups(stage, across)
    call = max(_small_sum(stage, row) for row in rows)
    stage.halo = random.choice([800, 4000])
    stage.work = tracers * call / _extra(random, 0.12, 0.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        row = rows[rank // across]
        parts: List[NamedTuple] = [stage.seconds(0.6), *_halo(rank, shape[::-1], stage.halo)]
        limited = stage.seconds(0.4)
        if step % 2 == 0:
            parts.append(limited)
        else:
            count, size = (tracers, 8) if fault else (1, 8 * tracers)
            piece = Compute(limited.seconds / count)
            for _ in range(count):
                parts += [piece, Collective("Allreduce", size, 0, row)]
                parts.append(Collective("Allreduce", size, 0, row))
        return [*parts, *([Collective("Reduce", 160)] if step % 20 == 19 else [])]

    return Made("many small collective calls", stage.machine, *_each_step(stage, body))


def edges_put_value_by_value(random: Random) -> Made:
    """Shallow water with one-sided halos: rows lie together and are put at once, but the values of
    a column do not, and each goes into the neighbour's window by itself."""
    # Also right: nothing else.
    stage = _site(random, (6, 8, 12, 16, 24, 36))
    stage.steps, shape = random.choice([20, 30]), _shape(stage.ranks, 2)
    values, width = random.choice([90, 130, 170]), random.choice([8, 24, 40])

    def beside(rank: int, axis: int) -> List[int]:
        both = [_shifted(rank, shape, axis, way, True) for way in (1, -1)]
        return [one for one in both if one is not None and one != rank]

    longest = max(
        sum(stage.machine.cost(rank, one, width) for one in beside(rank, 1))
        for rank in range(stage.ranks)
    )
    stage.work = values * longest / _extra(random, 0.12, 0.42)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        puts: List[NamedTuple] = [Put(one, values * width) for one in beside(rank, 0)]
        count, size = (values, width) if fault else (1, values * width)
        for one in beside(rank, 1):
            puts += [Put(one, size)] * count
        mass = [Collective("Allreduce", 8)] if step % 10 == 9 else []
        moved = [stage.seconds(0.7), Collective("Win_fence", 0), *puts]
        return [*moved, Collective("Win_fence", 0), stage.seconds(0.3), *mass]

    return Made("many small messages", stage.machine, *_each_step(stage, body))


def all_positions_on_all_ranks(random: Random) -> Made:
    """Molecules with replicated data: every other step each rank gets the positions of all atoms,
    which takes longer than its forces; these are summed, and each keeps its own."""
    # Also right: nothing else.
    stage = _site(random, (8, 12, 16, 24, 32, 64))
    stage.steps, stage.work = random.choice([50, 80]), random.uniform(3e-3, 12e-3)
    far = stage.machine.bandwidth[stage.hosts > 1]
    size = int(2 * stage.work * _extra(random, 0.12, 0.5) * far / (stage.ranks - 1))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        bonds, pairs = stage.seconds(0.25), stage.seconds(0.75)
        if step % 2:
            return [bonds, pairs, *_swap(rank ^ 1, rank ^ 1, 2000, 41)]
        shared = [Collective("Allgather", size if fault else 8)]
        energy = [Collective("Allreduce", 64)] if step % 10 == 0 else []
        return [bonds, *shared, pairs, Collective("Reduce_scatter", 800), *energy]

    return Made("transfer of all-to-all", stage.machine, *_each_step(stage, body))


def boundary_sent_after_the_statistics(random: Random) -> Made:
    """A rank has the values at the open boundary. It makes its statistics, and only then sends to
    the few ranks there what these need to begin. All have the same to compute; most ranks wait in
    the sum at the end, for those that waited for the boundary."""
    # Also right: late partner.
    stage = _site(random, (6, 8, 12, 16, 24, 32, 48))
    stage.steps = random.choice([50, 80])
    edge = [one for one in range(stage.ranks) if one != stage.some]
    edge = sorted(random.sample(edge, random.randint(2, max(2, stage.ranks // 4))))
    before = min(0.95, _extra(random, 0.1, 0.45))
    size = random.choice([1000, 6000, 100_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        own, rest = stage.seconds(before), stage.seconds(1 - before)
        whole: List[NamedTuple] = [Compute(own.seconds + rest.seconds)]
        if rank == stage.some:
            sends: List[NamedTuple] = [
                Send(one, size, 51, 10 + place) for place, one in enumerate(edge)
            ]
            done = Wait(tuple(range(10, 10 + len(edge))))
            whole = [own, *sends, rest, done] if fault else [*sends, own, rest, done]
        elif rank in edge:
            whole = [Receive(stage.some, 51), *whole]
        return [*whole, *stage.exchange(rank, step), Collective("Allreduce", 8)]

    return Made("late sender", stage.machine, *_each_step(stage, body), (stage.some,))


def neutrons_swept_from_corners(random: Random) -> Made:
    """Neutrons in given directions: a rank needs what comes from above and from the left before it
    begins, first from one corner, then from the other. All angles go in one block, so that few
    ranks work at a time."""
    # Also right: late sender.
    stage = _site(random, (6, 8, 9, 12, 16, 24, 36))
    stage.steps, shape = random.choice([40, 60]), _shape(stage.ranks, 2)
    longest = sum(shape) - 1
    swept = _extra(random, 0.12, 0.55) / (longest - 1) / 2
    size = random.choice([2000, 8000, 60_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        sources = stage.seconds(1.0)
        parts: List[NamedTuple] = [sources]
        for way in (1, -1):
            mine = stage.seconds(swept)
            before = [_shifted(rank, shape, axis, -way, False) for axis in (0, 1)]
            after = [_shifted(rank, shape, axis, way, False) for axis in (0, 1)]
            got = [Receive(one, 61 + way) for one in before if one is not None]
            gave = [one for one in after if one is not None]
            if fault:
                parts += [*got, mine, *(Send(one, size, 61 + way) for one in gave)]
            else:
                parts += [mine]
        if not fault:
            parts += _halo(rank, shape, size, False)
        return [*parts, Collective("Allreduce", 8)]

    return Made("one after the other", stage.machine, *_each_step(stage, body))


def leaders_of_groups_decide(random: Random) -> Made:
    """A search in a tree: the ranks of a group ask their leader, the last of them, for the branch
    after this one before they begin this one. Still they wait: the leaders think too long."""
    # Also right: late sender, late partner.
    each = random.choice([4, 5, 6, 8])
    stage = _site(random, [each * count for count in (1, 2, 4, 6, 8) if 5 <= each * count <= 48])
    stage.steps, stage.noise = random.choice([50, 80]), random.uniform(0.01, 0.05)
    groups = _groups(stage, each)
    leaders = tuple(group[-1] for group in groups)
    think = stage.work * (1 + _extra(random, 0.12, 0.5)) / (each - 1)
    order = random.sample(range(each - 1), each - 1)

    def make(fault: bool) -> Programs:
        made: Programs = [[] for _ in range(stage.ranks)]
        for step in range(stage.steps):
            for group in groups:
                for rank in (group[place] for place in order):
                    made[group[-1]] += [Receive(rank, 1), Compute(think if fault else 1e-5)]
                    made[group[-1]] += [Send(rank, 500, 2)]
                    made[rank] += [Receive(group[-1], 2, 1), Send(group[-1], 120, 1)]
                    made[rank] += [stage.seconds(), Wait((1,))]
            if step % 10 == 9 and len(leaders) > 1:
                for rank in leaders:
                    made[rank].append(Collective("Allgather", 64, 0, leaders))
        return made

    return Made("busy manager", stage.machine, *_twice(stage, make), leaders)


def barriers_kept_after_epochs(random: Random) -> Made:
    """One-sided halos, which ranks open and close with their neighbours only; yet the barrier that
    stood there with an older library is still called before them, after them, and once more."""
    # Also right: nothing else.
    stage = _site(random, (12, 16, 24, 36, 48, 64))
    stage.steps, shape = random.choice([100, 150]), _shape(stage.ranks, 2)
    far = stage.machine.latency[stage.hosts > 1]
    barriers = 3 * (stage.ranks - 1).bit_length() * far
    stage.work = barriers / _extra(random, 0.12, 0.42)
    stage.noise = random.uniform(0.005, 0.015)
    size = random.choice([400, 2000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        barrier = [Collective("Barrier", 0)] if fault else []
        both = [_shifted(rank, shape, axis, way, True) for axis in (0, 1) for way in (1, -1)]
        near = tuple(sorted({one for one in both if one is not None and one != rank}))
        parts: List[NamedTuple] = [stage.seconds(0.5), *barrier]
        parts += [Epoch("Win_post", near), Epoch("Win_start", near)]
        parts += [Put(one, size) for one in near]
        parts += [Epoch("Win_complete", near), Epoch("Win_wait", near), *barrier]
        parts += [stage.seconds(0.5), *barrier]
        return [*parts, *([Collective("Allreduce", 16)] if step % 25 == 24 else [])]

    return Made("many barriers", stage.machine, *_each_step(stage, body))


def observations_read_by_one_of_each_member(random: Random) -> Made:
    """An ensemble takes in observations every few steps: in each member one rank, not the first,
    reads and sorts them before it scatters them to the others of its member."""
    # Also right: load imbalance.
    stage = _site(random, (12, 16, 24, 32, 48, 64))
    each = random.choice([one for one in (4, 6, 8, 12) if stage.ranks % one == 0])
    stage.steps, every = 60, random.choice([2, 3, 5])
    members, place = _groups(stage, each), random.randrange(1, each)
    reading = every * _extra(random, 0.1, 0.5) / (1 - 1 / each)
    readers = tuple(member[place] for member in members)
    size = random.choice([2000, 20_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        member = members[rank // each]
        parts: List[NamedTuple] = []
        if step % every == 0:
            mine = float(rank in readers) if fault else 1 / each
            parts += [stage.seconds(reading * mine), Collective("Scatter", size, place, member)]
            parts.append(stage.seconds(0.1))
        parts += [stage.seconds(0.95), *_inside(member, rank, stage.halo)]
        mean = [Collective("Allreduce", 8000)] if step % 15 == 14 else []
        return [*parts, Collective("Allreduce", 8, 0, member), *mean]

    return Made("late root", stage.machine, *_each_step(stage, body), readers)


def snapshots_collected_by_one_rank(random: Random) -> Made:
    """Every few steps all send their part of a snapshot to one rank, not rank 0, which receives one
    part after the other while it should compute; the others wait for its halo."""
    # Also right: transfer of large messages.
    stage = _site(random, (8, 12, 16, 24, 32, 48))
    stage.steps, every = 60, random.choice([3, 5, 6])
    stage.work, shape = random.uniform(4e-3, 15e-3), _shape(stage.ranks, 3)
    stage.halo = random.choice([512, 4096, 40_000])
    moved = every * stage.work * _extra(random, 0.12, 0.5)
    size = int(moved * stage.machine.bandwidth[0] / (stage.ranks - 1))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = []
        for _ in range(2):
            parts += [stage.seconds(0.5), *_halo(rank, shape, stage.halo)]
        if step % every == every - 1:
            given = size if fault else 64
            if rank == stage.some:
                others = (one for one in range(stage.ranks) if one != rank)
                parts += [Receive(one, 71) for one in others]
            else:
                parts.append(Send(stage.some, given, 71))
        return [*parts, *([Collective("Allreduce", 32)] if step % 2 else [])]

    made = _each_step(stage, body)
    return Made("everything goes to one rank", stage.machine, *made, (stage.some,))


def spins_on_different_hosts(random: Random) -> Made:
    """The first half of the ranks has the spins up, the second those down: each exchanges large
    fields with its partner of the other half, which an order by blocks puts on another host."""
    # Also right: transfer of large messages.
    stage = _site(random, (8, 16, 24, 32, 48, 64), (2, 4))
    half, each = stage.ranks // 2, stage.ranks // stage.hosts
    bandwidth = (9e9, random.uniform(0.8e9, 2e9))
    stage.machine = stage.machine._replace(bandwidth=bandwidth)
    together = tuple((rank % half) // (each // 2) for rank in range(stage.ranks))
    stage.steps, stage.work = random.choice([40, 60]), random.uniform(5e-3, 2e-2)
    times = random.choice([1, 2, 3])
    saved = 1 / bandwidth[1] - 1 / bandwidth[0]
    size = int(stage.work * _extra(random, 0.12, 0.45) / times / saved)
    halves = _groups(stage, half)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        other = (rank + half) % stage.ranks
        parts: List[NamedTuple] = [*_inside(halves[rank // half], rank, 1500)]
        for _ in range(times):
            parts += [stage.seconds(1 / times), *_swap(other, other, size, 81)]
        return [*parts, *([Collective("Allreduce", 8)] if step % 4 == 3 else [])]

    made = _each_step(stage, body)
    healed = stage.machine._replace(host=together)
    return Made("ranks far from their partners", stage.machine, *made, (), healed)


def healthy_edges_with_less_to_send(random: Random) -> Made:
    """Waves in a box without periods: ranks at its faces have fewer neighbours, and up to three
    hundredths less to compute, which nobody would divide anew."""
    stage = _site(random, (8, 12, 27, 36, 48, 64))
    stage.steps, shape = random.choice([60, 90]), _shape(stage.ranks, 3)
    stage.noise = random.uniform(0.002, 0.004)
    less = random.uniform(0.002, 0.005)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        sides = [_shifted(rank, shape, axis, way, False) for axis in range(3) for way in (1, -1)]
        load = 1 - less * sides.count(None)
        stress = [stage.seconds(0.55 * load), *_halo(rank, shape, stage.halo, False)]
        speed = [stage.seconds(0.45 * load), *_halo(rank, shape, stage.halo, False)]
        seismogram = [Collective("Gather", 240)] if step % 30 == 29 else []
        return [*stress, *speed, *seismogram]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_pieces_from_a_counter(random: Random) -> Made:
    """Integrals of very different length: each rank takes the next from a counter in the window of
    one of them when it is done with its last, the longest first. Some take many, some few."""
    stage = _site(random, (4, 8, 12, 16, 24, 32))
    stage.steps, pieces = random.choice([4, 6]), 40 * stage.ranks
    keeper = random.randrange(stage.ranks)

    def make(fault: bool) -> Programs:
        made: Programs = [[] for _ in range(stage.ranks)]
        for _ in range(stage.steps):
            lengths = [random.lognormvariate(0, 1.2) for _ in range(pieces)]
            busy = [0.0] * stage.ranks
            for length in sorted((min(one, 12) for one in lengths), reverse=True):
                rank = busy.index(min(busy))
                piece = stage.seconds(0.04 * length)
                busy[rank] += piece.seconds + 1e-5
                made[rank] += [Lock(keeper), Put(keeper, 8), Unlock(keeper), piece]
            for program in made:
                program += [Collective("Allreduce", 80_000), stage.seconds(0.5)]
                program += [Collective("Bcast", 4000)]
        return made

    return Made("healthy", stage.machine, *_twice(stage, make))


def healthy_stages_in_full_flow(random: Random) -> Made:
    """Pictures go from rank to rank, each of which does one thing with them. It is a chain, but all
    its links work at the same time, on different pictures."""
    stage = _site(random, (4, 6, 8, 12))
    stage.steps, stage.work = random.choice([500, 800]), random.uniform(0.005, 0.03)
    size = random.choice([4000, 8000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [Receive(rank - 1, 91)] if rank else []
        parts.append(stage.seconds())
        parts += [Send(rank + 1, size, 91)] if rank < stage.ranks - 1 else []
        counted = [Collective("Reduce", 64, stage.ranks - 1)] if step % 100 == 99 else []
        return [*parts, *counted]

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_implicit_steps(random: Random) -> Made:
    """Heat in a reactor, solved for with BiCGStab: four sums and two halos in each iteration, many
    dozens of them, which each need the one before. They take a few hundredths of the time."""
    stage = _site(random, (8, 12, 16, 24, 32, 48))
    stage.steps, shape = random.choice([10, 16]), _shape(stage.ranks, 3)
    iterations = [random.randint(8, 16) for _ in range(stage.steps)]
    stage.work, stage.noise = random.uniform(4e-3, 12e-3), random.uniform(0.001, 0.003)
    stage.halo = random.choice([2000, 8000, 30_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds(3.0)]
        for _ in range(iterations[step]):
            for sums in (1, 2):
                parts += [*_halo(rank, shape, stage.halo, False), stage.seconds(0.4)]
                parts.append(Collective("Allreduce", 8 * sums))
                parts += [stage.seconds(0.1), Collective("Allreduce", 8)]
        return parts

    return Made("healthy", stage.machine, *_each_step(stage, body))


def healthy_spectral_weather(random: Random) -> Made:
    """Weather in waves: transposes between grid, Fourier and Legendre space in rows and columns of
    ranks, a short gather for output, and a norm for the log; rank 0 reads a page at the start."""
    stage = _site(random, (12, 16, 24, 36, 48, 64))
    stage.steps = random.choice([48, 72])
    stage.noise = random.uniform(0.002, 0.004)
    down, across = _shape(stage.ranks, 2)
    far = stage.machine.bandwidth[stage.hosts > 1]
    size = int(random.uniform(0.0015, 0.004) * stage.work * far / (down - 1))
    page = random.uniform(0.1, 0.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        row = tuple(range(rank - rank % across, rank - rank % across + across))
        column = tuple(range(rank % across, stage.ranks, across))
        parts: List[NamedTuple] = []
        if step == 0:
            parts += [stage.seconds(page)] if rank == 0 else []
            parts.append(Collective("Bcast", 20_000))
        there = [Collective("Alltoallv", size, 0, row)]
        there.append(Collective("Alltoallv", size, 0, column))
        parts += [stage.seconds(0.6), *there, stage.seconds(0.2), *reversed(there)]
        parts.append(stage.seconds(0.2))
        parts += [Collective("Gather", 30_000)] if step % 24 == 23 else []
        return [*parts, *([Collective("Reduce", 64)] if step % 4 == 3 else [])]

    return Made("healthy", stage.machine, *_each_step(stage, body))


TICKETS: Dict[str, Callable[[Random], Made]] = {
    each.__name__: each
    for each in (
        bumper_meets_the_wall,
        rows_dealt_out_not_entries,
        nest_over_the_alps,
        mesh_divided_anew_by_rank_0,
        memory_of_one_host_runs_slow,
        limits_of_each_tracer,
        edges_put_value_by_value,
        all_positions_on_all_ranks,
        boundary_sent_after_the_statistics,
        neutrons_swept_from_corners,
        leaders_of_groups_decide,
        barriers_kept_after_epochs,
        observations_read_by_one_of_each_member,
        snapshots_collected_by_one_rank,
        spins_on_different_hosts,
        healthy_edges_with_less_to_send,
        healthy_pieces_from_a_counter,
        healthy_stages_in_full_flow,
        healthy_implicit_steps,
        healthy_spectral_weather,
    )
}
