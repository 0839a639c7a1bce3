"""advisor-fleet-run: a share of the jobs is measured, switches switch off, and the launch line
runs whatever happens."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import datetime, timezone

import pytest
from mpi_builds import REPOSITORY, compile_program, environment, find, require

from advisor import intake
from advisor.fleet.spool import deliver, files, ready

WRAPPER = REPOSITORY / "advisor" / "launching" / "advisor-fleet-run"
OWN = ("ADVISOR_FLEET_SPOOL", "SLURM_JOB_ID", "SLURM_CLUSTER_NAME", "XDG_DATA_HOME")
TODAY = datetime.now(timezone.utc).date()
PROGRAM = "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); return 7; }\n"


@pytest.fixture
def spool(tmp_path):
    place = tmp_path / "spool"
    place.mkdir()
    ready(place, TODAY)
    (place / "share").write_text("10000\n")
    return place


@pytest.fixture
def commands(tmp_path):
    """A folder with the wrapper and an `advisor` beside it, as they are installed."""
    place = tmp_path / "bin"
    place.mkdir()
    (place / "advisor-fleet-run").symlink_to(WRAPPER)
    (place / "advisor").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m advisor "$@"\n')
    (place / "advisor").chmod(0o755)
    return place


def variables(spool, job="1234", **more):
    own = {"ADVISOR_FLEET_SPOOL": str(spool), "SLURM_JOB_ID": job, "SLURM_CLUSTER_NAME": "tests"}
    return {**os.environ, **own, **more}


def chosen_of(spool, jobs):
    """Jobs that would be measured: the wrapper of a folder whose `advisor` says so."""
    script = 'for SLURM_JOB_ID in $JOBS; do export SLURM_JOB_ID; "$WRAPPER" true; done'
    fake = spool.parent / "saying"
    fake.mkdir(exist_ok=True)
    (fake / "advisor").write_text("#!/bin/sh\necho $SLURM_JOB_ID\n")
    (fake / "advisor").chmod(0o755)
    wrapper = fake / "advisor-fleet-run"
    if not wrapper.exists():
        wrapper.symlink_to(WRAPPER)
    told = subprocess.run(
        ["sh", "-c", script],
        env=variables(spool, WRAPPER=str(wrapper), JOBS=" ".join(map(str, jobs))),
        capture_output=True,
        text=True,
    )
    return [int(job) for job in told.stdout.split()]


@pytest.mark.parametrize("share, least, most", [("0", 0, 0), ("1000", 5, 7), ("10000", 60, 60)])
def test_the_share_of_jobs(spool, share, least, most):
    (spool / "share").write_text(share)
    jobs = range(987_600, 987_660)
    found = chosen_of(spool, jobs)
    assert least <= len(found) <= most
    assert chosen_of(spool, found) == found


def test_a_larger_share_keeps_the_jobs_of_a_smaller_one(spool):
    (spool / "share").write_text("500")
    few = chosen_of(spool, range(60))
    (spool / "share").write_text("3000")
    assert few and set(few) <= set(chosen_of(spool, range(60)))


@pytest.mark.parametrize(
    "prepare, more",
    [
        (lambda spool: (spool / "off").touch(), {}),
        (lambda spool: (spool / "share").unlink(), {}),
        (lambda spool: (spool / "share").write_text("all"), {}),
        (lambda spool: (spool / "share").write_text("$(id)"), {}),
        (lambda spool: None, {"ADVISOR_FLEET": "off"}),
        (lambda spool: None, {"ADVISOR_FLEET_SPOOL": "/nowhere"}),
        (lambda spool: None, {"SLURM_JOB_ID": ""}),
        (lambda spool: None, {"SLURM_JOB_ID": "1;id"}),
    ],
)
def test_switched_off_it_is_the_launch_line_and_no_other_process(spool, commands, prepare, more):
    """`advisor` beside it would fail here."""
    prepare(spool)
    (commands / "advisor").write_text("#!/bin/sh\nexit 99\n")
    begun = subprocess.Popen(
        [commands / "advisor-fleet-run", "sh", "-c", 'echo "$0 $$"; exit 5', "two  words"],
        env=variables(spool, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    told = begun.communicate()[0]
    assert (begun.returncode, told) == (5, f"two  words {begun.pid}\n")


def test_a_profile_reaches_the_spool(spool, commands, tmp_path):
    build = require(find("mpich5"))
    (tmp_path / "p.c").write_text(PROGRAM)
    program = compile_program(build, "c", [tmp_path / "p.c"], tmp_path / "p")
    own = variables(spool, XDG_DATA_HOME=str(tmp_path / "data"))
    done = subprocess.run(
        [commands / "advisor-fleet-run", *build.launcher, "-n", "2", str(program)],
        env={**environment(build), **{name: own[name] for name in OWN}},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (7, "")
    (found,) = files(spool)
    assert (found.cluster, found.job, found.kind) == ("tests", "1234", "profile")
    assert len(intake.read(found.path).tables["ranks"]["rank"]) == 2
    assert not list((tmp_path / "data" / "advisor" / "fleet").iterdir())


def test_a_program_without_mpi_runs_and_leaves_nothing(spool, commands):
    done = subprocess.run(
        [commands / "advisor-fleet-run", "sh", "-c", "cat; exit 3"],
        env=variables(spool),
        input="given\n",
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, list(files(spool))) == (3, "given\n", [])


def test_a_name_that_somebody_took_costs_no_profile(spool):
    first, second = (deliver(spool, "tests.1.0", data, TODAY) for data in (b"one", b"two"))
    assert (first.read_bytes(), second.read_bytes()) == (b"one", b"two")
    assert sorted(each.path for each in files(spool)) == sorted([first, second])
    assert first.stat().st_mode & 0o777 == 0o640
    assert len(list(first.parent.iterdir())) == 2
