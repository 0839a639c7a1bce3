"""What users do not want to hear of: a file in today's folder of the spool, where all may write.
Whose it is says the file's owner, never what stands in it."""

from __future__ import annotations

import os
import re
import secrets
import stat
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Iterator, NamedTuple

from advisor.model.errors import UserError

ALL = "all"
_RULE = re.compile(r"[a-z0-9][a-z0-9-]{0,79}")
_FILE = re.compile(r"mute\.([a-z0-9][a-z0-9-]{0,79})\.[0-9a-f]{8}")


class Muted(NamedTuple):
    """A wish. `rule`: its id, or ALL."""

    owner: int
    rule: str
    path: Path


def mute(spool: Path, rule: str, today: date) -> None:
    """Leave a wish. Raises UserError."""
    if not _RULE.fullmatch(rule):
        raise UserError(f'"{rule}" is no rule.', do="Mails name it; all mutes all of them.")
    path = spool / f"{today:%Y/%m/%d}" / f"mute.{rule}.{secrets.token_hex(4)}"
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o400))
    except OSError as error:
        raise UserError(
            f"{path.parent} cannot be written: {error.strerror or error}.",
            do="The spool has a folder of each day; give the one that your centre names.",
        ) from error


def wishes(spool: Path) -> Iterator[Muted]:
    """All that lie there."""
    for path in sorted(spool.glob("[0-9][0-9][0-9][0-9]/[0-9][0-9]/[0-9][0-9]/mute.*")):
        match = _FILE.fullmatch(path.name)
        with suppress(OSError):
            found = path.lstat()
            if match and stat.S_ISREG(found.st_mode):
                yield Muted(found.st_uid, match[1], path)


def forget(wish: Muted) -> None:
    """After it was written down."""
    with suppress(OSError):
        wish.path.unlink()
