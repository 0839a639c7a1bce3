"""Nodes that are slow whoever computes on them: lateness that follows a node over jobs of different
users, and not a rank.

How it is told, and how often it is wrong, is in docs/FLEET.md and benchmarks/FLEET.md.
"""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional

import numpy as np

LEAST_JOBS, LEAST_USERS = 8, 3
EFFECT = 0.02
"""Smaller delays are not worth a drain."""
SIGMAS = 5.0
"""Of the estimate. Beyond the normal distribution's 4.5 for one wrong node in 300 months of 1000
nodes: noise of real jobs has heavier tails."""
_CAP, _LEAST_CAP = 4.0, 0.1
"""Standard deviations of its job, and lateness, to which one observation counts: beyond both it was
an accident."""
_LARGEST_SHARE = 1 / 3
"""Of the weight that one user may have."""
_FLOOR = 0.005
"""Least standard deviation of a job: clocks and sampling are no better."""
_TO_SIGMA = 1.4826
"""Median absolute deviation to standard deviation."""


class Observations(NamedTuple):
    """One row a job and node; all arrays are of one length. `host`, `user`, `group` and `job` are
    numbers from 0. `group`: jobs of the same program, user and size, in which a place is the same
    part of the work. `place`: of the node in its job."""

    job: np.ndarray
    host: np.ndarray
    user: np.ndarray
    group: np.ndarray
    place: np.ndarray
    lateness: np.ndarray


class SlowNode(NamedTuple):
    """`effect`: how much longer its ranks compute, as share; `low` and `high` are its 95 %
    interval. `sigmas`: how sure."""

    host: int
    effect: float
    low: float
    high: float
    sigmas: float
    jobs: int
    users: int


def slow_nodes(seen: Observations) -> List[SlowNode]:
    """Nodes that are late in jobs of many users, the latest first."""
    if not len(seen.job):
        return []
    rest, capped, sigma = _without_places(seen)
    order = np.lexsort((seen.user, seen.host))
    found = []
    for rows in np.split(order, np.flatnonzero(np.diff(seen.host[order])) + 1):
        node = _judged(
            int(seen.host[rows[0]]), rest[rows], capped[rows], sigma[rows], seen.user[rows]
        )
        if node:
            found.append(node)
    return sorted(found, key=lambda node: -node.effect)


def _without_places(seen: Observations) -> "tuple[np.ndarray, np.ndarray, np.ndarray]":
    """Lateness without what belongs to the place, the same capped, and the standard deviation of
    each job.

    The median over the jobs of a group takes out work that is uneven by design: rank 0's, that of
    borders. A group that always had the same nodes cannot tell place from node and is left out, by
    an infinite deviation.
    """
    key = _numbered(seen.group, seen.place)
    rest = seen.lateness - _medians(key, seen.lateness)
    rest -= _medians(seen.job, rest)
    sigma = np.maximum(_TO_SIGMA * _medians(seen.job, np.abs(rest)), _FLOOR)
    # Of a job with few nodes the deviation is hardly known: that of its group is at least as large
    sigma = np.maximum(sigma, _TO_SIGMA * _medians(seen.group, np.abs(rest)))
    cap = np.maximum(_CAP * sigma, _LEAST_CAP)
    hosts = _distinct(key, seen.host)
    return rest, np.clip(rest, -cap, cap), np.where(hosts >= LEAST_USERS, sigma, np.inf)


