"""The launch line of each MPI build for hosts of `fake_hosts`, and `advisor run` in front of it,
started on the first host."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import List, NamedTuple, Sequence

from fake_hosts import Hosts
from mpi_builds import REPOSITORY, Build, environment

from advisor import intake
from advisor.model.profile import Profile

# MPICH 4 of Debian with UCX over TCP sometimes never leaves MPI_Finalize, with or without us: it
# gets shared memory.
_HYDRA = {
    "mpich4": "-genv UCX_TLS posix,self",
    "mpich5": "-genv MPIR_CVAR_CH4_NETMOD ofi -genv FI_PROVIDER tcp",
}
OVER_THE_NETWORK = ("ompi4", "ompi5", "mpich5", "impi")


def launch(build: Build, hosts: Hosts, each: int, words: Sequence) -> List[str]:
    """`words` on `each` ranks a host, all ranks of a host together."""
    slots, names = ",".join(f"{name}:{each}" for name in hosts.names), ",".join(hosts.names)
    options = {
        "ompi4": f"--bind-to none --mca plm_rsh_agent {hosts.shell} --host {slots}",
        "ompi5": f"--bind-to none --prtemca plm_ssh_agent {hosts.shell} --host {slots}",
        "impi": f"-bootstrap ssh -bootstrap-exec {hosts.shell} -hosts {names} -ppn {each}",
    }
    hydra = (
        f"-launcher ssh -launcher-exec {hosts.shell} -hosts {names} -ppn {each}"
        f" {_HYDRA.get(build.name, '')}"
    )
    return [
        *build.launcher,
        *options.get(build.name, hydra).split(),
        "-n",
        str(each * len(hosts.names)),
        *map(str, words),
    ]


class Done(NamedTuple):
    """A job that ended: its code, what it said, and with advisor the profile and the report's
    text."""

    code: int
    out: str
    err: str
    profile: Profile = None
    report: str = ""


def run(
    build: Build, hosts: Hosts, words: Sequence[str], cwd: Path, time_limit: float = 60
) -> Done:
    """`words` as they are, on the first host. TimeoutExpired after `time_limit` seconds; then
    nothing of it is left."""
    # Open MPI 5 puts all ranks on the first host when it may oversubscribe.
    env = {
        **environment(build),
        "PYTHONPATH": str(REPOSITORY),
        "NO_COLOR": "1",
        "COLUMNS": "100",
        "TERM": "dumb",
    }
    env.pop("PRTE_MCA_rmaps_default_mapping_policy", None)
    try:
        done = subprocess.run(
            [*hosts.enter(0), *words],
            env=env,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=time_limit,
        )
    except subprocess.TimeoutExpired:
        hosts.end_jobs()
        raise
    return Done(done.returncode, done.stdout, done.stderr)


def advised(build: Build, hosts: Hosts, words: Sequence[str], cwd: Path) -> Done:
    """`advisor run -- words`, and what it left in its folder."""
    done = run(
        build,
        hosts,
        [sys.executable, "-m", "advisor", "run", "-o", os.path.join(cwd, "result"), "--", *words],
        cwd,
    )
    result = cwd / "result"
    assert (result / "profile").exists(), done.err
    return done._replace(profile=intake.read(result), report=(result / "report.txt").read_text())
