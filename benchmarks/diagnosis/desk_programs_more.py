"""More families after what a support desk is asked about: ranks for which others wait, calls that
are too many, and data that takes too long. Written without a look at the rules."""

from __future__ import annotations

import heapq
import math
from random import Random
from typing import Callable, Dict, List, NamedTuple

from centre_programs import _extra, _halo, _inside, _shape, _site, _small_sum
from programs import Made, Programs, Stage, _each_step, _twice
from simulator import ANY, Collective, Compute, Lock, Poll, Put, Receive, Send, Unlock, Wait
from ticket_programs import _groups, _swap


def _ethernet(stage: Stage) -> None:
    """Hosts that talk over an ordinary network."""
    random = stage.random
    latency, bandwidth = random.uniform(12e-6, 30e-6), random.uniform(1.2e9, 3e9)
    stage.machine = stage.machine._replace(latency=(0.8e-6, latency), bandwidth=(8e9, bandwidth))


def air_sends_after_its_diagnostics(random: Random) -> Made:
    """Air and water at the same time: the air has the fluxes early in its step, but makes its
    diagnostics before it sends them. The water polls for them, and the air then waits for it."""
    # Also right: late partner.
    stage = _site(random, (8, 12, 16, 24, 32, 48))
    stage.steps, half = random.choice([40, 60]), stage.ranks // 2
    before, extra = random.uniform(0.15, 0.25), _extra(random, 0.1, 0.4)
    every, size = random.uniform(1e-3, 3e-3), random.choice([2000, 8000, 100_000])
    air, water = tuple(range(half)), tuple(range(half, stage.ranks))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        if rank in water:
            parts: List[NamedTuple] = [Receive(rank - half, 1, 1), Poll((1,), every)]
            parts += [stage.seconds(1 - before), *_inside(water, rank, 3000)]
            sent = [Send(rank - half, size, 2)] if step < stage.steps - 1 else []
            return [*parts, Collective("Allreduce", 8, 0, water), *sent]
        parts = [Receive(rank + half, 2)] if step else []
        parts += [stage.seconds(before)]
        diagnosed = stage.seconds(extra)
        given: List[NamedTuple] = [Send(rank + half, size, 1, 9)]
        parts += [diagnosed, *given] if fault else [*given, diagnosed]
        rest = stage.seconds(1 - before - extra)
        return [*parts, rest, *_inside(air, rank, stage.halo), Wait((9,))]

    return Made("late sender", stage.machine, *_each_step(stage, body), air)


