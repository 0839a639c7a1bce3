"""The object that a centre preloads into everything: nothing changes in processes without an MPI
library, and of the others only ranks of chosen jobs get the collector.

"MPI library" is an empty file here that has such a name: the gate goes by names alone. The
"collector" is another one, and the program says what it was started with.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter

import pytest
from mpi_builds import REPOSITORY

compiler = shutil.which("cc")
pytestmark = pytest.mark.skipif(not compiler, reason="no C compiler")
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
extern char **environ;
extern int library(void);
int main(int count, char **words)
{
    printf("%s %d", words[0], count);
    for (char **at = environ; *at; at++)
        printf("\\n%s", *at);
    puts("");
    return library();
}
"""
LOADED = {"ADVISOR_SPOOL": "/the/spool", "ADVISOR_RUN": "fleet-77", "ADVISOR_FLEET_PRELOAD": ""}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """home/ as `advisor fleet install` leaves it, an "MPI library" and a program that needs it."""
    place = tmp_path_factory.mktemp("gate")
    home = place / "home"
    for name in ("lib", "collectors"):
        (home / name).mkdir(parents=True)
    build = REPOSITORY / "collectors" / "fleet" / "build.sh"
    subprocess.run([build, home / "lib" / "advisor-fleet.so"], check=True)
    (place / "p.c").write_text(PROGRAM)
    (place / "l.c").write_text("int library(void) { return 3; }\n")
    library, shared = place / "libmpi.so.40", ["-shared", "-fPIC"]
    subprocess.run(
        [compiler, *shared, "-Wl,-soname,libmpi.so.40", "-o", library, place / "l.c"], check=True
    )
    subprocess.run(
        [compiler, *shared, "-o", home / "collectors" / "c.so", "-xc", "/dev/null"], check=True
    )
    words = [compiler, place / "p.c", library, f"-Wl,-rpath,{place}", "-o", place / "program"]
    subprocess.run(words, check=True)
    (home / "spool").symlink_to("/the/spool")
    return place


@pytest.fixture
def home(place):
    """Everything is switched on."""
    home, library = place / "home", place / "libmpi.so.40"
    (home / "share").write_text("10000\n")
    (home / "off").unlink(missing_ok=True)
    (home / "libraries").write_text(f"{library.stat().st_size}\t{library}\tc.so\n")
    return home


def rank(home, **more):
    """The environment of a rank."""
    own = {
        "PATH": os.defpath,
        "LD_PRELOAD": f"{home}/lib/advisor-fleet.so",
        "PMI_RANK": "1",
        "SLURM_JOB_ID": "77",
        "SLURM_STEP_ID": "0",
        "SLURM_CLUSTER_NAME": "here",
    }
    return {name: value for name, value in {**own, **more}.items() if value is not None}


def started(place, variables, *words):
    """Exit code, first line, and the variables that the program saw."""
    done = subprocess.run(
        [*words, place / "program", "one"],
        env=variables,
        capture_output=True,
        text=True,
        timeout=20,
    )
    first, *lines = done.stdout.splitlines()
    assert done.stderr == ""
    return done.returncode, first, dict(line.split("=", 1) for line in lines)


def test_a_rank_of_a_chosen_job_is_started_again_with_the_collector(place, home):
    code, first, seen = started(place, rank(home))
    assert (code, first) == (3, f"{place}/program 2")
    expected = {**rank(home), **LOADED, "ADVISOR_SPOOL_NAME": "here.77.0"}
    assert seen == {**expected, "LD_PRELOAD": f"{home}/collectors/c.so"}


def test_what_else_is_preloaded_stays_before_the_collector(place, home):
    other = "/lib/x86_64-linux-gnu/libm.so.6"
    if not os.path.exists(other):
        pytest.skip(f"no {other}")
    both = {"LD_PRELOAD": f"{other} {home}/lib/advisor-fleet.so"}
    seen = started(place, rank(home, **both))[2]
    assert (seen["LD_PRELOAD"], seen["ADVISOR_FLEET_PRELOAD"]) == (
        f"{other}:{home}/collectors/c.so",
        other,
    )


def test_launch_lines_without_a_step_are_told_apart(place, home):
    seen = started(place, rank(home, SLURM_STEP_ID=None))[2]
    assert seen["ADVISOR_SPOOL_NAME"].startswith("here.77.line")


@pytest.mark.parametrize(
    "more",
    [
        {"ADVISOR_FLEET": "off"},
        {"ADVISOR_OUTPUT": "/tmp"},
        {"SLURM_JOB_ID": None},
        {"SLURM_JOB_ID": "7;7"},
        {"PMI_RANK": None, "SLURM_STEP_ID": None},
    ],
    ids=str,
)
def test_it_is_not_measured_by(place, home, more):
    """The user's wish, what advisor run measures already, no job, no launcher."""
    assert started(place, rank(home, **more))[2] == rank(home, **more)


