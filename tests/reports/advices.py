"""Hand-made advice in the states of REPORTS 9, for all renderers."""

from __future__ import annotations

from dataclasses import replace
from typing import Tuple

import numpy as np
import sample_measures as make

from advisor.model.finding import Advice, Finding, Prerequisite, Saving, Silence, State, Step, Verdict
from advisor.model.measures import Measures, Quality
from advisor.model.profile import Gap, Library, Profile, Run
from advisor.model.rule import Evidence, Limit

MVAPICH = Library("mvapich2-x", "2.3.3", "MVAPICH2-X Version: 2.3.3", facts={})
OPENMPI = Library("openmpi", "4.1.4", "Open MPI v4.1.4, package: Debian OpenMPI", "3.1")
SILENCES = (
    Silence("threads-share-cores", Verdict.CLEAR, "Every thread has a core of its own"),
    Silence("ranks-share-cores", Verdict.CLEAR, "Every rank has a core of its own"),
    Silence("startup-long", Verdict.CLEAR, "Start-up took little of the job"),
    Silence("atomics-on-host", Verdict.MOOT, "One-sided communication", "none was used"),
    Silence("gpu-buffers", Verdict.MOOT, "GPU buffers", "no host has a GPU"),
    Silence("overlap-starved", Verdict.UNKNOWN, "Overlap of non-blocking calls", "posting times were not kept", "advisor run --overlap"),
    Silence("memory-bandwidth", Verdict.UNKNOWN, "Memory bandwidth limit", "uncore counters are not permitted to users"),
)


def slow_host() -> Advice:
    """256 ranks on 4 hosts: one host is slow, messages sit above the eager limit, XPMEM is missing."""
    known = vasp_measures()
    return Advice(known, vasp_findings(), SILENCES, 43, (limit("last_share", 0.5, "50 %", "A tie-break between hosts.", "halla/slow-host.toml"),),
                  {"MV2_IBA_EAGER_THRESHOLD": "131072"})


def vasp_measures(ranks: int = 256, hosts: int = 4, elapsed: float = 1412.0) -> Measures:
    """An invented run of VASP; the last host is slow."""
    random = np.random.default_rng(20)
    per = ranks // hosts
    names = [f"n{211 + place // per:04d}" for place in range(ranks)]
    slow = np.arange(ranks) // per == hosts - 1
    useful = elapsed * (np.where(slow, 0.905, 0.7752) + random.normal(0, 0.0052, ranks))
    mpi, low = float((elapsed - useful).mean()), 142.0
    operations = (("Allreduce", 0.48, 0.62, 418200, 3072), ("Waitall", 0.25, 0, 96400, None), ("Bcast", 0.10, 0.2, 31700, 2048),
                  ("Barrier", 0.05, 0.18, 12040, None), ("Isend", 0.06, 0, 840400, 10240), ("Reduce", 0.03, 0, 22900, 16384), ("Irecv", 0.01, 0, 840400, None))
    sizes = [("Isend", "p2p", "host", place, calls, value) for place, calls, value in ((7, 9e3, .05), (10, 52e3, .5), (13, 171e3, 2.9), (14, 288e3, 6.4), (16, 22e3, 1.6))]
    sizes += [("Isend", "p2p", "other", place, calls, value) for place, calls, value in ((7, 600, .1), (13, 3.8e3, 1.1), (16, 8.8e3, 5.2), (17, 31.1e3, 36.1), (20, 400, 1.6))]
    sizes += [("Allreduce", "collective", "host", place, calls, value) for place, calls, value in ((4, 122e3, 1.6), (8, 31e3, .7), (12, 41e3, 3.1), (14, 96e3, 16.4), (20, 4.2e3, 1.9))]
    sites = (("Allreduce", "m_sum_d_", "mpi.F:1523", 100_000_000, 93.0), ("Waitall", "m_alltoall_z_", "mpi.F:1871", 20_000_000, 48.2),
             ("Bcast", "m_bcast_d_", "mpi.F:1112", 8_000_000, 22.0), ("Barrier", "m_barrier_", "mpi.F:988", 3_000_000, 9.0))
    tables = (make.one_row("run", make.run_cells(elapsed, useful, names, low)), make.one_row("library", {"name": "mvapich2-x", "version": "2.3.3", "device": "ch3:psm"}),
              make.ranks_table(elapsed, useful, names), make.nodes_table(names, useful), make.operations_table(elapsed, mpi, low, operations),
              make.cells_table(sizes), make.sites_table(elapsed, sites))
    line = ("mpirun_rsh", "-np", str(ranks), "-hostfile", "hosts.txt", "./vasp_std")
    return make.measures(make.profile("./vasp_std", line, MVAPICH, names, make.neighbours(min(ranks, 256), 16), job="481516"), tables)


