"""Cut, damaged and hostile archives: one sentence, in bounded time and memory, or a profile that
can be measured."""

from __future__ import annotations

import random
import re
import shutil
import subprocess

import pytest

from advisor import analysis
from advisor.intake import read
from advisor.model.errors import UserError

from .archives import ALLREDUCE, BCAST, archive, call, collective, neighbour_call, world, writer
from .test_against_print import MEETS, PING_PONG
from .test_known_waits import CASES

BOTH = world(0, 0)
SENTENCES = {
    "regions are left that were not entered": (
        BOTH + ["0 10 leave MPI_Barrier"],
        "it leaves a region that it is not in (at event 1 of traces/0.evt)",
    ),
    "a communicator is not there": (
        BOTH + call(0, 10, 11, "Allreduce", collective(ALLREDUCE, communicator=77)),
        "it uses a communicator that is not defined (at event 2 of traces/0.evt)",
    ),
    "a root is not there": (
        BOTH + call(0, 10, 11, "Bcast", collective(BCAST, root=5)),
        "a collective call in it has a root that is not there (at event 2 of traces/0.evt)",
    ),
    "a receiver is not there": (
        BOTH + call(0, 10, 11, "Send", "send 9 0 7 100"),
        (
            "a message in it goes to or comes from a rank that is not there (at event 2 of"
            " traces/0.evt)"
        ),
    ),
    "a member is not there": (
        BOTH + ["comm 2 wrong 0 9", "0 10 enter main"],
        "a communicator in it has a member that is not there",
    ),
    "others' calls": (
        world(0, 0, 0)
        + ["comm 2 pair 0 1"]
        + call(2, 10, 11, "Barrier", collective(0, communicator=2)),
        "rank 2 takes part in a collective call of others (at event 2 of traces/2.evt)",
    ),
    "a group is not there": (
        BOTH + ["window 0 0"] + call(0, 10, 11, "Win_post", "meet 0 9"),
        "it synchronises with a group that is not there (at event 2 of traces/0.evt)",
    ),
    "neighbours are not there": (
        BOTH + neighbour_call(0, 10, 11, 9),
        (
            "a neighbourhood call in it receives from a group that is not there (at event 1 of"
            " traces/0.evt)"
        ),
    ),
    "a window is not there": (
        BOTH + call(0, 10, 11, "Put", "put 3 1 8"),
        "it uses a window that is not defined (at event 2 of traces/0.evt)",
    ),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_what_contradicts_itself_is_said(name, tmp_path):
    lines, sentence = SENTENCES[name]
    with pytest.raises(UserError) as error:
        read(archive(tmp_path, lines))
    assert error.value.what.endswith(f"it looks like an OTF2 trace, but {sentence}.")


@pytest.mark.parametrize(
    "part, sentence",
    [
        ("traces.def", "its definitions cannot be opened"),
        ("traces/1.evt", "the events of location 1 are missing"),
    ],
)
def test_a_part_that_is_missing_is_named(part, sentence, tmp_path):
    writer()
    shutil.copytree(PING_PONG.parent, tmp_path / "trace")
    (tmp_path / "trace" / part).unlink()
    with pytest.raises(UserError) as error:
        read(tmp_path / "trace" / "traces.otf2")
    assert error.value.what.endswith(f"but {sentence}.")


def listed(trace, *options):
    """How many records otf2-print comes to."""
    lines = subprocess.run(
        ["otf2-print", *options, str(trace)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ).stdout.splitlines()
    return sum(re.match(r"[A-Z_]+ +\d* ", line) is not None for line in lines)


@pytest.mark.parametrize(
    "part, size, sentence, options",
    [
        (
            "traces/0.evt",
            1500,
            (
                "the events of location 0 are damaged or cut off: Invalid or inconsistent record"
                " data (behind event {} of traces/0.evt)"
            ),
            ("-L", "0"),
        ),
        (
            "traces.def",
            3000,
            "its definitions are damaged or cut off (behind definition {} of traces.def)",
            ("-G",),
        ),
    ],
)
def test_where_a_part_is_cut_is_said(part, size, sentence, options, tmp_path):
    writer()
    shutil.copytree(PING_PONG.parent.with_name("counts"), tmp_path / "trace")
    cut = tmp_path / "trace" / part
    cut.write_bytes(cut.read_bytes()[:size])
    with pytest.raises(UserError) as error:
        read(tmp_path / "trace" / "traces.otf2")
    assert error.value.what.endswith(
        f"but {sentence.format(listed(tmp_path / 'trace' / 'traces.otf2', *options))}."
    )


def test_another_file_of_a_trace_says_which_one_to_give():
    with pytest.raises(UserError) as error:
        read(PING_PONG.with_name("traces.def"))
    assert error.value.what.endswith("give the file whose name ends in .otf2.")


def _spoilt(raw: bytes, chance: random.Random) -> bytes:
    kind, at = chance.randrange(5), chance.randrange(len(raw))
    if kind == 0:
        return raw[:at]
    if kind == 1:
        return raw[:at] + raw[max(0, at - chance.randrange(200)) :]
    if kind == 2:
        return raw[:at] + b"\xff" * 8 + raw[at + 8 :]
    if kind == 3:
        return raw[:at] + bytes(64) + raw[at + 64 :]
    return raw[:at] + bytes([raw[at] ^ 1 << chance.randrange(8)]) + raw[at + 1 :]


@pytest.mark.parametrize(
    "source",
    [
        "a real trace",
        "a real trace of one-sided calls",
        "a real trace with counters",
        "messages",
        "neighbours wait for those that they receive from",
    ],
)
def test_spoilt_archives_are_read_or_refused(source, tmp_path):
    writer()
    known = {
        "a real trace": PING_PONG,
        "a real trace of one-sided calls": MEETS,
        "a real trace with counters": PING_PONG.parent.with_name("counts") / "traces.otf2",
    }
    trace = known.get(source) or archive(
        tmp_path, CASES["the longest of several messages" if source == "messages" else source][0]
    )
    files = [
        file.relative_to(trace.parent)
        for file in trace.parent.rglob("*")
        if file.suffix in (".otf2", ".def", ".evt")
    ]
    chance = random.Random(7)
    refused = 0
    for _ in range(25):
        copy = tmp_path / "copy"
        shutil.copytree(trace.parent, copy)
        spoilt = copy / chance.choice(files)
        spoilt.write_bytes(_spoilt(spoilt.read_bytes(), chance))
        try:
            analysis.measure(read(copy / "traces.otf2"))
        except UserError as error:
            refused += 1
            assert "\n" not in error.what and "signal" not in error.what
        shutil.rmtree(copy)
    assert 0 < refused < 25
