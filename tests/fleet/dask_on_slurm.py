"""Workers that Slurm starts, as a site's own module makes them:
`--executor dask_on_slurm:client`."""

from __future__ import annotations

import os
from pathlib import Path


def client():
    """A client of one worker in a job of its own; both end with it."""
    from dask.distributed import Client
    from dask_jobqueue import SLURMCluster

    cluster = SLURMCluster(
        cores=1,
        memory="500MB",
        walltime="00:05:00",
        job_mem="500M",
        log_directory=str(Path.cwd()),
        local_directory=str(Path.cwd()),
        # Where the workers are to find advisor, and what judges.
        job_script_prologue=[f"export PYTHONPATH={os.environ['PYTHONPATH']}"],
        scheduler_options={"host": "10.77.0.10", "dashboard": False},
    )
    cluster.scale(jobs=1)
    found = Client(cluster, timeout=60)
    found.wait_for_workers(1, timeout=90)
    return found
