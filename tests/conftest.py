"""Settings for all tests: what a job needs when it is started by root, or with more ranks than
cores; the order of the tests; the collector."""

from __future__ import annotations

import fcntl
import functools
import os
import pathlib
import signal
import tempfile
from typing import Callable, Dict

import hypothesis
import pytest
from mpi_builds import ENVIRONMENT, Build, environment, require

from advisor.launching.collector.build import by_hand

# How long one example may take depends on what else runs on the machine.
hypothesis.settings.register_profile("any load", deadline=None)
hypothesis.settings.load_profile("any load")

LONGEST_FIRST = (
    "rules/test_samples.py",
    "launching/test_run.py",
    "waits/test_overlap.py",
    "collectors/test_hot_path.py",
    "launching/test_other_libraries.py",
    "hosts/test_hosts.py",
    "accidents/test_unusual.py",
    "oracle/test_oracle.py",
    "no_core/test_known.py",
    "launching/test_exec.py",
    "collectors/test_core.py",
    "hosts/test_slurm.py",
    "no_core/test_told.py",
    "trusting/test_two_users.py",
    "mpi4py_suite/test_mpi4py_suite.py",
    "verifying/test_verify_statistics.py",
)
"""Files that take half a minute or more. A file goes to one worker: begun last, it would keep one
busy while the others have nothing to do."""


SLOW = (
    "advice/test_expression.py",
    "advice/test_ownership.py",
    "advice/test_rules_of_strangers.py",
    "advice/test_site_intents.py",
    "analysis/test_invariants.py",
    "analysis/test_show.py",
    "architecture/test_c_objects.py",
    "architecture/test_wheel.py",
    "benchmarking/test_diagnosis.py",
    "bundling/test_bundle_advice.py",
    "cases/test_labelled.py",
    "cli/test_plain_output.py",
    "cli/test_progress_shown.py",
    "documents/test_example.py",
    "documents/test_site.py",
    "fleet/test_accidents.py",
    "fleet/test_engines.py",
    "fleet/test_judging_on_slurm.py",
    "fleet/test_people.py",
    "fleet/test_report.py",
    "foreign/test_words.py",
    "fuzz/test_coverage_guided.py",
    "fuzz/test_hostile_exports.py",
    "fuzz/test_hostile_names.py",
    "fuzz/test_launch_lines.py",
    "fuzz/test_profiles.py",
    "intake/test_damage.py",
    "intake/test_round_trip.py",
    "launching/test_child.py",
    "otf2/test_parts_outside.py",
    "reports/test_report_browser.py",
    "reports/test_report_command.py",
    "reports/test_report_expert.py",
    "reports/test_report_formats_agree.py",
    "reports/test_report_html.py",
    "reports/test_report_in_use.py",
    "reports/test_report_languages.py",
    "reports/test_report_once.py",
    "trusting/test_asking.py",
    "verifying/test_consent.py",
)
"""Further files that are left out while one works, although they start no MPI program: three
seconds and more each, so that the rest ends in a minute on two cores."""


MEASURED = (
    "waits/",
    "no_core/",
    "hosts/test_hosts.py",
    "collectors/test_hot_path.py",
    "rules/test_centres.py",
    "rules/test_handling.py",
    "rules/test_samples.py",
)
"""Tests that compare what was measured of a real program with the truth. What else takes the cores
in that moment is in the measurement: whoever fails is asked twice more, and each repetition is
printed. Tests of accidents are not here: what fails there once is a fault."""

UNSTEADY = (
    "hosts/test_slurm.py",
    "hosts/test_fleet_slurm.py",
    "fleet/handing_over/test_admin_comment.py",
)
"""Tests whose jobs Slurm starts over PMIx: beside other load 2 of 128 such starts of Open MPI 4
died or hung although nothing of ours was in them. They are asked twice more, too."""


def pytest_collection_modifyitems(items) -> None:
    """The longest files first. Slow are these, those that start MPI programs, and SLOW:
    `pytest -m "not slow"` leaves them out."""
    here = os.path.dirname(__file__)
    place = {
        os.path.join(here, *name.split("/")): number for number, name in enumerate(LONGEST_FIRST)
    }
    items.sort(key=lambda item: place.get(str(item.path), len(place)))
    for item in items:
        name = os.path.relpath(item.path, here)
        item.add_marker(
            "slow"
            if name in (*LONGEST_FIRST, *SLOW) or _starts_programs(str(item.path))
            else "quick"
        )
        if name.startswith((*MEASURED, *UNSTEADY)):
            item.add_marker(pytest.mark.flaky(reruns=2))


@functools.lru_cache(maxsize=None)
def _starts_programs(file: str) -> bool:
    """Whether tests of this file compile and start programs: they then know the MPI builds, or
    their folder's conftest does."""
    there = (pathlib.Path(file), pathlib.Path(file).with_name("conftest.py"))
    return any("mpi_builds" in each.read_text(encoding="utf-8") for each in there if each.exists())


def pytest_configure(config) -> None:
    """Set what is not set: a site may have its own values. Containers often forbid Python to keep
    compiled modules: advisor is started hundreds of times here, and would compile itself each
    time, for a fifth of the processor time of a short job."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    _heed_signals()


def _heed_signals() -> None:
    """A shell lets its background jobs ignore SIGINT, nohup and many batch systems SIGHUP, and
    children inherit that: tests that send these would wait for ever. A handler, even one that
    does nothing, becomes the default in programs that are started."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


@pytest.fixture(scope="session")
def collector() -> Callable[[Build], str]:
    """build → path of its collector, as `advisor run` keeps it: built once for all tests, also
    those that run at the same time."""
    made: Dict[str, str] = {}

    def get(build: Build) -> str:
        require(build)
        if build.name not in made:
            with open(
                os.path.join(
                    tempfile.gettempdir(), f"advisor-test-{os.getuid()}-{build.name}.lock"
                ),
                "w",
            ) as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                made[build.name] = str(by_hand(build.mpicc, None, environment(build), print))
        return made[build.name]

    return get


@pytest.fixture(scope="session", autouse=True)
def data_folder(tmp_path_factory):
    """What is kept from run to run, such as the key of signatures, is not that of the user who runs
    the tests."""
    os.environ["XDG_DATA_HOME"] = str(tmp_path_factory.mktemp("data"))
