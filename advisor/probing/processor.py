"""Processors of a host: model, logical CPUs that may be used, cores, sockets, NUMA, hardware
threads."""

from __future__ import annotations

import re
from typing import Mapping, Optional

from advisor.probing.reading import Facts, Tree, fact, listed

CPUINFO = "/proc/cpuinfo"
TOPOLOGY = "/sys/devices/system/cpu"
_ARM_MAKERS = {
    "0x41": "ARM",
    "0x42": "Broadcom",
    "0x43": "Cavium",
    "0x46": "Fujitsu",
    "0x48": "HiSilicon",
    "0x4e": "NVIDIA",
    "0xc0": "Ampere",
}


def parse_cpuinfo(text: str) -> Mapping[str, str]:
    """Fields of the first processor in /proc/cpuinfo."""
    first = text.split("\n\n", 1)[0]
    pairs = (line.partition(":") for line in first.splitlines())
    return {name.strip(): value.strip() for name, colon, value in pairs if colon}


def maker(fields: Mapping[str, str]) -> Optional[str]:
    """Who made the processor. Arm kernels give a number, POWER only the model."""
    if "CPU implementer" in fields:
        return _ARM_MAKERS.get(fields["CPU implementer"], fields["CPU implementer"])
    return fields.get("vendor_id")


def allowed(tree: Tree) -> Optional[frozenset]:
    """Logical CPUs that a process of ours may use: online, and not taken away by cpuset or
    affinity."""
    online = listed(tree.text(f"{TOPOLOGY}/online"))
    match = re.search(
        r"^Cpus_allowed_list:\s*(\S+)", tree.text("/proc/self/status") or "", re.MULTILINE
    )
    mask = listed(match.group(1)) if match else None
    if online is None or mask is None:
        return online if mask is None else mask
    return online & mask


def probe_processor(tree: Tree, facts: Facts) -> None:
    """cpu.model, cpu.vendor, cpus, cores, sockets, smt, numa_nodes."""
    fields = parse_cpuinfo(tree.text(CPUINFO) or "")
    model = fields.get("model name") or fields.get("cpu") or fields.get("Processor")
    fact(facts, "cpu.model", model, CPUINFO)
    fact(facts, "cpu.vendor", maker(fields), CPUINFO)
    cpus = allowed(tree)
    fact(facts, "cpus", len(cpus) if cpus else None, f"{TOPOLOGY}/online and Cpus_allowed_list")
    _probe_topology(tree, facts, cpus or frozenset())
    nodes = listed(tree.text("/sys/devices/system/node/online"))
    fact(facts, "numa_nodes", len(nodes) if nodes else None, "/sys/devices/system/node/online")


def _probe_topology(tree: Tree, facts: Facts, cpus: frozenset) -> None:
    siblings = [
        tree.text(f"{TOPOLOGY}/cpu{cpu}/topology/thread_siblings_list") for cpu in sorted(cpus)
    ]
    packages = [
        tree.text(f"{TOPOLOGY}/cpu{cpu}/topology/physical_package_id") for cpu in sorted(cpus)
    ]
    known = bool(siblings) and None not in siblings
    source = f"{TOPOLOGY}/cpu*/topology"
    fact(facts, "cores", len(set(siblings)) if known else None, source)
    fact(
        facts,
        "smt",
        any(len(listed(group) or ()) > 1 for group in siblings) if known else None,
        source,
    )
    # Some virtual machines and Arm firmware give -1 for every package.
    sure = bool(packages) and None not in packages and "-1" not in packages
    fact(facts, "sockets", len(set(packages)) if sure else None, source)
