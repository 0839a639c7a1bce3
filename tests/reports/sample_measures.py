"""Hand-made measures: every number follows from the seconds of the ranks given here."""

from __future__ import annotations

from typing import Mapping, Optional, Sequence

import numpy as np

from advisor.model.measures import Column, Measures, Quality, Table
from advisor.model.profile import Fact, Gap, Library, Node, Profile, Run, Setting

UNITS = {"share": "share", "time": "s", "bytes": "B", "size": "B", "calls": "count"}


def column(name: str, values: Sequence, unit: str = "", **more) -> Column:
    """A column; text if the first known value is text."""
    known = next((value for value in values if value is not None), 0.0)
    if isinstance(known, str):
        return Column(name, "text", np.array(values, dtype=object), **more)
    numbers = np.array([np.nan if value is None else float(value) for value in values])
    unit = unit or next((unit for word, unit in UNITS.items() if word in name), "count")
    return Column(name, unit, numbers, **more)


def table(name: str, columns: Mapping[str, Sequence]) -> Table:
    """A table from plain lists."""
    return Table(
        name,
        {
            key: values if isinstance(values, Column) else column(key, values)
            for key, values in columns.items()
        },
    )


def one_row(name: str, cells: Mapping[str, object]) -> Table:
    """A table with one row."""
    return table(
        name, {key: value if isinstance(value, Column) else [value] for key, value in cells.items()}
    )


def wait_time(low: Optional[float], high: float) -> Column:
    """run.wait_time as analysis makes it: a lower bound, with both bounds."""
    if low is None:
        return Column(
            "wait_time",
            "s",
            np.array([np.nan]),
            Quality.UNKNOWN,
            reason="no member entered together",
            collect="advisor run --waits",
        )
    return Column(
        "wait_time",
        "s",
        np.array([low]),
        Quality.ESTIMATED,
        "hard bounds",
        np.array([low]),
        np.array([high]),
    )


def run_cells(
    elapsed: float, useful: np.ndarray, hosts: Sequence[str], wait_low: Optional[float]
) -> dict:
    """Cells of the table run from seconds outside MPI per rank."""
    mpi = elapsed - useful
    sums = [
        useful[[place for place, host in enumerate(hosts) if host == name]].sum()
        for name in dict.fromkeys(hosts)
    ]
    count, names = len(useful), list(dict.fromkeys(hosts))
    return {
        "time": elapsed,
        "ranks": count,
        "nodes": len(names),
        "ranks_per_node": count / len(names),
        "mpi_time": mpi.mean(),
        "mpi_share": mpi.mean() / elapsed,
        "wait_time": wait_time(wait_low, mpi.mean()),
        "imbalance_share": (useful.max() - useful.mean()) / elapsed,
        "parallel_efficiency": useful.mean() / elapsed,
        "load_balance": useful.mean() / useful.max(),
        "load_balance_in": len(names) * max(sums) / (count * useful.max()),
        "load_balance_out": useful.sum() / (len(names) * max(sums)),
        "communication_efficiency": useful.max() / elapsed,
        "ceiling_hard": elapsed - useful.max(),
        "ranks_reported": count,
        "ranks_expected": count,
        "overhead_share": 0.0031,
        "overhead_max_share": 0.0044,
        "clock_error": 1.9e-6,
        "overflowed_share": 0.0,
        "calls": 1000.0 * count,
        "call_rate": 1000 / elapsed,
        "threads": 1,
        "exit_code": 0,
        "truncated": "no",
        "representative": "yes",
        "thread_requested": "single",
        "thread_provided": "single",
        "threads_called": 1,
        "memory_peak": 1.7 * 2**30,
        "startup_share": 0.012,
        "job_time": elapsed * 1.012,
    }


def ranks_table(elapsed: float, useful: np.ndarray, hosts: Sequence[str]) -> Table:
    """The table rank."""
    mpi = elapsed - useful
    return table(
        "rank",
        {
            "id": list(range(len(useful))),
            "node": list(hosts),
            "time": [elapsed] * len(useful),
            "mpi_time": mpi.tolist(),
            "mpi_share": (mpi / elapsed).tolist(),
            "useful_time": useful.tolist(),
            "outside_time": useful.tolist(),
        },
    )


