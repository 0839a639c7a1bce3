"""Who waited for a lock of a window, and for whom: by the program's own clock, and by what the
collector makes of the slices of time that it kept."""

from __future__ import annotations

import subprocess

import pytest

from advisor.advice import judge, load_rules
from advisor.analysis.measure import measure
from advisor.base import resource_paths
from advisor.intake.read import read
from mpi_builds import REPOSITORY, core_headers, find, preloaded, require, run

HERE = REPOSITORY / "tests" / "waits"
CALLS = ("Win_lock", "Win_unlock")
RULE = "lock-contention"


@pytest.fixture(scope="session")
def simulate(tmp_path_factory):
    """(ranks, calls, room for samples, are locks put off, seed) → what locking.c prints, by its
    words."""
    core, program = (
        REPOSITORY / "collectors" / "core",
        tmp_path_factory.mktemp("locking") / "locking",
    )
    sources = [
        HERE / "locking.c",
        *(core / name for name in ("matching/locking.c", "samples/slices.c", "samples/samples.c")),
    ]
    subprocess.run(
        ["cc", "-O2", *core_headers(), *map(str, sources), "-lm", "-o", str(program)], check=True
    )

    def get(*words):
        reported = subprocess.run(
            [str(program), *map(str, words)], capture_output=True, text=True, check=True
        ).stdout.split()
        return {
            "told": int(reported[1]),
            "all": int(reported[3]),
            "wrong": int(reported[5]),
            "true": float(reported[7]),
            "estimated": float(reported[9]),
            "share": float(reported[11]),
        }

    return get


@pytest.mark.parametrize("put_off", (0, 1, 2))
@pytest.mark.parametrize("ranks, room", ((2, 6000), (2, 1024), (5, 512), (40, 64)))
def test_what_is_told_of_a_call_is_true(ranks, room, put_off, simulate):
    """However few slices of time are kept, of each moment in one of them it is known whether a call
    waited, also if who let it wait gave back long after."""
    for seed in range(1, 6):
        found = simulate(ranks, 6000, room, put_off, seed)
        assert found["wrong"] == 0 and found["told"] > 0
        assert (found["share"] == 1) == (found["told"] == found["all"]) == (room == 6000)


def test_slices_are_a_fair_sample(simulate):
    """Mean over sixty simulated jobs of which a sixteenth or so is kept: 5 % of the truth."""
    found = [simulate(4, 6000, 1024, seed % 3, seed) for seed in range(1, 61)]
    assert sum(one["estimated"] for one in found) == pytest.approx(
        sum(one["true"] for one in found), rel=0.05
    )
    assert all(one["told"] < one["all"] and one["share"] < 1 for one in found)


def profiled(build, collector, program, folder, ranks, *words, source="locks.c"):
    """What the program says of itself, and the profile."""
    folder.mkdir()
    line = [
        *preloaded(collector(build), folder, "ADVISOR_RUN=locks"),
        str(program(build, source)),
        *map(str, words),
    ]
    done = run(build, ranks, line)
    assert done.returncode == 0, done.stderr
    words = done.stdout.split()
    return dict(zip(words[::2], map(float, words[1::2]))), read(folder / "merged.profile")


def estimate(profile, operation):
    """Estimated wait of all ranks in one operation, and half its interval; s."""
    columns, ranks = (
        measure(profile).tables["operation"].columns,
        len(profile.tables["ranks"]["rank"]),
    )
    row, wait = list(columns["name"].values).index(operation), columns["wait"]
    return wait.values[row] * ranks, (wait.high[row] - wait.low[row]) / 2 * ranks


@pytest.mark.parametrize("name", ("ompi4", "ompi5", "mpich4", "mpich5"))
@pytest.mark.parametrize("how", ("exclusive", "mixed", "late", "all"))
def test_waits_for_locks(name, how, collector, program, tmp_path):
    """All calls are kept: what differs is 0.1 µs between the program's clock and ours, and being
    preempted in between."""
    true, profile = profiled(require(find(name)), collector, program, tmp_path / "out", 3, how, 150)
    assert true["result"] == 300  # of the program itself: nothing that it did was lost
    waits = profile.tables["waits"]
    for operation, expected in (("Win_lock", true["wait"]), ("Win_unlock", true["unlock"])):
        chosen = waits["operation"] == operation
        assert (
            waits["sampled"][chosen].sum()
            == waits["calls"][chosen].sum()
            == 2 * (100 if how == "all" else 150) + 3
        )
        assert estimate(profile, operation)[0] == pytest.approx(
            expected, rel=0.03, abs=300 * 2e-6 + 0.005
        )
    assert true["wait"] + true["unlock"] > 0.005 or how == "late"


@pytest.mark.parametrize("name", ("ompi4", "mpich4"))
def test_shared_locks_do_not_wait_for_each_other(name, collector, program, tmp_path):
    true, profile = profiled(
        require(find(name)), collector, program, tmp_path / "out", 3, "shared", 150
    )
    assert true["wait"] == true["unlock"] == 0
    assert [estimate(profile, operation)[0] for operation in CALLS] == pytest.approx(
        [0.0, 0.0], abs=1e-6
    )


