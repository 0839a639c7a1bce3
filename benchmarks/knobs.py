"""What the campaigns try: settings with and without an effect on one host, and advice with a
predicted gain.

The settings were chosen before they were tried by `advisor verify`: those with a measured effect
from ping-pongs of 2026 on two cores, and those without one because the program never comes to the
code that reads them, or because no effect was seen.
"""

from __future__ import annotations

from typing import List, Mapping, NamedTuple

SMALL, MIDDLE, LARGE = "8 200", "16384 60", "1048576 4"
"""Bytes, and turns in a batch of about a millisecond."""


class Knob(NamedTuple):
    """`settings`: as for --setting. `bench`: kind, bytes and turns of knobs.c, or `application` and
    its words. `expected`: faster, slower, none, or ? where nothing was known."""

    name: str
    library: str
    settings: str
    bench: str
    expected: str
    ranks: int = 2
    application: str = ""


class Promise(NamedTuple):
    """Advice with a predicted gain. `fault`: variables of the run that is judged. `steps`: of a
    pair's runs, some seconds.

    `way`: "advice" lets `advisor verify` apply it; "cured" takes the sample compiled with -DCURED;
    "without" leaves the fault's variables out.
    """

    name: str
    library: str
    sample: str
    rule: str
    way: str
    steps: int
    ranks: int = 2
    fault: Mapping[str, str] = {}


TCP_ONLY = {"OMPI_MCA_btl": "self,tcp"}
UCX = "OMPI_MCA_pml=ucx OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any"
"""Without the two lists the layer wants a card that it knows, and the program ends at start."""
KNOBS: List[Knob] = [
    Knob("ompi4-tcp-small", "ompi4", "OMPI_MCA_btl=self,tcp", f"pingpong {SMALL}", "slower"),
    Knob("ompi4-tcp-large", "ompi4", "OMPI_MCA_btl=self,tcp", f"pingpong {LARGE}", "slower"),
    Knob(
        "ompi4-copy-pingpong",
        "ompi4",
        "OMPI_MCA_btl_vader_single_copy_mechanism=none",
        f"pingpong {LARGE}",
        "faster",
    ),
    Knob(
        "ompi4-copy-allreduce",
        "ompi4",
        "OMPI_MCA_btl_vader_single_copy_mechanism=none",
        f"allreduce {LARGE}",
        "slower",
    ),
    Knob(
        "ompi4-eager",
        "ompi4",
        "OMPI_MCA_btl_vader_eager_limit=65536 OMPI_MCA_btl_vader_max_send_size=65536",
        f"pingpong {MIDDLE}",
        "faster",
    ),
    Knob("ompi4-osc-sm-accumulate", "ompi4", "OMPI_MCA_osc=sm", "accumulate 8 500", "faster"),
    Knob("ompi4-osc-pt2pt-put", "ompi4", "OMPI_MCA_osc=pt2pt", "put 8 500", "slower"),
    Knob("ompi4-osc-ucx-accumulate", "ompi4", "OMPI_MCA_osc=ucx", "accumulate 8 500", "slower"),
    Knob("ompi4-pml-ucx", "ompi4", UCX, f"pingpong {SMALL}", "?"),
    Knob("ompi5-pml-ucx", "ompi5", UCX, f"pingpong {SMALL}", "faster"),
    Knob(
        "ompi4-allreduce-doubling",
        "ompi4",
        "OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_allreduce_algorithm=3",
        f"allreduce {LARGE}",
        "slower",
    ),
    Knob("ompi4-no-yield", "ompi4", "OMPI_MCA_mpi_yield_when_idle=0", "barrier 8 2", "slower", 4),
    Knob("ompi5-copy-pingpong", "ompi5", "OMPI_MCA_smsc=^cma", f"pingpong {LARGE}", "faster"),
    Knob("ompi5-osc-rdma", "ompi5", "OMPI_MCA_osc=rdma", "accumulate 8 500", "slower"),
    Knob("ompi5-tcp-small", "ompi5", "OMPI_MCA_btl=self,tcp", f"pingpong {SMALL}", "slower"),
    Knob("mpich4-posix", "mpich4", "UCX_TLS=posix,self", f"pingpong {LARGE}", "faster"),
    Knob("mpich4-tcp", "mpich4", "UCX_TLS=tcp,self", f"pingpong {LARGE}", "slower"),
    Knob("mpich5-no-local", "mpich5", "MPIR_CVAR_NOLOCAL=1", f"pingpong {SMALL}", "?"),
    Knob("impi-allreduce-1", "impi", "I_MPI_ADJUST_ALLREDUCE=1", f"allreduce {LARGE}", "slower"),
    Knob("impi-allreduce-4", "impi", "I_MPI_ADJUST_ALLREDUCE=4", f"allreduce {LARGE}", "slower"),
    Knob("impi-ofi", "impi", "I_MPI_FABRICS=ofi FI_PROVIDER=tcp", f"pingpong {SMALL}", "slower"),
    # The ping-pong calls no collective operation, opens no window and no file, and sends nothing
    # through TCP.
    Knob(
        "ompi4-none-collectives",
        "ompi4",
        "OMPI_MCA_coll_tuned_use_dynamic_rules=1",
        f"pingpong {SMALL}",
        "none",
    ),
    Knob(
        "ompi4-none-tcp-eager",
        "ompi4",
        "OMPI_MCA_btl_tcp_eager_limit=131072",
        f"pingpong {MIDDLE}",
        "none",
    ),
    Knob("ompi4-none-osc", "ompi4", "OMPI_MCA_osc=sm", f"pingpong {LARGE}", "none"),
    Knob("ompi5-none-han", "ompi5", "OMPI_MCA_coll=^han", f"pingpong {SMALL}", "none"),
    Knob(
        "ompi5-none-tcp-buffer",
        "ompi5",
        "OMPI_MCA_btl_tcp_sndbuf=65536",
        f"allreduce {LARGE}",
        "none",
    ),
    Knob(
        "mpich4-none-allreduce",
        "mpich4",
        "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=recursive_doubling",
        f"pingpong {SMALL}",
        "none",
    ),
    Knob(
        "mpich5-none-alltoall",
        "mpich5",
        "MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=pairwise",
        f"pingpong {LARGE}",
        "none",
    ),
    Knob("impi-none-alltoall", "impi", "I_MPI_ADJUST_ALLTOALL=1", f"pingpong {LARGE}", "none"),
    # What users run. Neither opens a window or a file by MPI, and nothing goes through TCP.
    Knob(
        "ompi4-none-lmp-tcp-eager",
        "ompi4",
        "OMPI_MCA_btl_tcp_eager_limit=131072",
        "-in in.lj.small -log none",
        "none",
        application="lmp",
    ),
    Knob(
        "ompi4-none-lmp-osc",
        "ompi4",
        "OMPI_MCA_osc=sm",
        "-in in.lj.small -log none",
        "none",
        application="lmp",
    ),
    Knob(
        "ompi4-none-pw-osc",
        "ompi4",
        "OMPI_MCA_osc=sm",
        "-in si8.scf.in",
        "none",
        application="pw.x",
    ),
    Knob(
        "ompi4-none-pw-tcp-buffer",
        "ompi4",
        "OMPI_MCA_btl_tcp_sndbuf=65536",
        "-in si8.scf.in",
        "none",
        application="pw.x",
    ),
    Knob("impi-unknown-allreduce-8", "impi", "I_MPI_ADJUST_ALLREDUCE=8", f"allreduce {LARGE}", "?"),
]

