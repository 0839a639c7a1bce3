"""Whatever is wrong: one clear sentence, and the program runs where it can run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mpi_builds import compile_program, environment, find, require

from advisor.launching.run import result_folder
from advisor.model.errors import UserError

HELLO = '#include <stdio.h>\nint main(void) { puts("ran"); return 4; }\n'


def advised(words, cwd, *options, env=None):
    line = [sys.executable, "-m", "advisor", "run", *options, *map(str, words)]
    env = {**(env or os.environ), "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    return subprocess.run(line, env=env, cwd=cwd, capture_output=True, text=True, timeout=120)


def said(done):
    return done.stderr.splitlines()[0]


def compiled(tmp_path, *flags):
    (tmp_path / "h.c").write_text(HELLO)
    subprocess.run(["cc", *flags, "-o", tmp_path / "hello", tmp_path / "h.c"], check=True)
    return "./hello"


@pytest.mark.parametrize("words", [[], ["--"]])
def test_no_command(words, tmp_path):
    done = advised(words, tmp_path)
    assert (done.returncode, said(done)) == (2, "advisor: There is no command to run.")


def test_a_program_that_is_not_there(tmp_path):
    done = advised(["--", "./nowhere"], tmp_path)
    assert (done.returncode, said(done)) == (
        127,
        "advisor: The program ./nowhere is not found on this host.",
    )


def test_a_program_that_is_not_there_under_a_launcher(tmp_path):
    build = require(find("mpich4"))
    done = advised(
        ["--", *build.launcher, "-n", "1", "./nowhere"], tmp_path, env=environment(build)
    )
    assert (done.returncode, said(done)) == (
        127,
        "advisor: The program ./nowhere is not found on this host.",
    )


def test_a_file_that_may_not_be_executed(tmp_path):
    (tmp_path / "data").write_text("x")
    done = advised(["--", "./data"], tmp_path)
    assert (done.returncode, said(done)) == (126, "advisor: ./data cannot be executed.")


def test_a_program_without_mpi_runs(tmp_path):
    done = advised(["--", compiled(tmp_path)], tmp_path)
    assert (done.stdout, done.returncode) == ("ran\n", 4)
    assert said(done) == "advisor: ./hello is not an MPI program: it needs no MPI library."


def test_a_static_program_runs(tmp_path):
    done = advised(["--", compiled(tmp_path, "-static")], tmp_path)
    assert (done.stdout, done.returncode) == ("ran\n", 4)
    assert said(done) == "advisor: ./hello is statically linked, so the collector cannot enter it."


def test_a_program_for_another_machine(tmp_path):
    program = tmp_path / compiled(tmp_path)
    data = bytearray(program.read_bytes())
    data[18:20] = (243).to_bytes(2, "little")
    program.write_bytes(data)
    done = advised(["--", "./hello"], tmp_path)
    assert done.returncode == 126
    assert said(done) == "advisor: ./hello is a program for another kind of machine (riscv)."


def test_an_unknown_launcher_runs_without_us(tmp_path):
    launcher = tmp_path / "mpiexec.strange"
    launcher.write_text('#!/bin/sh\nshift 2\nexec "$@"\n')
    launcher.chmod(0o755)
    done = advised(["--", "./mpiexec.strange", "-n", "2", compiled(tmp_path)], tmp_path)
    assert (done.stdout, done.returncode) == ("ran\n", 4)
    assert said(done) == "advisor: ./mpiexec.strange is not a launcher that advisor knows."


def test_a_result_folder_that_cannot_be_written(tmp_path):
    """As root permissions do not hold, so a file stands where the folder should be."""
    build = require(find("mpich4"))
    (tmp_path / "m.c").write_text(
        "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); return MPI_Finalize(); }\n"
    )
    compile_program(build, "c", [tmp_path / "m.c"], tmp_path / "m")
    (tmp_path / "file").write_text("")
    done = advised(
        ["--no-report", "-o", "file/result", "--", *build.launcher, "-n", "1", "./m"],
        tmp_path,
        env=environment(build),
    )
    assert done.returncode == 0
    assert (
        "The result folder cannot be written (file/result: Not a directory). The result goes to"
        f" {tmp_path}/result" in done.stderr
    )
    assert (tmp_path / "result" / "profile").exists()


def test_a_full_disk_is_found_before_the_job_starts(monkeypatch, tmp_path):
    """/dev/full answers every write as a full disk does."""
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        result_folder, "_try_room", lambda parts: open("/dev/full", "wb", buffering=0).write(b"x")
    )
    with pytest.raises(UserError, match="No space left on device") as caught:
        result_folder.make(None, "p.advisor", {}, print)
    assert caught.value.do == "Give a folder with room that all nodes see: advisor run -o DIR -- …"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "variables, expected",
    [
        ({}, ("", "")),
        ({"SLURM_JOB_ID": "17"}, ("slurm", "17")),
        ({"PBS_JOBID": "17.server"}, ("pbs", "17.server")),
        ({"JOB_ID": "9"}, ("", "")),
        ({"JOB_ID": "9", "SGE_ROOT": "/sge"}, ("sge", "9")),
    ],
)
def test_the_job_id_is_the_schedulers(variables, expected):
    assert result_folder.job_of(variables) == expected


def test_the_folder_is_named_after_program_ranks_and_job():
    assert (
        result_folder.default_name("/x/vasp_std", 64, {"PBS_JOBID": "17.server"})
        == "vasp_std.64r.17.advisor"
    )


def test_a_launcher_that_was_never_tried_is_said_in_the_report(tmp_path):
    """A stand-in for jsrun, that understands what is documented: -E NAME=value for the ranks."""
    build = require(find("mpich4"))
    (tmp_path / "jsrun").write_text(f"""#!/bin/sh
while :; do case $1 in -E) export "$2"; shift 2 ;; -p) ranks=$2; shift 2 ;; *) break ;; esac; done
exec {build.launcher[0]} -n "$ranks" "$@"
""")
    (tmp_path / "jsrun").chmod(0o755)
    (tmp_path / "m.c").write_text(
        "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); return MPI_Finalize(); }\n"
    )
    compile_program(build, "c", [tmp_path / "m.c"], tmp_path / "m")
    done = advised(
        ["-o", "result", "--", "./jsrun", "-p", "2", "./m"], tmp_path, env=environment(build)
    )
    sentence = (
        "jsrun's line was read by its documented options: advisor was never run with jsrun itself."
    )
    assert done.returncode == 0 and f"advisor: {sentence}\n" in done.stderr
    assert sentence.rstrip(".") in " ".join(
        (tmp_path / "result" / "report.txt").read_text().split()
    )
