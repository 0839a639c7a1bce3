"""What the writer makes of event files: whole, cut, of rings that went round, damaged and
hostile."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from advisor.intake import read
from advisor.intake.otf2 import writing
from advisor.model.errors import UserError

from .rank_files import (
    COUNTER,
    FILE,
    FILE_DONE,
    FLUSH,
    GROUP,
    MEET,
    NEIGHBOURS,
    RECEIVED,
    START_NEIGHBOURS,
    START_RECEIVE,
    call,
    pair,
    part,
    rank_file,
)

ALL_TOGETHER = ["ENTER", "MPI_COLLECTIVE_BEGIN", "MPI_COLLECTIVE_END", "LEAVE"]
"""MPI_Init and MPI_Finalize."""
FUZZED = 300 if os.environ.get("ADVISOR_TEST_LONG") == "1" else 9


@pytest.fixture(scope="module", autouse=True)
def _tools():
    if not shutil.which("otf2-config") or not shutil.which("otf2-print") or not shutil.which("cc"):
        pytest.skip("libotf2-trace-dev and otf2-tools are needed")


def written(folder: Path) -> writing.Written:
    return writing.write(folder.parent, folder, sorted(folder.glob("*.events")))


def printed(folder: Path) -> list:
    done = subprocess.run(
        ["otf2-print", str(folder / "traces.otf2")], capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 0, done.stderr
    return [
        line.split()
        for line in done.stdout.splitlines()
        if line[:1].isupper() and line.split()[1:2] and line.split()[1].isdigit()
    ]


def test_whole_files_are_a_whole_archive(tmp_path):
    folder = pair(tmp_path / "trace")
    made = written(folder)
    assert (made.ranks, made.missing, list(folder.glob("*.events"))) == (2, (), [])
    assert sorted(path.name for path in folder.iterdir()) == ["traces", "traces.def", "traces.otf2"]
    seen = read(str(made.anchor))
    waits = {
        (rank, operation): wait
        for rank, operation, wait in zip(
            *(seen.tables["waits"][name] for name in ("rank", "operation", "wait"))
        )
    }
    assert waits[1, "Recv"] == pytest.approx(4000e-9)
    assert seen.tables["peers"]["bytes"].tolist() == [80]
    assert seen.tables["ranks"]["init_end"].tolist() == pytest.approx([1.7e9, 1.7e9])
    assert [line[0] for line in printed(folder) if line[1] == "0"] == [
        "PROGRAM_BEGIN",
        *ALL_TOGETHER,
        "ENTER",
        "MPI_SEND",
        "LEAVE",
        "ENTER",
        "MPI_COLLECTIVE_BEGIN",
        "IO_OPERATION_BEGIN",
        "MPI_COLLECTIVE_END",
        "IO_OPERATION_COMPLETE",
        "METRIC",
        "LEAVE",
        *ALL_TOGETHER,
        "PROGRAM_END",
    ]


def test_counters_stand_at_the_begins_and_ends_of_calls_and_before_the_end_of_all(tmp_path):
    folder = tmp_path / "trace"
    folder.mkdir()
    events = [
        part(COUNTER, 1, 1, 100),
        part(COUNTER, 0, 1, 130),
        call(3, 20000, 21000),
        part(COUNTER, 1, 1, 131),
        part(COUNTER, 1, 9, 5),
        part(COUNTER, 0, 1, 140),
        call(3, 30000, 32000),
        part(COUNTER, 1, 1, 200),
    ]
    rank_file(folder / "rank-0.events", 0, 1, events)
    made = written(folder)
    assert made.missing == ("1 events or definitions contradict themselves and were left out",)
    assert [line[0] for line in printed(folder) if line[0] in ("METRIC", "ENTER", "LEAVE")] == [
        "ENTER",
        "LEAVE",
    ] + 2 * ["METRIC", "ENTER", "METRIC", "LEAVE"] + ["METRIC", "ENTER", "LEAVE"]
    row = {name: values[0] for name, values in read(str(made.anchor)).tables["counters"].items()}
    # From the end of MPI_Init at 900 to the begin of MPI_Finalize at 90000.
    assert (row["counter"], row["total"], row["inside"], row["outside"]) == (
        "cpu_time",
        200,
        30 + 9,
        100 + 1 + 60,
    )
    assert (row["inside_time"], row["outside_time"]) == pytest.approx(
        (3000e-9, (19100 + 9000 + 58000) * 1e-9)
    )


def test_clocks_of_hosts_are_put_together(tmp_path):
    # Rank 1 counts in steps of 2 ns from another beginning; its host's clock was compared with that
    # of rank 0.
    folder = pair(tmp_path / "trace", map_rate=2e-9, map_shift=4e-6, map_first=6000, node=b"other")
    written(folder)
    times = {
        (line[0], line[1]): int(line[2])
        for line in printed(folder)
        if line[0] in ("MPI_SEND", "MPI_RECV")
    }
    assert times["MPI_SEND", "0"] == 1 + 10000 - times_zero(folder) and times[
        "MPI_RECV", "1"
    ] - times["MPI_SEND", "0"] == (4000 + 2 * 6000) - (10000 - 900)


def times_zero(folder: Path) -> int:
    """Ticks of rank 0 at time 1: where the first MPI_Init began, which is that of rank 1: 4000 - 2
    * 5900 ns after tick 900."""
    return 900 + 4000 - 2 * 5900


def test_a_ring_that_went_round_begins_with_a_whole_call(tmp_path):
    events = [
        call(3, 5000, 5100, generation=2),
        part(START_RECEIVE, request=2, generation=2),
        call(4, 5200, 5300, generation=2),
        call(3, 1000, 1100),
        part(RECEIVED, 0, 5, 8, request=1),
        call(5, 2000, 2100),
        part(RECEIVED, 0, 5, 8, request=1),
        call(5, 3000, 3100),
    ]
    folder = tmp_path / "trace"
    folder.mkdir()
    rank_file(folder / "rank-0.events", 0, 1, events, capacity=8, head=11)
    made = written(folder)
    assert made.missing == (
        (
            "3 events did not fit: more with --trace=size=…, or a part of the run with first=,"
            " last= or region="
        ),
    )
    # The oldest call is left out, its parts may be lost; so is the end of a receive whose beginning
    # is; nor is there a frame of MPI_Init and MPI_Finalize.
    assert [line[0] for line in printed(folder)] == [
        "ENTER",
        "LEAVE",
        "ENTER",
        "LEAVE",
        "ENTER",
        "LEAVE",
        "ENTER",
        "MPI_IRECV_REQUEST",
        "LEAVE",
    ]


def test_a_cut_file_counts_up_to_there_and_a_lost_one_is_named(tmp_path):
    folder = pair(tmp_path / "trace", finalize_begin=0, finalize_end=0, has_map=0)
    file = folder / "rank-1.events"
    file.write_bytes(file.read_bytes()[: 4096 + (1 << 16) + 2 * 32])
    (folder / "rank-0.events").write_bytes(b"short")
    made = written(folder)
    assert made.missing == (
        "rank-0.events was left out: it is too short to be one, or cannot be read",
        "1 of the ranks kept no events: there was no room for them, or they ended before MPI_Init",
        "1 of the ranks did not come to MPI_Finalize: theirs end where they were stopped",
        "5 events were cut off and left out",
    )
    assert [line[0] for line in printed(folder)] == [
        "MEASUREMENT_ON_OFF",
        "PROGRAM_BEGIN",
        *ALL_TOGETHER,
        "ENTER",
        "MPI_RECV",
        "LEAVE",
    ]


@pytest.mark.parametrize(
    "changed, why",
    [
        (
            {"magic": b"\0" * 8},
            "it holds no events of a rank, or the rank ended before it had begun",
        ),
        ({"version": 2}, "it was written by another version of advisor"),
        ({"capacity": 63}, "its header contradicts itself"),
        ({"definitions_used": 1 << 40}, "its header contradicts itself"),
        ({"rank": 2}, "it says of a rank that cannot be"),
        ({"ranks": 1 << 30}, "it says of a rank that cannot be"),
        (
            {"ranks": 1 << 19},
            "it says of more ranks than there can be, or of others than most files do",
        ),
        ({"seconds_per_tick": float("nan")}, "its clock cannot be"),
        ({"map_rate": 1e30}, "its clock cannot be"),
        ({"rank": 0}, "another file is of the same rank"),
    ],
)
def test_a_file_that_cannot_be_is_left_out_with_the_reason(tmp_path, changed, why):
    made = written(pair(tmp_path / "trace", **changed))
    assert f"rank-1.events was left out: {why}" in made.missing


def test_nothing_that_can_be_used_is_one_sentence_and_nothing_is_lost(tmp_path):
    folder = pair(tmp_path / "trace", magic=b"\0" * 8)
    (folder / "rank-0.events").unlink()
    with pytest.raises(UserError) as reported:
        written(folder)
    assert (
        reported.value.lines()[0]
        == "The trace could not be written: there is no event file that can be used."
    )
    assert reported.value.lines()[2] == f"To try again: advisor export {tmp_path} --format otf2"
    assert [path.name for path in folder.iterdir()] == ["rank-1.events"]


def test_without_the_library_the_events_are_kept_and_it_is_said_what_to_install(
    tmp_path, monkeypatch
):
    folder = pair(tmp_path / "result" / "trace")
    # elsewhere it may have been built
    monkeypatch.setattr("advisor.base.resource_paths.caches", lambda environment: iter([tmp_path]))
    # a compiler that finds no <otf2/otf2.h>
    (tmp_path / "cc").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "cc").chmod(0o755)
    monkeypatch.setenv("CC", str(tmp_path / "cc"))
    with pytest.raises(UserError) as reported:
        written(folder)
    assert "install libotf2-trace-dev" in reported.value.lines()[0]
    assert reported.value.lines()[1:] == (
        f"The events of the ranks are kept in {folder}.",
        f"Then: advisor export {folder.parent} --format otf2",
    )
    assert len(list(folder.glob("*.events"))) == 2


def test_parts_that_make_no_sense_are_left_out_and_counted(tmp_path):
    folder = tmp_path / "trace"
    folder.mkdir()
    odd = [
        part(200, 0),
        part(2, 7),
        part(3, -5),
        part(2, 0, communicator=77),
        part(9, 5, operation=3),
        part(9, -1, operation=999),
        part(START_RECEIVE),
        part(MEET, tag=GROUP),
        part(NEIGHBOURS, tag=9),
        part(FLUSH, -1),
        part(FILE, communicator=2),
        part(COUNTER, tag=2),
        part(FILE_DONE, request=0),
        part(START_NEIGHBOURS, tag=GROUP, request=3, operation=1),
    ]
    rank_file(folder / "rank-0.events", 0, 1, [*odd, call(3, 2000, 3000), call(77, 4000, 5000)])
    assert written(folder).missing == (
        "15 events or definitions contradict themselves and were left out",
    )
    assert [line[0] for line in printed(folder)][5:7] == ["ENTER", "LEAVE"]


def test_damaged_bytes_anywhere_leave_an_archive_or_one_sentence(tmp_path):
    whole = {path.name: path.read_bytes() for path in pair(tmp_path / "whole").iterdir()}
    chance, refused = random.Random(5), 0
    for turn in range(FUZZED):
        folder = tmp_path / f"trace-{turn}"
        folder.mkdir()
        for name, content in whole.items():
            damaged, ends = bytearray(content), (224, 4096 + 500, len(content))[turn % 3]
            for _ in range(chance.randint(1, 12)):
                place = (
                    chance.randrange(0 if turn % 3 == 0 else 4096, ends)
                    if turn % 3 < 2
                    else chance.randrange(4096 + (1 << 16), ends)
                )
                damaged[place] = chance.randrange(256)
            (folder / name).write_bytes(damaged)
        try:
            written(folder)
        except UserError as problem:
            refused += 1
            assert "broke off" not in problem.lines()[0]
        else:
            printed(folder)
    assert refused < FUZZED
