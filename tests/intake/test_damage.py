"""Damaged, cut, foreign and hostile files: one sentence, never a traceback, much memory or a long
wait."""

from __future__ import annotations

import copy
import json
import os

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from advisor.intake import read
from advisor.intake.container.framing import LARGEST_HEADER
from advisor.intake.crash.record import read_record
from advisor.intake.untrusted.damage import Damage
from advisor.model.errors import UserError

from .files import PROFILE, SAMPLE, record

RAW = PROFILE.read_bytes()
HEADER = json.loads(SAMPLE.read_text())
quick = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def sentence(path) -> str:
    """What the user is told, or "" if the file can be read."""
    try:
        read(path)
    except UserError as error:
        assert str(path) in error.what and "\n" not in error.what and error.what.endswith(".")
        return error.what
    return ""


def written(tmp_path, raw: bytes):
    path = tmp_path / "file"
    path.write_bytes(raw)
    return path


@pytest.mark.parametrize("length", [0, 1, 7, 8, 12, 15, 16, 100, 3000, len(RAW) - 9, len(RAW) - 1])
def test_cut(tmp_path, length):
    assert "not a profile that can be read" in sentence(written(tmp_path, RAW[:length]))


@quick
@given(st.integers(0, len(RAW) - 1))
def test_cut_anywhere(tmp_path, length):
    assert sentence(written(tmp_path, RAW[:length]))


flips = st.lists(st.tuples(st.integers(0, 2**20), st.integers(0, 255)), min_size=1, max_size=8)


def flipped(raw: bytes, changes) -> bytes:
    changed = bytearray(raw)
    for place, value in changes:
        changed[place % len(changed)] = value
    return bytes(changed)


@quick
@given(flips)
@example([(8, 255), (15, 255)])
@example([(12, 1)])
def test_flipped_bytes(tmp_path, changes):
    sentence(written(tmp_path, flipped(RAW, changes)))


@quick
@given(st.binary(max_size=200))
def test_foreign(tmp_path, raw):
    assert sentence(written(tmp_path, raw))
    assert sentence(written(tmp_path, b"ADVISOR\n" + raw))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


@quick
@given(st.data())
def test_any_json_in_place_of_any_part(tmp_path, data):
    """Walk into the header of a valid sample and put something else there."""
    header = copy.deepcopy(HEADER)
    here, steps = header, data.draw(st.integers(1, 6))
    for step in range(steps):
        keys = sorted(here) if isinstance(here, dict) else list(range(len(here)))
        key = data.draw(st.sampled_from(keys))
        if step == steps - 1 or not isinstance(here[key], (dict, list)) or not here[key]:
            here[key] = data.draw(json_values)
            break
        here = here[key]
    sentence(written(tmp_path, json.dumps(header).encode()))


def change(path, value):
    """The sample with one value of its header changed; `path` as in tables/ranks/rows."""
    header = copy.deepcopy(HEADER)
    *folders, last = path.split("/")
    here = header
    for key in folders:
        here = here[int(key) if key.isdigit() else key]
    here[int(last) if last.isdigit() else last] = value
    return json.dumps(header).encode()


