"""Each measure of a condition that is yes or no can be both: else half of its rule is dead. What
real commands printed comes first; what they never printed where it could be recorded is named."""

from __future__ import annotations

from functools import lru_cache

import pytest
from analysis.profiles import profile, table
from probing.trees import TWO_SOCKETS, plant, port

from advisor.analysis.measure import measure
from advisor.intake.read import read
from advisor.model.profile import Fact, Library, Node, Profile, Run
from advisor.probing import mpich, openmpi, transports
from advisor.probing.application import recognise
from advisor.probing.node import probe_node
from .test_reachable import REACHABLE, ROOT, asked_of_measures

RECORDED = [*REACHABLE["recorded"], "tests/documents/screens/killed.4r.profile"]
OUTPUTS = ROOT / "tests" / "probing" / "recorded"


def text(name):
    return (OUTPUTS / f"{name}.txt").read_text(encoding="utf-8").split("\n", 1)[1]


def rows(profile, *wanted):
    """table.column → values that are yes or no."""
    found = {}
    for name, each in measure(profile).tables.items():
        for place in range(min(len(each), 100) if not wanted or name in wanted else 0):
            for column, value in each.row(place).items():
                if isinstance(value, bool):
                    found.setdefault(f"{name}.{column}", set()).add(value)
    return found


def of_library(name, facts):
    return rows(Profile(Run("p"), Library(name, "4", facts=facts), (), {}), "library")


def of_openmpi(name):
    facts = {}
    openmpi.parse(text(name), facts)
    return of_library("openmpi", facts)


def of_mvapich2(name):
    facts = {}
    mpich.parse(mpich.parse_version(text(name)), "mvapich2", "test", facts)
    return of_library("mvapich2", facts)


def of_ucx(name):
    names = {each for each, _ in transports.parse_ucx_devices(text(name))}
    kinds = transports.gpu_kinds(names)
    facts = {f"built_with.{kind}": Fact(True, "ucx_info") for kind in kinds}
    shared, source = transports.shares_memory("", frozenset(names))
    return of_library("openmpi", {**facts, "ucx_shared_memory": Fact(shared, source)})


@lru_cache(maxsize=None)
def in_recordings():
    """All that recorded runs and recorded output of libraries' commands give."""
    found = {}
    outputs = sorted(path.stem for path in OUTPUTS.glob("*.txt"))
    given = [rows(read(ROOT / file)) for file in RECORDED]
    given += [of_openmpi(name) for name in outputs if name.startswith("ompi_info-")]
    given += [of_mvapich2(name) for name in outputs if "version-mvapich2" in name]
    given += [of_ucx(name) for name in outputs if name.startswith("ucx_info-d-")]
    for each in given:
        for name, values in each.items():
            found.setdefault(name, set()).update(values)
    return found


PLANTED = {
    # measure → files of /proc, /sys and /dev, as drivers and the kernel write them, that make it so
    "node.cma": {"proc/sys/kernel/yama/ptrace_scope": "1\n"},
    "node.container": {"proc/cpuinfo": "processor\t: 0\n", "proc/self/cgroup": "0::/\n"},
    "node.efa": port("rdmap0s31", "Unspecified", "100 Gb/sec (4X EDR)", vendor="0x1d0f"),
    "node.ethernet_only": port("mlx5_0", "InfiniBand", "100 Gb/sec (4X EDR)"),
    "node.gpu": {"proc/driver/nvidia/gpus/0000:07:00.0/information": ""},
    "node.infiniband": port("mlx5_0", "InfiniBand", "100 Gb/sec (4X EDR)"),
    "node.knem": {"dev/knem": ""},
    "node.omnipath": port("hfi1_0", "InfiniBand", "100 Gb/sec (4X EDR)", vendor="0x8086"),
    "node.roce": port("mlx5_1", "Ethernet", "25 Gb/sec (1X EDR)"),
    "node.slingshot": {"sys/class/cxi/cxi0/device/uevent": ""},
    "node.smt": {},
    "node.xpmem": {"dev/xpmem": ""},
}


@pytest.mark.parametrize("name", PLANTED)
def test_hosts_give_what_no_recorded_run_has(name, tmp_path):
    facts = probe_node(plant(tmp_path, TWO_SOCKETS, PLANTED[name]))
    found = rows(Profile(Run("p"), Library("openmpi", "4"), (Node("n", facts),), {}), "node")
    assert in_recordings()[name] | found[name] == {True, False}


SHOWN = {
    # measure → the test that shows its other value
    "rank.sends_to_all": "tests/analysis/test_serving.py: sends_to_all",
    "rank.serves": "tests/analysis/test_serving.py: who_serves",
    "library.built_with_sharp": "tests/probing/test_library_outputs.py: sharp_of",
    "run.representative": "tests/analysis/test_repetition.py: run.representative",
    "setting.differs": "tests/rules/test_samples.py: settings-differ",
}
NEVER_SEEN = {
    # measure → why its other value was not recorded
    "library.built_with_ze": "no public output of a UCX or an Open MPI built for Level Zero",
}


def of_application(program):
    return rows(
        Profile(Run(program), Library("openmpi", "4"), (), {}, application=recognise(Run(program)))
    )


def test_a_benchmark_is_one():
    assert of_application("osu_allreduce")["application.benchmark"] == {True}


def test_ranks_may_lie_in_turns_on_their_hosts():
    #               hosts of the ranks → blocks
    for hosts, blocks in (([0, 0, 1, 1], True), ([0, 1, 0, 1], False)):
        found = measure(profile([1.0] * 4, nodes=hosts))
        assert found.tables["run"].row(0)["in_blocks"] is blocks


def test_each_rank_may_run_alone():
    worlds = {"communicators": table("communicators", id=[0], size=[1], world=[1])}
    started = Run("a.out", ranks_expected=2)
    found = measure(profile([1.0], run=started, tables=worlds))
    assert found.tables["run"].row(0)["ran_alone"] is True


def test_each_yes_or_no_of_the_book_is_shown_both_ways():
    given = in_recordings()
    here = {"application.benchmark", "run.in_blocks", "run.ran_alone"}
    one = {name for name in asked_of_measures() if len(given.get(name, "both")) == 1}
    assert one == here | set(PLANTED) | set(SHOWN) | set(NEVER_SEEN)
    for name, where in SHOWN.items():
        file, _, word = where.partition(": ")
        assert word in (ROOT / file).read_text(encoding="utf-8"), name
