"""Archives for tests, written by libotf2 itself from lines that say what happened.

`rank HOST [OFFSET]` adds a rank and its location; `thread RANK` one more location of it; `comm ID
NAME members…`; `self ID`; `group members…`, numbered on after those of communicators; `window ID
COMM`; `creator TEXT`; `ticks N`, a second (microseconds if nothing is said); `member ID NAME MODE
BASE EXPONENT`, `class ID members…` and `instance ID CLASS RECORDER SCOPE PLACE` of metrics; then
`LOCATION TIME EVENT …`, in order of time for each location.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import List, Sequence

import pytest

NOBODY = 2**32 - 1
"""The root of a collective call that has none."""
BARRIER, BCAST, GATHERV, ALLGATHERV, ALLREDUCE, REDUCE, SCAN, CREATE = 0, 1, 3, 7, 11, 12, 14, 17
_PACKAGES = "libotf2-trace-dev and otf2-tools are needed"


@lru_cache(maxsize=None)
def writer() -> Path:
    """The program that writes archives."""
    if not shutil.which("otf2-config") or not shutil.which("otf2-print") or not shutil.which("cc"):
        pytest.skip(_PACKAGES)
    output = Path(tempfile.mkdtemp(prefix="advisor-test-")) / "write_archive"
    subprocess.run(
        [
            "cc",
            "-O1",
            str(Path(__file__).with_name("write_archive.c")),
            "-o",
            str(output),
            "-lotf2",
        ],
        check=True,
    )
    return output


def archive(folder: Path, lines: Sequence[str]) -> Path:
    """Write an archive below `folder`; its anchor file."""
    subprocess.run(
        [str(writer()), str(folder / "trace")], input="\n".join(lines) + "\n", text=True, check=True
    )
    return folder / "trace" / "traces.otf2"


def world(*hosts: int) -> List[str]:
    """A rank on each of these hosts, and MPI_COMM_WORLD."""
    return [f"rank {host}" for host in hosts] + [
        "comm 0 MPI_COMM_WORLD " + " ".join(map(str, range(len(hosts)))),
        "self 1",
    ]


def call(at: int, begin: int, end: int, operation: str, *events: str) -> List[str]:
    """One call of MPI at location `at`."""
    return [
        f"{at} {begin} enter MPI_{operation}",
        *(f"{at} {end} {event}" for event in events),
        f"{at} {end} leave MPI_{operation}",
    ]


def collective(
    operation: int, communicator: int = 0, root: int = NOBODY, sent: int = 8, received: int = 8
) -> str:
    """The event of a collective call."""
    return f"collective {operation} {communicator} {root} {sent} {received}"


def neighbour_call(at: int, begin: int, end: int, group: int) -> List[str]:
    """A call of MPI_Neighbor_allgather on MPI_COMM_WORLD that receives from the members of a
    group."""
    return [f"{at} {begin} neighbours 0 {group} 8", f"{at} {end} leave MPI_Neighbor_allgather"]
