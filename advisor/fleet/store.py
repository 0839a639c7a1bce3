"""The store: a folder of Parquet files that changes in one step, or not at all.

    STORE/current -> generations/000042     what is read: jobs/*.parquet, findings/*.parquet, …
    STORE/generations/                      this one, and the last one for who still reads it
    STORE/raw/                              profiles as they came, by content
    STORE/quarantine/                       what was not taken, and why
    STORE/key                               of the pseudonyms
    STORE/lock                              held while something is written

A generation is a folder of hard links to all files that are valid in it. A new one is written and
flushed beside the old one, and becomes valid by one rename of the link `current`. Whoever is killed
before that leaves a folder that the next writer removes; after it, nothing is left to do.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import secrets
import shutil
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Collection, Iterator, List, Mapping, Optional

import numpy as np

from advisor.base import trusted_files
from advisor.fleet.installed import arrow
from advisor.fleet.pseudonyms import Pseudonyms
from advisor.fleet.tables import TABLES, schema
from advisor.model.errors import UserError

FORMAT, VERSION = "advisor-fleet", 3
_GENERATION = re.compile(r"\d{6,}")
_BEGUN = ".begun-"
_TURN_SECONDS = 0.2
_ROW_GROUP = 131_072
_PRIVATE = ("raw", "quarantine")
"""Folders that hold what users wrote, with their names."""


@dataclass(frozen=True)
class Store:
    """An existing store. What writes must hold `locked()`."""

    path: Path
    pseudonyms: Pseudonyms = Pseudonyms()

    @property
    def tables(self) -> Path:
        """The generation that is valid now: its real path, so that all files of one reader are of
        the same one."""
        return (self.path / "current").resolve()

    def files(self, table: str) -> List[Path]:
        """Parquet files of a table; at least one, which may have no rows."""
        return sorted((self.tables / table).glob("*.parquet"))

    @contextmanager
    def locked(self, patience: float = 0.0) -> Iterator[None]:
        """The only writer. Raises UserError if there is another one for `patience` seconds."""
        end = time.monotonic() + patience
        with open(self.path / "lock", "ab") as file:
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except OSError as error:
                    if time.monotonic() >= end:
                        raise _busy(self.path, error) from error
                time.sleep(_TURN_SECONDS)
            self._tidy()
            yield

    def known(self) -> np.ndarray:
        """Contents that were taken, as `short` names them, sorted: 80 MB for 10 million."""
        parquet = arrow().parquet
        parts = [
            np.fromiter(map(short, batch.column(0).to_pylist()), np.uint64, batch.num_rows)
            for table in ("jobs", "verified")
            for file in self.files(table)
            for batch in parquet.ParquetFile(file).iter_batches(columns=["profile"])
        ]
        return np.unique(np.concatenate(parts)) if parts else np.empty(0, np.uint64)

    def has_jobs(self) -> bool:
        """Whether there is a row of one."""
        parquet = arrow().parquet
        return any(parquet.ParquetFile(file).metadata.num_rows for file in self.files("jobs"))

    def commit(self, added: Mapping[str, Any], name: str) -> None:
        """Add a file `name`.parquet to each table in `added`, which are Arrow tables."""

        def write(folder: Path) -> None:
            for table, rows in added.items():
                if rows.num_rows:
                    write_rows(rows, folder / table / f"{name}.parquet")

        self.change(write)

    def change(self, write: Callable[[Path], None], without: Collection[Path] = ()) -> None:
        """A new generation: the files of this one but `without`, and what `write` adds to its
        folder. Raises UserError if it cannot be written; then nothing has changed."""
        number = int(self.tables.name) + 1
        begun = self.path / "generations" / f"{_BEGUN}{number:06d}"
        try:
            for table in TABLES:
                (begun / table).mkdir(parents=True)
                for file in self.files(table):
                    if file not in without:
                        os.link(file, begun / table / file.name)
            write(begun)
            _flush_all(begun)
            begun.rename(begun.with_name(f"{number:06d}"))
            _flush(begun.parent)
            _point(self.path, f"{number:06d}")
        except OSError as error:
            shutil.rmtree(begun, ignore_errors=True)
            raise UserError(
                f"{self.path} cannot be written: {error.strerror or error}.",
                "Nothing has changed in it; profiles that it lacks stay in the spool.",
                "Make room, and start again.",
            ) from error
        self._tidy()

    def raw(self, digest: str, kind: str) -> Path:
        """Where a content is kept."""
        return self.path / "raw" / digest[:2] / f"{digest}.{kind}"

    def refused(self, digest: str) -> Path:
        """Where the reason stands, if a content was not taken."""
        return self.path / "quarantine" / f"{digest}.reason"

    def quarantine(self, digest: str, kind: str, why: Mapping[str, Any]) -> None:
        """Put a content away, with the reason beside it. Raises OSError."""
        put(self.refused(digest), json.dumps(dict(why), indent=1).encode() + b"\n")
        raw = self.raw(digest, kind)
        raw.replace(self.refused(digest).with_name(raw.name))

    def _tidy(self) -> None:
        """Remove what writers left that were killed, and generations that nobody reads any more."""
        now = int(self.tables.name)
        for each in (self.path / "generations").iterdir():
            old = _GENERATION.fullmatch(each.name) and int(each.name) not in (now, now - 1)
            if old or each.name.startswith(_BEGUN):
                shutil.rmtree(each, ignore_errors=True)
        for draft in self.path.glob(".current-*"):
            draft.unlink()


def create(path: Path, pseudonyms: Optional[bool] = None) -> Store:
    """A store that has no rows, or the one that is there. None: a new one has pseudonyms, and one
    that is there stays as it was made. Raises UserError."""
    if not (path / "store.json").exists():
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(path / "lock", "ab") as file:
                fcntl.flock(file, fcntl.LOCK_EX)  # Of two first ingests, one makes it.
                if not (path / "store.json").exists():
                    _make(path, pseudonyms is not False)
        except OSError as error:
            raise UserError(
                f"{path} cannot become a store: {error.strerror or error}.",
                do="Give a folder that does not exist yet, or is empty.",
            ) from error
    found = opened(path)
    if pseudonyms and found.pseudonyms.key is None:
        raise UserError(
            f"{path} was made without pseudonyms, and has names in it.",
            do="Make a new store without --names, and ingest into that one.",
        )
    if pseudonyms is False and found.pseudonyms.key is not None:
        raise UserError(
            f"{path} was made with pseudonyms, and no names can come into it.",
            do="Leave --names out, or make a new store with it.",
        )
    return found


def opened(path: Path) -> Store:
    """An existing store. Raises UserError."""
    try:
        content = json.loads(trusted_files.read(path / "store.json", 1 << 16))
        fits = content["format"] == FORMAT and content["version"] == VERSION
        secret = trusted_files.read(path / "key", 1 << 10) if content["pseudonyms"] else None
    except FileNotFoundError as error:
        raise UserError(
            f"{path} is no store: it holds no {Path(str(error.filename)).name}.",
            do="Make one: advisor fleet ingest SPOOL STORE",
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} is no store that can be used: {error}.") from error
    if not fits:
        raise UserError(
            f"{path} was made by another version of advisor fleet.",
            do="Begin a new one. Profiles of the old one lie in its folder raw.",
        )
    return Store(path, Pseudonyms(secret))


def short(digest: str) -> int:
    """The first half of a content's name."""
    return int(digest[:16], 16)


def write_rows(rows: Any, path: Path) -> None:
    """A Parquet file of an Arrow table."""
    arrow().parquet.write_table(rows, path, compression="zstd", row_group_size=_ROW_GROUP)


def put(path: Path, content: bytes) -> None:
    """A file, all of it or nothing, flushed to the disk. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        with open(draft, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise


def _make(path: Path, pseudonyms: bool) -> None:
    """store.json is the last of it: without that, it is no store yet and is made anew."""
    ours = {"generations", "current", "key", "lock", *_PRIVATE}
    others = {each.name for each in path.iterdir() if not each.name.startswith(".")} - ours
    if others:
        raise OSError(0, f"it is not empty ({min(others)} lies there)")
    for name in _PRIVATE:
        (path / name).mkdir(mode=0o700, exist_ok=True)
    shutil.rmtree(path / "generations", ignore_errors=True)
    for table in TABLES:
        folder = path / "generations" / "000000" / table
        folder.mkdir(parents=True)
        write_rows(schema(table).empty_table(), folder / "empty.parquet")
    _flush_all(path / "generations" / "000000")
    _point(path, "000000")
    if pseudonyms:
        put(path / "key", secrets.token_hex(32).encode())
        (path / "key").chmod(0o600)
    about = {"format": FORMAT, "version": VERSION, "pseudonyms": pseudonyms}
    put(path / "store.json", json.dumps(about, indent=1).encode() + b"\n")


def _point(path: Path, generation: str) -> None:
    draft = path / f".current-{secrets.token_hex(4)}"
    draft.symlink_to(Path("generations") / generation)
    draft.replace(path / "current")
    _flush(path)


def _flush_all(folder: Path) -> None:
    """All that is new below a folder: files of an older generation have more than one name."""
    for table in folder.iterdir():
        for file in table.iterdir():
            if file.stat().st_nlink == 1:
                _flush(file)
        _flush(table)
    _flush(folder)


def _flush(path: Path) -> None:
    """What a power cut would otherwise take: a file, or the names in a folder."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _busy(path: Path, error: OSError) -> UserError:
    if not isinstance(error, BlockingIOError):
        return UserError(
            f"{path} cannot be locked: {error.strerror}.",
            do="Its file system must have locks: of Lustre, mount it with -o flock.",
        )
    return UserError(
        f"{path} is in use by another advisor fleet.",
        "Nothing was done here; the profiles stay in the spool.",
        "It is enough that one ingests: let the timer start again later, or give --wait.",
    )
