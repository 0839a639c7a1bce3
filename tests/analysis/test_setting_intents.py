"""A setting of one library in the words of another."""

from __future__ import annotations

import pytest

from advisor.analysis.metrics.setting_intents import found
from advisor.model.profile import Library, Setting


@pytest.mark.parametrize(
    "library, version, variable, value, words, none",
    [
        (
            "openmpi",
            "5.0.11",
            "OMPI_MCA_btl_vader_single_copy_mechanism",
            "cma",
            "OMPI_MCA_smsc=cma",
            "",
        ),
        (
            "mpich",
            "5.0.2",
            "OMPI_MCA_btl_vader_single_copy_mechanism",
            "cma",
            "MPIR_CVAR_CH4_CMA_ENABLE=1",
            "",
        ),
        ("openmpi", "4.1.4", "OMPI_MCA_btl_vader_single_copy_mechanism", "cma", "", ""),
        (
            "openmpi",
            "5.0.11",
            "OMPI_MCA_hwloc_base_binding_policy",
            "none",
            "PRTE_MCA_hwloc_default_binding_policy=none",
            "",
        ),
        (
            "openmpi",
            "5.0.11",
            "OMPI_MCA_oob_tcp_if_include",
            "ib0",
            "PRTE_MCA_prte_if_include=ib0",
            "",
        ),
        (
            "mpich",
            "5.0.2",
            "OMPI_MCA_coll_tuned_allreduce_algorithm",
            "4",
            "MPIR_CVAR_DEVICE_COLLECTIVES=none MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=ring",
            "",
        ),
        ("mpich", "4.0.2", "OMPI_MCA_coll_tuned_allreduce_algorithm", "4", "", ""),
        (
            "openmpi",
            "4.1.4",
            "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM",
            "ring",
            "OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_allreduce_algorithm=4",
            "",
        ),
        ("openmpi", "4.1.4", "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "smp", "", ""),
        (
            "mpich",
            "5.0.2",
            "MV2_SMP_EAGERSIZE",
            "32768",
            "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE=32768 MPIR_CVAR_CH4_PACK_BUFFER_SIZE=32768"
            " MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD=32768",
            "",
        ),
        ("intel", "2021.18.1", "MPICH_ASYNC_PROGRESS", "1", "I_MPI_ASYNC_PROGRESS=1", ""),
        (
            "intel",
            "2021.18.1",
            "I_MPI_EAGER_THRESHOLD",
            "65536",
            "",
            "The limit belongs to the libfabric provider",
        ),
        (
            "mvapich",
            "4.0",
            "MV2_USE_MCAST",
            "1",
            "",
            "The sources of MVAPICH 4.0 have no multicast",
        ),
        (
            "openmpi",
            "4.1.4",
            "MPIR_CVAR_ASYNC_PROGRESS",
            "1",
            "",
            "Open MPI 4.0 to 6.0 has no general progress thread",
        ),
        (
            "mvapich2-x",
            "2.3",
            "OMPI_MCA_hwloc_base_binding_policy",
            "none",
            "MV2_ENABLE_AFFINITY=0",
            "",
        ),
    ],
)
def test_translation(library, version, variable, value, words, none):
    here = found(Setting(variable, value, "environment"), Library(library, version))
    assert here.words == words and here.none.startswith(none) and bool(here.none) == bool(none)


def test_a_variable_of_no_intent():
    assert (
        found(
            Setting("OMPI_MCA_mpi_show_handle_leaks", "1", "environment"),
            Library("openmpi", "4.1.4"),
        )
        is None
    )
