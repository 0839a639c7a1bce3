"""Ranks that share CPUs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from .profiles import cell, profile, table

from advisor.analysis import measure
from advisor.analysis.derived.core_sharing import cpus_of, places
from advisor.model.profile import Application, Fact, Node


@pytest.mark.parametrize(
    "text, expected",
    [
        ("0-3,8", {0, 1, 2, 3, 8}),
        ("5", {5}),
        ("", set()),
        ("3-1", set()),
        ("x", set()),
        ("0-99999999999", set()),
        ("1,,2", {1, 2}),
    ],
)
def test_lists_of_cpus(text, expected):
    assert cpus_of(text) == expected


@pytest.mark.parametrize(
    "title, masks, nodes, threads, shared, same",
    [
        ("own cores", ["0", "1"], [0, 0], [1, 1], [0, 0], [1, 1]),
        ("both on core 0", ["0", "0"], [0, 0], [1, 1], [1, 1], [2, 2]),
        ("the same core of two hosts", ["0", "0"], [0, 1], [1, 1], [0, 0], [1, 1]),
        ("unbound, cores enough", ["0-3", "0-3"], [0, 0], [2, 2], [0, 0], [2, 2]),
        ("unbound, too many threads", ["0-3", "0-3"], [0, 0], [2, 3], [1, 1], [2, 2]),
        ("overlapping at one core", ["0-1", "1-2"], [0, 0], [2, 2], [1, 1], [1, 1]),
        (
            "three on two cores, one apart",
            ["0-1", "0-1", "0-1", "5"],
            [0, 0, 0, 0],
            [1, 1, 1, 1],
            [2, 2, 2, 0],
            [3, 3, 3, 1],
        ),
    ],
)
def test_sharing(title, masks, nodes, threads, shared, same):
    found = places(np.array(masks, dtype=object), np.array(nodes), np.array(threads, dtype=float))
    assert (found.shared.tolist(), found.same.tolist()) == (shared, same)


def test_a_mask_that_nobody_read_is_unknown():
    found = places(np.array(["", "0"], dtype=object), np.array([0, 0]), np.ones(2))
    assert np.isnan(found.shared).tolist() == [True, False]


SPARE = [
    # masks, threads, OpenMP threads, CPUs and cores of the host → cores left for a helper thread
    ("bound to a core each", ["0", "1"], [1, 1], [1, 1], 8, 8, [0, 0]),
    ("bound to a core with two hardware threads", ["0,4", "1,5"], [1, 1], [1, 1], 8, 4, [0, 0]),
    ("unbound, half of the cores free", ["0-3", "0-3"], [1, 1], [0, 0], 4, 4, [1, 1]),
    ("unbound, hardware threads are no cores", ["0-3", "0-3"], [1, 1], [0, 0], 4, 2, [0, 0]),
    ("threads that OMP_NUM_THREADS asks for", ["0-3", "0-3"], [1, 1], [2, 2], 4, 4, [0, 0]),
]


@pytest.mark.parametrize("title, masks, threads, openmp, cpus, cores, spare", SPARE)
def test_cores_for_a_helper_thread(title, masks, threads, openmp, cpus, cores, spare):
    count = len(masks)
    placed = table("ranks", cpus=masks, threads=threads, omp_threads=openmp, rank=range(count))
    host = Node("n", {"cpus": Fact(cpus, "test"), "cores": Fact(cores, "test")})
    known = measure(replace(profile([1.0] * count, ranks=placed), nodes=(host,)))
    assert known.tables["rank"].columns["spare_cores"].values.tolist() == spare


ROOTS = [
    # ranks, KPAR, ALGO → ranks of a group, NCORE of the manual, whether it must be 1
    (2048, 2, "Normal", 1024, 32, False),
    (96, 1, None, 96, 12, False),
    (48, 4, "EVGW0", 12, 4, True),
]


@pytest.mark.parametrize("ranks, kpar, algo, group, ncore, one", ROOTS)
def test_ncore_of_the_manual(ranks, kpar, algo, group, ncore, one):
    read = {
        "kpar": Fact(kpar, "INCAR"),
        "ncore": Fact(4, "INCAR"),
        **({"algo": Fact(algo, "INCAR")} if algo else {}),
    }
    known = measure(profile([1.0] * ranks, application=Application("vasp", read)))
    assert [
        cell(known, f"application.{name}")
        for name in ("band_ranks", "ncore_by_root", "ncore_must_be_1")
    ] == [group, ncore, one]
