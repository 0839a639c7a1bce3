"""`advisor run` with every MPI build that is here: the job cannot tell that we are there."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from counted import counted
from mpi_builds import BUILDS, advisor_run, compiling_one, environment, find, require

from advisor import intake

PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, size, letter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 7; i++) MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        for (int i = 1; i < argc; i++) printf("[%s]", argv[i]);
        printf(" %d\n", size);
        if (argc > 1 && !strcmp(argv[1], "stdin")) for (int i = 0; i < 8 && (letter = getchar()) != EOF; i++) putchar(letter);
        fflush(stdout);
    }
    if (argc > 1 && !strcmp(argv[1], "sleep")) { if (rank == 0) { sleep(1); puts("ready"); fflush(stdout); } sleep(atoi(argv[2])); }
    if (argc > 1 && !strcmp(argv[1], "abort") && rank == 1) MPI_Abort(MPI_COMM_WORLD, 5);
    if (argc > 1 && !strcmp(argv[1], "abort")) MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1 && !strcmp(argv[1], "kill")) { MPI_Barrier(MPI_COMM_WORLD); sleep(1); raise(9); }
    MPI_Finalize();
    return argc > 2 && !strcmp(argv[1], "exit") ? atoi(argv[2]) : 0;
}
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """build → the program compiled with it."""
    text = PROGRAM.replace("#include <stdio.h>", "#include <signal.h>\n#include <stdio.h>")
    return compiling_one(tmp_path_factory.mktemp("programs"), text)


def advised(build, words, *options, cwd, **more):
    """`advisor run OPTIONS -- WORDS`, finished."""
    line = [sys.executable, "-m", "advisor", "run", *options, "--", *map(str, words)]
    extra = {"PYTHONPATH": str(Path(__file__).resolve().parents[2]), **more.pop("extra", {})}
    env = environment(build, extra)
    return subprocess.run(line, env=env, cwd=cwd, capture_output=True, timeout=120, **more)


def profile(folder):
    """The only result in a folder."""
    (result,) = Path(folder).glob("*.advisor")
    return intake.read(result)


def barriers(result):
    """Calls of MPI_Barrier per rank."""
    return counted(result, "Barrier")


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_output_is_the_same_and_the_calls_are_counted(build, programs, tmp_path):
    line = [*build.launcher, "-n", "3", programs(build), "a b", "--flag", "$X"]
    plain = subprocess.run(
        line, env=environment(build), cwd=tmp_path, capture_output=True, timeout=60
    )
    done = advised(build, line, cwd=tmp_path)
    assert (done.stdout, done.returncode) == (plain.stdout, 0), done.stderr.decode()
    result = profile(tmp_path)
    assert barriers(result) == {0: 7, 1: 7, 2: 7}
    assert (result.run.ranks_expected, result.run.exit_code) == (3, 0)


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_stdin_reaches_rank_0(build, programs, tmp_path):
    """The program reads as much as there is, not to the end: Open MPI 5.0.11 never hands on the
    end."""
    line = [*build.launcher, "-n", "2", programs(build), "stdin"]
    done = advised(build, line, "--no-report", cwd=tmp_path, input=b"one\ntwo\n")
    assert done.stdout == b"[stdin] 2\none\ntwo\n", done.stderr.decode()


def unless_sigpipe(start, folder, tries=4):
    """The first of some runs whose launcher did not die of SIGPIPE; its folder beside the result.

    Intel's launcher alone, of a job that is aborted, does so in 1 of 120 runs on a loaded machine:
    it writes to a proxy that has left."""
    for number in range(tries):
        at = folder / str(number)
        at.mkdir(parents=True)
        done = start(at)
        done.folder = at
        if done.returncode not in (-signal.SIGPIPE, 128 + signal.SIGPIPE):
            break
    return done


@pytest.mark.parametrize("build", BUILDS, ids=str)
@pytest.mark.parametrize(
    "arguments, left",
    [(["exit", "3"], 7), (["abort"], None), (["kill"], 8)],
    ids=["exit-3", "abort", "kill"],
)
def test_codes_are_the_launchers(build, arguments, left, programs, tmp_path):
    """And ranks that died left what they had counted; in a job that is aborted one of them may
    still be in its last barrier."""
    line = [*build.launcher, "-n", "2", programs(build), *arguments]
    plain = unless_sigpipe(
        lambda at: subprocess.run(
            line, env=environment(build), cwd=at, capture_output=True, timeout=60
        ),
        tmp_path / "plain",
    )
    done = unless_sigpipe(lambda at: advised(build, line, "--no-report", cwd=at), tmp_path / "ours")
    shown = plain.returncode if plain.returncode >= 0 else 128 - plain.returncode
    result = profile(done.folder)
    assert done.returncode == result.run.exit_code == shown != 0, done.stderr.decode()
    assert left is None or barriers(result) == {0: left, 1: left}


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_both_programs_of_an_mpmd_line_are_measured(build, programs, tmp_path):
    line = [*build.launcher, "-n", "1", programs(build), "x", ":", "-n", "2", programs(build), "y"]
    done = advised(build, line, "--no-report", cwd=tmp_path)
    assert done.stdout == b"[x] 3\n", done.stderr.decode()
    assert barriers(profile(tmp_path)) == {0: 7, 1: 7, 2: 7}


FILE_OPTION = {
    "ompi4": "--app",
    "ompi5": "--app",
    "mpich4": "-configfile",
    "mpich5": "-configfile",
    "impi": "-configfile",
}


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_programs_in_a_file_are_measured(build, programs, tmp_path):
    program = programs(build)
    (tmp_path / "contexts").write_text(f"-n 1 {program} x\n-n 2 {program} y\n")
    done = advised(
        build, [*build.launcher, FILE_OPTION[build.name], "contexts"], "--no-report", cwd=tmp_path
    )
    assert (done.stdout, done.returncode) == (b"[x] 3\n", 0), done.stderr.decode()
    result = profile(tmp_path)
    assert (barriers(result), result.run.ranks_expected) == ({0: 7, 1: 7, 2: 7}, 3)
    assert result.run.launch_line[-1] == "contexts" and result.run.arguments == ("x",)


@pytest.mark.parametrize("by_variable", [False, True], ids=["-gtool", "I_MPI_GTOOL"])
def test_intels_tools_still_see_the_program_itself(by_variable, programs, tmp_path):
    build = require(find("impi"))
    (tmp_path / "tool").write_text('#!/bin/sh\necho "tool: $1" >&2\nexec "$@"\n')
    (tmp_path / "tool").chmod(0o755)
    tool = f"{tmp_path}/tool:1"
    option, extra = ([], {"I_MPI_GTOOL": tool}) if by_variable else (["-gtool", tool], {})
    done = advised(
        build,
        [*build.launcher, *option, "-n", "2", programs(build)],
        "--no-report",
        cwd=tmp_path,
        extra=extra,
    )
    assert done.stderr.decode().count(f"tool: {programs(build)}\n") == 1, done.stderr.decode()
    assert barriers(profile(tmp_path)) == {0: 7, 1: 7}


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_a_shell_between_launcher_and_program_changes_nothing(build, programs, tmp_path):
    line = [*build.launcher, "-n", "2", "sh", "-c", f"{programs(build)} z"]
    done = advised(build, line, "--no-report", cwd=tmp_path)
    assert done.stdout == b"[z] 2\n", done.stderr.decode()
    assert barriers(profile(tmp_path)) == {0: 7, 1: 7}


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_a_singleton_needs_no_launcher(build, programs, tmp_path):
    done = advised(build, [programs(build), "alone"], "--no-report", cwd=tmp_path)
    assert done.stdout == b"[alone] 1\n", done.stderr.decode()
    assert barriers(profile(tmp_path)) == {0: 7}


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_a_signal_ends_the_job_and_what_was_counted_is_kept(build, programs, tmp_path):
    # Intel's mpirun is a shell script: the signal ends it, and its ranks run on to their end, also
    # without us.
    seconds = "8" if build.name == "impi" else "30"
    line = advisor_run(build, 2, [programs(build), "sleep", seconds], "--no-report")
    process = subprocess.Popen(
        line,
        env=environment(build),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while process.stdout.readline() not in ("ready\n", ""):
            pass
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    finally:
        process.kill()
    result = profile(tmp_path)
    # The code is the launcher's: MPICH 4.0's mpirun ends such a job with 0 or with 15, by chance,
    # also without us.
    assert process.returncode == result.run.exit_code and (
        process.returncode != 0 or build.name == "mpich4"
    )
    assert barriers(result) == {0: 7, 1: 7}


def test_a_preload_that_is_there_stays(programs, tmp_path):
    build = require(find("ompi4"))
    (tmp_path / "other.c").write_text(
        "#include <stdio.h>\n__attribute__((constructor)) static void here(void) {"
        ' fputs("other\\n", stderr); }\n'
    )
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-o", tmp_path / "other.so", tmp_path / "other.c"], check=True
    )
    line = [*build.launcher, "-n", "1", "-x", f"LD_PRELOAD={tmp_path}/other.so", programs(build)]
    done = advised(build, line, "--no-report", cwd=tmp_path)
    assert b"other\n" in done.stderr
    assert barriers(profile(tmp_path)) == {0: 7}


def test_ranks_that_must_not_talk_leave_their_counts_one_by_one(programs, tmp_path):
    """Rank 1 has no collector: with ADVISOR_GATHER=no nobody waits for it, and rank 0 is
    counted."""
    build = require(find("mpich4"))
    script = tmp_path / "only_rank_0"
    script.write_text(
        f'#!/bin/sh\n[ "$PMI_RANK" = 1 ] && unset LD_PRELOAD\nexec {programs(build)} plain\n'
    )
    script.chmod(0o755)
    line = advisor_run(build, 2, [script], "--no-report")
    done = subprocess.run(
        line,
        env=environment(build, {"ADVISOR_GATHER": "no"}),
        cwd=tmp_path,
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert barriers(profile(tmp_path)) == {0: 7}


def test_results_are_never_overwritten(programs, tmp_path):
    build = require(find("mpich4"))
    for _ in range(3):
        advised(
            build,
            [*build.launcher, "-n", "1", programs(build)],
            "--no-report",
            "-o",
            "here",
            cwd=tmp_path,
        )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here", "here-2", "here-3"]


def test_secrets_are_not_recorded(programs, tmp_path):
    build = require(find("mpich4"))
    line = [
        *build.launcher,
        "-n",
        "1",
        "-genv",
        "API_TOKEN",
        "tell-nobody",
        programs(build),
        "--password=tell-nobody",
        "plain",
    ]
    advised(build, line, "--no-report", cwd=tmp_path)
    (result,) = tmp_path.glob("*.advisor")
    assert all(
        b"tell-nobody" not in file.read_bytes() for file in result.rglob("*") if file.is_file()
    )
    assert intake.read(result).run.arguments == ("--password=***", "plain")


def test_exec_inside_the_line(programs, tmp_path):
    build = require(find("mpich4"))
    line = [
        *build.launcher,
        "-n",
        "3",
        sys.executable,
        "-m",
        "advisor",
        "exec",
        "--",
        programs(build),
        "in",
    ]
    env = environment(build, {"ADVISOR_OUTPUT": str(tmp_path / "result")})
    done = subprocess.run(line, env=env, cwd=tmp_path, capture_output=True, timeout=120)
    assert done.stdout == b"[in] 3\n", done.stderr.decode()
    assert done.stderr.count(b"advisor: when the job has ended: advisor report result\n") == 1
    assert (
        json.loads((tmp_path / "result" / "parts" / "run.json").read_text())["run"][
            "ranks_expected"
        ]
        == 3
    )
    assert barriers(intake.read(tmp_path / "result")) == {0: 7, 1: 7, 2: 7}


@pytest.mark.parametrize("name, stranger", [("ompi4", "mpich4"), ("mpich4", "ompi4")])
def test_a_launcher_of_another_library_is_the_first_finding(programs, tmp_path, name, stranger):
    """Each rank is then rank 0 of 1: nothing that is said of such a job may speak of missing ranks
    or of a run that was cut."""
    program, launcher = programs(find(name)), require(find(stranger)).launcher
    line = [
        sys.executable,
        "-m",
        "advisor",
        "run",
        "-o",
        "result",
        "--",
        *launcher,
        "-n",
        "2",
        str(program),
    ]
    env = {
        **environment(find(stranger)),
        **environment(find(name)),
        "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
    }
    done = subprocess.run(line, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, " 1\n 1\n")
    report = json.loads(
        subprocess.run(
            [sys.executable, "-m", "advisor", "report", "result", "--format", "json"],
            env=env,
            cwd=tmp_path,
            capture_output=True,
        ).stdout
    )
    rules = [finding["rule"] for finding in report["findings"]]
    assert rules[0] == "ranks-run-alone" and not {"missing-ranks", "run-was-cut"} & set(rules)
    assert f"but {launcher[0]} belongs to" in done.stderr
    assert "No parallel run: 2 ranks were started" in done.stderr
