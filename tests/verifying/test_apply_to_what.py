"""`advisor apply`: into which scripts, from which results; what undo says of it."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from advisor import intake
from advisor.__main__ import main
from advisor.base import resource_paths
from advisor.cli.by_hand import by_hand
from advisor.cli.report import judged
from advisor.cli.started_program import other_program

ROOT = Path(__file__).resolve().parents[2]
HEAT = intake.read(ROOT / "samples" / "profiles" / "heat.4r.json")
PYTHON = replace(
    HEAT,
    run=replace(
        HEAT.run,
        program="/usr/bin/python3.11",
        arguments=("solve.py", "-n", "4"),
        launch_line=("mpirun", "-n", "4", "python3", "solve.py"),
    ),
)


@pytest.mark.parametrize(
    "profile, launch, other",
    [
        (HEAT, "mpirun -n 4 ./heat > out", ""),
        (HEAT, "mpirun -n 4 ./cool > heat", "cool"),
        (HEAT, "srun \\\n  ./cool 2>&1 | tee heat", "cool"),
        (HEAT, "mpirun -n 4 numactl -l ./cool", "cool"),
        (HEAT, "mpirun -n 1 ./cool : -n 3 ./heat", ""),
        (HEAT, "mpirun -n 4 ./wrapper.sh ./heat", ""),  # what a wrapper starts is not known
        (HEAT, "mpirun -n 4 $PROGRAM", ""),
        (HEAT, 'mpirun -n 4 "./cool', ""),
        (PYTHON, "mpirun -n 4 python3 -u ../solve.py", ""),
        (PYTHON, "mpirun -n 4 python3 plot.py", "plot.py"),
        (replace(HEAT, run=replace(HEAT.run, program="", launch_line=())), "mpirun ./cool", ""),
    ],
)
def test_which_launches_start_another_program(profile, launch, other):
    assert other_program(launch, profile) == other


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a profile file of ping_pong, for which a setting is doable."""
    monkeypatch.setenv("ADVISOR_EVIDENCE", str(tmp_path / "evidence.jsonl"))
    monkeypatch.chdir(tmp_path)
    intake.write(intake.read(resource_paths.samples() / "verified"), tmp_path / "ping.profile")
    return tmp_path


SETTINGS = "--mca btl_vader_eager_limit 65536 --mca btl_vader_max_send_size 65536"
EXPORT = "export ADVISOR_OVERLAY='eager-limit-in-host of ping.profile'\n"


@pytest.mark.parametrize(
    "lines, option, after",
    [
        ("mpirun -n 4 ./cool\n", (), None),
        ("mpirun -n 4 ./cool\n", ("--force",), f"{EXPORT}mpirun {SETTINGS} -n 4 ./cool\n"),
        (
            "mpirun ./mesh\nmpirun ./ping_pong\n",
            (),
            f"{EXPORT}mpirun ./mesh\nmpirun {SETTINGS} ./ping_pong\n",
        ),
    ],
)
def test_a_script_of_another_program_is_refused(lines, option, after, here, capsysbinary):
    job, before = here / "job.sh", f"#!/bin/sh\n{lines}\xff".encode("latin-1")
    job.write_bytes(before)
    code = main(["apply", "ping.profile", "--to", "job.sh", "--in-place", *option])
    if after is None:
        assert (code, job.read_bytes(), sorted(os.listdir())) == (
            2,
            before,
            ["job.sh", "ping.profile"],
        )
        assert capsysbinary.readouterr().err == (
            b"advisor: job.sh starts cool, and the result is of ping_pong.\n"
            b"advisor: Give the script that starts it, or add --force to apply the settings all the"
            b" same.\n"
        )
        return
    assert (code, job.read_bytes()) == (0, f"#!/bin/sh\n{after}\xff".encode("latin-1"))
    assert main(["undo", "ping.profile"]) == 0
    assert (job.read_bytes(), sorted(os.listdir())) == (before, ["job.sh", "ping.profile"])


@pytest.mark.parametrize("kind", ["a profile file", "a ticket"])
def test_advice_is_applied_from_what_report_takes(kind, here, capsys):
    given = "ping.profile"
    if kind == "a ticket":
        given = "ticket.html"
        assert main(["bundle", "ping.profile", "-o", given]) == 0
    before = sorted(os.listdir())
    capsys.readouterr()
    assert main(["apply", given]) == 0
    said = capsys.readouterr()
    assert said.out.startswith(f"mpirun.openmpi {SETTINGS} -n 2 ")
    assert f"wrote {here}/{given}.overlay; to undo it: advisor undo {given}\n" in said.err
    assert main(["undo", given]) == 0
    assert sorted(os.listdir()) == before