def limit(name: str, value: float, text: str, why: str, changed_by: str = "") -> Limit:
    """A threshold with its reason."""
    return Limit(name, value, text, why, "METRICS 3.3", changed_by)


def saving(low: float, high: float, ceiling: float, name: str, base: float = 1412.0, basis: str = "model", quality=Quality.ESTIMATED) -> Saving:
    """A gain."""
    return Saving(low, high, ceiling, name, base, basis, "its time outside MPI at the other hosts' pace", quality)


def step(kind: str, text: str, state: State, **more) -> Step:
    """A remedy with all its parts, unless other values are given."""
    parts = dict(who="you", check="The next report shows less waiting.", undo="Leave it out.", source="user guide", effort=1)
    return Step(kind=kind, text=text, state=state, **{**parts, **more})


def finding(rule: str, folder: str, title: str, state: State, **more) -> Finding:
    """A finding with empty parts, unless values are given."""
    parts = dict(subject=title + ".", why="", severity="low", confidence="medium", saving=None, no_saving_reason="no basis for a number",
                 facts=(), rows=1, steps=(), hurts=(), published=(), limits=())
    return Finding(rule=rule, folder=folder, title=title, state=state, **{**parts, **more})


def vasp_findings() -> Tuple[Finding, ...]:
    """Five findings: all severities, four states, with and without gain."""
    return (slow_host_finding(), eager_finding(), xpmem_finding(), useless_settings(), rank_zero())


def slow_host_finding() -> Finding:
    return finding(
        "slow-host", "waiting", "All ranks wait for one slow host, n0214", State.NO_SETTING, severity="high", saving=saving(85.9, 143.2, 150.3, "perfect balance"),
        subject="Ranks of n0214 arrive last in most collective operations.", rows=64,
        why="A host that runs at a lower clock makes all other ranks wait at the next collective operation.",
        facts=("A rank of n0214 came last in 71 % of the sampled collectives; chance would be 25 % of them.", "Outside MPI it took 1278 s a rank, the others 1096 s."),
        steps=(step("launch", "sbatch --exclude=n0214 job.sh", State.DOABLE, prerequisites=(Prerequisite("one rank a core on all 4 hosts", True, "affinity masks"), Prerequisite("whether slowness follows the host or the ranks", None, "needs a second run")),
                    request="Host n0214 ran at 2.23 GHz while n0211 to n0213 ran at 2.60 GHz in job 481516.\nPlease check power capping and cooling of n0214.", check="No host is last in more than 50 % of the collectives of the next run."),),
        hurts=("The queue may take longer. If then another host is slow, the ranks are the cause.",), limits=(limit("last_share", 0.5, "50 %", "Chance is 25 % with 4 hosts."),))


def eager_finding() -> Finding:
    return finding(
        "eager-limit-below-messages", "messages", "Messages between hosts are just above the eager limit", State.DOABLE, severity="low", confidence="high", saving=saving(13.8, 33.0, 35.74, "direct transfer of these messages"),
        subject="Messages between hosts are just larger than the eager limit and wait for a handshake.",
        facts=("31.1 thousand of 60.4 thousand messages a rank have 64 to 128 KiB; eager ends at 64 000 B.",),
        steps=(step("set", "MV2_IBA_EAGER_THRESHOLD=131072", State.DOABLE, prerequisites=(Prerequisite("limit in force on 256 ranks", True), Prerequisite("1.9 GiB per rank free", True)), check="`MV2_SHOW_ENV_INFO=2` prints `HFI Eagersize 131072`.", undo="Remove the variable; the limit is 64 000 B again."),),
        hurts=("63 MiB more per rank; slower if receivers are late.",), limits=(limit("late_senders", 0.5, "50 %", "Then the limit is irrelevant."),),
        published=(Evidence("A raised limit helped halo exchanges", "MVAPICH2 user guide", 1.0, 1.12, "4 nodes, Omni-Path"),))


