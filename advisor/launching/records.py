"""What ranks leave behind that did not finalize: their records, moved into the result folder."""

from __future__ import annotations

import os
import re
import shutil
import time
from pathlib import Path
from typing import Iterator, List, Mapping

_GRACE_SECONDS = 3.0
"""How long a rank may outlive its launcher; launchers kill their ranks within one or two."""
_PAUSE_SECONDS = 0.05


def collect(run: str, parts: Path, environment: Mapping[str, str]) -> List[Path]:
    """Move the records of `run` from this host's memory file systems to `parts`; where they are now."""
    moved = []
    found = list(left_behind(run, environment))
    _wait_for(found)
    for record in found:
        target = parts / record.name
        if record.parent == parts or not record.exists():
            continue
        shutil.move(str(record), str(target))
        moved.append(target)
    return moved


def left_behind(run: str, environment: Mapping[str, str]) -> Iterator[Path]:
    """Records of this run on this host."""
    for folder in dict.fromkeys(("/dev/shm", environment.get("TMPDIR", ""), "/tmp")):
        if folder and os.path.isdir(folder):
            yield from sorted(Path(folder).glob(f"advisor-{run}-*.record"))


def _wait_for(records: List[Path]) -> None:
    """Wait until the writers have ended: a record that is still written is not complete."""
    end = time.monotonic() + _GRACE_SECONDS
    while any(_alive(record) for record in records) and time.monotonic() < end:
        time.sleep(_PAUSE_SECONDS)


def _alive(record: Path) -> bool:
    match = re.search(r"-([0-9]+)\.record$", record.name)
    return bool(match) and record.exists() and _runs(match.group(1))


def _runs(pid: str) -> bool:
    """Whether a process lives. One that has ended and was not waited for (Z) writes no more."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (OSError, IndexError):
        return False
