"""`advisor verify`, `apply`, `undo` and `run --with` with real MPI programs. How long the first one
sleeps is known, so verdicts are."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from mpi_builds import compile_program, environment, find, require
from terminals import shown

from advisor import intake
from advisor.model.errors import UserError
from advisor.verifying.campaign import trials_folder
from advisor.verifying.plan import duration, length

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LONG = pytest.mark.skipif(
    not os.environ.get("ADVISOR_TEST_LONG"), reason="takes minutes: runs with ADVISOR_TEST_LONG=1"
)
SLEEPS = ["--metric", "lammps", "--margin", "10%"]
"""The program prints a line as LAMMPS does."""


def advisor(*words, cwd, build="mpich5", extra=None, **more):
    """`advisor WORDS`, finished."""
    env = environment(find(build), {"PYTHONPATH": str(ROOT), **(extra or {})})
    return subprocess.run(
        [sys.executable, "-m", "advisor", *map(str, words)],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
        **more,
    )


@pytest.fixture(scope="module")
def paced(tmp_path_factory):
    """A folder with the program, and the result of a run of it."""
    build = require(find("mpich5"))
    folder = tmp_path_factory.mktemp("paced")
    compile_program(build, "c", [HERE / "paced.c"], folder / "paced")
    done = advisor(
        "run",
        "-o",
        "result",
        "--no-report",
        "--",
        *build.launcher,
        "-n",
        "2",
        "./paced",
        cwd=folder,
    )
    assert done.returncode == 0 and (folder / "result" / "profile").exists(), done.stderr
    return folder


@pytest.fixture
def folder(paced, tmp_path):
    """A copy that a test may change; the recorded command still runs where it ran."""
    shutil.copytree(paced / "result", tmp_path / "result")
    return tmp_path


def verdicts(folder):
    """name → verdict of what is in verified.json."""
    campaign = json.loads((folder / "result" / "verified.json").read_text())["campaigns"][-1]
    return {each["name"]: each["verdict"] for each in campaign["results"]}


CHECK = ["--check", 'grep -q "answer 42" "$ADVISOR_TRIAL_OUTPUT"']


def test_a_terminal_shows_the_pair_that_runs_and_keeps_the_verdict(folder):
    screen, out = shown(
        *("verify", "result", "--setting", "PACE_MS=20", "--pairs", "6", *SLEEPS),
        env=environment(find("mpich5"), {"PYTHONPATH": str(ROOT)}),
        cwd=folder,
    )
    pair = r"advisor: PACE_M\S+: pair \d of 6, ≤ \S+ s left; −[\d.]+.% \[.+\]"
    assert any(re.fullmatch(pair, each) for each in screen.passed), screen.passed
    assert any("PACE_MS=20: pair 1 of 6, ≤ " in each for each in screen.passed)
    assert max(map(len, screen.passed)) < screen.columns
    verdict = r"advisor: PACE_MS=20: better: −[\d.]+ % \[−[\d.]+, −[\d.]+\], \d pairs"
    assert any(re.match(verdict, row) for row in screen.rows), screen.rows
    assert "pair 1 of" not in "".join(screen.rows) and "pair 1 of" not in out


def test_what_is_faster_and_what_breaks_is_told_apart(folder):
    changes = {"PACE_MS=100": "better", "EXIT_CODE=3": "breaks", "ANSWER=41": "breaks"}
    done = advisor(
        "verify",
        "result",
        *(word for change in changes for word in ("--setting", change)),
        *SLEEPS,
        *CHECK,
        cwd=folder,
    )
    assert (done.returncode, verdicts(folder)) == (0, changes), done.stderr
    assert (
        "Loop time" not in done.stdout
        and "Loop time" in next((folder / "result" / "trials-1").glob("*.out")).read_text()
    )
    assert (
        "breaks: exit code 3" in done.stdout
        and "breaks: the check ended with code 1" in done.stdout
    )


@LONG
def test_what_is_slower_or_the_same_and_all_together(folder):
    changes = {
        "PACE_MS=100": "better",
        "EXTRA_MS=-60": "better",
        "EXTRA_MS=120": "worse",
        "EXTRA_MS=1": "same",
    }
    done = advisor(
        "verify",
        "result",
        *(word for change in changes for word in ("--setting", change)),
        *SLEEPS,
        *CHECK,
        cwd=folder,
    )
    assert (done.returncode, verdicts(folder)) == (
        0,
        {**changes, "all together": "better"},
    ), done.stderr
    together = json.loads((folder / "result" / "verified.json").read_text())["campaigns"][0][
        "results"
    ][-1]
    assert together["settings"] == {"PACE_MS": "100", "EXTRA_MS": "-60"}
    assert together["low"] < -0.8 < together["high"]  # 40 ms instead of 200


def test_a_dry_run_says_the_cost_and_runs_nothing(folder):
    done = advisor(
        "verify",
        "result",
        "--setting",
        "PACE_MS=100",
        "--setting",
        "--bind-to none",
        "--pairs",
        "5",
        "--dry-run",
        cwd=folder,
    )
    assert "16 to 30 runs of the command" in done.stdout
    assert "-genv PACE_MS 100" in done.stdout and "--bind-to none -n 2" in done.stdout
    assert sorted(place.name for place in (folder / "result").iterdir()) == [
        "profile",
        "profile.signature",
    ]


def test_another_command_is_tried_against_the_recorded_one(folder):
    done = advisor(
        "verify",
        "result",
        "--against",
        "PACE_MS=100 mpirun -n 2 ./paced short.in",
        "--pairs",
        "4",
        "--dry-run",
        cwd=folder,
    )
    assert (done.returncode, "\n8 runs of the command" in done.stdout) == (0, True), done.stderr
    assert (
        "against it: PACE_MS=100 mpirun -n 2 ./paced short.in   (PACE_MS=100 mpirun short.in)"
        in done.stdout
    )
    stranger = advisor(
        "verify", "result", "--against", "qe-pools: mpirun -n 2 ./paced", "--dry-run", cwd=folder
    )
    assert (stranger.returncode, stranger.stderr.splitlines()[0]) == (
        2,
        "advisor: --against qe-pools: this result has no such finding.",
    )
    wrong = advisor("verify", "result", "--against", "PACE_MS=100", "--dry-run", cwd=folder)
    assert (wrong.returncode, "is no command" in wrong.stderr) == (2, True)


def test_the_budget_is_kept_to(folder):
    done = advisor("verify", "result", "--setting", "PACE_MS=100", "--budget", "0.5s", cwd=folder)
    assert (done.returncode, "more than the budget of 0.5 s" in done.stderr) == (2, True)
    assert not (folder / "result" / "verified.json").exists()


@pytest.mark.parametrize(
    "text, refused",
    [
        ("9" * 400 + "h", "asks for more than a year"),
        ("366d", "asks for more than a year"),
        ("0s", "is no length of time"),
        ("soon", "is no length of time"),
    ],
)
def test_a_budget_that_cannot_be_meant(text, refused):
    with pytest.raises(UserError, match=refused):
        length(text, "--budget")
    assert (
        length("365d", "--budget") == 365 * 86400
        and duration(length("200h", "--budget")) == "8 days"
    )


def test_nothing_runs_where_nothing_could_be_kept(folder):
    (folder / "result" / "verified.json").write_text("{")
    done = advisor("verify", "result", "--setting", "PACE_MS=100", cwd=folder)
    assert (done.returncode, "verified.json is damaged" in done.stderr) == (2, True)
    assert not (folder / "result" / "trials-1").exists()
    with pytest.raises(UserError, match="cannot be made"):
        trials_folder(folder / "no such result")


def test_a_command_that_fails_as_it_is_stops_the_campaign(folder):
    done = advisor(
        "verify", "result", "--setting", "PACE_MS=100", cwd=folder, extra={"EXIT_CODE": "7"}
    )
    assert (done.returncode, verdicts(folder)) == (2, {"PACE_MS=100": "undecided"})
    assert "Stopped: the command as it was failed: exit code 7" in done.stderr


def test_an_interruption_keeps_what_is_known_and_leaves_nothing_running(folder):
    env = environment(find("mpich5"), {"PYTHONPATH": str(ROOT)})
    line = [
        sys.executable,
        "-m",
        "advisor",
        "verify",
        "result",
        "--setting",
        "PACE_MS=100",
        "--setting",
        "HANG=1",
        *SLEEPS,
    ]
    process = subprocess.Popen(
        line,
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 100
    while not list(
        (folder / "result").glob("trials-1/*-variant.out")
    ) or "PACE_MS=100" not in _known(folder):
        assert process.poll() is None and time.monotonic() < deadline, process.communicate()
        time.sleep(0.2)
    hanging = _wait_for_hanging(folder, deadline)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, verdicts(folder)) == (
        130,
        {"PACE_MS=100": "better", "HANG=1": "undecided"},
    ), err
    assert not _runs(hanging)


def _known(folder):
    place = folder / "result" / "verified.json"
    return verdicts(folder) if place.exists() else {}


def _wait_for_hanging(folder, deadline):
    """The process of the launcher that starts the run that never ends: it has printed its
    answer."""
    while time.monotonic() < deadline:
        outputs = sorted((folder / "result" / "trials-1").glob("*-variant.out"))
        if len(outputs) > len(_pairs_of_first(folder)) and "answer" in outputs[-1].read_text():
            return str(outputs[-1])
        time.sleep(0.2)
    raise AssertionError("the second change never ran")


def _pairs_of_first(folder):
    runs = json.loads((folder / "result" / "verified.json").read_text())["campaigns"][0]["runs"]
    return [run for run in runs if run["side"] == "variant"]


def _runs(output):
    """Whether a process still has the file open."""
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if os.readlink(link) == output:
                return True
        except OSError:
            continue
    return False


def test_a_command_with_a_secret_is_not_repeated_but_one_that_is_typed_is(folder):
    recorded = intake.read(folder / "result")
    line = (*recorded.run.launch_line[:-1], "./paced", "--token=***")
    intake.write(
        replace(recorded, run=replace(recorded.run, launch_line=line)),
        folder / "result" / "profile",
    )
    refused = advisor("verify", "result", "--setting", "PACE_MS=100", cwd=folder)
    assert (
        refused.returncode,
        "has a secret in it" in refused.stderr,
        "Write it after two dashes" in refused.stderr,
    ) == (2, True, True)
    typed = advisor(
        "verify",
        "result",
        "--setting",
        "PACE_MS=100",
        "--dry-run",
        "--",
        *line[:-1],
        "--token=abcdef123456",
        cwd=folder,
    )
    assert (typed.returncode, "abcdef" in typed.stdout, "against it" in typed.stdout) == (
        0,
        False,
        True,
    )


SLOW = {"OMPI_MCA_btl": "self,tcp"}
RULE = "shared-memory-switched-off"


@LONG
def test_a_real_remedy_is_found_verified_applied_and_recorded(tmp_path):
    """Ranks of one host that talk through TCP: the remedy gives them shared memory back, which is
    several times as fast."""
    build = require(find("ompi4"))
    compile_program(build, "c", [HERE / "ping_pong.c"], tmp_path / "ping_pong")
    line = [*build.launcher, "-n", "2", "./ping_pong", "8", "100"]
    memory = {**SLOW, "ADVISOR_EVIDENCE": str(tmp_path / "site.jsonl")}

    def call(*words):
        done = advisor(*words, cwd=tmp_path, build="ompi4", extra=memory)
        assert done.returncode == 0, done.stderr
        return done

    call("run", "-o", "before", "--quiet", "--", *line)
    call(
        "verify",
        "before",
        "--advice",
        RULE,
        "--metric",
        "fastest batch: ([0-9.]+)",
        "--pairs",
        "6",
        "--margin",
        "10%",
    )
    (found,) = json.loads((tmp_path / "before" / "verified.json").read_text())["campaigns"][0][
        "results"
    ]
    assert (found["name"], found["verdict"], found["settings"]) == (
        RULE,
        "better",
        {"OMPI_MCA_btl": "self,vader,tcp"},
    )
    assert json.loads((tmp_path / "site.jsonl").read_text())["verified"]["verdict"] == "better"
    assert "better: −" in (tmp_path / "before" / "report.txt").read_text()
    call("run", "-o", "after", "--quiet", "--with", RULE, "--of", "before")
    assert f"{RULE} of before" in call("report", "after", "--full").stdout
    assert f'"rule": "{RULE}"' not in call("report", "after", "--format", "json").stdout
