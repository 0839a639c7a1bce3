"""The compact form: the same profile as in the other, and nothing but one sentence where it is
damaged, cut or hostile."""

from __future__ import annotations

import json
import shutil
import zlib

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from advisor.intake import read, write
from advisor.intake.container.compact import MOST
from advisor.model.errors import UserError

from .files import COMPACT, PLAIN
from .test_round_trip import assert_equal

RAW = COMPACT.read_bytes()
STREAM = 16 + int.from_bytes(RAW[8:16], "little")
OUTER = json.loads(RAW[16:STREAM])
HEADER, COLUMNS = OUTER["compact"]["header"], OUTER["compact"]["columns"]
quick = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def container(content: bytes, header=HEADER, columns=COLUMNS, **outer) -> bytes:
    raw = json.dumps({**OUTER, "compact": {"header": header, "columns": columns}, **outer}).encode()
    return b"ADVISOR\n" + len(raw).to_bytes(8, "little") + raw + content


def sentence(tmp_path, raw: bytes) -> str:
    """What the user is told, or "" if it can be read."""
    path = tmp_path / "file"
    path.write_bytes(raw)
    try:
        read(path)
    except UserError as error:
        assert (
            str(path) in error.what
            and "\n" not in error.what
            and error.what.endswith(".")
            and len(error.what) < 400 + len(str(path))
        )
        return error.what
    return ""


def test_it_says_what_the_other_form_says():
    assert_equal(read(COMPACT), read(PLAIN))
    assert len(RAW) * 2 < PLAIN.stat().st_size


def test_what_the_collector_wrote_becomes_compact(tmp_path):
    write(read(PLAIN), tmp_path / "profile")
    assert json.loads((tmp_path / "profile").read_bytes()[16:STREAM])["compact"].keys() == {
        "header",
        "columns",
    }
    assert_equal(read(tmp_path / "profile"), read(PLAIN))


def test_its_numbers_can_be_used_where_they_lie():
    flags = [
        values.flags
        for columns in read(COMPACT).tables.values()
        for values in columns.values()
        if values.dtype != object
    ]
    assert len(flags) > 50 and all(flag.aligned for flag in flags)


@quick
@given(st.integers(0, len(RAW) - 1))
@example(STREAM)
@example(len(RAW) - 1)
def test_cut_anywhere(tmp_path, length):
    assert sentence(tmp_path, RAW[:length])


@quick
@given(st.integers(STREAM, len(RAW) - 1), st.integers(1, 255))
@example(1000, 1)
def test_a_changed_byte_is_seen(tmp_path, place, change):
    """By the checksum, where nothing else sees it. What is read all the same says the same: how
    hard was compressed, bits up to the last byte of codes, and the place that words are copied
    from, of several that have them."""
    if not sentence(tmp_path, RAW[:place] + bytes([RAW[place] ^ change]) + RAW[place + 1 :]):
        assert_equal(read(tmp_path / "file"), read(COMPACT))


@quick
@given(st.binary(max_size=300))
def test_any_stream(tmp_path, content):
    assert sentence(tmp_path, container(content))
    assert sentence(tmp_path, container(RAW[STREAM : STREAM + 2] + content))


@quick
@given(st.binary(max_size=300), st.data())
def test_any_contents(tmp_path, content, data):
    """Unpacked as they are told to be; what is in them is looked at as in any profile."""
    header = data.draw(st.integers(0, len(content)))
    assert sentence(tmp_path, container(zlib.compress(content), header, len(content) - header))


@pytest.mark.parametrize(
    "raw, words",
    [
        (RAW + b"\0", "has bytes behind its end"),
        (RAW + bytes(2 * MOST), "has more than 1048576 bytes"),
        (RAW[:-1], "was cut short"),
        (RAW[:STREAM], "was cut short"),
        (RAW[:-1] + bytes([RAW[-1] ^ 1]), "is damaged"),
        (container(RAW[STREAM:], columns=COLUMNS - 8), "has another size than its header says"),
        (container(RAW[STREAM:], columns=COLUMNS + 8), "has another size than its header says"),
        (container(RAW[STREAM:], header=HEADER - 1, columns=COLUMNS + 1), "its header is not JSON"),
        (
            container(zlib.compress(bytes(1 << 26)), header=8, columns=8),
            "has another size than its header says",
        ),
        (
            container(zlib.compress(bytes(MOST + 8)), header=MOST, columns=8),
            "has more than 1048576 bytes",
        ),
        (
            container(RAW[STREAM:], header=2**62),
            "the size of its header is 4611686018427387904, outside 0 to",
        ),
        (container(RAW[STREAM:], columns=-1), "the size of its columns is -1"),
        (container(RAW[STREAM:], header=None), "the size of its header is not a whole number"),
        (container(RAW[STREAM:], format="other"), "its format is not advisor-profile"),
        (container(RAW[STREAM:], compact=7), "its compressed part is not an object"),
        (json.dumps(OUTER).encode(), "no rank is in it"),
        (
            container(zlib.compress(RAW[16:STREAM]), header=STREAM - 16, columns=0),
            "no rank is in it",
        ),
    ],
)
def test_what_is_wrong_is_said(tmp_path, raw, words):
    assert words in sentence(tmp_path, raw)


def test_a_minor_version_may_say_more(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(container(RAW[STREAM:], version=[1, 4], season="autumn"))
    assert_equal(read(path), read(COMPACT))


def test_a_folder_that_holds_one(tmp_path):
    shutil.copy(COMPACT, tmp_path / "merged.profile")
    assert read(tmp_path).tables["ranks"]["rank"].tolist() == [0, 1]
