"""Nodes that are slow whoever computes on them: lateness that follows a node over jobs of different
users, and not a rank.

How it is told, and how often it is wrong, is in docs/FLEET.md and benchmarks/FLEET.md.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, NamedTuple, Optional

import numpy as np

LEAST_JOBS, LEAST_USERS = 8, 3
EFFECT = 0.02
"""Smaller delays are not worth a drain."""
SIGMAS = 5.0
"""Of the estimate. Beyond the normal distribution's 4.5 for one wrong node in 300 months of 1000
nodes: noise of real jobs has heavier tails."""
BETWEEN = 3.0
"""Standard errors by what this node's users differ by: they are few, so that error is rough."""
PASSES, CLEAR = 2, 3.0
"""How often places and nodes are told apart, and standard errors from which on a node's lateness is
taken out of the places that it held."""
_CAP, _LEAST_CAP = 4.0, 0.1
"""Standard deviations of its job, and lateness, to which one observation counts: beyond both it was
an accident."""
_BENT = 1.5
"""Standard deviations from the node's own lateness beyond which an observation weighs less."""
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


class _Estimate(NamedTuple):
    """Of one node. `effect`: its lateness; `error`: from the noise of its jobs; `between`: from
    what its users differ by; `kept`: what is left without the users that show most."""

    host: int
    effect: float
    error: float
    between: float
    kept: float
    middle: float
    jobs: int
    users: int


def slow_nodes(seen: Observations) -> List[SlowNode]:
    """Nodes that are late in jobs of many users, the latest first."""
    if not len(seen.job):
        return []
    effects = np.zeros(int(seen.host.max()) + 1)
    found: List[_Estimate] = []
    scale = 1.0
    for _ in range(PASSES):
        found = _estimates(seen, effects)
        scale = _scale(found)
        effects[:] = 0.0
        for each in found:
            if each.effect >= CLEAR * scale * each.error and each.kept >= each.effect / 2:
                effects[each.host] = each.effect
    named = [_named(each, scale) for each in found if _is_slow(each, scale)]
    return sorted(named, key=lambda node: -node.effect)


def _estimates(seen: Observations, effects: np.ndarray) -> List[_Estimate]:
    """Of all nodes with enough jobs and users; `effects`: what is known of them by now."""
    rest, sigma = _without_places(seen, effects)
    order = np.lexsort((seen.user, seen.host))
    order = order[np.isfinite(sigma[order])]
    begins = np.flatnonzero(np.diff(seen.host[order])) + 1
    found = (
        _estimate(int(seen.host[rows[0]]), rest[rows], sigma[rows], seen.user[rows])
        for rows in np.split(order, begins)
        if len(rows) >= LEAST_JOBS
    )
    return [each for each in found if each is not None]


def _without_places(seen: Observations, effects: np.ndarray) -> "tuple[np.ndarray, np.ndarray]":
    """Lateness without what belongs to the place, and the standard deviation of each job.

    The median over the jobs of a group takes out work that is uneven by design: rank 0's, that of
    borders. Nodes that are known to be late are taken out before: of few jobs, the median would
    else hold a part of their lateness. A group that always had the same nodes cannot tell place
    from node and is left out, by an infinite deviation.
    """
    key, known = _numbered(seen.group, seen.place), effects[seen.host]
    rest = seen.lateness - _medians(key, seen.lateness - known)
    rest -= _medians(seen.job, rest - known)
    noise = np.abs(rest - known)
    sigma = np.maximum(_TO_SIGMA * _medians(seen.job, noise), _FLOOR)
    # Of a job with few nodes the deviation is hardly known: that of its group is at least as large
    sigma = np.maximum(sigma, _TO_SIGMA * _medians(seen.group, noise))
    hosts = _distinct(key, seen.host)
    return rest, np.where(hosts >= LEAST_USERS, sigma, np.inf)


def _estimate(
    host: int, rest: np.ndarray, sigma: np.ndarray, user: np.ndarray
) -> Optional[_Estimate]:
    users, of_user = np.unique(user, return_inverse=True)
    if len(users) < LEAST_USERS:
        return None
    cap = np.maximum(_CAP * sigma, _LEAST_CAP)
    capped = np.clip(rest, -cap, cap)
    weights = _evened(1 / sigma**2, of_user)
    effect = _location(capped, weights, sigma)
    error = float(np.sqrt((weights**2 * sigma**2).sum()))
    own = np.array([_location(capped[at], weights[at], sigma[at]) for at in _rows_of_each(of_user)])
    shown = np.bincount(of_user, weights) * (own - effect)
    between = float(np.sqrt((shown**2).sum() * len(users) / (len(users) - 1)))
    # Work of two users may be late by itself on one node: without them it must still be slow
    left = np.argsort(-shown)[1 if len(users) == LEAST_USERS else 2 :]
    share = np.bincount(of_user, weights)[left]
    kept = float((share * own[left]).sum() / share.sum())
    middle = _weighted_median(rest, weights)
    return _Estimate(host, effect, error, between, kept, middle, len(rest), len(users))


