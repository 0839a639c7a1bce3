"""Small profiles for tests, written down as rows."""

from __future__ import annotations

import numpy as np

from advisor.model.columns import TABLES
from advisor.model.profile import Fact, Library, Node, Profile, Run

BEGIN = 1_700_000_000.0


def table(name, /, **columns):
    """A table of a profile from lists; `class_` stands for the column class."""
    columns = {label.rstrip("_"): values for label, values in columns.items()}
    return {label: array(TABLES[name][label].dtype, values) for label, values in columns.items()}


def array(dtype, values):
    if dtype != "text":
        return np.array(values, dtype="<" + dtype)
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


def profile(windows, calls=(), nodes=None, members=None, **more):
    """`windows`: seconds in MPI's time window per rank. `calls`: rows (rank, operation, class, bin,
    count, bytes, time)."""
    count = len(windows)
    nodes = nodes or [0] * count
    ranks = table(
        "ranks",
        rank=range(count),
        node=nodes,
        state=[2] * count,
        init_begin=[BEGIN - 1] * count,
        init_end=[BEGIN] * count,
        finalize_begin=[BEGIN + seconds for seconds in windows],
    )
    ranks.update(more.pop("ranks", {}))
    columns = list(zip(*calls)) or [()] * 7
    tables = {
        "ranks": ranks,
        "calls": table(
            "calls",
            **dict(zip(("rank", "operation", "class_", "bin", "count", "bytes", "time"), columns)),
        ),
    }
    if members is not None:
        columns = list(zip(*members)) or [()] * 6
        tables["members"] = table(
            "members",
            **dict(zip(("rank", "communicator", "operation", "count", "bytes", "time"), columns)),
        )
    tables.update(more.pop("tables", {}))
    hosts = tuple(Node(f"n{index}", {"cpus": Fact(4, "test")}) for index in range(max(nodes) + 1))
    return Profile(
        more.pop("run", Run("a.out", ranks_expected=count)),
        more.pop("library", Library("openmpi", "4.1.4")),
        hosts,
        tables,
        **more,
    )


def cell(measures, key, row=0):
    """One cell by `table.column`."""
    name, _, column = key.partition(".")
    return measures.tables[name].row(row)[column]
