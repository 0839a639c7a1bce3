"""Files that are loaded, believed or executed: only those that nobody but this user and root could have written.

A name says nothing about what it leads to: another user may have put a folder, a link or a file there, or may exchange it
between two looks. So links are resolved first, and the path that results is walked folder by folder: each is opened in the
one before it, without following links, and judged by its descriptor. No one else can change where that path leads.
"""

from __future__ import annotations

import errno
import grp
import os
import pwd
import stat
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, FrozenSet, Iterator

_STEP = os.O_NOFOLLOW | os.O_CLOEXEC


class Untrusted(PermissionError):
    """Somebody else could have written this, or it is no file at all. `strerror` is a clause: "/tmp/x belongs to user 2001"."""

    def __init__(self, clause: str, path: str) -> None:
        super().__init__(errno.EPERM, clause, path)


@contextmanager
def folder(path: Path) -> Iterator[int]:
    """A descriptor of a folder that only this user and root can write to; `path` has no links in it, as resolved() gives it.

    Folders above it may be open to all if they are sticky, as /tmp is. Raises Untrusted; OSError if there is no such folder.
    """
    at, shown = os.open("/", os.O_PATH | os.O_DIRECTORY | _STEP), "/"
    try:
        for part in Path(os.path.abspath(path)).parts[1:]:
            _judge_folder(os.fstat(at), shown, sticky_will_do=True)
            below = os.open(part, os.O_PATH | os.O_DIRECTORY | _STEP, dir_fd=at)
            os.close(at)
            at, shown = below, os.path.join(shown, part)
        _judge_folder(os.fstat(at), shown, sticky_will_do=False)
        yield at
    finally:
        os.close(at)


def resolved(path: Path) -> Path:
    """The one path to a file that only this user and root could have written. Raises Untrusted; OSError if there is none.

    Load or execute it by the path that is returned: the one that was given may lead through a link of somebody else's.
    """
    real = Path(os.path.realpath(path))
    with folder(real.parent) as parent:
        regular(real.name, parent, str(real)).close()
    return real


def read(path: Path, limit: int) -> bytes:
    """The contents of such a file. Raises Untrusted also if it holds more than `limit` bytes; OSError if there is none."""
    real = Path(os.path.realpath(path))
    with folder(real.parent) as parent, regular(real.name, parent, str(real)) as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise Untrusted(f"{path} is larger than {limit} bytes", str(path))
    return content


def regular(name: str, parent: int, shown: str) -> BinaryIO:
    """A file of this user's or of root's in the folder `parent`, opened to read. Never a link, a device or a pipe, which may hang or have no end."""
    handle = os.open(name, os.O_RDONLY | os.O_NONBLOCK | _STEP, dir_fd=parent)
    try:
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode):
            raise Untrusted(f"{shown} is not a regular file", shown)
        _judge(facts, shown)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def private(path: Path) -> bool:
    """Make `path` a folder that others cannot write to. False if it is not one and cannot become one."""
    try:
        _make(path)
        with folder(Path(os.path.realpath(path))):
            return os.access(path, os.W_OK)
    except OSError:
        return False


def _make(path: Path) -> None:
    """As mkdir -p, but what is made is never open to a group, whatever the umask."""
    if not path.exists():
        _make(path.parent)
        path.mkdir(mode=0o755, exist_ok=True)


def _judge_folder(facts: os.stat_result, shown: str, sticky_will_do: bool) -> None:
    _judge(facts, shown, sticky_will_do and bool(facts.st_mode & stat.S_ISVTX))


def _judge(facts: os.stat_result, shown: str, open_to_all: bool = False) -> None:
    if facts.st_uid not in _owners():
        raise Untrusted(f"{shown} belongs to user {facts.st_uid}", shown)
    if not open_to_all and (facts.st_mode & stat.S_IWOTH or facts.st_mode & stat.S_IWGRP and not _group_of_one(facts.st_gid)):
        raise Untrusted(f"others can write to {shown}", shown)


def _owners() -> FrozenSet[int]:
    """This user and root. In a user namespace (rootless containers) that does not map root, root's files show the overflow number."""
    owners = {os.geteuid(), 0}
    try:
        mapped = [line.split() for line in Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines()]
        if not any(int(first) == 0 for first, _, _ in mapped):
            owners.add(int(Path("/proc/sys/kernel/overflowuid").read_text(encoding="ascii")))
    except (OSError, ValueError):
        pass  # Without /proc nothing more is believed.
    return frozenset(owners)


def _group_of_one(group: int) -> bool:
    """Whether only this user is in a group: many systems give each user one, and let it write by default."""
    try:
        user, found = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return group in (0, user.pw_gid) and found.gr_name in (user.pw_name, "root") and not set(found.gr_mem) - {user.pw_name, "root"}
