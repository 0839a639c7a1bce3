"""`advisor compare` as a user calls it, on two recorded runs of one program: a late rank, and its
cure."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import SimpleNamespace

import pytest

from advisor import __version__
from advisor.__main__ import main
from advisor.intake import read, write
from advisor.model.comparison import Part, Reading
from advisor.reports.comparison.cause import cause

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
BEFORE, AFTER = (f"samples/profiles/late_rank.{name}.4r.json" for name in ("before", "after"))


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("ADVISOR_RULES", raising=False)


def compare(capfdbinary, *words):
    """(exit code, standard output, standard error)."""
    code = main(["compare", *map(str, words)])
    out, err = capfdbinary.readouterr()
    return code, out.decode("utf-8"), err.decode("utf-8")


@pytest.mark.parametrize("name", ["late_rank.comparison.txt", "late_rank.comparison.md"])
def test_comparison_is_as_kept(tmp_path, name):
    """To accept a changed one: ADVISOR_GOLDEN=write, then read the diff."""
    made = tmp_path / name
    assert main(["compare", BEFORE, AFTER, "-o", str(made)]) == 0
    text = made.read_text(encoding="utf-8").replace(f"advisor {__version__}", "advisor VERSION")
    if os.environ.get("ADVISOR_GOLDEN") == "write":
        (GOLDEN / name).write_text(text, encoding="utf-8")
    assert text == (GOLDEN / name).read_text(encoding="utf-8")


CONDITIONS = {
    "elapsed > 5 %": (False, ""),
    "elapsed < -5 % and beyond_noise": (True, ""),
    "outside_seconds < -5 s": (True, ""),
    "run.load_balance < 90 %": (False, ""),
    "new_findings > 0": (False, ""),
    "run.job > 1": (None, "run.job: no batch job was noted"),
    "elapsed": (None, "it is neither yes nor no: compare with something"),
}


def test_conditions_and_json_parts_add_up(capfdbinary):
    words = [word for text in CONDITIONS for word in ("--fail-if", text)]
    code, text, _ = compare(capfdbinary, BEFORE, AFTER, "--json", *words)
    content = json.loads(text)
    assert (
        code == 1
        and {one["text"]: (one["holds"], one["reason"]) for one in content["conditions"]}
        == CONDITIONS
    )
    assert sum(part["change"] for part in content["parts"]) == pytest.approx(
        content["total"]["change"], abs=1e-9
    )
    assert (content["base"], content["unit"], content["ranks"]) == ("command", "s", [3, 1])
    assert content["total"]["change"] == pytest.approx(-4.792, abs=1e-3)
    assert {one["rule"]: one["state"] for one in content["findings"]}["uneven-compute"] == "absent"


@pytest.mark.parametrize("condition, code", [("elapsed > 5 %", 0), ("run.job > 1", 3)])
def test_exit_codes_and_80_columns(capfdbinary, condition, code):
    ended, text, _ = compare(capfdbinary, BEFORE, AFTER, "--fail-if", condition)
    assert (
        ended == code
        and max(map(len, text.split("\n"))) <= 80
        and f"fail if  {condition}: " in text
    )


@pytest.mark.parametrize(
    "condition, said",
    [
        ("elapsed >", "invalid syntax"),
        ("slower > 1", '"slower" is not a name'),
        ("__import__('os')", "no such function"),
    ],
)
def test_a_condition_that_cannot_be_read_ends_before_anything_is_read(capfdbinary, condition, said):
    code, out, err = compare(capfdbinary, "/nowhere", AFTER, "--fail-if", condition)
    assert (
        (code, out) == (2, "")
        and f"The condition {condition} cannot be read" in err
        and said in err
    )


def test_one_result_is_not_compared(capfdbinary):
    assert compare(capfdbinary, BEFORE)[::2] == (
        2,
        (
            "advisor: A comparison needs two results.\nadvisor: Name the result before and the"
            " result after.\n"
        ),
    )


def test_another_program_is_not_compared(capfdbinary):
    assert compare(capfdbinary, BEFORE, "samples/profiles/heat.4r.json") == (
        2,
        "",
        "advisor: The programs differ: uneven_compute and heat.\n"
        "advisor: Nothing that is said of one says anything of the other.\n"
        "advisor: To compare shares of each run's own time all the same: --force\n",
    )


READ = {
    # measure: before, after; what elapsed did; and why
    "load balance": ({"load_balance": (0.5, 1.0), "serialisation_efficiency": (0.9, 0.8)}, -1.0),
    "serialisation": (
        {"load_balance": (0.9, 0.8), "serialisation_efficiency": (0.5, 0.9)},
        -1.0,
    ),
    "communication": ({"load_balance": (0.9, 0.8), "communication_efficiency": (0.5, 0.9)}, -1.0),
    "transfer": ({"serialisation_efficiency": (0.9, 0.9), "transfer_efficiency": (0.9, 0.5)}, 1.0),
    "computation": ({"time": (10.0, 5.0), "parallel_efficiency": (0.5, 0.5)}, -5.0),
    "start-up and end": ({"load_balance": (0.9, 0.9)}, -5.0),
    "no cause is known": ({}, -5.0),
}


@pytest.mark.parametrize("word", READ)
def test_the_first_sentence_names_the_factor_that_changed_most(word):
    measures, change = READ[word]
    if "serialisation_efficiency" in measures:
        measures = {"transfer_efficiency": (0.9, 0.9), **measures}
    startup = change if word == "start-up and end" else 0.0
    compared = SimpleNamespace(
        readings=[Reading(name, "share", *both) for name, both in measures.items()],
        parts=[Part("startup", (), 0.0, startup, 0.0)],
        total=Part("total", (), 10.0, 10.0 + change, 0.0),
    )
    assert cause(compared) == word


def test_another_program_is_compared_in_shares_if_that_is_wanted(capfdbinary):
    _, text, _ = compare(
        capfdbinary, BEFORE, "samples/profiles/heat.4r.json", "--force", "--fail-if", "elapsed > 1"
    )
    words = " ".join(text.split())
    assert "Seconds cannot be compared. The programs differ: uneven_compute and heat." in words
    assert (
        "cannot be decided (change.elapsed: the runs cannot be compared in seconds)" in words
        and "points" in words
    )


def test_three_runs_show_a_trend(capfdbinary):
    points = json.loads(compare(capfdbinary, BEFORE, BEFORE, AFTER, "--json")[1])["points"]
    assert [(point["ranks"], point["efficiency"]) for point in points] == [(4, None)] * 3
    assert [point["change"] for point in points] == [None, 0.0, pytest.approx(-0.4, abs=0.01)]


def scaled(tmp_path, ranks, seconds):
    """A run of the same program with other numbers of ranks and seconds."""
    profile = read(BEFORE)
    content = json.loads(Path(BEFORE).read_text())
    content["tables"] = {
        "ranks": {
            "rows": ranks,
            "columns": [
                {"name": "rank", "values": list(range(ranks))},
                {"name": "node", "values": [0] * ranks},
                {"name": "state", "values": [2] * ranks},
                {"name": "window", "values": [seconds] * ranks},
                {"name": "mpi_time", "values": [seconds / 10] * ranks},
            ],
        }
    }
    content["run"]["ranks_expected"] = ranks
    file = tmp_path / f"{ranks}.json"
    file.write_text(json.dumps(content))
    assert read(file).run.program == profile.run.program
    return file


@pytest.mark.parametrize(
    "options, efficiencies", [((), [1.0, 0.8, 0.5]), (("--weak",), [1.0, 1.6, 2.0])]
)
def test_scaling_over_ranks(capfdbinary, tmp_path, options, efficiencies):
    """80 s on 2 ranks, 50 s on 4, 40 s on 8: speed-ups 1, 1.6, 2."""
    files = [scaled(tmp_path, *one) for one in ((2, 80.0), (4, 50.0), (8, 40.0))]
    content = json.loads(compare(capfdbinary, *files, "--json", *options)[1])
    assert [point["speedup"] for point in content["points"]] == pytest.approx([1.0, 1.6, 2.0])
    assert [point["efficiency"] for point in content["points"]] == pytest.approx(efficiencies)


def test_junit_and_sarif(capfdbinary, tmp_path):
    file, sarif = tmp_path / "j.xml", tmp_path / "s.sarif"
    conditions = [
        word
        for text in ("elapsed > 5 %", "elapsed < 0", "run.job > 1")
        for word in ("--fail-if", text)
    ]
    assert (
        compare(capfdbinary, BEFORE, AFTER, "--junit", file, "--sarif", sarif, *conditions)[0] == 1
    )
    suite = ElementTree.parse(file).getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    assert [
        (case.get("name"), [child.tag for child in case]) for case in suite.iter("testcase")
    ] == [
        ("elapsed > 5 %", []),
        ("elapsed < 0", ["failure"]),
        ("run.job > 1", ["error"]),
    ]

    run = json.loads(sarif.read_text())["runs"][0]
    assert {(one["ruleId"], one.get("baselineState"), one["level"]) for one in run["results"]} == {
        ("fail-if", None, "error"),
        ("oversubscribed-busy-waiting", "unchanged", "error"),
        ("uneven-compute", "absent", "none"),
    }
    assert {one["ruleId"] for one in run["results"]} <= {
        rule["id"] for rule in run["tool"]["driver"]["rules"]
    }


def test_texts_from_runs_are_escaped_in_the_page(tmp_path, capfdbinary):
    profile = read(BEFORE)
    content = json.loads(Path(AFTER).read_text())
    content["settings"] = [
        {
            "name": "OMPI_MCA_btl",
            "value": "</script><script>alert(1)</script>",
            "source": "environment",
        }
    ]
    hostile, page = tmp_path / "hostile.json", tmp_path / "page.html"
    hostile.write_text(json.dumps(content))
    write(profile, tmp_path / "before.json")
    assert compare(capfdbinary, tmp_path / "before.json", hostile, "-o", page)[0] == 0
    text = page.read_text(encoding="utf-8")
    assert "<script>alert" not in text and "&lt;script&gt;alert(1)" in text
