"""Files that are loaded, believed or executed: only those that nobody but this user and root could
have written.

A name says nothing about what it leads to: another user may have put a folder, a link or a file
there, or may exchange it between two looks. So links are resolved first, and the path that results
is walked folder by folder: each is opened in the one before it, without following links, and judged
by its descriptor. No one else can change where that path leads.
"""

from __future__ import annotations

import errno
import grp
import os
import pwd
import stat
import tempfile
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, Callable, Collection, Iterator, Mapping, Optional, Union

_STEP = os.O_NOFOLLOW | os.O_CLOEXEC


class Untrusted(PermissionError):
    """Somebody else could have written this, or it is no file at all. `strerror` is a clause:
    "/tmp/x belongs to user 2001"."""

    def __init__(self, clause: str, path: str) -> None:
        super().__init__(errno.EPERM, clause, path)


@contextmanager
def folder(path: Path) -> Iterator[int]:
    """A descriptor of a folder that only this user and root can write to; `path` has no links in
    it, as resolved() gives it.

    Folders above it may be open to all if they are sticky, as /tmp is. Raises Untrusted; OSError if
    there is no such folder.
    """
    with _walked(path, _judge_folder) as at:
        yield at


@contextmanager
def reached(path: Path) -> Iterator[int]:
    """A descriptor of a folder, whoever can write to it, reached without following links. OSError
    if there is no such folder."""
    with _walked(path, lambda facts, shown, above: None) as at:
        yield at


@contextmanager
def _walked(path: Path, judge: Callable[[os.stat_result, str, bool], None]) -> Iterator[int]:
    at, shown = os.open("/", os.O_PATH | os.O_DIRECTORY | _STEP), "/"
    try:
        for part in Path(os.path.abspath(path)).parts[1:]:
            judge(os.fstat(at), shown, True)
            below = os.open(part, os.O_PATH | os.O_DIRECTORY | _STEP, dir_fd=at)
            os.close(at)
            at, shown = below, os.path.join(shown, part)
        judge(os.fstat(at), shown, False)
        yield at
    finally:
        os.close(at)


def inside(cache: Path, name: str) -> Path:
    """As resolved(), of a file that lies, or is a link, in a folder that only this user and root
    can write to.

    The folder is judged as well: there a stranger's link could lead to any other file of ours.
    """
    real = Path(os.path.realpath(cache))
    with folder(real):
        return resolved(real / name)


def resolved(path: Path) -> Path:
    """The one path to a file that only this user and root could have written. Raises Untrusted;
    OSError if there is none.

    Load or execute it by the path that is returned: the one that was given may lead through a link
    of somebody else's.
    """
    real = Path(os.path.realpath(path))
    with folder(real.parent) as parent:
        regular(real.name, parent, str(real)).close()
    return real


def read(path: Path, limit: int) -> bytes:
    """The contents of such a file. Raises Untrusted also if it holds more than `limit` bytes;
    OSError if there is none."""
    real = Path(os.path.realpath(path))
    with folder(real.parent) as parent, regular(real.name, parent, str(real)) as file:
        return bounded(file, limit, str(path))


def written_by_us(path: Path, limit: int) -> bytes:
    """The contents of a file that this user wrote and nobody else can write to, in whatever folder
    it lies: a colleague's, one that a group shares.

    Whoever can write to that folder can at most exchange it for another file of this user's. Raises
    Untrusted; OSError if there is none.
    """
    parent = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with regular(path.name, parent, str(path)) as file:
            owner = os.fstat(file.fileno()).st_uid
            if owner != os.geteuid():
                raise Untrusted(f"{path} belongs to user {owner}", str(path))
            return bounded(file, limit, str(path))
    finally:
        os.close(parent)


def regular(name: str, parent: int, shown: str) -> BinaryIO:
    """A file of this user's or of root's in the folder `parent`, opened to read. Never a link, a
    device or a pipe, which may hang or have no end."""
    file = plain(name, shown, parent)
    try:
        _judge(os.fstat(file.fileno()), shown)
        return file
    except BaseException:
        file.close()
        raise


def plain(
    name: Union[str, Path],
    shown: str = "",
    parent: Optional[int] = None,
    how: int = os.O_RDONLY | os.O_NOFOLLOW,
) -> BinaryIO:
    """A regular file, whoever it belongs to, opened at once: never a device or a pipe. Raises
    Untrusted if it is none; OSError."""
    shown = shown or str(name)
    handle = os.open(name, how | os.O_NONBLOCK | os.O_CLOEXEC, 0o666, dir_fd=parent)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise Untrusted(f"{shown} is not a regular file", shown)
        return os.fdopen(handle, "rb" if how & os.O_ACCMODE == os.O_RDONLY else "ab")
    except BaseException:
        os.close(handle)
        raise


