"""Settings for all tests: what a job needs when it is started by root, or with more ranks than cores."""

from __future__ import annotations

import os

_FOR_RUNS_AS_ROOT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


def pytest_configure(config) -> None:
    """Set what is not set: a site may have its own values."""
    for name, value in _FOR_RUNS_AS_ROOT.items():
        os.environ.setdefault(name, value)
