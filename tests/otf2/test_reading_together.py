"""A trace read by an MPI job has the numbers of the same trace read by one process."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from mpi_builds import BUILDS, ENVIRONMENT, require

from advisor.__main__ import main
from advisor.intake import read

from .archives import BARRIER, archive, call, collective, world, writer
from .test_known_waits import CASES

BUILD = BUILDS[0]
CHOSEN = (
    "the longest of several messages",
    "a lock that another rank holds",
    "a scan waits for lower ranks only",
    "neighbours wait for those that they receive from",
)


def _rows(profile):
    """All tables as sorted rows."""
    return {
        name: sorted(zip(*(map(str, table[label].tolist()) for label in sorted(table))))
        for name, table in profile.tables.items()
    }


@pytest.fixture(scope="module")
def together(tmp_path_factory):
    """The reader for jobs of that build."""
    require(BUILD)
    writer()
    patch = pytest.MonkeyPatch()
    for name, value in {**ENVIRONMENT, **BUILD.environment, "MPICC": BUILD.mpicc}.items():
        patch.setenv(name, value)
    yield [*BUILD.launcher, "-n"]
    patch.undo()


@pytest.fixture(scope="module")
def many_rounds(tmp_path_factory):
    """A trace of eight ranks that is read in many rounds."""
    writer()
    folder = tmp_path_factory.mktemp("rounds")
    source = Path(__file__).resolve().parents[2] / "benchmarks" / "otf2" / "write_trace.c"
    subprocess.run(
        ["cc", "-O1", str(source), "-o", str(folder / "write_trace"), "-lotf2"], check=True
    )
    subprocess.run([str(folder / "write_trace"), str(folder / "trace"), "8", "4000"], check=True)
    return folder / "trace" / "traces.otf2"


@pytest.mark.parametrize("processes", [2, 4])
def test_a_long_trace_has_the_same_numbers(processes, together, many_rounds):
    assert _rows(read(many_rounds, [*together, str(processes)])) == _rows(read(many_rounds))


@pytest.mark.parametrize("name", CHOSEN)
def test_waits_over_processes_are_the_same(name, together, tmp_path):
    trace = archive(tmp_path, CASES[name][0])
    assert _rows(read(trace, [*together, "3"])) == _rows(read(trace))


def test_counters_over_processes_are_the_same(together):
    trace = Path(__file__).with_name("recorded") / "counts" / "traces.otf2"
    found = _rows(read(trace, [*together, "2"]))
    assert found == _rows(read(trace)) and found["counters"]


def test_a_report_is_made_by_a_job(together, tmp_path, capsys):
    trace = archive(tmp_path, CASES["a fence"][0])
    assert (
        main(["report", str(trace), "--mpi", " ".join([*together, "2"]), "--format", "json"]) == 0
    )
    assert '"Win_fence"' in capsys.readouterr().out


def test_what_a_job_cannot_read_is_said_in_one_sentence(together, tmp_path, capsys):
    lines = (
        world(0, 0)
        + ["comm 2 pair 0"]
        + call(1, 10, 11, "Barrier", collective(BARRIER, communicator=2))
    )
    trace = archive(tmp_path, lines)
    assert main(["report", str(trace), "--mpi", " ".join([*together, "2"])]) != 0
    assert (
        "it looks like an OTF2 trace, but rank 1 takes part in a collective call of others (at"
        " event 2 of traces/1.evt)." in capsys.readouterr().err
    )


def test_a_launcher_that_is_not_there_is_said(together, many_rounds, capsys):
    assert main(["report", str(many_rounds), "--mpi", "no-such-launcher -n 2"]) != 0
    assert "no-such-launcher cannot be started" in capsys.readouterr().err