def xpmem_finding() -> Finding:
    return finding(
        "single-copy-blocked", "library", "Allreduce inside hosts copies twice: XPMEM is missing", State.REQUEST, saving=saving(0, 31.04, 31.04, "direct transfer of these calls", basis="none"),
        facts=("Allreduce, 2 KiB to 1 MiB, 16 ranks of a host: 188 thousand calls a rank.",),
        steps=(step("set", "MV2_USE_XPMEM_COLL=1", State.REQUEST, who="centre", effort=5, prerequisites=(Prerequisite("library built --with-xpmem", True, "configure line"), Prerequisite("/dev/xpmem: absent on 4 of 4 hosts", False)),
                    request="Jobs with mvapich2-x/2.3.3 cannot use XPMEM collectives: /dev/xpmem is absent on n0211 to n0214.\nCould the xpmem kernel module be loaded on compute nodes (device mode 0666)?"),),
        hurts=("Codes with much Alltoall or neighbour exchange.",))


def useless_settings() -> Finding:
    return finding("settings-without-effect", "library", "Three variables on your launch line do nothing", State.DOABLE, no_saving_reason="removing them changes nothing",
                   facts=("MV2_USE_MCAST (built out), MV2_SMP_USE_CMA (other channel), MV2_THREADS_BINDING_POLICY (renamed).",), steps=(step("do", "Remove them from the launch line.", State.DOABLE),))


def rank_zero() -> Finding:
    return finding("rank-0-alone", "application", "255 ranks wait for rank 0 at the end of each step", State.DEVELOPER, severity="note", saving=saving(0, 15.6, 15.6, "waiting for rank 0"),
                   steps=(step("code", "Let all ranks write with MPI-IO, or write less often.", State.DEVELOPER, who="developer", effort=4),))


def lammps() -> Advice:
    """2 ranks on one host; atoms are on the ranks 7007 to 193."""
    elapsed, hosts = 3.9, ["vm", "vm"]
    useful = np.array([2.51, 0.06])
    mpi, low = float((elapsed - useful).mean()), 0.41
    operations = (("Wait", 0.72, 0, 3250, None), ("Send", 0.08, 0, 3250, 32768), ("Allreduce", 0.18, 0.95, 210, 8), ("Bcast", 0.02, 0.05, 40, 64))
    sizes = [("Send", "p2p", "host", 16, 3000, .2), ("Send", "p2p", "host", 9, 250, .01), ("Allreduce", "collective", "host", 4, 210, .47)]
    peers = {"rank": np.array([0, 1]), "peer": np.array([1, 0]), "bytes": np.array([1.1e8, 9.8e7]), "messages": np.array([3250, 3250]), "path": np.array(["host", "host"], dtype=object)}
    tables = (make.one_row("run", {**make.run_cells(elapsed, useful, hosts, low), "representative": "no", "startup_share": 0.09}), make.one_row("library", {"name": "openmpi", "version": "4.1.4"}),
              make.ranks_table(elapsed, useful, hosts), make.nodes_table(hosts, useful, 2), make.operations_table(elapsed, mpi, low, operations), make.cells_table(sizes),
              make.sites_table(elapsed, (("Wait", "LAMMPS_NS::CommBrick::forward_comm(int)", "lmp+0x4f21a", 6500, 1.9), ("Allreduce", "", "liblammps.so.0+0x31c00", 420, .47))))
    known = make.profile("/usr/bin/lmp", ("mpirun", "-n", "2", "lmp", "-in", "in.lj.imbalanced"), OPENMPI, hosts, peers)
    spread = finding("uneven-compute", "balance", "Work is spread unevenly: rank 0 computes 42 times as long as rank 1", State.DEVELOPER, severity="high",
                     no_saving_reason="the run took less than 10 s: starting up is too much of what was measured", subject="Rank 0 is 2.51 s outside MPI, rank 1 0.06 s.",
                     facts=("Outside MPI: 2.51 s on rank 0, 0.0600 s on rank 1; even work would give 1.29 s each.",), steps=(step("code", "Balance the atoms: `balance 1.0 shift xy 10 1.05` in the input.", State.DEVELOPER),))
    return Advice(make.measures(known, tables, ("This run cannot be judged: it took 3.90 s, and 10.0 s are needed. Findings stay, without gain.",)), (spread,), SILENCES, 21)


def nothing_found() -> Advice:
    """No rule speaks."""
    return replace(slow_host(), findings=(), settings=None, changed_limits=())


def no_setting_helps() -> Advice:
    """One finding, and no setting for it."""
    only = replace(vasp_findings()[0], steps=(step("do", "Ask for a run without n0214.", State.NO_SETTING, who="centre"),))
    return replace(slow_host(), findings=(only,), settings=None)


def with_banner(*sentences: str, **cells) -> Advice:
    """The first sample with banners and other cells in the table run."""
    advice = slow_host()
    known = advice.measures
    row = dict(known.tables["run"].columns)
    row.update({name: make.column(name, [value]) for name, value in cells.items()})
    tables = {**known.tables, "run": make.table("run", row)}
    return replace(advice, measures=replace(known, tables=tables, banners=sentences))


