"""Hydra's mpiexec: MPICH 3 to 5 (src/pm/hydra, table HYD_mpiexec_match_table), MVAPICH 3 and 4, and
Intel MPI's own options."""

from __future__ import annotations

from typing import Optional, Sequence

from advisor.launching.launcher import Launcher
from advisor.launching.options import dashed, table

MPICH = table(
    none="""dac debug disable-auto-cleanup disable-hostname-propagation disable-x enable-auto-cleanup
        enable-hostname-propagation enable-x envall envnone genvall genvnone h help hybrid-hosts info l pmi-port
        prepend-rank print-all-exitcodes profile skip-launch-node v verbose version""",
    one="""bind-to binding bindlib bootstrap bootstrap-exec ckpoint-interval ckpoint-num ckpoint-prefix ckpointlib configfile
        demux envlist errfile errfile-pattern f g genvlist gpu-subdevs-per-proc gpus-per-proc host hostfile hostlist hosts
        iface launcher launcher-exec localhost machine machinefile machinelist machines map-by membind memory-alloc-kinds n
        nameserver np order-nodes outfile outfile-pattern output-from ppn prepend-pattern rankmap ranks-per-proc rmk topolib
        tree-width usize wdir""",
    two="env genv",
    four="pmi_args",
)
INTEL = table(
    none="""V aps gdb ib ilp64 mps noconf nolocal ordered-output pmi-aggregate pmi-noaggregate print-rank-map prot
        prepend-timestamp psm psm2 rdma rr silent-abort trace-collectives trace-imbalance trace-pt2pt tv""",
    one="""bootstrap-exec-args branch-count cpu-bind envexcl gdb-args genvexcl gpath grr gtool gtoolfile gumask gwdir hosts-group
        path perhost pmi-connect s tmpdir tune umask""",
    maybe="check_mpi trace",
)
OPTIONS = {**MPICH, **INTEL}


def consumed(words: Sequence[str], at: int) -> Optional[int]:
    """Words of the option at `at`, itself included; None if neither MPICH nor Intel documents
    it."""
    name = words[at].lstrip("-")
    following = words[at + 1] if at + 1 < len(words) else ""
    if name in ("env", "genv"):
        return 2 if "=" in following else 3
    if OPTIONS.get(name) == -1:
        return 2 if ".so" in following else 1
    return dashed(words, at, OPTIONS)


LAUNCHER = Launcher(
    family="hydra",
    names=("mpiexec.hydra", "mpirun.mpich", "mpiexec.mpich", "mpirun.intel", "mpiexec.intel"),
    answers=("HYDRA", "Intel(R) MPI"),
    consumed=consumed,
    directory=("wdir", "gwdir"),
    hosts=(
        "f",
        "host",
        "hostfile",
        "hostlist",
        "hosts",
        "hosts-group",
        "machine",
        "machinefile",
        "machinelist",
        "machines",
    ),
    ranks=("n", "np"),
    environment=("env", "genv"),
    files=("configfile",),
    file_lines="options",
    handing=("-env", "{}"),
    # Intel starts TOOL PROGRAM for some ranks; a tool that does not follow exec would look at `env`
    # instead of the program.
    bare=("gtool", "gtoolfile"),
    bare_variables=("I_MPI_GTOOL", "I_MPI_GTOOL_FILE"),
)
