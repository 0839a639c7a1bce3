"""Heat maps, the call tree, rates and what is known outside MPI, from numbers told here."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import advices
import numpy as np
import pytest
from sample_measures import column, measures, neighbours, one_row, profile, table

from advisor.model.measures import Column, Quality, Table
from advisor.model.profile import Library
from advisor.reports import compose, render
from advisor.reports.composing import heat_layers
from advisor.reports.composing.call_tree import call_tree
from advisor.reports.composing.matrix import matrix
from advisor.reports.composing.operation_map import operation_map
from advisor.reports.composing.outside_mpi import outside_mpi
from advisor.reports.composing.rates import rates
from advisor.reports.drawing.cells import cells
from advisor.reports.figures import Layer
from advisor.reports.lookup import Lookup


def plain(text):
    return text.replace("\u00a0", " ").replace("\u202f", " ")


def run_of(tables=(), hosts=("n1",), **profile_tables):
    known = profile("a.out", ["mpirun", "a.out"], Library("mpich", "4.0.2"), list(hosts))
    return Lookup(measures(replace(known, tables=profile_tables), tables))


def calls(rows):
    """The table `calls` from (rank, operation, count, bytes, time)."""
    rank, operation, count, sent, time = (np.array(each) for each in zip(*rows))
    empty = np.array([""] * len(rank))
    return dict(
        zip(
            ("rank", "operation", "class", "bin", "count", "bytes", "time"),
            (rank, operation, empty, np.full(len(rank), -1), count, sent, time),
        )
    )


def test_operations_by_rank_have_time_calls_bytes_and_bytes_a_second():
    rows = [
        (0, "Allreduce", 10, 800, 1.0),
        (1, "Allreduce", 10, 800, 4.0),
        (0, "Send", 2, 4000, 0.5),
        (0, "Send", 1, 4000, 0.5),
    ]
    found = operation_map(run_of([one_row("run", {"ranks": 2})], calls=calls(rows)))
    assert found.title == "MPI_Allreduce takes 1.00 s on rank 0 and 4.00 s on rank 1".replace(
        " s ", "\u00a0s "
    )
    assert (found.rows, found.columns) == (("MPI_Allreduce", "MPI_Send"), ("rank 0", "rank 1"))
    words = {
        str(layer.name): [[plain(word) for word in row] for row in layer.words]
        for layer in found.layers
    }
    assert words == {
        "Time in the call": [["1.00 s", "4.00 s"], ["1.00 s", ""]],
        "Calls": [["10", "10"], ["3", ""]],
        "Bytes handed in": [["800 B", "800 B"], ["8.00 kB", ""]],
        "Bytes a second in the call": [["800 B/s", "200 B/s"], ["8.00 kB/s", ""]],
    }
    (grid,) = found.tables
    assert [cell.text for cell in grid.rows[0][:6]] == [
        "MPI_Allreduce", "2.50", "1.00", "0", "4.00", "1",
    ]  # fmt: skip


def test_many_ranks_are_put_together_and_it_is_said():
    rows = [(rank, "Bcast", 1, 8, float(rank // 2)) for rank in range(128)]
    found = operation_map(run_of([one_row("run", {"ranks": 128})], calls=calls(rows)))
    assert len(found.columns) == 64 and found.columns[1] == "ranks 2 to 3"
    assert "A column is the mean of 2 ranks." in plain(found.caption)
    assert plain(found.layers[0].words[0][3]) == "3.00 s"


def test_ranks_that_were_summed_up_stand_in_order_of_their_time():
    spread = {
        "operation": np.array(["Bcast", "Bcast", "Bcast"]),
        "class": np.array(["", "", "multi_node"]),
        "bin": np.array([-2, -2, 4]),
        "ranks": np.array([96, 32, 128]),
        "time": np.array([96.0, 64.0, 160.0]),
        "min": np.array([0.9, 1.9, 0.9]),
        "max": np.array([1.1, 2.1, 2.1]),
    }
    found = operation_map(run_of([one_row("run", {"ranks": 128})], rank_distribution=spread))
    (layer,) = found.layers
    assert [plain(word) for word in layer.words[0]] == ["1.00 s"] * 48 + ["2.00 s"] * 16
    assert "summed up" in found.caption and found.rows == ("MPI_Bcast",)


def test_a_matrix_has_bytes_messages_and_their_mean():
    cells = {"ranks": 16, "nodes": 1}
    found = matrix(run_of([one_row("run", cells)], peers=neighbours(16, 4)))
    assert [layer.name for layer in found.layers] == ["Bytes", "Messages", "Bytes a message"]
    assert plain(found.layers[2].words[0][1]) == "8 KiB"
    assert "How long the messages of a pair took is not recorded." in found.caption


def test_cells_are_short_and_read_back():
    """As the script reads them: number of a word, and how often."""
    words = (("", "", "", "1 s"), ("1 s", "2 s", "", ""))
    made = str(cells(Layer("x", ((0,),), (), words)))
    assert made == 'data-words="|1 s|2 s" data-cells="0*3 1*2 2 0*2"'


def test_shades_begin_at_their_limits():
    made = heat_layers.layer("x", np.array([[0.0, 0.005, 0.05, 0.3, 0.5, 1.0]]), str)
    assert made.levels == ((0, 1, 2, 3, 4, 5),)


def test_values_that_are_alike_have_one_shade():
    alike = np.array([[8192.0, 8192.1, 0.0]])
    made = heat_layers.layer("x", alike, plain_number, heat_layers.even_ends(alike))
    assert (made.levels, set(made.limits)) == (((5, 5, 0),), {"8192"})


def plain_number(value):
    return f"{value:.0f}"


def of_operations(wait, low=None, high=None):
    """MPI_Allreduce takes 3 s, and waits so long."""
    ends = {"low": np.array([low]), "high": np.array([high])} if low is not None else {}
    waits = Column("wait", "s", np.array([wait]), Quality.DERIVED, **ends)
    columns = {
        name: column(name, [value]) for name, value in (("name", "Allreduce"), ("time", 3.0))
    }
    return Table("operation", {**columns, "wait": waits})


def ways(*rows):
    return table("stack", dict(zip(("operation", "path", "calls", "time"), map(list, zip(*rows)))))


def test_ways_to_calls_are_a_tree_and_waiting_is_a_range_where_they_meet():
    """2 s of 3 s in MPI_Allreduce are waiting: of the way with 2.5 s at least 1.5 s."""
    found = call_tree(
        run_of(
            [
                of_operations(2.0, 2.0, 2.0),
                ways(
                    (
                        "Allreduce",
                        "norm (a.c:1) < solve (a.c:9) < main (a.c:20) < _start in a",
                        10,
                        2.5,
                    ),
                    ("Allreduce", "input (a.c:5) < main (a.c:20) < _start in a", 1, 0.5),
                ),
            ]
        )
    )
    told = [
        (each.depth, each.name, plain(each.time_text), plain(each.waiting_text))
        for each in found.branches
    ]
    assert told == [
        (0, "main (a.c:20)", "3.00 s", "2.00 s"),
        (1, "solve (a.c:9)", "2.50 s", "1.50 s to 2.00 s"),
        (2, "norm (a.c:1)", "2.50 s", "1.50 s to 2.00 s"),
        (3, "MPI_Allreduce", "2.50 s", "1.50 s to 2.00 s"),
        (1, "input (a.c:5)", "0.500 s", "?"),
        (2, "MPI_Allreduce", "0.500 s", "?"),
    ]


def test_without_ways_call_sites_stand_below_their_calls_and_it_is_said():
    sites = table(
        "site",
        {
            "operation": ["Allreduce", "Allreduce"],
            "function": ["norm", "input"],
            "place": ["a.c:1", "a.c:5"],
            "time": [2.5, 0.5],
            "calls": [10, 1],
        },
    )
    found = call_tree(run_of([of_operations(2.0, 2.0, 2.0), sites]))
    assert [(each.depth, each.name) for each in found.branches] == [
        (0, "MPI_Allreduce"),
        (1, "norm (a.c:1)"),
        (1, "input (a.c:5)"),
    ]
    assert "`advisor run --stacks -- …` records it" in found.caption


def sends(size, time, reference=None):
    """The row of 1000 blocking messages between two ranks of a host."""
    cell = table(
        "cell",
        {
            "operation": ["Send"],
            "class": ["intra_node"],
            "bin": [17.0],
            "size": [size],
            "calls_per_rank": [500.0],
            "bytes": [1000 * size],
            "time": [time],
            "share": [0.1],
        },
    )
    tables = {"references": reference} if reference else {}
    return rates(run_of([cell, one_row("run", {"ranks": 2, "nodes": 1})], **tables))


def test_rates_stand_against_messages_that_were_timed_after_the_job():
    """500 messages of 64 KiB in 1 s are 32.8 MB/s; alone each takes 20 µs, 3.28 GB/s: 1 %."""
    reference = {
        "path": np.array(["host", "host"]),
        "bytes": np.array([1024, 65536]),
        "least": np.array([1e-6, 2e-5]),
    }
    found = sends(65536.0, 1.0, reference)
    (row,) = found.rows
    assert [plain(cell.text) for cell in row] == [
        "MPI_Send", "inside a host", "64 KiB to 128 KiB", "500", "1.00",
        "32.8 MB/s", "3.28 GB/s", "1.00",
    ]  # fmt: skip
    assert "without waiting" not in [head.text for head in found.headings]
    assert plain(found.note).startswith("Possible: single messages of 1 KiB to 64 KiB")


def test_a_rate_without_anything_to_stand_against_says_so():
    found = sends(65536.0, 1.0)
    assert [head.text for head in found.headings][-1] == "Bytes a second"
    assert len(found.rows[0]) == len(found.headings)
    assert "What messages could do here was not measured" in found.note


def test_the_network_of_a_host_stands_against_its_port():
    """Two hosts, 50 GB in 10 s: 2.5 GB/s a host of 25 GB/s."""
    cells = {"ranks": 2, "nodes": 2, "off_host_bytes": 50e9, "time": 10.0}
    nodes = table("node", {"name": ["a", "b"], "network_rate": [200.0, 200.0]})
    (row,) = rates(run_of([one_row("run", cells), nodes], hosts=("a", "b"))).rows
    assert [plain(cell.text) for cell in row[-3:]] == ["2.50 GB/s", "25.0 GB/s", "10.0"]


@pytest.mark.parametrize(
    "cells, name, said",
    [
        ({}, "Memory", "is not known: `advisor run --counters -- …`"),
        ({"memory_stalled_share": 0.4}, "Memory", "bound by memory: 40.0 % of the cycles stood"),
        ({"memory_stalled_share": 0.1}, "Memory", "not bound by memory: 10.0 %"),
        ({"threads": 1}, "Threads", "nothing ran in parallel inside a rank"),
        ({"threads": 8}, "Threads", "up to 8 threads per rank used a core"),
        ({}, "Threads", "how many threads ran is not known"),
        ({"asleep_outside": 3.0}, "Files", "3.00 s asleep are input and output, pauses"),
        ({"asleep_outside": 0.0}, "Files", "reads and writes outside MPI are not recorded"),
    ],
)
def test_what_is_known_outside_mpi_has_words_and_so_has_what_is_not(cells, name, said):
    known = {"time": 10.0, "mpi_time": 4.0, "ranks": 2, **cells}
    lines = {
        line.name: plain(line.text)
        for line in outside_mpi(Lookup(run_of([one_row("run", known)]).measures))
    }
    assert said in lines[name]


def test_busy_cores_outside_mpi_are_a_range():
    """12 s of CPU time in 6 s outside MPI and 4 s inside: 1.33 to 2 cores."""
    known = one_row("run", {"time": 10.0, "mpi_time": 4.0, "ranks": 1, "threads": 4})
    ranks = table("rank", {"id": [0], "cpu_time": [12.0], "cores": [8.0]})
    (line,) = [line for line in outside_mpi(run_of([known, ranks])) if line.name == "Threads"]
    assert "1.33 to 2.00 cores were busy on average, of 8" in plain(line.text)


def test_hostile_names_of_rows_stay_inside_their_attributes():
    page = render(compose(advices.hostile()), "html")
    for found in re.findall(r"data-(?:rows|columns)='([^']*)'", page):
        assert isinstance(json.loads(found.replace("&#39;", "'")), list)
