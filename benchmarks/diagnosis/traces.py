"""Simulated calls as an OTF2 archive, which any tool that reads traces can judge."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Dict, Iterator, Sequence, Tuple

from simulator import Call, Machine

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "tests")]

from otf2.archives import NOBODY, archive  # noqa: E402

TICKS = 100_000_000
"""A second."""
START = TICKS // 100
"""When MPI_Init ends and the program begins."""
KINDS = {
    "Barrier": 0,
    "Bcast": 1,
    "Gather": 2,
    "Scatter": 4,
    "Allgather": 6,
    "Alltoall": 8,
    "Alltoallv": 9,
    "Allreduce": 11,
    "Reduce": 12,
    "Reduce_scatter": 13,
    "Comm_dup": 17,
    "Comm_split": 17,
    "Comm_free": 18,
}
"""OTF2_CollectiveOp."""
WINDOW = 0
"""On MPI_COMM_WORLD: programs have one at most."""
ROOTED = ("Bcast", "Gather", "Scatter", "Reduce")


class Requests:
    """Programs use numbers of requests again and again; a trace has each once."""

    def __init__(self) -> None:
        self.made, self.open = 0, {}

    def begin(self, rank: int, request: int) -> None:
        """The next one."""
        self.made += 1
        self.open[rank, request] = self.made


def write(folder: Path, calls: Sequence[Call], machine: Machine) -> Path:
    """The archive's anchor file."""
    ranks = range(len(machine.host))
    groups = {tuple(ranks): 0}
    for call in calls:
        for event in call.events:
            if event[0] == "collective":
                groups.setdefault(event[2], len(groups) + 1)
    lines = [f"ticks {TICKS}", *(f"rank {host}" for host in machine.host)]
    epochs: Dict[Tuple[int, ...], int] = {}
    for call in calls:
        for event in call.events:
            if event[0] == "epoch":
                epochs.setdefault(event[1].ranks, len(groups) + 1 + len(epochs))
    for members, number in groups.items():
        name = f"group{number}" if number else "MPI_COMM_WORLD"
        lines.append(f"comm {number} {name} " + " ".join(map(str, members)))
        if not number:
            lines.append("self 1")
    lines += ["group " + " ".join(map(str, members)) for members in epochs]
    lines.append(f"window {WINDOW} 0")
    groups = {**groups, **{("epoch", *members): number for members, number in epochs.items()}}
    requests = Requests()
    end = START + round(max(call.left for call in calls) * TICKS)
    for rank in ranks:
        lines += [f"{rank} 1 enter MPI_Init", f"{rank} {START} leave MPI_Init"]
    for call in calls:
        lines += _lines(call, groups, requests)
    for rank in ranks:
        lines += [f"{rank} {end} enter MPI_Finalize", f"{rank} {end + 1000} leave MPI_Finalize"]
    return archive(folder, lines)


def _lines(call: Call, groups: Dict[Tuple[int, ...], int], requests: Requests) -> Iterator[str]:
    begin, end = (START + round(time * TICKS) for time in (call.entered, call.left))
    yield f"{call.rank} {begin} enter MPI_{call.name}"
    for event in call.events:
        yield f"{call.rank} {end} {_event(call, event, groups, requests)}"
    yield f"{call.rank} {end} leave MPI_{call.name}"


def _event(call: Call, event: Tuple, groups, requests) -> str:
    if event[0] == "put":
        return f"put {WINDOW} {event[1].to} {event[1].size}"
    if event[0] == "lock":
        return f"lock {WINDOW} {event[1]} 0"
    if event[0] == "unlock":
        return f"unlock {WINDOW} {event[1]}"
    if event[0] == "epoch":
        return f"meet {WINDOW} {groups[('epoch', *event[1].ranks)]}"
    if event[0] == "collective":
        _, what, members = event
        if what.name == "Win_fence":
            return f"win_sync {KINDS['Barrier']} {WINDOW} {NOBODY}"
        root = what.root if what.name in ROOTED else NOBODY
        return f"collective {KINDS[what.name]} {groups[members]} {root} {what.size} {what.size}"
    kind, message = event[:2]
    sends = "send" in kind
    if kind in ("isend", "irecv"):
        requests.begin(call.rank, event[2])
    number = requests.open.get((call.rank, event[2])) if len(event) > 2 else None
    if kind in ("irecv", "isend_done"):
        return f"{kind} {number}"
    partner = message.to if sends else message.source
    words = f"{kind} {partner} 0 {message.tag} {message.size}"
    return f"{words} {number}" if number else words
