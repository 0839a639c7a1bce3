"""A store judged anew: by other rules, on processes, on Dask and on MPI. Whose a job was stays."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import timedelta

import light_judge
import mpi_builds
import pytest
from small_fleet import NOW, PROFILES, InProcess, ingested, judged_once, rows, spool_of

from advisor.__main__ import main
from advisor.fleet import store as stores
from advisor.fleet.judging_anew import executors, judge_anew
from advisor.model.errors import UserError

LATER = NOW + timedelta(days=1)
FINDINGS = ("job", "user_name", "rule", "title", "place", "lost", "lost_low", "lost_high")


@pytest.fixture
def store(tmp_path):
    ingested(spool_of(tmp_path), tmp_path / "store")
    return stores.opened(tmp_path / "store")


def other_rules(path, kind):
    """As if all rules but one had gone, and that had another title."""
    found = judged_once(path, kind)
    first = [{**row, "title": "Said anew"} for row in found.rows["findings"][:1]]
    return replace(found, rows={**found.rows, "findings": first})


def anew(store, judge, **more):
    with store.locked():
        return judge_anew(store, judge, InProcess, LATER, **more)


def test_rows_of_todays_rules_take_the_place_of_the_old_ones(store):
    before = {name: rows(store.path, name) for name in ("operations", "hosts", "settings")}
    jobs = rows(store.path, "jobs", "profile", "user_name", "day", "node_hours", "started", "state")
    assert (
        anew(store, other_rules).sentence() == "4 judged anew, 0 without a profile, 0 as they were"
    )
    assert {row[0] for row in rows(store.path, "findings", "title")} == {"Said anew"}
    assert {name: rows(store.path, name) for name in before} == before
    now = rows(store.path, "jobs", "profile", "user_name", "day", "node_hours", "started", "state")
    assert now == jobs
    lost = {row[0]: row[1:] for row in rows(store.path, "jobs", "job", "lost", "findings")}
    first = {row[0]: row[1] for row in rows(store.path, "findings", "job", "lost")}
    assert lost["1"][0] == first["1"]


def test_judged_twice_is_judged_once(store):
    expected = rows(store.path, "findings", *FINDINGS)
    anew(store, other_rules)
    anew(store, judged_once)
    assert rows(store.path, "findings", *FINDINGS) == expected


def test_a_profile_that_is_gone_or_cannot_be_read_keeps_its_rows(store):
    expected = rows(store.path, "findings", *FINDINGS)
    gone, bad = sorted((store.path / "raw").glob("*/*.profile"))[:2]
    gone.unlink()
    lost = bad.name.split(".")[0]

    def judge(path, kind):
        if lost in path:
            raise UserError("It is not a profile any more.")
        return judged_once(path, kind)

    done = anew(store, judge)
    assert done.sentence() == "2 judged anew, 1 without a profile, 1 as they were"
    assert done.reasons == [f"{lost}: It is not a profile any more."]
    assert rows(store.path, "findings", *FINDINGS) == expected


def test_who_is_interrupted_changes_nothing(store):
    expected, generation = rows(store.path), store.tables

    def judge(path, kind):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        anew(store, judge)
    assert (rows(store.path), store.tables) == (expected, generation)
    assert not (store.path / "judging").exists()


def test_only_jobs_from_a_day_on(store):
    days = sorted(row[0] for row in rows(store.path, "jobs", "day"))
    done = anew(store, judged_once, since=days[-1])
    assert done.judged == days.count(days[-1]) < len(days)


def command(store, *words):
    return ["fleet", "judge", str(store.path), *words]


@pytest.fixture
def small(tmp_path):
    ingested(spool_of(tmp_path, {"4": PROFILES["4"]}), tmp_path / "store")
    found = stores.opened(tmp_path / "store")
    expected = rows(found.path, "findings", *FINDINGS)
    anew(found, other_rules)
    yield found
    # The real rules say what they said at first.
    assert rows(found.path, "findings", *FINDINGS) == expected


def test_on_processes(small, capsys):
    assert main(command(small, "--workers", "2")) == 0
    assert capsys.readouterr().out == "1 judged anew, 0 without a profile, 0 as they were\n"


def judges(store):
    """The processes that judged the rows that the store has now."""
    return {row[0] for row in rows(store.path, "findings", "title")}


def two_processes():
    """An executor of a site's own."""
    return ProcessPoolExecutor(2)


def test_on_an_executor_that_a_module_makes(store, capsys):
    light_judge.main(store.path, f"{__name__}:two_processes")
    assert capsys.readouterr().out.startswith("4 judged")
    assert str(os.getpid()) not in judges(store)


def test_on_dask(store, monkeypatch):
    """A scheduler and a worker in a process of its own, found as on a cluster."""
    distributed = pytest.importorskip("dask.distributed", reason="pip install distributed")
    import dask

    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        with dask.config.set({"scheduler-address": cluster.scheduler_address}):
            light_judge.main(store.path, "dask.distributed:Client")
    assert len(judges(store)) == 1 and str(os.getpid()) not in judges(store)


def test_on_mpi(store):
    """Two MPI processes, as mpirun starts them: one asks, one judges."""
    if importlib.util.find_spec("mpi4py") is None:  # Imported, it would open a library here.
        pytest.skip("pip install mpi4py")
    build = next((each for each in mpi_builds.BUILDS if shutil.which(each.launcher[0])), None)
    if build is None:
        pytest.skip("no mpirun of the system is installed")
    words = [sys.executable, "-m", "mpi4py.futures", light_judge.__file__, str(store.path)]
    words.append("mpi4py.futures:MPIPoolExecutor")
    # This interpreter is not that of a wheel's own environment.
    wheel = {"MPI4PY_MPIABI": build.family, "LD_LIBRARY_PATH": f"{build.prefix}/lib"}
    done = mpi_builds.run(build, 2, words, build.mpi4py or wheel)
    assert done.stdout.startswith("4 judged, asked by "), done.stderr
    assert len(judges(store)) == 1 and done.stdout.split()[-1] not in judges(store)


@pytest.mark.parametrize("name", ["no.such:thing", "os", "os:no_such"])
def test_what_makes_no_executor_is_said(name):
    with pytest.raises(UserError, match="makes no executor"), executors(name):
        pass
