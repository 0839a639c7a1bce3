"""The energy of a run on this node: its counters before and after, kept beside the profile."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any, Optional, Tuple

FILE = "energy.json"
FOLDERS = ("/sys/cray/pm_counters", "/sys/class/powercap/intel-rapl:0")
Begun = Tuple[Any, float]


def begin() -> Optional[Begun]:
    """None where there are no counters. A job starts at once: where there are none, nothing is
    imported."""
    if not any(map(os.path.exists, FOLDERS)):
        return None
    from advisor.base.worth.counters import sample

    before = sample()
    return (before, time.monotonic()) if before else None


def end(begun: Optional[Begun], folder: Optional[Path]) -> None:
    """Write what was used, or why it is not believed. Nobody waits for it and nobody misses it."""
    if begun is None or folder is None:
        return
    from advisor.base.worth.counters import sample, used
    from advisor.base.worth.site import NOTHING

    before, began = begun
    seconds, after = time.monotonic() - began, sample()
    if after is None:
        return
    found = used(before, after, seconds, NOTHING)
    content = {
        "host": os.uname().nodename,
        "source": found.source,
        "joules": found.joules,
        "seconds": seconds,
        "fault": found.fault,
    }
    try:
        (folder / FILE).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    except OSError:
        pass
