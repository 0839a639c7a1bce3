"""All facts about one host, under the keys that the collector uses as well."""

from __future__ import annotations

import time
from typing import Callable, Dict, Mapping, Tuple

from advisor.model.profile import Fact
from advisor.probing.copying import probe_copying
from advisor.probing.fabric import probe_fabric
from advisor.probing.gpu_memory import probe_gpu_memory
from advisor.probing.limits import probe_limits
from advisor.probing.memory import probe_memory
from advisor.probing.timeout import within
from advisor.probing.processor import probe_processor
from advisor.probing.reading import Facts, Tree
from advisor.probing.system import probe_system

PROBES: Tuple[Callable[[Tree, Facts], None], ...] = (
    probe_processor,
    probe_memory,
    probe_limits,
    probe_system,
    probe_fabric,
    probe_copying,
    probe_gpu_memory,
)


def probe_node(root: str = "/", seconds: float = 10.0) -> Mapping[str, Fact]:
    """Facts about the host whose /proc, /sys and /dev lie below `root`; a fact that could not be
    told has value None.

    Sizes in bytes, rates in Gbit/s (RDMA) and Mbit/s (Ethernet). Never raises. What takes longer
    than `seconds` (a file system that hangs, say) is left out.
    """
    facts: Dict[str, Fact] = {}
    deadline = time.monotonic() + seconds
    within(seconds, lambda: _probe_all(Tree(root), facts, deadline))
    return dict(facts)


def _probe_all(tree: Tree, facts: Facts, deadline: float) -> None:
    for probe in PROBES:
        if time.monotonic() > deadline:
            return
        try:
            probe(tree, facts)
        # a strange host must not stop the report; what is missing is missing by name
        except Exception as error:
            facts[f"failed.{probe.__name__}"] = Fact(None, f"{type(error).__name__}: {error}")
