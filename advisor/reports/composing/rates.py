"""Bytes a second, against what messages could do on these hosts: measured after the job where it
was, else what the network port says of itself. METRICS 9, bw.eff and nic.util."""

from __future__ import annotations

from dataclasses import replace
from typing import Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from advisor.base.numbers import count, number, size, traffic
from advisor.model.message import joined, message
from advisor.reports.composing.message_sizes import range_of
from advisor.reports.composing.splitting import sampled
from advisor.reports.figures import Cell, Grid, Heading
from advisor.reports.lookup import Lookup

ROWS, LEAST_SHARE = 24, 0.001
"""Rows at most; each takes this share of elapsed."""
_NUMBERS = ("bin", "size", "calls_per_rank", "bytes", "time", "share")
_GIGABIT = 1e9 / 8
_PATHS = {
    "intra_node": message("inside a host"),
    "other": message("between hosts"),
    "multi_node": message("over several hosts"),
    "one_per_node": message("one rank a host"),
    "self": message("to itself"),
}


class _Reference(NamedTuple):
    """What a path can do: sizes in bytes with the seconds that a message takes at least."""

    sizes: np.ndarray
    least: np.ndarray

    def rate(self, of: float) -> float:
        """Bytes a second of a message of this size: between two sizes in proportion."""
        ends = self.sizes[[0, -1]]
        if of > ends[1]:
            return float(ends[1] / self.least[-1])
        return float(of / np.interp(of, self.sizes, self.least))


def rates(run: Lookup) -> Optional[Grid]:
    """None if no call carried data."""
    rows = _of_cells(run) + _of_messages(run) + _of_network(run)
    if not rows:
        return None
    headings = (
        Heading(message("Calls")),
        Heading(message("Where")),
        Heading(message("Size"), True),
        Heading(message("Calls a rank"), True),
        Heading(message("In the call, s"), True),
        Heading(message("Bytes a second"), True),
        Heading(message("without waiting"), True),
        Heading(message("Possible"), True),
        Heading(message("Reached, % of possible"), True),
    )
    caption = message("Bytes a second of a rank inside calls, against what is possible")
    return _filled(Grid("rates", caption, headings, tuple(rows), _note(run)))


def _filled(grid: Grid) -> Grid:
    """Without columns that are empty in all rows."""
    kept = [at for at in range(len(grid.headings)) if any(row[at].text for row in grid.rows)]
    rows = tuple(tuple(row[at] for at in kept) for row in grid.rows)
    return replace(grid, headings=tuple(grid.headings[at] for at in kept), rows=rows)


def _references(run: Lookup) -> Dict[str, _Reference]:
    table = run.profile.tables.get("references")
    if not table or not len(table["bytes"]):
        return {}
    paths = np.asarray(table["path"]).astype(str)
    found = {}
    for path in sorted(set(paths.tolist())):
        rows = np.flatnonzero((paths == path) & (np.asarray(table["least"], dtype=float) > 0))
        rows = rows[np.argsort(np.asarray(table["bytes"])[rows], kind="stable")]
        if len(rows):
            sizes, least = (
                np.asarray(table[name], dtype=float)[rows] for name in ("bytes", "least")
            )
            found[{"host": "intra_node"}.get(path, path)] = _Reference(sizes, least)
    return found


def _note(run: Lookup) -> str:
    """Where the possible rate is from."""
    measured, port = _references(run), run.numbers("node.network_rate")
    told: List[str] = []
    if measured:
        pair = next(iter(measured.values()))
        told.append(
            message(
                "Possible: single messages of {low} to {high} that two ranks sent each other after"
                " the job, when nothing was in their way.",
                low=size(pair.sizes[0]),
                high=size(pair.sizes[-1]),
            )
        )
    else:
        told.append(
            message(
                "What messages could do here was not measured: that is done after jobs whose"
                " nonblocking messages had time to overlap."
            )
        )
    if port is None or np.isnan(port).all():
        if (run.number("run.nodes") or 0) > 1:
            told.append(
                message("The rate of the network is not known: no network port reports it.")
            )
    else:
        told.append(message("The rate of the network is what its fastest port says of itself."))
    told.append(message("A collective call moves other amounts than it is handed: no bound here."))
    return joined(" ", told)


def _of_cells(run: Lookup) -> List[Tuple[Cell, ...]]:
    """Blocking calls by size; of a nonblocking one the post says nothing."""
    names, paths = run.texts("cell.operation"), run.texts("cell.class")
    found = {name: run.numbers(f"cell.{name}") for name in _NUMBERS}
    columns = {name: values for name, values in found.items() if values is not None}
    ranks, measured = run.number("run.ranks") or 1, _references(run)
    if not names or len(columns) < len(_NUMBERS):
        return []
    waits, rows = _waits(run), []
    for row, name in enumerate(names):
        cell = {key: float(values[row]) for key, values in columns.items()}
        if not _is_told(name, cell):
            continue
        path = paths[row] if paths else ""
        waited = waits.get((name, path, int(cell["bin"])))
        reference = measured.get(path) if "end" in name or name == "Recv" else None
        rows.append(_row(name, path, cell, ranks, waited, reference))
    return rows[:ROWS]


