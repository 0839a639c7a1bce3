"""What each user may see of a store that is closed: a file a user, which is his, with his own jobs
only.

    FOLDER/1000.txt         owner 1000, mode 0400

The folder is the centre's, so nobody can put another file in the place of one's own.
"""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path
from typing import List, Tuple, Union

from advisor.base import trusted_files
from advisor.fleet.people import accounts
from advisor.fleet.query import asked, connected
from advisor.fleet.report import period
from advisor.fleet.store import Store
from advisor.fleet.subjects import subject_in
from advisor.model.errors import UserError

_LARGEST = 1 << 22


def write_all(
    store: Store, folder: Path, since: Union[date, timedelta]
) -> Tuple[List[str], List[str]]:
    """Users with a file of today, and users whom this account cannot give one. Files of users who
    have no jobs any more go. Each file is replaced whole: who is killed here begins anew, and two
    at once must hold the store's lock."""
    _prepare(folder)
    with connected(store) as connection:
        first, until = period(connection, store, since)
        names = [
            row["user_name"] for row in asked(connection, "users_seen", since=first, until=until)
        ]
        known, done, kept = accounts(names, store.pseudonyms), [], set()
        for name, account in sorted(known.items()):
            if os.geteuid() not in (0, account.pw_uid):
                continue  # Only root can give a file away.
            text = subject_in(connection, (first, until), "user", name)
            _give(folder, f"{account.pw_uid}.txt", text, account.pw_uid)
            done.append(name)
            kept.add(f"{account.pw_uid}.txt")
    # Those of users without jobs, and drafts of one that was killed
    for old in (*folder.glob("*.txt"), *folder.glob(".*.txt-*")):
        if old.name not in kept:
            old.unlink(missing_ok=True)
    return done, sorted(set(names) - set(done))


def mine(folder: Path) -> str:
    """The file of who asks. Raises UserError."""
    path = folder / f"{os.geteuid()}.txt"
    try:
        with trusted_files.plain(path, str(path)) as file:
            return trusted_files.bounded(file, _LARGEST, str(path)).decode("utf-8", "replace")
    except FileNotFoundError:
        raise UserError(
            f"{folder} has nothing of yours.",
            "No job of yours was measured lately, or this is not the folder.",
            "Ask your centre where advisor fleet views writes to.",
        ) from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.") from error


def _prepare(folder: Path) -> None:
    """Users enter it by name and cannot list it. Raises UserError."""
    try:
        folder.mkdir(mode=0o711, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise UserError(f"{folder} cannot be made: {error.strerror or error}.") from error
    strange = found.st_uid != os.geteuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if strange or not stat.S_ISDIR(found.st_mode):
        raise UserError(
            f"{folder} is open to others, who could put their own words there.",
            do="Give a folder of this account that nobody else can write to.",
        )


def _give(folder: Path, name: str, text: str, owner: int) -> None:
    draft = folder / f".{name}-{secrets.token_hex(4)}"
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o400)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            if os.geteuid() == 0:
                os.fchown(file.fileno(), owner, -1)
        draft.replace(folder / name)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        raise UserError(f"{folder} cannot be written: {error.strerror or error}.") from error
