"""`advisor fleet judge | settings`: a store judged anew, and what a site may set for all."""

from __future__ import annotations

import argparse
import sys
from contextlib import contextmanager
from datetime import date, datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any, Callable, Iterator

Part = Callable[[argparse._SubParsersAction, str, str, str], argparse.ArgumentParser]


def add(parts: argparse._SubParsersAction, part: Part) -> None:
    """The parts of the command."""
    made = part(
        parts, "judge", "judge kept profiles again, after rules changed", "judge /srv/fleet"
    )
    made.add_argument("store", metavar="STORE", help="the folder of the store")
    made.add_argument(
        "--since", metavar="DATE", help="jobs from that day on, as 2026-11-01 (default: all)"
    )
    made.add_argument(
        "--workers", type=int, default=1, metavar="N", help="processes that judge (default 1)"
    )
    made.add_argument(
        "--executor",
        metavar="MODULE:NAME",
        default="",
        help=(
            "judge on a cluster: what makes an executor, as mpi4py.futures:MPIPoolExecutor or"
            " dask.distributed:Client"
        ),
    )
    made.set_defaults(run=_judge)


def _judge(arguments: argparse.Namespace) -> int:
    from advisor.cli.fleet import judge, since
    from advisor.fleet import judging_anew, store

    where = store.opened(Path(arguments.store))
    first = since(arguments.since) if arguments.since else date.min
    now = datetime.now(timezone.utc)
    if not isinstance(first, date):
        first = now.date() - first
    with where.locked(60.0), _executors(arguments) as executors:
        limited = not arguments.executor
        done = judging_anew.judge_anew(where, judge, executors, now, first, limited)
    for reason in done.reasons:
        print(f"advisor: {reason}", file=sys.stderr)
    print(done.sentence())
    return 0


@contextmanager
def _executors(arguments: argparse.Namespace) -> Iterator[Any]:
    from advisor.fleet import judging, judging_anew

    if not arguments.executor:
        yield partial(judging.processes, max(1, arguments.workers))
        return
    with judging_anew.executors(arguments.executor) as found:
        yield found
