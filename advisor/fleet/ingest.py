"""Spool → store: judge what is new, say whose it was, and add it in one step.

The order keeps everything: a copy of the profile, then its rows, then the file leaves the spool.
Whoever is killed between two of these does the rest next time; a content that has rows gets no
second ones.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import Executor
from dataclasses import dataclass, field
from datetime import datetime, timezone
from itertools import islice
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

import numpy as np

from advisor.fleet import spool, store as stores
from advisor.fleet.accounting import NOTHING, Accounting
from advisor.fleet.energy import Metering
from advisor.fleet.identity import Early, Identifying
from advisor.fleet.judging import Judge, judged
from advisor.fleet.spool import Found, Refused
from advisor.fleet.store import Store
from advisor.fleet.tables import TABLES, table
from advisor.model.errors import UserError, harmless

BATCH = 256
"""Files of one commit: what is judged anew if the ingest is killed."""
SETTLED_SECONDS = 600
"""A file that cannot be read and is younger than that may still be written."""
ACCOUNTED_SECONDS = 3600
"""Slurm's database lags behind: so long a job waits for its row."""
_MOST_REASONS = 20

Rows = Dict[str, List[Dict[str, Any]]]


@dataclass
class Summary:
    """Files by what became of them: added, known, waiting, quarantined, left, ignored. `reasons` of
    the last three, the first of them."""

    counts: "Counter[str]" = field(default_factory=Counter)
    reasons: List[str] = field(default_factory=list)

    def sentence(self) -> str:
        """What became of all files, in one line."""
        words = ("added", "known", "waiting", "quarantined", "left", "ignored")
        return ", ".join(f"{self.counts[word]} {word}" for word in words)

    def refuse(self, what: str, found: Found, reason: str) -> None:
        """Count a file that is not taken, and keep why."""
        self.counts[what] += 1
        if len(self.reasons) < _MOST_REASONS:
            self.reasons.append(harmless(f"{what}: {found.path}: {reason}"))

    def ignore(self, found: Iterable[Tuple[Path, str]]) -> None:
        """Count what is no file of a job, and say of each reason how many, and the first."""
        first: Dict[str, Path] = {}
        counts: "Counter[str]" = Counter()
        for path, reason in found:
            first.setdefault(reason, path)
            counts[reason] += 1
        self.counts["ignored"] += sum(counts.values())
        for reason, path in first.items():
            more = f" (and {counts[reason] - 1} more)" if counts[reason] > 1 else ""
            self.reasons.append(harmless(f"ignored: {path}{more}: {reason}"))


@dataclass(frozen=True)
class Ingest:
    """One ingest. `executors` makes what judges. `now`: in UTC; clocks jump."""

    spool: Path
    store: Store
    judge: Judge
    executors: Callable[[], Executor]
    now: datetime
    accounting: Accounting = NOTHING
    batch: int = BATCH
    metering: Optional[Metering] = None
    """None: what `accounting` knows of energy."""
    told: Callable[[], None] = lambda: None
    """Called whenever a file is done with."""

    def run(self) -> Summary:
        """All files that are there now; the store must be locked. Raises UserError if it cannot be
        written."""
        summary = Summary()
        known, files = self.store.known(), spool.files(self.spool)
        for chunk in iter(lambda: list(islice(files, self.batch)), []):
            try:
                known = np.union1d(known, self._batch(chunk, known, summary))
            except OSError as error:
                raise UserError(
                    f"{self.store.path} cannot be written: {error.strerror or error}.",
                    "What was not added stays in the spool.",
                    "Make room, and start again.",
                ) from error
        summary.ignore(spool.ignored(self.spool))
        return summary

    def _batch(self, chunk: Sequence[Found], known: np.ndarray, summary: Summary) -> np.ndarray:
        new: Dict[str, Found] = {}
        for found in chunk:
            digest = self._copied(found, known, summary)
            if digest in new:
                self._count_known(found, summary)
            elif digest:
                new[digest] = found
        rows, done = self._rows(new, summary)
        if done:
            added = {name: table(name, found) for name, found in rows.items()}
            self.store.commit(added, f"new-{self.now:%Y%m%dT%H%M%S}-{done[0]}")
            summary.counts["added"] += len(done)
        for digest in done:
            spool.remove(new[digest])
        return np.fromiter(map(stores.short, done), np.uint64, len(done))

    def _copied(self, found: Found, known: np.ndarray, summary: Summary) -> Optional[str]:
        """The content's name after it was put away; None if there is nothing to judge."""
        try:
            content = spool.content(found)
        except FileNotFoundError:
            return None
        except (Refused, OSError) as refusal:
            summary.refuse("left", found, str(refusal))
            return None
        digest = spool.digest(content)
        if _within(stores.short(digest), known) or self.store.refused(digest).exists():
            self._count_known(found, summary)
            return None
        raw = self.store.raw(digest, found.kind)
        if not raw.exists():
            stores.put(raw, content)
        return digest

    def _count_known(self, found: Found, summary: Summary) -> None:
        self.told()
        summary.counts["known"] += 1
        spool.remove(found)

    def _rows(self, new: Dict[str, Found], summary: Summary) -> Tuple[Rows, List[str]]:
        """Rows by table, and the contents that they are of."""
        rows: Rows = {name: [] for name in TABLES}
        done: List[str] = []
        identifying = Identifying(
            self.accounting,
            self.store.pseudonyms,
            self.now,
            ACCOUNTED_SECONDS,
            self.metering or Metering(self.accounting),
        )
        copies = {
            digest: (self.store.raw(digest, found.kind), found.kind)
            for digest, found in new.items()
        }
        for digest, result in judged(self.executors, self.judge, copies):
            self.told()
            found = new[digest]
            try:
                if isinstance(result, UserError):
                    raise Refused(result.what.replace(str(copies[digest][0]), "It"))
                identity = identifying.identity(digest, found, result)
            except Early:
                summary.counts["waiting"] += 1
            except Refused as refusal:
                self._refuse(digest, found, str(refusal), summary)
            else:
                for name, more in identity.rows(result, self.store.pseudonyms).items():
                    rows[name].extend(more)
                done.append(digest)
        return rows, done

    def _refuse(self, digest: str, found: Found, reason: str, summary: Summary) -> None:
        if 0 <= self.now.timestamp() - found.modified < SETTLED_SECONDS:
            summary.counts["waiting"] += 1
            return
        why = {
            "reason": harmless(reason),
            "file": str(found.path.relative_to(self.spool)),
            "owner": found.owner,
            "when": self.now.astimezone(timezone.utc).isoformat(),
        }
        self.store.quarantine(digest, found.kind, why)
        summary.refuse("quarantined", found, reason)
        spool.remove(found)


def _within(value: int, known: np.ndarray) -> bool:
    place = int(np.searchsorted(known, np.uint64(value)))
    return place < len(known) and int(known[place]) == value
