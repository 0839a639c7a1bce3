"""Nodes that are slow in jobs of several users are named, and no others: fleets with known
truth."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.fleet import simulated

from advisor.fleet.slow_nodes import Observations, slow_nodes

NODES = 200


def named(slow, jobs=600, seed=5, **more):
    """Slow nodes of a simulated month → what is named."""
    data = simulated(np.random.default_rng(seed), jobs, slow, nodes=NODES, users=30, **more)
    return {each.host: each for each in slow_nodes(data)}


@pytest.mark.parametrize("more", [{}, {"homes": 80}], ids=["anywhere", "each user at home"])
def test_slow_nodes_are_named_and_no_others(more):
    found = named({3: 0.05, 120: 0.10, 199: 0.20}, **more)
    assert set(found) == {3, 120, 199}
    for node, share in ((3, 0.05), (120, 0.10), (199, 0.20)):
        assert found[node].low <= share * 1.15 and share * 0.85 <= found[node].high


@pytest.mark.parametrize("seed", range(2))
def test_a_sound_fleet_has_none(seed):
    """Though low nodes hold rank 0, which is 10 % late in every job."""
    assert named({}, seed=seed) == {}


def one_slow(jobs_of_user, share=0.1):
    """Jobs on four nodes of twelve; node 0 is slow in the jobs of the users that are listed."""
    rng = np.random.default_rng(1)
    rows = []
    for user, (jobs, late) in enumerate(jobs_of_user):
        for _ in range(jobs):
            hosts = rng.choice(12, 4, replace=False)
            rest = rng.normal(0, 0.01, 4) + np.log1p(share) * late * (hosts == 0)
            job = len(rows)
            rows.append([(job, host, user, user, at, rest[at]) for at, host in enumerate(hosts)])
    job, host, user, group, place, lateness = np.array([row for each in rows for row in each]).T
    whole = (each.astype(np.int64) for each in (job, host, user, group, place))
    return [each.host for each in slow_nodes(Observations(*whole, lateness))]


@pytest.mark.parametrize(
    "jobs_of_user, expected",
    [
        ([(30, 1)] * 4, [0]),
        ([(30, 1), (30, 1), (30, 0), (30, 0)], []),  # two users of four: their input, not the node
        ([(200, 1), (30, 0), (30, 0), (30, 0)], []),  # one user with most of the jobs
        ([(100, 1)] * 2, []),  # too few users to tell
        ([(2, 1)] * 4, []),  # too few jobs
    ],
)
def test_a_user_alone_makes_no_node_slow(jobs_of_user, expected):
    assert one_slow(jobs_of_user) == expected


def test_who_always_has_the_same_nodes_cannot_tell_node_from_rank():
    """Four users, each always on the same four nodes, whose rank 0 has more to do."""
    late = np.tile([0.2, 0, 0, 0], 80)
    job = np.repeat(np.arange(80), 4)
    same = np.tile(np.arange(4), 80)
    assert slow_nodes(Observations(job, same, job % 4, job % 4, same, late)) == []


def test_nothing_seen_names_nothing():
    none = np.empty(0, np.int64)
    assert slow_nodes(Observations(none, none, none, none, none, np.empty(0))) == []
