"""What is exact in recorded files of one program comes out exactly, whichever tool wrote it; a
tool's gaps stay gaps."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from advisor import analysis
from advisor.intake import read
from advisor.intake.foreign.cube import tree
from advisor.intake.foreign.recognise import foreign

from .files import READABLE, by_hand, calls, recorded

MIB4 = 4 << 20
# (rank, operation): calls, bytes, size bin. A receive hands in nothing: bin -1.
WAITS = {
    (0, "Allreduce"): (100, 800, 4),
    (1, "Allreduce"): (100, 800, 4),
    (0, "Barrier"): (1, 0, -1),
    (1, "Barrier"): (1, 0, -1),
    (0, "Send"): (100, 800, 4),
    (1, "Recv"): (100, 0, -1),
    (0, "Sendrecv"): (50, 50 * MIB4, 23),
    (1, "Sendrecv"): (50, 50 * MIB4, 23),
}
QUERIES = {"Comm_rank", "Comm_size", "Comm_dup"}


def own(profile, *labels):
    """Rows of the program's own communication."""
    return {key: row for key, row in calls(profile, *labels).items() if key[1] not in QUERIES}


@pytest.mark.parametrize(
    "name",
    [
        "mpip-waits-2r.mpiP",
        "mpip-waits-2r-noaslr.mpiP",
        "mpip-waits-2r-vpyk3.mpiP",
        "ipm-waits-2r-full.xml",
    ],
)
def test_tools_that_keep_sizes(name):
    assert own(read(recorded(name)), "count", "bytes", "bin") == WAITS


def test_terse_ipm_adds_sizes_up():
    # The sum is printed with five digits.
    found = own(read(recorded("ipm-waits-2r-terse.xml")), "count", "bytes", "bin")
    assert found[0, "Sendrecv"] == (50, 209720000, -2) and found[0, "Allreduce"] == (100, 800, -2)
    assert {key: row[0] for key, row in found.items()} == {
        key: row[0] for key, row in WAITS.items()
    }


@pytest.mark.parametrize("name", ["scorep-waits-2r-profile.cubex", "scorep-waits-2r-online.cubex"])
def test_cube_counts_and_bytes_of_messages(name):
    found = own(read(recorded(name)), "count", "bytes", "bin")
    assert {key: row[0] for key, row in found.items()} == {
        key: row[0] for key, row in WAITS.items()
    }
    assert found[0, "Send"] == (100, 800, -2) and found[0, "Sendrecv"] == (50, 50 * MIB4, -2)
    # Score-P's 1600 bytes of a rank are 100 calls of 8 bytes to 2 members: no payload, so none is
    # stated.
    assert found[0, "Allreduce"] == (100, 0, -2)


def test_banner_and_concise_report_are_sums():
    expected = {
        (-1, "Allreduce"): (200,),
        (-1, "Barrier"): (2,),
        (-1, "Recv"): (100,),
        (-1, "Send"): (100,),
        (-1, "Sendrecv"): (100,),
    }
    assert own(read(recorded("ipm-waits-2r-banner.txt")), "count") == expected
    assert own(read(recorded("mpip-waits-2r-vpyk3-concise.mpiP")), "count") == expected


def test_caliper_trace_counts():
    assert own(read(recorded("caliper-waits-2r-trace-1.cali")), "count") == {
        (1, "Allreduce"): (100,),
        (1, "Recv"): (100,),
        (1, "Sendrecv"): (50,),
    }


@pytest.mark.parametrize(
    "one, other", [("caliper-waits-2r-profile.cali", "caliper-waits-2r-profile-query.json")]
)
def test_caliper_forms_agree(one, other):
    first, second = (own(read(recorded(name)), "time") for name in (one, other))
    assert first.keys() == second.keys()
    assert all(math.isclose(first[key][0], second[key][0], abs_tol=1e-6) for key in first)


def test_callcost_on_one_rank():
    found = calls(read(recorded("mpip-callcost-1r.mpiP")), "count", "bin")
    assert [found[0, name] for name in ("Put", "Isend", "Irecv", "Test", "Win_fence")] == [
        (1000, 4),
        (1000, 4),
        (1000, -1),
        (1000, -1),
        (1002, -1),
    ]
    ipm = read(recorded("ipm-callcost-1r-full.xml"))
    assert (0, "Put") not in calls(ipm, "count")
    assert "rma_share" in [
        name
        for name, column in analysis.measure(ipm).tables["run"].columns.items()
        if column.reason
    ]


