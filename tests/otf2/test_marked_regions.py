"""Regions that a program marks by itself, from a trace: time in each, without the regions inside
it, and what of it was MPI."""

from __future__ import annotations

from advisor.intake import read

from .archives import BARRIER, archive, call, collective, world


def marked(at: int, begin: int, end: int, name: str, *inside: str):
    """A region of the program around lines."""
    return [f"{at} {begin} enter {name}", *inside, f"{at} {end} leave {name}"]


LINES = (
    world(0, 0)
    + marked(
        0,
        10,
        100,
        "solve",
        *marked(0, 20, 50, "exchange", *call(0, 30, 40, "Barrier", collective(BARRIER))),
        *call(0, 60, 65, "Barrier", collective(BARRIER)),
    )
    + call(0, 110, 120, "Barrier", collective(BARRIER))
    + marked(0, 130, 140, "exchange")
    + call(1, 35, 40, "Barrier", collective(BARRIER))
    + marked(1, 41, 71, "solve", *call(1, 60, 65, "Barrier", collective(BARRIER)))
    + call(1, 115, 120, "Barrier", collective(BARRIER))
)
EXPECTED = {  # (rank, region): entries, microseconds in it, of them in collective calls, calls
    (0, "solve"): (1, 60, 5, 1),
    (0, "exchange"): (2, 40, 10, 1),
    (1, "solve"): (1, 30, 5, 1),
}


def test_time_in_a_region_is_that_of_the_innermost_one(tmp_path):
    table = read(str(archive(tmp_path, LINES))).tables["regions"]
    found = {
        (rank, name): (entries, round(time * 1e6), round(collective_time * 1e6), calls)
        for rank, name, entries, time, collective_time, calls in zip(
            *(
                table[column].tolist()
                for column in ("rank", "name", "entries", "time", "collective", "calls")
            )
        )
    }
    assert found == EXPECTED
    assert len(set(zip(table["rank"].tolist(), table["level"].tolist()))) == len(EXPECTED)
