"""Functions that Cython compiled, by the names that Python knows them by."""

from __future__ import annotations

import pytest

from advisor.analysis.derived.call_paths import place_of
from advisor.analysis.derived.cython_names import readable


@pytest.mark.parametrize(
    "function, expected",
    (
        ("__pyx_pw_6mpi4py_3MPI_4Comm_119Barrier", "mpi4py.MPI.Comm.Barrier"),
        ("__pyx_pw_6mpi4py_3MPI_7Request_29Testall", "mpi4py.MPI.Request.Testall"),
        ("__pyx_f_6mpi4py_3MPI_commlock_table", "mpi4py.MPI.commlock_table"),
        (
            "__pyx_f_6mpi4py_3MPI_10_p_msg_cco_for_allreduce",
            "mpi4py.MPI._p_msg_cco.for_allreduce",
        ),
        (
            "__pyx_fuse_1__pyx_f_6mpi4py_3MPI_options_set_errhandler",
            "mpi4py.MPI.options_set_errhandler",
        ),
        ("__pyx_f_6mpi4py_3MPI_PyMPI_bcast_p2p.constprop.0", "mpi4py.MPI.PyMPI_bcast_p2p"),
        ("PyMPI_Commctx_lookup.constprop.0", "PyMPI_Commctx_lookup"),
        ("MPI_Allreduce", "MPI_Allreduce"),
        ("__pyx_pw_", "__pyx_pw_"),
        ("__pyx_pw_6mpi4py_3MPI_4Comm_119", "__pyx_pw_6mpi4py_3MPI_4Comm_119"),
        ("__pyx_pw_99999999999999999999x", "__pyx_pw_99999999999999999999x"),
    ),
)
def test_readable_names(function, expected):
    assert readable(function) == expected


@pytest.mark.parametrize(
    "function, expected",
    (
        ("__pyx_pw_6mpi4py_3MPI_4Comm_119Barrier", "mpi4py.MPI.Comm.Barrier"),
        ("main._omp_fn.0", "main._omp_fn.0 in app"),
        ("solve.constprop.0", "solve in app"),
        ("", "app+0x1f"),
    ),
)
def test_a_python_name_says_its_module_and_others_are_in_one(function, expected):
    assert place_of("/opt/app", 0x1F, "", 0, function) == expected
