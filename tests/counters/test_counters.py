"""Counters, split into inside MPI and outside, against programs whose counts are known."""

from __future__ import annotations

import ctypes.util

import numpy as np
import pytest

from advisor.analysis import measure
from advisor.analysis.metrics.counters import HARDWARE

TURNS, PAGES = 300, 400


def rows(profile, name):
    """Total, inside and outside of a counter, one entry a rank."""
    table = profile.tables["counters"]
    chosen = table["counter"] == name
    return [table[column][chosen] for column in ("total", "inside", "outside")]


def row(profile, name):
    """The measures of a counter."""
    table = measure(profile).tables["counter"]
    return table.row(list(table.columns["name"].values).index(name))


@pytest.fixture(scope="module")
def touched(profiled):
    return profiled("touch.c", [TURNS, PAGES], {"ADVISOR_COUNTERS": "all"})


def test_pages_that_the_program_touches_are_counted_outside_mpi(touched):
    total, inside, _ = rows(touched, "page_faults")
    assert (total >= TURNS * PAGES).all() and (total <= TURNS * PAGES + 500).all()
    assert (inside <= 0.01 * total).all()
    found = row(touched, "page_faults")
    assert found["outside"] == pytest.approx(2 * TURNS * PAGES, rel=0.01)


def test_reading_counters_loses_no_call(touched):
    calls = touched.tables["calls"]
    counts = {
        name: calls["count"][calls["operation"] == name].sum() for name in ("Allreduce", "Pcontrol")
    }
    assert counts == {"Allreduce": 2 * TURNS, "Pcontrol": 2 * TURNS}


def test_each_counter_of_the_processor_is_counted_or_missing_with_its_reason(touched):
    counted = set(touched.tables["counters"]["counter"])
    missing = {gap.subject[9:]: gap for gap in touched.gaps if gap.subject.startswith("counters.")}
    assert set(HARDWARE) == (counted & set(HARDWARE)) | set(missing) and not counted & set(missing)
    assert all(gap.reason and gap.collect for gap in missing.values())


def test_what_is_unknown_says_why(touched):
    if "cycles" in touched.tables["counters"]["counter"]:
        pytest.skip("this machine counts cycles")
    column = measure(touched).tables["run"].columns["instructions_per_cycle"]
    gap = next(gap for gap in touched.gaps if gap.subject == "counters.instructions")
    assert (column.reason, column.collect) == (gap.reason, gap.collect)


def test_papi_counts_what_the_system_counts(profiled):
    if not ctypes.util.find_library("papi"):
        pytest.skip("libpapi is not installed")
    found = profiled(
        "touch.c",
        [TURNS, PAGES],
        {"ADVISOR_COUNTERS": "perf::PAGE-FAULTS,NO_SUCH_EVENT", "ADVISOR_GATHER": "no"},
    )
    by_papi, by_system = rows(found, "perf::PAGE-FAULTS"), rows(found, "page_faults")
    assert np.abs(by_papi[0].astype(float) - by_system[0]).max() <= 50
    assert [gap.subject for gap in found.gaps if gap.subject.startswith("counters.")] == [
        "counters.NO_SUCH_EVENT"
    ]


def test_nothing_is_read_unless_asked_for(profiled):
    assert not {"counters", "stacks"} & set(profiled("touch.c", [10, 1], {}).tables)
