"""Rules that take several hosts: samples/between_hosts.c makes each speak, and cured keeps it
silent. They run with ADVISOR_TEST_LONG=1.

On a machine that others use much, ranks are late in turns by themselves, whatever the program does:
that one case needs a quiet machine.
"""

from __future__ import annotations

import os
from typing import Mapping, NamedTuple, Tuple

import mpi_builds
import pytest
from fake_hosts import Hosts, why_impossible
from lines import advised, launch
from mpi_builds import find, require
from rules.real_runs import compile_sample, judged_patiently

LONG = os.environ.get("ADVISOR_TEST_LONG") == "1"
pytestmark = [
    pytest.mark.skipif(bool(why_impossible()), reason=why_impossible()),
    pytest.mark.skipif(not LONG, reason="takes minutes: runs with ADVISOR_TEST_LONG=1"),
]


class Shown(NamedTuple):
    """`pattern` of between_hosts.c on `each` ranks of two hosts; `extra`: environment of both
    runs."""

    pattern: str
    rules: Tuple[str, ...]
    each: int = 2
    steps: int = 211
    build: str = "ompi4"
    extra: Mapping[str, str] = {}


SHOWN = (
    Shown("cross", ("rank-order-off-host",), steps=1009),
    Shown("pairs", ("blocking-exchange",), steps=307),
    Shown(
        "puts", ("ucx-one-sided", "emulated-one-sided"), 1, 1009, extra={"OMPI_MCA_osc": "pt2pt"}
    ),
    Shown("overlap", ("nonblocking-without-progress",), 1),
    Shown("turns", ("late-in-turns",)),
    Shown("late", ("one-late-rank",), steps=101),
    Shown("idle", ("ranks-without-work",), steps=509),
    Shown("slow", ("slow-host",), 1),
    Shown("sums", ("two-level-of-open-mpi",), steps=53, build="ompi5"),
    Shown("sums", ("reductions-in-pieces",), 1, 53, extra={"OMP_NUM_THREADS": "2"}),
)


@pytest.fixture(scope="module")
def hosts():
    with Hosts(2) as two:
        yield two


def said(shown, hosts, folder, cured, monkeypatch, options=None):
    """Rule → verdict of a run on the two hosts."""
    folder = folder / ("cured" if cured else "faulty")
    folder.mkdir()
    build = require(find(shown.build))
    for name, value in shown.extra.items():
        monkeypatch.setitem(mpi_builds.ENVIRONMENT, name, value)
    program = compile_sample(build, "between_hosts", folder, cured)
    words = launch(build, hosts, shown.each, [program, shown.steps, shown.pattern])
    done = advised(build, hosts, words if options is None else options(words), folder)
    assert done.code == 0, done.err
    return judged_patiently(done.profile)


@pytest.mark.parametrize("shown", SHOWN, ids=lambda shown: shown.rules[0])
def test_the_rule_speaks_and_is_silent_when_cured(shown, hosts, tmp_path, monkeypatch):
    faulty, cured = (said(shown, hosts, tmp_path, cure, monkeypatch) for cure in (False, True))
    assert {rule: faulty[rule] for rule in shown.rules} == {rule: "found" for rule in shown.rules}
    assert [rule for rule in shown.rules if cured[rule] in ("found", "unknown")] == []


def test_three_ranks_on_two_hosts(hosts, tmp_path, monkeypatch):
    """And four ranks, two on each."""

    def with_three(words):
        at = words.index("-n")
        return [*words[: at + 1], "3", *words[at + 2 :]]

    shown = Shown("turns", ("hosts-unevenly-filled",), steps=11)
    assert (
        said(shown, hosts, tmp_path, False, monkeypatch, with_three)["hosts-unevenly-filled"]
        == "found"
    )
    assert said(shown, hosts, tmp_path, True, monkeypatch)["hosts-unevenly-filled"] == "clear"