def test_peers_of_ipm():
    peers = read(recorded("ipm-waits-2r-full.xml")).tables["peers"]
    rows = list(
        zip(*(peers[label].tolist() for label in ("rank", "peer", "path", "messages", "bytes")))
    )
    assert rows == [(0, 1, "intra_node", 150, 50 * MIB4 + 800), (1, 0, "intra_node", 50, 50 * MIB4)]


# Our collector and mpiP in one run of pw.x, ranks 0 and 1 together: calls, bytes. Beside mpiP ours
# saw 2436 Allreduce and 3716 Barrier; alone it sees these numbers too.
PW = {
    "Alltoall": (19026, 813915656),
    "Allreduce": (2432, 14245944),
    "Bcast": (2212, 20635580),
    "Barrier": (3714, 0),
    "Alltoallv": (62, None),
    "Gatherv": (948, None),
    "Type_commit": (474, 0),
}


def test_real_program_beside_our_collector():
    operations = analysis.measure(read(recorded("mpip-pw-si8-2r.mpiP"))).tables["operation"]
    rows = {row["name"]: row for row in map(operations.row, range(len(operations)))}
    for name, (count, size) in PW.items():
        assert (rows[name]["calls"], rows[name]["bytes"]) == (
            count,
            None if size is None else pytest.approx(size, rel=1e-3),
        )


def test_call_sites_of_mpip():
    sites = read(recorded("mpip-waits-2r-noaslr.mpiP")).tables["sites"]
    found = {
        (operation, function, file, line)
        for operation, function, file, line in zip(
            *(sites[label].tolist() for label in ("operation", "function", "file", "line"))
        )
    }
    assert found == {
        ("Allreduce", "main", "waits.c", 23),
        ("Send", "main", "waits.c", 26),
        ("Sendrecv", "main", "waits.c", 29),
        ("Barrier", "main", "waits.c", 21),
        ("Recv", "main", "waits.c", 26),
    }


@pytest.mark.parametrize(
    "name, parallel, communication, balance",
    [
        ("talp-waits-2r.json", 0.13, 0.16, 0.84),
        ("talp-waits-2r.xml", 0.29, 0.30, 0.96),
        ("talp-waits-2r-process.csv", 0.28, 0.39, 0.74),
        ("talp-waits-2r-stderr.txt", 0.34, 0.38, 0.89),
    ],
)
def test_efficiencies_are_those_that_talp_prints(name, parallel, communication, balance):
    run = analysis.measure(read(recorded(name))).tables["run"].row(0)
    # TALP prints two digits, cut or rounded.
    found = [run["parallel_efficiency"], run["communication_efficiency"], run["load_balance"]]
    assert np.allclose(found, [parallel, communication, balance], atol=0.01)


def test_cpus_of_talp_are_those_of_bound_ranks_alone():
    assert read(recorded("talp-waits-2r.json")).tables["ranks"]["cpus"].tolist() == ["0", "1"]
    # Two ranks without binding: DLB lists the one core that each was on when it started, here the
    # same.
    loose = read(recorded("talp-pw-si8-2r.json"))
    assert "cpus" not in loose.tables["ranks"] and "ranks.cpus" in {
        gap.subject for gap in loose.gaps
    }
    shared = analysis.measure(loose).tables["rank"].columns["shared_cores"]
    assert shared.reason == "TALP lists CPUs that processes ran on, not all that they may use"


def test_sums_of_talp():
    run = analysis.measure(read(recorded("talp-waits-2r-pop.csv"))).tables["run"].row(0)
    assert (round(run["time"], 6), round(run["mpi_time"], 6), run["calls"]) == (
        3.624597,
        2.592066,
        510,
    )


