"""Each sample makes its rule speak, and keeps it silent when it is cured. Real runs under the
collector."""

from __future__ import annotations

import os
from typing import Mapping, NamedTuple, Tuple

import pytest
from mpi_builds import BUILDS, find, require

from advisor.advice import judge, load_rules
from advisor.analysis import measure
from advisor.base import resource_paths
from advisor.intake import read
from advisor.reports.compose import compose

from .real_runs import compile_sample, judged, profile_of, require_cores, verdicts


class Sample(NamedTuple):
    """`ranks` that need a core each if `cores`; `steps`, `pattern`: its arguments; `extra`:
    environment of both runs.

    `fault`, `front`: environment, and words before the program, of the faulty run only; `cure`:
    environment of the cured run only. `build`: under which library.
    """

    name: str
    rules: Tuple[str, ...]
    ranks: int = 2
    steps: int = 0
    cores: int = 2
    extra: Mapping[str, str] = {}
    pattern: str = ""
    fault: Mapping[str, str] = {}
    front: Tuple[str, ...] = ()
    build: str = "ompi4"
    cure: Mapping[str, str] = {}

    def __str__(self) -> str:
        return " ".join(filter(None, (self.name, self.pattern, *self.fault)))


LAYER = {"OMPI_MCA_pml": "ucx", "OMPI_MCA_pml_ucx_tls": "any", "OMPI_MCA_pml_ucx_devices": "any"}
UCX = {**LAYER, "OMPI_MCA_osc": "ucx"}
SAMPLES = (
    Sample("uneven_compute", ("uneven-compute",), 4, 37, 1, pattern="asleep"),
    Sample("serial_phase", ("serial-phase-rank-0",), 4, 37, 1, pattern="asleep"),
    Sample("small_messages", ("many-small-messages",), 2, 499),
    Sample("many_barriers", ("many-barriers",), 2, 20011),
    Sample("polling", ("frequent-polling",), 2, 211, extra={"OMPI_MCA_mpi_yield_when_idle": "0"}),
    Sample("small_reductions", ("small-reductions",), 2, 20011),
    Sample("alltoall", ("alltoall-heavy",), 2, 2003),
    Sample("accumulate", ("accumulate-through-ucx",), 2, 200003, extra=UCX),
    Sample("shared_cores", ("ranks-sharing-cores",), 2, 499),
    Sample("threads_one_core", ("threads-share-cores",), 1, 53, extra={"OMP_NUM_THREADS": "2"}),
    Sample("independent_io", ("independent-io", "small-file-requests"), 2, 101),
)
CORES = str(len(os.sched_getaffinity(0)))
MORE = (
    Sample("just_above_eager", ("eager-limit-in-host",), 2, 50021),
    Sample("communicator_churn", ("communicator-churn",), 2, 5003),
    Sample("window_create", ("win-create-instead-of-allocate",), 2, 500009),
    Sample("task_counter", ("target-without-progress",), 2, 401),
    Sample("thread_level", ("thread-level-higher-than-used",), 2, 100003),
    Sample("message_habits", ("empty-messages", "synchronous-sends"), 2, 5003),
    Sample("collective_habits", ("reduce-then-broadcast", "gather-then-broadcast"), 2, 5003),
    Sample("local_calls", ("local-calls",), 2, 2003),
    Sample("alone", ("messages-to-self", "collectives-of-one"), 2, 20011),
    Sample("onesided_habits", ("lock-each-call", "hot-counter", "window-churn"), 2, 127),
    Sample("file_habits", ("files-opened-often", "file-views-often"), 2, 2003, pattern="open"),
    Sample("file_habits", ("shared-file-pointer",), 2, 211, pattern="pointer"),
    Sample("file_habits", ("file-sync-often",), 2, 211, pattern="sync"),
    Sample("small_puts", ("fence-for-few-calls", "many-small-puts", "dynamic-windows"), 2, 20011),
    Sample(
        "root_habits",
        ("rank-0-collects-everything", "one-rank-does-the-io"),
        2,
        211,
        pattern="collect",
    ),
    Sample("root_habits", ("root-driven-loop",), 2, 50021, pattern="drive"),
    Sample("root_habits", ("collective-io-heavy",), 2, 601, pattern="blocks"),
    Sample(
        "waiting_habits",
        ("first-call-takes-longest", "collectives-mostly-wait"),
        2,
        211,
        pattern="first",
    ),
    Sample("waiting_habits", ("uneven-later",), 2, 211, pattern="later"),
    Sample("waiting_habits", ("drifting-imbalance",), 2, 211, pattern="drifting"),
    Sample("waiting_habits", ("uneven-phases",), 2, 211, pattern="phases"),
    Sample("waiting_habits", ("warm-up",), 2, 211, pattern="warmup"),
    Sample("waiting_habits", ("moving-dominates",), 2, 2003, pattern="moving"),
    Sample("waiting_habits", ("large-broadcasts",), 2, 2003, pattern="broadcast"),
    Sample("communicator_churn", ("communicators-not-freed",), 2, 1009, 1, pattern="keep"),
    Sample(
        "waiting_habits", ("nonblocking-collectives-without-progress",), 2, 499, pattern="overlap"
    ),
    Sample("waiting_habits", ("buffered-sends",), 2, 5003, pattern="buffered"),
    Sample(
        "wait_states",
        (
            "late-sender",
            "late-receiver",
            "late-in-completion",
            "wait-at-collective",
            "late-broadcast",
            "early-reduce",
        ),
        2,
        31,
        pattern="all",
    ),
    Sample("wait_states", ("late-sender",), 4, 61, 4, pattern="receive"),
    Sample("wait_states", ("late-in-turns",), 4, 61, 4, pattern="sum"),
    Sample("ping_pong", ("ucx-in-host",), 2, 2000003, cure=LAYER, build="ompi5"),
    Sample("thread_calls", ("thread-level-too-low",), 2, 101),
    Sample("memory", ("one-rank-holds-the-memory",), 4, 11, 1),
    Sample(
        "healthy",
        ("more-threads-asked-than-cores",),
        2,
        53,
        extra={"OMP_NUM_THREADS": "1"},
        fault={"OMP_NUM_THREADS": CORES},
    ),
    Sample(
        "healthy",
        ("slurm-cores-per-task-lost",),
        1,
        53,
        extra={"SLURM_CPUS_PER_TASK": "2", "OMP_NUM_THREADS": "2"},
        front=("taskset", "-c", "0"),
    ),
    Sample(
        "healthy",
        ("async-progress-on-full-hosts",),
        int(CORES),
        53,
        fault={"MPIR_CVAR_ASYNC_PROGRESS": "1"},
        build="mpich4",
    ),
    Sample(
        "healthy",
        ("threads-without-work",),
        1,
        1009,
        extra={"OMP_NUM_THREADS": "1"},
        fault={"OMP_NUM_THREADS": "2"},
    ),
    Sample("healthy", ("long-start-up",), 2, 1009, front=("sh", "-c", 'sleep 9; "$@"', "sh")),
)
"""These run with ADVISOR_TEST_LONG=1."""


