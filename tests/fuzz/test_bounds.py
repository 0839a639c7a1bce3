"""Small hostile files exhaust neither memory nor time: a file of n bytes is read, or refused in one
sentence, within 10 s of CPU and 64 n + 256 MiB.

`benchmarks/hostile.py` makes the same files of up to 20 MB and keeps the table.
"""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from mpi_builds import require_program

from advisor import intake
from advisor.analysis.metrics.quality import missing
from advisor.intake.container.checks import MOST_HOSTS, check
from advisor.intake.container.header import MOST
from advisor.intake.crash.record import read_record
from advisor.intake.untrusted import claims
from advisor.intake.untrusted.damage import Damage
from advisor.model.errors import UserError

from . import hostile
from .bounded import CPU_SECONDS, Runner, allowed
from .seeds import FROZEN

SIZE = 1_000_000
REFUSED = {
    "profile of zero columns as many rows as bytes": (
        "table ranks claims 1000000 rows, and its columns have 0 bytes"
    ),
    "profile with one column of bytes": "table calls claims 1000000 rows",
    "compact profile that unpacks to 256 MiB": "has another size than its header says",
    "compact profile that says that it unpacks to 256 MiB": "outside 0 to 1048576",
    "compact profile of zero columns": "claims 524288 rows",
    "page of zero columns": "table ranks claims 25000000 rows",
    "page that unpacks to 256 MiB": "unpacks to more bytes than such a file may become",
    "page with a header of empty lists": "holds more values than a file of",
    "TALP of four million ranks": "it speaks of 4194304 ranks and describes none of them",
    "Darshan log of four million ranks": "it speaks of 4000000 ranks",
    "IPM banner of four million ranks": "it speaks of 4000000 ranks",
    "CrayPat of four million ranks": "it speaks of 4000000 ranks",
    "APS of four million ranks": "it speaks of 4000000 ranks",
    "Cube of many paths and many ranks": "numbers for each metric",
    "Cube with a compressed description": "unpacks to more bytes than such a file may become",
    "Cube with compressed numbers": "it claims 20000000 numbers for each metric",
    "Cube with a metric within itself": "a metric of it is there twice",
    "IPM banner with many operations": "more than 4096 operations",
    "Caliper with long paths": "nested too deeply",
}
READ = (
    "profile expecting two billion ranks",
    "profile with many ranks",
    "profile with many ranks each on a host",
    "profile with many settings",
    "profile with many hosts",
    "profile with many gaps",
    "TALP with many hosts",
    "Darshan log of empty streams",
    "mpiP of a million ranks",
    "mpiP with many call sites",
    "Cube of many rows",
)


@pytest.fixture(scope="module")
def runner():
    with Runner() as running:
        yield running


def bounded(runner, path, *words):
    """The outcome of a command on a file, which keeps the promise."""
    outcome, most = runner.run([words[0], str(path), *words[1:]]), allowed(path.stat().st_size)
    assert outcome.kept, (outcome.code, outcome.said[-500:])
    assert outcome.peak <= most, f"{outcome.peak >> 20} MiB of {most >> 20}"
    assert outcome.cpu <= CPU_SECONDS
    return outcome


@pytest.mark.parametrize("name", hostile.FILES)
def test_a_hostile_file_takes_what_it_holds(name, runner, tmp_path):
    if name.startswith("OTF2"):
        require_program("otf2-config")
    path = tmp_path / "file"
    path.write_bytes(hostile.FILES[name](SIZE))
    outcome = bounded(runner, path, "report")
    assert REFUSED.get(name, "") in outcome.said
    if name in REFUSED or name in READ:
        assert outcome.code == (2 if name in REFUSED else 0), outcome.said