@pytest.mark.parametrize(
    "name, calls",
    [
        ("talp-waits-2r.json", 510),
        ("talp-waits-2r.xml", 510),
        ("talp-waits-2r-process.csv", 510),
        ("talp-waits-2r-pop.csv", 510),
        ("talp-pw-si8-2r.json", 41767),
        ("talp-waits-2r-stderr.txt", None),
    ],
)
def test_calls_of_talp_are_kept_beside_its_processes(name, calls):
    assert analysis.measure(read(recorded(name))).tables["run"].row(0)["calls"] == calls


@pytest.mark.parametrize(
    "name, share",
    [
        ("mpip-waits-2r.mpiP", 0.3862),
        ("mpip-waits-2r-noaslr.mpiP", 0.3240),
        ("mpip-waits-2r-vpyk3.mpiP", 0.9526),
        ("mpip-waits-2r-vpyk3-concise.mpiP", 0.9526),
        ("ipm-waits-2r-banner.txt", 0.8797),
    ],
)
def test_share_of_mpi_is_what_the_tool_prints(name, share):
    # Three digits of each time; IPM divides by the mean wall clock, we by the longest.
    assert analysis.measure(read(recorded(name))).tables["run"].row(0)[
        "mpi_share"
    ] == pytest.approx(share, rel=0.01)


@pytest.mark.parametrize("name", ["aps.txt", "aps-2020.txt", "aps.html"])
def test_aps(name):
    profile = read(by_hand(name))
    run = analysis.measure(profile).tables["run"].row(0)
    # MPI_Init is neither MPI time nor elapsed time; the page has its share alone, with two digits.
    assert [run[name] for name in ("program", "ranks", "wait_time", "p2p_share", "calls")] == [
        "heat",
        16,
        24.0,
        None,
        None,
    ]
    assert [
        run["time"],
        run["mpi_time"],
        calls(profile, "time")[-1, "Waitall"][0],
    ] == pytest.approx([120.0, 40.0, 480.0], rel=1e-3)
    assert {operation for _, operation in calls(profile, "time")} == {
        "Waitall",
        "Allreduce",
        "Isend",
        "Barrier",
    }
    assert profile.run.started == "2026-04-02T17:06:52"


def test_aps_as_csv():
    """All charts: times of each rank, without what MPI_Init took on average; the summary alone: as
    its text."""
    profile = read(by_hand("aps.csv"))
    assert calls(profile, "count", "time") == {
        (-1, "Allreduce"): (600, 12.0),
        (-1, "Sendrecv"): (1200, 5.0),
    }
    assert {
        name: profile.tables["ranks"][name].tolist()
        for name in ("rank", "node", "window", "mpi_time")
    } == {"rank": [1, 0], "node": [0, 0], "window": [29.5, 29.5], "mpi_time": [11.5, 5.5]}
    assert (
        [node.name for node in profile.nodes],
        profile.run.program,
        profile.run.started,
        profile.totals.wait_time,
    ) == (["n17"], "heat", "2023-04-05T10:11:12", 3.0)
    summary = foreign(by_hand("aps.csv").read_bytes().partition(b"| Counters")[0])
    assert calls(summary, "time") == {(-1, "Allreduce"): (12.0,), (-1, "Sendrecv"): (5.0,)}
    assert (summary.totals.elapsed, summary.totals.mpi_time, summary.totals.wait_time) == (
        30.0,
        8.5,
        3.0,
    )


def test_aps_as_csv_of_several_hosts_and_of_one_process():
    several = foreign(
        by_hand("aps.csv").read_bytes().replace(b"Ranks per node;2", b"Ranks per node;1")
    )
    assert not several.nodes and "node" not in several.tables["ranks"]
    lines = [
        line
        for line in by_hand("aps.csv").read_bytes().splitlines(True)
        if not line.startswith((b"Number of ranks", b"Ranks per", b"  0001 ;"))
    ]
    assert foreign(b"".join(lines)).run.ranks_expected == 1


def test_volumes_of_aps_are_no_bytes():
    """Its MB may be of 10^6 bytes or of 2^20."""
    known = foreign(
        by_hand("aps.csv")
        .read_bytes()
        .replace(
            b"N/A;             N/A;             1200", b"5.00;          100.00;             1200"
        )
    )
    assert "bytes" not in known.tables["calls"] and "how many bytes its MB are" in next(
        gap.reason for gap in known.gaps if gap.subject == "calls.bytes"
    )