MUCH = 0.1
"""Of the run: who had no core for so long waits for that, and little else shows."""


def both_ways(sample, tmp_path):
    """Verdicts of the faulty run and of the cured one, and the share of each without a core."""
    build = require(find(sample.build))
    require_cores(sample.cores)
    for cured in (False, True):
        folder = tmp_path / ("cured" if cured else "faulty")
        folder.mkdir()
        program = compile_sample(build, sample.name, folder, cured)
        line = [
            "-n",
            sample.ranks,
            *(() if cured else sample.front),
            program,
            sample.steps,
            *filter(None, [sample.pattern]),
        ]
        result = profile_of(
            build, line, folder, {**sample.extra, **(sample.cure if cured else sample.fault)}
        )
        lost = measure(read(result)).tables["run"].row(0)["no_core_share"]
        yield verdicts(result), lost or 0.0


def check_sample(sample, tmp_path):
    (faulty, lost), (cured, _) = both_ways(sample, tmp_path)
    found = {rule: faulty[rule] for rule in sample.rules}
    expected = {rule: "found" for rule in sample.rules}
    if found != expected and lost > MUCH:
        pytest.skip(f"other load took the cores for {lost:.0%} of the run: {found}")
    assert found == expected
    assert [rule for rule in sample.rules if cured[rule] in ("found", "unknown")] == []


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_the_rule_speaks_and_is_silent_when_cured(sample, tmp_path):
    check_sample(sample, tmp_path)


