"""Where the CPUs of ranks lie: memory domains, third-level caches, and GPUs beside them."""

from __future__ import annotations

from functools import lru_cache
from typing import Dict, FrozenSet, List, NamedTuple, Optional, Tuple

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


class Touched(NamedTuple):
    """The groups that the CPUs of ranks lie in. `kinds`: by their numbers, once for each mask of a
    host; None where nobody knows. `of`: per rank, which of them."""

    kinds: List[Optional[FrozenSet[int]]]
    of: np.ndarray


def _touched(view, fact: str) -> Touched:
    """Raises Unknown where no host tells its groups: a job of a million ranks is then not looked
    at."""
    groups = _groups(view, fact)
    if not any(groups):
        raise Unknown(NOT_TOLD, PROBE_HOST)
    numbers: Dict[Tuple[int, str], int] = {}
    of = np.fromiter(
        (
            numbers.setdefault(key, len(numbers))
            for key in zip(view.node_of.tolist(), view.cpu_lists.tolist())
        ),
        np.int32,
        view.count,
    )
    return Touched([_of_mask(groups[node], mask) for node, mask in numbers], of)


def _of_mask(groups: Optional[Groups], mask: str) -> Optional[FrozenSet[int]]:
    cpus = cpus_of(mask)
    if not groups or not cpus:
        return None
    return frozenset(number for number, group in enumerate(groups) if group & cpus)


def _counts(view, fact: str) -> Value:
    touched = _touched(view, fact)
    counts = np.array([len(kind) if kind else np.nan for kind in touched.kinds], float)
    return Value(counts[touched.of], reason=NOT_TOLD, collect=PROBE_HOST)


@metric("rank.cores", unit="count", quality=Quality.MEASURED)
def cores(view):
    """Logical CPUs that its busy threads may run on, together: each may be bound to another one."""
    masks = view.ranks("cores")
    if not view.has("ranks", "thread_cpus"):
        return masks
    bound = view.column("ranks", "thread_cpus")
    threads = np.fromiter((len(cpus_of(text)) for text in bound.tolist()), np.int64, len(bound))
    return np.where(threads > 0, threads, masks)


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
    kinds, of = _touched(view, "numa_cpus")
    together = view.node_of[1:] == view.node_of[:-1]
    pairs, times = np.unique(np.stack((of[:-1], of[1:]))[:, together], axis=1, return_counts=True)
    found = [(kinds[one], kinds[other]) for one, other in pairs.T.tolist()]
    if not found or any(one is None or other is None for one, other in found):
        raise Unknown(NOT_TOLD, PROBE_HOST)
    apart = sum(
        count
        for (one, other), count in zip(found, times.tolist())
        if one and not one & (other or one)
    )
    return ratio(apart, int(times.sum()))


@metric("node.gpus_far", unit="count")
def gpus_far(view):
    """GPUs in a memory domain that none of its ranks may run on: somebody drives them from
    another one."""
    (kinds, of), groups = _touched(view, "numa_cpus"), _groups(view, "numa_cpus")
    counts = []
    for host, text in enumerate(view.node_facts("gpu_domains")):
        domains = [part for part in str(text or "").split(",") if part.isdigit()]
        ranks = [kinds[each] for each in np.unique(of[view.node_of == host])] if domains else []
        # Domains of memory alone, which have higher numbers, have no CPUs to be near to.
        known = groups[host] and all(int(part) < len(groups[host]) for part in domains)
        if not known or not ranks or None in ranks:
            counts.append(np.nan)
        else:
            near = frozenset().union(*filter(None, ranks))
            counts.append(sum(int(domain) not in near for domain in domains))
    return Value(np.array(counts, float), reason=NOT_TOLD, collect=PROBE_HOST)
