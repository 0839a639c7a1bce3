"""Collects the records of ranks that did not finalize: moves them into the result folder and leaves
nothing else on this node.

Other users may write to /dev/shm and /tmp as well. So ranks write to folders of this user there
(collectors/core/process/local_folder.c); and what lies beside them, where somebody had taken the
folder's name, is judged file by file, by its descriptor."""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, List, Mapping, Optional

_GRACE_SECONDS = 3.0
"""How long a rank may outlive its launcher; launchers kill their ranks within one or two."""
_PAUSE_SECONDS = 0.05
LARGEST = {"record": 1 << 29, "events": 1 << 37, "rendezvous": 1 << 12}
"""Bytes that a file of each kind can have: BLOCK_LIMIT blocks of collectors/core/record/record.h,
the most that --trace=size= takes, a page."""
_PAGE = 1 << 16


def collect(run: str, parts: Path, environment: Mapping[str, str]) -> List[Path]:
    """Move the records of `run` from this host's memory file systems to `parts`; where they are
    now.

    A folder that the job has removed is made again. Raises OSError, with the place where the
    records are kept instead, if they cannot be written there: no room, or no right to write any
    more.
    """
    found = [record for record in left_behind(run, environment) if record.parent != parts]
    _wait_for(found)
    try:
        return moved(found, parts)
    except OSError as error:
        raise OSError(
            error.errno, f"{error.strerror}. {_kept(run, environment)}".strip()
        ) from error
    finally:
        _sweep(run, parts, environment)


def left_behind(run: str, environment: Mapping[str, str], kind: str = "record") -> Iterator[Path]:
    """Files of this run on this host that this user has written. What others put there under such a
    name is none."""
    for folder in _folders(environment):
        for path in sorted(folder.glob(f"advisor-{run}-*.{kind}")):
            if _opens(path):
                yield path


def _kept(run: str, environment: Mapping[str, str]) -> str:
    """Move the records to a new folder instead, and say where; nothing is said, and nothing made,
    if there are none."""
    found = list(left_behind(run, environment))
    if not found:
        return ""
    kept = Path(tempfile.mkdtemp(prefix=f"advisor-{run}-", dir=_spare(environment)))
    moved(found, kept)
    return f"What the ranks counted is kept in {kept}: advisor report {kept}"


def moved(files: List[Path], folder: Path) -> List[Path]:
    """The files in `folder`; each is removed where it was. Raises OSError if they cannot be written
    there."""
    there = []
    for path in files:
        with _own(path) as source:
            if source is None:
                continue
            folder.mkdir(parents=True, exist_ok=True)
            if not _renamed(path, folder / path.name):
                _copy(source, folder / path.name)
        path.unlink(missing_ok=True)
        there.append(folder / path.name)
    return there


@contextmanager
def _own(path: Path) -> Iterator[Optional[int]]:
    """A descriptor of a file that this user alone has written, and not larger than ranks make it;
    None if it is anything else.

    Links are not followed, and a pipe is not waited for: a name in a folder of all says nothing
    about what it leads to.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        yield None
        return
    try:
        facts = os.fstat(handle)
        ours = stat.S_ISREG(facts.st_mode) and facts.st_uid == os.geteuid() and facts.st_nlink == 1
        yield handle if ours and facts.st_size <= LARGEST[path.suffix[1:]] else None
    finally:
        os.close(handle)


def _opens(path: Path) -> bool:
    with _own(path) as handle:
        return handle is not None


def _renamed(path: Path, target: Path) -> bool:
    """Whether it could be moved by its name: within a file system, and out of a folder in which
    nobody else can exchange it."""
    try:
        if _is_own_folder(path.parent):
            os.rename(path, target)
            return True
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
    return False


def _copy(source: int, target: Path) -> None:
    """Copy a file; pages that hold nothing are left out, since most of a record was never
    touched."""
    size, at = os.fstat(source).st_size, 0
    try:
        with open(target, "wb") as file:
            while at < size:
                page = os.pread(source, min(_PAGE, size - at), at)
                if not page:
                    break
                if page.strip(b"\0"):
                    file.seek(at)
                    file.write(page)
                at += len(page)
            file.truncate(size)
    except OSError:
        target.unlink(missing_ok=True)
        raise


def _folders(environment: Mapping[str, str]) -> Iterator[Path]:
    """Where ranks may have written: the folders of this user, then those of all."""
    for shared in dict.fromkeys(("/dev/shm", environment.get("TMPDIR", ""), "/tmp")):
        if shared and os.path.isdir(shared):
            yield from _own_folders(Path(shared))
            yield Path(shared)


def _own_folders(shared: Path) -> Iterator[Path]:
    """advisor-UID, also with the number that this user has within a container."""
    for path in sorted(shared.glob("advisor-*")):
        if path.name[len("advisor-") :].isdigit() and _is_own_folder(path):
            yield path


def _is_own_folder(path: Path) -> bool:
    try:
        facts = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid()


def _spare(environment: Mapping[str, str]) -> str:
    """A folder with room when that of the results has none."""
    own = environment.get("TMPDIR", "")
    return own if os.access(own, os.W_OK) else "/tmp" if os.access("/tmp", os.W_OK) else "/dev/shm"


def _sweep(run: str, parts: Path, environment: Mapping[str, str]) -> None:
    """Remove the pages on which ranks counted themselves and did not live to leave, records that
    were half handed over, and empty folders of ours."""
    for path in [
        *left_behind(run, environment, "rendezvous"),
        *parts.glob(f".advisor-{run}-*.draft"),
        *parts.glob("*.tmp"),
    ]:
        try:
            path.unlink()
        except OSError:
            pass
    for shared in ("/dev/shm", environment.get("TMPDIR", ""), "/tmp"):
        for own in _own_folders(Path(shared)) if shared else ():
            try:
                own.rmdir()
            except OSError:
                pass  # Another job's files are in it.


def _wait_for(records: List[Path]) -> None:
    """Wait until the writers have ended: a record that is still written is not complete."""
    end = time.monotonic() + _GRACE_SECONDS
    while any(_alive(record) for record in records) and time.monotonic() < end:
        time.sleep(_PAUSE_SECONDS)


def _alive(record: Path) -> bool:
    match = re.search(r"-([0-9]+)\.record$", record.name)
    return match is not None and record.exists() and _runs(match.group(1))


def _runs(pid: str) -> bool:
    """Whether a process lives. One that has ended and was not waited for (Z) writes no more."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (OSError, IndexError):
        return False
