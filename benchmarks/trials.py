"""Settings that rules offer, each tried on what its rule is about: the remedy as the report writes
it, or as a user would who reads it, with the gain that the report of one run promises.

They were chosen by one question: can it be tried on two cores, in a few seconds? What came out
decided nothing; losers stay. `expected` was written before the first run.
"""

from __future__ import annotations

from typing import List, Mapping, NamedTuple, Tuple

from knobs import UCX

DYNAMIC = "OMPI_MCA_coll_tuned_use_dynamic_rules=1"
LJ, VACUUM = "lmp -log none -in in.lj", "lmp -log none -in in.lj.imbalanced"
INPUTS: Mapping[str, Tuple[str, Mapping[str, str]]] = {
    "in.lj.often": ("in.lj.small", {"thermo          50": "thermo          1"}),
    "in.lj.seldom": ("in.lj.small", {"thermo          50": "thermo          100"}),
    "in.lj.often.long": (
        "in.lj.small",
        {"thermo          50": "thermo          1", "run             400": "run             3000"},
    ),
    "in.lj.imbalanced.long": (
        "in.lj.imbalanced",
        {"run             400": "run             4000"},
    ),
    "si8.small.in": ("si8.scf.in", {"ecutwfc = 30.0": "ecutwfc = 16.0"}),
}
"""Inputs made of those in samples/inputs: what is replaced by what."""


class Trial(NamedTuple):
    """`program`: "knobs KIND BYTES TURNS", "hybrid …", "sample NAME WORDS", "objects WORDS", or an
    application. `fault`: variables of both sides, unless `change` is "without".

    `change`: "set TEXT" (as for --setting), "without" (the variables of the fault are left out), or
    "with WORDS" (another program line).

    `judged`: the program line whose report promises; empty: the same. It runs longer than ten
    seconds where the rule has a gain, since no gain is predicted below. `ordinary`: never at
    real-time priority, because more threads than cores take turns. `launch`: options in place of
    those that bind each rank to a core."""

    name: str
    library: str
    rule: str
    program: str
    change: str
    expected: str
    ranks: int = 2
    fault: Mapping[str, str] = {}
    judged: str = ""
    ordinary: bool = False
    launch: str = ""


