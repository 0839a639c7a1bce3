"""The verdict of a run: what the table below it shows, and no more than its intervals allow."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import advices
import numpy as np
import pytest

import advisor
from advisor.model.measures import Column, Quality, Table
from advisor.reports import compose, render
from advisor.reports.composing.headline import verdict
from advisor.reports.composing.operation_map import _calls
from advisor.reports.composing.whole_run import ROLES
from advisor.reports.lookup import Lookup

TESTS = Path(__file__).resolve().parents[1]


def estimate(name, value, low, high):
    ends = (np.array([low]), np.array([high]))
    return Column(name, "s", np.array([value]), Quality.ESTIMATED, "", *ends)


def run_of(waiting, transfer, unsplit=0.0):
    """A run of 100 s, sampled: each of the two as (seconds, low, high)."""
    measures = advices.slow_host().measures
    cells = {
        name: Column(name, "", np.array([value], object))
        for name, value in {"time": 100.0, "job_time": 100.0, "wait_measured": True}.items()
    }
    cells["mpi_time"] = Column("mpi_time", "s", np.array([waiting[0] + transfer[0] + unsplit]))
    cells["mpi_share"] = Column("mpi_share", "share", cells["mpi_time"].values / 100.0)
    cells["wait_time"] = estimate("wait_time", *waiting)
    cells["transfer_time"] = estimate("transfer_time", *transfer)
    cells["imbalance_share"] = Column("imbalance_share", "share", np.array([0.0]))
    operation = {
        "name": Column("name", "", np.array(["Alltoall"], object)),
        "time": Column("time", "s", np.array([1.0])),
    }
    tables = {"run": Table("run", cells), "operation": Table("operation", operation)}
    return Lookup(replace(measures, tables=tables, causes=None))


def said(waiting, transfer, **others):
    found = {**dict.fromkeys(ROLES, 0.0), "waiting": waiting[0], "transfer": transfer[0], **others}
    found["computing"] = 100.0 - sum(found.values())
    unsplit = others.get("unsplit", 0.0)
    return verdict(run_of(waiting, transfer, unsplit), found, False).replace("\u00a0", " ")


MOSTLY = "The run is mostly computing ({} %). MPI takes {} %"
TIE = (
    "MPI takes 40.0 % of the run, the largest part in MPI_Alltoall; whether waiting or transfer takes"
    " more of it is uncertain."
)


@pytest.mark.parametrize(
    "waiting, transfer, others, expected",
    [
        # healthy, and a tie: no word of what dominates MPI
        (
            (3.7, 3.2, 4.2),
            (3.8, 3.3, 4.3),
            {},
            MOSTLY.format(92, 8) + ", about half of it waiting.",
        ),
        ((6.7, 6.2, 7.2), (0.8, 0.3, 1.3), {}, MOSTLY.format(92, 8) + ", most of it waiting."),
        ((0.8, 0.3, 1.3), (6.7, 6.2, 7.2), {}, MOSTLY.format(92, 8) + ", most of it transfer."),
        (
            (2.5, 0.0, 5.0),
            (5.1, 2.5, 7.5),
            {},
            MOSTLY.format(92, 8) + ", part of it waiting and part transfer.",
        ),
        (
            (1.0, 0.9, 1.1),
            (1.0, 0.9, 1.1),
            {"unsplit": 6.0},
            MOSTLY.format(92, 8) + "; how much of that is waiting is not known.",
        ),
        # hardly any MPI, and yet something to do
        (
            (1.0, 0.9, 1.1),
            (1.0, 0.9, 1.1),
            {},
            MOSTLY.format(98, 2) + ", about half of it waiting.",
        ),
        (
            (1.0, 0.9, 1.1),
            (1.0, 0.9, 1.1),
            {"startup": 49.0},
            "MPI takes 2.00 % of the run: 0.9 to 1.1 s waiting, 0.9 to 1.1 s transfer.",
        ),
        # much MPI: one leads, or their intervals overlap
        (
            (10.0, 9.0, 11.0),
            (30.0, 29.0, 31.0),
            {},
            "Transfer time dominates MPI: 30.0 s, 30.0 % of the run, the largest part in MPI_Alltoall.",
        ),
        ((18.0, 8.0, 28.0), (22.0, 12.0, 32.0), {}, TIE),
        ((22.0, 12.0, 32.0), (18.0, 8.0, 28.0), {}, TIE),
    ],
)
def test_dominates_is_said_beyond_the_intervals_only(waiting, transfer, others, expected):
    assert said(waiting, transfer, **others) == expected


@pytest.mark.parametrize(
    "name, verdict, todo, next_",
    [
        (
            "too_small",
            "Nothing in MPI is worth changing: 4.21 % of the time,",
            "2 found something (none of it is known to save 2 % of the run), 36 passed",
            "",
        ),
        (
            "eager",
            "The run is mostly computing (53 %). MPI takes 4 %,",
            "What to do (1 more in the full report)",
            "Next: advisor verify r (runs with and without the settings)",
        ),
    ],
)
def test_verdict_and_what_to_do_agree(name, verdict, todo, next_, tmp_path, monkeypatch):
    """Nothing is worth changing, or there is something to do; settings are verified where the
    screen offers them."""
    (tmp_path / "r").mkdir()
    monkeypatch.chdir(tmp_path)
    recorded = Path(__file__).parent / "recorded" / f"{name}.2r.profile"
    shutil.copy(recorded, "r/profile")
    text = render(compose(advisor.read("r").advice()), "terminal", width=200)
    text = " ".join(text.replace("\u00a0", " ").split())
    assert verdict in text and todo in text
    assert next_ in text and ("Next:" in text) is bool(next_)


RECORDED, SCREENS = "reports/recorded", "documents/screens"


def screen_of(folder, name):
    return compose(advisor.read(TESTS / folder / f"{name}.2r.profile").advice()).screen


@pytest.mark.parametrize(
    "folder, name, preview, verdict",
    [
        (
            RECORDED,
            "imbalance",
            "",
            "Load imbalance: rank 0 computes 39.9 times as long as rank 1; ranks wait ~0.472 s on",
        ),
        (
            RECORDED,
            "killed",
            "The run was killed 7.27 s after MPI_Init (exit code 137); the report covers it up to"
            " then.",
            "Ranks had no core for",
        ),
        (
            SCREENS,
            "short",
            "Too short to judge. Set `run 400` in in.lj (now 5) and repeat.",
            "Start-up and end take 59.8 % of the run;",
        ),
    ],
)
def test_what_a_run_says_first(folder, name, preview, verdict):
    screen = screen_of(folder, name)
    assert screen.preview.replace("\u00a0", " ") == preview
    assert screen.verdict.replace("\u00a0", " ").startswith(verdict)


def test_a_ratio_has_one_value_in_sentence_and_action():
    found = judged("uneven_compute.4r")
    said = re.compile(r"computes ([\d.]+) times")
    (verdict,) = said.findall(found.screen.verdict)
    assert said.findall(found.items[0].title) == [verdict]


def judged(sample):
    file = TESTS.parent / "samples" / "profiles" / f"{sample}.json"
    return compose(advisor.read(file).advice())


def test_words_of_the_page():
    page = render(judged("heat.4r"), "html")
    for text in ("Breakdown", "one thread per rank used a core"):
        assert text in page, text
    for text in ("What the profile tells", "one a rank", "Bytes handed to MPI, a second"):
        assert text not in page, text


def test_the_legend_of_calls_begins_with_a_whole_call():
    """Of 1 to 5 000 calls; a ten-thousandth of the most is half a call."""
    calls = np.array([[1.0, 5000.0], [12.0, 300.0]])
    shown = _calls(calls)
    assert shown.limits[0] == "1" and not [end for end in shown.limits if "." in end]
    assert shown.levels == ((1, 5), (2, 4))


@pytest.mark.parametrize(
    "name, lacked, more",
    [
        ("killed", "7.6 % of MPI undivided; MPI calls include \u2264 3.66 s without a core", 2),
        # asleep outside MPI: 5 % by the rows, 29 % by the rule, which counts the queue for a core
        (
            "killed_launcher",
            "4.4 % of MPI undivided; MPI calls include \u2264 3.38 s without a core",
            3,
        ),
    ],
)
def test_a_killed_and_starved_run_does_not_contradict_itself(name, lacked, more):
    screen = screen_of(RECORDED, name)
    labels = {part.role: (str(part.label), str(part.detail)) for part in screen.parts}
    assert labels["startup"] == ("not recorded", "start-up, and after the last record")
    assert screen.trust.replace("\u00a0", " ").endswith(lacked)
    assert [(each.title, each.command) for each in screen.actions] == [
        (
            "Look in the output of the job for the reason. If it was the time limit, request more"
            " time or fewer steps",
            "advisor run -- mpirun.openmpi -n 2 lmp -in in.long",
        )
    ]
    assert screen.more == more