def test_a_pseudonym_of_a_ticket_is_no_setting(here, capsys):
    assert main(["bundle", "ping.profile", "-o", "ticket.html"]) == 0
    capsys.readouterr()
    assert main(["apply", "ticket.html", "--setting", "UCX_NET_DEVICES=word3"]) == 2
    assert capsys.readouterr().err == (
        "advisor: UCX_NET_DEVICES needs word3, which stands for a name that advisor bundle"
        " replaced.\n"
        "advisor: Apply it from the result that the ticket was made of.\n"
    )


LEFT = {
    # result, and what is said of the advice that no setting carries out
    "pw_si8.2r": [
        "qe-pools: Add -nk 2 after the program name; then try larger divisors of the ranks."
        " (advisor run -- mpirun.openmpi -n 2 pw.x -in si8.scf.in -nk 2)",
    ],
    "late_rank.after.4r": [
        "oversubscribed-busy-waiting: Start at most 2 ranks on n1."
        " (advisor run -- mpiexec -n 2 ./uneven_compute)",
    ],
}


@pytest.mark.parametrize("name", LEFT)
@pytest.mark.parametrize("script", ["", "pw.sh"])
def test_edits_that_no_setting_does_are_named(name, script, here, capsys):
    (here / "pw.sh").write_text("mpirun ./pw.x\n")
    result = str(ROOT / "samples" / "profiles" / f"{name}.json")
    assert main(["apply", result, *(["--to", script] if script else [])]) == 2
    assert sorted(os.listdir()) == ["ping.profile", "pw.sh"]
    assert capsys.readouterr().err.splitlines() == [
        f"advisor: {line}"
        for line in (
            "left to you, since no setting does it:",
            *LEFT[name],
            "Nothing is applied: no advice of this result is a setting.",
            f"Make the changes in {script or 'your job script'}, your input or your program, run"
            f" the job again with advisor run, then: advisor compare {result} NEW",
        )
    ]


@pytest.mark.parametrize("applied, left", [((), LEFT["pw_si8.2r"]), (("qe-pools",), [])])
def test_what_was_applied_is_not_left(applied, left):
    profile = intake.read(ROOT / "samples" / "profiles" / "pw_si8.2r.json")
    assert by_hand(judged(profile, []), applied) == left


@pytest.mark.parametrize(
    "rule, what, do",
    [
        (
            "qe-pools",
            "qe-pools has no setting that could be applied; it says: Add -nk 2 after the program"
            " name; then try larger divisors of the ranks.",
            "Change it yourself, or try it: advisor verify RESULT --against 'qe-pools: COMMAND'",
        ),
        (
            "many-barriers",
            "many-barriers has no setting that could be applied: The barriers of Quantum ESPRESSO"
            " belong to its Fourier transforms and eigensolver: see qe-pools and qe-ndiag.",
            "No setting on offer helps here.",
        ),
    ],
)
def test_advice_that_is_no_setting_says_what_it_is(rule, what, do, here, capsys):
    result = str(ROOT / "samples" / "profiles" / "pw_si8.2r.json")
    assert main(["apply", result, "--advice", rule]) == 2
    assert capsys.readouterr().err == f"advisor: {what}\nadvisor: {do}\n"


@pytest.mark.parametrize(
    "script, step",
    [
        ("jobs.sh", "Did you mean job.sh?"),
        ("nosuch", "Give the job script that starts the program: --to job.sh"),
        (".", "Give the job script that starts the program: --to job.sh"),
    ],
)
def test_a_script_that_is_none_has_a_next_step(script, step, here, capsys):
    (here / "job.sh").write_text("mpirun ./ping_pong\n")
    assert main(["apply", "ping.profile", "--to", script]) == 2
    what, do = capsys.readouterr().err.splitlines()
    assert what.startswith(f"advisor: {script} cannot be read: ") and do == f"advisor: {step}"


@pytest.mark.parametrize("command", ["apply", "undo"])
def test_one_wording_of_undo(command, capsys):
    assert main(["help", command]) == 0
    shown = capsys.readouterr().out
    texts = [shown, *(path.read_text() for path in (ROOT / "advisor" / "verifying").glob("*.md"))]
    assert "byte for byte" in shown
    other = re.compile("bit for bit|take[sn]?( it| them)? back|takes them out")
    assert [other.search(text) for text in texts] == [None] * len(texts)