TRIALS: List[Trial] = [
    # Inputs and arguments of applications.
    Trial(
        "lammps-balance",
        "ompi4",
        "lammps-balance",
        VACUUM,
        f"with {VACUUM} -var balance yes",
        "faster",
        judged=f"{VACUUM}.long",
    ),
    Trial(
        "lammps-thermo",
        "ompi4",
        "lammps-thermo",
        f"{LJ}.often",
        f"with {LJ}.seldom",
        "faster",
        judged=f"{LJ}.often.long",
    ),
    Trial(
        "qe-pools",
        "ompi4",
        "qe-pools",
        "pw.x -in si8.small.in",
        "with pw.x -nk 2 -in si8.small.in",
        "faster",
        judged="pw.x -in si8.scf.in",
    ),
    # Layers and components of Open MPI.
    Trial("ucx-in-host-4", "ompi4", "ucx-in-host", "knobs pingpong 8 200", f"set {UCX}", "?"),
    Trial(
        "ucx-in-host-5",
        "ompi5",
        "ucx-in-host",
        "knobs pingpong 8 200",
        f"set {UCX}",
        "faster",
        judged="sample ping_pong 25000000",
    ),
    Trial(
        "windows-by-shared-memory",
        "ompi4",
        "shared-memory-windows-by-rdma",
        "knobs put 8 500",
        "set OMPI_MCA_osc_rdma_priority=99",
        "faster",
        judged="knobs put 8 500 12",
    ),
    Trial(
        "window-component-by-hand",
        "ompi4",
        "component-chosen-by-hand",
        "knobs put 8 500",
        "without",
        "faster",
        fault={"OMPI_MCA_osc": "pt2pt"},
        judged="knobs put 8 500 12",
    ),
    Trial(
        "accumulate-without-ucx",
        "ompi4",
        "accumulate-through-ucx",
        "knobs accumulate 8 500",
        "set --mca osc ^ucx",
        "faster",
        fault={"OMPI_MCA_osc": "ucx"},
    ),
    Trial(
        "tuned-doubling",
        "ompi4",
        "tuned-algorithm-not-used",
        "knobs allreduce 1048576 4",
        f"set {DYNAMIC}",
        "slower",
        fault={"OMPI_MCA_coll_tuned_allreduce_algorithm": "3"},
    ),
    Trial(
        "allreduce-by-hand-4",
        "ompi4",
        "algorithm-chosen-by-hand",
        "knobs allreduce 1048576 4",
        "without",
        "faster",
        fault={
            "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
            "OMPI_MCA_coll_tuned_allreduce_algorithm": "1",
        },
    ),
    Trial(
        "allreduce-by-hand-impi",
        "impi",
        "algorithm-chosen-by-hand",
        "knobs allreduce 1048576 4",
        "without",
        "faster",
        fault={"I_MPI_ADJUST_ALLREDUCE": "2"},
    ),
    Trial(
        "broadcast-ring-4",
        "ompi4",
        "large-broadcasts",
        "knobs bcast 4194304 1",
        f"set {DYNAMIC} OMPI_MCA_coll_tuned_bcast_algorithm=9",
        "?",
    ),
    Trial(
        "broadcast-ring-5",
        "ompi5",
        "large-broadcasts",
        "knobs bcast 4194304 1",
        f"set {DYNAMIC} OMPI_MCA_coll_tuned_bcast_algorithm=9",
        "?",
    ),
    Trial(
        "broadcast-ring-mpich",
        "mpich4",
        "large-broadcasts",
        "knobs bcast 4194304 1",
        "set MPIR_CVAR_DEVICE_COLLECTIVES=none"
        " MPIR_CVAR_BCAST_INTRA_ALGORITHM=scatter_ring_allgather",
        "?",
    ),
    Trial(
        "barrier-before-broadcasts",
        "ompi4",
        "root-driven-loop",
        "knobs bcast 1024 2000",
        "set OMPI_MCA_coll_sync_priority=100 OMPI_MCA_coll_sync_barrier_before=100",
        "?",
    ),
    Trial(
        "without-han",
        "ompi5",
        "two-level-of-open-mpi",
        "knobs allreduce 8 200",
        "set --mca coll ^han",
        "none",
    ),
    Trial(
        "alltoall-pairwise-4",
        "ompi4",
        "intent alltoall-algorithm",
        "knobs alltoall 65536 20",
        f"set {DYNAMIC} OMPI_MCA_coll_tuned_alltoall_algorithm=2",
        "none",
    ),
    Trial(
        "alltoall-scattered-mpich",
        "mpich4",
        "intent alltoall-algorithm",
        "knobs alltoall 65536 20",
        "set MPIR_CVAR_DEVICE_COLLECTIVES=none MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=scattered",
        "none",
    ),
    Trial(
        "allreduce-shared-mpich",
        "mpich4",
        "intent allreduce-algorithm",
        "knobs allreduce 1048576 4",
        "set MPIR_CVAR_DEVICE_COLLECTIVES=none"
        " MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=reduce_scatter_allgather",
        "?",
    ),
    # Rendezvous, cells and single copy of MPICH; shared memory.
    Trial(
        "eager-cell-mpich5",
        "mpich5",
        "intent eager-limit-in-host",
        "knobs pingpong 16384 60",
        "set MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE=65536",
        "faster",
    ),
    Trial(
        "eager-cell-mpich5-ofi",
        "mpich5",
        "intent eager-limit-in-host",
        "knobs pingpong 16384 60",
        "set MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE=65536 MPIR_CVAR_CH4_PACK_BUFFER_SIZE=65536"
        " MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD=65536",
        "faster",
        fault={"MPIR_CVAR_CH4_NETMOD": "ofi"},
    ),
    Trial(
        "eager-ucx-mpich4",
        "mpich4",
        "intent eager-limit-between-hosts",
        "knobs pingpong 1048576 4",
        "set UCX_RNDV_THRESH=4194304",
        "slower",
    ),
    Trial(
        "single-copy-mpich5",
        "mpich5",
        "intent single-copy-in-host",
        "knobs pingpong 1048576 4",
        "set MPIR_CVAR_CH4_CMA_ENABLE=1",
        "?",
        fault={"MPIR_CVAR_CH4_CMA_ENABLE": "0"},
    ),
    Trial(
        "shared-memory-mpich5",
        "mpich5",
        "shared-memory-switched-off",
        "knobs pingpong 8 200",
        "set MPIR_CVAR_NOLOCAL=0",
        "faster",
        fault={"MPIR_CVAR_NOLOCAL": "1", "MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp"},
        judged="knobs pingpong 8 200 12",
    ),
    Trial(
        "shared-heap-impi",
        "impi",
        "host-memory-nearly-full",
        "knobs alltoall 65536 20",
        "set I_MPI_SHM_HEAP_VSIZE=512",
        "none",
    ),
    # Helper threads and waiting ranks on full cores.
    Trial(
        "progress-thread-off-mpich",
        "mpich4",
        "async-progress-on-full-hosts",
        "knobs overlap 262144 4",
        "without",
        "faster",
        fault={"MPIR_CVAR_ASYNC_PROGRESS": "1"},
        ordinary=True,
    ),
    Trial(
        "progress-thread-off-impi",
        "impi",
        "async-progress-on-full-hosts",
        "knobs overlap 262144 4",
        "set I_MPI_ASYNC_PROGRESS=off",
        "faster",
        fault={"I_MPI_ASYNC_PROGRESS": "1"},
        ordinary=True,
    ),
    Trial(
        "wait-mode-impi",
        "impi",
        "oversubscribed-busy-waiting",
        "knobs barrier 8 2",
        "set I_MPI_WAIT_MODE=1",
        "faster",
        ranks=4,
        ordinary=True,
    ),
    Trial(
        "yield-ompi4",
        "ompi4",
        "oversubscribed-busy-waiting",
        "knobs barrier 8 2",
        "set OMPI_MCA_mpi_yield_when_idle=1",
        "faster",
        ranks=4,
        fault={"OMPI_MCA_mpi_yield_when_idle": "0"},
        ordinary=True,
    ),
    # Threads of ranks.
    Trial(
        "cores-for-threads",
        "ompi4",
        "threads-share-cores",
        "hybrid 40",
        "set --map-by slot:PE=2 --bind-to core",
        "faster",
        ranks=1,
        fault={"OMP_NUM_THREADS": "2"},
        judged="hybrid 300",
        launch="--bind-to core",
    ),
    Trial(
        "places-for-threads",
        "ompi4",
        "threads-not-bound",
        "hybrid 40",
        "set OMP_PROC_BIND=close OMP_PLACES=cores",
        "none",
        ranks=1,
        fault={"OMP_NUM_THREADS": "2"},
    ),
    Trial(
        "passive-waiting",
        "ompi4",
        "threads-spin-without-cores",
        "hybrid 20",
        "set OMP_WAIT_POLICY=passive",
        "faster",
        fault={"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "active"},
        ordinary=True,
        launch="--bind-to none",
    ),
    Trial(
        "one-thread-a-rank",
        "ompi4",
        "more-threads-asked-than-cores",
        "hybrid 20",
        "set OMP_NUM_THREADS=1",
        "faster",
        fault={"OMP_NUM_THREADS": "2"},
        ordinary=True,
        launch="--bind-to none",
    ),
    # Calls of mpi4py.
    Trial(
        "python-buffers",
        "mpich5",
        "python-objects",
        "objects pickled 40",
        "with objects buffer 40",
        "faster",
        judged="objects pickled 1500",
    ),
]
