"""Damaged, cut and hostile files of each tool: one sentence, no traceback, bounded work."""

from __future__ import annotations

import struct
import zlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor import analysis
from advisor.intake import read
from advisor.intake.foreign.base import xml
from advisor.intake.foreign.caliper import records
from advisor.intake.foreign.cube import archive
from advisor.intake.foreign.recognise import foreign
from advisor.intake.untrusted.claims import Unpacking
from advisor.intake.untrusted.damage import Damage
from advisor.model.errors import UserError

from .files import FOR_PEOPLE, READABLE, recorded

quick = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
CONTENTS = {file.name: file.read_bytes() for file in READABLE}
# A trace of each rank is twenty times the size of the others and has the same lines.
NAMES = sorted(name for name in CONTENTS if "trace-0" not in name)
WORDS = (
    b"",
    b"-1",
    b"1e999",
    b"nan",
    b"99999999999999999999",
    b"0",
    b"\xff\xfe",
    b"<",
    b'"',
    b",",
    b"=",
    b"\n",
    b"0x",
    b"*",
    b"MPI_",
    b"{" * 50,
)


def reported(raw: bytes) -> None:
    """Reads or says why not; whatever is read can be measured."""
    try:
        profile = foreign(raw)
    except Damage as damage:
        assert str(damage) and "\n" not in str(damage)
        return
    if profile is not None:
        analysis.measure(profile)


changes = st.lists(
    st.tuples(st.integers(0, 1 << 20), st.sampled_from(WORDS), st.integers(0, 40)),
    min_size=1,
    max_size=4,
)


@quick
@given(st.sampled_from(NAMES), changes)
def test_words_put_into_a_file(name, edits):
    raw = CONTENTS[name]
    for place, word, length in edits:
        place %= len(raw)
        raw = raw[:place] + word + raw[place + length :]
    reported(raw)


@quick
@given(st.sampled_from(NAMES), st.integers(0, 1 << 20))
def test_cut_anywhere(name, length):
    reported(CONTENTS[name][: length % len(CONTENTS[name])])


@quick
@given(st.sampled_from(NAMES), st.integers(0, 1 << 16), st.integers(0, 1 << 16))
def test_lines_left_out(name, first, many):
    lines = CONTENTS[name].split(b"\n")
    first %= len(lines)
    reported(b"\n".join(lines[:first] + lines[first + 1 + many % 5 :]))


@pytest.mark.parametrize("name", [name for name in FOR_PEOPLE if name.endswith(".txt")])
def test_tables_for_people(name):
    with pytest.raises(UserError, match="table of Caliper for people; give its .cali or JSON file"):
        read(recorded(name))


