"""The tables of a store: their columns, and rows as Parquet.

Types are those that DuckDB, ClickHouse and PostgreSQL read alike. `day` and `week` stand in every
table, so that a query of a month reads a month and joins nothing. Times are UTC without a zone.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence

from advisor.fleet.installed import arrow

Row = Mapping[str, Any]
KEY = {
    "profile": "text",
    "day": "day",
    "week": "day",
    "cluster": "text",
    "job": "text",
    "step": "text",
    "user_name": "text",
    "account": "text",
    "application": "text",
}
"""Columns that all tables begin with. `user` is a reserved word of PostgreSQL."""
TABLES: Mapping[str, Mapping[str, str]] = {
    "jobs": {
        **KEY,
        "partition_name": "text",
        "program": "text",
        "library": "text",
        "library_version": "text",
        "state": "text",
        "exit_code": "integer",
        "started": "time",
        "started_from": "text",
        "ranks": "integer",
        "nodes": "integer",
        "elapsed": "real",
        "node_hours": "real",
        "energy": "real",
        "energy_source": "text",
        "energy_fault": "text",
        "watts": "real",
        "work": "text",
        "mpi_share": "real",
        "wait_share": "real",
        "transfer_share": "real",
        "load_balance": "real",
        "parallel_efficiency": "real",
        "findings": "integer",
        "lost": "real",
        "lost_low": "real",
        "lost_high": "real",
        "recoverable": "real",
        "recoverable_low": "real",
        "recoverable_high": "real",
        "unchecked_rules": "integer",
        "advisor": "text",
        "judged": "time",
    },
    "findings": {
        **KEY,
        "library": "text",
        "library_version": "text",
        "rule": "text",
        "title": "text",
        "place": "integer",
        "state": "text",
        "severity": "text",
        "confidence": "text",
        "basis": "text",
        "owned": "real",
        "owned_low": "real",
        "owned_high": "real",
        "returned_low": "real",
        "returned_high": "real",
        "lost": "real",
        "lost_low": "real",
        "lost_high": "real",
        "recoverable": "real",
        "recoverable_low": "real",
        "recoverable_high": "real",
        "saved_low": "real",
        "saved_high": "real",
        "watts": "real",
    },
    "operations": {
        **KEY,
        "operation": "text",
        "calls": "real",
        "bytes": "real",
        "seconds": "real",
        "wait_seconds": "real",
        "node_hours": "real",
    },
    "settings": {**KEY, "name": "text", "value": "text", "source": "text"},
    "hosts": {
        **KEY,
        "host": "text",
        "processor": "text",
        "place": "integer",
        "hosts": "integer",
        "ranks": "integer",
        "outside": "real",
        "lateness": "real",
    },
    "verified": {
        **KEY,
        "name": "text",
        "rules": "text",
        "verdict": "text",
        "pairs": "integer",
        "effect": "real",
        "effect_low": "real",
        "effect_high": "real",
        "saved_seconds": "real",
        "settings": "text",
    },
}
MEANINGS: Mapping[str, str] = {
    "profile": "first 32 digits of the SHA-256 of the profile",
    "day": "on which the job began, UTC",
    "week": "the Monday of that week",
    "user_name": "owner of the file, or his pseudonym",
    "job": "the number that sacct calls JobIDRaw",
    "application": "as recognised, else the name of the program",
    "started_from": "sacct, profile or file",
    "elapsed": "seconds from MPI_Init to MPI_Finalize",
    "node_hours": "elapsed times nodes",
    "energy": "joules of the step, if energy_source measured them and they can be true",
    "energy_fault": "why what was measured is not believed",
    "watts": "mean power of a node of the step",
    "work": "the same in runs that called MPI alike: a digest of operations and calls",
    "owned": "seconds of the elapsed time that belong to findings, mean over ranks",
    "place": "of findings: in the report; of hosts: 0 is where rank 0 ran",
    "basis": "what `owned` is: causes, largest, or shared (nothing: counted elsewhere)",
    "lost": "owned seconds as node hours; of a job, those of all its findings",
    "returned_low": "seconds of `owned` that the remedy gives back at least",
    "returned_high": "and at most; the rest stays whatever is done",
    "recoverable": "the middle of recoverable_low and _high, which are those seconds as node hours",
    "lateness": "logarithm of computation on this host over the median of the job's hosts",
    "outside": "seconds of computation, median over the ranks of the host",
    "effect": "of a verified change; negative is time saved",
}


def schema(name: str) -> Any:
    """The Arrow schema of a table; a column whose name does not say all has its meaning with it."""
    pa = arrow()
    kinds = {
        "text": pa.string(),
        "integer": pa.int64(),
        "real": pa.float64(),
        "day": pa.date32(),
        "time": pa.timestamp("us"),
    }
    return pa.schema(
        [
            pa.field(column, kinds[kind], metadata=_meaning(column))
            for column, kind in TABLES[name].items()
        ]
    )


def _meaning(column: str) -> Optional[Dict[str, str]]:
    return {"meaning": MEANINGS[column]} if column in MEANINGS else None


def table(name: str, rows: Sequence[Row]) -> Any:
    """Rows as an Arrow table; a column that a row lacks is null."""
    columns: Dict[str, List[Any]] = {
        column: [row.get(column) for row in rows] for column in TABLES[name]
    }
    return arrow().table(columns, schema=schema(name))
