"""Facts of this host as lines of `advisor doctor`: those that rules ask for."""

from __future__ import annotations

from typing import List, Mapping

from advisor.model.profile import Fact
from advisor.probing.check import Check

_NETWORKS = (
    ("infiniband", "InfiniBand"),
    ("omnipath", "Omni-Path"),
    ("slingshot", "Slingshot"),
    ("efa", "EFA"),
    ("roce", "RoCE"),
)
_COPIES = (
    ("xpmem", "XPMEM", "/dev/xpmem is there", "an administrator must load the module xpmem"),
    (
        "knem",
        "KNEM",
        "/dev/knem is there",
        "an administrator must load the module knem; not needed where CMA works",
    ),
    (
        "cma",
        "CMA",
        "processes may read each other's memory",
        "kernel.yama.ptrace_scope must be 0, and a container must allow process_vm_readv",
    ),
)


def capabilities(facts: Mapping[str, Fact]) -> List[Check]:
    """Processors, memory, ways to copy, networks, huge pages."""
    return [
        _processors(facts),
        _memory(facts),
        *(_copy(facts, *row) for row in _COPIES),
        _network(facts),
        _pages(facts),
    ]


def _value(facts: Mapping[str, Fact], key: str):
    return facts[key].value if key in facts else None


def _processors(facts: Mapping[str, Fact]) -> Check:
    cpus, cores, sockets = (_value(facts, key) for key in ("cpus", "cores", "sockets"))
    if cpus is None:
        return Check("Processors", None, "/proc and /sys do not tell")
    shape = f", {cores} cores" if cores else ""
    shape += f", {sockets} sockets" if sockets and sockets > 1 else ""
    limit = _value(facts, "cgroup_cpus")
    shape += f", limited to {limit} by a control group" if limit else ""
    shape += ", virtual machine" if _value(facts, "virtual") else ""
    return Check(
        "Processors", True, f"{_value(facts, 'cpu.model') or 'unknown model'}: {cpus} CPUs{shape}"
    )


def _memory(facts: Mapping[str, Fact]) -> Check:
    size, limit = _value(facts, "memory"), _value(facts, "memory_limit")
    if size is None:
        return Check("Memory", None, "/proc/meminfo does not tell")
    return Check(
        "Memory",
        True,
        f"{size / (1 << 30):.1f} GiB"
        + (f", limited to {limit / (1 << 30):.1f} GiB by a control group" if limit else ""),
    )


def _copy(facts: Mapping[str, Fact], key: str, title: str, there: str, get: str) -> Check:
    value = _value(facts, key)
    if value is None:
        return Check(title, None, facts[key].source if key in facts else "not looked for")
    if key == "xpmem" and value and _value(facts, "xpmem_usable") is False:
        return Check(
            title,
            False,
            f"/dev/xpmem may not be opened (mode {_value(facts, 'xpmem_mode')})",
            "an administrator must set its mode to 0666",
        )
    missing = facts[key].source if key == "cma" else f"{facts[key].source} is not there"
    return Check(title, bool(value), there if value else missing, "" if value else get)


def _network(facts: Mapping[str, Fact]) -> Check:
    fast = [title for key, title in _NETWORKS if _value(facts, key)]
    ethernet = _value(facts, "ethernet")
    if not fast and all(_value(facts, key) is None for key, _ in _NETWORKS):
        return Check("Fast network", None, "/sys does not tell")
    return Check(
        "Fast network",
        bool(fast),
        ", ".join(fast) if fast else f"none; Ethernet: {ethernet or 'none'}",
    )


def _pages(facts: Mapping[str, Fact]) -> Check:
    reserved, transparent = _value(facts, "hugepages"), _value(facts, "thp")
    if reserved is None and transparent is None:
        return Check("Huge pages", None, "/sys does not tell")
    found = f"{reserved or 'none'} reserved; transparent: {transparent or 'unknown'}"
    return Check("Huge pages", bool(reserved) or transparent in ("always", "madvise"), found)
