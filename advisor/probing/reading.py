"""Small files below a root, read so that nothing they are can hurt: size limits, no devices, no
pipes, no endless links."""

from __future__ import annotations

import os
import stat
from typing import Dict, Optional, Set, Tuple

from advisor.model.profile import Fact, Value

LARGEST = 1 << 20
MOST_NAMES = 100_000
Facts = Dict[str, Fact]


class Tree:
    """A file system below `root`: "/" for this machine, or a recorded copy of /proc, /sys and /dev
    of another one."""

    def __init__(self, root: str = "/") -> None:
        self.root = root
        self.live = os.path.realpath(root) == "/"

    def path(self, path: str) -> str:
        return os.path.join(self.root, path.lstrip("/"))

    def text(self, path: str, largest: int = LARGEST) -> Optional[str]:
        """The first `largest` bytes of a regular file without surrounding space; None if it cannot
        be read."""
        data = read_bytes(self.path(path), largest)
        return None if data is None else data.decode("utf-8", "replace").strip()

    def number(self, path: str) -> Optional[int]:
        """A file that holds one whole number."""
        return whole(self.text(path, 64))

    def names(self, path: str) -> Optional[Tuple[str, ...]]:
        """Sorted names in a folder; None if there is no such folder or it cannot be read."""
        try:
            with os.scandir(self.path(path)) as entries:
                return tuple(sorted(entry.name for _, entry in zip(range(MOST_NAMES), entries)))
        except (OSError, ValueError):
            return None

    def mode(self, path: str) -> Optional[int]:
        """Permission bits; None if it does not exist or cannot be seen."""
        try:
            return stat.S_IMODE(os.stat(self.path(path)).st_mode)
        except (OSError, ValueError):
            return None

    def exists(self, path: str) -> Optional[bool]:
        """Whether it is there; None if its folder cannot be looked into."""
        if self.mode(path) is not None:
            return True
        return False if self.names(os.path.dirname(path)) is not None else None

    def link(self, path: str) -> str:
        """Last part of what a symbolic link points to; empty if it is none."""
        try:
            return os.path.basename(os.readlink(self.path(path)))
        except (OSError, ValueError):
            return ""


def read_bytes(path: str, largest: int) -> Optional[bytes]:
    """The first `largest` bytes of a regular file; None for anything else. Never waits for a pipe
    or a device."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(largest)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def whole(text: Optional[str]) -> Optional[int]:
    """The whole number that a text is, or None. Numbers too long for any counter are None as
    well."""
    if text is None or len(text) > 20:
        return None
    try:
        return int(text)
    except ValueError:
        return None


def listed(text: Optional[str]) -> Optional[frozenset]:
    """The numbers of a kernel list: "0-2,8" → {0, 1, 2, 8}. None if it is not such a list or names
    more than a million."""
    if text is None:
        return None
    numbers: Set[int] = set()
    for part in filter(None, text.strip().split(",")):
        low, dash, high = part.partition("-")
        first, last = whole(low), whole(high if dash else low)
        if first is None or last is None or not 0 <= first <= last < 1_000_000:
            return None
        numbers.update(range(first, last + 1))
    return frozenset(numbers)


def fact(facts: Facts, key: str, value: Optional[Value], source: str) -> None:
    """Write one fact down."""
    facts[key] = Fact(value, source)
