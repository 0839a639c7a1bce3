"""What otf2-print says of an archive, and the waits that follow from it: written again from METRICS
3.3, sharing no line with the reader."""

from __future__ import annotations

import re
import subprocess
from collections import Counter, defaultdict
from pathlib import Path
from typing import Dict, List, NamedTuple, Tuple

_EVENT = re.compile(r"^(\w+) +(\d+) +(\d+)  (.*)$")


class Event(NamedTuple):
    """One line."""

    kind: str
    location: int
    time: int
    text: str

    def number(self, label: str) -> int:
        """The number behind a label."""
        return int(re.search(rf"{label}: (\d+)", self.text).group(1))

    @property
    def region(self) -> str:
        """Name of the region, without MPI_."""
        return re.search(r'Region: "(?:MPI_)?([^"]*)"', self.text).group(1)


def events(archive: Path) -> List[Event]:
    """All events, in order of time."""
    printed = subprocess.run(
        ["otf2-print", str(archive)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    ).stdout
    found = (_EVENT.match(line) for line in printed.splitlines())
    return [Event(match[1], int(match[2]), int(match[3]), match[4]) for match in found if match]


def calls(archive: Path) -> Counter:
    """(rank, operation) → calls, of archives whose locations are the ranks."""
    return Counter(
        (event.location, event.region)
        for event in events(archive)
        if event.kind == "ENTER" and 'Region: "MPI_' in event.text
    )


def sent(archive: Path) -> Counter:
    """(from, to) → bytes."""
    found: Counter = Counter()
    for event in events(archive):
        if event.kind in ("MPI_SEND", "MPI_ISEND"):
            found[event.location, event.number("Receiver")] += event.number("Length")
    return found


def blocking_waits(archive: Path) -> Dict[Tuple[int, str], int]:
    """(rank, operation) → ticks waited in Send and Recv, of archives whose communicator is the
    world."""
    ends = defaultdict(lambda: ([], []))
    entered: Dict[int, Event] = {}
    inside: Dict[int, Tuple[str, tuple]] = {}
    for event in events(archive):
        if event.kind == "ENTER":
            entered[event.location] = event
        elif event.kind == "MPI_SEND":
            inside[event.location] = (
                "Send",
                (event.location, event.number("Receiver"), event.number("Tag")),
            )
        elif event.kind == "MPI_RECV":
            inside[event.location] = (
                "Recv",
                (event.number("Sender"), event.location, event.number("Tag")),
            )
        elif event.kind == "LEAVE" and event.location in inside:
            what, key = inside.pop(event.location)
            ends[key][what == "Recv"].append(
                (event.location, entered[event.location].time, event.time)
            )
    waits: Dict[Tuple[int, str], int] = defaultdict(int)
    for sends, receives in ends.values():
        for (sender, posted, gone), (receiver, ready, had) in zip(sends, receives):
            waits[receiver, "Recv"] += max(0, min(posted, had) - ready)
            waits[sender, "Send"] += max(0, ready - posted) if gone >= ready else 0
    return dict(waits)


def counted(archive: Path) -> Dict[Tuple[int, str], Tuple[int, int]]:
    """(location, metric) → counted inside MPI and outside, of accumulated metrics with a value in
    front of each enter and leave, between MPI_Init and MPI_Finalize."""
    found: Dict[Tuple[int, str], List[int]] = defaultdict(lambda: [0, 0])
    before: Dict[Tuple[int, str], int] = {}
    inside: Dict[int, int] = defaultdict(int)
    begun = set()
    for event in events(archive):
        is_mpi = event.kind in ("ENTER", "LEAVE") and 'Region: "MPI_' in event.text
        if event.kind == "METRIC" and "Metric: 0," in event.text:
            for name, value in re.findall(r'\("([^"]*)" <\d+>; UINT64; (\d+)\)', event.text):
                key = event.location, name
                if event.location in begun:
                    found[key][0 if inside[event.location] else 1] += int(value) - before[key]
                before[key] = int(value)
        elif is_mpi:
            inside[event.location] += 1 if event.kind == "ENTER" else -1
            if event.region == "Init" and event.kind == "LEAVE":
                begun.add(event.location)
            if event.region == "Finalize":
                begun.discard(event.location)
    return {key: (of[0], of[1]) for key, of in found.items()}