def _is_told(name: str, cell: Dict[str, float]) -> bool:
    posts = name[:1] == "I" and name[1:2].islower() or name.endswith("_init")
    known = not np.isnan(cell["bin"])  # not in files of other tools
    told = not posts and known and cell["bytes"] > 0 and cell["time"] > 0
    return told and cell["share"] >= LEAST_SHARE


def _row(
    name: str,
    path: str,
    cell: Dict[str, float],
    ranks: float,
    waited: Optional[float],
    reference: Optional[_Reference],
) -> Tuple[Cell, ...]:
    sent, time = cell["bytes"] / ranks, cell["time"]
    moving = None if waited is None else time * (1 - waited)
    reached = sent / moving if moving else None
    possible = None if reference is None else reference.rate(cell["size"])
    low, high = range_of(int(cell["bin"]))
    return (
        Cell(f"MPI_{name}"),
        Cell(_PATHS.get(path, path)),
        Cell(message("{low} to {high}", low=low, high=high), cell["size"]),
        Cell(count(cell["calls_per_rank"]), cell["calls_per_rank"]),
        Cell(number(time), time),
        _rate(sent / time),
        _rate(reached),
        _rate(possible),
        _share(reached or sent / time, possible),
    )


def _rate(value: Optional[float]) -> Cell:
    return Cell("", None) if value is None else Cell(f"{traffic(value)}/s", value)


def _share(reached: float, possible: Optional[float]) -> Cell:
    if not possible or reached > possible:
        # More than is possible: it went on while the program computed.
        return Cell("", None)
    return Cell(number(100 * reached / possible), 100 * reached / possible)


def _waits(run: Lookup) -> Dict[Tuple[str, str, int], float]:
    """Share of waiting by operation, path and size bin, where calls were sampled."""
    table = run.profile.tables.get("waits")
    if not table or not sampled(run):
        return {}
    sums: Dict[Tuple[str, str, int], List[float]] = {}
    columns = (table[name] for name in ("operation", "class", "bin", "duration", "wait"))
    for name, path, place, duration, wait in zip(*(np.asarray(each).tolist() for each in columns)):
        found = sums.setdefault((name, path, int(place)), [0.0, 0.0])
        found[0] += duration
        found[1] += wait
    return {key: min(wait / all_, 1.0) for key, (all_, wait) in sums.items() if all_ > 0}


def _of_messages(run: Lookup) -> List[Tuple[Cell, ...]]:
    """All messages over all calls that send, receive or complete them."""
    sent, ranks = run.number("run.p2p_bytes"), run.number("run.ranks") or 1
    groups = run.texts("operation.group")
    times, waits = run.numbers("operation.time"), run.numbers("operation.wait")
    if not sent or not groups or times is None:
        return []
    ours = np.array([group in ("p2p", "completion") for group in groups], bool)
    time = float(np.nan_to_num(times)[ours].sum())
    known = waits is not None and sampled(run)
    wait = 0.0 if waits is None or not known else float(np.nan_to_num(waits)[ours].sum())
    if not time > 0:
        return []
    moving = max(time - wait, 0.0) if known else None
    reached, possible = sent / ranks / (moving or time), _of_mean_message(run)
    return [
        (
            Cell(message("All messages, over their calls")),
            *(Cell(""), Cell(""), Cell("")),
            Cell(number(time), time),
            _rate(sent / ranks / time),
            _rate(sent / ranks / moving if moving else None),
            _rate(possible),
            _share(reached, possible),
        )
    ]


def _of_mean_message(run: Lookup) -> Optional[float]:
    """What is possible for messages of the mean size, where all go one way."""
    paths, sizes = run.texts("traffic.path"), run.numbers("traffic.mean_size")
    if sizes is None or len(paths) != 1:
        return None
    reference = _references(run).get(paths[0])
    return None if reference is None else reference.rate(float(sizes[0]))


def _of_network(run: Lookup) -> List[Tuple[Cell, ...]]:
    """Traffic of messages between hosts over the whole run, a host, against its port."""
    sent, hosts, elapsed = (
        run.number(f"run.{name}") for name in ("off_host_bytes", "nodes", "time")
    )
    port = run.numbers("node.network_rate")
    if not sent or not hosts or hosts < 2 or not elapsed:
        return []
    reached = sent / hosts / elapsed
    possible = None if port is None or np.isnan(port).all() else float(np.nanmin(port)) * _GIGABIT
    return [
        (
            Cell(message("Messages between hosts, a host, mean of the run")),
            Cell(message("between hosts")),
            *(Cell(""), Cell(""), Cell(number(elapsed), elapsed)),
            _rate(reached),
            Cell("", None),
            _rate(possible),
            _share(reached, possible),
        )
    ]