def program(path: str, owners: Collection[int] = ()) -> None:
    """Raises Untrusted if somebody else than this user, root and `owners` could have put a program
    where `path` leads, or leads through.

    Less strict than folder(): a group that may write where a user's tools lie, such as a project's
    or that of those who install software, is one that he trusts by having them in his PATH. In a
    container the system's own tools may have the number of nobody.
    """
    believed = {os.geteuid(), 0, _overflow(), *owners}
    named = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    for file in dict.fromkeys((named, os.path.realpath(path))):
        for place in (Path(file), *Path(file).parents):
            facts, above = place.lstat(), place not in (Path(file), Path(file).parent)
            if facts.st_uid not in believed:
                raise Untrusted(f"{place} belongs to user {facts.st_uid}", str(place))
            shared = facts.st_mode & stat.S_IWOTH and not stat.S_ISLNK(facts.st_mode)
            if shared and not (above and facts.st_mode & stat.S_ISVTX):
                raise Untrusted(f"others can write to {place}", str(place))


def bounded(file: BinaryIO, limit: int, shown: str) -> bytes:
    """The contents of an open file. Raises Untrusted if it holds more than `limit` bytes."""
    content = file.read(limit + 1)
    if len(content) > limit:
        raise Untrusted(f"{shown} is larger than {limit} bytes", shown)
    return content


def judge_owner(file: BinaryIO, shown: str) -> None:
    """Raises Untrusted for a file of another user's. Others may be able to write to it: for what
    many add to on purpose."""
    owner = os.fstat(file.fileno()).st_uid
    if owner not in (os.geteuid(), 0):
        raise Untrusted(f"{shown} belongs to user {owner}", shown)


def private(path: Path) -> bool:
    """Make `path` a folder that others cannot write to. False if it is not one and cannot become
    one."""
    try:
        return os.access(made(path), os.W_OK)
    except OSError:
        return False


def made(path: Path) -> Path:
    """The one path to a folder that only this user and root can write to, made if it is not there.
    Raises Untrusted, OSError."""
    _make(path)
    real = Path(os.path.realpath(path))
    with folder(real):
        return real


@contextmanager
def workplace(environment: Mapping[str, str]) -> Iterator[Path]:
    """A folder for the files of one build, below $TMPDIR, that is removed afterwards. Raises
    Untrusted, OSError.

    It is 0700, but where all may write to the folder above it, and that is not sticky, another user
    could put his own in its place.
    """
    chosen = environment.get("TMPDIR", "")
    with tempfile.TemporaryDirectory(
        prefix="advisor-", dir=chosen if os.path.isdir(chosen) else None
    ) as name:
        real = Path(os.path.realpath(name))
        with folder(real):
            yield real


def _make(path: Path) -> None:
    """As mkdir -p, but what is made is never open to a group, whatever the umask."""
    if not path.exists():
        _make(path.parent)
        path.mkdir(mode=0o755, exist_ok=True)


def _judge_folder(facts: os.stat_result, shown: str, above: bool) -> None:
    """`above`: something below it is what matters."""
    sticky = bool(facts.st_mode & stat.S_ISVTX)
    if (
        above
        and facts.st_uid == _overflow()
        and (sticky or not facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
    ):
        return
    _judge(facts, shown, above and sticky)


def _judge(facts: os.stat_result, shown: str, open_to_all: bool = False) -> None:
    if facts.st_uid not in (os.geteuid(), 0):
        raise Untrusted(f"{shown} belongs to user {facts.st_uid}", shown)
    if not open_to_all and (
        facts.st_mode & stat.S_IWOTH
        or facts.st_mode & stat.S_IWGRP
        and not _ours_alone(facts.st_gid, shown)
    ):
        raise Untrusted(f"others can write to {shown}", shown)


@lru_cache(maxsize=1)  # A process keeps its map; each folder of each path asks.
def _overflow() -> int:
    """The number that files of root have in a user namespace that does not map root (rootless
    containers); -1 outside of one.

    Files of strangers have it as well. So it will do for folders above what matters, where nobody
    could write, and for nothing else.
    """
    try:
        mapped = [
            line.split()
            for line in Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines()
        ]
        if not any(int(outside) <= 0 < int(outside) + int(count) for _, outside, count in mapped):
            return int(Path("/proc/sys/kernel/overflowuid").read_text(encoding="ascii"))
    except (OSError, ValueError):
        pass  # Without /proc nothing more is believed.
    return -1


def _ours_alone(group: int, shown: str) -> bool:
    """Whether only this user is in a group: many systems give each user one, and let it write by
    default.

    With an access list the group's rights stand for those of all whom it names.
    """
    try:
        user, found = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
        if "system.posix_acl_access" in os.listxattr(shown, follow_symlinks=False):
            return False
    except (KeyError, OSError):
        return False
    return (
        group in (0, user.pw_gid)
        and found.gr_name in (user.pw_name, "root")
        and not set(found.gr_mem) - {user.pw_name, "root"}
    )