@pytest.mark.parametrize(
    "name, text",
    [("off", ""), ("share", "0"), ("share", "all"), ("libraries", "1\t/x\ty\n"), ("libraries", "")],
)
def test_the_centre_switches_it_off(place, home, name, text):
    """The last two: a library that is not known, or was updated since."""
    (home / name).write_text(text)
    assert started(place, rank(home))[2] == rank(home)


def test_a_library_that_was_replaced_has_no_collector(place, home):
    (home / "libraries").write_text(f"12\t{place}/libmpi.so.40\tc.so\n")
    assert started(place, rank(home))[2] == rank(home)


def test_the_jobs_are_those_that_the_launch_wrapper_chooses(place, home):
    (home / "share").write_text("3000\n")
    jobs = [str(job) for job in range(987_600, 987_640)]
    chosen = [
        job for job in jobs if "ADVISOR_SPOOL" in started(place, rank(home, SLURM_JOB_ID=job))[2]
    ]
    sums = {job: (int(job) % 65536 * 40503 + int(job) // 65536 * 30011) % 65536 for job in jobs}
    assert chosen == [job for job in jobs if sums[job] * 10000 // 65536 < 3000]
    assert 8 <= len(chosen) <= 16


def test_it_needs_nothing_and_exports_nothing(home):
    gate = home / "lib" / "advisor-fleet.so"
    symbols = subprocess.run(["nm", "-D", gate], capture_output=True, text=True).stdout.split("\n")
    assert {line.split()[0] for line in symbols if line} == {"w"}
    told = subprocess.run(["readelf", "-d", gate], capture_output=True, text=True).stdout
    assert "NEEDED" not in told and "INITFIRST" in told
    assert gate.stat().st_size < 16_384


def test_its_data_is_one_page_and_its_code_two(home):
    """Each page that the loader writes to is copied for each process; two parts are two calls."""
    gate = home / "lib" / "advisor-fleet.so"
    told = subprocess.run(["readelf", "-lW", gate], capture_output=True, text=True).stdout
    loads = [line.split()[2:6:3] for line in told.splitlines() if line.split()[:1] == ["LOAD"]]
    pages = [
        (int(start, 16) + int(size, 16) - 1) // 4096 - int(start, 16) // 4096 + 1
        for start, size in loads
    ]
    assert (pages, "GNU_RELRO" in told) == ([2, 1], False)


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
@pytest.mark.parametrize("words", [["true"], ["sh", "-c", ":"], [sys.executable, "-S", "-c", ""]])
def test_a_process_that_is_no_rank_asks_the_kernel_for_one_file_more(home, tmp_path, words):
    """Whatever the clock says: the loader opens, reads, maps and closes one file. The gate itself
    makes no call."""

    def calls(*more):
        traced = ["strace", "-o", tmp_path / "calls", "-E", "LC_ALL=C", *more, *words]
        bare = {"PATH": os.environ["PATH"]}
        subprocess.run(traced, env=bare, capture_output=True, check=True, timeout=60)
        lines = (tmp_path / "calls").read_text().splitlines()
        return Counter(line.split("(")[0] for line in lines)

    one_more = calls("-E", f"LD_PRELOAD={home}/lib/advisor-fleet.so") - calls()
    del one_more["brk"]  # A heap that begins elsewhere.
    state = "newfstatat" if one_more["newfstatat"] else "fstat"
    assert one_more == {"openat": 1, "read": 1, state: 1, "mmap": 2, "close": 1}


KINDS = (
    ["sh", "-c", "echo $0 $((6 * 7)); exit 9"],
    ["bash", "-c", "echo $BASH_VERSION; (exit 4) || exit 5"],
    ["ls", "-la", "/usr"],
    ["less", "-F", "/etc/passwd"],
    ["grep", "-c", "root", "/etc/passwd"],
    ["awk", "BEGIN { print 1/3 }"],
    ["tar", "--version"],
    ["cc", "--version"],
    ["ld", "--version"],
    ["perl", "-e", "print 2**10; exit 3"],
    [sys.executable, "-S", "-c", "import sys; print(sys.argv); sys.exit(6)"],
    ["su", "--version"],
    ["ldconfig", "-p"],
    ["busybox", "sh", "-c", "echo static; exit 7"],
    ["env", "-i", "sh", "-c", "echo cleared"],
    ["false"],
)


def test_processes_of_all_kinds_do_what_they_did(home):
    """Six times sixteen, half of them with the object. benchmarks/fleet_harmless.py does 10 000."""
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    kinds = [words for words in KINDS if shutil.which(words[0], path=path)]
    bare = {"PATH": path, "LC_ALL": "C", "SLURM_JOB_ID": "77", "PMI_RANK": "0"}
    variables = (bare, {**bare, "LD_PRELOAD": f"{home}/lib/advisor-fleet.so"})
    for words in kinds * 3:
        before, after = (
            subprocess.run(words, env=each, stdin=subprocess.DEVNULL, capture_output=True)
            for each in variables
        )
        assert (words, after.returncode, after.stdout, after.stderr) == (
            words,
            before.returncode,
            before.stdout,
            before.stderr,
        )