def coarse_grid_logs_before_it_answers(random: Random) -> Made:
    """Multigrid: in each group one rank solves the coarse grid for the others. It looks at the
    residuals and writes its log before it sends the corrections; it has less of the fine grid."""
    # Also right: busy manager, late partner.
    each = random.choice([3, 4, 6, 8])
    stage = _site(random, [each * count for count in (2, 3, 4, 6, 8) if each * count <= 48])
    stage.steps, coarse = random.choice([50, 80]), random.uniform(0.02, 0.05)
    logged, place = _extra(random, 0.1, 0.3), random.randrange(each)
    groups = _groups(stage, each)
    owners, size = tuple(group[place] for group in groups), random.choice([1000, 6000, 50_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        group, owner = groups[rank // each], owners[rank // each]
        if rank == owner:
            others = [one for one in group if one != rank]
            got: List[NamedTuple] = [Receive(one, 1) for one in others]
            gave: List[NamedTuple] = [Send(one, size, 2) for one in others]
            solved, log = stage.seconds(coarse), stage.seconds(logged)
            middle = [*got, solved, log, *gave] if fault else [*got, solved, *gave, log]
            parts = [stage.seconds(0.5 - coarse), *middle, stage.seconds(0.5 - logged)]
        else:
            asked = [Send(owner, size, 1), Receive(owner, 2)]
            parts = [stage.seconds(0.5), *asked, stage.seconds(0.5)]
        return [*parts, *stage.exchange(rank, step), Collective("Allreduce", 8)]

    return Made("late sender", stage.machine, *_each_step(stage, body), owners)


def rank_0_finds_the_bands(random: Random) -> Made:
    """Plane waves: the ranks of a pool transpose their bands, then a matrix is summed at rank 0,
    which finds its eigenvectors by itself and broadcasts them for all to rotate their bands."""
    # Also right: late root.
    stage = _site(random, (6, 8, 12, 16, 24, 36, 64))
    each = random.choice([one for one in (2, 3, 4, 6) if stage.ranks % one == 0])
    pools, bands = _groups(stage, each), random.choice([4, 8])
    stage.steps, matrix = random.choice([25, 40]), random.choice([80_000, 800_000])
    alone = _extra(random, 0.1, 0.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        pool, parts = pools[rank // each], []
        for _ in range(bands):
            parts += [stage.seconds(0.8 / bands), Collective("Alltoall", 6000, 0, pool)]
        solved = stage.seconds(alone * stage.share(fault, rank == 0))
        parts += [Collective("Reduce", matrix), solved, Collective("Bcast", matrix)]
        return [*parts, stage.seconds(0.2), Collective("Allreduce", 100_000)]

    return Made("serial part", stage.machine, *_each_step(stage, body), (0,))


def rank_0_writes_the_restart(random: Random) -> Made:
    """A few times in the run the fields are gathered at rank 0, which writes the restart file. The
    others go on to the next halo, or sum, and wait there until the file is written."""
    # Also right: everything goes to one rank.
    stage = _site(random, (8, 12, 16, 24, 32, 48))
    stage.steps, shape = random.choice([60, 80]), _shape(stage.ranks, 3)
    every, sums = random.choice([12, 18, 25]), random.choice([1, 1, 4])
    written = stage.steps // every
    file = _extra(random, 0.08, 0.4) * stage.steps / written
    field = random.choice([50_000, 400_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds(0.5), *_halo(rank, shape, stage.halo)]
        parts += [stage.seconds(0.5)]
        parts += [Collective("Allreduce", 8)] if step % sums == sums - 1 else []
        if step % every == every - 1:
            mine = stage.seconds(file * stage.share(fault, rank == 0))
            parts += [Collective("Gather", field), mine]
        return parts

    return Made("serial part", stage.machine, *_each_step(stage, body), (0,))


def ligands_from_one_queue(random: Random) -> Made:
    """Drugs docked to a protein: rank 0 hands them out to who comes first, and before it answers it
    writes the last score of who asks into a data base. Some take long to dock, some do not."""
    # Also right: late sender.
    stage = _site(random, (6, 8, 12, 16, 24, 32))
    workers, rounds = stage.ranks - 1, random.choice([1, 2, 3])
    pieces, wide = 36 // rounds * workers, random.uniform(0.2, 0.6)
    answer = stage.work * (1 + _extra(random, 0.12, 0.5)) / workers
    answer *= math.exp(wide * wide / 2)

    def make(fault: bool) -> Programs:
        made: Programs = [[] for _ in range(stage.ranks)]
        think = answer if fault else 2e-5
        for _ in range(rounds):
            free, now = [(0.0, rank) for rank in range(1, stage.ranks)], 0.0
            for _ in range(pieces):
                asked, rank = heapq.heappop(free)
                piece = stage.seconds(random.lognormvariate(0, wide))
                now = max(now, asked) + think
                made[0] += [Receive(rank, 1), Compute(think), Send(rank, 3000, 2)]
                made[rank] += [Send(0, 150, 1), Receive(0, 2), piece]
                heapq.heappush(free, (now + piece.seconds, rank))
            for program in made:
                program += [Collective("Reduce", 4000), Collective("Bcast", 20_000)]
        return made

    return Made("busy manager", stage.machine, *_twice(stage, make), (0,))


def histograms_sent_to_rank_0(random: Random) -> Made:
    """Spins by Monte Carlo: every few sweeps all send their large histogram to rank 0, which takes
    and adds one after the other, as they come, where a reduction could add them on the way."""
    # Also right: busy manager.
    stage = _site(random, (6, 8, 12, 16, 24, 48))
    stage.steps, every = random.choice([60, 90]), random.choice([3, 6, 10])
    stage.work = random.uniform(0.01, 0.04)
    slowest = stage.machine.bandwidth[0]
    added = every * stage.work * _extra(random, 0.12, 0.5) / (stage.ranks - 1)
    size = int(added / (1 / slowest + 1 / 6e9))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds()]
        parts += _swap(rank ^ 1, rank ^ 1, 400, 4)
        if step % every < every - 1:
            return parts
        if not fault:
            parts.append(Collective("Reduce", size))
        elif rank:
            parts.append(Send(0, size, 6))
        else:
            parts += [Receive(ANY, 6), Compute(size / 6e9)] * (stage.ranks - 1)
        return [*parts, Collective("Bcast", 64)]

    made = _each_step(stage, body)
    return Made("everything goes to one rank", stage.machine, *made, (0,))


def turns_at_the_common_file(random: Random) -> Made:
    """Particles of a beam: to write a common file each rank waits for the word of the one before
    it, appends its own, and tells the next. All could write at the same time."""
    # Also right: late sender.
    stage = _site(random, (6, 8, 12, 16, 24, 32))
    stage.steps, every = 60, random.choice([4, 10, 15])
    written = every * _extra(random, 0.1, 0.45) / (stage.ranks - 1)
    last = stage.ranks - 1

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds(0.7), Collective("Alltoallv", 800)]
        parts += [stage.seconds(0.3), Collective("Allreduce", 48)]
        if step % every == every - 1:
            word: List[NamedTuple] = [Receive(rank - 1, 5)] if rank and fault else []
            tell: List[NamedTuple] = [Send(rank + 1, 4, 5)] if rank < last and fault else []
            parts += [*word, stage.seconds(written), *tell]
        return parts

    return Made("one after the other", stage.machine, *_each_step(stage, body))


def lines_solved_in_blocks_too_large(random: Random) -> Made:
    """Lines through all slabs, forwards and then backwards: a rank hands on its lines in a few
    large blocks, so that the ranks far down begin late. Small blocks would keep all at work."""
    # Also right: late sender.
    stage = _site(random, (6, 8, 12, 16, 24))
    large, small = random.choice([1, 2, 3, 4]), 24
    stage.steps, down = random.choice([30, 40]), stage.ranks - 1
    share, longer = random.uniform(0.12, 0.4), down * (1 / large - 1 / small)
    lines = share / max(share / 2, longer * (1 - share) - share * (1 + down / small))
    size = random.choice([12_000, 48_000, 240_000])

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds(), *stage.exchange(rank, step)]
        blocks = large if fault else small
        for way in (1, -1):
            before, after = rank - way, rank + way
            for _ in range(blocks):
                parts += [Receive(before, 30 + way)] if 0 <= before <= down else []
                parts.append(stage.seconds(lines / 2 / blocks))
                parts += [Send(after, size // blocks, 30 + way)] if 0 <= after <= down else []
        return [*parts, *([Collective("Allreduce", 8)] if step % 3 == 2 else [])]

    return Made("one after the other", stage.machine, *_each_step(stage, body))


def crossing_particles_sent_one_by_one(random: Random) -> Made:
    """Neutral particles in a torus: each that leaves a rank to the right or to the left is a
    message of its own. How many these are differs from step to step and from rank to rank."""
    stage = _site(random, (4, 6, 8), (2, 4))
    _ethernet(stage)
    stage.machine = stage.machine._replace(overhead=random.uniform(4e-6, 7e-6))
    stage.steps, usual = random.choice([110, 150]), random.choice([40, 60, 80])
    size, call = random.choice([72, 160]), stage.machine.overhead
    stage.work = 6 * usual * call / _extra(random, 0.12, 0.4)
    crossing = {
        (step, rank, way): random.randint(usual // 2, usual * 3 // 2)
        for step in range(stage.steps)
        for rank in range(stage.ranks)
        for way in (1, -1)
    }

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds()]
        for way in (1, -1):
            to, source = (rank + way) % stage.ranks, (rank - way) % stage.ranks
            gone, come = crossing[step, rank, way], crossing[step, source, way]
            if not fault:
                parts += _swap(to, source, size * gone, 20 + way)
                continue
            for one in range(max(gone, come)):
                parts += [Send(to, size, 20 + way)] if one < gone else []
                parts += [Receive(source, 20 + way)] if one < come else []
        return [*parts, *([Collective("Allreduce", 8)] if step % 5 == 4 else [])]

    return Made("many small messages", stage.machine, *_each_step(stage, body))


def gradients_summed_tensor_by_tensor(random: Random) -> Made:
    """A network is trained with the data divided among ranks: the gradients of each layer are
    summed as soon as they are there, a hundred tensors of a few kilobytes, not a few buckets of
    them."""
    stage = _site(random, (4, 8, 12, 16, 24), (2, 4))
    _ethernet(stage)
    tensors, buckets = random.choice([80, 120, 160]), 4
    sizes = [int(min(60_000, random.lognormvariate(7, 1.2))) + 4 for _ in range(tensors)]
    stage.steps = random.choice([25, 40])
    call = _small_sum(stage, tuple(range(stage.ranks)))
    stage.work = (tensors - buckets) * call / _extra(random, 0.12, 0.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds(0.35)]
        each = 1 if fault else tensors // buckets
        back = stage.seconds(0.6).seconds / tensors
        for first in range(0, tensors, each):
            bucket = sizes[first : first + each]
            parts += [Compute(back * len(bucket)), Collective("Allreduce", sum(bucket))]
        parts.append(stage.seconds(0.05))
        return [*parts, *([Collective("Reduce", 8)] if step % 10 == 9 else [])]

    return Made("many small collective calls", stage.machine, *_each_step(stage, body))


def basis_made_orthogonal_one_by_one(random: Random) -> Made:
    """GMRES with the modified method of Gram and Schmidt: each new vector asks for its product with
    each earlier one in a sum of its own, where the classical method, done twice, needs two sums."""
    stage = _site(random, (6, 8, 12, 16, 24), (2, 4))
    _ethernet(stage)
    restart, shape = random.choice([16, 24]), _shape(stage.ranks, 2)
    stage.steps, stage.halo = random.choice([12, 20]), random.choice([2000, 8000])
    call = _small_sum(stage, tuple(range(stage.ranks)))
    products = restart * (restart + 1) // 2
    stage.work = (products - 2 * restart) * call / _extra(random, 0.12, 0.5)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds(0.2)]
        for vector in range(1, restart + 1):
            parts += [*_halo(rank, shape, stage.halo), stage.seconds(0.5 / restart)]
            made = stage.seconds(0.3 * vector / products).seconds
            count, size = (vector, 8) if fault else (2, 8 * vector)
            for _ in range(count):
                parts += [Collective("Allreduce", size), Compute(made / count)]
            parts.append(Collective("Allreduce", 8))
        return parts

    return Made("many small collective calls", stage.machine, *_each_step(stage, body))


def transforms_over_all_hosts(random: Random) -> Made:
    """Plane waves: each band is transformed by all ranks of all hosts together, over an ordinary
    network. Ranks of one host could transform some bands by themselves, and move as much inside."""
    # Also right: ranks far from their partners.
    stage = _site(random, (8, 12, 16, 24, 32, 48), (2, 4))
    _ethernet(stage)
    each = stage.ranks // stage.hosts
    groups, everyone = _groups(stage, each), tuple(range(stage.ranks))
    stage.steps, bands = random.choice([25, 40]), random.choice([4, 6])
    saved = stage.work * _extra(random, 0.12, 0.5) / bands / 2
    near, far = stage.machine.bandwidth
    size = int(saved / ((stage.ranks - 1) / far - (stage.ranks - stage.hosts) / near))

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        group = everyone if fault else groups[rank // each]
        moved = Collective("Alltoall", size * stage.ranks // len(group), 0, group)
        parts: List[NamedTuple] = []
        for _ in range(bands):
            parts += [stage.seconds(0.5 / bands), moved, stage.seconds(0.3 / bands), moved]
        return [*parts, stage.seconds(0.2), Collective("Allreduce", 20_000)]

    return Made("transfer of all-to-all", stage.machine, *_each_step(stage, body))


def tables_sent_again_each_step(random: Random) -> Made:
    """Radiation in a star: rank 0 broadcasts the tables of opacities in each step, dozens of
    megabytes which have not changed since the first."""
    stage = _site(random, (4, 8, 12, 16, 24, 48))
    stage.steps, stage.work = random.choice([60, 90]), random.uniform(0.01, 0.04)
    shape, far = _shape(stage.ranks, 3), stage.machine.bandwidth[stage.hosts > 1]
    large = int(stage.work * _extra(random, 0.1, 0.45) * far / 2)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        sent = [Collective("Bcast", large)] if fault or step == 0 else []
        parts: List[NamedTuple] = [*sent, stage.seconds(0.6), *_halo(rank, shape, 30_000)]
        parts += [stage.seconds(0.4), *_halo(rank, shape, 8000)]
        return [*parts, *([Collective("Allreduce", 8)] if step % 2 else [])]

    return Made("large broadcasts", stage.machine, *_each_step(stage, body))


def timers_with_barriers(random: Random) -> Made:
    """Paths of share prices: somebody wanted to time each of five parts of a step, and put barriers
    between them. How long a part takes is chance; ranks need each other only every dozen steps."""
    # Also right: late in turns.
    stage = _site(random, (4, 8, 12, 16, 32, 64))
    stage.steps, stage.noise = random.choice([60, 96]), random.uniform(0.07, 0.2)
    stage.work, parts = random.uniform(0.02, 0.1), (0.3, 0.25, 0.2, 0.15, 0.1)

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        timed: List[NamedTuple] = []
        for part in parts:
            timed += [stage.seconds(part), *([Collective("Barrier", 0)] if fault else [])]
        return [*timed, *([Collective("Allreduce", 8000)] if step % 12 == 11 else [])]

    return Made("many barriers", stage.machine, *_each_step(stage, body))


def tallies_under_one_lock(random: Random) -> Made:
    """Neutrons by Monte Carlo: after each few histories a rank locks the window of one of them,
    adds to its tallies, and unlocks it. It could keep its own, and all could be summed in the
    end."""
    stage = _site(random, (6, 8, 12, 16, 24, 32))
    stage.steps, stage.noise = random.choice([60, 100]), random.uniform(0.05, 0.3)
    stage.work, batch = random.uniform(0.01, 0.05), random.choice([10, 20])
    held, keeper = stage.work * (1 + _extra(random, 0.1, 0.4)) / stage.ranks, stage.some

    def body(fault: bool, rank: int, step: int) -> List[NamedTuple]:
        parts: List[NamedTuple] = [stage.seconds()]
        if fault:
            parts += [Lock(keeper), Compute(held), Put(keeper, 4000), Unlock(keeper)]
        else:
            parts.append(Compute(held / 10))
        if step % batch == batch - 1:
            parts += [] if fault else [Collective("Reduce", 4000, keeper)]
            parts.append(Collective("Allreduce", 16))
        return parts

    return Made("lock contention", stage.machine, *_each_step(stage, body))


DESK_MORE: Dict[str, Callable[[Random], Made]] = {
    each.__name__: each
    for each in (
        air_sends_after_its_diagnostics,
        coarse_grid_logs_before_it_answers,
        rank_0_finds_the_bands,
        rank_0_writes_the_restart,
        ligands_from_one_queue,
        histograms_sent_to_rank_0,
        turns_at_the_common_file,
        lines_solved_in_blocks_too_large,
        crossing_particles_sent_one_by_one,
        gradients_summed_tensor_by_tensor,
        basis_made_orthogonal_one_by_one,
        transforms_over_all_hosts,
        tables_sent_again_each_step,
        timers_with_barriers,
        tallies_under_one_lock,
    )
}
