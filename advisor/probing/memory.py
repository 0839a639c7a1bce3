"""Memory of a host: size, huge pages, lockable memory, shared memory."""

from __future__ import annotations

import contextlib
import os
import re
from typing import Mapping, Optional, Tuple

from advisor.probing.reading import Facts, Tree, fact, whole

HUGE = "/sys/kernel/mm/hugepages"
THP = "/sys/kernel/mm/transparent_hugepage/enabled"


def parse_meminfo(text: str) -> Mapping[str, int]:
    """Bytes (or counts) of the lines of /proc/meminfo."""
    found = re.findall(r"^(\S+):\s+(\d{1,18})( kB)?$", text, re.MULTILINE)
    return {name: int(number) * (1024 if unit else 1) for name, number, unit in found}


def parse_locked_limit(text: str) -> Optional[int]:
    """Soft limit of lockable memory in bytes from /proc/self/limits; -1 is no limit."""
    match = re.search(r"^Max locked memory\s+(\S+)", text, re.MULTILINE)
    if not match:
        return None
    return -1 if match.group(1) == "unlimited" else whole(match.group(1))


def parse_choice(text: str) -> Optional[str]:
    """The chosen word of "always [madvise] never"."""
    match = re.search(r"\[([^\s\[\]]+)\]", text)
    return match.group(1) if match else None


def probe_memory(tree: Tree, facts: Facts) -> None:
    """memory (B), hugepages (size:free/total …), thp, memlock (B, -1 no limit), shm_free and
    shm_size (B)."""
    fact(
        facts,
        "memory",
        parse_meminfo(tree.text("/proc/meminfo") or "").get("MemTotal"),
        "/proc/meminfo",
    )
    fact(facts, "thp", parse_choice(tree.text(THP) or ""), THP)
    fact(
        facts,
        "memlock",
        parse_locked_limit(tree.text("/proc/self/limits") or ""),
        "/proc/self/limits",
    )
    fact(facts, "hugepages", huge_pages(tree), HUGE)
    _probe_shared_memory(tree, facts)


def huge_pages(tree: Tree) -> Optional[str]:
    """Pools of reserved huge pages, "2048kB:12/64" = 12 of 64 free; empty if nothing is
    reserved."""
    sizes = tree.names(HUGE)
    if sizes is None:
        return None
    pools = []
    for size in sizes:
        total, free = (
            tree.number(f"{HUGE}/{size}/{name}") for name in ("nr_hugepages", "free_hugepages")
        )
        if total:
            pools.append(
                f"{size.replace('hugepages-', '')}:{free if free is not None else '?'}/{total}"
            )
    return ",".join(pools)


def _probe_shared_memory(tree: Tree, facts: Facts) -> None:
    sizes: Tuple[Optional[int], Optional[int]] = (None, None)
    with contextlib.suppress(OSError, ValueError):
        space = os.statvfs(tree.path("/dev/shm"))
        sizes = (space.f_bavail * space.f_frsize, space.f_blocks * space.f_frsize)
    fact(facts, "shm_free", sizes[0], "/dev/shm")
    fact(facts, "shm_size", sizes[1], "/dev/shm")
