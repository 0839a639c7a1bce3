"""Where the CPUs of ranks lie: memory domains, third-level caches, and GPUs beside them."""

from __future__ import annotations

from functools import lru_cache
from typing import FrozenSet, List, Optional, Tuple

import numpy as np

from advisor.analysis.derived.core_sharing import cpus_of
from advisor.analysis.derived.profile_columns import PROBE_HOST
from advisor.analysis.engine.arrays import ratio
from advisor.analysis.engine.metric import Unknown, Value, metric
from advisor.model.measures import Quality

NOT_TOLD = "the kernel does not tell which CPUs belong together, or the profile is older"
Groups = Tuple[FrozenSet[int], ...]


@lru_cache(maxsize=1024)
def groups_of(text: str) -> Groups:
    """CPUs of each group of "0-3,8;4-7,12"."""
    return tuple(filter(None, (cpus_of(part) for part in text.split(";"))))


def _groups(view, fact: str) -> List[Optional[Groups]]:
    """Of each host; None where nobody knows."""
    return [groups_of(str(text)) if text else None for text in view.node_facts(fact)]


def _touched(view, fact: str) -> List[Optional[FrozenSet[int]]]:
    """Of each rank: the groups that its CPUs lie in, by their numbers; None where nobody knows."""
    groups, found = _groups(view, fact), {}
    for key in set(zip(view.node_of.tolist(), view.cpu_lists.tolist())):
        of_host, cpus = groups[key[0]], cpus_of(key[1])
        found[key] = (
            frozenset(number for number, group in enumerate(of_host) if group & cpus)
            if of_host and cpus
            else None
        )
    return [found[key] for key in zip(view.node_of.tolist(), view.cpu_lists.tolist())]


def _counts(view, fact: str) -> Value:
    counts = [len(touched) if touched else np.nan for touched in _touched(view, fact)]
    return Value(np.array(counts), reason=NOT_TOLD, collect=PROBE_HOST)


@metric("rank.cores", unit="count", quality=Quality.MEASURED)
def cores(view):
    """Logical CPUs that its busy threads may run on, together: each may be bound to another one."""
    masks = view.ranks("cores")
    if not view.has("ranks", "thread_cpus"):
        return masks
    threads = [len(cpus_of(text)) for text in view.column("ranks", "thread_cpus").tolist()]
    return np.where(np.array(threads) > 0, threads, masks)


@metric("rank.memory_domains", unit="count", quality=Quality.MEASURED)
def memory_domains(view):
    """Memory domains (NUMA nodes) that the CPUs lie in which it may run on."""
    return _counts(view, "numa_cpus")


@metric("rank.third_caches", unit="count", quality=Quality.MEASURED)
def third_caches(view):
    """Third-level caches beside the CPUs that it may run on."""
    return _counts(view, "l3_cpus")


@metric("node.third_caches", unit="count", quality=Quality.MEASURED)
def host_caches(view):
    """Third-level caches, each shared by some of its cores."""
    counts = [len(groups) if groups else np.nan for groups in _groups(view, "l3_cpus")]
    return Value(np.array(counts), reason=NOT_TOLD, collect=PROBE_HOST)


@metric("run.neighbours_apart", unit="share")
def neighbours_apart(view):
    """Of the pairs of consecutive ranks on one host, the share whose CPUs have no memory domain in
    common. Unknown where ranks of some host are not bound to fewer domains than it has."""
    touched = _touched(view, "numa_cpus")
    pairs = [
        (touched[rank], touched[rank + 1])
        for rank in range(view.count - 1)
        if view.node_of[rank] == view.node_of[rank + 1]
    ]
    if not pairs or any(one is None or other is None for one, other in pairs):
        raise Unknown(NOT_TOLD, PROBE_HOST)
    return ratio(sum(not one & other for one, other in pairs), len(pairs))


@metric("node.gpus_far", unit="count")
def gpus_far(view):
    """GPUs in a memory domain that none of its ranks may run on: somebody drives them from
    another one."""
    touched, groups = _touched(view, "numa_cpus"), _groups(view, "numa_cpus")
    counts = []
    for host, text in enumerate(view.node_facts("gpu_domains")):
        ranks = [touched[rank] for rank in np.flatnonzero(view.node_of == host)]
        domains = [part for part in str(text or "").split(",") if part.isdigit()]
        # Domains of memory alone, which have higher numbers, have no CPUs to be near to.
        known = domains and groups[host] and all(int(part) < len(groups[host]) for part in domains)
        if not known or not ranks or None in ranks:
            counts.append(np.nan)
        else:
            near = frozenset().union(*ranks)
            counts.append(sum(int(domain) not in near for domain in domains))
    return Value(np.array(counts, float), reason=NOT_TOLD, collect=PROBE_HOST)
