"""A Slurm of several nodes on this one machine, from the system's packages, for as long as it is
needed: munged, slurmctld and one slurmd for each node (`slurmd -N`), with everything of theirs in
one folder and on ports of their own. With slurmdbd and MariaDB there is a real `sacct` as well.

    with cluster(folder, task_prolog=file, database=True) as slurm:
        subprocess.run(["sbatch", …], env=slurm.environment)

Root only. Slurm needs the account that it runs as to know the users of its jobs.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from typing import Dict, Iterator, List, Optional, Sequence

NODES = ("n0", "n1", "n2", "n3")
PROGRAMS = ("slurmctld", "slurmd", "munged", "srun", "sbatch", "scontrol")
DATABASE = ("slurmdbd", "mariadbd", "mariadb-install-db", "sacct", "sacctmgr")
_START_SECONDS = 30.0


@dataclass(frozen=True)
class Slurm:
    """A cluster that runs. `environment`: for its commands."""

    folder: pathlib.Path
    environment: Dict[str, str]

    def run(self, *words: str, **options: object) -> "subprocess.CompletedProcess[str]":
        """One of its commands."""
        options.setdefault("timeout", 120)
        return subprocess.run(  # type: ignore[call-overload]
            words, env=self.environment, capture_output=True, text=True, **options
        )


def missing(database: bool = False) -> str:
    """Why there can be no cluster here; empty: there can."""
    if os.geteuid() != 0:
        return "Slurm's daemons are started as root"
    wanted = PROGRAMS + (DATABASE if database else ())
    absent = [name for name in wanted if not _which(name)]
    return f"not installed: {', '.join(absent)}" if absent else ""


@contextlib.contextmanager
def cluster(
    folder: pathlib.Path,
    task_prolog: Optional[pathlib.Path] = None,
    database: bool = False,
    before: Sequence[str] = (),
) -> Iterator[Slurm]:
    """Four nodes that are idle. `before`: words in front of slurmd, such as a priority that jobs
    inherit. Raises RuntimeError with the logs if they do not come up."""
    started: List[subprocess.Popen] = []
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    slurm = _configured(folder, task_prolog, database)
    try:
        _munge(folder, started)
        if database:
            _database(slurm, started)
        _start(["slurmctld", "-D", "-c", "-f", str(folder / "slurm.conf")], slurm, started)
        for node in NODES:
            _start(
                [*before, "slurmd", "-D", "-N", node, "-f", str(folder / node / "slurm.conf")],
                slurm,
                started,
            )
        _wait(slurm)
        yield slurm
    finally:
        _stop(slurm, started)


def _configured(folder: pathlib.Path, task_prolog: Optional[pathlib.Path], database: bool) -> Slurm:
    host = socket.gethostname().split(".")[0]
    ports = _free_ports(2 + len(NODES))
    for name in ("state", "log", "munge", *(f"spool.{node}" for node in NODES)):
        (folder / name).mkdir(exist_ok=True)
    lines = [
        *_controller(folder, host, ports[0]),
        *_accounting(folder, ports[1] if database else None),
        *([f"TaskProlog={task_prolog}"] if task_prolog else []),
        *_nodes(host, ports[2:]),
    ]
    (folder / "slurm.conf").write_text("\n".join(lines) + "\n")
    (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
    for node in NODES:
        _configure_node(folder, node)
    if database:
        _configure_database(folder, ports[1], host)
    environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf"), "PATH": _path()}
    return Slurm(folder, environment)


def _controller(folder: pathlib.Path, host: str, port: int) -> List[str]:
    return [
        "ClusterName=here",
        f"SlurmctldHost={host}(127.0.0.1)",
        f"SlurmctldPort={port}",
        "SlurmUser=root",
        "SlurmdUser=root",
        "AuthType=auth/munge",
        f"AuthInfo=socket={folder}/munge/socket",
        f"StateSaveLocation={folder}/state",
        f"SlurmdSpoolDir={folder}/spool.%n",
        f"SlurmctldPidFile={folder}/ctld.pid",
        f"SlurmdPidFile={folder}/slurmd.%n.pid",
        f"SlurmctldLogFile={folder}/log/ctld",
        f"SlurmdLogFile={folder}/log/%n",
        "ProctrackType=proctrack/linuxproc",
        "TaskPlugin=task/none",
        "SelectType=select/cons_tres",
        "SelectTypeParameters=CR_Core",
        "SchedulerType=sched/builtin",
        "SchedulerParameters=sched_interval=1,batch_sched_delay=0",
        "ReturnToService=2",
        "SlurmdParameters=config_overrides",
        "MpiDefault=pmi2",
        "MinJobAge=300",
        "KillWait=5",
    ]


def _accounting(folder: pathlib.Path, port: Optional[int]) -> List[str]:
    """`port`: of the database's daemon; None: there is none."""
    if port is None:
        return [
            "AccountingStorageType=accounting_storage/none",
            "JobAcctGatherType=jobacct_gather/none",
        ]
    return [
        "AccountingStorageType=accounting_storage/slurmdbd",
        "AccountingStorageHost=localhost",
        f"AccountingStoragePort={port}",
        f"AccountingStoragePass={folder}/munge/socket",
        "JobAcctGatherType=jobacct_gather/linux",
    ]


