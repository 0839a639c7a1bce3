"""`import advisor`: the same numbers and advice as the commands, as objects."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import advisor
from advisor.__main__ import main

PROFILE = Path(__file__).resolve().parents[2] / "samples" / "profiles" / "late_rank.before.4r.json"


@pytest.fixture(scope="module")
def result():
    return advisor.read(PROFILE)


def test_tables_are_arrays_of_what_was_seen(result):
    ranks = result.tables["ranks"]
    assert (len(ranks), ranks["rank"].tolist(), ranks["rank"].dtype.kind) == (4, [0, 1, 2, 3], "i")
    assert ranks.units["finalize_begin"] == "s"


def test_measures_are_those_of_show(result, capsys):
    assert main(["show", str(PROFILE), "rank", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    table = result.measures()["rank"]
    assert [[row[name] for name in ("id", "useful_time", "mpi_time")] for row in shown["rows"]] == [
        list(row)
        for row in zip(*(table[name].tolist() for name in ("id", "useful_time", "mpi_time")))
    ]


def test_advice_and_report_are_those_of_the_command(result, capsys):
    assert main(["report", str(PROFILE), "--format", "markdown"]) == 0
    assert result.report("markdown") == capsys.readouterr().out
    assert [each.rule for each in result.advice().findings] == [
        "oversubscribed-busy-waiting",
        "uneven-compute",
    ]


def test_rules_of_ones_own_are_heard(result, tmp_path):
    (tmp_path / "mute.toml").write_text(
        'schema = 1\namends = "uneven-compute"\nwhy = "We know."\nmute = true\n'
    )
    assert "uneven-compute" not in [each.rule for each in result.advice([tmp_path]).findings]


def test_what_is_not_known_is_not_zero(result):
    columns = [
        column
        for table in result.measures().values()
        for column in table.columns.values()
        if column.reason and len(table)
    ]
    assert columns
    for column in columns:
        assert (
            np.equal(column.values, None)
            if column.values.dtype == object
            else np.isnan(column.values)
        ).any(), column.name


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda: advisor.read("nowhere"), "nowhere"),
        (
            lambda: advisor.read(PROFILE).tables["ranks"]["colour"],
            "Table ranks has no column colour.",
        ),
        (lambda: advisor.read(PROFILE).report("pdf"), '"pdf" is not a format of a report.'),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(call, said):
    with pytest.raises(advisor.UserError, match=said):
        call()


@pytest.mark.parametrize("method, package", [("to_arrow", "pyarrow"), ("to_pandas", "pandas")])
def test_a_package_that_is_missing_is_named(result, method, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    with pytest.raises(advisor.UserError) as error:
        getattr(result.tables["ranks"], method)()
    assert error.value.lines() == (
        f"{package} is not installed for this Python.",
        f"Install it: python -m pip install {package}",
    )


def test_all_tables_become_arrow(result):
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    tables = {**result.tables, **result.measures()}
    made = {name: table.to_arrow() for name, table in tables.items()}
    assert {name: len(table) for name, table in made.items()} == {
        name: len(table) for name, table in tables.items()
    }
    assert (
        made["rank"].schema.field("useful_time").type,
        made["rank"].schema.field("useful_time").metadata,
    ) == (arrow.float64(), {b"unit": b"s"})
    assert made["library"].schema.field("name").type == arrow.string()


def test_all_tables_become_frames(result):
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = result.measures()["rank"].to_pandas()
    assert (list(frame["id"]), frame.attrs["units"]["useful_time"]) == ([0, 1, 2, 3], "s")


def test_importing_costs_nothing_before_it_is_used():
    """Each command imports the package `advisor`, and a job waits for that."""
    code = (
        "import sys; import advisor; print(sorted(name for name in sys.modules if"
        " name.startswith(('advisor.', 'numpy', 'argparse'))))"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )
