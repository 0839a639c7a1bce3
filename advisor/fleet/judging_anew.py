"""Profiles of a store judged again, after rules changed: rows by today's rules in place of the old
ones, in one step. Whose a job was, when and how large stays as it is.

Each is judged by itself, so any executor of `concurrent.futures` will do.
"""

from __future__ import annotations

import shutil
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping

from advisor.fleet.identity import Identity
from advisor.fleet.ingest import BATCH
from advisor.fleet.installed import arrow
from advisor.fleet.judging import Executors, Judge, judged
from advisor.fleet.rows import Judged
from advisor.fleet.store import Store, write_rows
from advisor.fleet.tables import KEY, table
from advisor.model.errors import UserError, harmless

REPLACED = ("jobs", "findings", "operations", "settings", "hosts")
STAYS = (
    *("program", "application", "partition_name", "state", "started", "started_from", "elapsed"),
    *("ranks", "nodes", "node_hours", "energy", "energy_source", "energy_fault", "watts"),
)
"""Columns of `jobs` that were checked against what the scheduler says."""
_MOST_REASONS = 20


@dataclass
class Done:
    """How many have new rows, have no profile any more, and could not be read; why, of some."""

    judged: int = 0
    gone: int = 0
    failed: int = 0
    reasons: List[str] = field(default_factory=list)
    told: Callable[[], None] = lambda: None
    """Called whenever one is done with."""

    def sentence(self) -> str:
        """In one line."""
        return (
            f"{self.judged} judged anew, {self.gone} without a profile, {self.failed} as they were"
        )


@contextmanager
def executors(name: str) -> Iterator[Executors]:
    """Of "MODULE:NAME", something that makes an executor, or a client that has one, as
    mpi4py.futures:MPIPoolExecutor and dask.distributed:Client do. It is made once. Raises
    UserError."""
    module, _, factory = name.partition(":")
    try:
        made = getattr(import_module(module), factory)()
    except (ImportError, AttributeError, ValueError) as error:
        raise UserError(
            f"{name} makes no executor: {error}.",
            do="Write MODULE:NAME, as mpi4py.futures:MPIPoolExecutor or dask.distributed:Client.",
        ) from error
    with made:
        executor = made.get_executor() if hasattr(made, "get_executor") else made
        yield lambda: _kept(executor)


@contextmanager
def _kept(executor: Executor) -> Iterator[Executor]:
    """Of a cluster, which outlives a batch."""
    yield executor


def judge_anew(
    store: Store,
    judge: Judge,
    with_: Executors,
    now: datetime,
    since: date = date.min,
    limited: bool = True,
    told: Callable[[], None] = lambda: None,
) -> Done:
    """All jobs from a day on whose profiles are kept; the store must be locked. `limited`: the
    executor's processes are ours, and end if a file takes too long. Raises UserError if the store
    cannot be written; then nothing has changed."""
    drafts, done = store.path / "judging", Done(told=told)
    shutil.rmtree(drafts, ignore_errors=True)
    names: List[str] = []
    try:
        rows = _jobs(store, since)
        for number, chunk in enumerate(iter(lambda: list(islice(rows, BATCH)), [])):
            names += _chunk(
                store, chunk, judge, with_, now, limited, drafts / f"{number:06d}", done
            )
        if names:
            _replace(store, names, drafts, f"new-judged-{now:%Y%m%dT%H%M%S}")
    finally:
        shutil.rmtree(drafts, ignore_errors=True)
    return done


def count(store: Store, since: date) -> int:
    """How many jobs there are from a day on."""
    return sum(1 for _ in _jobs(store, since))


def _jobs(store: Store, since: date) -> Iterator[Mapping[str, Any]]:
    parquet = arrow().parquet
    for file in store.files("jobs"):
        for batch in parquet.ParquetFile(file).iter_batches(BATCH):
            yield from (row for row in batch.to_pylist() if row["day"] >= since)


def _chunk(
    store: Store,
    chunk: List[Mapping[str, Any]],
    judge: Judge,
    with_: Executors,
    now: datetime,
    limited: bool,
    drafts: Path,
    done: Done,
) -> List[str]:
    """Judge and write a batch; the profiles that have new rows."""
    known = {row["profile"]: row for row in chunk}
    paths = {name: store.raw(name, "profile") for name in known}
    kept = {name: (path, "profile") for name, path in paths.items() if path.exists()}
    done.gone += len(known) - len(kept)
    rows: Dict[str, List[Dict[str, Any]]] = {name: [] for name in REPLACED}
    names = []
    for name, found in judged(with_, judge, kept, limited):
        done.told()
        if isinstance(found, UserError):
            done.failed += 1
            if len(done.reasons) < _MOST_REASONS:
                done.reasons.append(harmless(f"{name}: {found.what}"))
            continue
        for part, more in _identity(known[name], found, now).rows(found, store.pseudonyms).items():
            rows[part].extend(more)
        names.append(name)
    done.judged += len(names)
    for part, more in rows.items():
        if more:
            (drafts / part).mkdir(parents=True, exist_ok=True)
            write_rows(table(part, more), drafts / part / "rows.parquet")
    return names


def _identity(old: Mapping[str, Any], found: Judged, now: datetime) -> Identity:
    key = {name: old[name] for name in KEY}
    stays = {name: old[name] for name in STAYS}
    return Identity(key, {**found.job, **stays, "judged": now.replace(tzinfo=None)})


def _replace(store: Store, names: List[str], drafts: Path, name: str) -> None:
    """One generation: files that have rows of these profiles without them, and the new rows."""
    chosen = arrow().array(names)
    touched = [
        (part, file) for part in REPLACED for file in store.files(part) if _has(file, chosen)
    ]

    def write(folder: Path) -> None:
        for part, file in touched:
            write_rows(_without(file, chosen), folder / part / file.name)
        for draft in sorted(drafts.glob("*/*/rows.parquet")):
            target = folder / draft.parent.name / f"{name}-{draft.parent.parent.name}.parquet"
            shutil.move(str(draft), target)

    store.change(write, {file for _, file in touched})


def _has(file: Path, chosen: Any) -> bool:
    pa = arrow()
    column = pa.parquet.ParquetFile(file).read(columns=["profile"])["profile"]
    return bool(pa.compute.any(pa.compute.is_in(column, chosen)).as_py())


def _without(file: Path, chosen: Any) -> Any:
    pa = arrow()
    rows = pa.parquet.ParquetFile(file).read()
    return rows.filter(pa.compute.invert(pa.compute.is_in(rows["profile"], chosen)))
