"""Hand-made advice in every state that a run may be in, for all renderers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import sample_measures as make
from advice_parts import finding, limit, saving, step
from vasp_sample import vasp_findings, vasp_measures

from advisor.analysis import measure
from advisor.base import resource_paths
from advisor.intake import read
from advisor.model.finding import Advice, Prerequisite, Saving, Silence, State, Verdict
from advisor.model.measures import Measures, Quality
from advisor.model.profile import Gap, Library, Profile, Run

OPENMPI = Library("openmpi", "4.1.4", "Open MPI v4.1.4, package: Debian OpenMPI", "3.1")
SILENCES = (
    Silence("threads-share-cores", Verdict.CLEAR, "Every thread has a core of its own"),
    Silence("ranks-share-cores", Verdict.CLEAR, "Every rank has a core of its own"),
    Silence("startup-long", Verdict.CLEAR, "Start-up took little of the job"),
    Silence("atomics-on-host", Verdict.MOOT, "One-sided communication", "none was used"),
    Silence("gpu-buffers", Verdict.MOOT, "GPU buffers", "no host has a GPU"),
    Silence(
        "overlap-starved",
        Verdict.UNKNOWN,
        "Overlap of non-blocking calls",
        "posting times were not kept",
        "advisor run --overlap",
    ),
    Silence(
        "memory-bandwidth",
        Verdict.UNKNOWN,
        "Memory bandwidth limit",
        "uncore counters are not permitted to users",
    ),
)


def slow_host() -> Advice:
    """256 ranks on 4 hosts: one host is slow, messages sit above the eager limit, XPMEM is
    missing."""
    known = vasp_measures()
    return Advice(
        known,
        vasp_findings(),
        SILENCES,
        43,
        (limit("last_share", 0.5, "50 %", "A tie-break between hosts.", "halla/slow-host.toml"),),
        {"MV2_IBA_EAGER_THRESHOLD": "131072"},
    )


def lammps() -> Advice:
    """2 ranks on one host; atoms are on the ranks 7007 to 193."""
    elapsed, hosts = 3.9, ["vm", "vm"]
    useful = np.array([2.51, 0.06])
    mpi, low = float((elapsed - useful).mean()), 0.41
    operations = (
        ("Wait", 0.72, 0, 3250, None),
        ("Send", 0.08, 0, 3250, 32768),
        ("Allreduce", 0.18, 0.95, 210, 8),
        ("Bcast", 0.02, 0.05, 40, 64),
    )
    sizes = [
        ("Send", "p2p", "intra_node", 16, 3000, 0.2),
        ("Send", "p2p", "intra_node", 9, 250, 0.01),
        ("Allreduce", "collective", "intra_node", 4, 210, 0.47),
    ]
    peers = {
        "rank": np.array([0, 1]),
        "peer": np.array([1, 0]),
        "bytes": np.array([1.1e8, 9.8e7]),
        "messages": np.array([3250, 3250]),
        "path": np.array(["intra_node", "intra_node"], dtype=object),
    }
    tables = (
        make.one_row(
            "run",
            {
                **make.run_cells(elapsed, useful, hosts, low),
                "representative": "no",
                "startup_share": 0.09,
            },
        ),
        make.one_row("library", {"name": "openmpi", "version": "4.1.4"}),
        make.ranks_table(elapsed, useful, hosts),
        make.nodes_table(hosts, useful, 2),
        make.operations_table(elapsed, mpi, low, operations),
        make.cells_table(sizes),
        make.sites_table(
            elapsed,
            (
                ("Wait", "LAMMPS_NS::CommBrick::forward_comm(int)", "lmp+0x4f21a", 6500, 1.9),
                ("Allreduce", "", "liblammps.so.0+0x31c00", 420, 0.47),
            ),
        ),
    )
    known = make.profile(
        "/usr/bin/lmp",
        ("mpirun", "-n", "2", "lmp", "-in", "in.lj.imbalanced"),
        OPENMPI,
        hosts,
        peers,
    )
    spread = finding(
        "uneven-compute",
        "balance",
        "Work is spread unevenly: rank 0 computes 42 times as long as rank 1",
        State.DOABLE,
        severity="high",
        no_saving_reason="it rests on too few calls to predict from",
        subject="Rank 0 is 2.51 s outside MPI, rank 1 0.06 s.",
        facts=(
            "Outside MPI: 2.51 s on rank 0, 0.0600 s on rank 1; even work would give 1.29 s each.",
        ),
        steps=(
            step(
                "input",
                "comm_style tiled\nfix even all balance 1000 1.05 rcb",
                State.DOABLE,
                file="in.lj.imbalanced",
            ),
        ),
    )
    return Advice(
        make.measures(
            known,
            tables,
            (
                (
                    "Unrepresentative run: the time in MPI rests on too few calls, most of all on"
                    " MPI_Wait, whose longest call took 1.80 s, and all its calls 1.88 s a rank."
                    " What rests on them has no predicted gain."
                ),
            ),
        ),
        (spread,),
        SILENCES,
        21,
    )


def nothing_found() -> Advice:
    """No rule speaks."""
    return replace(slow_host(), findings=(), settings=None, changed_limits=())


def no_setting_helps() -> Advice:
    """One finding, and no setting for it."""
    only = replace(
        vasp_findings()[0],
        steps=(step("do", "Ask for a run without n0214.", State.NO_SETTING, who="centre"),),
    )
    return replace(slow_host(), findings=(only,), settings=None)


def sampled() -> Advice:
    """A recorded run whose waiting was measured by sampled calls: rank 3 has four shares of
    work."""
    kept = read(resource_paths.samples() / "profiles" / "uneven_compute.4r.json")
    known = measure(replace(kept, source="sample.advisor/profile"))
    return Advice(
        known,
        (
            replace(
                lammps().findings[0],
                title="Work is spread unevenly: rank 3 computes longest",
                subject="",
                facts=(),
            ),
        ),
        SILENCES,
        21,
    )


def with_banner(*sentences: str, **cells) -> Advice:
    """The first sample with banners and other cells in the table run."""
    advice = slow_host()
    known = advice.measures
    row = dict(known.tables["run"].columns)
    row.update({name: make.column(name, [value]) for name, value in cells.items()})
    tables = {**known.tables, "run": make.table("run", row)}
    return replace(advice, measures=replace(known, tables=tables, banners=sentences))


def killed() -> Advice:
    return with_banner(
        "Until 09:31:04, 1 012 s; the job then got signal 9. Ceilings are valid for the part seen.",
        truncated="yes",
        exit_code=137,
    )


def ranks_missing() -> Advice:
    return with_banner(
        "2 of 256 ranks did not report: 17 and 18 on n0211. Sums are not scaled up.",
        ranks_reported=254,
        missing_ranks=2,
    )


def costly() -> Advice:
    """Above 5 % of overhead there are no gains."""
    silent = tuple(
        replace(entry, saving=None, no_saving_reason="the collector cost 6.10 % of elapsed")
        for entry in vasp_findings()
    )
    return replace(
        with_banner(
            "The collector cost 6.10 % of elapsed: no gain is predicted.", overhead_share=0.061
        ),
        findings=silent,
    )


def no_waits() -> Advice:
    """No bound on the waiting."""
    advice = slow_host()
    known = advice.measures
    row = {**known.tables["run"].columns, "wait_time": make.wait_time(None, 0.0)}
    operations = {
        name: column for name, column in known.tables["operation"].columns.items() if name != "wait"
    }
    tables = {
        **known.tables,
        "run": make.table("run", row),
        "operation": make.table("operation", operations),
    }
    return replace(advice, measures=replace(known, tables=tables))


def rule_failed() -> Advice:
    broken = Silence(
        "broken-rule",
        Verdict.UNKNOWN,
        "The rule failed",
        "division by zero in rank.threads / rank.cores",
        "tell the author of halla/broken-rule.toml",
    )
    return replace(slow_host(), silences=(*SILENCES, broken))


def nothing_measured() -> Advice:
    """A statically linked program: no rank left a record."""
    gap = Gap(
        "all MPI calls",
        "./static is statically linked, so no collector can be put in front of MPI",
        "Link it dynamically, or use `advisor build --link`.",
    )
    known = Profile(
        Run("./static", launch_line=("mpirun", "-n", "4", "./static"), exit_code=3),
        Library(),
        (),
        {},
        gaps=(gap,),
    )
    return Advice(Measures({}, known, ()), (), (), 21)


HOSTILE = "<script>alert(1)</script>\x1b[31m]]>-->\u202e\"'&|`*_"


def hostile() -> Advice:
    """Names that try to leave their place."""
    names = [HOSTILE] * 4 + ["</script><!--"] * 4
    useful = np.linspace(60.0, 80.0, 8)
    known = make.profile(
        f"/tmp/{HOSTILE}",
        ("mpirun", "-n", "8", HOSTILE),
        OPENMPI,
        names,
        make.neighbours(8, 4),
        job=HOSTILE,
    )
    tables = (
        make.one_row("run", make.run_cells(100.0, useful, names, 3.0)),
        make.ranks_table(100.0, useful, names),
        make.nodes_table(names, useful),
        make.operations_table(100.0, 30.0, 3.0, ((HOSTILE, 1.0, 1.0, 10, 8),)),
        make.sites_table(100.0, ((HOSTILE, HOSTILE, HOSTILE, 4, 12.0),)),
    )
    one = finding(
        "hostile-name",
        "waiting",
        f"Ranks wait for {HOSTILE}",
        State.DOABLE,
        facts=(HOSTILE,),
        hurts=(HOSTILE,),
        saving=saving(1, 2, 3, HOSTILE, 100.0),
        steps=(
            step("set", f"X={HOSTILE}", State.DOABLE, check=HOSTILE, undo=HOSTILE, request=HOSTILE),
        ),
    )
    return Advice(
        make.measures(known, tables, (HOSTILE,)),
        (one,),
        (Silence(HOSTILE, Verdict.UNKNOWN, HOSTILE, HOSTILE, HOSTILE),),
        2,
        (),
        {"X": HOSTILE},
    )


def many_ranks(ranks: int, hosts: int) -> Advice:
    """The first sample at another size."""
    return replace(slow_host(), measures=vasp_measures(ranks, hosts))


def dense_traffic(ranks: int) -> Advice:
    """Every pair exchanges another amount: the worst case for a drawn matrix."""
    random = np.random.default_rng(7)
    one, other = (part.ravel() for part in np.indices((ranks, ranks)))
    advice = many_ranks(ranks, 4)
    peers = {
        "rank": one,
        "peer": other,
        "bytes": 10.0 ** random.uniform(2, 9, ranks * ranks),
        "messages": np.ones(ranks * ranks),
        "path": np.array(["intra_node"] * ranks * ranks, dtype=object),
    }
    known = replace(advice.measures.profile, tables={"peers": peers})
    return replace(advice, measures=replace(advice.measures, profile=known))


def withheld() -> Advice:
    """A setting whose prerequisite was not seen: it is shown, but not offered."""
    blocked = step(
        "set",
        "UCX_TLS=rc,sm,self",
        State.WITHHELD,
        reason="it needs InfiniBand on all hosts, here: on 0 of 4",
        prerequisites=(Prerequisite("InfiniBand on the hosts: on 0 of 4", False),),
    )
    one = finding(
        "slow-transport",
        "library",
        "Messages between hosts go through TCP",
        State.WITHHELD,
        severity="medium",
        steps=(blocked,),
    )
    return replace(slow_host(), findings=(one,), settings=None)


def may_cost() -> Advice:
    """A gain from records of which one lost: its lower end is below zero."""
    source = (
        "6 of 9 pairs on half-of-the-hosts, from runs like this one; they took 0.539 to 1.29 times"
        " the time, 1 of them longer; a centre's tables, 2020"
    )
    known = Saving(
        -98.2,
        470.1,
        1059.0,
        "the time that this is about",
        1412.0,
        "records",
        source,
        Quality.DERIVED,
    )
    one = finding(
        "few-hosts-would-do",
        "placement",
        "Waiting and moving data take most of the run: fewer hosts may be as fast",
        State.DOABLE,
        severity="high",
        saving=known,
        steps=(step("do", "Run a short case on half of the hosts.", State.DOABLE),),
    )
    return replace(slow_host(), findings=(one,), settings=None)


STATES = {
    entry.__name__: entry
    for entry in (
        slow_host,
        lammps,
        nothing_found,
        no_setting_helps,
        killed,
        ranks_missing,
        costly,
        no_waits,
        sampled,
        rule_failed,
        nothing_measured,
        withheld,
        may_cost,
    )
}