@pytest.mark.parametrize(
    "raw, words",
    [
        (
            b"2.06\0\0\0\0" + struct.pack("<q", 6567223) + b"\0" * 64,
            "a binary log of Darshan, but its version '2.06'",
        ),
        (
            b'<html><head><title>APS report</title><script>var json={"INFO":',
            "a page of APS, but the object with its numbers is no JSON",
        ),
        (b"<html><head><title>APS report</title></head>", "the object with its numbers is missing"),
        (b"<title>APS report</title>var json=" + b"[" * 100_000, "looks like a page of APS, but"),
        (
            b'<title>APS report</title>var json={"WALLCLOCK":{"WALLCLOCK_VAL":"9.5s"}};',
            "of a program without MPI",
        ),
        (b"<html><body>APS</body></html>", "page without a profile"),
        (
            (
                b"| Function summary for all Ranks\n|---\n|"
                b" Function;Time(sec);Time(%)\nMPI_Barrier;92.40;36.20\n"
            ),
            (
                "it is a chart of aps-report without the summary; give all: aps-report -a --format"
                " csv FOLDER"
            ),
        ),
        (
            (
                b"| Metric Table%\n|-----\nMetric Name   Node Name  Rank\nMPI Time, s   node1   14 "
                b" 166.471\n"
            ),
            (
                "it is a chart of aps-report without the summary; give all: aps-report -a --format"
                " csv FOLDER"
            ),
        ),
        (
            b"Summary information\nApplication;heat\nElapsed Time, s;120.5\n",
            "a report of APS as CSV, but this report of APS is of a program without MPI",
        ),
        (
            CONTENTS["aps.csv"].replace(
                b"Function;Time(sec);Time(%);Imb", b"Function;Duration;Time(%);Imb"
            ),
            "its list of functions has no times or no calls",
        ),
        (CONTENTS["aps.csv"].replace(b"  0000 ;", b"  0001 ;"), "ranks are there twice"),
        (
            b"@ mpiP\n@ Command : ./a\n",
            "it looks like a report of mpiP, but its section MPI Time is missing",
        ),
        (
            CONTENTS["mpip-waits-2r.mpiP"].replace(b"   1      0.787", b"   0      0.787"),
            "ranks are there twice",
        ),
        (b"@ mpiP\n" + b" " * (64 << 20), "of more than 64 MiB is not read"),
        (b'<?xml version="1.0"?><ipm_job_profile><task mpi_rank="0"', "its XML breaks off"),
        (b'<?xml version="1.0" encoding="klingon"?><ipm_job_profile/>', "its XML"),
        (b'{"dlbVersion": "3.7.0"}', "neither processes nor sums"),
        (b"__rec=node,id=1,attr=8,data=x\n", "it holds no record"),
        (b"# darshan log version: 3.41\n", "how many processes"),
        (b"CrayPat/X:  Version 1\nTable 1: x\n", "a report of CrayPat"),
        (b"##IPMv2.0.6##\n# mpi_tasks : lots\n", "how many tasks"),
    ],
)
def test_sentence(tmp_path, raw, words):
    file = tmp_path / "file"
    file.write_bytes(raw)
    with pytest.raises(UserError) as error:
        read(file)
    assert (
        words in error.value.what
        and "\n" not in error.value.what
        and error.value.what.endswith(".")
    )


def test_entities_are_refused():
    laughs = (
        b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><ipm_job_profile>&b;</ipm_job_profile>'
    )
    with pytest.raises(Damage, match="declares a document type"):
        foreign(laughs)


def test_outside_files_are_not_read(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("hidden")
    with pytest.raises(Damage, match="declares a document type"):
        xml.parse(f'<!DOCTYPE x [<!ENTITY a SYSTEM "file://{secret}">]><x>&a;</x>'.encode())


def test_deep_xml():
    with pytest.raises(Damage, match="nested too deeply"):
        xml.parse(b"<a>" * 100_000)


def test_circle_of_caliper_nodes():
    with pytest.raises(Damage, match="circle"):
        records.read(
            b"__rec=node,id=20,attr=21,data=x,parent=21\n__rec=node,id=21,attr=20,data=y,parent=20\n__rec=ctx,ref=20,attr=8,data=1\n"
        )


def test_compressed_numbers_do_not_grow_without_bound():
    bomb = zlib.compress(b"\0" * (64 << 20), 9)
    raw = b"ZCUBEX.DATA" + struct.pack("<QQQQ", 1, 0, 0, len(bomb)) + bomb
    index = b"CUBEX.INDEX" + struct.pack("<IHBII", 1, 0, 1, 1, 0)
    with pytest.raises(Damage, match="has 9 bytes where 8 are due"):
        archive.rows({"0.index": index, "0.data": raw}, "0", "DOUBLE", 1, 1, Unpacking(len(raw)))


@pytest.mark.parametrize("size", [b"77777777777\0", b"zzz\0", b"\x80" + b"\xff" * 11])
def test_sizes_in_a_tar(size):
    head = (b"anchor.xml" + b"\0" * 114 + size.ljust(12, b"\0") + b"\0" * 20 + b"0").ljust(
        512, b"\0"
    )
    with pytest.raises(Damage):
        archive.members(head)
