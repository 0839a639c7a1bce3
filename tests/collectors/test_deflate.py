"""What the collector compresses, zlib makes the same bytes of again: any bytes, with any
dictionary; and never is more written than there is room."""

from __future__ import annotations

import shutil
import struct
import subprocess
import zlib
from typing import Callable, List, Tuple

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from advisor.intake.container.compact import WINDOW, dictionary
from mpi_builds import REPOSITORY

HERE = REPOSITORY / "tests" / "collectors"
Case = Tuple[bytes, bytes, int]
"""Dictionary, data, room."""


@pytest.fixture(scope="module")
def deflated(tmp_path_factory) -> Callable[[List[Case]], List[bytes]]:
    """cases → stream of each, empty where there is none."""
    compiler = shutil.which("cc") or shutil.which("gcc") or pytest.skip("no C compiler")
    core, program = (
        REPOSITORY / "collectors" / "core",
        tmp_path_factory.mktemp("deflate") / "deflating",
    )
    line = [
        compiler,
        "-std=gnu11",
        "-g",
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
        f"-I{core}",
        str(HERE / "deflating.c"),
        str(core / "deflate.c"),
        "-o",
        str(program),
    ]
    made = subprocess.run(
        [*line, "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
        capture_output=True,
        text=True,
    )
    if made.returncode and "sanitize" in made.stderr:
        made = subprocess.run(line, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr

    def all_of(cases: List[Case]) -> List[bytes]:
        raw = b"".join(
            struct.pack("<III", len(known), len(known) + len(data), room) + known + data
            for known, data, room in cases
        )
        done = subprocess.run([program], input=raw, capture_output=True)
        assert (done.returncode, done.stderr) == (0, b"")
        found, at = [], 0
        while at < len(done.stdout):
            (size,) = struct.unpack_from("<I", done.stdout, at)
            found.append(done.stdout[at + 4 : at + 4 + size])
            at += 4 + size
        return found

    return all_of


def inflated(stream: bytes, known: bytes) -> bytes:
    unzip = zlib.decompressobj(zdict=known)
    raw = unzip.decompress(stream)
    assert unzip.eof and not unzip.unused_data
    return raw


def enough(data: bytes) -> int:
    """A byte takes nine bits at most."""
    return len(data) * 9 // 8 + 16


pieces = st.one_of(
    st.binary(max_size=40),
    st.sampled_from(
        [b"\0" * 7, b"\xff" * 300, b'{"name":"', b'"rank i4","node i4 0",', dictionary()[5000:5700]]
    ),
)
texts = st.lists(st.tuples(pieces, st.integers(1, 60)), max_size=12).map(
    lambda parts: b"".join(part * times for part, times in parts)[: WINDOW // 2]
)


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=6))
@example(
    [
        (b"", b""),
        (b"abcd", b""),
        (b"", b"a"),
        (b"abc", b"abc"),
        (b"abcd", b"abcd"),
        (b"", b"\0" * WINDOW),
        (dictionary(), dictionary()),
    ]
)
@example([(b"", bytes(range(256)) * length) for length in (1, 2, 128)])
def test_zlib_reads_the_same(deflated, cases):
    streams = deflated([(known, data, enough(data)) for known, data in cases])
    assert [inflated(stream, known) for stream, (known, _) in zip(streams, cases)] == [
        data for _, data in cases
    ]


@pytest.mark.parametrize("length", range(3, 262))
def test_every_length_of_a_match(deflated, length):
    repeated = bytes(range(length % 251)) + b"\xfe" * (length - length % 251)
    data = repeated + b"\xff" + repeated
    (stream,) = deflated([(b"", data, enough(data))])
    assert inflated(stream, b"") == data


def test_every_distance_code(deflated):
    """Up to the whole window: 32 KiB less the match itself."""
    filler = b"".join(struct.pack(">H", number) for number in range(WINDOW // 2))
    cases = [
        (b"", b"\xf0\xf1\xf2\xf3\xf4" + filler[:between] + b"\xf0\xf1\xf2\xf3\xf4", WINDOW * 2)
        for between in [0, 1, 2, 3, *(5 * 2**n // 4 for n in range(2, 15)), WINDOW - 10]
    ]
    assert [inflated(stream, b"") for stream in deflated(cases)] == [data for _, data, _ in cases]


def test_more_than_the_window_is_left_alone(deflated):
    assert [
        len(stream) > 0
        for stream in deflated([(b"a", b"b" * (WINDOW - 1), WINDOW), (b"a", b"b" * WINDOW, WINDOW)])
    ] == [True, False]


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts, texts)
def test_room_is_kept_to(deflated, known, data):
    (whole,) = deflated([(known, data, enough(data))])
    fits, short, none = deflated(
        [(known, data, len(whole)), (known, data, len(whole) - 1), (known, data, 0)]
    )
    assert (fits, short, none) == (whole, b"", b"")
