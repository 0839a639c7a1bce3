"""Dashboards, by Grafana's own models of them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess

import pytest

from hostile_fleet import asking, job, made

from advisor.fleet.handing_over.grafana import CLICKHOUSE, DUCKDB, POSTGRESQL, dashboard
from advisor.fleet.handing_over.grafana_panels import PANELS, TITLES
from advisor.fleet.query import in_text, statements

SOURCES = pytest.mark.parametrize(
    "source", [DUCKDB, CLICKHOUSE, POSTGRESQL], ids=lambda each: each.name
)
FOR_PROGRAMS = {"lateness", "jobs_to_hand_over", "findings_to_hand_over"}
"""A row for each job: no panel."""
VALUES = {
    **dict.fromkeys(("since", "first"), "DATE '2026-11-01'"),
    **dict.fromkeys(("until", "last"), "DATE '2026-12-01'"),
    "name": "'x'",
}
AS_GRAFANA_SEES_IT = """
import {{ Dashboard, Panel, RowPanel }} from '@grafana/schema';
// JSON has the values of an enumeration, not its names.
type Plain<T> = T extends string ? `${{T}}` : T extends number ? T extends never ? T : number
  : T extends Array<infer E> ? Array<Plain<E>>
  : T extends object ? {{ [K in keyof T]: Plain<T[K]> }} : T;
const panels: Array<Plain<Panel> | Plain<RowPanel>> = {panels};
const rest: Omit<Plain<Dashboard>, 'panels'> = {rest};
console.log(panels.length, rest.title);
"""


@SOURCES
def test_grafanas_own_model_keeps_all_of_it(source):
    """Its SDK reads the fields that it knows and drops others: nothing may be missing after."""
    models = pytest.importorskip("grafana_foundation_sdk.models.dashboard")
    encoder = pytest.importorskip("grafana_foundation_sdk.cog.encoder")
    made = json.loads(json.dumps(dashboard(source)))
    back = json.loads(json.dumps(models.Dashboard.from_json(made), cls=encoder.JSONEncoder))
    assert list(lost(made, back)) == []


def lost(made, back, path=""):
    """What is in the first and not, or otherwise, in the second."""
    if isinstance(made, dict) and isinstance(back, dict):
        for name, value in made.items():
            if name not in back:
                yield f"{path}.{name}"
            else:
                yield from lost(value, back[name], f"{path}.{name}")
    elif isinstance(made, list) and isinstance(back, list) and len(made) == len(back):
        for place, (one, other) in enumerate(zip(made, back)):
            yield from lost(one, other, f"{path}[{place}]")
    elif made != back:
        yield f"{path}: {made!r} became {back!r}"


def test_the_check_sees_a_wrong_field():
    models = pytest.importorskip("grafana_foundation_sdk.models.dashboard")
    encoder = pytest.importorskip("grafana_foundation_sdk.cog.encoder")
    made = {**dashboard(DUCKDB), "titel": "x"}
    back = json.loads(json.dumps(models.Dashboard.from_json(made), cls=encoder.JSONEncoder))
    assert list(lost(json.loads(json.dumps(made)), back)) == [".titel"]


@SOURCES
def test_grafanas_strict_reader_takes_it(source, read_by):
    """Of the same SDK in Go: it wants each field to be known and of its type, and none to be
    missing that must be there."""
    made = dashboard(source)
    assert read_by("grafana", json.dumps(made)) == [str(len(made["panels"]))]


def test_the_strict_reader_sees_what_is_wrong(read_by):
    made = dashboard(DUCKDB)
    made["panels"][1]["gridPos"]["w"] = "wide"
    wrong = "\n".join(read_by("grafana", json.dumps({**made, "titel": "x"})))
    assert "panels[1].gridPos.w: json: cannot unmarshal string" in wrong
    assert "unexpected field 'titel'" in wrong


@pytest.mark.skipif(
    not os.environ.get("ADVISOR_TEST_LONG") or not shutil.which("npm"),
    reason="installs from npm: runs with ADVISOR_TEST_LONG=1",
)
def test_it_has_the_types_of_grafanas_schema(tmp_path):
    """tsc complains of fields that the schema does not have, of values of other types, and of
    fields that must be there."""
    install = ["npm", "install", "--ignore-scripts", "--no-audit", "--silent"]
    packages = ["typescript@5", "@grafana/schema@13", "@types/node@22"]
    subprocess.run([*install, *packages], cwd=tmp_path, check=True, timeout=300)
    for source in (DUCKDB, CLICKHOUSE, POSTGRESQL):
        made = dashboard(source)
        panels = json.dumps(made.pop("panels"))
        text = AS_GRAFANA_SEES_IT.format(panels=panels, rest=json.dumps(made))
        (tmp_path / f"{source.name}.ts").write_text(text)
    (tmp_path / "wrong.ts").write_text(
        AS_GRAFANA_SEES_IT.format(
            panels='[{"type": "stat", "titel": 1}]', rest='{"schemaVersion": "x"}'
        )
    )
    options = [
        "--noEmit",
        "--strict",
        "--skipLibCheck",
        "--module",
        "nodenext",
        "--target",
        "es2022",
    ]
    done = subprocess.run(
        ["npx", "tsc", *options, *map(str, sorted(tmp_path.glob("*.ts")))],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert {line.split("(")[0] for line in done.stdout.splitlines() if "error" in line} == {
        "wrong.ts"
    }, done.stdout


@SOURCES
def test_panels_do_not_overlap(source):
    taken = set()
    for panel in dashboard(source)["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken and place["x"] + place["w"] <= 24, panel["title"]
        taken |= cells


@SOURCES
def test_nothing_of_a_query_is_left_to_fill_in(source):
    text = json.dumps(dashboard(source))
    assert set(re.findall(r"\$\{?(\w+)", text)) == {
        *("datasource", "__from", "__to"),
        *("user", "application", "rule", "host", "job"),
    }


def test_panels_ask_queries_that_are_there():
    shown = {panel.query for section in PANELS for panel in section.panels}
    assert shown <= {name for name, (kind, _) in statements().items() if kind == "query"}
    assert not shown & FOR_PROGRAMS


def test_two_columns_of_a_panel_have_different_headings(tmp_path):
    with asking(made(tmp_path, jobs=[job(1)])) as request:
        for panel in (panel for section in PANELS for panel in section.panels):
            text = in_text(statements()[panel.query][1], VALUES)
            columns = [each[0] for each in request.connection.execute(text).description]
            shown = [name for name in columns if name not in panel.hidden]
            headings = [TITLES.get(name, name) for name in shown]
            assert len(set(headings)) == len(headings), panel.query
            assert set(panel.hidden) & set(columns) or not panel.hidden, panel.query
