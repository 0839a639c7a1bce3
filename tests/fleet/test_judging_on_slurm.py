"""A store judged anew by workers that dask-jobqueue starts as jobs of a real Slurm."""

from __future__ import annotations

import os
import subprocess
import sys

import light_judge
import pytest
from fake_hosts import Hosts, why_impossible
from mpi_builds import REPOSITORY
from slurm import Slurm, why_missing
from small_fleet import ingested, rows, spool_of

pytest.importorskip("dask_jobqueue", reason="pip install dask-jobqueue")
pytestmark = pytest.mark.skipif(
    bool(why_impossible() or why_missing()), reason=why_impossible() or why_missing()
)


def test_a_worker_in_a_job_judges(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("s")  # Sockets in it have a path of 108 characters at most.
    ingested(spool_of(tmp_path), tmp_path / "store")
    here = os.path.dirname(light_judge.__file__)
    with Hosts(1) as hosts, Slurm(hosts, tmp_path / "slurm") as slurm:
        done = subprocess.run(
            [*hosts.enter(0), sys.executable, light_judge.__file__, tmp_path / "store"]
            + ["dask_on_slurm:client"],
            env={**os.environ, **slurm.environment, "PYTHONPATH": f"{REPOSITORY}:{here}"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=180,
        )
    logs = "".join(log.read_text() for log in tmp_path.glob("dask-worker-*.err"))
    assert done.stdout.startswith("4 judged, asked by "), done.stderr + logs
    judges = {title for (title,) in rows(tmp_path / "store", "findings", "title")}
    assert len(judges) == 1 and done.stdout.split()[-1] not in judges