@pytest.mark.skipif(
    os.environ.get("ADVISOR_TEST_LONG") != "1",
    reason="takes minutes: runs with ADVISOR_TEST_LONG=1",
)
@pytest.mark.parametrize("sample", MORE, ids=str)
def test_more_rules_speak_and_are_silent_when_cured(sample, tmp_path):
    check_sample(sample, tmp_path)


@pytest.mark.parametrize("build", [build for build in BUILDS if build.name != "ompi4"], ids=str)
def test_uneven_work_under_every_other_library(build, tmp_path):
    program = compile_sample(require(build), "uneven_compute", tmp_path, cured=False)
    assert (
        verdicts(profile_of(build, ["-n", 4, program, 37, "asleep"], tmp_path, {}))[
            "uneven-compute"
        ]
        == "found"
    )


def test_a_rank_that_sleeps_does_not_compute(tmp_path):
    """With the limits of the book."""
    program = compile_sample(require(find("ompi4")), "uneven_compute", tmp_path, cured=False)
    result = profile_of(find("ompi4"), ["-n", 4, program, 37, "asleep"], tmp_path, {})
    advice = judge(measure(read(result)), load_rules([resource_paths.rules()]))
    found = {finding.rule: finding for finding in advice.findings}
    assert "rank 3 is asleep outside MPI" in found["late-rank-asleep"].title
    assert {rule for rule in ("uneven-compute", "asleep-outside-mpi") if rule in found} == set()
    assert "rank 3 sleeps outside MPI" in compose(advice).screen.verdict


def run_plain(tmp_path, name, line, extra):
    """Verdicts of a sample under Open MPI 4; `line`: a function of the program."""
    build = require(find("ompi4"))
    return verdicts(
        profile_of(build, line(compile_sample(build, name, tmp_path, cured=False)), tmp_path, extra)
    )


def test_more_ranks_than_cores_come_first(tmp_path):
    """Then nothing is said that rests on time in MPI."""
    ranks = 2 * len(os.sched_getaffinity(0))
    said = run_plain(tmp_path, "many_barriers", lambda program: ["-n", ranks, program, 2003], {})
    rest_on_mpi_time = (
        "many-barriers",
        "small-reductions",
        "collectives-mostly-wait",
        "many-small-messages",
        "alltoall-heavy",
        "cores-taken-by-others",
    )
    assert said["oversubscribed-busy-waiting"] == "found"
    assert {rule: said[rule] for rule in rest_on_mpi_time} == {
        rule: "moot" for rule in rest_on_mpi_time
    }


@pytest.mark.parametrize(
    "name, line, rule",
    [
        ("healthy", [53], "asleep-outside-mpi"),
        ("polling", [211, "pause"], "pauses-between-polls"),
    ],
)
def test_ranks_that_sleep_instead_of_computing(name, line, rule, tmp_path):
    """With the limits of the book."""
    program = compile_sample(require(find("ompi4")), name, tmp_path, cured=False)
    result = profile_of(find("ompi4"), ["-n", 2, program, *line], tmp_path, {})
    advice = judge(measure(read(result)), load_rules([resource_paths.rules()]))
    found = {finding.rule for finding in advice.findings}
    assert {"asleep-outside-mpi", "pauses-between-polls"} & found == {rule}


