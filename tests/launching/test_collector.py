"""The collector is built once, complete or not at all, and found again."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from mpi_builds import find, require

from advisor.launching.collector import build as collector, compilers
from advisor.launching.target.library_file import MpiLibrary
from advisor.model.errors import UserError


def of(build):
    """(compiler, library) of a build."""
    compiler = compilers.examine(
        subprocess.run(
            ["sh", "-c", f"command -v {require(build).mpicc}"], capture_output=True, text=True
        ).stdout.strip(),
        os.environ,
    )
    return compiler, MpiLibrary(
        compiler.name, compiler.version, compiler.library, os.path.basename(compiler.library)
    )


@pytest.mark.skipif(
    not os.environ.get("ADVISOR_TEST_LONG"),
    reason="builds a collector twice: runs with ADVISOR_TEST_LONG=1",
)
def test_two_jobs_that_build_at_once_both_get_it(tmp_path):
    compiler, _ = of(find("mpich4"))
    code = (
        "import os, pathlib, sys; from advisor.launching.collector import build;"
        " build.by_hand(sys.argv[1], pathlib.Path(sys.argv[2]), dict(os.environ), print)"
    )
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    output = tmp_path / "collector.so"
    jobs = [
        subprocess.Popen([sys.executable, "-c", code, compiler.path, str(output)], env=env)
        for _ in range(2)
    ]
    assert [job.wait(timeout=300) for job in jobs] == [0, 0]
    assert [path.name for path in tmp_path.iterdir()] == ["collector.so"]
    ctypes.CDLL(str(output))


def test_a_build_that_fails_leaves_nothing_and_says_which_message(tmp_path):
    compiler, _ = of(find("mpich4"))
    environment = {**os.environ, "CFLAGS": "-DMPI_Comm=mistake(", "TMPDIR": str(tmp_path)}
    with pytest.raises(UserError, match="could not be built with .*mpicc.mpich: .*error") as caught:
        collector.build(compiler, tmp_path / "out.so", environment)
    assert caught.value.meaning == "The program runs without being measured."
    assert list(tmp_path.glob("*.so")) == []


def test_a_collector_that_cannot_be_loaded_is_no_collector(tmp_path, monkeypatch):
    """It would end the user's program. The build links what is not there as well: that shows when
    it is loaded."""
    compiler, _ = of(find("mpich4"))
    script = tmp_path / "build.sh"
    script.write_text(
        'echo "void nowhere(void); __attribute__((constructor)) void f(void) { nowhere(); }" >'
        ' "$2.c"\ncc -shared -fPIC -o "$2" "$2.c" && rm "$2.c"\n'
    )
    monkeypatch.setattr(collector.resource_paths, "collectors", lambda: tmp_path)
    with pytest.raises(UserError, match="it cannot be loaded: .*nowhere"):
        collector.build(compiler, tmp_path / "out.so", os.environ)
    assert [path.name for path in tmp_path.iterdir()] == ["build.sh"]


def test_a_build_that_is_killed_leaves_nothing_and_older_remains_go(tmp_path):
    compiler, _ = of(find("mpich4"))
    code = (
        "import os, pathlib, sys; from advisor.launching.collector import build;"
        " build.by_hand(sys.argv[1], pathlib.Path(sys.argv[2]), dict(os.environ), print)"
    )
    env = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
        "TMPDIR": str(tmp_path / "work"),
    }
    for name in ("work", "cache"):
        (tmp_path / name).mkdir()
    old, young = (
        tmp_path / "cache" / f".advisor-mpich-1-{name}.so.{name}.so" for name in ("old", "young")
    )
    for left in (old, young):
        left.write_text("")
    os.utime(old, (1, 1))
    job = subprocess.Popen(
        [sys.executable, "-c", code, compiler.path, str(tmp_path / "cache" / "out.so")],
        env=env,
        start_new_session=True,
    )
    while not list((tmp_path / "work").iterdir()):
        assert job.poll() is None
        time.sleep(0.02)
    os.killpg(job.pid, signal.SIGKILL)
    job.wait()
    assert list((tmp_path / "cache").iterdir()) == [young]


def test_caches_in_order_and_never_where_ld_preload_would_split(tmp_path):
    environment = {"ADVISOR_CACHE": "/a", "XDG_CACHE_HOME": "/x y", "HOME": "/h"}
    own = collector.resource_paths.collectors().parent / ".cache"
    assert list(collector.resource_paths.caches(environment)) == [Path("/a"), own]
    assert list(collector.resource_paths.caches({"HOME": "/h"})) == [own, Path("/h/.cache/advisor")]


def test_another_library_needs_another_collector():
    compiler, library = of(find("mpich4"))
    other = MpiLibrary("mpich", "9.9", library.path, library.soname)
    assert collector.file_name(compiler, library) != collector.file_name(compiler, other)


def test_without_any_compiler_wrapper_the_way_out_is_said():
    library = MpiLibrary("openmpi", "4.1.4", "/opt/none/lib/libmpi.so.40", "libmpi.so.40")
    with pytest.raises(UserError) as caught:
        collector.choose_compiler(library, "", {"PATH": "/nowhere"}, print)
    assert caught.value.lines() == (
        (
            "The program uses Open MPI 4.1.4 (/opt/none/lib/libmpi.so.40), and there is no mpicc"
            " for it here."
        ),
        "The collector cannot be built, so the program runs without being measured.",
        "Load the module that brings its mpicc, or: advisor build --mpicc /path/to/mpicc",
    )


def test_headers_of_the_same_family_serve(capsys):
    require(find("mpich4"))
    library = MpiLibrary("mvapich", "4.0", "/opt/none/lib/libmpi.so.12", "libmpi.so.12")
    said = []
    compiler = collector.choose_compiler(library, "", dict(os.environ), said.append)
    assert compiler.name in ("mpich", "intel")
    assert said[0].startswith("MVAPICH 4.0 has no compiler wrapper here: using the headers of ")


@pytest.mark.parametrize("which", ["folder", "TMPDIR"])
def test_nothing_is_built_where_others_could_exchange_it(which, tmp_path):
    """In /tmp nobody can take another user's folder away; where all may write and it is not sticky,
    anybody can."""
    compiler, _ = of(find("mpich4"))
    for name in ("folder", "TMPDIR"):
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(0o777 if name == which else 0o755)
    with pytest.raises(UserError) as caught:
        collector.build(
            compiler,
            tmp_path / "folder" / "out.so",
            {**os.environ, "TMPDIR": str(tmp_path / "TMPDIR")},
        )
    assert (
        caught.value.what == f"The collector is not built: others can write to {tmp_path / which}."
    )
    assert [*(tmp_path / "folder").iterdir(), *(tmp_path / "TMPDIR").iterdir()] == []


def test_a_cache_whose_name_would_be_split_is_named():
    refusal = collector.resource_paths.refused({"ADVISOR_CACHE": "/tmp/a b"})
    assert (
        refusal.what
        == "ADVISOR_CACHE=/tmp/a b is not used: its name has spaces or colons, at which LD_PRELOAD"
        " would be split."
    )
    assert collector.resource_paths.refused({}) is None
