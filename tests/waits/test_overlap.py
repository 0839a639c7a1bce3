"""What nonblocking messages had moved when they were completed, as the collector tells it, beside the program's own clock."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.analysis.measure import measure
from advisor.intake.read import read
from mpi_builds import REPOSITORY, compile_program, find, require, run

SIZE = 1 << 20


@pytest.fixture
def overlapped(collector, tmp_path):
    """(MPI, words of achieved.c) → seconds of a message by the program, gap and rest of each message [2, M], and the profile."""

    def get(name, *words, number=0):
        build, folder = require(find(name)), tmp_path / f"out{number}"
        folder.mkdir()
        program = compile_program(build, "c", [REPOSITORY / "tests" / "waits" / "achieved.c"], tmp_path / "achieved")
        line = ["env", f"LD_PRELOAD={collector(build)}", f"ADVISOR_OUTPUT={folder}", f"ADVISOR_RUN={tmp_path.name}-{number}", program, *map(str, words)]
        told = [float(word) for word in run(build, 2, line).stdout.split()]
        return told[0], np.array(told[1:]).reshape(-1, 2).T, read(folder / "merged.profile")

    return get


@pytest.fixture
def undisturbed(overlapped):
    """The same, and the seconds of a message by the profile: of a run whose ranks had a core each, by the profile; two are tried."""

    def get(*words):
        for number in range(2):
            own, messages, profile = overlapped(*words, number=number)
            sizes, times = (profile.tables.get("references", {}).get(label, np.zeros(0)) for label in ("bytes", "time"))
            if SIZE in sizes and measure(profile).tables["run"].row(0)["starved_share"] <= 0.05:
                return own, messages, profile, float(times[sizes == SIZE][0])
        pytest.skip("others had the cores in two runs")

    return get


@pytest.mark.parametrize("name", ("ompi4", "ompi5", "mpich4", "mpich5", "impi"))
@pytest.mark.parametrize("computing", ("both", "sender"))
def test_shares_by_the_programs_own_clock(name, computing, undisturbed):
    """A megabyte with two milliseconds to move in. Compared with what the program saw of the same messages, if such a message takes what the profile says; that is
    at most three times what the program measured, and at least a third. What the collector itself does at the end of a call is in the program's times only: some
    microseconds beside the hundred that a message takes."""
    own, (gap, rest), profile, message = undisturbed(name, SIZE, 2000, 600, computing)
    possible = np.minimum(gap, message)
    achieved = np.maximum(np.minimum(possible, message - rest), 0)
    found = measure(profile).tables["run"].row(0)
    assert own / 3 < message < 3 * own
    assert found["overlap_possible"] == pytest.approx(possible.mean() / message, abs=0.06)
    assert found["overlap_achieved"] == pytest.approx(achieved.mean() / message, abs=0.06)
    assert found["overlap_starved"] == pytest.approx(np.mean((gap >= message) & (rest >= 0.8 * message)), abs=0.1)
    assert profile.tables["overlap"]["messages"].sum() == 1200 and set(profile.tables["overlap"]["path"]) == {"host"}


def test_comparison_is_between_the_two_that_had_messages(overlapped):
    _, _, profile = overlapped("ompi4", 100000, 2000, 800, "both")
    references = profile.tables["references"]
    assert [int(size) for size in references["bytes"]] == [1 << power for power in range(10, 10 + 2 * len(references["bytes"]), 2)]
    assert {frozenset(pair) for pair in zip(references["from"].tolist(), references["to"].tolist())} == {frozenset((0, 1))}


def test_short_programs_are_not_kept_for_it(overlapped):
    """No half a second between posts and completions: no message is sent for comparison, and the measures are unknown."""
    _, _, profile = overlapped("ompi4", 100000, 2000, 40, "both")
    assert "overlap" not in profile.tables and "references" not in profile.tables
    column = measure(profile).tables["run"].columns["overlap_achieved"]
    assert "half a second" in str(column.reason)
