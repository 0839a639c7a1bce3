"""Which library a version string speaks of."""

from __future__ import annotations

import pytest

from advisor.intake.container.library_name import named
from advisor.model.profile import Library


@pytest.mark.parametrize(
    "text, name, version",
    [
        (
            (
                "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26,"
                " 2022"
            ),
            "openmpi",
            "4.1.4",
        ),
        ("Open MPI v5.0.11rc1, package: x", "openmpi", "5.0.11rc1"),
        ("MPICH Version:      4.0.2\nMPICH Release date: Thu Apr  7", "mpich", "4.0.2"),
        ("MPICH Version:\t5.0.0\nMPICH ABI: 17:0:5", "mpich", "5.0.0"),
        ("Intel(R) MPI Library 2021.18 for Linux* OS\n", "intel", "2021.18"),
        ("Intel(R) MPI Library 2019 Update 4 for Linux* OS\n", "intel", "2019.4"),
        ("MVAPICH2 Version      :\t2.3.7\nMVAPICH2 Release date :", "mvapich2", "2.3.7"),
        ("MVAPICH Version       :\t4.0\n", "mvapich", "4.0"),
        ("MPI VERSION    : CRAY MPICH version 8.1.29.38 (ANL base 3.4a2)\n", "cray", "8.1.29.38"),
        ("Something else 1.0", "unknown", ""),
        ("", "unknown", ""),
    ],
)
def test_named(text, name, version):
    found = named(Library(text=text))
    assert (found.name, found.version) == (name, version)
