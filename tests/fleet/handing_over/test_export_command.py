"""`advisor fleet export` itself."""

from __future__ import annotations

import csv
import io

import pytest
from hostile_fleet import asking, exported, finding, job, made
from hypothesis import given, strategies

from advisor.__main__ import main
from advisor.base.metric_labels import labels, written
from advisor.cli import fleet_export
from advisor.fleet.handing_over import databases, formats, reframe
from advisor.fleet.handing_over.jobs import jobs

ANY = strategies.text(alphabet=strategies.characters(exclude_categories=["Cs"]))


def test_the_command_offers_all_formats():
    assert set(fleet_export.FORMATS) == {*formats.TEXTS, formats.PAGES}


@pytest.mark.parametrize("format", sorted(formats.TEXTS))
def test_every_format_says_something_in_visible_lines(hostile_store, format, capfdbinary):
    if format == "scontrol":
        assert exported(hostile_store, format, capfdbinary).count("\n") == 10
    text = exported(hostile_store, format, capfdbinary)
    assert text.endswith("\n")
    assert not [letter for letter in set(text) - {"\n", "\r"} if not letter.isprintable()]


def test_a_file_is_there_in_full_or_as_it_was(tmp_path, capfdbinary):
    several = made(tmp_path, jobs=[job(1), job(2, cluster="c2")])
    target = tmp_path / "lines"
    target.write_text("of yesterday\n")
    words = ["fleet", "export", str(several.path), "-o", str(target), "--as"]
    assert main([*words, "scontrol"]) == 2
    assert target.read_text() == "of yesterday\n"
    assert main([*words, "sacctmgr"]) == 0
    assert target.read_text().count("\n") == 2
    assert sorted(each.name for each in tmp_path.iterdir()) == ["lines", "store"]


@pytest.mark.parametrize(
    "more, said",
    [
        (["--as", "openmetrics", "--labels", "rule,shoe"], '"shoe" is no label.'),
        (["--as", "ondemand"], "Pages need a folder."),
        (["--as", "xdmod", "--since", "2030-01-01"], "has no jobs since 2030-01-01"),
        (["--as", "xdmod", "-o", "/nowhere/x"], "/nowhere/x cannot be written"),
    ],
)
def test_what_is_wrong_is_said(more, said, tmp_path, capsys):
    store = made(tmp_path, jobs=[job(1)])
    assert main(["fleet", "export", str(store.path), *more]) == 2
    assert said in capsys.readouterr().err


def test_jobs_have_their_own_findings(tmp_path):
    """Of steps in any order; a job without any, one in front and one behind."""
    rows = [
        job(number, step=step, profile=f"{number}-{step}-{half}")
        for number in (3, 10, 2)
        for step in ("1", "0")
        for half in "ab"
    ]
    found = [finding(row, row["profile"], 0.1) for row in rows if row["profile"] != "10-0-a"]
    with asking(made(tmp_path, jobs=rows, findings=found)) as request:
        listed = list(jobs(request))
    assert [each.number for each in listed] == ["10", "2", "3"]
    assert {
        step.row["profile"]: [each["rule"] for each in step.findings]
        for each in listed
        for step in each.steps
    } == {row["profile"]: [row["profile"]] * (row["profile"] != "10-0-a") for row in rows}


@given(ANY)
def test_any_label_is_read_back(name):
    parser = pytest.importorskip("prometheus_client.openmetrics.parser")
    own = labels(("name", name))
    text = f"# TYPE x gauge\nx{written(own)} 1.0\n# EOF\n"
    (family,) = parser.text_string_to_metric_families(text)
    assert [each.labels for each in family.samples] == [dict(own)]


@given(strategies.lists(strategies.none() | ANY, min_size=2))
def test_any_row_is_one_line_of_csv(values):
    line = ",".join(map(databases._cell, values)) + "\n"
    assert line.count("\n") == 1 and line != "\\.\n"
    (row,) = csv.reader(io.StringIO(line))
    assert len(row) == len(values)


@given(ANY)
def test_any_name_is_one_column_of_a_performance_log(name):
    assert not set("|\n\r") & set(reframe._cell(name))


@given(ANY, ANY)
def test_two_names_never_become_one_in_a_performance_log(one, other):
    assert (one == other) == (reframe._cell(one) == reframe._cell(other)) or "\\u" in one + other
