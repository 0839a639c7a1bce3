"""Programs of MPI simulated call by call, from first principles: nobody leaves a call before what
it needs is there.

A program is a list of operations for each rank. What comes out is when each call was entered and
left, which is all that a trace holds. Nothing here knows of advisor or of its rules.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict, deque
from typing import Deque, Dict, List, NamedTuple, Optional, Sequence, Tuple

ANY = -1


class Machine(NamedTuple):
    """Seconds, and bytes a second; `host` of each rank. Up to `eager` bytes a message goes without
    its receiver."""

    host: Tuple[int, ...]
    latency: Tuple[float, float] = (0.6e-6, 2.2e-6)
    bandwidth: Tuple[float, float] = (9e9, 11e9)
    overhead: float = 0.3e-6
    eager: int = 8192
    slow: Tuple[Tuple[int, int, float], ...] = ()
    """`latency` and `bandwidth`: inside a host, and between two. `slow`: two hosts between which
    everything takes so many times as long."""

    def cost(self, one: int, other: int, size: int) -> float:
        """Seconds from one rank to another."""
        far = self.host[one] != self.host[other]
        return (self.latency[far] + size / self.bandwidth[far]) * self.factor((one, other))

    def factor(self, ranks: Sequence[int]) -> float:
        """How many times as long data takes among these ranks as it should."""
        hosts = {self.host[one] for one in ranks}
        return max([1.0, *(times for one, other, times in self.slow if {one, other} <= hosts)])


class Compute(NamedTuple):
    """Outside MPI."""

    seconds: float


class Collective(NamedTuple):
    """`name` as in MPI, without MPI_; of each rank the same. `size`: bytes a rank gives; `members`
    of a communicator, in order: empty for all."""

    name: str
    size: int = 8
    root: int = 0
    members: Tuple[int, ...] = ()


class Send(NamedTuple):
    """`request`: of MPI_Isend, above zero."""

    to: int
    size: int
    tag: int = 0
    request: int = 0


class Receive(NamedTuple):
    """`source` may be ANY; `request`: of MPI_Irecv."""

    source: int
    tag: int = 0
    request: int = 0


class Wait(NamedTuple):
    """MPI_Waitall."""

    requests: Tuple[int, ...]


class WaitAny(NamedTuple):
    """MPI_Waitany: completes one of those requests that are still open."""

    requests: Tuple[int, ...]


class Poll(NamedTuple):
    """MPI_Testall again and again, with `every` seconds outside MPI between, until all is there."""

    requests: Tuple[int, ...]
    every: float


class Put(NamedTuple):
    """MPI_Put; the collective Win_fence completes it."""

    to: int
    size: int


class Lock(NamedTuple):
    """MPI_Win_lock, exclusive."""

    to: int


class Unlock(NamedTuple):
    """MPI_Win_unlock, which completes what was put."""

    to: int


class Epoch(NamedTuple):
    """`name`: Win_post, Win_start, Win_complete or Win_wait; `ranks`: of the group."""

    name: str
    ranks: Tuple[int, ...]


class Probe(NamedTuple):
    """MPI_Iprobe that finds nothing: called for the sake of progress."""


class Message:
    """One message: when it was sent, when its receive was posted, when it is there."""

    def __init__(self, source: int, to: int, size: int, tag: int) -> None:
        self.source, self.to, self.size, self.tag = source, to, size, tag
        self.sent: Optional[float] = None
        self.posted: Optional[float] = None

    def left(self, machine: Machine) -> Optional[float]:
        """When the sender has done its part; None: it waits."""
        if self.sent is None:
            return None
        if self.size <= machine.eager:
            return self.sent + machine.overhead
        return self.there(machine)

    def there(self, machine: Machine) -> Optional[float]:
        """When the receiver has it; None: not known yet."""
        if self.sent is None or self.posted is None:
            return None
        cost = machine.cost(self.source, self.to, self.size)
        if self.size <= machine.eager:
            return max(self.sent + machine.overhead + cost, self.posted) + machine.overhead
        return max(self.sent, self.posted) + 2 * machine.latency[0] + cost


class Call(NamedTuple):
    """As a trace has it. `events`: its messages (`send`, `recv`, `isend`, …) or its collective."""

    rank: int
    name: str
    entered: float
    left: float
    events: Tuple[Tuple, ...]


class Simulation:
    """Ranks go on in the order of their clocks, so that MPI_ANY_SOURCE takes who is first."""

    def __init__(self, programs: Sequence[Sequence[NamedTuple]], machine: Machine) -> None:
        self.machine, self.count = machine, len(programs)
        self.ahead = [deque(program) for program in programs]
        self.clock = [0.0] * self.count
        self.calls: List[Call] = []
        self.queued: Dict[int, List[Message]] = defaultdict(list)
        self.wanted: Dict[int, List[Tuple[Receive, Message]]] = defaultdict(list)
        self.requests: Dict[Tuple[int, int], Tuple[str, Message]] = {}
        self.meeting: Dict[Tuple[int, ...], Dict[int, Deque[Tuple[float, Collective]]]] = (
            defaultdict(lambda: defaultdict(deque))
        )
        self.blocked: Dict[int, Tuple[float, NamedTuple, List[Tuple[str, Message]]]] = {}
        self.ready = [(0.0, rank) for rank in range(self.count)]
        self.landed = [0.0] * self.count
        """When all is there that a rank has put so far."""
        self.holder: Dict[int, int] = {}
        self.queue: Dict[int, Deque[Tuple[float, int]]] = defaultdict(deque)
        """Who has the lock of a rank's window, and who waits for it."""
        self.signals: Dict[Tuple[str, int, int], Deque[float]] = defaultdict(deque)
        """When a rank's MPI_Win_post or MPI_Win_complete reaches another."""
        self.expecting: Dict[int, Tuple[float, Epoch]] = {}

    def run(self) -> List[Call]:
        """All calls, those of a rank in order. RuntimeError if ranks wait for each other for
        ever."""
        while self.ready:
            _, rank = heapq.heappop(self.ready)
            if self.ahead[rank]:
                self._step(rank, self.ahead[rank].popleft())
        met = any(queue for ranks in self.meeting.values() for queue in ranks.values())
        if self.blocked or met or self.expecting or any(self.ahead):
            raise RuntimeError("the ranks wait for each other")
        return self.calls

    def _go_on(self, rank: int, now: float) -> None:
        self.clock[rank] = now
        heapq.heappush(self.ready, (now, rank))

    def _step(self, rank: int, what: NamedTuple) -> None:
        now = self.clock[rank]
        if isinstance(what, Compute):
            self._go_on(rank, now + what.seconds)
        elif isinstance(what, Collective):
            self._meet(rank, now, what)
        elif isinstance(what, Send):
            self._send(rank, now, what)
        elif isinstance(what, Receive):
            self._receive(rank, now, what)
        elif isinstance(what, Put):
            self._put(rank, now, what)
        elif isinstance(what, Probe):
            self._short(rank, now, "Iprobe", ())
        elif isinstance(what, Lock):
            self._lock(rank, now, what)
        elif isinstance(what, Unlock):
            self._unlock(rank, now, what)
        elif isinstance(what, Epoch):
            self._epoch(rank, now, what)
        elif isinstance(what, WaitAny):
            self.blocked[rank] = (now, what, [])
            self._look(rank)
        elif isinstance(what, (Wait, Poll)):
            sides = [self.requests.pop((rank, one)) for one in what.requests]
            self.blocked[rank] = (now, what, sides)
            self._look(rank)

    def _send(self, rank: int, now: float, what: Send) -> None:
        found = next(
            (
                pair
                for pair in self.wanted[what.to]
                if pair[0].source in (ANY, rank) and pair[0].tag == what.tag
            ),
            None,
        )
        if found:
            self.wanted[what.to].remove(found)
            message = found[1]
            message.source, message.size = rank, what.size
        else:
            message = Message(rank, what.to, what.size, what.tag)
            self.queued[what.to].append(message)
        message.sent = now
        self._posted(rank, now, what, ("send", message))
        self._look(what.to)

    def _receive(self, rank: int, now: float, what: Receive) -> None:
        message = next(
            (
                one
                for one in self.queued[rank]
                if what.source in (ANY, one.source) and what.tag == one.tag
            ),
            None,
        )
        if message:
            self.queued[rank].remove(message)
        else:
            message = Message(what.source, rank, 0, what.tag)
            self.wanted[rank].append((what, message))
        message.posted = now
        self._posted(rank, now, what, ("recv", message))
        if message.sent is not None:
            self._look(message.source)

    def _posted(self, rank: int, now: float, what, side: Tuple[str, Message]) -> None:
        if not what.request:
            self.blocked[rank] = (now, what, [side])
            self._look(rank)
            return
        self.requests[rank, what.request] = side
        kind = "isend" if side[0] == "send" else "irecv"
        self._short(rank, now, kind.capitalize(), ((kind, side[1], what.request),))

    def _short(self, rank: int, now: float, name: str, events: Tuple[Tuple, ...]) -> None:
        """A call that waits for nobody."""
        left = now + self.machine.overhead
        self.calls.append(Call(rank, name, now, left, events))
        self._go_on(rank, left)

    def _put(self, rank: int, now: float, what: Put) -> None:
        begin = max(now, self.landed[rank])
        self.landed[rank] = begin + self.machine.cost(rank, what.to, what.size)
        self._short(rank, now, "Put", (("put", what),))

    def _look(self, rank: int) -> None:
        """Let a rank go on if what it waits for is there."""
        if rank not in self.blocked:
            return
        entered, what, sides = self.blocked[rank]
        if isinstance(what, WaitAny):
            self._first(rank, entered, what)
            return
        done = [
            message.left(self.machine) if side == "send" else message.there(self.machine)
            for side, message in sides
        ]
        if any(one is None for one in done):
            return
        del self.blocked[rank]
        left = max([entered + self.machine.overhead, *(one for one in done if one is not None)])
        if isinstance(what, (Wait, Poll)):
            events = tuple(
                (f"i{side}_done", message, request)
                for (side, message), request in zip(sides, what.requests)
            )
            if isinstance(what, Poll):
                left = self._polled(rank, entered, left, what.every, events)
            else:
                self.calls.append(Call(rank, "Waitall", entered, left, events))
        else:
            name = "Send" if sides[0][0] == "send" else "Recv"
            self.calls.append(Call(rank, name, entered, left, (sides[0],)))
        self._go_on(rank, left)

    def _first(self, rank: int, entered: float, what: WaitAny) -> None:
        """Complete the request that is done first, if one is."""
        there: List[Tuple[float, int]] = []
        for one in what.requests:
            if (rank, one) in self.requests:
                side, message = self.requests[rank, one]
                when = message.left(self.machine) if side == "send" else message.there(self.machine)
                there += [] if when is None else [(when, one)]
        if not there:
            return
        del self.blocked[rank]
        when, one = min(there)
        side, message = self.requests.pop((rank, one))
        left = max(entered + self.machine.overhead, when)
        event = (f"i{side}_done", message, one)
        self.calls.append(Call(rank, "Waitany", entered, left, (event,)))
        self._go_on(rank, left)

    def _lock(self, rank: int, now: float, what: Lock) -> None:
        if what.to in self.holder:
            self.queue[what.to].append((now, rank))
            return
        self._locked(rank, now, now, what.to)

    def _locked(self, rank: int, entered: float, free: float, to: int) -> None:
        self.holder[to] = rank
        left = free + 2 * self.machine.cost(rank, to, 0) + self.machine.overhead
        self.calls.append(Call(rank, "Win_lock", entered, left, (("lock", to),)))
        self._go_on(rank, left)

    def _unlock(self, rank: int, now: float, what: Unlock) -> None:
        left = max(now, self.landed[rank]) + self.machine.cost(rank, what.to, 0)
        self.calls.append(Call(rank, "Win_unlock", now, left, (("unlock", what.to),)))
        del self.holder[what.to]
        self._go_on(rank, left)
        if self.queue[what.to]:
            entered, other = self.queue[what.to].popleft()
            self._locked(other, entered, left, what.to)

    def _epoch(self, rank: int, now: float, what: Epoch) -> None:
        """MPI_Win_post and MPI_Win_complete tell the others; the other two wait to be told."""
        if what.name in ("Win_start", "Win_wait"):
            self.expecting[rank] = (now, what)
            self._expected(rank)
            return
        left = max(now, self.landed[rank] * (what.name == "Win_complete")) + self.machine.overhead
        self.calls.append(Call(rank, what.name, now, left, (("epoch", what),)))
        self._go_on(rank, left)
        for one in what.ranks:
            there = left + self.machine.cost(rank, one, 0)
            self.signals[what.name, rank, one].append(there)
            self._expected(one)

    def _expected(self, rank: int) -> None:
        """Let a rank go on whose partners have all told it."""
        if rank not in self.expecting:
            return
        entered, what = self.expecting[rank]
        told = {"Win_start": "Win_post", "Win_wait": "Win_complete"}[what.name]
        queues = [self.signals[told, one, rank] for one in what.ranks]
        if not all(queues):
            return
        del self.expecting[rank]
        left = max([entered + self.machine.overhead, *(queue.popleft() for queue in queues)])
        self.calls.append(Call(rank, what.name, entered, left, (("epoch", what),)))
        self._go_on(rank, left)

    def _polled(
        self, rank: int, entered: float, there: float, every: float, events: Tuple[Tuple, ...]
    ) -> float:
        """When the first call that finds all there ends."""
        begin = entered
        while begin < there - self.machine.overhead:
            self.calls.append(Call(rank, "Testall", begin, begin + self.machine.overhead, ()))
            begin += self.machine.overhead + every
        left = max(begin, there) + self.machine.overhead
        self.calls.append(Call(rank, "Testall", begin, left, events))
        return left

    def _meet(self, rank: int, now: float, what: Collective) -> None:
        members = what.members or tuple(range(self.count))
        waiting = self.meeting[members]
        waiting[rank].append((now, what))
        if any(not waiting[one] for one in members):
            return
        entered = [waiting[one].popleft()[0] for one in members]
        for one, begin, left in zip(members, entered, self._leaving(what, members, entered)):
            self.calls.append(Call(one, what.name, begin, left, (("collective", what, members),)))
            self._go_on(one, left)

    def _leaving(
        self, what: Collective, members: Sequence[int], entered: Sequence[float]
    ) -> List[float]:
        cost, root = self._cost(what, members), what.root
        if what.name in ("Bcast", "Scatter"):
            ready = entered[root] + cost
            return [
                max(begin + self.machine.overhead, ready if place != root else begin + cost / 2)
                for place, begin in enumerate(entered)
            ]
        if what.name in ("Reduce", "Gather"):
            return [
                max(entered) + cost if place == root else begin + cost / 2
                for place, begin in enumerate(entered)
            ]
        if what.name == "Win_fence":
            return [max(*entered, *(self.landed[one] for one in members)) + cost] * len(entered)
        return [max(entered) + cost] * len(entered)

    def _cost(self, what: Collective, members: Sequence[int]) -> float:
        count = len(members)
        far = len({self.machine.host[one] for one in members}) > 1
        slower = self.machine.factor(members) if self.machine.slow else 1.0
        latency, byte = self.machine.latency[far] * slower, slower / self.machine.bandwidth[far]
        stages = math.ceil(math.log2(count)) if count > 1 else 0
        if what.name in ("Alltoall", "Alltoallv"):
            return (count - 1) * (latency + what.size * byte)
        if what.name in ("Gather", "Scatter", "Allgather"):
            return stages * latency + (count - 1) * what.size * byte
        if what.name in ("Allreduce", "Bcast", "Reduce"):
            return stages * (latency + self.machine.overhead) + 2 * what.size * byte * (count > 1)
        return stages * latency
