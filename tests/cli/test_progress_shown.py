"""Commands that take longer, in a real terminal: what they do and for how long, on standard error,
and gone when they have an answer."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from terminals import shown

PROFILES = Path(__file__).resolve().parents[2] / "samples" / "profiles"
HEAT = str(PROFILES / "heat.4r.json")


@pytest.mark.parametrize(
    "words, line",
    [
        (("report", HEAT), r"advisor: (reading the result|judging it), \S+ s, about \S+ s left"),
        (
            ("list", HEAT, HEAT, HEAT),
            r"advisor: reading and judging the results, \S+ s, about \S+ s left",
        ),
    ],
)
def test_a_terminal_shows_what_is_done_and_the_time_left_and_then_nothing_of_it(words, line):
    said, out = shown(*words)
    pieces = said.split("\r\x1b[K")
    assert any(re.match(line, piece) for piece in pieces)
    assert pieces[1].startswith("advisor: ") and pieces[-1] == ""
    assert "advisor: r" not in out and "heat" in out


def test_nothing_of_it_reaches_a_file():
    assert shown("report", HEAT, terminal=False)[0] == ""


def test_a_line_fits_its_terminal_so_that_it_can_be_wiped_out():
    said, _ = shown("list", HEAT, HEAT, HEAT, COLUMNS="40")
    lengths = {len(piece) for piece in said.split("\r\x1b[K")}
    assert 39 in lengths and max(lengths) == 39


def test_profiles_of_a_spool_are_counted(tmp_path):
    pytest.importorskip("pyarrow", reason="pip install -e '.[fleet]'")
    day = tmp_path / "spool" / "2026" / "11" / "22"
    day.mkdir(parents=True)
    for job in (1, 2):
        shutil.copy(PROFILES / "pw_si8.2r.json", day / f"c.{job}.0.profile")
    said, out = shown("fleet", "ingest", str(tmp_path / "spool"), str(tmp_path / "store"))
    assert "advisor: judging the profiles, " in said and said.endswith("\r\x1b[K")
    assert "added" in out
