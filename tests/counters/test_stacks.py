"""Ways to sampled calls, of machine code and of Python, against programs whose ways are known."""

from __future__ import annotations

import pytest

from advisor.analysis import measure

TURNS = 200
DEPTH = {"ADVISOR_STACKS": "3"}


def ways(profile, operation):
    """Path → calls of all ranks."""
    columns = measure(profile).tables["stack"].columns
    rows = zip(columns["operation"].values, columns["path"].values, columns["calls"].values)
    return {path: calls for name, path, calls in rows if name == operation}


def test_ways_are_told_apart_by_function_and_line(profiled):
    found = ways(profiled("ways.c", [TURNS], DEPTH), "Allreduce")
    assert found == {
        "reduce (ways.c:11) < forces (ways.c:17) < main (ways.c:32)": 2 * 3 * TURNS,
        "reduce (ways.c:11) < energy (ways.c:23) < main (ways.c:33)": 2 * TURNS,
    }


def test_beyond_the_room_for_samples_ways_are_estimates(profiled):
    found = ways(profiled("ways.c", [50 * TURNS], DEPTH), "Allreduce")
    assert [found[path] for path in sorted(found)] == pytest.approx(
        [2 * 50 * TURNS, 6 * 50 * TURNS], rel=0.2
    )


def test_a_stripped_program_has_modules_and_offsets(profiled):
    found = ways(profiled("ways.c", [TURNS], DEPTH, ("-s",)), "Allreduce")
    frames = [path.split(" < ") for path in found]
    assert sum(found.values()) == 2 * 4 * TURNS and len({path[0] for path in frames}) == 1
    assert all(frame.startswith("ways+0x") for path in frames for frame in path[:2])


def test_python_code_is_seen_through_mpi4py(profiled):
    turns = 10
    found = ways(profiled("ways.py", [turns], DEPTH), "Bcast")
    assert found == {
        "reduce (ways.py:13) < forces (ways.py:17) < <module> (ways.py:31)": 4 * turns,
        "reduce (ways.py:13) < forces (ways.py:17) < <module> (ways.py:32)": 4 * turns,
        "reduce (ways.py:13) < energy (ways.py:21) < <module> (ways.py:33)": 4 * turns,
    }


def test_by_default_ways_of_python_code_alone_are_kept(profiled):
    """`advisor run` asks for that."""
    of_python = {"ADVISOR_STACKS": "python"}
    found = set(ways(profiled("ways.py", [10], of_python), "Bcast"))
    # All three, unless other load took the 20 ms that a rank may spend on them.
    assert found and found <= {
        "reduce (ways.py:13) < forces (ways.py:17) < <module> (ways.py:31)",
        "reduce (ways.py:13) < forces (ways.py:17) < <module> (ways.py:32)",
        "reduce (ways.py:13) < energy (ways.py:21) < <module> (ways.py:33)",
    }
    assert "stacks" not in profiled("ways.c", [TURNS], of_python).tables


@pytest.mark.parametrize(
    "stacks, expected", (("python", "ways.py:13"), ("0", "mpi4py.MPI.PyMPI_bcast_p2p"))
)
def test_the_call_site_of_a_python_program(stacks, expected, profiled):
    table = measure(profiled("ways.py", [10], {"ADVISOR_STACKS": stacks})).tables["operation"]
    (row,) = (at for at, name in enumerate(table.columns["name"].values) if name == "Bcast")
    assert table.row(row)["site"] == expected and table.row(row)["other_sites"] == 0


@pytest.mark.parametrize("stacks, least, most", (("python", 2, 60), ("8", 120, 120)))
def test_a_rank_gives_ways_of_python_code_up_after_20_ms(stacks, least, most, profiled):
    """Who wants the lock of an interpreter that is busy gets it after 5 ms. Who asked for stacks
    gets those of all 60 calls of both ranks."""
    table = profiled("busy.py", [60, "busy"], {"ADVISOR_STACKS": stacks}).tables["stacks"]
    taken = table["count"][(table["level"] == 0) & (table["operation"] == "Allreduce")].sum()
    assert least <= taken <= most