def _nodes(host: str, ports: Sequence[int]) -> List[str]:
    return [
        *(
            f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2"
            " RealMemory=2000 State=UNKNOWN"
            for node, port in zip(NODES, ports)
        ),
        "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES",
    ]


def _configure_node(folder: pathlib.Path, node: str) -> None:
    """The plug-in for PMIx makes folders that are named by the job only: each node needs a place of
    its own for them."""
    own = folder / node
    (own / "pmix").mkdir(parents=True, exist_ok=True)
    for name in ("slurm.conf", "cgroup.conf"):
        with contextlib.suppress(FileExistsError):
            (own / name).symlink_to(folder / name)
    (own / "mpi.conf").write_text(f"PMIxCliTmpDirBase={own}/pmix\n")


def _configure_database(folder: pathlib.Path, port: int, host: str) -> None:
    lines = [
        "AuthType=auth/munge",
        f"AuthInfo=socket={folder}/munge/socket",
        f"DbdHost={host}",
        "DbdAddr=127.0.0.1",
        f"DbdPort={port}",
        "SlurmUser=root",
        f"LogFile={folder}/log/dbd",
        f"PidFile={folder}/dbd.pid",
        "StorageType=accounting_storage/mysql",
        "StorageHost=localhost",
        "StorageLoc=slurm_acct_db",
        "StorageUser=root",
    ]
    (folder / "slurmdbd.conf").write_text("\n".join(lines) + "\n")
    (folder / "slurmdbd.conf").chmod(0o600)


def _munge(folder: pathlib.Path, started: List[subprocess.Popen]) -> None:
    place = folder / "munge"
    place.chmod(0o755)
    key = place / "key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    started.append(
        subprocess.Popen(
            [
                _which("munged"),
                "--foreground",
                "--force",
                f"--key-file={key}",
                f"--socket={place}/socket",
                f"--pid-file={place}/pid",
                f"--seed-file={place}/seed",
                f"--log-file={place}/log",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    )
    _until((place / "socket").exists, "munged does not start")


def _database(slurm: Slurm, started: List[subprocess.Popen]) -> None:
    """MariaDB and slurmdbd: its library looks for the server's socket where the package has it, so
    the socket is named in an option file of ours."""
    data = slurm.folder / "mariadb"
    socket_file = slurm.folder / "mariadb.socket"
    slurm.run(
        "mariadb-install-db",
        f"--datadir={data}",
        "--auth-root-authentication-method=normal",
        "--user=root",
        "--skip-test-db",
    )
    _start(
        [
            "mariadbd",
            "--no-defaults",
            f"--datadir={data}",
            f"--socket={socket_file}",
            "--user=root",
            "--skip-networking",
            f"--pid-file={slurm.folder}/mariadb.pid",
        ],
        slurm,
        started,
    )
    _until(socket_file.exists, "MariaDB does not start")
    options = slurm.folder / "my.cnf"
    options.write_text(f"[client]\nsocket={socket_file}\n")
    slurm.environment["MYSQL_UNIX_PORT"] = str(socket_file)
    _start(["slurmdbd", "-D"], slurm, started, SLURM_CONF=str(slurm.folder / "slurm.conf"))
    _until(
        lambda: slurm.run("sacctmgr", "-i", "list", "cluster").returncode == 0,
        "slurmdbd does not start",
    )
    for words in (["cluster", "here"], ["account", "physics"], ["account", "chemistry"]):
        slurm.run("sacctmgr", "-i", "add", *words)


def _start(
    words: Sequence[str], slurm: Slurm, started: List[subprocess.Popen], **more: str
) -> None:
    log = open(slurm.folder / "log" / f"out.{len(started)}", "wb")
    started.append(
        subprocess.Popen(
            [_which(words[0]), *words[1:]],
            env={**slurm.environment, **more},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    )
    log.close()


def _wait(slurm: Slurm) -> None:
    def idle() -> bool:
        told = slurm.run("sinfo", "-h", "-N", "-o", "%N %T").stdout.split("\n")
        return sum(line.endswith(" idle") for line in told) == len(NODES)

    _until(idle, f"the nodes do not become idle; see {slurm.folder}/log")


def _until(holds, otherwise: str) -> None:
    end = time.monotonic() + _START_SECONDS
    while not holds():
        if time.monotonic() > end:
            raise RuntimeError(otherwise)
        time.sleep(0.1)


def _stop(slurm: Slurm, started: List[subprocess.Popen]) -> None:
    """The last one started first; those who do not end in time are killed."""
    slurm.run("scancel", "-u", "root")
    for process in reversed(started):
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
    for process in reversed(started):
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_ports(count: int) -> List[int]:
    held = [socket.socket() for _ in range(count)]
    for each in held:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in held]
    for each in held:
        each.close()
    return ports


def _path() -> str:
    return os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])


def _which(name: str) -> str:
    return shutil.which(name, path=_path()) or ""
