"""Where the CPUs of ranks lie, worked out by hand: two memory domains of four CPUs, a cache for
two CPUs each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from advisor.analysis import measure
from advisor.model.profile import Fact, Node

from .profiles import profile, table

HOST = {
    "numa_cpus": Fact("0-3;4-7", "test"),
    "l3_cpus": Fact("0-1;2-3;4-5;6-7", "test"),
    "gpu_domains": Fact("0,1,1", "test"),
}


def measured(masks, threads=None, facts=HOST):
    """Measures of ranks with these masks on one host; `threads`: CPUs of their busy threads."""
    columns = table("ranks", cpus=masks, cores=[1] * len(masks), thread_cpus=threads or masks)
    made = profile([10.0] * len(masks), ranks=columns)
    return measure(replace(made, nodes=(Node("n0", facts),)))


@pytest.mark.parametrize(
    "masks, domains, caches, apart, far",
    [
        (["0-1", "2-3", "4-5", "6-7"], [1, 1, 1, 1], [1, 1, 1, 1], 1 / 3, 0),
        (["0-1", "4-5", "2-3", "6-7"], [1, 1, 1, 1], [1, 1, 1, 1], 1, 0),
        (["0-3", "2-5"], [1, 2], [2, 2], 0, 0),
        (["0", "1"], [1, 1], [1, 1], 0, 2),
    ],
)
def test_domains_caches_and_neighbours(masks, domains, caches, apart, far):
    found = measured(masks)
    assert found.tables["rank"].columns["memory_domains"].values.tolist() == domains
    assert found.tables["rank"].columns["third_caches"].values.tolist() == caches
    assert found.tables["run"].columns["neighbours_apart"].values.tolist() == [pytest.approx(apart)]
    assert found.tables["node"].columns["gpus_far"].values.tolist() == [far]
    assert found.tables["node"].columns["third_caches"].values.tolist() == [4]


def test_threads_that_are_bound_one_by_one_have_more_than_the_core_of_the_first():
    found = measured(["0", "4"], ["0-3", ""]).tables["rank"].columns
    assert found["cores"].values.tolist() == [4, 1]
    assert found["mask_cores"].values.tolist() == [4, 1]


def test_what_the_kernel_does_not_tell_is_unknown():
    found = measured(["0-3", "4-7"], facts={})
    assert np.isnan(found.tables["rank"].columns["memory_domains"].values).all()
    assert np.isnan(found.tables["node"].columns["gpus_far"].values).all()
    assert found.tables["run"].columns["neighbours_apart"].reason.startswith("the kernel does not")
