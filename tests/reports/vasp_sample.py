"""An invented run of VASP on four hosts, and what is said about it."""

from __future__ import annotations

from typing import Tuple

import numpy as np
import sample_measures as make
from advice_parts import finding, limit, saving, step

from advisor.model.finding import Finding, Prerequisite, State
from advisor.model.measures import Measures
from advisor.model.profile import Library
from advisor.model.rule import Evidence

MVAPICH = Library("mvapich2-x", "2.3.3", "MVAPICH2-X Version: 2.3.3", facts={})


def vasp_measures(ranks: int = 256, hosts: int = 4, elapsed: float = 1412.0) -> Measures:
    """An invented run of VASP; the last host is slow."""
    random = np.random.default_rng(20)
    per = ranks // hosts
    names = [f"n{211 + place // per:04d}" for place in range(ranks)]
    slow = np.arange(ranks) // per == hosts - 1
    useful = elapsed * (np.where(slow, 0.905, 0.7752) + random.normal(0, 0.0052, ranks))
    mpi, low = float((elapsed - useful).mean()), 142.0
    operations = (
        ("Allreduce", 0.48, 0.62, 418200, 3072),
        ("Waitall", 0.25, 0, 96400, None),
        ("Bcast", 0.10, 0.2, 31700, 2048),
        ("Barrier", 0.05, 0.18, 12040, None),
        ("Isend", 0.06, 0, 840400, 10240),
        ("Reduce", 0.03, 0, 22900, 16384),
        ("Irecv", 0.01, 0, 840400, None),
    )
    sizes = [
        ("Isend", "p2p", "intra_node", place, calls, value)
        for place, calls, value in (
            (7, 9e3, 0.05),
            (10, 52e3, 0.5),
            (13, 171e3, 2.9),
            (14, 288e3, 6.4),
            (16, 22e3, 1.6),
        )
    ]
    sizes += [
        ("Isend", "p2p", "other", place, calls, value)
        for place, calls, value in (
            (7, 600, 0.1),
            (13, 3.8e3, 1.1),
            (16, 8.8e3, 5.2),
            (17, 31.1e3, 36.1),
            (20, 400, 1.6),
        )
    ]
    sizes += [
        ("Allreduce", "collective", "intra_node", place, calls, value)
        for place, calls, value in (
            (4, 122e3, 1.6),
            (8, 31e3, 0.7),
            (12, 41e3, 3.1),
            (14, 96e3, 16.4),
            (20, 4.2e3, 1.9),
        )
    ]
    sites = (
        ("Allreduce", "m_sum_d_", "mpi.F:1523", 100_000_000, 93.0),
        ("Waitall", "m_alltoall_z_", "mpi.F:1871", 20_000_000, 48.2),
        ("Bcast", "m_bcast_d_", "mpi.F:1112", 8_000_000, 22.0),
        ("Barrier", "m_barrier_", "mpi.F:988", 3_000_000, 9.0),
    )
    tables = (
        make.one_row("run", make.run_cells(elapsed, useful, names, low)),
        make.one_row("library", {"name": "mvapich2-x", "version": "2.3.3", "device": "ch3:psm"}),
        make.ranks_table(elapsed, useful, names),
        make.nodes_table(names, useful),
        make.operations_table(elapsed, mpi, low, operations),
        make.cells_table(sizes),
        make.sites_table(elapsed, sites),
    )
    line = ("mpirun_rsh", "-np", str(ranks), "-hostfile", "hosts.txt", "./vasp_std")
    return make.measures(
        make.profile(
            "./vasp_std", line, MVAPICH, names, make.neighbours(min(ranks, 256), 16), job="481516"
        ),
        tables,
    )


def vasp_findings() -> Tuple[Finding, ...]:
    """Five findings: all severities, four states, with and without gain."""
    return (slow_host_finding(), eager_finding(), xpmem_finding(), useless_settings(), rank_zero())


