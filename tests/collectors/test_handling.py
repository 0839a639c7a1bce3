"""Which calls the library cannot hand to its fast paths: counted exactly, in C and Fortran, under
each library; and the counts of all calls are what they were."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from advisor import intake
from mpi_builds import BUILDS, compile_program, find, preloaded, require_fortran, run

GAPS, COMMUTATIVE, ORDERED = 1, 2, 3
HERE = Path(__file__).parent
DOUBLE = 8


def handled(folder):
    """(rank, operation, handling) → (calls, bytes), and operation → calls of rank 0."""
    tables = intake.read(folder).tables
    table, found = tables["handling"], {}
    for row in zip(*(table[name] for name in ("rank", "operation", "handling", "count", "bytes"))):
        key = (int(row[0]), str(row[1]), int(row[2]))
        calls, payload = found.get(key, (0, 0))
        found[key] = (calls + int(row[3]), payload + int(row[4]))
    calls = Counter()
    of_rank_0 = tables["calls"]["rank"] == 0
    for name, count in zip(
        tables["calls"]["operation"][of_rank_0], tables["calls"]["count"][of_rank_0]
    ):
        calls[str(name)] += int(count)
    return found, calls


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_exact_in_c(build, program, collector, tmp_path):
    front = preloaded(collector(build), tmp_path, "ADVISOR_RUN=handling")
    done = run(build, 2, [*front, program(build, "handling.c")])
    assert done.returncode == 0, done.stderr
    found, calls = handled(tmp_path)
    alike = {
        ("Allreduce", COMMUTATIVE): (5, 5 * 4 * DOUBLE),
        ("Reduce", ORDERED): (3, 3 * 2 * DOUBLE),
        ("Sendrecv", GAPS): (15, 15 * 8 * DOUBLE),
        ("Startall", GAPS): (6, 6 * 8 * DOUBLE),
        ("Alltoall", GAPS): (18, 18 * 2 * DOUBLE),
    }
    assert found == {
        **{(rank, *key): value for rank in (0, 1) for key, value in alike.items()},
        (0, "Send", GAPS): (11 + 14, (11 * 16 + 14 * 4) * DOUBLE),
        (1, "Recv", GAPS): (12, 0),
    }
    assert (calls["Allreduce"], calls["Sendrecv"]) == (5 + 7 + 1, 15 + 16)
    assert calls["Send"] == 9 + 10 + 11 + 12 + 13 + 14 + 17


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_exact_in_fortran(build, collector, tmp_path):
    require_fortran(build, "use mpi")
    program = compile_program(build, "use mpi", [HERE / "handling.f90"], tmp_path / "handling")
    (tmp_path / "out").mkdir()
    front = preloaded(collector(build), tmp_path / "out", "ADVISOR_RUN=handling")
    done = run(build, 2, [*front, program])
    assert done.returncode == 0, done.stderr
    found, _ = handled(tmp_path / "out")
    assert found == {
        (0, "Allreduce", COMMUTATIVE): (4, 4 * 3 * DOUBLE),
        (1, "Allreduce", COMMUTATIVE): (4, 4 * 3 * DOUBLE),
        (0, "Send", GAPS): (5, 5 * 8 * DOUBLE),
    }


def test_a_program_without_either_has_an_empty_table(program, collector, tmp_path):
    """Known to be none, which a profile of an older collector does not say."""
    build = find("mpich4")
    front = preloaded(collector(build), tmp_path, "ADVISOR_RUN=handling")
    done = run(build, 2, [*front, program(build, "duplicates.c"), 1])
    assert done.returncode == 0, done.stderr
    assert len(intake.read(tmp_path).tables["handling"]["rank"]) == 0
