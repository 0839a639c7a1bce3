"""Name of a format → what writes it."""

from __future__ import annotations

from typing import Callable, Iterator, Mapping

from advisor.fleet.handing_over import (
    admin_comment,
    cluster_cockpit,
    databases,
    fleet_metrics,
    grafana,
    reframe,
    xdmod,
)
from advisor.fleet.handing_over.request import Request

TEXTS: Mapping[str, Callable[[Request], Iterator[str]]] = {
    "grafana-duckdb": grafana.duckdb,
    "grafana-clickhouse": grafana.clickhouse,
    "grafana-postgresql": grafana.postgresql,
    "tables-duckdb": databases.duckdb,
    "tables-clickhouse": databases.clickhouse,
    "tables-postgresql": databases.postgresql,
    "openmetrics": fleet_metrics.open_metrics,
    "clustercockpit": cluster_cockpit.lines,
    "scontrol": admin_comment.scontrol,
    "sacctmgr": admin_comment.sacctmgr,
    "reframe": reframe.lines,
    "xdmod": xdmod.lines,
}
PAGES = "ondemand"
"""Writes a folder: handing_over/on_demand.py."""
