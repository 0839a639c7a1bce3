"""CSV for a join with Open XDMoD's export, read by Python's reader and by DuckDB's."""

from __future__ import annotations

import csv
import io

from hostile_fleet import HOSTILE, asking, exported, finding, job, made

from advisor.fleet import installed
from advisor.fleet.handing_over.xdmod import COLUMNS, lines

THEIRS = ("Local Job Id", "Resource", "System Username", "Queue", "Nodes", "Wall Time")
"""Names of fields of the Jobs realm: rawstatistics.d/20_jobs.json of Open XDMoD 11."""


def test_a_job_of_two_steps(tmp_path, capfdbinary):
    steps = [job(7, profile="a" * 32), job(7, profile="b" * 32, step="1", node_hours=3.0)]
    store = made(tmp_path, jobs=steps, findings=[finding(steps[1], "late-rank", 0.5)])
    header, row = csv.reader(io.StringIO(exported(store, "xdmod", capfdbinary)))
    assert tuple(header[:6]) == THEIRS
    assert dict(zip(header, row)) == {
        "Local Job Id": "7",
        "Resource": "c1",
        "System Username": "alice",
        "Queue": "batch",
        "Nodes": "2",
        "Wall Time": "7200.0",
        "MPI Application": "vasp",
        "MPI Library": "openmpi",
        "MPI Library Version": "4.1.4",
        "MPI Share": "",
        "MPI Wait Share": "0.25",
        "Parallel Efficiency": "",
        "Node Hours": "5.0",
        "Node Hours Lost": "1.0",
        "Node Hours Lost Low": "0.8",
        "Node Hours Lost High": "1.2",
        "Causes": "late-rank",
    }


def test_hostile_names_are_cells_and_no_formulas(hostile_store):
    with asking(hostile_store) as request:
        text = "".join(lines(request))
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert [len(row) for row in rows] == [len(COLUMNS)] * (len(HOSTILE) + 1)
    cells = {cell for row in rows for cell in row}
    assert {"it's", 'say "hi"', "a|b,c;d%7C", '\'=HYPERLINK("http://x","y")'} <= cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]
    assert not [cell for cell in cells if "\n" in cell or "\x1b" in cell]


def test_it_joins_with_what_they_export(hostile_store, tmp_path):
    (tmp_path / "theirs.csv").write_text(
        '"Local Job Id",Resource,"PI Institution",Queue\n4711,c1,University,batch\n1,c1,X,batch\n'
    )
    with asking(hostile_store) as request:
        (tmp_path / "ours.csv").write_bytes("".join(lines(request)).encode())
    found = installed.duckdb().sql(
        f"""SELECT "PI Institution", "Node Hours Lost"
        FROM '{tmp_path}/theirs.csv' JOIN '{tmp_path}/ours.csv' USING ("Local Job Id", Resource)"""
    )
    assert found.fetchall() == [("University", 0.5)]
