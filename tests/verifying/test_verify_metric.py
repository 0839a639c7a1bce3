"""What users time: times as programs print them, from the output or from a file."""

from __future__ import annotations

import os
import time

import pytest

from advisor.model.errors import UserError
from advisor.verifying.campaign import Campaign, Change, verify
from advisor.verifying.metric import metric, value
from advisor.verifying.seconds import seconds_of
from advisor.verifying.trial import Command

QE = (
    "     PWSCF        :      2.53s CPU      3.21s WALL\n\n   This run was terminated on: "
    " 12:00:00\n"
)
QE_LONG = "     PWSCF        :  1h 2m CPU  1h 3m WALL\n"
VASP = (
    "      LOOP:  cpu time   1.0: real time   1.1\n     LOOP+:  cpu time   12.2: real time   12.5\n"
    "     LOOP+:  cpu time   11.0: real time   11.5\n"
)
LAMMPS = (
    "Loop time of 1.5 on 2 procs for 100 steps with 4000 atoms\nLoop time of 2.25 on 2 procs for"
    " 100 steps with 4000 atoms\n"
)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("3.21", 3.21),
        ("1e2", 100.0),
        ("3.21s", 3.21),
        ("1m23.45s", 83.45),
        ("1m 3.5s", 63.5),
        ("1h 2m", 3720.0),
        ("01:02:03", 3723.0),
        ("2:03.5", 123.5),
        ("0", None),
        ("-3", None),
        ("nan", None),
        ("1e999", None),
        ("", None),
        ("fast", None),
    ],
)
def test_times_as_programs_print_them(text, expected):
    assert seconds_of(text) == expected


@pytest.mark.parametrize(
    "wanted, printed, expected",
    [
        ("qe", QE, 3.21),
        ("qe", QE_LONG, 3780.0),
        ("lammps", LAMMPS, 3.75),
        ("Time: ([0-9.]+)", "Time: 7.5 s", 7.5),
        ("Time: ([0-9.]+)", "no time", None),
        ("Time: (.+)", "Time: soon", None),
    ],
)
def test_times_in_the_output(wanted, printed, expected, tmp_path):
    (tmp_path / "001.out").write_text(printed)
    found = value(metric(wanted, tmp_path), tmp_path / "001.out", tmp_path, time.time())
    assert found == (expected and (expected, False))


@pytest.mark.parametrize(
    "wanted, printed, grows, expected",
    [
        (r"speed: ([0-9.]+)", "speed: 8.0 ns/day", False, (0.125, True)),
        (r"speed: ([0-9.]+)", "speed: 4 GFLOP/s", False, (0.25, True)),
        (r"speed: ([0-9.]+)", "speed: 2.0 timesteps per second", False, (0.5, True)),
        (r"([0-9.]+) Gflops", "at 5 Gflops", False, (0.2, True)),
        (r"speed: ([0-9.]+)", "speed: 4 ns/day\nspeed: 2 ns/day", False, (0.75, True)),
        (r"t = ([0-9.]+)", "t = 4.0 s/step", False, (4.0, False)),
        (r"t = ([0-9.]+)", "t = 4.0 hours/ns", False, (4.0, False)),
        (r"score ([0-9.]+)", "score 8", True, (0.125, True)),
        (r"score ([0-9.]+)", "score 8", False, (8.0, False)),
        (r"score ([0-9.]+)", "score 0", True, None),
        (r"score (.+)", "score 1m 3s", True, None),
    ],
)
def test_rates_count_by_their_inverse(wanted, printed, grows, expected, tmp_path):
    (tmp_path / "001.out").write_text(printed)
    assert (
        value(metric(wanted, tmp_path, grows), tmp_path / "001.out", tmp_path, time.time())
        == expected
    )


def test_ns_per_day_of_gromacs(tmp_path):
    (tmp_path / "md.log").write_text(
        "                 (ns/day)    (hour/ns)\nPerformance:       12.5        1.920\n"
    )
    assert value(metric("gromacs", tmp_path), tmp_path / "none", tmp_path, time.time()) == (
        0.08,
        True,
    )


def test_the_wall_clock_is_no_rate(tmp_path):
    with pytest.raises(UserError) as refused:
        metric("", tmp_path, True)
    assert "--higher-is-better needs --metric" in refused.value.what


@pytest.mark.parametrize(
    "wanted, file, text, expected",
    [
        ("vasp", "OUTCAR", VASP, 24.0),
        ("log.txt:t=([0-9.]+)", "log.txt", "t=2.5", 2.5),
        ("log:t=([0-9.]+)", "log", "t=2.5", 2.5),
    ],
)
def test_times_in_a_file_of_the_program(wanted, file, text, expected, tmp_path):
    (tmp_path / file).write_text(text)
    assert value(metric(wanted, tmp_path), tmp_path / "none", tmp_path, time.time()) == (
        expected,
        False,
    )


def test_a_file_of_an_earlier_run_has_no_time_of_this_one(tmp_path):
    (tmp_path / "OUTCAR").write_text(VASP)
    os.utime(tmp_path / "OUTCAR", (1e9, 1e9))
    assert value(metric("vasp", tmp_path), tmp_path / "none", tmp_path, time.time()) is None


@pytest.mark.parametrize("wanted", ["Time: [0-9.]+", "(a)(b)", "(", "x{999999999999}(a)"])
def test_what_is_no_pattern_with_one_group_is_refused(wanted, tmp_path):
    with pytest.raises(UserError) as refused:
        metric(wanted, tmp_path)
    assert refused.value.what.startswith(f"--metric {wanted} ")


def test_a_campaign_of_rates_compares_times_for_the_same_work(tmp_path):
    slow, fast = (Command(("echo", f"speed: {rate} ns/day"), {}, tmp_path) for rate in (4, 5))
    campaign = Campaign(
        slow, {"PATH": os.environ["PATH"]}, tmp_path, metric("speed: ([0-9.]+)", tmp_path)
    )
    (found,) = verify(
        campaign, [Change("x", (), {}, fast)], lambda known: None, lambda *reported: None
    )
    assert (found.verdict, round(found.effect, 6), found.metric) == (
        "better",
        -0.2,
        "the inverse of speed: ([0-9.]+)",
    )
