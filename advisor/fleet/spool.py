"""The spool: YYYY/MM/DD/CLUSTER.JOB.STEP.profile. Users write there, so all of it is hostile.

Whose a job is says the owner of the file. Names are read strictly, links are not followed, and a
file is read once: what is judged is what was hashed.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import stat
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Iterator, List, Optional, Tuple

from advisor.base import trusted_files

LARGEST_PROFILE = 64 << 20
DIGITS = 32
AHEAD = 3
"""Days whose folders are made: an ingest that rests for two days loses no profile."""
_NAME = re.compile(
    r"(?P<cluster>[A-Za-z0-9_-]{1,64})\.(?P<job>\d{1,12})\.(?P<step>[A-Za-z0-9_]{1,32})"
    r"\.(?P<kind>profile|verified\.json)"
)
_OWN = re.compile(r"\.|mute\.")
"""Drafts, and what users do not want to hear of."""
_WITHOUT = re.compile(
    r"(?P<step>[A-Za-z0-9_-]{1,64}\.\d{1,12}\.[A-Za-z0-9_]{1,32})\.missing-(?P<why>[a-z]{1,16})"
)
_WHY = {
    "slow": "the end of the job took too long",
    "unwritten": "it could not be written in time, or the spool was full",
    "apart": "not all ranks had the collector, or the spool did not answer",
}
"""What a collector gives as the reason why there is no profile."""
_CAP, _FULL = "cap", "full"
_FOLDERS = (re.compile(r"\d{4}"), re.compile(r"\d{2}"), re.compile(r"\d{2}"))


@dataclass(frozen=True)
class Found:
    """A file of the spool, as it was when it was looked at."""

    path: Path
    cluster: str
    job: str
    step: str
    kind: str
    owner: int
    modified: float
    size: int
    identity: "tuple[int, int, int, int]"
    """Device, inode, size and time in ns: whether a name still leads to this very file."""


class Refused(Exception):
    """A file that is not taken, with the reason as a sentence."""


def files(spool: Path) -> Iterator[Found]:
    """All files whose names are those of profiles, the oldest days first. Others are not ours."""
    for folder in _days(spool):
        for name in sorted(_listed(folder)):
            match = _NAME.fullmatch(name)
            if match:
                with suppress(FileNotFoundError):
                    yield _found(folder / name, match)


def ignored(spool: Path) -> Iterator[Tuple[Path, str]]:
    """What lies there and is no file of ours, and why. What a folder holds is not looked at."""
    for folder in _days(spool):
        for name in sorted(_listed(folder)):
            if not (_NAME.fullmatch(name) or _WITHOUT.fullmatch(name) or _OWN.match(name)):
                yield folder / name, "the name is not CLUSTER.JOB.STEP.profile"
    folders = [spool]
    for shape in _FOLDERS:
        for folder in folders:
            for name in sorted(_listed(folder)):
                own = folder == spool and name in (_CAP, _FULL)
                if not own and not (shape.fullmatch(name) and _is_folder(folder / name)):
                    yield folder / name, "it does not lie in a folder YYYY/MM/DD"
        folders = _inside(folders, shape)


def given_up(spool: Path) -> Iterator[str]:
    """A line for each job step that says why it left no profile; each is said once."""
    for folder in _days(spool):
        for name in sorted(_listed(folder)):
            match = _WITHOUT.fullmatch(name)
            if match and match["why"] in _WHY:
                with suppress(OSError):
                    (folder / name).unlink()
                yield f"no profile: {match['step']}: {_WHY[match['why']]}"


def content(found: Found) -> bytes:
    """All of a file. Raises Refused; OSError."""
    if found.size > LARGEST_PROFILE:
        raise Refused(f"It has {found.size} bytes, more than {LARGEST_PROFILE}.")
    try:
        with trusted_files.plain(found.path, "It") as file:
            if _identity(os.fstat(file.fileno())) != found.identity:
                raise Refused("It changed while it was looked at.")
            return trusted_files.bounded(file, LARGEST_PROFILE, "It")
    except trusted_files.Untrusted as error:
        raise Refused(f"{error}.") from None


def digest(data: bytes) -> str:
    """The name of a content."""
    return hashlib.sha256(data).hexdigest()[:DIGITS]


def remove(found: Found) -> bool:
    """Take a file away if it is still the one that was read. False if it stays."""
    try:
        if _identity(found.path.lstat()) == found.identity:
            found.path.unlink()
            return True
    except OSError:
        pass  # Whoever may not delete it reads it again, and knows its content.
    return False


def deliver(spool: Path, name: str, data: bytes, today: date) -> Path:
    """Put a profile of this user's into today's folder, all of it or nothing; `name`:
    CLUSTER.JOB.STEP. Raises OSError.

    Where somebody else took the name, as anybody can, the step gets a longer one.
    """
    if (spool / _FULL).exists():
        raise OSError(errno.EDQUOT, "it has as much as its cap allows")
    folder = spool.joinpath(*_parts(today))
    draft = folder / f".{name}.{secrets.token_hex(8)}"
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            # For the group of the folder, which is that of the ingest; for nobody else.
            os.fchmod(handle, 0o640)
        for more in ("", f"_{secrets.token_hex(4)}"):
            target = folder / f"{name}{more}.profile"
            with suppress(FileExistsError):
                os.link(draft, target)
                return target
        raise FileExistsError(errno.EEXIST, "that name is taken", name)
    finally:
        draft.unlink()


def ready(spool: Path, today: date) -> None:
    """Folders for the jobs of these days, and none of past days that are empty. Nobody waits for
    it: on a full disk, and of a spool that is another's, all stays as it is."""
    with suppress(OSError):
        if spool.stat().st_uid == os.geteuid():
            for ahead in range(AHEAD):
                _make(spool, today + timedelta(days=ahead))
            for folder in _days(spool):
                if folder.parts[-3:] < _parts(today - timedelta(days=1)):
                    _sweep(folder)
                    _drop(folder, spool)
            _mark(spool)


