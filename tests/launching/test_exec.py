"""Jobs whose launch line is the user's own: `advisor-exec` in front of the program, or variables in
front of the line."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from counted import counted
from mpi_builds import (
    BUILDS,
    REPOSITORY,
    compiling_one,
    environment,
    find,
    require,
    require_program,
)

from advisor import intake
from advisor.launching.run import env_forwarding, in_job
from advisor.launching.target.library_file import MpiLibrary

SCRIPT = REPOSITORY / "advisor" / "launching" / "advisor-exec"
PROGRAM = r"""
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 7; i++) MPI_Barrier(MPI_COMM_WORLD);
    printf("%d %s %s\n", rank, argc > 1 ? argv[1] : "-", getenv("advisor_run") ? "leaked" : "clean");
    fflush(stdout);
    if (argc > 1 && !strcmp(argv[1], "kill")) raise(SIGKILL);
    MPI_Finalize();
    return argc > 2 ? atoi(argv[2]) : 0;
}
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """build → PROGRAM compiled with it."""
    return compiling_one(tmp_path_factory.mktemp("exec"), PROGRAM)


@pytest.fixture()
def cache(tmp_path):
    """A cache of collectors that others have built, in which ranks of this test meet."""
    return str(shared_cache(tmp_path))


def shared_cache(tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir()
    return folder


def shell(build, text, cwd, cache, **more):
    """A job script."""
    env = environment(
        build,
        {
            "PYTHONPATH": str(REPOSITORY),
            "XDG_CACHE_HOME": cache,
            "ADVISOR_PYTHON": sys.executable,
            **more,
        },
    )
    return subprocess.run(
        ["bash", "-c", text],
        env=env,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )


def advisor(*words):
    return f"{sys.executable} -m advisor {' '.join(words)}"


def line(build, *words):
    return " ".join([*build.launcher, "-n", "3", *map(str, words)])


def barriers(result):
    return counted(intake.read(result), "Barrier")


def results(cwd):
    return sorted(path.name for path in Path(cwd).glob("advisor-*"))


OUT = ["0 x clean", "1 x clean", "2 x clean"]


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_the_script_in_front_of_the_program(build, programs, tmp_path, cache):
    done = shell(build, line(build, SCRIPT, programs(build), "x"), tmp_path, cache)
    assert (sorted(done.stdout.splitlines()), done.returncode) == (OUT, 0), done.stderr
    (result,) = results(tmp_path)
    assert done.stderr.count(f"advisor: when the job has ended: advisor report {result}\n") == 1
    assert barriers(tmp_path / result) == {0: 7, 1: 7, 2: 7}
    assert intake.read(tmp_path / result).run.ranks_expected == 3


def test_one_rank_asks_and_python_is_not_started_on_the_others(programs, tmp_path, cache):
    build = require(find("mpich4"))
    (tmp_path / "python").write_text(
        f'#!/bin/sh\necho started >>{tmp_path}/log\nexec {sys.executable} "$@"\n'
    )
    (tmp_path / "python").chmod(0o755)
    done = shell(
        build,
        line(build, SCRIPT, programs(build), "x"),
        tmp_path,
        cache,
        ADVISOR_PYTHON=str(tmp_path / "python"),
    )
    assert (sorted(done.stdout.splitlines()), (tmp_path / "log").read_text()) == (OUT, "started\n")


def test_two_launches_of_one_script_have_two_results(programs, tmp_path, cache):
    build = require(find("mpich4"))
    done = shell(
        build,
        "\n".join([line(build, SCRIPT, programs(build), "x")] * 2),
        tmp_path,
        cache,
        SLURM_JOB_ID="77",
    )
    assert sorted(done.stdout.splitlines()) == sorted(OUT * 2), done.stderr
    assert [barriers(tmp_path / result) for result in ("advisor-77", "advisor-77-2")] == [
        {0: 7, 1: 7, 2: 7}
    ] * 2


def test_two_programs_of_one_line(programs, tmp_path, cache):
    build = require(find("ompi4"))
    text = (
        f"{build.launcher[0]} -n 1 {SCRIPT} {programs(build)} x : -n 2 {SCRIPT} {programs(build)} y"
    )
    done = shell(build, text, tmp_path, cache)
    assert sorted(done.stdout.splitlines()) == ["0 x clean", "1 y clean", "2 y clean"], done.stderr
    (result,) = results(tmp_path)
    assert barriers(tmp_path / result) == {0: 7, 1: 7, 2: 7}


def test_programs_side_by_side_without_a_launcher(programs, tmp_path, cache):
    build = require(find("mpich4"))
    done = shell(
        build,
        f"for i in 1 2; do {SCRIPT} {programs(build)} x & done; wait",
        tmp_path,
        cache,
        SLURM_JOB_ID="78",
    )
    assert done.stdout.splitlines() == ["0 x clean"] * 2, done.stderr
    assert [barriers(tmp_path / result) for result in results(tmp_path)] == [{0: 7}] * 2


@pytest.mark.parametrize(
    "words, code, out, said",
    [
        (
            ["/bin/echo", "a  b"],
            0,
            "a  b\n",
            "advisor: /bin/echo is not an MPI program: it needs no MPI library.",
        ),
        (["./nowhere"], 127, "", "advisor: The program ./nowhere is not found."),
        (["./data"], 126, "", "advisor: ./data cannot be executed."),
        (["./static"], 4, "ran\n", "is statically linked, so the collector cannot enter it."),
        (["./bare"], 5, "bare\n", "advisor: Which MPI library ./bare uses cannot be told."),
        ([], 2, "", "advisor: There is no program to run."),
    ],
    ids=["no MPI", "nowhere", "data", "static", "script", "nothing"],
)
def test_what_cannot_be_measured_runs_as_it_is_and_leaves_nothing(
    words, code, out, said, tmp_path, cache
):
    (tmp_path / "data").write_text("x")
    (tmp_path / "bare").write_text("echo bare\nexit 5\n")
    (tmp_path / "bare").chmod(0o755)
    (tmp_path / "s.c").write_text('#include <stdio.h>\nint main(void) { puts("ran"); return 4; }\n')
    subprocess.run(["cc", "-static", "-o", tmp_path / "static", tmp_path / "s.c"], check=True)
    env = {
        **os.environ,
        "PYTHONPATH": str(REPOSITORY),
        "XDG_CACHE_HOME": cache,
        "ADVISOR_PYTHON": sys.executable,
    }
    if words == ["./bare"]:  # No MPI library along the path.
        (tmp_path / "bin").mkdir()
        for tool in ("sh", "sed", "tr", "mkdir", "sleep"):
            (tmp_path / "bin" / tool).symlink_to(shutil.which(tool))
        env["PATH"] = f"{tmp_path}/bin"
    done = subprocess.run(
        [str(SCRIPT), *words], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, results(tmp_path)) == (code, out, [])
    assert said in done.stderr


@pytest.mark.parametrize("broken", ["/bin/false", "/nowhere/python"])
def test_the_program_runs_whatever_is_wrong_with_us(broken, programs, tmp_path, cache):
    build = require(find("mpich4"))
    done = shell(
        build, line(build, SCRIPT, programs(build), "x"), tmp_path, cache, ADVISOR_PYTHON=broken
    )
    assert (sorted(done.stdout.splitlines()), done.returncode) == (OUT, 0), done.stderr


def test_where_no_folder_can_be_written_the_program_runs(programs, tmp_path):
    build = require(find("mpich4"))
    (tmp_path / "file").write_text("")
    done = shell(
        build,
        line(build, SCRIPT, programs(build), "x"),
        "/proc",
        str(tmp_path / "file"),
        HOME=str(tmp_path / "file"),
    )
    assert sorted(done.stdout.splitlines()) == OUT, done.stderr


def test_variables_of_the_user_that_are_called_like_ours_reach_the_program(
    programs, tmp_path, cache
):
    build = require(find("mpich4"))
    script = tmp_path / "show"
    script.write_text(
        '#!/bin/sh\necho "$name $run $line $LD_PRELOAD_ADVISOR"\nenv | grep -c'
        ' "^advisor_\\|^ADVISOR_P"\n'
    )
    script.chmod(0o755)
    done = shell(
        build,
        f"{build.launcher[0]} -n 1 {SCRIPT} ./show",
        tmp_path,
        cache,
        name="a",
        run="b",
        line="c",
    )
    assert done.stdout == "a b c \n0\n", done.stderr


@pytest.mark.parametrize("build", [find(name) for name in ("ompi5", "impi")], ids=str)
def test_variables_in_front_of_a_line_that_stays(build, programs, tmp_path, cache):
    """Then the end of the job: its time, its code, and what a killed rank has left."""
    job = (
        "eval"
        f' "$({advisor("exec", "--print-env", "--", programs(build))})"\n{line(build, programs(build), "x", "3")}\n{advisor("exec", "--finish", "$?")}\n'
    )
    done = shell(build, job, tmp_path, cache)
    code = subprocess.run(
        [*build.launcher, "-n", "3", programs(build), "x", "3"],
        env=environment(build),
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
    ).returncode
    assert sorted(done.stdout.splitlines()) == OUT and done.returncode == code != 0, done.stderr
    (result,) = results(tmp_path)
    run = intake.read(tmp_path / result).run
    assert (barriers(tmp_path / result), run.exit_code, run.program) == (
        {0: 7, 1: 7, 2: 7},
        code,
        programs(build),
    )
    assert 0 < run.job_seconds < 100 and sorted(os.listdir(tmp_path / result)) == [
        "profile",
        "profile.signature",
        "report.html",
        "report.txt",
    ]


def test_what_killed_ranks_counted_is_in_the_report_of_the_finish(programs, tmp_path, cache):
    build = require(find("ompi4"))
    done = shell(
        build,
        f"{line(build, SCRIPT, programs(build), 'kill')}\n{advisor('exec', '--finish', '$?')}",
        tmp_path,
        cache,
    )
    (result,) = results(tmp_path)
    assert done.returncode == intake.read(tmp_path / result).run.exit_code == 137
    # The others may be killed while they are in the last barrier.
    assert 7 in barriers(tmp_path / result).values() and set(
        barriers(tmp_path / result).values()
    ) <= {6, 7}


def test_a_second_launch_of_the_same_shell_replaces_the_variables(programs, tmp_path, cache):
    build = require(find("mpich4"))
    ask = f'eval "$({advisor("exec", "--print-env", "--", programs(build))})"'
    done = shell(
        build,
        "\n".join([ask, line(build, programs(build), "x")] * 2 + ['echo "$LD_PRELOAD"']),
        tmp_path,
        cache,
        ADVISOR_OUTPUT=str(tmp_path / "out"),
    )
    *out, preload = done.stdout.splitlines()
    assert sorted(out) == sorted(OUT * 2) and preload.count(".so") == 1, done.stderr
    assert [barriers(tmp_path / name) for name in ("out", "out-2")] == [{0: 7, 1: 7, 2: 7}] * 2


def test_a_finish_without_a_job_is_said(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "advisor", "exec", "--finish", "0"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        2,
        "advisor: There is no job here whose end could be written down.",
    )


VARIABLES = {"LD_PRELOAD": "/c d.so", "ADVISOR_RUN": "r"}
EXPORTS = "export LD_PRELOAD='/c d.so'\nexport ADVISOR_RUN=r\n"
PRINTED = [
    (
        "openmpi",
        "5.0.11",
        "",
        {},
        "export OMPI_MCA_mca_base_env_list='LD_PRELOAD=/c d.so;ADVISOR_RUN=r'",
    ),
    (
        "openmpi",
        "5.0.11",
        "",
        {"OMPI_MCA_mca_base_env_list": "A=1;ADVISOR_RUN=old"},
        "export OMPI_MCA_mca_base_env_list='A=1;LD_PRELOAD=/c d.so;ADVISOR_RUN=r'",
    ),
    (
        "openmpi",
        "4.1.4",
        "",
        {},
        EXPORTS + "# For ranks on other hosts, in the line: mpirun -x LD_PRELOAD -x ADVISOR_RUN …",
    ),
    (
        "openmpi",
        "5.0.11",
        "/usr/bin/srun",
        {},
        EXPORTS + "# If the line keeps the environment back: srun --export=ALL …",
    ),
    (
        "mpich",
        "4.0.2",
        "",
        {},
        EXPORTS
        + "# If the line keeps the environment back: mpiexec -genvlist LD_PRELOAD,ADVISOR_RUN …",
    ),
    ("cray", "8.1", "aprun", {}, EXPORTS + "#"),
]


@pytest.mark.parametrize("name, version, launcher, before, expected", PRINTED)
def test_printed_variables(name, version, launcher, before, expected):
    assert (
        env_forwarding.script(
            VARIABLES, MpiLibrary(name, version, "", "libmpi.so.1"), launcher, before
        )
        == expected
    )


def test_a_folder_of_another_launch_is_left_alone(tmp_path):
    environment = {"ADVISOR_OUTPUT": str(tmp_path / "r")}
    known = {"started": {"run": "one"}}
    for run, expected in (("one", "r"), ("two", "r-2"), ("one", "r"), ("three", "r-3")):
        assert in_job._claimed(environment, run, {"started": {"run": run}}).name == expected
    assert json.loads((tmp_path / "r" / "parts" / "run.json").read_text()) == known
    assert sorted(os.listdir(tmp_path / "r" / "parts")) == ["run.json"]


def test_old_meetings_are_swept(tmp_path):
    for name, age in (("old", 1), ("new", None)):
        (tmp_path / "exec" / name).mkdir(parents=True)
        if age:
            os.utime(tmp_path / "exec" / name, (age, age))
    with pytest.raises(Exception):
        in_job.answer(tmp_path / "exec" / "mine", ["./nowhere"], {"PATH": "/bin"}, print)
    assert sorted(os.listdir(tmp_path / "exec")) == ["mine", "new"]
    assert (tmp_path / "exec" / "mine" / "answer").read_text() == ""


STEP = {"SLURM_JOB_ID": "777", "SLURM_STEP_ID": "1"}


def test_ranks_whose_asker_was_killed_meet_again_within_seconds(programs, tmp_path, cache):
    """What a job left whose asker was killed before it had an answer: once, each rank waited ten
    minutes for it."""
    build = require(find("mpich4"))
    meeting = Path(cache) / "advisor" / "exec" / "777-1"
    meeting.mkdir(parents=True, mode=0o700)
    meeting.parent.chmod(0o700)
    (meeting / "alive").write_text("3590\n")
    begin = time.monotonic()
    done = shell(build, f"{SCRIPT} {programs(build)} x", tmp_path, cache, **STEP)
    assert (done.stdout, done.returncode) == ("0 x clean\n", 0), done.stderr
    assert 8 < time.monotonic() - begin < 40
    assert barriers(tmp_path / "advisor-777") == {0: 7}


def test_who_asks_long_is_waited_for(programs, tmp_path, cache):
    """A collector may take longer to be built than silence is borne."""
    build = require(find("mpich4"))
    slow = tmp_path / "slow"
    slow.write_text(
        f'#!/bin/sh\necho asked >>{tmp_path}/log\nsleep 12\nexec {sys.executable} "$@"\n'
    )
    slow.chmod(0o755)
    done = shell(
        build, line(build, SCRIPT, programs(build), "x"), tmp_path, cache, ADVISOR_PYTHON=str(slow)
    )
    assert (sorted(done.stdout.splitlines()), (tmp_path / "log").read_text()) == (
        OUT,
        "asked\n",
    ), done.stderr
    (result,) = results(tmp_path)
    assert barriers(tmp_path / result) == {0: 7, 1: 7, 2: 7}


def test_who_was_killed_is_not_alive_for_others(tmp_path, cache):
    """The number in the meeting grows no more, and no process is left that makes it."""
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nexec sleep 30\n")
    slow.chmod(0o755)
    env = {"PATH": os.environ["PATH"], "HOME": cache, "ADVISOR_PYTHON": str(slow), **STEP}
    asker = subprocess.Popen(
        [str(SCRIPT), "/bin/true"], env=env, cwd=tmp_path, start_new_session=True
    )
    alive = Path(cache) / ".cache" / "advisor" / "exec" / "777-1" / "alive"
    while not alive.exists():
        time.sleep(0.05)
    first = alive.read_text()
    time.sleep(2.5)
    assert alive.read_text() != first
    asker.kill()
    asker.wait()
    time.sleep(2.5)
    last = alive.read_text()
    time.sleep(2.5)
    assert alive.read_text() == last
    os.killpg(asker.pid, signal.SIGKILL)


@pytest.mark.parametrize("shell_of_the_ranks", ["dash", "bash --posix"])
def test_a_rank_that_waits_starts_few_processes(shell_of_the_ranks, tmp_path, cache):
    """With thousands of ranks each process counts: one to look at the meeting, which becomes ls or
    starts it. Six before."""
    require_program("strace")
    require_program(shell_of_the_ranks.split()[0])
    meeting = Path(cache) / "advisor" / "exec" / "777-1"
    meeting.mkdir(parents=True, mode=0o700)
    meeting.parent.chmod(0o700)
    (meeting / "answer").write_text("BEFORE=\nADVISOR_RUN=r\n")
    env = {"PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": cache, **STEP}
    done = subprocess.run(
        [
            "strace",
            "-f",
            "-c",
            "-e",
            "trace=clone,clone3,fork,vfork",
            *shell_of_the_ranks.split(),
            str(SCRIPT),
            "/usr/bin/printenv",
            "ADVISOR_RUN",
        ],
        env=env,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "r\n"
    assert (
        sum(
            int(row.split()[3])
            for row in done.stderr.splitlines()
            if row.split()[-1:] in (["clone"], ["clone3"], ["fork"], ["vfork"])
        )
        <= 2
    )


@pytest.mark.parametrize(
    "mode, said",
    [
        (0o700, ""),
        (0o755, ""),
        (0o775, ""),
        (0o777, "others can write to {}"),
        (0o1777, "others can write to {}"),
    ],
)
def test_where_ranks_meet(mode, said, tmp_path, cache):
    """A group of one's own may write; all may not, not even in a sticky folder: the answer would be
    theirs."""
    place = Path(cache) / "meet"
    (place / "exec").mkdir(parents=True)
    (place / "exec").chmod(mode)
    env = {
        "PATH": "/usr/bin:/bin",
        "ADVISOR_CACHE": str(place),
        "ADVISOR_PYTHON": "/bin/false",
        **STEP,
    }
    done = subprocess.run(
        [str(SCRIPT), "/bin/echo", "ran"],
        cwd="/proc",
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout, (place / "exec" / "777-1").exists()) == (
        0,
        "ran\n",
        not said,
    )
    assert (
        f"advisor: The ranks have no folder to meet in: {said.format(place / 'exec')}"
        in done.stderr
    ) == bool(said)