@pytest.mark.parametrize(
    "path, value, words",
    [
        ("format", "other", "its format is not advisor-profile"),
        ("version", [1], "its version is not two numbers"),
        ("tables/ranks/rows", 10**15, "rows of ranks is 1000000000000000, outside 0 to"),
        ("tables/ranks/rows", 5, "ranks.rank has 4 values for 5 rows"),
        ("tables/ranks/columns/0/values", [0, 1, 2, 2], "ranks are there twice or negative"),
        ("tables/ranks/columns/1/values", [0, 0, 1, 9], "a rank is on a host that is not there"),
        ("tables/ranks/columns/5/values", [1e300] * 4, "holds a time that cannot be"),
        ("tables/ranks/columns/0/dtype", "<f8", "ranks.rank holds fractions"),
        ("tables/ranks/columns/0/dtype", ">i4", "ranks.rank has the type '>i4'"),
        ("tables/ranks/columns/0/name", "node", "ranks.node is there twice"),
        ("tables/calls/columns/0/values", [7] * 28, "table calls names a rank that is not there"),
        ("tables/calls/columns/3/values", [99] * 28, "a size bin is outside -2 to 64"),
        ("tables/calls/columns/6/values", [-1.0] * 28, "calls.time holds a negative duration"),
        (
            "tables/members/columns/1/values",
            [1] * 12,
            "table members names a communicator that is not there",
        ),
        ("run", 5, "run is not an object"),
        ("nodes/0/facts/cpus", [1], "fact cpus is not a value and its source"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, path, value, words):
    assert words in sentence(written(tmp_path, change(path, value)))


def container(header) -> bytes:
    raw = json.dumps(header).encode()
    return b"ADVISOR\n" + len(raw).to_bytes(8, "little") + raw + b"\0" * 200


@pytest.mark.parametrize(
    "columns, words",
    [
        ([{"name": "rank", "dtype": "O", "values": [0]}], "has the type 'O'"),
        ([{"name": "pid", "dtype": "<i4", "values": [0]}], "has no column rank"),
        ([{"name": "rank", "dtype": "<i4", "offset": 0}], "a column of ranks has no values"),
        ([{"name": "rank", "dtype": "<i4", "zero": True}], "a column of ranks has no values"),
        ([{"name": "rank", "values": [0]}, "pid i4 0 0"], "a column is declared as 'pid i4 0 0'"),
        ([{"name": "rank", "values": 0}], "ranks.rank is not a list"),
        ([7], "a column of ranks is not text"),
        ([], "no rank is in it"),
    ],
)
def test_hostile_columns_with_values(tmp_path, columns, words):
    header = {
        "format": "advisor-profile",
        "version": [1, 0],
        "tables": {"ranks": {"rows": 1, "columns": columns}},
    }
    assert words in sentence(written(tmp_path, container(header)))


@pytest.mark.parametrize(
    "title, raw",
    [
        ("deep nesting", b"{" + b'"a":[' * 100_000),
        ("very long number", b'{"version":' + b"9" * 2_000_000 + b"}"),
        ("infinity", b'{"version":Infinity}'),
        ("header that claims all memory", b"ADVISOR\n" + (2**63).to_bytes(8, "little") + b"{}"),
        ("text in another encoding", b'{"run":"\xff"}'),
    ],
)
def test_hostile_json(tmp_path, title, raw):
    assert sentence(written(tmp_path, raw))


def test_a_huge_file_of_json_is_refused_unread(tmp_path):
    path = written(tmp_path, b"{")
    os.truncate(path, LARGEST_HEADER * 1000)
    assert "the most that is read" in sentence(path)


def test_what_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in sentence(tmp_path / "pipe")
    assert "does not exist" in sentence(tmp_path / "absent")
    assert "not a result folder" in sentence(tmp_path)
    assert "not a regular file" in sentence("/dev/zero")


def test_half_a_surrogate_pair_can_be_printed(tmp_path):
    path = written(tmp_path, change("run/program", "caf\u00e9\ud800"))
    assert read(path).run.program == "caf\u00e9?"


@quick
@given(flips, st.integers(0, 500_000))
@example([(8, 255)], 0)
def test_records(tmp_path, changes, length):
    """A damaged or cut record is None, a Record, or Damage: nothing else comes out of it."""
    whole = record(1)
    for raw in (
        flipped(whole, changes),
        whole[: length % len(whole)],
        flipped(whole, [(16 + place % 8000, value) for place, value in changes]),
    ):
        path = written(tmp_path, raw)
        try:
            read_record(str(path))
        except Damage:
            pass


@pytest.mark.parametrize(
    "table, words",
    [
        ({"rows": 1, "columns": ["rank"]}, "a column is declared as 'rank'"),
        ({"rows": 1, "columns": ["rank O"]}, "a column is declared as 'rank O'"),
        ({"rows": 1, "columns": ["rank i4 1"]}, "a column is declared as 'rank i4 1'"),
        ({"rows": 1, "columns": ["rank i4 0 0"]}, "a column is declared as 'rank i4 0 0'"),
        ({"rows": 1, "columns": ["pid i4"]}, "has no column rank"),
        ({"rows": 1, "columns": ["rank f8"]}, "ranks.rank holds fractions"),
        ({"rows": 1, "columns": ["rank i4", "rank i4"]}, "ranks.rank is there twice"),
        ({"rows": 2**40, "columns": ["rank i4"]}, "rows of ranks is"),
        ({"rows": 2**30, "columns": ["rank i4"]}, "lies outside the file"),
        ({"rows": 2**30, "columns": ["rank i4 0"]}, "lies outside the file"),
        ({"rows": 1, "columns": ["rank i4", "cpus text 0"]}, "names a string that is not there"),
        ({"rows": -1, "columns": []}, "rows of ranks is -1"),
        ({"columns": ["rank i4"]}, "rows of ranks is not a whole number"),
    ],
)
def test_hostile_columns_of_a_container(tmp_path, table, words):
    assert words in sentence(
        written(
            tmp_path,
            container({"format": "advisor-profile", "version": [1, 0], "tables": {"ranks": table}}),
        )
    )