def _sweep(folder: Path) -> None:
    """Drafts of jobs that ended while the spool did not answer."""
    for name in _listed(folder):
        if name.startswith("."):
            with suppress(OSError):
                (folder / name).unlink()


def _mark(spool: Path) -> None:
    """SPOOL/full is there as long as there are more bytes than SPOOL/cap says: no job writes then.
    Without a cap the file system sets the limit."""
    cap = _cap(spool / _CAP)
    if cap is not None and sum(_bytes(folder) for folder in _days(spool)) > cap:
        (spool / _FULL).touch(mode=0o644)
    else:
        (spool / _FULL).unlink(missing_ok=True)


def _cap(path: Path) -> Optional[int]:
    try:
        match = re.fullmatch(r"(\d{1,15})([kMGT]?)\s*", path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
    return int(match[1]) << 10 * " kMGT".index(match[2] or " ") if match else None


def _bytes(folder: Path) -> int:
    facts = (_facts(folder / name) for name in _listed(folder))
    return sum(each.st_size for each in facts if each is not None)


def _make(spool: Path, day: date) -> None:
    """Sticky as /tmp is: all may write, nobody may remove what others wrote, and nobody but the
    owner lists it. Files get its group."""
    folder = spool.joinpath(*_parts(day))
    if not folder.exists():
        folder.mkdir(mode=0o755, parents=True)
        folder.chmod(0o3733)


def _drop(folder: Path, spool: Path) -> None:
    """An empty folder, and those above it that become empty."""
    with suppress(OSError):  # Not empty
        while folder != spool:
            folder.rmdir()
            folder = folder.parent


def _parts(day: date) -> Tuple[str, ...]:
    return f"{day:%Y}", f"{day:%m}", f"{day:%d}"


def _found(path: Path, match: "re.Match[str]") -> Found:
    facts = path.lstat()
    size = facts.st_size if stat.S_ISREG(facts.st_mode) else 0
    return Found(
        path,
        match["cluster"],
        match["job"],
        match["step"],
        match["kind"],
        facts.st_uid,
        facts.st_mtime,
        size,
        _identity(facts),
    )


def _identity(facts: os.stat_result) -> "tuple[int, int, int, int]":
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns


def _days(spool: Path) -> Iterator[Path]:
    folders: List[Path] = [spool]
    for shape in _FOLDERS:
        folders = _inside(folders, shape)
    yield from folders


def _inside(folders: List[Path], shape: "re.Pattern[str]") -> List[Path]:
    return [
        each / name
        for each in folders
        for name in sorted(_listed(each))
        if shape.fullmatch(name) and _is_folder(each / name)
    ]


def _listed(folder: Path) -> List[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _is_folder(path: Path) -> bool:
    """Not a link: it may lead out of the spool."""
    facts = _facts(path)
    return facts is not None and stat.S_ISDIR(facts.st_mode)


def _facts(path: Path) -> Optional[os.stat_result]:
    try:
        return path.lstat()
    except OSError:
        return None
