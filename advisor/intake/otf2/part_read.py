"""How much of a trace its reader has read, for those who wait: from what the kernel counts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Callable, Optional

from advisor.intake.otf2.archive import ANCHOR, recognises

_READER = "otf2-profile"


def part_read(result: str) -> Optional[Callable[[], float]]:
    """A function that tells the part of the trace `result` (its folder or anchor file) that a
    reader which we started has read so far, 0 to 1; None if that is no trace.

    It counts bytes of the reader's calls of read(2). A reader that another host or a launcher
    started is not seen: that is 0.
    """
    anchor = Path(result) / ANCHOR if os.path.isdir(result) else Path(result)
    try:
        with open(anchor, "rb") as file:
            if not recognises(file.read(8)):
                return None
        total = sum(part.stat().st_size for part in anchor.with_suffix("").iterdir())
    except OSError:
        return None
    return lambda: min(1.0, _read_by_readers() / total) if total else 0.0


def _read_by_readers() -> int:
    found = 0
    for task in Path("/proc/self/task").iterdir():
        try:
            for child in (task / "children").read_text().split():
                process = Path("/proc") / child
                if (process / "comm").read_text().startswith(_READER):
                    fields = dict(
                        line.split(": ") for line in (process / "io").read_text().splitlines()
                    )
                    found += int(fields["rchar"])
        except (OSError, ValueError, KeyError):
            continue  # It has just ended, or this kernel does not tell
    return found