def test_aps_without_imbalance():
    run = (
        analysis.measure(
            foreign(
                re.sub(
                    rb"MPI Imbalance: +24.00 s +19.92% of Elapsed Time",
                    b"MPI Imbalance:   N/A*",
                    by_hand("aps.txt").read_bytes(),
                )
            )
        )
        .tables["run"]
        .row(0)
    )
    assert (run["wait_time"], run["mpi_time"]) == (None, pytest.approx(40.0, rel=1e-3))


def test_markup_on_a_page_of_aps_stays_text():
    profile = foreign(
        by_hand("aps.html").read_bytes().replace(b'"heat"', b'"<script>alert(1)</script>"')
    )
    assert profile.run.program == "<script>alert(1)</script>" and "Your application" not in str(
        profile
    )


@pytest.mark.parametrize(
    "name, time, mpi, wait",
    [("craypat-sampled.rpt", 200.5, 80.2, None), ("craypat-traced.txt", 100.0, 50.0, 30.0)],
)
def test_craypat(name, time, mpi, wait):
    profile = read(by_hand(name))
    run = analysis.measure(profile).tables["run"].row(0)
    assert [run["time"], pytest.approx(run["mpi_time"]), run["wait_time"]] == [time, mpi, wait]
    assert profile.library.name == "cray"


def test_craypat_settings_and_calls():
    assert [
        (setting.name, setting.value) for setting in read(by_hand("craypat-sampled.rpt")).settings
    ] == [("MPICH_RANK_REORDER_METHOD", "1"), ("OMP_NUM_THREADS", "1")]
    assert calls(read(by_hand("craypat-traced.txt")), "count", "time") == {
        (-1, "Allreduce"): (80000, 400.0)
    }


def test_darshan():
    measures = analysis.measure(read(by_hand("darshan.txt")))
    io, run = measures.tables["io"].row(0), measures.tables["run"].row(0)
    assert [io["calls"], io["bytes"], io["time"]] == [8005, 8000 * 1024, (16 + 0.5) / 4]
    assert [run["time"], run["mpi_time"], run["collective_share"]] == [64.5, None, None]


def test_intel_statistics():
    profile = read(by_hand("intel-stats.ipm"))
    run = analysis.measure(profile).tables["run"].row(0)
    assert [run[name] for name in ("time", "mpi_time", "calls", "nodes")] == [40.0, 10.0, 28000, 1]
    assert (profile.library.name, profile.library.version, profile.run.program) == (
        "intel",
        "5.1.3",
        "/home/user/heat",
    )


@pytest.mark.parametrize("file", READABLE, ids=lambda file: file.name)
def test_what_a_tool_does_not_know_is_a_gap(file):
    profile = read(file)
    subjects = [gap.subject for gap in profile.gaps]
    assert profile.source == str(file) and profile.run.collector != "pmpi"
    assert all(gap.reason for gap in profile.gaps) and len(set(subjects)) == len(subjects)
    assert {"members", "communicators", "windows", "application", "setting"} - set(
        profile.tables
    ) - set(subjects) <= ({"setting"} if profile.settings else set())


NESTED = """<cube><metrics/><program><region id="0" mod="a.c"><name>main</name></region><region id="1" mod="MPI"><name>MPI_Send</name><paradigm>mpi</paradigm></region>
<cnode id="0" calleeId="0"><cnode id="1" calleeId="0"><cnode id="2" calleeId="1"/></cnode><cnode id="3" calleeId="1"/></cnode></program>
<system><systemtreenode Id="0"><name>node n1</name><locationgroup Id="0"><rank>0</rank><location Id="0"/></locationgroup></systemtreenode></system></cube>"""


def test_order_of_call_paths():
    # Exclusive metrics count depth first: 0 1 2 3. Inclusive ones count the children of a node
    # together: 0, then 1 3, then 2.
    about = tree.describe(NESTED.encode())
    assert [path.parent for path in about.paths] == [-1, 0, 1, 0] and about.wide == [0, 1, 3, 2]
    assert about.locations == [tree.Location(0, "n1", True)]
