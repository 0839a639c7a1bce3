"""Darshan's binary logs: recorded ones, and constructed ones of every version, byte order and
compression."""

from __future__ import annotations

import math
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor import analysis
from advisor.intake import read
from advisor.intake.foreign.darshan.regions import PIECE, Region, pieces
from advisor.intake.foreign.recognise import foreign
from advisor.intake.untrusted.damage import Damage

from .darshan_logs import gzipped, log
from .files import by_hand, calls, recorded
from .test_damaged import quick, reported

# The two files of by_hand/darshan.txt.
FILES = (
    {
        "INDEP_OPENS": 4,
        "INDEP_WRITES": 6000,
        "BYTES_WRITTEN": 6144000,
        "MODE": -1,
        "F_OPEN_START_TIMESTAMP": 0.1,
        "F_WRITE_TIME": 12.0,
        "F_META_TIME": 0.25,
    },
    {
        "INDEP_OPENS": 1,
        "INDEP_WRITES": 2000,
        "BYTES_WRITTEN": 2048000,
        "MODE": -1,
        "F_OPEN_START_TIMESTAMP": 0.1,
        "F_WRITE_TIME": 4.0,
        "F_META_TIME": 0.25,
    },
)
EVERY = [
    (order, version, compression, module)
    for order in "<>"
    for version, module in (("3.00", 1), ("3.10", 2), ("3.21", 3), ("3.41", 3))
    for compression in (0, 1, 2)
]


@pytest.mark.parametrize("order, version, compression, module", EVERY)
def test_log_and_what_darshan_parser_prints_of_it(order, version, compression, module):
    found, text = (
        foreign(log(order, version, compression, FILES, module)),
        read(by_hand("darshan.txt")),
    )
    # Before 3.41 the ends of a job were whole seconds.
    assert found.totals.elapsed == (64.5 if version == "3.41" else 65.0)
    assert (found.run.program, found.run.arguments, found.run.job, found.run.started) == (
        text.run.program,
        text.run.arguments,
        text.run.job,
        text.run.started,
    )
    assert (
        calls(found, "count", "time", "bytes")
        == calls(text, "count", "time", "bytes")
        == {
            (-1, "File_open"): (5, 0.5, 0),
            (-1, "File_write"): (8000, 16.0, 8192000),
        }
    )
    assert {gap.subject for gap in found.gaps} == {gap.subject for gap in text.gaps}


def test_gzip_inside():
    assert calls(foreign(log(counters=FILES, pack=gzipped)), "count")[-1, "File_write"] == (8000,)


# Sums over records as PyDarshan 3.5.0 reads them from the same logs.
@pytest.mark.parametrize(
    "name, ranks, elapsed, expected",
    [
        (
            "darshan-sample.darshan",
            2048,
            117.0,
            {
                "File_write": (18, None),
                "File_write_all": (16384, None),
                "File_open": (2048, 49.021),
            },
        ),
        (
            "darshan-ior-hdf5.darshan",
            4,
            1.0,
            {"File_read": (36, 0.079), "File_write": (23, 0.537), "File_open": (17, 0.19)},
        ),
    ],
)
def test_recorded(name, ranks, elapsed, expected):
    profile = read(recorded(name))
    found = {
        operation: (count, None if math.isnan(time) else round(time, 3))
        for (_, operation), (count, time) in calls(profile, "count", "time").items()
    }
    assert (len(profile.tables["ranks"]["rank"]), round(profile.totals.elapsed, 3), found) == (
        ranks,
        elapsed,
        expected,
    )
    assert analysis.measure(profile).tables["run"].row(0)["ranks"] == ranks


def test_a_log_without_room_says_so():
    assert "all files" in {gap.subject for gap in foreign(log(counters=FILES, partial=1 << 2)).gaps}
    text = (
        by_hand("darshan.txt").read_bytes()
        + b"\n# *WARNING*: The MPI-IO module contains incomplete data!\n"
    )
    assert "all files" in {gap.subject for gap in foreign(text).gaps}


def test_rows_of_darshan_3():
    text = by_hand("darshan.txt").read_bytes().replace(b"\nMPIIO\t", b"\nMPI-IO\t")
    assert calls(foreign(text), "count") == calls(read(by_hand("darshan.txt")), "count")


def test_regions_are_unpacked_piece_by_piece():
    raw = zlib.compress(b"\0" * (9 << 20))
    sizes = [len(piece) for piece in pieces(raw, Region(0, len(raw)), 0, "x")]
    assert (sum(sizes), max(sizes) <= PIECE) == (9 << 20, True)
    with pytest.raises(Damage, match="holds more than 8388608 bytes"):
        list(pieces(raw, Region(0, len(raw)), 0, "x", most=8 << 20))


@pytest.mark.parametrize(
    "raw, words",
    [
        (log(version="3.99"), "version '3.99' is not one of"),
        (log(module=4), "MPI-IO has version 4"),
        (log(compression=2, job=b"\0" * 100), "record of the job breaks off"),
        (log(compression=2)[:-1], "region MPI-IO lies outside the file"),
        (log(pack=lambda raw: b"no zlib at all"), "region job cannot be unpacked"),
        (log(pack=lambda raw: zlib.compress(raw)[:-9]), "region job breaks off"),
        (
            log(compression=2, job=struct.pack("<7q", 0, 0, 0, 0, 0, 1 << 40, 0) + b"\0" * 4040),
            "nprocs",
        ),
        (log(compression=2, counters=({"F_WRITE_TIME": math.nan},)), "F_WRITE_TIME is no number"),
        (log(compression=2)[:16] + b"\7" + log(compression=2)[17:], "compressed in a way"),
        (b"3.41\0\0\0\0" + struct.pack("<q", 6567223) + b"\0" * 64, "its head breaks off"),
    ],
)
def test_sentence(raw, words):
    with pytest.raises(Damage) as error:
        foreign(raw)
    assert str(error.value).startswith(
        "it looks like a binary log of Darshan, but "
    ) and words in str(error.value)


PLAIN = log(compression=2, counters=FILES)


@quick
@given(
    st.lists(st.tuples(st.integers(0, len(PLAIN) - 1), st.integers(0, 255)), min_size=1, max_size=4)
)
def test_any_byte_changed(edits):
    raw = bytearray(PLAIN)
    for place, value in edits:
        raw[place] = value
    reported(bytes(raw))
