"""Limits that a control group (batch system, container) puts on memory and CPU time. Both versions
of cgroups."""

from __future__ import annotations

import re
from typing import Iterable, Optional, Tuple

from advisor.probing.reading import Facts, Tree, fact, whole

MOUNT = "/sys/fs/cgroup"
_NO_LIMIT = 1 << 60
"""The first version of cgroups writes a number close to 2^63 where there is no limit."""


def parse_membership(text: str, controller: str) -> Optional[Tuple[str, str]]:
    """(mount, group) of a controller in /proc/self/cgroup. The mount is empty for cgroups version
    2."""
    unified = None
    for number, controllers, group in re.findall(
        r"^(\d+):([^:\n]*):(/[^\n]*)$", text, re.MULTILINE
    ):
        if controller in controllers.split(","):
            return controllers, group
        if number == "0" and not controllers:
            unified = ("", group)
    return unified


def files(mount: str, group: str, name: str) -> Iterable[str]:
    """That file in the group and in all groups above it: the tightest of them counts."""
    parts = [part for part in group.split("/") if part not in ("", ".", "..")][:64]
    for depth in range(len(parts), -1, -1):
        yield "/".join([MOUNT] + ([mount] if mount else []) + parts[:depth] + [name])


def parse_quota(text: str) -> Optional[float]:
    """CPUs from cpu.max: "150000 100000" is 1.5; None if there is no limit."""
    match = re.fullmatch(r"(\d{1,18}) (\d{1,18})", text)
    return int(match.group(1)) / int(match.group(2)) if match and int(match.group(2)) else None


def memory_limit(tree: Tree, membership: str) -> Optional[int]:
    """Tightest limit in bytes, None if there is none."""
    place = parse_membership(membership, "memory")
    if place is None:
        return None
    name = "memory.limit_in_bytes" if place[0] else "memory.max"
    sizes = (whole(tree.text(path, 64)) for path in files(place[0], place[1], name))
    return min((size for size in sizes if size is not None and 0 < size < _NO_LIMIT), default=None)


def processor_limit(tree: Tree, membership: str) -> Optional[float]:
    """Tightest limit in CPUs, None if there is none."""
    place = parse_membership(membership, "cpu")
    if place is None:
        return None
    if not place[0]:
        quotas = [parse_quota(tree.text(path, 64) or "") for path in files("", place[1], "cpu.max")]
    else:
        pairs = zip(files(*place, "cpu.cfs_quota_us"), files(*place, "cpu.cfs_period_us"))
        quotas = [
            parse_quota(f"{tree.text(quota, 64)} {tree.text(period, 64)}")
            for quota, period in pairs
        ]
    return min((quota for quota in quotas if quota is not None), default=None)


def probe_limits(tree: Tree, facts: Facts) -> None:
    """memory_limit (B), cgroup_cpus. Written only where there is a limit: without one there is
    nothing to say."""
    membership = tree.text("/proc/self/cgroup") or ""
    memory, cpus = memory_limit(tree, membership), processor_limit(tree, membership)
    if memory is not None:
        fact(facts, "memory_limit", memory, f"{MOUNT}: tightest memory limit")
    if cpus is not None:
        fact(facts, "cgroup_cpus", round(cpus, 3), f"{MOUNT}: tightest CPU quota")