def _rows_of_each(numbers: np.ndarray) -> List[np.ndarray]:
    order = np.argsort(numbers, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1)


def _scale(found: List[_Estimate]) -> float:
    """How much larger errors are than the jobs' noise says, by the nodes themselves: most are
    sound. The lower side has no slow ones in it."""
    if not found:
        return 1.0
    ratios = np.array([each.effect / each.error for each in found])
    middle = float(np.median(ratios))
    spread = _TO_SIGMA * float(np.median(np.abs(ratios - middle)))
    return max(1.0, spread, (middle - float(np.quantile(ratios, 0.05))) / 1.645)


def _is_slow(each: _Estimate, scale: float) -> bool:
    least = max(EFFECT, SIGMAS * scale * each.error, BETWEEN * each.between)
    return each.effect >= least and each.kept >= each.effect / 2


def _named(each: _Estimate, scale: float) -> SlowNode:
    error = max(scale * each.error, each.between)
    low, high = (float(np.expm1(each.middle + side * 1.96 * error)) for side in (-1, 1))
    effect, sigmas = float(np.expm1(each.middle)), each.effect / (scale * each.error)
    return SlowNode(each.host, effect, low, high, sigmas, each.jobs, each.users)


def _location(values: np.ndarray, weights: np.ndarray, sigma: np.ndarray) -> float:
    """Huber's: the weighted mean, in which what lies far away weighs less."""
    found = _weighted_median(values, weights)
    for _ in range(8):
        bent = weights / np.maximum(1, np.abs(values - found) / (_BENT * sigma))
        found = float((bent * values).sum() / bent.sum())
    return found


def _weighted_median(values: np.ndarray, weights: np.ndarray) -> float:
    """Also of the whole lateness: what is capped would make very slow nodes look better."""
    order = np.argsort(values)
    summed = np.cumsum(weights[order])
    place = int(np.searchsorted(summed, 0.5 * summed[-1]))
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
    many = int(values.max()) + 1
    found, counts = np.unique(np.unique(key * np.int64(many) + values) // many, return_counts=True)
    return counts[np.searchsorted(found, key)]


def _numbered(*columns: np.ndarray) -> np.ndarray:
    """Combinations as numbers from 0."""
    found = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        whole = found * (int(column.max(initial=0)) + 1) + column
        found = np.unique(whole, return_inverse=True)[1].reshape(-1)
    return found


def observations(parts: Iterable[Any]) -> "tuple[Observations, List[str]]":
    """Arrow tables of the query `lateness` as numbers, and the names of the hosts. A place is the
    same part of the work in jobs of the same user, program and size.

    Only one table with its texts is in memory: those of a month would take a gigabyte.
    """
    coded = {name: _Coded() for name in ("profile", "host", "user_name", "application")}
    columns: Dict[str, List[np.ndarray]] = {
        name: [np.empty(0, np.int32)] for name in (*coded, "hosts", "place")
    }
    lateness: List[np.ndarray] = [np.empty(0)]
    for part in parts:
        for name, found in columns.items():
            own = coded[name].numbers(part[name]) if name in coded else part[name].to_numpy()
            found.append(own.astype(np.int32))
        # A copy: a view would keep all of the part in memory
        lateness.append(np.array(part["lateness"].to_numpy()))
    whole = {name: np.concatenate(found) for name, found in columns.items()}
    group = _numbered(whole["user_name"], whole["application"], whole["hosts"])
    return Observations(
        whole["profile"],
        whole["host"],
        whole["user_name"],
        group,
        whole["place"],
        np.concatenate(lateness),
    ), list(coded["host"].known)


class _Coded:
    """Texts as numbers from 0, over all parts. `known`: the texts, in the order of the numbers."""

    def __init__(self) -> None:
        self.known: Dict[str, int] = {}

    def numbers(self, column: Any) -> np.ndarray:
        """Those of one part."""
        found = column.combine_chunks().dictionary_encode()
        own = [
            self.known.setdefault(text, len(self.known)) for text in found.dictionary.to_pylist()
        ]
        return np.asarray(own, np.int32)[found.indices.to_numpy()]
