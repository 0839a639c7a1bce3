"""What users time: times as programs print them, from the output or from a file."""

from __future__ import annotations

import os
import time

import pytest

from advisor.model.errors import UserError
from advisor.verifying.metric import metric, value
from advisor.verifying.seconds import seconds_of

QE = "     PWSCF        :      2.53s CPU      3.21s WALL\n\n   This run was terminated on:  12:00:00\n"
QE_LONG = "     PWSCF        :  1h 2m CPU  1h 3m WALL\n"
VASP = "      LOOP:  cpu time   1.0: real time   1.1\n     LOOP+:  cpu time   12.2: real time   12.5\n     LOOP+:  cpu time   11.0: real time   11.5\n"
LAMMPS = "Loop time of 1.5 on 2 procs for 100 steps with 4000 atoms\nLoop time of 2.25 on 2 procs for 100 steps with 4000 atoms\n"


@pytest.mark.parametrize(
    "text, expected",
    [("3.21", 3.21), ("1e2", 100.0), ("3.21s", 3.21), ("1m23.45s", 83.45), ("1m 3.5s", 63.5), ("1h 2m", 3720.0), ("01:02:03", 3723.0), ("2:03.5", 123.5),
     ("0", None), ("-3", None), ("nan", None), ("1e999", None), ("", None), ("fast", None)],
)
def test_times_as_programs_print_them(text, expected):
    assert seconds_of(text) == expected


@pytest.mark.parametrize(
    "wanted, printed, expected",
    [("qe", QE, 3.21), ("qe", QE_LONG, 3780.0), ("lammps", LAMMPS, 3.75), ("Time: ([0-9.]+)", "Time: 7.5 s", 7.5), ("Time: ([0-9.]+)", "no time", None), ("Time: (.+)", "Time: soon", None)],
)
def test_times_in_the_output(wanted, printed, expected, tmp_path):
    (tmp_path / "001.out").write_text(printed)
    assert value(metric(wanted, tmp_path), tmp_path / "001.out", tmp_path, time.time()) == expected


@pytest.mark.parametrize("wanted, file, text, expected", [("vasp", "OUTCAR", VASP, 24.0), ("log.txt:t=([0-9.]+)", "log.txt", "t=2.5", 2.5), ("log:t=([0-9.]+)", "log", "t=2.5", 2.5)])
def test_times_in_a_file_of_the_program(wanted, file, text, expected, tmp_path):
    (tmp_path / file).write_text(text)
    assert value(metric(wanted, tmp_path), tmp_path / "none", tmp_path, time.time()) == expected


def test_a_file_of_an_earlier_run_has_no_time_of_this_one(tmp_path):
    (tmp_path / "OUTCAR").write_text(VASP)
    os.utime(tmp_path / "OUTCAR", (1e9, 1e9))
    assert value(metric("vasp", tmp_path), tmp_path / "none", tmp_path, time.time()) is None


@pytest.mark.parametrize("wanted", ["Time: [0-9.]+", "(a)(b)", "(", "x{999999999999}(a)"])
def test_what_is_no_pattern_with_one_group_is_refused(wanted, tmp_path):
    with pytest.raises(UserError) as refused:
        metric(wanted, tmp_path)
    assert refused.value.what.startswith(f"--metric {wanted} ")