@pytest.mark.parametrize("options, expected", [([], True), (["-DCURED"], False)])
def test_a_late_rank_behind_polls(options, expected, tmp_path):
    """The rank that polls seems to compute as long as the one that it waits for."""
    require_cores(2)
    build = require(find("ompi4"))
    program = compile_sample(build, "polling", tmp_path, cured=bool(options))
    result = profile_of(build, ["-n", 2, program, 211, "look"], tmp_path, {})
    advice = judged(read(result))
    if advice.measures.tables["run"].row(0)["no_core_share"] > 0.05:
        pytest.skip("other load took the cores: the rule says nothing then")
    said = {each.rule: each for each in advice.findings}
    assert ("polled-late-rank" in said) == expected
    assert not expected or said["polled-late-rank"].subject.startswith("Rank 0 on ")


@pytest.mark.parametrize(
    "extra, expected",
    [
        ({"OMPI_MCA_coll_tuned_allreduce_algorithm": "3"}, "found"),
        (
            {
                "OMPI_MCA_coll_tuned_allreduce_algorithm": "3",
                "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
            },
            "clear",
        ),
    ],
    ids=["alone", "with dynamic rules"],
)
def test_an_algorithm_that_is_not_used(tmp_path, extra, expected):
    said = run_plain(tmp_path, "thread_level", lambda program: ["-n", 2, program, 101], extra)
    assert said["tuned-algorithm-not-used"] == expected


@pytest.mark.parametrize(
    "extra, expected",
    [({"OMPI_MCA_btl_vader_single_copy_mechanism": "none"}, "found"), ({}, "clear")],
    ids=["none", "default"],
)
def test_single_copy_switched_off(tmp_path, extra, expected):
    require_cores(2)
    said = run_plain(tmp_path, "alltoall", lambda program: ["-n", 2, program, 2003], extra)
    assert said["single-copy"] == expected


def test_settings_that_reach_some_ranks_only(tmp_path):
    def line(program):
        return [
            "-n",
            1,
            "env",
            "UCX_RNDV_THRESH=4096",
            program,
            101,
            ":",
            "-n",
            1,
            "env",
            "UCX_RNDV_THRESH=8192",
            program,
            101,
        ]

    assert run_plain(tmp_path, "thread_level", line, {})["settings-differ"] == "found"


SHORT_RUNS = [
    # sample, ranks, steps       too little repeated  rule with a predicted gain
    # messages only, two seconds
    ("message_habits", 2, 20011, "clear", "synchronous-sends"),
    # collective calls, some seconds
    ("uneven_compute", 4, 29, "clear", "uneven-compute"),
    ("uneven_compute", 4, 1, "found", None),
]


def no_core_share(advice):
    return advice.measures.tables["run"].row(0)["no_core_share"]


@pytest.mark.parametrize("name", ("ompi4", "mpich4"))
@pytest.mark.parametrize("sample, ranks, steps, short, gain", SHORT_RUNS)
def test_a_short_run_is_judged_by_what_it_repeats(
    name, sample, ranks, steps, short, gain, tmp_path
):
    build = require(find(name))
    result = profile_of(
        build,
        ["-n", ranks, compile_sample(build, sample, tmp_path, cured=False), steps, "asleep"],
        tmp_path,
        {},
    )
    said, advice = verdicts(result), judged(read(result))
    assert (said["short-run"], said["missing-ranks"], said["run-was-cut"]) == (
        short,
        "clear",
        "clear",
    )
    gains = {
        finding.rule for finding in advice.findings if finding.saving and finding.saving.high > 0
    }
    if gain and gain not in gains and no_core_share(advice) > 0.05:
        pytest.skip("other load took the cores: transfer of two seconds is a small part then")
    assert gain in gains if gain else not gains
    assert sum(banner.startswith("Unrepresentative") for banner in advice.measures.banners) == (
        short == "found"
    )
