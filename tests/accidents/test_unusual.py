"""Programs and surroundings that are not as usual: they run as without us, measured, or with one
sentence why not."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from mpi_builds import (
    BUILDS,
    REPOSITORY,
    advisor_run,
    compile_program,
    environment,
    find,
    require,
    require_cxx,
    run,
)

from advisor.launching.target.library_of import library_of
from advisor.model.errors import UserError

HERE = Path(__file__).resolve().parent
TWO = ["ompi4", "mpich4"]
STOPPED = float(os.environ.get("ADVISOR_TEST_STOP", "3"))
"""Seconds for which a rank is stopped."""


def advised(build, ranks, words, result, extra=None, cwd=REPOSITORY):
    """What `advisor run` of the checkout `cwd` makes of it: PYTHONPATH splits at colons as well."""
    line = advisor_run(build, ranks, words, "-o", result)
    env = environment(build, {"PYTHONPATH": "", "NO_COLOR": "1", **(extra or {})})
    return subprocess.run(line, env=env, cwd=cwd, capture_output=True, text=True, timeout=200)


def compiled_by(compiler, source, output, *flags):
    done = subprocess.run(
        [compiler, str(source), "-o", str(output), *flags], capture_output=True, text=True
    )
    return "" if done.returncode == 0 else done.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_a_rank_is_stopped_and_goes_on(build, compiled, job):
    """SIGSTOP, some seconds later SIGCONT: the others wait for it as they do, and that is what the
    profile says."""
    program = compiled(build, "accident.c")
    words = [program, "system", "1", f"(sleep {STOPPED}; kill -CONT $PPID) & kill -STOP $PPID"]
    bare, left = run(build, 2, words), job(build).run(2, words, time_limit=60 + STOPPED)
    assert (left.code, left.out) == (bare.returncode, bare.stdout) == (0, "sum 2\n"), left.err
    assert (left.counts("Allreduce"), left.states, left.gaps()) == (
        {0: 13, 1: 13},
        {0: 2, 1: 2},
        "",
    )
    calls = left.profile.tables["calls"]
    barrier = (calls["operation"] == "Barrier") & (calls["rank"] == 0)
    assert STOPPED - 0.5 < calls["time"][barrier].sum() < STOPPED + 20


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_the_time_of_day_jumps(build, compiled, job, tmp_path):
    """By hours, back and forth: no time of a rank is negative or absurd, and ranks of a host agree
    on them."""
    steps = tmp_path / "steps.so"
    assert compiled_by("cc", HERE / "steps.c", steps, "-shared", "-fPIC", "-ldl") == ""
    left = job(build).run(2, [compiled(build, "accident.c"), "busy", "-1"], preload=f"{steps}:{{}}")
    assert (left.code, left.out, left.counts("Allreduce")) == (0, "sum 2\n", {0: 213, 1: 213})
    ranks = left.profile.tables["ranks"]
    moments = [
        ranks[name]
        for name in ("process_begin", "init_begin", "init_end", "finalize_begin", "finalize_end")
    ]
    assert all(
        (later >= earlier).all() and (later - earlier < 60).all()
        for earlier, later in zip(moments, moments[1:])
    )
    assert all(abs(moment[0] - moment[1]) < 60 for moment in moments)
    for table in ("calls", "waits", "delays", "phases"):
        for name, values in left.profile.tables.get(table, {}).items():
            assert values.dtype.kind != "f" or (abs(values) < 60 * 213).all(), (table, name)


def test_a_program_with_other_rights(compiled, tmp_path):
    """The loader takes LD_PRELOAD from nobody then. Open MPI 4 hangs in MPI_Init of such a program,
    bare as well."""
    if os.getuid():
        pytest.skip("only root can give a program to another user")
    build = find("mpich4")
    folder = Path("/var/tmp") / f"advisor-rights-{os.getpid()}"
    folder.mkdir()
    try:
        program = shutil.copy(compiled(build, "accident.c"), folder / "program")
        os.chown(program, 65534, 65534)
        os.chmod(program, 0o4755)
        bare, done = (
            run(build, 1, [program, "nothing", "0"]),
            advised(build, 1, [program, "nothing", "0"], tmp_path / "result"),
        )
    finally:
        shutil.rmtree(folder)
    assert (done.returncode, done.stdout) == (bare.returncode, bare.stdout)
    assert (
        "runs with the rights of another user or group" in done.stderr
        and "runs without being measured" in done.stderr
    )


@pytest.mark.parametrize("flag", ["-static", "-static-pie"])
@pytest.mark.parametrize("name", TWO)
def test_a_static_program(name, flag, tmp_path):
    build, program, source = require(find(name)), tmp_path / "program", tmp_path / "program.c"
    source.write_text('#include <stdio.h>\nint main(void) { printf("static\\n"); return 5; }\n')
    missing = compiled_by("cc", source, program, flag)
    if missing:
        pytest.skip(f"cc {flag}: {missing}")
    bare, done = run(build, 1, [program]), advised(build, 1, [program], tmp_path / "result")
    assert (done.returncode, done.stdout) == (bare.returncode, bare.stdout) == (5, "static\n")
    assert "is statically linked, so the collector cannot enter it" in done.stderr


def test_mpi_is_part_of_the_program(tmp_path):
    """Only the MPI library is static: the program itself is like any other."""
    build, program = require(find("mpich4")), tmp_path / "program"
    shared = subprocess.run(
        ["ldd", "/usr/lib/x86_64-linux-gnu/libmpich.so.12"], capture_output=True, text=True
    ).stdout
    needed = [words[2] for words in map(str.split, shared.splitlines()) if len(words) > 2]
    include = subprocess.run([build.mpicc, "-show"], capture_output=True, text=True).stdout.split()
    missing = compiled_by(
        "cc",
        HERE / "accident.c",
        program,
        *[word for word in include if word.startswith("-I")],
        "-l:libmpich.a",
        *needed,
    )
    if missing:
        pytest.skip(f"no program can be linked with libmpich.a here: {missing}")
    bare, done = run(build, 2, [program]), advised(build, 2, [program], tmp_path / "result")
    assert (done.returncode, done.stdout) == (bare.returncode, bare.stdout) == (0, "sum 2\n")
    assert f"The MPI library is part of {program}" in done.stderr
    with pytest.raises(UserError, match="is part of"):
        library_of(str(program), [], os.environ, None)


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_mpi_is_opened_and_closed_again(build, compiled, job, tmp_path):
    plugin = compile_program(
        require(build), "c", [HERE / "plugin.c"], tmp_path / "plugin.so", ["-shared", "-fPIC"]
    )
    host = tmp_path / "host"
    assert compiled_by("cc", HERE / "plugin_host.c", host, "-ldl") == ""
    bare, left = run(build, 2, [host, plugin]), job(build).run(2, [host, plugin])
    assert (left.code, left.out) == (bare.returncode, bare.stdout) == (0, "sum 2\n"), left.err
    assert (left.counts("Allreduce"), left.states, left.gaps()) == (
        {0: 13, 1: 13},
        {0: 2, 1: 2},
        "",
    )


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_mpi_is_opened_past_the_collector(build, compiled, job, tmp_path):
    plugin = compile_program(
        require(build), "c", [HERE / "plugin.c"], tmp_path / "plugin.so", ["-shared", "-fPIC"]
    )
    host, one = tmp_path / "host", job(build)
    assert compiled_by("cc", HERE / "plugin_host.c", host, "-ldl") == ""
    bare, done = (
        run(build, 2, [host, plugin, "deep"]),
        run(build, 2, one.words([host, plugin, "deep"])),
    )
    assert (done.returncode, done.stdout) == (bare.returncode, bare.stdout), done.stderr
    with pytest.raises(UserError) as said:
        one.left(done, 2, [host])
    assert "RTLD_DEEPBIND" in said.value.meaning


@pytest.mark.parametrize("late", [[], ["late"]], ids=["main", "static object"])
@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_objects_that_live_longer_than_main(build, late, job, tmp_path):
    require_cxx(build)
    program = compile_program(build, "c++", [HERE / "statics.cpp"], tmp_path / "statics")
    bare, left = run(build, 2, [program, *late]), job(build).run(2, [program, *late])
    # Sets: where ranks end MPI after main, MPICH 5's launcher loses the last lines of one of them
    # now and then, bare as well (4 of 30 runs). Words: Hydra hands on what it has read, so that two
    # ranks' lines may share one.
    said = [set(re.findall("over 1|printed", text)) for text in (left.out, bare.stdout)]
    assert (left.code, said[0]) == (bare.returncode, said[1]) == (0, {"over 1", "printed"}), (
        left.err
    )
    assert (left.counts("Allreduce"), left.states, left.gaps()) == (
        {0: 13, 1: 13},
        {0: 2, 1: 2},
        "",
    )


@pytest.fixture(scope="module")
def strange(tmp_path_factory):
    """A copy of the checkout in a folder whose name LD_PRELOAD would take apart."""
    folder = tmp_path_factory.mktemp("checkout") / "a b:c"
    for name in ("advisor", "collectors", "rules", "samples"):
        shutil.copytree(
            REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    return folder


def test_blanks_and_colons_in_the_path_of_the_checkout(strange, compiled, tmp_path):
    """The collector is kept where it can be preloaded. Programs and results may lie in such folders
    as well."""
    build = find("mpich4")
    program = shutil.copy(compiled(build, "accident.c"), strange / "the program")
    done = advised(
        build,
        2,
        [program],
        strange / "the result",
        {"HOME": str(tmp_path), "ADVISOR_CACHE": ""},
        strange,
    )
    assert (done.returncode, done.stdout) == (0, "sum 2\n"), done.stderr
    assert "kept in" in done.stderr and (strange / "the result" / "profile").exists()


def test_no_folder_without_blanks_and_colons(strange, compiled):
    build = find("mpich4")
    done = advised(
        build,
        2,
        [compiled(build, "accident.c")],
        strange / "result",
        {"HOME": str(strange), "ADVISOR_CACHE": str(strange), "XDG_CACHE_HOME": ""},
        strange,
    )
    assert (done.returncode, done.stdout) == (0, "sum 2\n"), done.stderr
    assert (
        "There is no folder to keep the collector in." in done.stderr
        and "without spaces and colons" in done.stderr
    )