PROMISES: List[Promise] = [
    Promise(
        "gain-ompi4-eager", "ompi4", "just_above_eager", "eager-limit-in-host", "advice", 60013
    ),
    Promise(
        "gain-ompi5-eager", "ompi5", "just_above_eager", "eager-limit-in-host", "advice", 60013
    ),
    Promise(
        "gain-ompi4-shared-memory",
        "ompi4",
        "just_above_eager",
        "shared-memory-switched-off",
        "advice",
        50021,
        2,
        TCP_ONLY,
    ),
    Promise(
        "gain-ompi5-shared-memory",
        "ompi5",
        "just_above_eager",
        "shared-memory-switched-off",
        "advice",
        50021,
        2,
        TCP_ONLY,
    ),
    Promise(
        "gain-impi-shared-memory",
        "impi",
        "just_above_eager",
        "shared-memory-switched-off",
        "advice",
        50021,
        2,
        {"I_MPI_FABRICS": "ofi", "FI_PROVIDER": "tcp"},
    ),
    Promise(
        "gain-ompi4-single-copy",
        "ompi4",
        "alltoall",
        "single-copy",
        "without",
        10007,
        2,
        {"OMPI_MCA_btl_vader_single_copy_mechanism": "none"},
    ),
    Promise(
        "gain-ompi4-small-messages",
        "ompi4",
        "small_messages",
        "many-small-messages",
        "cured",
        10007,
    ),
    Promise(
        "gain-mpich5-small-messages",
        "mpich5",
        "small_messages",
        "many-small-messages",
        "cured",
        10007,
    ),
    Promise(
        "gain-mpich4-reductions", "mpich4", "small_reductions", "small-reductions", "cured", 100003
    ),
    Promise(
        "gain-impi-reductions", "impi", "small_reductions", "small-reductions", "cured", 100003
    ),
    Promise(
        "gain-ompi5-churn", "ompi5", "communicator_churn", "communicator-churn", "cured", 30011
    ),
    Promise("gain-mpich5-alltoall", "mpich5", "alltoall", "alltoall-heavy", "cured", 15013),
    Promise("gain-ompi4-alltoall", "ompi4", "alltoall", "alltoall-heavy", "cured", 15013),
    Promise(
        "gain-mpich5-churn", "mpich5", "communicator_churn", "communicator-churn", "cured", 30011
    ),
    Promise(
        "gain-ompi4-threads",
        "ompi4",
        "threads_one_core",
        "threads-share-cores",
        "cured",
        80,
        1,
        {"OMP_NUM_THREADS": "2"},
    ),
    Promise("gain-mpich4-uneven", "mpich4", "uneven_compute", "uneven-compute", "cured", 23, 4),
    Promise("gain-ompi4-serial", "ompi4", "serial_phase", "serial-phase-rank-0", "cured", 23, 4),
]
