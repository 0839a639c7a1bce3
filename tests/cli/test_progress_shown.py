"""Commands that take longer, in a real terminal: what they do and for how long, on standard error,
and gone when they have an answer."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from terminals import shown

ROOT = Path(__file__).resolve().parents[2]
PROFILES = ROOT / "samples" / "profiles"
HEAT = str(PROFILES / "heat.4r.json")
TRACE = str(ROOT / "tests" / "otf2" / "recorded" / "ping-pong")
VERIFY = ("verify", ".", "--pairs", "5", "--margin", "10%", "--against")
LEFT = r"\S+ (s|min|h)"


def passing(screen):
    """Lines that stood there for a while. None was as wide as the terminal: it would have gone on
    in the next row, and its first row could not be wiped out."""
    assert max(map(len, screen.passed), default=0) < screen.columns
    return screen.passed


@pytest.mark.parametrize(
    "words, line",
    [
        (("report", HEAT), rf"advisor: (reading the result|judging it), {LEFT}, about {LEFT} left"),
        (
            ("list", HEAT, HEAT, HEAT),
            rf"advisor: reading and judging the results, {LEFT}, about {LEFT} left",
        ),
    ],
)
def test_a_terminal_shows_what_is_done_and_the_time_left_and_then_nothing_of_it(words, line):
    screen, out = shown(*words)
    assert any(re.fullmatch(line, each) for each in passing(screen))
    assert screen.rows == [""] and "heat" in out and "advisor: r" not in out


def test_a_trace_is_read_with_a_line_of_it():
    if not shutil.which("otf2-config"):
        pytest.skip("OTF2 is not installed")
    screen, out = shown("report", TRACE, columns=200)
    assert any(each.startswith("advisor: reading the result, ") for each in passing(screen))
    # The first time, the program that reads it is built.
    assert all(each.startswith("advisor: building ") for each in screen.rows[:-1])
    assert screen.rows[-1] == "" and "reading the result" not in out


def test_what_is_said_meanwhile_stands_above_it(tmp_path):
    (tmp_path / "broken.toml").write_text("this is no rule")
    screen, _ = shown("report", HEAT, "--rules", str(tmp_path))
    assert passing(screen)
    said = "".join(screen.rows)
    assert said.startswith("advisor: ") and "broken.toml" in said and "judging it" not in said


@pytest.fixture
def result(tmp_path):
    """A result folder, and two commands of which one is faster."""
    shutil.copy(HEAT, tmp_path / "profile")
    for name, seconds in (("slow", 0.2), ("fast", 0.05)):
        (tmp_path / name).write_text(f"#!/bin/sh\nsleep {seconds}\n")
        (tmp_path / name).chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("columns", [80, 50])
def test_verify_says_which_pair_of_which_change_is_run_and_what_is_left(result, columns):
    screen, out = shown(*VERIFY, "./fast it", "--", "./slow", columns=columns, cwd=result)
    lines = passing(screen)
    assert any(": pair 1 of 5, " in each for each in lines)
    counted = [each for each in lines if re.search(rf": pair \d of 5, ≤ {LEFT} left", each)]
    assert len({re.search(r"pair \d", each)[0] for each in counted}) > 1
    if columns == 80:
        assert any(re.search(r"left; \S+ % \[\S+, \S+\]$", each) for each in counted)
    said = "".join(screen.rows)
    assert "pair 1 of" not in said and "advisor: ./fast it: better: \u2212" in said
    assert "?" not in said  # Spaces of numbers that do not break.
    assert "./fast it: better: " in out and " left" not in out


def test_the_width_is_that_of_the_terminal_that_shows_it_not_of_a_pipe():
    screen, _ = shown("list", HEAT, HEAT, HEAT, columns=40, COLUMNS="")
    assert max(map(len, passing(screen))) == 39


def test_a_minus_stays_one_where_the_encoding_has_only_the_short_one(result):
    words = (*VERIFY, "./fast", "--", "./slow")
    screen, out = shown(*words, cwd=result, PYTHONIOENCODING="ascii")
    assert any("left; -" in each for each in passing(screen))
    assert out.startswith("./fast: better: -")


def test_nothing_of_it_reaches_a_file():
    screen, _ = shown("report", HEAT, terminal=False)
    assert screen.rows == [""] and not screen.passed


def test_profiles_of_a_spool_are_counted(tmp_path):
    pytest.importorskip("pyarrow", reason="pip install -e '.[fleet]'")
    day = tmp_path / "spool" / "2026" / "11" / "22"
    day.mkdir(parents=True)
    for job in (1, 2):
        shutil.copy(PROFILES / "pw_si8.2r.json", day / f"c.{job}.0.profile")
    screen, out = shown("fleet", "ingest", str(tmp_path / "spool"), str(tmp_path / "store"))
    assert any(each.startswith("advisor: judging the profiles, ") for each in passing(screen))
    assert screen.rows == [""] and "added" in out
