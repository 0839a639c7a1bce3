"""Which logical CPUs share a memory domain, or a third-level cache."""

from __future__ import annotations

import re
from typing import List, Optional

from advisor.probing.reading import Facts, Tree, fact

CPUS = "/sys/devices/system/cpu"
DOMAINS = "/sys/devices/system/node"
LONGEST = 1023
"""Of all lists together: what the collector has room for."""


def _numbered(tree: Tree, folder: str, prefix: str) -> List[str]:
    """Names such as cpu0 in the order of their numbers."""
    found = [re.fullmatch(rf"{prefix}(\d{{1,6}})", name) for name in tree.names(folder) or ()]
    return [match[0] for match in sorted(filter(None, found), key=lambda match: int(match[1]))]


def _joined(lists: List[Optional[str]]) -> Optional[str]:
    """Each list once, with semicolons between; None if there is none, or they are too long."""
    text = ";".join(dict.fromkeys(filter(None, lists)))
    return text if text and len(text) <= LONGEST else None


def probe_cpu_groups(tree: Tree, facts: Facts) -> None:
    """numa_cpus and l3_cpus: "0-15,64-79;16-31,80-95". Written only where the kernel tells them."""
    domains = [
        tree.text(f"{DOMAINS}/{name}/cpulist", 512) for name in _numbered(tree, DOMAINS, "node")
    ]
    caches = [
        tree.text(f"{CPUS}/{name}/cache/index3/shared_cpu_list", 512)
        for name in _numbered(tree, CPUS, "cpu")
    ]
    for key, lists, source in (
        ("numa_cpus", domains, f"{DOMAINS}/node*/cpulist"),
        ("l3_cpus", caches, f"{CPUS}/cpu*/cache/index3/shared_cpu_list"),
    ):
        text = _joined(lists)
        if text:
            fact(facts, key, text, source)
