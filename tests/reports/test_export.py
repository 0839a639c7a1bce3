"""What `advisor export` writes is read back by other programs, and says the same."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from advisor import analysis, intake
from advisor.__main__ import main
from advisor.intake.foreign.recognise import foreign
from advisor.model.errors import UserError
from advisor.reports.exporting import export

ROOT = Path(__file__).resolve().parents[2]
HEAT = ROOT / "samples" / "profiles" / "heat.4r.json"
BANNER = ROOT / "tests" / "foreign" / "recorded" / "ipm-waits-2r-banner.txt"
MPIP = ROOT / "tests" / "foreign" / "recorded" / "mpip-waits-2r-noaslr.mpiP"
RESULTS = pytest.mark.parametrize("file", [HEAT, BANNER, MPIP], ids=lambda file: file.name)


def measures(file):
    return analysis.measure(intake.read(file))


@RESULTS
def test_tables_as_arrow_reads_them(file):
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    content = json.loads(export(measures(file), "json"))
    for table in content["tables"].values():
        columns = {
            column["name"]: arrow.array(column["values"], column["type"])
            for column in table["columns"]
        }
        assert arrow.table(columns).num_rows == table["rows"]


@RESULTS
def test_every_value_fits_its_type(file):
    kinds = {"string": str, "bool": bool, "double": float}
    for table in json.loads(export(measures(file), "json"))["tables"].values():
        for column in table["columns"]:
            assert len(column["values"]) == table["rows"]
            assert all(
                value is None or isinstance(value, kinds.get(column["type"], int))
                for value in column["values"]
            )


def test_json_has_units_and_reasons():
    tables = json.loads(export(measures(BANNER), "json"))["tables"]
    columns = {column["name"]: column for column in tables["run"]["columns"]}
    assert columns["time"] == {
        "name": "time",
        "type": "double",
        "unit": "s",
        "quality": "estimated",
        "values": [34.68],
    }
    assert columns["load_balance"]["values"] == [None] and columns["load_balance"]["reason"]
    assert [column["type"] for column in tables["calls"]["columns"]] == [
        "int32",
        "string",
        "uint64",
        "double",
    ]


def test_one_table():
    assert list(json.loads(export(measures(HEAT), "json", "operation"))["tables"]) == ["operation"]
    with pytest.raises(UserError, match="There is no table tables"):
        export(measures(HEAT), "json", "tables")


def test_csv_of_one_table():
    rows = list(csv.DictReader(export(measures(MPIP), "csv", "calls").splitlines()))
    (send,) = [row for row in rows if row["operation"] == "Send"]
    assert [send[name] for name in ("rank", "bin", "count", "bytes")] == ["0", "4", "100", "800"]
    assert float(send["time"]) == pytest.approx(0.00055)


def test_csv_folder(tmp_path, capsys):
    assert main(["export", str(HEAT), "--format", "csv", "-o", str(tmp_path / "out")]) == 0
    described = list(csv.DictReader((tmp_path / "out" / "schema.csv").read_text().splitlines()))
    names = {row["table"] for row in described}
    assert {file.stem for file in (tmp_path / "out").iterdir()} == names | {"schema"}
    heads = {
        name: (tmp_path / "out" / f"{name}.csv").read_text().splitlines()[0].split(",")
        for name in names
    }
    assert heads == {
        name: [row["column"] for row in described if row["table"] == name] for name in names
    }
    assert main(["export", str(HEAT), "--format", "csv", "-o", str(tmp_path / "out")]) == 2
    assert "is not empty" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words, reported",
    [
        (["--format", "csv"], "several files"),
        (["--format", "chrome", "--table", "run"], "--table has no meaning"),
    ],
)
def test_what_makes_no_sense(words, reported, capsys):
    assert main(["export", str(HEAT), *words]) == 2
    assert reported in capsys.readouterr().err


@RESULTS
def test_openmetrics_is_read_strictly(file):
    parser = pytest.importorskip(
        "prometheus_client.openmetrics.parser", reason="prometheus_client is not installed"
    )
    found = {
        family.name: family
        for family in parser.text_string_to_metric_families(export(measures(file), "openmetrics"))
    }
    assert found["advisor_run_time_seconds"].unit == "seconds"
    row = measures(file).tables["run"].row(0)
    assert [sample.value for sample in found["advisor_run_time_seconds"].samples] == [row["time"]]
    assert ("advisor_run_load_balance_ratio" in found) == (row["load_balance"] is not None)


def test_openmetrics_of_operations():
    text = export(measures(BANNER), "openmetrics")
    assert 'advisor_operation_calls{program="waits",operation="Allreduce"} 200.0\n' in text
    assert "# UNIT advisor_operation_time_seconds seconds\n" in text and text.endswith("# EOF\n")


def test_openmetrics_escapes_labels():
    raw = BANNER.read_bytes().replace(b"../waits ", b'a\\"b     ')
    assert r'program="a\\\"b"' in export(analysis.measure(foreign(raw)), "openmetrics")


def test_time_line_of_ranks():
    events = json.loads(export(measures(HEAT), "chrome"))["traceEvents"]
    of_rank_3 = [
        (event["name"], event["ts"], event["dur"], event["pid"])
        for event in events
        if event["ph"] == "X" and event["tid"] == 3
    ]
    second = 1e6
    assert of_rank_3 == [
        ("start of the process", 0, 0.25 * second, 1),
        ("MPI_Init", 0.25 * second, 0.25 * second, 1),
        ("program", 0.5 * second, 20 * second, 1),
        ("MPI_Finalize", 20.5 * second, 0.25 * second, 1),
    ]
    assert {event["args"]["name"] for event in events if event["ph"] == "M"} == {
        "n1",
        "n2",
        "rank 0",
        "rank 1",
        "rank 2",
        "rank 3",
    }


def test_time_line_without_points_in_time():
    names = [
        event["name"]
        for event in json.loads(export(measures(MPIP), "chrome"))["traceEvents"]
        if event["ph"] == "X"
    ]
    assert names == ["program (when it began is not known)"] * 2
    with pytest.raises(UserError, match="does not say when its ranks ran"):
        export(measures(BANNER), "chrome")


def test_openmetrics_labels_are_bounded():
    raw = BANNER.read_bytes().replace(b"../waits ", b"/opt/" + b"a" * 200 + b" ")
    text = export(analysis.measure(foreign(raw)), "openmetrics")
    assert f'program="{"a" * 100}"' in text and "/opt" not in text


def test_a_time_line_has_the_time_in_mpi_of_each_rank_slice_by_slice():
    """95 slices of 0.125 s on each of four ranks: seconds in MPI in each second, by kind."""
    file = ROOT / "tests" / "documents" / "screens" / "cg.4r.profile"
    events = json.loads(export(measures(file), "chrome"))["traceEvents"]
    counters = [event for event in events if event["ph"] == "C"]
    assert len(counters) == 380 and {event["name"] for event in counters} == {
        f"in MPI, rank {rank}" for rank in range(4)
    }
    first = [event for event in counters if event["name"] == "in MPI, rank 0"]
    assert first[1]["ts"] - first[0]["ts"] == pytest.approx(125_000)
    assert all(0 <= sum(event["args"].values()) <= 1.01 for event in counters)
