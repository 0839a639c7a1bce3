"""A dashboard of Grafana for each of three data sources; its queries are those of fleet.sql.

The model is the classic one, which all versions of Grafana from 10 on import.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple

from advisor.fleet.handing_over.grafana_panels import PANELS, TITLES, VARIABLES, Panel, Section
from advisor.fleet.handing_over.request import Request
from advisor.fleet.query import in_text, statements
from advisor.model.harmless import json_text

_FROM = "CAST(substring('${__from:date:iso}', 1, 10) AS DATE)"
_TO = "CAST(substring('${__to:date:iso}', 1, 10) AS DATE)"
"""Days of the time that is chosen, in UTC as the store has them. Grafana itself fills these
variables in for every data source; macros each source has of its own."""
_WEEK = f"CAST(date_trunc('week', {_TO}) AS DATE)"
_DAYS = {"since": _FROM, "until": f"{_TO} + 1"}
"""The last day is in it."""
_WEEKS = {"first": f"{_WEEK} - 14", "last": f"{_WEEK} - 7"}
"""The last full week, and the one before it."""
_ALL_WEEKS = {"first": f"{_FROM} - 6", "last": _TO}


class Source(NamedTuple):
    """A data source: its plug-in, how a name that jobs chose becomes a text of its SQL, and what it
    wants to know of a query."""

    plugin: str
    name: str
    text: Callable[[str], str]
    target: Mapping[str, Any]


def _doubled(variable: str) -> str:
    """Grafana doubles single quotes, and puts \\ before double ones, which these engines would
    take for a letter of the name."""
    return f"replace(${{{variable}:sqlstring}}, '\\\"', '\"')"


def _decoded(variable: str) -> str:
    """ClickHouse ends a text at \\' as well, which the format `sqlstring` lets through: a user
    could name his program so that it becomes SQL."""
    return f"decodeURLComponent('${{{variable}:percentencode}}')"


DUCKDB = Source("motherduck-duckdb-datasource", "DuckDB", _doubled, {"format": 1})
CLICKHOUSE = Source(
    "grafana-clickhouse-datasource",
    "ClickHouse",
    _decoded,
    {"editorType": "sql", "queryType": "table", "format": 1, "pluginVersion": "4.0.0"},
)
POSTGRESQL = Source(
    "grafana-postgresql-datasource",
    "PostgreSQL",
    _doubled,
    {"editorMode": "code", "rawQuery": True, "format": "table"},
)


def duckdb(request: Request) -> Iterator[str]:
    """For the data source of MotherDuck."""
    yield json_text(dashboard(DUCKDB), indent=2) + "\n"


def clickhouse(request: Request) -> Iterator[str]:
    """For the data source of Grafana Labs."""
    yield json_text(dashboard(CLICKHOUSE), indent=2) + "\n"


def postgresql(request: Request) -> Iterator[str]:
    """For the data source that comes with Grafana."""
    yield json_text(dashboard(POSTGRESQL), indent=2) + "\n"


def dashboard(source: Source) -> Dict[str, Any]:
    """The model of the dashboard."""
    return {
        "title": f"What MPI jobs lose ({source.name})",
        "uid": f"advisor-fleet-{source.name.lower()}",
        "description": "Node hours that jobs lose to causes that can be fixed.",
        "tags": ["advisor", "mpi"],
        "schemaVersion": 39,
        "editable": True,
        "timezone": "utc",
        "weekStart": "monday",
        "time": {"from": "now-30d", "to": "now"},
        # None, but readers of the schema want the list.
        "annotations": {"list": []},
        "templating": {"list": _variables(source)},
        "panels": list(_panels(source)),
    }


def _variables(source: Source) -> List[Dict[str, Any]]:
    chosen = {
        "type": "datasource",
        "name": "datasource",
        "label": "Data source",
        "query": source.plugin,
        "refresh": 1,
    }
    return [chosen, *(_variable(source, each) for each in VARIABLES)]


def _variable(source: Source, name: str) -> Dict[str, Any]:
    about = VARIABLES[name]
    if about.query is None:
        return {"type": "textbox", "name": name, "label": about.label, "query": ""}
    listed = f"SELECT {about.column} FROM ({_sql(source, about.query, _DAYS)}) AS listed"
    return {
        "type": "query",
        "name": name,
        "label": about.label,
        "datasource": _reference(source),
        "query": _asked_by_variable(source, listed),
        "refresh": 2,
        "sort": 0,
    }


def _asked_by_variable(source: Source, sql: str) -> Any:
    """ClickHouse's source takes a text too, but would open its builder with it."""
    if source is not CLICKHOUSE:
        return sql
    return {**source.target, "refId": "listed", "rawSql": sql}


def _panels(source: Source) -> Iterator[Dict[str, Any]]:
    number, down = 0, 0
    for section in PANELS:
        number += 1
        yield _heading(section, number, down)
        down += 1
        across, tallest = 0, 0
        for each in section.panels:
            if across + each.width > 24:
                across, down = 0, down + tallest
                tallest = 0
            number += 1
            place = {"x": across, "y": down, "w": each.width, "h": each.height}
            yield _panel(source, section, each, number, place)
            across, tallest = across + each.width, max(tallest, each.height)
        down += tallest


def _heading(section: Section, number: int, down: int) -> Dict[str, Any]:
    return {
        "type": "row",
        "id": number,
        "title": section.title,
        "collapsed": False,
        "gridPos": {"x": 0, "y": down, "w": 24, "h": 1},
        "panels": [],
    }


def _panel(
    source: Source, section: Section, panel: Panel, number: int, place: Dict[str, int]
) -> Dict[str, Any]:
    weeks = _ALL_WEEKS if panel.query == "weeks" else _WEEKS
    values = {**_DAYS, **weeks}
    if section.variable:
        values["name"] = source.text(section.variable)
    return {
        "type": panel.kind,
        "id": number,
        "title": panel.title,
        "description": panel.said,
        "datasource": _reference(source),
        "gridPos": place,
        "targets": [
            {
                **source.target,
                "refId": "A",
                "datasource": _reference(source),
                "rawSql": _sql(source, panel.query, values),
            }
        ],
        "fieldConfig": {"defaults": dict(panel.defaults), "overrides": []},
        "options": dict(panel.options),
        "transformations": [_named(panel)],
    }


def _named(panel: Panel) -> Dict[str, Any]:
    """Columns with the words of the report."""
    hidden = {name: True for name in panel.hidden}
    return {
        "id": "organize",
        "options": {"excludeByName": hidden, "renameByName": dict(TITLES)},
    }


def _sql(source: Source, query: str, values: Mapping[str, str]) -> str:
    return in_text(statements()[query][1], values)


def _reference(source: Source) -> Dict[str, str]:
    return {"type": source.plugin, "uid": "${datasource}"}
