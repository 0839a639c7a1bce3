"""`advisor run --collector scorep` with a real Score-P and Open MPI: what it measures of programs
whose calls and waits are known.

Skipped where there is none: ADVISOR_TEST_SCOREP names the folder that Score-P is installed in, for
Open MPI 4; else `scorep` is looked for.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from mpi_builds import advisor_run, environment, find, require

from advisor import analysis, intake
from advisor.probing.papi import PRESETS

HERE = Path(__file__).resolve().parent
OMPI = find("ompi4")
COUNTS = {
    (0, "Allreduce"): 13,
    (1, "Allreduce"): 13,
    (0, "Send"): 11,
    (1, "Recv"): 11,
    (0, "Irecv"): 7,
    (1, "Irecv"): 7,
    (0, "Isend"): 7,
    (1, "Isend"): 7,
    (0, "Waitall"): 7,
    (1, "Waitall"): 7,
    (0, "Bcast"): 3,
    (1, "Bcast"): 3,
    (0, "Barrier"): 1,
    (1, "Barrier"): 1,
    (0, "Comm_rank"): 1,
    (1, "Comm_rank"): 1,
}
FORTRAN = {
    key: count
    for key, count in COUNTS.items()
    if key[1] not in ("Irecv", "Isend", "Waitall", "Bcast")
}


@pytest.fixture(scope="module")
def path():
    """PATH with Score-P in it."""
    require(OMPI)
    prefix = os.environ.get("ADVISOR_TEST_SCOREP", "")
    folders = f"{prefix}/bin:{os.environ['PATH']}" if prefix else os.environ["PATH"]
    if not shutil.which("scorep", path=folders):
        pytest.skip(
            "no Score-P: it is in no package registry; ADVISOR_TEST_SCOREP names where one is"
            " installed"
        )
    return folders


@pytest.fixture(scope="module")
def programs(path, tmp_path_factory):
    """The C and the Fortran program, instrumented."""
    folder = tmp_path_factory.mktemp("instrumented")
    for compiler, source in ((OMPI.mpicc, "counts.c"), (OMPI.mpifort, "counts.f90")):
        words = [
            "scorep",
            "--mpp=mpi",
            compiler,
            "-O1",
            str(HERE / source),
            "-o",
            source.replace(".", "-"),
        ]
        done = subprocess.run(
            words, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
    return folder


def advised(programs, path, folder, program, *options, arguments=(), **more):
    """`advisor run --collector scorep` of it on two ranks: (the finished process, its result
    folder)."""
    line = advisor_run(
        OMPI,
        2,
        [programs / program, *arguments],
        "--collector",
        "scorep",
        "--no-report",
        "-o",
        folder,
        *options,
    )
    extra = {"PATH": path, "PYTHONPATH": str(HERE.parents[1]), **more}
    return (
        subprocess.run(
            line,
            env=environment(OMPI, extra),
            cwd=folder.parent,
            capture_output=True,
            text=True,
            timeout=600,
        ),
        folder,
    )


def counts(profile):
    """Calls by rank and operation."""
    table = profile.tables["calls"]
    return {
        (rank, operation): count
        for rank, operation, count in zip(
            *(table[name].tolist() for name in ("rank", "operation", "count"))
        )
    }


@pytest.fixture(scope="module")
def measured(programs, path, tmp_path_factory):
    return advised(
        programs,
        path,
        tmp_path_factory.mktemp("c") / "r",
        "counts-c",
        "--counters",
        arguments=("7",),
    )


def test_the_job_is_the_same_and_the_experiment_is_in_the_result(measured):
    done, folder = measured
    assert (done.returncode, done.stdout) == (7, ""), done.stderr
    assert (
        folder / "scorep" / "profile.cubex"
    ).is_file() and f"Score-P's experiment: {folder}/scorep" in done.stderr
    assert not (folder / "parts").exists()


def test_calls_are_those_of_the_program(measured):
    profile = intake.read(measured[1])
    assert (
        counts(profile) == COUNTS
        and profile.run.collector.startswith("Score-P")
        and profile.run.exit_code == 7
    )
    assert profile.library.name == "openmpi" and profile.run.launch_line[0] == OMPI.launcher[0]
    found = analysis.measure(profile).tables["run"].row(0)
    # The sleeps alone are 13 x 20 ms + 11 x 10 ms; what is waited for is in MPI.
    assert found["time"] > 0.37 and found["mpi_time"] > 0.18


def test_callers_are_named(measured):
    sites = intake.read(measured[1]).tables["sites"]
    found = {
        (operation, function)
        for operation, function in zip(sites["operation"].tolist(), sites["function"].tolist())
    }
    assert {
        ("Allreduce", "reduce"),
        ("Recv", "message"),
        ("Waitall", "exchange"),
        ("Bcast", "main"),
    } <= found


def test_counters_inside_and_outside(measured):
    profile = intake.read(measured[1])
    table = profile.tables["counters"]
    rows = {
        (rank, name): (total, inside, outside)
        for rank, name, total, inside, outside in zip(
            *(table[label].tolist() for label in ("rank", "counter", "total", "inside", "outside"))
        )
    }
    # 4 MiB that are touched for the first time are 1024 pages of 4 KiB.
    assert all(rows[rank, "page_faults"][2] >= 1024 for rank in (0, 1))
    assert all(total == round(inside + outside) for total, inside, outside in rows.values())
    assert {"cpu_time", "voluntary_switches"} <= {name for _, name in rows}
    # What PAPI cannot count here is a gap, and did not end the program.
    absent = {gap.subject for gap in profile.gaps if gap.subject.startswith("counters.")}
    assert {"counters." + name for name in PRESETS} == absent | {
        "counters." + name for _, name in rows if name in PRESETS
    }
    assert all(1e6 < rows[rank, "cpu_time"][0] < 100e9 for rank in (0, 1))


def test_a_trace_knows_the_waits(programs, path, tmp_path):
    done, folder = advised(programs, path, tmp_path / "r", "counts-f90", "--trace=size=8M")
    assert done.returncode == 0 and (folder / "scorep" / "traces.otf2").is_file(), done.stderr
    profile = intake.read(folder)
    assert counts(profile) == FORTRAN
    waits = profile.tables["waits"]
    waited = {
        (rank, operation): wait
        for rank, operation, wait in zip(
            *(waits[name].tolist() for name in ("rank", "operation", "wait"))
        )
    }
    # At least most of the sleeps of the other rank; a machine that others use too only adds to
    # them.
    assert (
        waited[0, "Allreduce"] > 0.2
        and waited[1, "Recv"] > 0.08
        and waited[1, "Allreduce"] < waited[0, "Allreduce"]
    )


def test_counters_of_a_trace_are_those_of_the_profile_beside_it(programs, path, tmp_path):
    done, folder = advised(
        programs,
        path,
        tmp_path / "r",
        "counts-c",
        "--trace=size=8M",
        "--counters=perf::PAGE-FAULTS",
    )
    files = [folder / "scorep" / name for name in ("traces.otf2", "profile.cubex")]
    assert done.returncode == 0 and all(file.is_file() for file in files), done.stderr
    inside = []
    for file in files:
        table = intake.read(file).tables["counters"]
        inside.append(
            {
                (rank, name): round(count)
                for rank, name, count in zip(
                    *(table[label].tolist() for label in ("rank", "counter", "inside"))
                )
            }
        )
    # Outside the profile has what was before MPI_Init as well.
    assert inside[0] == inside[1] and {"page_faults", "cpu_time"} <= {name for _, name in inside[0]}
    profile = intake.read(folder)
    assert {"page_faults", "cpu_time"} <= set(profile.tables["counters"]["counter"])
    analysis.measure(profile)


def test_settings_of_the_user_stay_and_a_filter_filters(programs, path, tmp_path):
    (tmp_path / "f").write_text(
        "SCOREP_REGION_NAMES_BEGIN\n  EXCLUDE reduce\nSCOREP_REGION_NAMES_END\n"
    )
    done, folder = advised(
        programs,
        path,
        tmp_path / "r",
        "counts-c",
        "--filter",
        "f",
        SCOREP_EXPERIMENT_DIRECTORY=str(tmp_path / "mine"),
        SCOREP_MPI_ENABLE_GROUPS="coll",
    )
    assert (tmp_path / "mine" / "profile.cubex").is_file() and not (folder / "scorep").exists()
    seen = {operation for _, operation in counts(intake.read(folder))}
    assert {"Allreduce", "Bcast", "Barrier"} <= seen and not {"Send", "Recv", "Comm_rank"} & seen
    sites = intake.read(folder).tables["sites"]
    # The filtered function is not there, so its caller calls MPI_Allreduce.
    assert (
        set(zip(sites["operation"].tolist(), sites["function"].tolist())) >= {("Allreduce", "main")}
        and "reduce" not in sites["function"].tolist()
    )
    assert "SCOREP_MPI_ENABLE_GROUPS=coll is yours and stays; advisor would have set" in done.stderr


def test_a_killed_program_leaves_no_profile_and_that_is_said(programs, path, tmp_path):
    done, folder = advised(programs, path, tmp_path / "r", "counts-c", arguments=("abort",))
    assert done.returncode not in (0, 1)
    assert (
        f"Score-P wrote no profile into {folder}/scorep." in done.stderr
        and "when all ranks end by themselves" in done.stderr
    )


def test_a_program_that_is_not_instrumented_gets_our_collector(path, tmp_path):
    subprocess.run([OMPI.mpicc, str(HERE / "counts.c"), "-o", str(tmp_path / "plain")], check=True)
    done, folder = advised(tmp_path, path, tmp_path / "r", "plain")
    assert (
        "is not instrumented with Score-P, so advisor's own collector measures it." in done.stderr
    )
    profile = intake.read(folder)
    assert profile.run.collector == "pmpi" and done.returncode == 0


def test_a_filter_that_is_not_there(path, tmp_path):
    done, folder = advised(tmp_path, path, tmp_path / "r", "plain", "--filter", "none.filter")
    assert done.returncode == 2 or "The filter none.filter does not exist." in done.stderr
