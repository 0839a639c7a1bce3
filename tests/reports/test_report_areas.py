"""The same seconds are the same area in every figure: what the first screen calls waiting is not
"not split" further down."""

from __future__ import annotations

from pathlib import Path

import advices
import numpy as np
import pytest

import advisor
from advisor.base import resource_paths
from advisor.base.numbers import seconds
from advisor.reports import compose
from advisor.reports.composing import areas
from advisor.reports.composing.whole_run import by_role
from advisor.reports.lookup import Lookup

TESTS = Path(__file__).resolve().parents[1]
PROFILES = [
    *sorted((resource_paths.samples() / "profiles").glob("*.json")),
    *sorted((TESTS / "documents" / "screens").glob("*.profile")),
]
RUNS = {file.stem: (lambda file=file: advisor.read(file).advice()) for file in PROFILES}
RUNS |= {name: advices.STATES[name] for name in ("slow_host", "sampled", "lammps", "no_waits")}
SAME = 0.006
"""Of elapsed: what is not seen in a figure may stand in another area of it."""


@pytest.fixture(scope="module", params=sorted(RUNS))
def known(request):
    advice = RUNS[request.param]()
    return Lookup(advice.measures), compose(advice)


def on_first_screen(run):
    """Seconds of the first screen in the words of figures, without waiting in MPI_Finalize."""
    screen, last = by_role(run), run.measures.causes
    end = 0.0
    if last is not None:
        each = zip(last.parts, last.means)
        end = sum(value for part, value in each if part.state == "wait at the end")
    moving = screen["transfer"] + screen["io"]
    return {
        "moving": moving,
        "polling": screen["polling"],
        "unsplit": screen["unsplit"],
        "waiting": screen["waiting"] - end,
    }


def agree(run, drawn, caption):
    """Each area is the same, or the caption says how much of the striped one is waiting."""
    wanted, elapsed = on_first_screen(run), run.number("run.time")
    held = wanted["waiting"] - drawn.get("waiting", 0.0)
    if held > SAME * elapsed and "unsplit" in drawn:
        assert f"Of the striped part {seconds(held)}" in caption
        return
    for role, value in wanted.items():
        assert drawn.get(role, 0.0) == pytest.approx(value, abs=SAME * elapsed), role


def test_the_bar_of_calls_has_the_areas_of_the_first_screen(known):
    run, document = known
    drawn = {}
    for part in document.time.enlarged:
        drawn[part.role] = drawn.get(part.role, 0.0) + part.seconds
    agree(run, drawn, "")


def test_the_time_of_ranks_has_them(known):
    run, document = known
    figure = document.figures.ranks
    assert figure.kind in ("bars", "panels")
    parts = {}
    for panel in figure.panels:
        for role, values in panel.parts.items():
            parts.setdefault(role, []).extend(values)
    total = np.sum([values for values in parts.values()], axis=0)
    assert np.allclose(total, np.concatenate([panel.mpi for panel in figure.panels]))
    agree(run, {role: float(np.mean(values)) for role, values in parts.items()}, figure.caption)


def test_the_time_line_has_them(known):
    run, document = known
    figure = document.figures.timeline
    if figure is None:
        assert run.profile.tables.get("phases") is None or len(run.numbers("phase.begin")) < 8
        return
    width = run.numbers("phase.end") - run.numbers("phase.begin")
    drawn = {role: float(np.dot(values, width)) for role, values in figure.slices.items()}
    assert np.allclose(np.sum(list(figure.slices.values()), axis=0), 1)
    agree(run, drawn, figure.caption)


def test_parts_are_spread_over_time_so_that_both_sums_hold():
    """Two slices with 3 s and 1 s in MPI; the run waited 1 s of 4 s, and moved data for 3 s."""
    run = Lookup(advices.sampled().measures)
    mpi = np.array([3.0, 1.0])
    known = {role: float(values.mean()) for role, values in areas.in_mpi(run).items()}
    parts = areas.over_time(run, mpi, {"waiting": np.array([0.5, 0.5]), "moving": mpi})
    assert np.allclose(sum(parts.values()), mpi)
    wanted = known["waiting"] / sum(known.values()) * mpi.sum()
    assert parts["waiting"].sum() == pytest.approx(wanted, rel=1e-3)