def test_for_whom_a_lock_was_waited(collector, program, tmp_path):
    """One of three holds it seven times as long, if the machine lets it: where it had no core while
    the others went through, the program runs again. Of waits that are not for locks the culprit
    is not known here: they may be for anybody."""
    for number in range(3):
        true, profile = profiled(
            require(find("ompi4")), collector, program, tmp_path / f"out{number}", 3, "uneven", 100
        )
        if 0 < true["caused"] < 1:
            break
    late, waits = profile.tables["delays"], profile.tables["waits"]
    caused = [float(late["delay_cost"][late["rank"] == rank].sum()) for rank in range(3)]
    others = sum(
        float(wait)
        for operation, wait in zip(waits["operation"].tolist(), waits["wait"].tolist())
        if operation not in CALLS
    )
    of_first, of_others = (
        part * (true["wait"] + true["unlock"]) for part in (true["caused"], 1 - true["caused"])
    )
    assert min(of_first, of_others) > 0.002
    for found, expected in ((caused[0], of_first), (sum(caused[1:]), of_others)):
        assert 0.97 * expected - 0.001 <= found <= 1.03 * expected + others + 0.001


def test_more_epochs_than_there_is_room_for(collector, program, tmp_path):
    """Six thousand short epochs of each of two ranks: a part of the slices is kept, and stands for
    the others. On a machine that others use too, hardly one may have been kept: once more then."""
    for number in range(3):
        true, profile = profiled(
            require(find("ompi4")),
            collector,
            program,
            tmp_path / f"out{number}",
            3,
            "exclusive",
            6000,
        )
        waits = profile.tables["waits"]
        chosen = waits["operation"] == "Win_lock"
        if waits["sampled"][chosen].sum() > 100:
            break
    assert (
        100 < waits["sampled"][chosen].sum() < waits["calls"][chosen].sum()
        and waits["calls"][chosen].sum() >= 12000
    )
    found, half = estimate(profile, "Win_lock")
    # One of twenty intervals may miss it, and a test must not fail that often: twice the interval.
    assert abs(found - true["wait"]) <= 2 * half + 0.02 * true["wait"]


def test_hosts_whose_clocks_run_apart(collector, program, tmp_path):
    """Rank 1 of three is on a host 3 s ahead that gains 1 ms a second: it takes slices of 4 ms for
    others near their edges only, and what is there is left out."""
    build, bent = require(find("ompi4")), tmp_path / "bent.so"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-O1", str(HERE / "bent_clock.c"), "-ldl", "-o", str(bent)],
        check=True,
    )
    true, profile = profiled(
        build,
        lambda build: f"{bent}:{collector(build)}",
        program,
        tmp_path / "out",
        3,
        "exclusive",
        150,
    )
    waits = profile.tables["waits"]
    chosen = waits["operation"] == "Win_lock"
    assert (
        len(profile.nodes) == 2
        and 100 < waits["sampled"][chosen].sum() <= waits["calls"][chosen].sum() == 303
    )
    found, half = estimate(profile, "Win_lock")
    unresolved = float(waits["unresolved"][chosen].sum())
    assert found == pytest.approx(true["wait"], rel=0.05, abs=2 * half + unresolved)


def verdict(profile):
    """Of the rule on waiting for locks: found, clear, unknown or moot."""
    rules = [rule for rule in load_rules([resource_paths.rules()]) if rule.id == RULE]
    advice = judge(measure(profile), rules)
    known = {
        **{silence.rule: silence.verdict.value for silence in advice.silences},
        **{finding.rule: "found" for finding in advice.findings},
    }
    return known[RULE]


@pytest.mark.parametrize("how, expected", (("uneven", "found"), ("shared", "clear")))
def test_the_rule_on_waiting_for_locks(how, expected, collector, program, tmp_path):
    _, profile = profiled(require(find("ompi4")), collector, program, tmp_path / "out", 2, how, 300)
    if measure(profile).tables["run"].row(0)["no_core_share"] > 0.05:
        pytest.skip("other load took the cores: the rule says nothing then")
    assert verdict(profile) == expected


def test_without_exclusive_locks_flushes_and_locks_of_all_wait_for_nobody(
    collector, program, tmp_path
):
    """All of their time is moving, and known: no gap."""
    build = require(find("ompi4"))
    done = run(
        build, 2, [*preloaded(collector(build), tmp_path), program(build, "flushes.c"), "500"]
    )
    assert done.returncode == 0, done.stderr
    profile = read(tmp_path / "merged.profile")
    table = profile.tables["waits"]
    calls = {
        name: int(table["calls"][table["operation"] == name].sum())
        for name in set(table["operation"])
    }
    assert calls == {
        "Win_lock_all": 2,
        "Win_flush": 1000,
        "Win_flush_local_all": 1000,
        "Win_unlock_all": 2,
    }
    assert (
        table["wait"].sum() == 0
        and (table["duration"] == table["time"]).all()
        and table["time"].sum() > 0
    )
    assert [gap for gap in profile.gaps if gap.subject.startswith("waits")] == []
