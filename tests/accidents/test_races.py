"""Threads that call MPI at once, under the thread sanitizer: the collector's sources and the
program in one executable."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from mpi_builds import REPOSITORY, core_sources, environment, find, require

COLLECTORS = REPOSITORY / "collectors"
FLAGS = [
    "-std=gnu11",
    "-O0",
    "-g",
    "-pthread",
    "-fsanitize=thread",
    "-fno-strict-aliasing",
    "-Wno-deprecated-declarations",
    "-Wno-tsan",
    "-rdynamic",
]


def generate(build, folder):
    """The wrappers for the headers of `build`, as build.sh makes them."""
    header = folder / "header.c"
    header.write_text("#define OMPI_SKIP_MPICXX 1\n#define MPICH_SKIP_MPICXX 1\n#include <mpi.h>\n")
    text = subprocess.run(
        [build.mpicc, "-E", str(header)],
        env=environment(build),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    (folder / "header.i").write_text(text)
    words = [
        sys.executable,
        str(COLLECTORS / "pmpi" / "wrap" / "generate.py"),
        str(COLLECTORS / "standard" / "calls.txt"),
        str(folder / "header.i"),
        str(folder),
    ]
    subprocess.run(words, check=True)


def compiled_with_sanitizer(build, program, folder):
    generate(build, folder)
    sources = [
        *core_sources(folder),
        *sorted(COLLECTORS.glob("pmpi/*/*.c")),
        *(folder / f"{name}.c" for name in ("wrappers", "names", "operations")),
    ]
    includes = [f"-I{path}" for path in (*COLLECTORS.glob("pmpi/*"), COLLECTORS / "tracing")]
    probe = subprocess.run(
        ["cc", "-fsanitize=thread", "-x", "c", "-", "-o", str(folder / "probe")],
        input="int main(void){return 0;}",
        capture_output=True,
        text=True,
    )
    if probe.returncode:
        pytest.skip(f"no thread sanitizer: {probe.stderr.splitlines()[-1]}")
    out = folder / "stress"
    done = subprocess.run(
        [
            build.mpicc,
            *FLAGS,
            *includes,
            str(program),
            *map(str, sources),
            "-o",
            str(out),
            "-ldl",
            "-lm",
        ],
        env=environment(build),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return str(out)


def stacks(report):
    """The parts of a report that say what was done where; not who made threads and locks."""
    return "\n".join(
        part
        for part in report.split("\n\n")
        if re.match(r"\s*(WARNING|Write|Read|Previous|Atomic|Mutex M\d+ acquired)", part)
    )


def test_no_race_in_the_collector(request, job, tmp_path):
    """Open MPI's own reports are left out: its locks are partly of its own making, which the
    sanitizer cannot know."""
    build = require(find("ompi4"))
    program = compiled_with_sanitizer(build, request.path.parent / "many.c", tmp_path)
    left = job(build).run(
        2,
        [program, "threads", 30],
        {"TSAN_OPTIONS": "detect_deadlocks=0 exitcode=0"},
        preload=os.environ.get("LD_PRELOAD", " "),
        time_limit=200,
    )
    assert left.code == 0, left.err[-2000:]
    assert left.counts("Allreduce") == left.counts("Waitall") == {0: 6 * 2 * 30, 1: 6 * 2 * 30}
    assert left.profile.tables["ranks"]["control_levels"].tolist() == [6 * 2 * 3] * 2
    reports = [
        stacks(report)
        for report in left.err.split("==================")
        if "WARNING: ThreadSanitizer" in report
    ]
    assert [
        report
        for report in reports
        if "/collectors/" in report or str(tmp_path) in re.sub(r"\(stress\+\w+\)", "", report)
    ] == []
