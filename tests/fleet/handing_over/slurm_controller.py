"""A slurmctld of the test's own, without nodes: jobs are held, so nothing runs. With `accounting`,
also a slurmdbd and the database behind it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "scontrol", "sbatch")
OF_ACCOUNTING = ("slurmdbd", "sacctmgr", "sacct", "scancel", "mariadbd", "mariadb-install-db")
_PATIENCE_SECONDS = 60
CLUSTER = "tests"


def why_missing(programs=PROGRAMS):
    """Empty where it can be started."""
    if os.geteuid() != 0:
        return "a Slurm of one's own needs root here"
    missing = [program for program in programs if not shutil.which(program, path=_path())]
    return f"not installed: {', '.join(missing)} (.ci/mpi-builds)" if missing else ""


@contextmanager
def slurm(accounting=False):
    """A function that runs words with this Slurm and returns their output."""
    with ExitStack() as stack:
        place = Path(tempfile.mkdtemp(prefix="advisor-slurm-"))
        stack.callback(shutil.rmtree, place, True)
        place.chmod(0o755)
        (place / "key").write_bytes(os.urandom(128))
        (place / "key").chmod(0o400)
        environment = {**os.environ, "SLURM_CONF": str(place / "slurm.conf"), "PATH": _path()}

        def run(*words, check=True, stdin=None):
            done = subprocess.run(
                words, env=environment, input=stdin, capture_output=True, text=True, timeout=60
            )
            assert done.returncode == 0 or not check, done.stderr + done.stdout
            return done.stdout

        def start(*words):
            log = stack.enter_context(open(place / f"{words[0]}.out", "w"))
            begun = subprocess.Popen(words, env=environment, stdout=log, stderr=log)
            stack.callback(begun.wait, 30)
            stack.callback(begun.terminate)

        files = {name: place / name for name in ("munge", "key", "seed")}
        _write(place, accounting)
        options = ("--socket", "--key-file", "--seed-file")
        named = (f"{option}={file}" for option, file in zip(options, files.values()))
        start("munged", "--foreground", "--force", f"--pid-file={place}/munged.pid", *named)
        _until(files["munge"].exists)
        if accounting:
            _database(place, run, start)
            start("slurmdbd", "-D")
            _until(lambda: "StorageLoc" in run("sacctmgr", "show", "configuration", check=False))
            run("sacctmgr", "-i", "add", "cluster", CLUSTER)
        start("slurmctld", "-D", "-c", "-i")
        _until(lambda: "UP" in run("scontrol", "ping", check=False))
        yield run


def _database(place, run, start):
    data, own = place / "data", f"--socket={place}/mysql"
    run("mariadb-install-db", "--user=root", f"--datadir={data}")
    options = (own, "--bind-address=127.0.0.1", f"--port={_port_of(place)}", "--skip-name-resolve")
    start("mariadbd", "--no-defaults", "--user=root", f"--datadir={data}", *options)
    _until((place / "mysql").exists)
    user = "slurm@127.0.0.1"
    allowed = f"CREATE USER {user} IDENTIFIED BY 'x'; GRANT ALL ON *.* TO {user}"
    run("mariadb", "--no-defaults", own, "-e", allowed)


def _port_of(place):
    return (place / "slurmdbd.conf").read_text().split("StoragePort=")[1].split()[0]


def _write(place, accounting):
    storage = (
        f"accounting_storage/slurmdbd\nAccountingStorageHost=localhost\n"
        f"AccountingStoragePass={place}/munge\n"
        f"AccountingStoragePort={_free_port()}"
        if accounting
        else "accounting_storage/none"
    )
    (place / "state").mkdir()
    (place / "slurm.conf").write_text(
        f"""ClusterName={CLUSTER}
SlurmctldHost={socket.gethostname()}(127.0.0.1)
SlurmctldPort={_free_port()}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={place}/munge
CredType=cred/munge
StateSaveLocation={place}/state
SlurmctldPidFile={place}/slurmctld.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
AccountingStorageType={storage}
JobAcctGatherType=jobacct_gather/none
NodeName=n1 NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
"""
    )
    if accounting:
        port = storage.split("AccountingStoragePort=")[1].split()[0]
        (place / "slurmdbd.conf").write_text(
            f"""DbdHost=localhost
DbdPort={port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={place}/munge
PidFile={place}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={_free_port()}
StorageUser=slurm
StoragePass=x
StorageLoc=slurm
"""
        )
        (place / "slurmdbd.conf").chmod(0o600)


def _until(true):
    end = time.monotonic() + _PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < end, "Slurm did not start"
        time.sleep(0.1)


def _free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def _path():
    return os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin"
