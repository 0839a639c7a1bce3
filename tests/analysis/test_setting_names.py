"""Which variables a library knows, and which name was meant where one is misspelt."""

from __future__ import annotations

import pytest

from advisor.analysis.metrics import setting_names
from advisor.model.profile import Fact, Library

KNOWN = {
    "openmpi": "btl_vader_eager_limit btl_tcp_eager_limit coll_tuned_use_dynamic_rules pml osc",
    "mpich": "MPIR_CVAR_ASYNC_PROGRESS MPIR_CVAR_CH4_NUM_VCIS",
    "mvapich": "MPIR_CVAR_ASYNC_PROGRESS",
    "intel": "I_MPI_ASYNC_PROGRESS I_MPI_FABRICS MPIR_CVAR_ASYNC_PROGRESS",
    "mvapich2": "MV2_USE_MCAST MV2_SMP_USE_CMA MV2_USE_SHMEM_COLL MPIR_CVAR_ASYNC_PROGRESS",
    "cray": "MPICH_SMP_SINGLE_COPY_MODE MPICH_COLL_SYNC",
}


def library(name: str) -> Library:
    facts = {
        "settings.known": KNOWN.get(name),
        "settings.known.ucx": "UCX_TLS UCX_RNDV_THRESH",
        "settings.known.prte": "rmaps_default_mapping_policy",
    }
    return Library(name, "5", facts={key: Fact(value, "") for key, value in facts.items() if value})


@pytest.mark.parametrize(
    "name, variable, known, right",
    [
        ("openmpi", "OMPI_MCA_btl_vader_eager_limit", True, ""),
        ("openmpi", "OMPI_MCA_btl_vader_eager_limt", False, "OMPI_MCA_btl_vader_eager_limit"),
        ("openmpi", "OMPI_MCA_btl_vaedr_eager_limit", False, "OMPI_MCA_btl_vader_eager_limit"),
        (
            "openmpi",
            "OMPI_MCA_coll_tuned_use_dynamic_rule",
            False,
            "OMPI_MCA_coll_tuned_use_dynamic_rules",
        ),
        ("openmpi", "OMPI_MCA_btl_openib_allow_ib", False, ""),
        ("openmpi", "OMPI_MCA_osk", False, "OMPI_MCA_osc"),
        ("openmpi", "MV2_USE_MCAST", False, ""),
        ("openmpi", "MPIR_CVAR_ASYNC_PROGRESS", False, ""),
        ("openmpi", "PRTE_MCA_rmaps_default_mapping_policy", True, ""),
        (
            "openmpi",
            "PRTE_MCA_rmaps_default_maping_policy",
            None,
            "PRTE_MCA_rmaps_default_mapping_policy",
        ),
        ("openmpi", "PRTE_MCA_hwloc_default_binding_policy", None, ""),
        ("openmpi", "UCX_RNDV_TRESH", None, "UCX_RNDV_THRESH"),
        ("openmpi", "UCX_DC_MLX5_NUM_DCI", None, ""),
        ("openmpi", "FI_PROVIDER", None, ""),
        ("openmpi", "OMP_NUM_THREADS", None, ""),
        ("mpich", "MPIR_CVAR_ASYNC_PROGRESS", True, ""),
        ("mpich", "MPICH_ASYNC_PROGRESS", True, ""),
        ("mpich", "MPICH_ASYNC_PROGRES", False, "MPICH_ASYNC_PROGRESS"),
        ("mpich", "MVP_ASYNC_PROGRESS", False, ""),
        ("mpich", "I_MPI_FABRICS", False, ""),
        ("mpich", "OMPI_MCA_pml", False, ""),
        ("mvapich", "MVP_ASYNC_PROGRESS", True, ""),
        ("mvapich", "MV2_USE_MCAST", False, ""),
        ("mvapich2", "MV2_USE_MCATS", False, "MV2_USE_MCAST"),
        ("mvapich2", "MV2_SMP_USE_CMA", True, ""),
        # A name of MVAPICH2-X, two letters from one of MVAPICH2.
        ("mvapich2", "MV2_USE_XPMEM_COLL", False, ""),
        ("mvapich2", "MV2_USE_SMHEM_COLL", False, "MV2_USE_SHMEM_COLL"),
        ("intel", "I_MPI_FABRIC", False, "I_MPI_FABRICS"),
        ("intel", "MPICH_ASYNC_PROGRESS", True, ""),
        ("intel", "MPICH_SOMETHING_ELSE", False, ""),
        ("cray", "MPICH_COLL_SYNC", True, ""),
        ("cray", "MPICH_COLL_SYNK", False, "MPICH_COLL_SYNC"),
        ("unknown", "OMPI_MCA_pml", None, ""),
        ("hpcx", "OMPI_MCA_pml", None, ""),
    ],
)
def test_variable(name, variable, known, right):
    assert (
        setting_names.is_known(variable, library(name)),
        setting_names.right_name(variable, library(name)),
    ) == (known, right)


@pytest.mark.parametrize(
    "one, other, letters",
    [
        ("abc", "abc", 0),
        ("abc", "acb", 1),
        ("abc", "ab", 1),
        ("abc", "xbc", 1),
        ("abc", "cab", 2),
        ("", "ab", 2),
        ("abcd", "wxyz", 3),
    ],
)
def test_distance(one, other, letters):
    assert setting_names.distance(one, other, 2) == setting_names.distance(other, one, 2) == letters


@pytest.mark.parametrize("version, known", [("4.1.4", False), ("5.0.11", True), ("", True)])
def test_variables_of_the_launcher_that_came_with_open_mpi_5(version, known):
    """Before it nobody reads them, and that is known although the library lists nothing of its
    launcher."""
    listed = Library(
        "openmpi", version, facts={"settings.known.prte": Fact("rmaps_default_mapping_policy", "")}
    )
    assert setting_names.is_known("PRTE_MCA_rmaps_default_mapping_policy", listed) is known
