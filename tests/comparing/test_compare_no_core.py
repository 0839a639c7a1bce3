"""Runs whose ranks had no core: no verdict on the program, a row of its own, and conditions that
say so; and the cause in the first sentence, which the largest change bears out."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from analysis.profiles import profile, table

from advisor.__main__ import main
from advisor.comparing.no_core import STARVED, divided
from advisor.intake import write
from advisor.model.comparison import Elapsed, Part, Piece, Reading
from advisor.model.intent import tomllib
from advisor.model.measures import Column, Measures, Table
from advisor.reports.comparison.cause import cause, changed

ROOT = Path(__file__).resolve().parents[2]
CALL = ("Allreduce", "intra_node", "1 to 63 B")


def result(folder, time, no_core=0.0, reported=1):
    """Two ranks that are outside MPI for half of the time, and wait for a tenth of it. `no_core`:
    seconds without a core, half of them in MPI."""
    both, zero = [0, 1], [0.0] * 2
    waits = table(
        "waits",
        rank=both,
        operation=["Allreduce"] * 2,
        class_=["intra_node"] * 2,
        bin=[4] * 2,
        communicator=[1] * 2,
        calls=[9, 9],
        sampled=[9, 9],
        time=[time / 2] * 2,
        duration=[time / 2] * 2,
        wait=[time / 10] * 2,
        **dict.fromkeys(
            ("unresolved", "overlappable", "wait_wait", "wait_duration", "duration_duration"), zero
        ),
    )
    rows = table(
        "ranks",
        no_core_inside=[no_core / 2] * 2,
        no_core_outside=[no_core / 2] * 2,
        asleep_inside=zero,
        asleep_outside=zero,
        run_delay_reported=[reported] * 2,
    )
    calls = [(rank, "Allreduce", "intra_node", 4, 9, 72, time / 2) for rank in both]
    folder.mkdir()
    write(profile([time] * 2, calls, ranks=rows, tables={"waits": waits}), folder / "profile")
    return folder


LACKING = {
    # seconds of the run, and of them without a core, before and after: the first sentence
    "neither": (
        (10.0, 0.1),
        (5.0, 0.1),
        "The run takes 50.0 % less time: computation. 10.0 s before, 5.00 s after.",
    ),
    "before": (
        (10.0, 3.0),
        (5.0, 0.1),
        "No verdict: ranks had no core for 20 to 30 % of the first run. Repeat it on idle nodes."
        " 10.0 s before, 5.00 s after (−50.0 %).",
    ),
    "after": (
        (10.0, 0.1),
        (20.0, 12.0),
        "No verdict: ranks had no core for ~54.0 % of the second run. Repeat it on idle nodes."
        " 10.0 s before, 20.0 s after (+100 %). The largest change is in: no core (+10.7 s).",
    ),
    "both": (
        (10.0, 3.0),
        (10.0, 3.0),
        "No verdict: ranks had no core for 20 to 30 % of the first run and 20 to 30 % of the"
        " second. Repeat both on idle nodes. 10.0 s before, 10.0 s after (0 %).",
    ),
}


@pytest.mark.parametrize("which", LACKING)
def test_a_lack_of_cores_leaves_no_verdict(which, tmp_path, capfdbinary):
    before, after, said = LACKING[which]
    files = [str(result(tmp_path / name, *one)) for name, one in (("a", before), ("b", after))]
    assert main(["compare", *files]) == 0
    shown = capfdbinary.readouterr().out.decode("utf-8").replace("\u00a0", " ")
    assert said in " ".join(shown.split())


CONDITIONS = {
    # condition: what becomes of it in a quiet pair, and in one that lacked cores
    "elapsed > 5 % and beyond_noise": (True, None),
    "elapsed > 200 % and beyond_noise": (False, False),
    "starved": (False, True),
    "no_core_seconds > 5 s": (False, True),
    "elapsed > 5 %": (True, True),
}


@pytest.mark.parametrize("no_core, column, code", [(0.1, 0, 1), (12.0, 1, 1)])
def test_conditions_and_json_say_so(no_core, column, code, tmp_path, capfdbinary):
    files = [result(tmp_path / "a", 10.0, 0.1), result(tmp_path / "b", 20.0, no_core)]
    words = [word for text in CONDITIONS for word in ("--fail-if", text)]
    assert main(["compare", *map(str, files), "--json", *words]) == code
    found = json.loads(capfdbinary.readouterr().out)
    assert {one["text"]: one["holds"] for one in found["conditions"]} == {
        text: holds[column] for text, holds in CONDITIONS.items()
    }
    assert found["starved"] is bool(column)
    assert found["verdict"].startswith("No verdict") is bool(column)
    assert found["no_core"][1]["share"] == pytest.approx(no_core / 20, abs=0.1)


def test_a_condition_on_noise_ends_with_3_where_cores_lacked(tmp_path, capfdbinary):
    files = [result(tmp_path / "a", 10.0, 0.1), result(tmp_path / "b", 20.0, 12.0)]
    assert main(["compare", *map(str, files), "--fail-if", "beyond_noise"]) == 3
    said = " ".join(capfdbinary.readouterr().out.decode("utf-8").split())
    assert "beyond_noise: cannot be decided (change.beyond_noise: ranks had no core for" in said


def test_one_limit_with_the_rules():
    with open(ROOT / "rules" / "conditions.toml", "rb") as file:
        assert tomllib.load(file)["cores"]["limit"]["starved"]["value"] == f"{STARVED:.0%}".replace(
            "%", " %"
        )


def measured(**columns):
    """A rank of 10 s, with these columns and their bounds."""
    cells = {"id": [0.0], "no_core_outside": [None], "no_core_lost": [None], **columns}
    made = {
        name: Column(name, "s", values[:1], low=values[1:2] or None, high=values[2:3] or None)
        for name, values in cells.items()
    }
    return Measures({"rank": Table("rank", made)}, None)


TEN = (
    *(Piece("outside", (), 4.0), Piece("waiting", ("1",), 2.0), Piece("moving", CALL, 3.0)),
    *(Piece("unsplit", CALL, 1.0), Piece("unattributed", (), 0.0)),
)
DIVIDED = [
    # outside MPI 1 s, inside 2 s of the 4 s that are no waiting, give or take half a second
    (
        {"no_core_outside": [1.0], "no_core_lost": [3.0, 2.5, 3.5]},
        {"outside": 3.0, "waiting": 2.0, "moving": 1.5, "unsplit": 0.5, "no_core": (3.0, 0.5)},
    ),
    # the kernel did not tell
    (
        {"no_core_lost": [3.0, 2.5, 3.5]},
        {"outside": 4.0, "waiting": 2.0, "moving": 3.0, "unsplit": 1.0},
    ),
    # more than there is
    (
        {"no_core_outside": [5.0], "no_core_lost": [11.0]},
        {"outside": 0.0, "waiting": 2.0, "moving": 0.0, "unsplit": 0.0, "no_core": (8.0, 0.0)},
    ),
]


@pytest.mark.parametrize("columns, pieces", DIVIDED)
def test_time_without_a_core_is_in_no_other_row(columns, pieces):
    found = divided(measured(**columns), Elapsed(None, 10.0, 0, True, TEN)).pieces
    assert sum(piece.seconds for piece in found) == pytest.approx(10.0)
    made = {piece.kind: piece.seconds for piece in found if piece.kind != "unattributed"}
    if "no_core" in made:
        made["no_core"] = (made["no_core"], found[-1].error)
    assert made == {kind: pytest.approx(value) for kind, value in pieces.items()}


def test_a_row_that_one_run_lacks_would_be_no_change(tmp_path, capfdbinary):
    files = [result(tmp_path / "a", 10.0, 0.1), result(tmp_path / "b", 20.0, 0.1, reported=0)]
    assert main(["compare", *map(str, files), "--json"]) == 0
    kinds = {part["kind"] for part in json.loads(capfdbinary.readouterr().out)["parts"]}
    assert "no_core" not in kinds and "outside" in kinds


BALANCE = {"load_balance": (0.5, 0.9), "serialisation_efficiency": (0.9, 0.6)}
CAUSES = [
    # measures, changes of the parts, and of the total: the cause
    (BALANCE, {("outside", ()): -5.0, ("moving", CALL): 1.0}, -4.0, "load balance"),
    (BALANCE, {("outside", ()): 1.0, ("moving", CALL): 5.0}, 6.0, "no single cause"),
    (BALANCE, {("outside", ()): 1.0, ("waiting", ("1",)): 5.0}, 6.0, "serialisation"),
    # waiting for many ranks is more than any part alone
    (
        BALANCE,
        {("outside", ()): 2.0, **{("waiting", (str(rank),)): 1.0 for rank in range(9)}},
        11.0,
        "serialisation",
    ),
    (BALANCE, {("no_core", ()): 3.0, ("outside", ()): 2.0}, 5.0, "time without a core"),
    (BALANCE, {("io", ()): -3.0, ("outside", ()): 1.0}, -2.0, "MPI-IO"),
    (BALANCE, {("startup", ()): -3.0, ("outside", ()): 2.0}, -1.0, "start-up and end"),
    (BALANCE, {("startup", ()): 3.0, ("outside", ()): -5.0}, -2.0, "load balance"),
    (
        BALANCE,
        {("outside", ()): 5.0, ("moving", CALL): -7.0, ("io", ()): 4.0},
        2.0,
        "no single cause",
    ),
]


LARGEST = [
    # kind, detail, change and noise of the parts: what is named
    ([("moving", CALL, -3.0, 5.0), ("moving", ("Send", *CALL[1:]), 2.0, 1.0)], ("moving", 2.0)),
    ([("waiting", (str(rank),), 1.0, 0.1) for rank in range(9)], ("waiting", 9.0)),
    ([("waiting", ("1",), 5.0, 0.1), ("waiting", ("2",), 1.0, 0.1)], ("waiting", 5.0)),
]


@pytest.mark.parametrize("parts, named", LARGEST)
def test_many_small_parts_of_a_kind_count_together(parts, named):
    made = [Part(kind, detail, 10.0, 10.0 + change, noise) for kind, detail, change, noise in parts]
    clear = [part for part in changed(SimpleNamespace(parts=made)) if part.clear]
    largest = max(clear, key=lambda part: abs(part.change))
    assert (largest.kind, largest.change) == named


@pytest.mark.parametrize("measures, parts, total, word", CAUSES)
def test_the_largest_change_bears_the_cause_out(measures, parts, total, word):
    compared = SimpleNamespace(
        readings=[Reading(name, "share", *both) for name, both in measures.items()]
        + [Reading("transfer_efficiency", "share", 0.9, 0.9)],
        parts=[Part(*key, 10.0, 10.0 + change, 0.1) for key, change in parts.items()],
        total=Part("total", (), 50.0, 50.0 + total, 0.1),
    )
    assert cause(compared) == word