def _judged(
    host: int, rest: np.ndarray, capped: np.ndarray, sigma: np.ndarray, user: np.ndarray
) -> Optional[SlowNode]:
    known = np.isfinite(sigma)
    rest, capped, sigma, user = rest[known], capped[known], sigma[known], user[known]
    users = len(set(user.tolist()))
    if len(rest) < LEAST_JOBS or users < LEAST_USERS:
        return None
    weights = _evened(1 / sigma**2, user)
    effect = float((weights * capped).sum())
    # The larger of what the jobs' noise gives and what users really differ by
    own = float(np.sqrt((weights**2 * sigma**2).sum()))
    error = max(own, _between_users(weights, capped, user))
    if effect < EFFECT or effect < SIGMAS * error or not _without_each(weights, capped, user):
        return None
    middle = _weighted_median(rest, weights)
    low, high = (float(np.expm1(middle + side * 1.96 * error)) for side in (-1, 1))
    return SlowNode(host, float(np.expm1(middle)), low, high, effect / error, len(rest), users)


def _weighted_median(values: np.ndarray, weights: np.ndarray) -> float:
    """Of the whole lateness: what is capped would make very slow nodes look better."""
    order = np.argsort(values)
    place = int(np.searchsorted(np.cumsum(weights[order]), 0.5))
    return float(values[order[min(place, len(values) - 1)]])


def _evened(weights: np.ndarray, user: np.ndarray) -> np.ndarray:
    """Weights that add up to 1, of which no user has more than a third."""
    for _ in range(20):
        weights = weights / weights.sum()
        of_user = np.bincount(user, weights)[user]
        if of_user.max() <= _LARGEST_SHARE * 1.001:
            break
        weights = weights * np.minimum(1, _LARGEST_SHARE / of_user)
    return weights / weights.sum()


def _between_users(weights: np.ndarray, rest: np.ndarray, user: np.ndarray) -> float:
    """Standard error if jobs of a user are one observation, with the small-sample factor."""
    mean = float((weights * rest).sum())
    sums = np.bincount(user, weights * (rest - mean))
    users = len(set(user.tolist()))
    return float(np.sqrt((sums**2).sum() * users / (users - 1)))


def _without_each(weights: np.ndarray, rest: np.ndarray, user: np.ndarray) -> bool:
    """Whether at least half of the effect stays, whichever user is left out."""
    whole = float((weights * rest).sum())
    for each in set(user.tolist()):
        others = user != each
        if float((weights * rest)[others].sum()) < whole / 2 * float(weights[others].sum()):
            return False
    return True


def _medians(key: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The median of the values of the same key, in each row."""
    order = np.lexsort((values, key))
    keys = key[order]
    begins = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    counts = np.diff(np.r_[begins, len(keys)])
    lower = values[order[begins + (counts - 1) // 2]]
    upper = values[order[begins + counts // 2]]
    result = np.empty(len(values))
    result[order] = np.repeat((lower + upper) / 2, counts)
    return result


def _distinct(key: np.ndarray, values: np.ndarray) -> np.ndarray:
    """How many different values the same key has, in each row."""
    pairs = np.unique(np.stack([key, values]), axis=1)[0]
    found, counts = np.unique(pairs, return_counts=True)
    return counts[np.searchsorted(found, key)]


def _numbered(*columns: np.ndarray) -> np.ndarray:
    """Combinations as numbers from 0."""
    return np.unique(np.stack(columns), axis=1, return_inverse=True)[1].reshape(-1)


def observations(rows: Any) -> "tuple[Observations, List[str]]":
    """An Arrow table of the query `lateness` as numbers, and the names of the hosts. A place is the
    same part of the work in jobs of the same user, program and size."""
    host, names = _coded(rows["host"])
    user, _ = _coded(rows["user_name"])
    application, _ = _coded(rows["application"])
    job, _ = _coded(rows["profile"])
    hosts, place = (rows[name].to_numpy().astype(np.int64) for name in ("hosts", "place"))
    group = _numbered(user, application, hosts)
    return Observations(job, host, user, group, place, rows["lateness"].to_numpy()), names


def _coded(column: Any) -> "tuple[np.ndarray, List[str]]":
    """Texts as numbers from 0, and the texts of these."""
    found = column.combine_chunks().dictionary_encode()
    return found.indices.to_numpy().astype(np.int64), found.dictionary.to_pylist()
