"""The command of a result runs without a question only if this account recorded it."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from advisor import intake
from advisor.__main__ import main
from advisor.advice.judging.remedies import settings_of
from advisor.base import resource_paths
from advisor.cli import opening
from advisor.model.finding import State, Step
from advisor.model.profile import Fact, Setting
from advisor.verifying import signature

ROOT = Path(__file__).resolve().parents[2]
FORMS = {
    "verify": ["verify", "result", "--setting", "A=1", "--pairs", "4"],
    "dry run": ["verify", "result", "--setting", "A=1", "--dry-run"],
    "run": ["run", "--no-report", "-o", "again", "--with", "eager-limit-in-host", "--of", "result"],
    "apply": ["apply", "result", "--setting", "ADVISOR_ENDPOINTS=2"],
}
"""All that starts a recorded command, or asks its launcher for a version."""


@pytest.fixture
def result(tmp_path, monkeypatch):
    """A result whose command, and whose launcher's version, leave a file behind; it belongs to us,
    as an unpacked archive does, and nobody signed it."""
    monkeypatch.chdir(tmp_path)
    launcher = tmp_path / "bin" / "mpirun"
    launcher.parent.mkdir()
    launcher.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    launcher.chmod(0o755)
    found = intake.read(resource_paths.samples() / "verified")
    (tmp_path / "result").mkdir()
    run = replace(
        found.run,
        launch_line=(
            str(launcher),
            "-n",
            "2",
            "./a\x1b[2J\u202e",
            "--password",
            "hunter2hunter2",
            "x\ny",
        ),
        directory=str(tmp_path),
    )
    intake.write(replace(found, run=run), tmp_path / "result" / "profile")
    return tmp_path / "result"


def advisor(words, cwd, **more):
    return subprocess.run(
        [sys.executable, "-m", "advisor", *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=100,
        **more,
    )


def ran(result):
    return (result.parent / "ran").exists()


@pytest.mark.parametrize("form", FORMS)
def test_without_a_terminal_a_strangers_command_is_shown_and_refused(form, result):
    done = advisor(FORMS[form], result.parent, stdin=subprocess.DEVNULL)
    assert (done.returncode, ran(result)) == (2, False), done.stderr
    assert (
        f"advisor:   {result.parent}/bin/mpirun -n 2 './a?[2J?' --password '***' 'x?y'\nadvisor:  "
        f" in {result.parent}\n" in done.stderr
    )
    assert (
        "there is no terminal to ask at: add --yes, or write it yourself: advisor verify result --"
        " mpirun … ./program …" in done.stderr.splitlines()[-1]
    )
    assert "hunter2" not in done.stderr and "\x1b" not in done.stderr


@pytest.mark.parametrize("form", FORMS)
def test_with_yes_it_is_shown_and_runs(form, result):
    done = advisor([*FORMS[form], "--yes"], result.parent, stdin=subprocess.DEVNULL)
    assert "nothing shows that result/profile was recorded by you" in done.stderr and ran(result), (
        done.stderr
    )


@pytest.mark.parametrize("form", FORMS)
def test_ones_own_runs_without_a_question(form, result):
    signature.sign(result / "profile")
    done = advisor(FORMS[form], result.parent, stdin=subprocess.DEVNULL)
    assert "nothing shows" not in done.stderr and ran(result), done.stderr


@pytest.mark.parametrize(
    "change", ["the profile", "others can write to it", "another account", "moved", "reported on"]
)
def test_what_makes_it_a_strangers(change, result, tmp_path, monkeypatch):
    signature.sign(result / "profile")
    if change == "the profile":
        found = intake.read(result)
        intake.write(
            replace(
                found,
                run=replace(found.run, launch_line=(found.run.launch_line[0], "-n", "3", "./b")),
            ),
            result / "profile",
        )
    elif change == "others can write to it":
        result.chmod(0o777)
    elif change == "another account":
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "of another user"))
    elif change == "moved":
        result.rename(tmp_path / "aside")
        shutil.copytree(tmp_path / "aside", result)
    else:
        assert advisor(["report", "result", "-o", "result/report.txt"], tmp_path).returncode == 0
    done = advisor(FORMS["verify"], tmp_path, stdin=subprocess.DEVNULL)
    assert ran(result) is (change in ("moved", "reported on")), done.stderr


def test_words_that_are_typed_are_the_users_own(result):
    done = advisor(
        [*FORMS["verify"], "--", "sh", "-c", "touch typed"], result.parent, stdin=subprocess.DEVNULL
    )
    assert (
        "nothing shows" not in done.stderr
        and not ran(result)
        and (result.parent / "typed").exists()
    ), done.stderr


@pytest.mark.parametrize("answer, runs", [("y", True), ("yes", True), ("n", False), ("", False)])
def test_on_a_terminal_it_is_asked_for(answer, runs, result):
    said = at_a_terminal(FORMS["verify"], result.parent, f"{answer}\n".encode())
    assert "Run it? [y/N]" in said and ran(result) is runs, said
    assert runs or "advisor: The recorded command was not run." in said


def at_a_terminal(words, cwd, typed):
    """What is said on a terminal at which the question is answered."""
    child, terminal = pty.fork()
    if not child:
        os.chdir(cwd)
        os.execve(
            sys.executable,
            [sys.executable, "-m", "advisor", *words],
            {**os.environ, "PYTHONPATH": str(ROOT)},
        )
    said, deadline = b"", time.monotonic() + 100
    while time.monotonic() < deadline:
        if select.select([terminal], [], [], 1)[0]:
            try:
                said += os.read(terminal, 4096)
            except OSError:
                break
        if typed and b"[y/N]" in said:
            os.write(terminal, typed)
            typed = b""
    os.waitpid(child, 0)
    os.close(terminal)
    return said.decode()


def test_a_path_that_leads_to_another_result_when_it_is_looked_at_again_is_a_strangers(
    result, tmp_path, monkeypatch
):
    """A link in somebody's folder: first it leads to his result, then to one of ours, which is
    signed."""
    own, link = tmp_path / "own", tmp_path / "link"
    own.mkdir()
    found = intake.read(result)
    intake.write(replace(found, run=replace(found.run, launch_line=("true",))), own / "profile")
    signature.sign(own / "profile")
    link.symlink_to(result)
    before = opening.read

    def exchanged(path):
        profile = before(path)
        link.unlink()
        link.symlink_to(own)
        return profile

    monkeypatch.setattr(opening, "read", exchanged)
    assert main(["verify", "link", "--setting", "A=1", "--pairs", "4"]) == 2 and not ran(result)


@pytest.mark.parametrize("form, tried", [([], False), (["--advice", "setting-misspelt"], True)])
def test_a_stranger_names_no_variable_for_a_command_of_ours(form, tried, result):
    """Its list of known settings has a name that is nearly that of one of its own settings: the
    remedy would be to set it."""
    found = intake.read(result)
    known = Fact("btl_vader_eager_limit mca_component_path", "probed")
    facts = {**found.library.facts, "settings.known": known}
    more = Setting("OMPI_MCA_mca_component_pathh", "/tmp/evil", "environment")
    intake.write(
        replace(
            found, library=replace(found.library, facts=facts), settings=(*found.settings, more)
        ),
        result / "profile",
    )
    done = advisor(
        ["verify", "result", "--dry-run", *form, "--", "mpirun", "-n", "2", "./mine"], result.parent
    )
    assert ("/tmp/evil" in done.stdout) is tried, done.stderr
    assert (
        tried
        or "setting-misspelt is left out: nothing shows that you recorded this result, and it names OMPI_MCA_mca_component_path itself"
        in done.stderr
    )


def test_a_value_of_a_stranger_is_one_value():
    """Quoted by us, since it holds a blank: what is behind the blank is no other variable."""
    step = Step("set", "UCX_TLS='sm LD_PRELOAD=/tmp/evil.so'", "you", "", "", "", State.DOABLE, 1)
    assert settings_of(step) == {"UCX_TLS": "sm LD_PRELOAD=/tmp/evil.so"}
