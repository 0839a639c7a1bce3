"""What an instrumented program is handed, what of it the user set himself, and how such a program
is told from others."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from advisor.launching.parse.line import parse
from advisor.launching.run import scorep
from advisor.launching.run.instrumented import instrumented, plainly
from advisor.probing.papi import PRESETS, names
from advisor.probing.scorep import features


def settings(tmp_path, wanted=scorep.UserOptions(), environment={}, words=("./a",)):
    """(variables for the ranks, what was said)."""
    said = []
    return (
        scorep.settings(
            tmp_path / "scorep",
            wanted,
            scorep.users(parse(words, environment), environment),
            said.append,
        ),
        said,
    )


def test_profile_of_all_that_may_take_time(tmp_path):
    assert settings(tmp_path) == (
        {
            "SCOREP_EXPERIMENT_DIRECTORY": str(tmp_path / "scorep"),
            "SCOREP_ENABLE_PROFILING": "true",
            "SCOREP_ENABLE_TRACING": "false",
            "SCOREP_TOTAL_MEMORY": str(64 << 20),
            "SCOREP_MPI_ENABLE_GROUPS": "cg,coll,env,io,p2p,rma,spawn,topo,type,xnonblock",
            "SCOREP_MPI_MAX_COMMUNICATORS": "1000",
            "SCOREP_MPI_MAX_GROUPS": "1000",
            "SCOREP_MPI_MAX_WINDOWS": "1000",
        },
        [],
    )


def test_options(tmp_path):
    filter_file = tmp_path / "f.filter"
    found, said = settings(
        tmp_path,
        scorep.UserOptions(
            "size=67108864", str(filter_file), ("PAPI_TOT_INS", "PAPI_TOT_CYC"), ("ru_utime",)
        ),
    )
    assert {
        name: found[name]
        for name in (
            "SCOREP_ENABLE_TRACING",
            "SCOREP_TOTAL_MEMORY",
            "SCOREP_FILTERING_FILE",
            "SCOREP_METRIC_PAPI",
            "SCOREP_METRIC_RUSAGE",
        )
    } == {
        "SCOREP_ENABLE_TRACING": "true",
        "SCOREP_TOTAL_MEMORY": str(128 << 20),
        "SCOREP_FILTERING_FILE": str(filter_file),
        "SCOREP_METRIC_PAPI": "PAPI_TOT_INS,PAPI_TOT_CYC",
        "SCOREP_METRIC_RUSAGE": "ru_utime",
    } and said == []


def test_of_a_trace_score_p_can_only_bound_the_memory(tmp_path):
    found, said = settings(tmp_path, scorep.UserOptions("last=60:size=99999999999"))
    assert found["SCOREP_TOTAL_MEMORY"] == str(4000 << 20) and said == [
        "Score-P traces the whole run: only size= of --trace is its."
    ]


@pytest.mark.parametrize(
    "environment, words",
    [
        ({"SCOREP_TOTAL_MEMORY": "16M"}, ("mpirun.openmpi", "-n", "2", "./a")),
        ({}, ("mpirun.openmpi", "-n", "2", "-x", "SCOREP_TOTAL_MEMORY=16M", "./a")),
        (
            {"SCOREP_TOTAL_MEMORY": "1M"},
            ("mpirun.openmpi", "-n", "2", "env", "SCOREP_TOTAL_MEMORY=16M", "./a"),
        ),
        ({}, ("srun", "--export=ALL,SCOREP_TOTAL_MEMORY=16M", "./a")),
    ],
)
def test_what_the_user_set_stays_and_is_said(tmp_path, environment, words):
    found, said = settings(tmp_path, environment=environment, words=words)
    assert "SCOREP_TOTAL_MEMORY" not in found
    assert said == ["SCOREP_TOTAL_MEMORY=16M is yours and stays; advisor would have set 67108864."]


def test_an_option_is_stronger_than_the_environment_and_that_is_said(tmp_path):
    found, said = settings(
        tmp_path,
        scorep.UserOptions("size=1048576"),
        {"SCOREP_ENABLE_TRACING": "false", "SCOREP_ENABLE_PROFILING": "true"},
    )
    assert found["SCOREP_ENABLE_TRACING"] == "true" and "SCOREP_ENABLE_PROFILING" not in found
    assert said == [
        "SCOREP_ENABLE_TRACING=true is used in place of your SCOREP_ENABLE_TRACING=false, as the"
        " option asks."
    ]


def test_files_of_an_earlier_job_are_not_of_this_one(tmp_path):
    (tmp_path / "profile.cubex").write_bytes(b"old")
    experiment = scorep.Experiment(tmp_path, scorep.stamps(tmp_path))
    assert experiment.file("profile.cubex") is None
    (tmp_path / "profile.cubex").rename(tmp_path / "aside")
    (tmp_path / "profile.cubex").write_bytes(b"new")
    assert (
        experiment.file("profile.cubex") == tmp_path / "profile.cubex"
        and experiment.file("traces.otf2") is None
    )


SOURCE = "int SCOREP_x(void); int main(void) { return %s; }\n"


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """Programs that look like instrumented ones: with the shared library, with the static one
    (stripped), with neither."""
    cc = shutil.which("cc") or pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("instrumented")
    (folder / "shared.c").write_text("int SCOREP_x(void) { return 0; }\n")
    (folder / "static.c").write_text(
        'const char *SCOREP_name = "scorep-measurement-tmp"; int SCOREP_x(void) { return'
        " !*SCOREP_name; }\n"
    )
    (folder / "main.c").write_text(SOURCE % "SCOREP_x()")
    (folder / "plain.c").write_text(SOURCE % 0)
    (folder / "mpi.c").write_text("int MPI_x;\n")
    mpi = ["-shared", "-fPIC", "-Wl,-soname,libmpi.so.40", "-o", "libmpi.so.40", "mpi.c"]
    library = [
        "-shared",
        "-fPIC",
        "-Wl,-soname,libscorep_measurement.so.11",
        "-o",
        "libscorep_measurement.so.11",
        "shared.c",
    ]
    linked = ["-Wl,-rpath," + str(folder), "-Wl,--no-as-needed"]
    for words in (
        mpi,
        library,
        ["-o", "shared", *linked, "main.c", "libscorep_measurement.so.11"],
        ["-s", "-o", "static", "main.c", "static.c"],
        ["-o", "plain", *linked, "plain.c", "libmpi.so.40"],
    ):
        subprocess.run([cc, *words], cwd=folder, check=True)
    (folder / "hidden.py").write_text("#!/usr/bin/env python3\n")
    (folder / "job.sh").write_text(f'#!/bin/sh\nexec {folder}/static "$@"\n')
    (folder / "plain.sh").write_text(f'#!/bin/sh\nexec {folder}/plain "$@"\n')
    for script in folder.glob("*.[sp][hy]"):
        script.chmod(0o755)
    return folder


@pytest.mark.parametrize(
    "words, expected",
    [
        (["{}/shared"], True),
        (["{}/static"], True),
        (["{}/plain"], False),
        (["{}/job.sh"], True),
        (["{}/plain.sh"], False),
        (["{}/hidden.py"], None),
        (["mpirun.openmpi", "-n", "1", "{}/static", ":", "-n", "1", "{}/plain"], False),
        (["mpirun.openmpi", "-n", "2", "numactl", "-l", "{}/shared"], True),
        (["./not-here"], None),
    ],
    ids=lambda value: " ".join(value).replace("{}/", "") if isinstance(value, list) else None,
)
def test_instrumented_programs_are_told_from_others(programs, words, expected):
    environment = {"PATH": "/usr/bin:/bin"}
    assert (
        instrumented(parse([word.format(programs) for word in words], environment), environment)
        is expected
    )


@pytest.mark.parametrize(
    "word, expected",
    [("shared", True), ("static", True), ("plain", False), ("job.sh", False), ("not-here", False)],
)
def test_what_the_file_of_a_program_shows(programs, word, expected):
    assert (
        plainly(
            parse(["mpirun.openmpi", "-n", "2", f"{programs}/{word}"], {}),
            {"PATH": "/usr/bin:/bin"},
        )
        is expected
    )


def test_names_of_counters():
    assert names("all") == tuple(PRESETS.values()) and names("") == ()
    assert names("cycles, perf::PAGE-FAULTS,ru_utime,cycles") == (
        "PAPI_TOT_CYC",
        "perf::PAGE-FAULTS",
    )


def test_features_in_a_summary():
    # Lines of `scorep-info config-summary` of Score-P 8.4.
    summary = (
        "    Score-P (MPI backend):\n      MPI C99 compiler:         /opt/bin/mpicc (gnu 12.2.0)\n "
        "     PAPI support:             no\n      Unwinding support:        \x1b[1;34myes\x1b[m\n"
    )
    assert (
        features(summary) == ["without PAPI", "with unwinding", "for /opt/bin/mpicc (gnu 12.2.0)"]
        and features("") == []
    )
