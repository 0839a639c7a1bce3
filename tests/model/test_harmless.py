"""Text for terminals and spreadsheets: what stands in a file for what a run said."""

from __future__ import annotations

import csv
import json

import pytest

from advisor.model.errors import harmless
from advisor.model.harmless import csv_text, json_text, visible


@pytest.mark.parametrize(
    "value, cell",
    [
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("@SUM(1)", "'@SUM(1)"),
        ("+1", "'+1"),
        ("-2+3", "'-2+3"),
        ("--mca", "'--mca"),
        ("-", "'-"),
        ("\t=1", "'\\t=1"),
        ("\r=1", "'\\r=1"),
        ("\n=1", "'\\n=1"),
        ("\uff1d1", "'\uff1d1"),
        ("a=1", "a=1"),
        ("-3", "-3"),
        ("-1.5e-07", "-1.5e-07"),
        (-3, "-3"),
        (-1.5e-07, "-1.5e-07"),
        (True, "true"),
        (None, ""),
        ('a,"b"', '"a,""b"""'),
    ],
)
def test_cells(value, cell):
    assert csv_text([["first", value]]) == f"first,{cell}\r\n"


@pytest.mark.parametrize(
    "text, printed",
    [
        ("−8.1\u00a0% [−9, −7]\n", "−8.1 % [−9, −7]\n"),
        ("12\u202f345", "12 345"),
        ("\x1b[2Jfile", "?[2Jfile"),
        ("a\u202eb", "a?b"),
        ("a\u2028b\rc", "a?b?c"),
    ],
)
def test_messages(text, printed):
    assert harmless(text) == printed


def test_one_row_is_one_line():
    (row,) = csv.reader(csv_text([["two\r\nlines", "\x1b[2J"]]).splitlines())
    assert row == ["two\\r\\nlines", "\\u001b[2J"]


@pytest.mark.parametrize(
    "text, shown",
    [
        ("plain (x) ~", "plain (x) ~"),
        ("漢字 é\u00a0\u202f", "漢字 é\u00a0\u202f"),
        ("\x1b[2J\x07\x7f\x9b", "\\u001b[2J\\u0007\\u007f\\u009b"),
        (
            "\u061c\u200e\u200f\u202a\u202e\u2066\u2069",
            "\\u061c\\u200e\\u200f\\u202a\\u202e\\u2066\\u2069",
        ),
        ("\u2028\ud800\ufffe\U000e0041", "\\u2028\\ud800\\ufffe\\udb40\\udc41"),
    ],
)
def test_what_is_shown_of_a_text(text, shown):
    assert visible(text) == shown


def test_json_reads_back_and_holds_no_control_byte():
    value = {"\x9b\u202e": ["\x7f\u2069\n", "漢", -1.5], "\ud800": None}
    for indent in (None, 1):
        text = json_text(value, indent)
        assert json.loads(text) == value and "漢" in text
        assert [letter for letter in text if not letter.isprintable() and letter != "\n"] == []