def operations_table(elapsed: float, mpi: float, wait_low: float, rows: Sequence[tuple]) -> Table:
    """The table operation from (name, share of MPI, share of the waiting bound, calls a rank,
    median size)."""
    return table(
        "operation",
        {
            "name": [row[0] for row in rows],
            "group": [
                "collective" if row[0] in ("Allreduce", "Bcast", "Alltoall") else "p2p"
                for row in rows
            ],
            "calls_per_rank": [row[3] for row in rows],
            "time": [row[1] * mpi for row in rows],
            "time_min": [0.8 * row[1] * mpi for row in rows],
            "time_max": [1.2 * row[1] * mpi for row in rows],
            "share": [row[1] * mpi / elapsed for row in rows],
            "wait": [row[2] * wait_low or None for row in rows],
            "median_size": [row[4] for row in rows],
        },
    )


def cells_table(rows: Sequence[tuple]) -> Table:
    """The table cell from (operation, group, class, bin, calls a rank, seconds)."""
    names = ("operation", "group", "class", "bin", "calls_per_rank", "time")
    return table("cell", {name: [row[place] for row in rows] for place, name in enumerate(names)})


def sites_table(elapsed: float, rows: Sequence[tuple]) -> Table:
    """The table site from (operation, function, place, calls, seconds)."""
    return table(
        "site",
        {
            "operation": [row[0] for row in rows],
            "function": [row[1] for row in rows],
            "place": [row[2] for row in rows],
            "calls": [row[3] for row in rows],
            "time": [row[4] for row in rows],
            "share": [row[4] / elapsed for row in rows],
        },
    )


def nodes_table(hosts: Sequence[str], useful: np.ndarray, cores: int = 64) -> Table:
    """The table node."""
    names = list(dict.fromkeys(hosts))
    mine = [[place for place, host in enumerate(hosts) if host == name] for name in names]
    return table(
        "node",
        {
            "name": names,
            "ranks": [len(rows) for rows in mine],
            "cores": [cores] * len(names),
            "memory": [256 * 2**30] * len(names),
            "useful_time": [useful[rows].mean() for rows in mine],
        },
    )


def profile(
    program: str, line: Sequence[str], library: Library, hosts: Sequence[str], peers=None, **run
) -> Profile:
    """A profile with the facts that a report prints."""
    nodes = tuple(
        Node(name, {"xpmem": Fact(False, "no /dev/xpmem")}) for name in dict.fromkeys(hosts)
    )
    known = Run(program, launch_line=tuple(line), started="2026-10-14T09:12:00+02:00", **run)
    return Profile(
        known,
        library,
        nodes,
        {"peers": peers} if peers else {},
        (Setting("OMP_NUM_THREADS", "1", "environment"),),
        gaps=(Gap("file access outside MPI", "file calls are not traced", "advisor run --files"),),
        source="sample.advisor/profile",
    )


def neighbours(ranks: int, group: int, count: float = 8.2e9) -> Mapping[str, np.ndarray]:
    """Traffic of ranks that exchange inside groups and, half as much, with the same place in other
    groups."""
    edges = [
        (one, other, count / group if one // group == other // group else count / ranks / 2)
        for one in range(ranks)
        for other in range(ranks)
        if one != other and (one // group == other // group or one % group == other % group)
    ]
    rank, peer, sent = (np.array(part) for part in zip(*edges))
    return {
        "rank": rank,
        "peer": peer,
        "bytes": sent,
        "messages": sent / 8192,
        "path": np.array(["intra_node"] * len(rank), dtype=object),
    }


def measures(known: Profile, tables: Sequence[Table], banners: Sequence[str] = ()) -> Measures:
    """Measures of these tables."""
    return Measures({entry.name: entry for entry in tables}, known, (), tuple(banners))