def slow_host_finding() -> Finding:
    return finding(
        "slow-host",
        "waiting",
        "All ranks wait for one slow host, n0214",
        State.NO_SETTING,
        severity="high",
        saving=saving(85.9, 143.2, 150.3, "perfect balance"),
        subject="Ranks of n0214 arrive last in most collective operations.",
        rows=64,
        why=(
            "A host that runs at a lower clock makes all other ranks wait at the next collective"
            " operation."
        ),
        facts=(
            (
                "A rank of n0214 came last in 71 % of the sampled collectives; chance would be 25 %"
                " of them."
            ),
            "Outside MPI it took 1278 s a rank, the others 1096 s.",
        ),
        steps=(
            step(
                "launch",
                "sbatch --exclude=n0214 job.sh",
                State.DOABLE,
                prerequisites=(
                    Prerequisite("one rank a core on all 4 hosts", True, "affinity masks"),
                    Prerequisite(
                        "whether slowness follows the host or the ranks", None, "needs a second run"
                    ),
                ),
                request=(
                    "Host n0214 ran at 2.23 GHz while n0211 to n0213 ran at 2.60 GHz in job"
                    " 481516.\nPlease check power capping and cooling of n0214."
                ),
                check="No host is last in more than 50 % of the collectives of the next run.",
            ),
        ),
        hurts=(
            "The queue may take longer. If then another host is slow, the ranks are the cause.",
        ),
        limits=(limit("last_share", 0.5, "50 %", "Chance is 25 % with 4 hosts."),),
    )


def eager_finding() -> Finding:
    return finding(
        "eager-limit-below-messages",
        "messages",
        "Messages between hosts are just above the eager limit",
        State.DOABLE,
        severity="low",
        confidence="high",
        saving=saving(13.8, 33.0, 35.74, "direct transfer of these messages"),
        subject=(
            "Messages between hosts are just larger than the eager limit and wait for a handshake."
        ),
        facts=(
            (
                "31.1 thousand of 60.4 thousand messages a rank have 64 to 128 KiB; eager ends at"
                " 64 000 B."
            ),
        ),
        steps=(
            step(
                "set",
                "MV2_IBA_EAGER_THRESHOLD=131072",
                State.DOABLE,
                prerequisites=(
                    Prerequisite("limit in force on 256 ranks", True),
                    Prerequisite("1.9 GiB per rank free", True),
                ),
                check="`MV2_SHOW_ENV_INFO=2` prints `HFI Eagersize 131072`.",
                undo="Remove the variable; the limit is 64 000 B again.",
            ),
        ),
        hurts=("63 MiB more per rank; slower if receivers are late.",),
        limits=(limit("late_senders", 0.5, "50 %", "Then the limit is irrelevant."),),
        published=(
            Evidence(
                "A raised limit helped halo exchanges",
                "MVAPICH2 user guide",
                1.0,
                1.12,
                "4 nodes, Omni-Path",
            ),
        ),
    )


def xpmem_finding() -> Finding:
    return finding(
        "single-copy-blocked",
        "library",
        "Allreduce inside hosts copies twice: XPMEM is missing",
        State.REQUEST,
        saving=saving(0, 31.04, 31.04, "direct transfer of these calls", basis="none"),
        facts=("Allreduce, 2 KiB to 1 MiB, 16 ranks of a host: 188 thousand calls a rank.",),
        steps=(
            step(
                "set",
                "MV2_USE_XPMEM_COLL=1",
                State.REQUEST,
                who="centre",
                effort=5,
                prerequisites=(
                    Prerequisite("library built --with-xpmem", True, "configure line"),
                    Prerequisite("/dev/xpmem: absent on 4 of 4 hosts", False),
                ),
                request=(
                    "Jobs with mvapich2-x/2.3.3 cannot use XPMEM collectives: /dev/xpmem is absent"
                    " on n0211 to n0214.\nCould the xpmem kernel module be loaded on compute nodes"
                    " (device mode 0666)?"
                ),
            ),
        ),
        hurts=("Codes with much Alltoall or neighbour exchange.",),
    )


def useless_settings() -> Finding:
    return finding(
        "settings-without-effect",
        "library",
        "Three variables on your launch line do nothing",
        State.DOABLE,
        no_saving_reason="removing them changes nothing",
        facts=(
            (
                "MV2_USE_MCAST (built out), MV2_SMP_USE_CMA (other channel),"
                " MV2_THREADS_BINDING_POLICY (renamed)."
            ),
        ),
        steps=(step("do", "Remove them from the launch line.", State.DOABLE),),
    )


def rank_zero() -> Finding:
    return finding(
        "rank-0-alone",
        "application",
        "255 ranks wait for rank 0 at the end of each step",
        State.DEVELOPER,
        severity="note",
        saving=saving(0, 15.6, 15.6, "waiting for rank 0"),
        steps=(
            step(
                "code",
                "Let all ranks write with MPI-IO, or write less often.",
                State.DEVELOPER,
                who="developer",
                effort=4,
            ),
        ),
    )
