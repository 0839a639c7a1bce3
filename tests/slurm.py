"""A Slurm of the tests' own on hosts of `fake_hosts`: its own key, controller and daemons, nothing
of it in /etc.

    with Hosts(2) as hosts, Slurm(hosts, folder) as slurm:
        subprocess.run(
            [*hosts.enter(0), "srun", "-n", "4", …], env={**os.environ, **slurm.environment}
        )

Each host is a node of two cores. What the daemons say is in `folder`/*.log. Leaving ends them with
all that still runs on the hosts.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

from fake_hosts import Hosts

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "salloc", "sinfo")
CORES = 2
_PATIENCE_SECONDS = 30


def why_missing() -> str:
    """Empty where Slurm can be started, else what is missing."""
    missing = [program for program in PROGRAMS if not shutil.which(program, path=_path())]
    return (
        f"Slurm: {', '.join(missing)} not installed (.ci/mpi-builds installs them)"
        if missing
        else ""
    )


class Slurm:
    """Slurm with one node a host. `environment`: variables for whoever calls srun, sbatch or
    salloc. `further`: lines of slurm.conf."""

    def __init__(self, hosts: Hosts, folder: Path, further: str = "") -> None:
        self.hosts, self.folder, self.further = hosts, folder, further
        self.environment = {"SLURM_CONF": str(folder / "slurm.conf"), "PATH": _path()}

    def __enter__(self) -> "Slurm":
        try:
            self._start()
        except BaseException:
            self.hosts.end_jobs()
            raise
        return self

    def __exit__(self, *_) -> None:
        self.hosts.end_jobs()

    def _start(self) -> None:
        for name in ("state", "run", *self.hosts.names):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "key").write_bytes(os.urandom(128))
        (self.folder / "key").chmod(0o400)
        self.folder.chmod(0o755)
        (self.folder / "slurm.conf").write_text(self._settings())
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        files = {
            "socket": "munge",
            "key-file": "key",
            "pid-file": "munge.pid",
            "log-file": "munge.log",
            "seed-file": "seed",
        }
        # One key and one socket serve all hosts: their files are common. --force: it objects to
        # folders of others on the way.
        self._on(
            0,
            "munged",
            "--force",
            *(f"--{option}={self.folder / name}" for option, name in files.items()),
        )
        self._on(0, "slurmctld", "-c")
        for index, name in enumerate(self.hosts.names):
            self._on(index, "slurmd", "-N", name)
        self._wait()

    def _on(self, index: int, *words: str) -> str:
        """Words on a host; daemons go into the background by themselves."""
        done = subprocess.run(
            [*self.hosts.enter(index), *words],
            env={**os.environ, **self.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=20,
        )
        assert done.returncode == 0, f"{' '.join(words)}: {done.stdout}"
        return done.stdout

    def _wait(self) -> None:
        """Until all nodes are idle."""
        end = time.monotonic() + _PATIENCE_SECONDS
        while time.monotonic() < end:
            states = self._on(0, "sinfo", "-h", "-N", "-o", "%T").split()
            if states == ["idle"] * len(self.hosts.names):
                return
            time.sleep(0.2)
        raise RuntimeError(
            f"the nodes of Slurm are {states}:"
            f" {(self.folder / 'slurmctld.log').read_text()[-2000:]}"
        )

    def _settings(self) -> str:
        """MinJobAge: `sbatch --wait` looks every so many seconds, at most half of it; with what is
        usual, after 2, 10 and 42 seconds."""
        nodes = "".join(
            f"NodeName={name} NodeAddr=10.77.0.{10 + index} CPUs={CORES} RealMemory=1000"
            " State=UNKNOWN\n"
            for index, name in enumerate(self.hosts.names)
        )
        return f"""ClusterName=tests
SlurmctldHost={self.hosts.names[0]}(10.77.0.10)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={self.folder}/munge
CredType=cred/munge
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/%n
TmpFS={self.folder}/%n
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/slurmd.%n.pid
SlurmctldLogFile={self.folder}/slurmctld.log
SlurmdLogFile={self.folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
ReturnToService=2
MinJobAge=4
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
{self.further}{nodes}PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
"""


def _path() -> str:
    """Daemons lie in sbin, which not everybody's path has."""
    return os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin"
