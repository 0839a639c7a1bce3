"""`advisor fleet judge | settings`: a store judged anew, and what a site may set for all."""

from __future__ import annotations

import argparse
import sys
from contextlib import contextmanager
from datetime import date, datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any, Callable, Iterator, List, Mapping, Sequence

from advisor.cli.progress import Progress, with_progress
from advisor.model.errors import UserError
from advisor.model.verified import Evidence, Verified

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
    said = "settings for all that verified trials speak for, as files; with undo"
    made = part(parts, "settings", said, "settings /srv/fleet -o proposed")
    made.add_argument("store", metavar="STORE", help="the folder of the store")
    made.add_argument(
        "-o", "--output", metavar="FOLDER", help="of the files; default: standard output"
    )
    made.add_argument("--undo", action="store_true", help="take out of FOLDER's files what is ours")
    made.add_argument(
        "--evidence",
        metavar="FILE",
        help=(
            "also write what was verified for ADVISOR_EVIDENCE, so that other jobs' reports use it"
        ),
    )
    made.set_defaults(run=_settings)


@with_progress("judging the profiles anew")
def _judge(arguments: argparse.Namespace, progress: Progress) -> int:
    from advisor.cli.fleet import judge, since
    from advisor.fleet import judging_anew, store

    where = store.opened(Path(arguments.store))
    first = since(arguments.since) if arguments.since else date.min
    now = datetime.now(timezone.utc)
    if not isinstance(first, date):
        first = now.date() - first
    with where.locked(60.0), _executors(arguments) as executors:
        limited = not arguments.executor
        told = progress.counted(judging_anew.count(where, first) if progress.shows else 0)
        done = judging_anew.judge_anew(where, judge, executors, now, first, limited, told)
    progress.done()
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


def _settings(arguments: argparse.Namespace) -> int:
    from advisor.fleet import query, report, site_settings, store

    if arguments.undo:
        if not arguments.output:
            raise UserError("Of which folder?", do="Give it with -o.")
        for path in site_settings.undo(Path(arguments.output)):
            print(f"undone: {path}")
        return 0
    where = store.opened(Path(arguments.store))
    with query.connected(where) as connection:
        rows = query.asked(connection, "verified_settings", since=report.EVER, until=date.max)
        if arguments.evidence:
            _write_evidence(Path(arguments.evidence), _evidence(connection, rows))
    found = site_settings.proposals(rows)
    if arguments.output:
        for path in site_settings.propose(found, Path(arguments.output)):
            print(f"proposed: {path}")
        return 0
    for name, text in site_settings.texts(found, Path("/nonexistent")).items():
        print(f"# {name}\n{text}")
    return 0


def _write_evidence(path: Path, found: List[Evidence]) -> None:
    """All of it anew, so that nothing stands in it twice."""
    from advisor.verifying import evidence

    path.unlink(missing_ok=True)
    if found:
        evidence.append(path, found)


def _evidence(connection: Any, rows: Sequence[Mapping[str, Any]]) -> List[Evidence]:
    """What was verified, with what is needed to tell jobs like it. Natural experiments are none."""
    from advisor.fleet.query import asked

    found = []
    for row in rows:
        steps = asked(connection, "job", name=row["job"])
        same = [each for each in steps if all(each[of] == row[of] for of in ("cluster", "step"))]
        if not same or row["verdict"] == "undecided":
            continue
        job = same[0]
        settings = dict(each.partition("=")[::2] for each in row["settings"].split())
        rules = tuple(row["rules"].split())
        verified = Verified(
            rules[0] if len(rules) == 1 else row["settings"],
            rules,
            settings,
            row["verdict"],
            int(row["pairs"] or 0),
            row["effect"],
            row["effect_low"],
            row["effect_high"],
        )
        # Whose program it was stays in the store: a site's evidence is read by all.
        known = job["library"] or "unknown", job["library_version"] or "", job["application"]
        found.append(Evidence(verified, *known, job["ranks"], job["nodes"]))
    return found
