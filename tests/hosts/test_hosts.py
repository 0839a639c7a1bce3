"""Jobs on two and four hosts: what each rank sent, where, and which host the others wait for,
against what is known before."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from fake_hosts import STATE, Hosts, why_impossible
from lines import OVER_THE_NETWORK, advised, launch, run
from mpi_builds import BUILDS, compiling_one, find

from advisor.advice import judge, load_rules
from advisor.analysis import measure
from advisor.base import resource_paths

pytestmark = pytest.mark.skipif(bool(why_impossible()), reason=why_impossible())

STEPS = 8
FABRICS = {"ompi4": "tcp", "ompi5": "tcp", "mpich4": "ucx", "mpich5": "ofi+tcp", "impi": "ofi+tcp"}
"""How messages leave these hosts. MPICH 4 takes the memory that they share in truth."""
PAUSE = 25000
"""Microseconds; STEPS of them are 0.2 s on a host that is not slow."""


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """build → traffic.c compiled with it."""
    return compiling_one(tmp_path_factory.mktemp("hosts"), Path(__file__).with_name("traffic.c"))


@pytest.fixture(scope="module")
def hosts():
    with Hosts(2) as two:
        yield two


def expected_peers(ranks):
    """(rank, peer) → [messages, bytes] of traffic.c: a ring of 10 × 100 B, and 10 × 3000 B and 64
    KiB across."""
    sent = {}
    for rank in range(ranks):
        for peer, messages, size in (
            ((rank + 1) % ranks, 10, 1000),
            ((rank + ranks // 2) % ranks, 11, 30000 + 65536),
        ):
            row = sent.setdefault((rank, peer), [0, 0])
            row[0] += messages
            row[1] += size
    return sent


def known_peers(profile):
    peers = profile.tables["peers"]
    return {
        (int(r), int(p)): [int(m), int(b)]
        for r, p, m, b in zip(peers["rank"], peers["peer"], peers["messages"], peers["bytes"])
    }


def rows(measures, table, *names):
    return [
        tuple(measures.tables[table].row(index)[name] for name in names)
        for index in range(len(measures.tables[table]))
    ]


def finding(measures, identity):
    """The finding of one rule, or None if it stays silent."""
    advice = judge(measures, load_rules([resource_paths.rules()]))
    return next((found for found in advice.findings if found.rule == identity), None)


def useful(profile):
    """Seconds outside MPI of each rank by hand: the run without all its calls, and without what it
    had no core for."""
    ranks, calls = profile.tables["ranks"], profile.tables["calls"]
    inside = np.bincount(calls["rank"], weights=calls["time"], minlength=len(ranks["rank"]))
    return ranks["finalize_begin"] - ranks["init_end"] - inside - ranks["no_core_outside"]


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_two_hosts_one_slow(build, programs, hosts, tmp_path):
    words = launch(build, hosts, 2, [programs(build), STEPS, PAUSE, hosts.names[1], 3])
    bare, before = run(build, hosts, words, tmp_path), [hosts.sent(i) for i in range(2)]
    done = advised(build, hosts, words, tmp_path)
    crossed = [hosts.sent(i) - was for i, was in enumerate(before)]
    a, b = hosts.names
    assert (done.code, done.out) == (0, f"0 {a}\n1 {a}\n2 {b}\n3 {b}\n") == (bare.code, bare.out), (
        done.err
    )
    measures = measure(done.profile)
    check_places(done.profile, hosts.names)
    check_traffic(done.profile, measures)
    check_communicators(done.profile)
    check_balance(done.profile, measures, b)
    report = " ".join(done.report.split())
    assert "4 ranks × 1 thread on 2 nodes" in report and "Clock error" in report
    assert measures.tables["library"].row(0)["fabric"] == FABRICS[build.name]
    if build.name in OVER_THE_NETWORK:  # 192 072 B of messages leave each host
        assert min(crossed) > 192072


def check_places(profile, names):
    ranks = profile.tables["ranks"]
    assert [node.name for node in profile.nodes] == names
    assert ranks["rank"].tolist() == [0, 1, 2, 3]
    assert [profile.nodes[node].name for node in ranks["node"]] == [names[0]] * 2 + [names[1]] * 2
    assert [s.name for s in profile.settings if s.differs] == []
    for node in profile.nodes:
        assert node.facts["infiniband"].value == "", (
            "looked for on each host, not on the first only"
        )
    # One clock in truth: what remains of the offset is the error of its measurement.
    assert ranks["clock_error"][:2].tolist() == [0, 0] and (ranks["clock_error"][2:] > 0).all()
    assert (abs(ranks["clock_offset"]) <= ranks["clock_error"] + 1e-6).all()


def check_traffic(profile, measures):
    assert known_peers(profile) == expected_peers(4)
    # 0→1 and 2→3 of the ring stay; 1→2, 3→0 and all that goes across leave.
    assert sorted(rows(measures, "traffic", "path", "messages", "bytes")) == [
        ("intra_node", 20, 2000),
        ("other", 20 + 44, 2000 + 4 * 95536),
    ]
    run_row = measures.tables["run"].row(0)
    assert (run_row["p2p_bytes"], run_row["off_host_bytes"]) == (386144, 384144)
    assert run_row["on_host_share"] == pytest.approx(2000 / 386144)


def check_communicators(profile):
    table = profile.tables["communicators"]
    kinds = Counter(
        zip(*(table[name].tolist() for name in ("name", "class", "size", "nodes", "world")))
    )
    assert {kind: count for kind, count in kinds.items() if kind[0] != "MPI_COMM_SELF"} == {
        ("MPI_COMM_WORLD", "multi_node", 4, 2, 1): 1,
        ("host", "intra_node", 2, 1, 0): 2,
        ("leaders", "one_per_node", 2, 2, 0): 2,
        ("grid", "multi_node", 4, 2, 1): 1,
    }
    calls = profile.tables["calls"]
    collective = Counter()
    for operation, kind, count, size in zip(
        calls["operation"], calls["class"], calls["count"], calls["bytes"]
    ):
        if operation in ("Allreduce", "Bcast", "Neighbor_allgather"):
            collective[operation, kind] += complex(int(count), int(size))
    assert collective == {
        ("Allreduce", "multi_node"): 4 * complex(STEPS, 8 * STEPS),
        ("Allreduce", "intra_node"): 4 * complex(7, 7 * 64),
        ("Bcast", "one_per_node"): 4 * complex(3, 3 * 1024),
        ("Neighbor_allgather", "multi_node"): 4 * complex(5, 5 * 24),
    }


def check_balance(profile, measures, slow):
    mine, row = useful(profile), measures.tables["run"].row(0)
    busiest = max(mine[:2].mean(), mine[2:].mean())
    assert row["load_balance_out"] == pytest.approx(mine.mean() / busiest, rel=0.02)
    assert row["load_balance_in"] == pytest.approx(busiest / mine.max(), rel=0.02)
    # Pauses are 0.2 s here and 0.6 s there: 0.4 / 0.6, and what else the ranks do makes it more
    # even.
    assert (
        0.6 < row["load_balance_out"] < 0.85
        and row["load_balance_out"] < row["load_balance_in"] <= 1
    )
    found = finding(measures, "uneven-hosts")
    assert found and slow in found.subject + " ".join(found.facts)


@pytest.mark.parametrize("name", ["ompi4", "mpich4"])
def test_two_equal_hosts(name, programs, hosts, tmp_path):
    build = find(name)
    done = advised(
        build, hosts, launch(build, hosts, 2, [programs(build), STEPS, 3 * PAUSE]), tmp_path
    )
    measures = measure(done.profile)
    assert measures.tables["run"].row(0)["load_balance_out"] > 0.9
    assert finding(measures, "uneven-hosts") is None


@pytest.mark.parametrize("own_memory", [False, True], ids=["common /dev/shm", "own /dev/shm"])
@pytest.mark.parametrize("name", ["ompi4", "mpich4"])
def test_a_rank_on_the_second_host_is_killed(name, own_memory, programs, tmp_path):
    build = find(name)
    with Hosts(2, own_memory) as pair:
        done = advised(
            build,
            pair,
            launch(build, pair, 2, [programs(build), STEPS, PAUSE, "kill", 3]),
            tmp_path,
        )
    ranks = done.profile.tables["ranks"]
    run_row = measure(done.profile).tables["run"].row(0)
    assert done.code not in (0, None) and done.profile.run.exit_code == done.code
    assert run_row["ranks_expected"] == 4
    # What ranks of another host leave in its memory cannot be fetched from here.
    assert sorted(ranks["rank"].tolist()) == ([0, 1] if own_memory else [0, 1, 2, 3])
    assert set(ranks["state"].tolist()) <= {1, 3}
    said = " ".join(done.report.split())
    assert ("2 of 4 ranks did not report: 2-3." in said) == own_memory
    assert "The run was cut off" in said and f"exit code {done.code}" in said


def test_four_hosts_one_rank_each(programs, tmp_path):
    build = find("ompi4")
    with Hosts(4) as four:
        done = advised(build, four, launch(build, four, 1, [programs(build), 2, 1000]), tmp_path)
    assert done.out.split() == [
        word for i, name in enumerate(four.names) for word in (str(i), name)
    ]
    assert done.profile.tables["ranks"]["node"].tolist() == [0, 1, 2, 3]
    assert known_peers(done.profile) == expected_peers(4)
    assert set(done.profile.tables["peers"]["path"]) == {"other"}
    table = done.profile.tables["communicators"]
    classes = {(name, kind) for name, kind in zip(table["name"], table["class"])}
    assert {
        ("host", "self"),
        ("leaders", "one_per_node"),
        ("MPI_COMM_WORLD", "one_per_node"),
    } <= classes
    assert "4 ranks × 1 thread on 4 nodes" in done.report


def left_of(family):
    """What there still is of a family of hosts."""
    return [
        path
        for folder in (STATE, Path("/run/netns"), Path("/etc/netns"))
        for path in folder.glob(f"{family}*")
    ]


def test_nothing_is_left_after_a_failure():
    """A job that still runs when a test fails is ended, and its hosts go."""
    with pytest.raises(ZeroDivisionError):
        with Hosts(2) as pair:
            sleeper = subprocess.Popen(
                [*pair.enter(1), "sh", "-c", "echo there; exec sleep 100"],
                stdout=subprocess.PIPE,
                text=True,
            )
            # Before it is there, it is not to be found among what runs on the host.
            assert sleeper.stdout.readline() == "there\n"
            assert len(left_of(pair.family)) > 4
            raise ZeroDivisionError
    assert (sleeper.wait(timeout=60), left_of(pair.family)) == (-signal.SIGKILL, [])


def test_what_a_killed_run_left_goes_with_the_next():
    script = (
        "import os, signal, fake_hosts\nmade ="
        " fake_hosts.Hosts(1).__enter__()\nprint(made.family)\nos.sys.stdout.flush()\nos.kill(os.getpid(),"
        " signal.SIGKILL)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
    )
    family = done.stdout.strip()
    assert done.returncode == -signal.SIGKILL and left_of(family)
    with Hosts(1):
        assert left_of(family) == []
