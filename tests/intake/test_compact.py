"""The compact form: the same profile as in the other, and nothing but one sentence where it is
damaged, cut, of another dictionary or hostile."""

from __future__ import annotations

import json
import shutil
import zlib

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from advisor.intake import read
from advisor.intake.container.compact import WINDOW, dictionary
from advisor.intake.container.versions import COMPACT as MAJOR
from advisor.model.errors import UserError

from .files import COMPACT, PLACED
from .test_round_trip import assert_equal

RAW = COMPACT.read_bytes()
STREAM = 16 + int.from_bytes(RAW[8:16], "little")
OUTER = json.loads(RAW[16:STREAM])
INNER = zlib.decompressobj(zdict=dictionary()).decompress(RAW[STREAM:])
quick = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))


def stream(raw: bytes, known: bytes = dictionary()) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 15, 9, zlib.Z_FIXED, known)
    return packer.compress(raw) + packer.flush()


def container(content: bytes, **outer) -> bytes:
    header = json.dumps({**OUTER, **outer}).encode()
    return b"ADVISOR\n" + len(header).to_bytes(8, "little") + header + content


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
    assert_equal(read(COMPACT), read(PLACED))
    assert len(RAW) * 6 < PLACED.stat().st_size


def test_its_numbers_can_be_used_where_they_lie():
    flags = [
        values.flags
        for columns in read(COMPACT).tables.values()
        for values in columns.values()
        if values.dtype != object
    ]
    assert len(flags) > 50 and all(flag.aligned for flag in flags)


def test_the_dictionary_is_part_of_the_version():
    """Who changes it gives the format another major version, and keeps this one to read the files
    that there are: see collectors/FORMAT.md."""
    assert (MAJOR, f"{zlib.adler32(dictionary()):08x}") == (3, "52a0e9bd")
    assert 4096 < len(dictionary()) < WINDOW // 2


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
    assert sentence(tmp_path, container(RAW[STREAM : STREAM + 6] + content))


@quick
@given(st.binary(max_size=300), st.data())
def test_any_contents(tmp_path, content, data):
    """Unpacked as they are told to be; what is in them is looked at as in any profile."""
    header = data.draw(st.integers(0, len(content)))
    assert sentence(
        tmp_path, container(stream(content), header=header, columns=len(content) - header)
    )


@pytest.mark.parametrize(
    "raw, words",
    [
        (RAW + b"\0", "has bytes behind its end"),
        (RAW + bytes(WINDOW), "the most that is read is 32768"),
        (RAW[:-1], "was cut short"),
        (RAW[:STREAM], "does not begin as one does"),
        (RAW[:-1] + bytes([RAW[-1] ^ 1]), "is damaged"),
        (container(zlib.compress(INNER)), "does not begin as one does"),
        (
            container(stream(INNER, b"another dictionary")),
            (
                "it was compressed with the dictionary 442d0748, this advisor has 52a0e9bd: the"
                " version of advisor whose collector wrote it can read it"
            ),
        ),
        (
            container(RAW[STREAM:], columns=OUTER["columns"] - 8),
            "has another size than its header says",
        ),
        (
            container(RAW[STREAM:], columns=OUTER["columns"] + 8),
            "has another size than its header says",
        ),
        (
            container(RAW[STREAM:], header=OUTER["header"] - 1, columns=OUTER["columns"] + 1),
            "its header is not JSON",
        ),
        (container(stream(bytes(1 << 26)), header=8, columns=8), "the most that is read is 32768"),
        (
            container(stream(bytes(1 << 22)), header=8, columns=8),
            "has another size than its header says",
        ),
        (
            container(RAW[STREAM:], header=2**62),
            "the size of its header is 4611686018427387904, outside 0 to",
        ),
        (container(RAW[STREAM:], columns=-1), "the size of its columns is -1"),
        (container(RAW[STREAM:], header=None), "the size of its header is not a whole number"),
        (container(RAW[STREAM:], format="other"), "its format is not advisor-profile"),
        (json.dumps(OUTER).encode(), "its version is that of a compact profile, which it is not"),
        (
            container(stream(RAW[16:STREAM]), header=STREAM - 16, columns=0),
            "its version is that of a compact profile, which it is not",
        ),
    ],
)
def test_what_is_wrong_is_said(tmp_path, raw, words):
    assert words in sentence(tmp_path, raw)


def test_a_minor_version_may_say_more(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(container(RAW[STREAM:], version=[3, 4], season="autumn"))
    assert_equal(read(path), read(COMPACT))


def test_a_folder_that_holds_one(tmp_path):
    shutil.copy(COMPACT, tmp_path / "merged.profile")
    assert read(tmp_path).tables["ranks"]["rank"].tolist() == [0, 1]
