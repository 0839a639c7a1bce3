"""mpi4py's own test-suite: fetched, run on all ranks of a job, and two such runs compared test by
test."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tarfile
from collections import Counter
from typing import Dict, Iterable, List, NamedTuple, Sequence, Set, Tuple

import pytest

from mpi_builds import WHEELS, Build, python, python_environment, run

RUNNER = pathlib.Path(__file__).resolve().parent / "one_rank.py"
TEST_SECONDS = 240
"""The longest a single test may take: one-sided calls of MPICH take a minute for 10 s of work where
other programs want the cores too."""
_MORE = {"impi": {"I_MPI_SPAWN": "on"}}
"""Intel MPI crashes in MPI_Open_port, which the suite calls while it is loaded, unless it is told
to be ready for it."""
Outcomes = Dict[str, Tuple[str, ...]]
"""Test → how it ended on each rank: pass, fail, error, skip …, or "broken off" if the process ended
in it."""


class Way(NamedTuple):
    """One way to start: `front` stands in front of the interpreter. `folder`: what the ranks write.
    `launches`: how often it may be broken off."""

    build: Build
    ranks: int
    front: Tuple[str, ...]
    folder: pathlib.Path
    launch_seconds: float
    launches: int


def fetch(build: Build) -> pathlib.Path:
    """The folder of the suite that belongs to the installed mpi4py, or skip. The source package is
    kept in WHEELS."""
    interpreter = python(build)
    version = subprocess.run(
        [interpreter, "-c", "import mpi4py; print(mpi4py.__version__)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    folder = WHEELS / f"mpi4py-{version}"
    if not (folder / "test" / "main.py").exists():
        WHEELS.mkdir(parents=True, exist_ok=True)
        with tarfile.open(_download(version)) as archive:
            archive.extractall(
                WHEELS,
                members=[one for one in archive if one.name.startswith(f"{folder.name}/test/")],
            )
    return folder / "test"


def _download(version: str) -> pathlib.Path:
    words = [
        "download",
        "-q",
        "--disable-pip-version-check",
        "--no-deps",
        "--no-binary",
        "mpi4py",
        "-d",
        str(WHEELS),
        f"mpi4py=={version}",
    ]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pip", *words], capture_output=True, text=True, timeout=180
        )
        reason = done.stderr.strip().split("\n")[-1]
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = str(error)
    found = WHEELS / f"mpi4py-{version}.tar.gz"
    return (
        found
        if found.exists()
        else pytest.skip(
            f"the source package of mpi4py {version}, which holds its tests, cannot be had:"
            f" {reason}"
        )
    )


def outcomes(way: Way, words: Sequence[str]) -> Outcomes:
    """How all tests end. A test in which the job crashes or hangs is "broken off"; the others go on
    in a new launch."""
    suite = fetch(way.build)
    way.folder.mkdir(parents=True)
    broken: Set[str] = set()
    for _ in range(way.launches):
        done = _launch(way, suite, words)
        ended, begun = _written(way)
        new = {test for test in begun if len(ended.get(test, {})) < way.ranks} - broken
        broken |= new
        if done and not new:
            break
        way.folder.joinpath("skip").write_text(
            "\n".join(
                broken | {test for test, by_rank in ended.items() if len(by_rank) == way.ranks}
            )
        )
    else:
        raise AssertionError(
            f"{way.build} on {way.ranks} ranks was broken off {way.launches} times, last in"
            f" {sorted(new)}"
        )
    assert ended, f"{way.build} on {way.ranks} ranks: no test ran; see {way.folder}"
    return {
        test: (
            ("broken off",) if test in broken else tuple(by_rank[rank] for rank in sorted(by_rank))
        )
        for test, by_rank in {**dict.fromkeys(broken, {}), **ended}.items()
    }


def _launch(way: Way, suite: pathlib.Path, words: Sequence[str]) -> bool:
    """Whether the launch came to its end by itself and well."""
    # Processes that the suite's pools start look for its modules along the path.
    extra = {
        **python_environment(way.build),
        **_MORE.get(way.build.name, {}),
        "PYTHONPATH": str(suite),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    line = [*way.front, python(way.build), RUNNER, suite, way.folder, TEST_SECONDS, *words]
    try:
        done = run(way.build, way.ranks, line, extra, way.launch_seconds, cwd=way.folder)
    except subprocess.TimeoutExpired:
        return False
    with open(way.folder / "stderr", "a", encoding="utf-8") as file:
        file.write(done.stderr)
    return done.returncode == 0


def _written(way: Way) -> Tuple[Dict[str, Dict[int, str]], Set[str]]:
    """Test → rank → outcome; and the tests that were begun."""
    ended: Dict[str, Dict[int, str]] = {}
    begun: Set[str] = set()
    for rank in range(way.ranks):
        path = way.folder / f"rank-{rank}"
        for line in path.read_text().split("\n") if path.exists() else ():
            # The trace of a test that hangs stands between our lines.
            kind, test, *rest = (
                json.loads(line) if line.startswith('["') and line.endswith("]") else ("", "")
            )
            if kind == "begin":
                begun.add(test)
            elif kind == "end":
                ended.setdefault(test, {})[rank] = rest[0]
    return ended, begun


def counts(found: Outcomes) -> Dict[str, int]:
    """How many tests ended in which way on rank 0."""
    return dict(Counter(by_rank[0] for by_rank in found.values()))


def differing(without: Outcomes, with_: Outcomes) -> List[str]:
    """The tests that do not end alike."""
    return sorted(test for test in {*without, *with_} if without.get(test) != with_.get(test))


def never_alike(
    without: Iterable[Outcomes], with_: Iterable[Outcomes], tests: Iterable[str]
) -> Dict[str, tuple]:
    """Those tests that in no run without ended as in any run with: test → (outcomes without,
    outcomes with)."""
    seen = {
        test: tuple({run.get(test) for run in runs} for runs in (tuple(without), tuple(with_)))
        for test in tests
    }
    return {test: both for test, both in seen.items() if not both[0] & both[1]}
