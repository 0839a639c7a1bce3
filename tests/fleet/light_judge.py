"""A judge without rules, for executors whose workers are on a cluster: `python light_judge.py STORE
MODULE:NAME`."""

from __future__ import annotations

import os
import sys
from datetime import datetime
from pathlib import Path

from advisor.fleet import store as stores
from advisor.fleet.judging_anew import executors, judge_anew
from advisor.fleet.rows import Judged


def judge(path, kind):
    """One finding, with the process that judged."""
    finding = {"rule": "light", "title": str(os.getpid()), "owned": 1.0, "place": 0}
    row = {**finding, "owned_low": 1.0, "owned_high": 1.0}
    return Judged({"findings": 1}, None, {"findings": [row]})


def main(path, name):
    """Judge all of a store anew, and say by which processes."""
    store = stores.opened(Path(path))
    with store.locked(), executors(name) as found:
        done = judge_anew(store, judge, found, datetime(2026, 11, 25), limited=False)
    print(f"{done.judged} judged, asked by {os.getpid()}")


if __name__ == "__main__":
    main(*sys.argv[1:])
