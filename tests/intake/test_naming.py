"""Which library a version string speaks of."""

from __future__ import annotations

import pytest

from advisor.intake.container.library_name import named
from advisor.model.profile import Library


ABCI = "https://github.com/aistabci/abci-docs, Using HPC-X"
MPI_JL = "https://github.com/JuliaParallel/MPI.jl/blob/master/lib/MPIPreferences/test"
PSMPI = "https://github.com/ParaStation/psmpi/blob/5.14.0-1/mpich2/src/mpid/psp/include/mpidpre.h"
MVAPICH = "https://github.com/nmorey/mvapich/blob/v4.0/src/mpi/init/initinfo.c"

PUBLISHED = [
    # what MPI_Get_library_version says, where that was published, its file; name, version
    (
        "Open MPI v4.1.5a1, package: Open MPI root@hpc-kernel-03 Distribution, ident: 4.1.5a1, repo"
        " rev: v4.1.4-2-g1c67bf1c6a, Unreleased developer copy",
        ABCI,
        "",
        "hpcx",
        "4.1.5a1",
    ),
    (
        "Open MPI v4.1.7a1, package: Open MPI root@hnode001 Distribution, ident: 4.1.7a1, repo rev:"
        " v4.1.5-115-g41ba5192d2, Unreleased developer copy",
        ABCI,
        "/apps/hpcx/2.20/ompi/lib/libmpi.so.40",
        "hpcx",
        "4.1.7a1",
    ),
    # Azure's images hold HPC-X below /opt.
    (
        "Open MPI v4.1.5rc2, package: Open MPI root@a Distribution, ident: 4.1.5rc2",
        "https://github.com/Azure/azhpc-images",
        "/opt/hpcx-v2.15-gcc-MLNX_OFED_LINUX-5-ubuntu22.04-cuda12-gdrcopy2-nccl2.17-x86_64/ompi/lib"
        "/libmpi.so.40",
        "hpcx",
        "4.1.5rc2",
    ),
    (
        "Open MPI v3.1.0, package: IBM Spectrum MPI, ident: 10.03.01.00rtm0, repo rev:"
        " IBM_SPECTRUM_MPI_10.03.01.00_2019.04.02, Apr 02, 2019\n",
        MPI_JL,
        "",
        "spectrum",
        "10.03.01.00",
    ),
    ("FUJITSU MPI Library 4.0.0 (4.0.1fj4.0.0)", MPI_JL, "", "fujitsu", "4.0.0"),
    (
        "=== ParaStation MPI 5.14.0-1 ===\nx\nMPICH Version:      4.3.2\nMPICH Device:       ch4\n",
        PSMPI,
        "",
        "parastation",
        "4.3.2",
    ),
    ("MVAPICH Version:        4.0\nMVAPICH Release date:   x\n", MVAPICH, "", "mvapich", "4.0"),
    ("MVAPICH Version:        3.0rc\n", MVAPICH.replace("v4.0", "v3.0rc"), "", "mvapich", "3.0rc"),
    (
        "MVAPICH2 Version      :\t2.3.6\nMVAPICH2 Release date :\tMon March 29 22:00:00 EST 2021\n",
        MPI_JL,
        "",
        "mvapich2",
        "2.3.6",
    ),
    (
        "MPI VERSION    : CRAY MPICH version 8.1.21 (ANL base 3.4a2)\n",
        MPI_JL,
        "",
        "cray",
        "8.1.21",
    ),
]


@pytest.mark.parametrize("text, source, path, name, version", PUBLISHED)
def test_published_strings(text, source, path, name, version):
    found = named(Library(text=text, path=path))
    assert (found.name, found.version) == (name, version), source


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