COMMANDS = [
    ("report", "--format", "json"),
    ("report", "--format", "markdown"),
    ("report", "--format", "html", "-o", "/dev/null"),
    ("show",),
    ("compare",),
    ("export", "--format", "openmetrics"),
    ("export", "--format", "chrome"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(
    "name",
    [
        "profile expecting two billion ranks",
        "profile with many settings",
        "profile with many ranks each on a host",
    ],
)
def test_every_command_keeps_it(name, words, runner, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(hostile.FILES[name](SIZE))
    assert bounded(
        runner, path, words[0], *([str(path)] if words[0] == "compare" else []), *words[1:]
    ).code in (0, 1)


def test_a_job_of_131072_ranks_each_on_a_host_is_reported(runner, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(hostile.FILES["profile with many ranks each on a host"](8_000_000))
    assert bounded(runner, path, "report").code == 0
    assert len(intake.read(path).tables["ranks"]["rank"]) == 131_072


def test_a_million_ranks_that_are_there_are_read(runner, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(hostile.FILES["profile with many ranks"](12_000_000))
    assert bounded(runner, path, "report").code == 0


@pytest.mark.parametrize("name, subject", [("settings", "setting"), ("gaps", "gaps")])
def test_what_is_left_out_of_a_long_list_is_a_gap(name, subject, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(
        hostile.two_ranks(
            **{name: [{"name": f"A{index}", "subject": f"s{index}"} for index in range(MOST + 7)]}
        )
    )
    found = intake.read(path)
    assert (len(getattr(found, name)) - (name == "gaps"), found.gaps[-1].subject) == (MOST, subject)
    assert found.gaps[-1].reason == f"the first {MOST} {name} are read, and 7 more are in the file"


@pytest.mark.parametrize(
    "reported, expected, words",
    [
        ([0, 1], 2**31 - 1, "2-2147483646"),
        ([], 3, "0-2"),
        ([3, 0], 6, "1-2, 4-5"),
        ([0, 1, 2], 3, ""),
        ([7], 3, "0-2"),
        (range(0, 40, 2), 40, "1, 3, 5, 7, 9, 11, 13, 15, …"),
    ],
)
def test_missing_ranks_are_named_without_counting_up_to_them(reported, expected, words):
    assert missing(np.array(reported, dtype="<i4"), expected) == words


@pytest.mark.parametrize(
    "count, size, refused",
    [
        (4096, 0, False),
        (4097, 0, True),
        (1_000_000, 8_000_000, False),
        (1_000_001, 8_000_000, True),
    ],
)
def test_rows_need_bytes(count, size, refused):
    if refused:
        with pytest.raises(Damage, match=f"table calls claims {count} rows"):
            claims.rows("calls", count, size)
    else:
        claims.rows("calls", count, size)


@pytest.mark.parametrize(
    "blocks, words",
    [
        ([(0, 60), (60, 40)], ""),
        ([(0, 60), (0, 40)], ""),
        ([(0, 60), (0, 60)], "lies upon other parts"),
        ([(60, 41)], "lies outside the file"),
        ([(-1, 2)], "lies outside the file"),
    ],
)
def test_bytes_are_claimed_once(blocks, words):
    here, said = claims.Held(100), ""
    try:
        for offset, size in blocks:
            here.block("x", offset, size)
    except Damage as damage:
        said = str(damage)
    assert words in said and bool(words) == bool(said)


def test_a_place_of_a_record_is_that_of_a_few_tables(tmp_path):
    raw = gzip.decompress((FROZEN / "killed-0.record-1.0.gz").read_bytes())
    length = int.from_bytes(raw[8:16], "little")
    header = json.loads(raw[16 : 16 + length])
    place = {key: header["tables"]["calls"][key] for key in ("offset", "rows", "row_size")}
    for name in ("peers", "windows"):
        header["tables"][name] = {**header["tables"][name], "in_block": True, **place}
    path = tmp_path / "x.record"
    path.write_bytes(
        raw[:16]
        + json.dumps(header, separators=(",", ":")).encode().ljust(length)
        + raw[16 + length :]
    )
    with pytest.raises(Damage, match="lies upon too many others"):
        read_record(str(path))


def test_more_hosts_than_any_machine_has_are_refused():
    ranks = {"rank": np.array([0], "<i4")}
    check({"ranks": ranks}, MOST_HOSTS)
    with pytest.raises(Damage, match="it names 200001 hosts; the most that is read is 200000"):
        check({"ranks": ranks}, MOST_HOSTS + 1)


def test_a_refusal_is_one_sentence(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(hostile.FILES["page of zero columns"](0))
    with pytest.raises(UserError) as caught:
        intake.read(path)
    assert "\n" not in caught.value.what and caught.value.what.endswith(".")
