"""Each sample makes its rule speak, and keeps it silent when it is cured. Real runs under the collector."""

from __future__ import annotations

import os
from typing import Mapping, NamedTuple, Tuple

import pytest
from mpi_builds import BUILDS, find, require

from .real_runs import compile_sample, profile_of, require_cores, verdicts


class Sample(NamedTuple):
    """`ranks` that need a core each if `cores`; `steps`: its first argument; `extra`: environment of both runs."""

    name: str
    rules: Tuple[str, ...]
    ranks: int = 2
    steps: int = 0
    cores: int = 2
    extra: Mapping[str, str] = {}


UCX = {"OMPI_MCA_pml": "ucx", "OMPI_MCA_pml_ucx_tls": "any", "OMPI_MCA_pml_ucx_devices": "any", "OMPI_MCA_osc": "ucx"}
SAMPLES = (
    Sample("uneven_compute", ("uneven-compute",), 4, 53, 1),
    Sample("serial_phase", ("serial-phase-rank-0",), 4, 53, 1),
    Sample("small_messages", ("many-small-messages",), 2, 499),
    Sample("just_above_eager", ("eager-limit-in-host",), 2, 50021),
    Sample("many_barriers", ("many-barriers",), 2, 20011),
    Sample("polling", ("frequent-polling",), 2, 211),
    Sample("communicator_churn", ("communicator-churn",), 2, 5003),
    Sample("small_reductions", ("small-reductions",), 2, 20011),
    Sample("alltoall", ("alltoall-heavy",), 2, 2003),
    Sample("window_create", ("win-create-instead-of-allocate",), 2, 500009),
    Sample("accumulate", ("accumulate-through-ucx",), 2, 200003, extra=UCX),
    Sample("shared_cores", ("ranks-sharing-cores",), 2, 499),
    Sample("threads_one_core", ("threads-share-cores",), 1, 53, extra={"OMP_NUM_THREADS": "2"}),
    Sample("independent_io", ("independent-io", "small-file-requests"), 2, 101),
    Sample("thread_level", ("thread-level-higher-than-used",), 2, 100003),
    Sample("message_habits", ("empty-messages", "synchronous-sends"), 2, 5003),
    Sample("collective_habits", ("reduce-then-broadcast", "gather-then-broadcast"), 2, 5003),
    Sample("alone", ("messages-to-self", "collectives-of-one"), 2, 20011),
    Sample("onesided_habits", ("lock-each-call", "hot-counter", "window-churn"), 2, 127),
    Sample("file_habits", ("files-opened-often", "file-views-often", "shared-file-pointer", "file-sync-often"), 2, 211),
)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_the_rule_speaks_and_is_silent_when_cured(sample, tmp_path):
    build = require(find("ompi4"))
    require_cores(sample.cores)
    said = {}
    for cured in (False, True):
        folder = tmp_path / ("cured" if cured else "faulty")
        folder.mkdir()
        program = compile_sample(build, sample.name, folder, cured)
        said[cured] = verdicts(profile_of(build, ["-n", sample.ranks, program, sample.steps], folder, sample.extra))
    assert {rule: said[False][rule] for rule in sample.rules} == {rule: "found" for rule in sample.rules}
    assert [rule for rule in sample.rules if said[True][rule] in ("found", "unknown")] == []


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_uneven_work_under_every_library(build, tmp_path):
    program = compile_sample(require(build), "uneven_compute", tmp_path, cured=False)
    assert verdicts(profile_of(build, ["-n", 4, program, 53], tmp_path, {}))["uneven-compute"] == "found"


def run_plain(tmp_path, name, line, extra):
    """Verdicts of a sample under Open MPI 4; `line`: a function of the program."""
    build = require(find("ompi4"))
    return verdicts(profile_of(build, line(compile_sample(build, name, tmp_path, cured=False)), tmp_path, extra))


def test_more_ranks_than_cores_come_first(tmp_path):
    """Then nothing is said that rests on time in MPI."""
    ranks = 2 * len(os.sched_getaffinity(0))
    said = run_plain(tmp_path, "many_barriers", lambda program: ["-n", ranks, program, 2003], {})
    rest_on_mpi_time = ("many-barriers", "small-reductions", "collectives-mostly-wait", "many-small-messages", "alltoall-heavy", "cores-taken-by-others")
    assert said["oversubscribed-busy-waiting"] == "found"
    assert {rule: said[rule] for rule in rest_on_mpi_time} == {rule: "moot" for rule in rest_on_mpi_time}


@pytest.mark.parametrize("extra, expected", [
    ({"OMPI_MCA_coll_tuned_allreduce_algorithm": "3"}, "found"),
    ({"OMPI_MCA_coll_tuned_allreduce_algorithm": "3", "OMPI_MCA_coll_tuned_use_dynamic_rules": "1"}, "clear"),
], ids=["alone", "with dynamic rules"])
def test_an_algorithm_that_is_not_used(tmp_path, extra, expected):
    said = run_plain(tmp_path, "thread_level", lambda program: ["-n", 2, program, 101], extra)
    assert said["tuned-algorithm-not-used"] == expected


@pytest.mark.parametrize("extra, expected", [({"OMPI_MCA_btl_vader_single_copy_mechanism": "none"}, "found"), ({}, "clear")], ids=["none", "default"])
def test_single_copy_switched_off(tmp_path, extra, expected):
    require_cores(2)
    said = run_plain(tmp_path, "alltoall", lambda program: ["-n", 2, program, 2003], extra)
    assert said["single-copy"] == expected


def test_settings_that_reach_some_ranks_only(tmp_path):
    def line(program):
        return ["-n", 1, "env", "UCX_RNDV_THRESH=4096", program, 101, ":", "-n", 1, "env", "UCX_RNDV_THRESH=8192", program, 101]

    assert run_plain(tmp_path, "thread_level", line, {})["settings-differ"] == "found"


def test_a_short_run_is_said_to_be_short(tmp_path):
    said = run_plain(tmp_path, "thread_level", lambda program: ["-n", 2, program, 101], {})
    assert said["short-run"] == "found" and said["missing-ranks"] == "clear" and said["run-was-cut"] == "clear"