def killed() -> Advice:
    return with_banner("Until 09:31:04, 1 012 s; the job then got signal 9. Ceilings are valid for the part seen.", truncated="yes", exit_code=137)


def ranks_missing() -> Advice:
    return with_banner("2 of 256 ranks did not report: 17 and 18 on n0211. Sums are not scaled up.", ranks_reported=254)


def costly() -> Advice:
    """Above 5 % own cost there are no gains."""
    silent = tuple(replace(entry, saving=None, no_saving_reason="the collector cost 6.10 % of elapsed") for entry in vasp_findings())
    return replace(with_banner("The collector cost 6.10 % of elapsed: no gain is predicted.", overhead_share=0.061), findings=silent)


def no_waits() -> Advice:
    """No bound on the waiting."""
    advice = slow_host()
    known = advice.measures
    row = {**known.tables["run"].columns, "wait_time": make.wait_time(None, 0.0)}
    operations = {name: column for name, column in known.tables["operation"].columns.items() if name != "wait"}
    tables = {**known.tables, "run": make.table("run", row), "operation": make.table("operation", operations)}
    return replace(advice, measures=replace(known, tables=tables))


def rule_failed() -> Advice:
    broken = Silence("broken-rule", Verdict.UNKNOWN, "The rule failed", "division by zero in rank.threads / rank.cores", "tell the author of halla/broken-rule.toml")
    return replace(slow_host(), silences=(*SILENCES, broken))


def nothing_measured() -> Advice:
    """A statically linked program: no rank left a record."""
    gap = Gap("all MPI calls", "./static is statically linked, so no collector can be put in front of MPI", "Link it dynamically, or use `advisor build --link`.")
    known = Profile(Run("./static", launch_line=("mpirun", "-n", "4", "./static"), exit_code=3), Library(), (), {}, gaps=(gap,))
    return Advice(Measures({}, known, ()), (), (), 21)


HOSTILE = '<script>alert(1)</script>\x1b[31m]]>-->\u202e"\'&|`*_'


def hostile() -> Advice:
    """Names that try to leave their place."""
    names = [HOSTILE] * 4 + ["</script><!--"] * 4
    useful = np.linspace(60.0, 80.0, 8)
    known = make.profile(f"/tmp/{HOSTILE}", ("mpirun", "-n", "8", HOSTILE), OPENMPI, names, make.neighbours(8, 4), job=HOSTILE)
    tables = (make.one_row("run", make.run_cells(100.0, useful, names, 3.0)), make.ranks_table(100.0, useful, names), make.nodes_table(names, useful),
              make.operations_table(100.0, 30.0, 3.0, ((HOSTILE, 1.0, 1.0, 10, 8),)), make.sites_table(100.0, ((HOSTILE, HOSTILE, HOSTILE, 4, 12.0),)))
    one = finding("hostile-name", "waiting", f"Ranks wait for {HOSTILE}", State.DOABLE, facts=(HOSTILE,), hurts=(HOSTILE,), saving=saving(1, 2, 3, HOSTILE, 100.0),
                  steps=(step("set", f"X={HOSTILE}", State.DOABLE, check=HOSTILE, undo=HOSTILE, request=HOSTILE),))
    return Advice(make.measures(known, tables, (HOSTILE,)), (one,), (Silence(HOSTILE, Verdict.UNKNOWN, HOSTILE, HOSTILE, HOSTILE),), 2, (), {"X": HOSTILE})


def many_ranks(ranks: int, hosts: int) -> Advice:
    """The first sample at another size."""
    return replace(slow_host(), measures=vasp_measures(ranks, hosts))


STATES = {
    entry.__name__: entry
    for entry in (slow_host, lammps, nothing_found, no_setting_helps, killed, ranks_missing, costly, no_waits, rule_failed, nothing_measured)
}


def dense_traffic(ranks: int) -> Advice:
    """Every pair exchanges another amount: the worst case for a drawn matrix."""
    random = np.random.default_rng(7)
    one, other = (part.ravel() for part in np.indices((ranks, ranks)))
    advice = many_ranks(ranks, 4)
    peers = {"rank": one, "peer": other, "bytes": 10.0 ** random.uniform(2, 9, ranks * ranks), "messages": np.ones(ranks * ranks), "path": np.array(["host"] * ranks * ranks, dtype=object)}
    known = replace(advice.measures.profile, tables={"peers": peers})
    return replace(advice, measures=replace(advice.measures, profile=known))
