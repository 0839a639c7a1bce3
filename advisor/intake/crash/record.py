"""Crash record of one rank → its share of a profile. The record describes itself; nothing of C is
known here."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

import numpy as np

from advisor.intake.container.combined_rows import put_together
from advisor.intake.container.framing import RECORD_MAGIC, open_bytes, split
from advisor.intake.container.header import VERSION
from advisor.intake.crash.record_cells import cell, count, fitting, numeric, whole_numbers
from advisor.intake.untrusted.claims import BYTES_OF_A_ROW, Held
from advisor.intake.untrusted.damage import Damage, inside, mapping, sequence, text, whole
from advisor.model.columns import TABLES
from advisor.model.profile import Columns, Fact, Setting

_SCALARS = ("<i4", "<u1", "<u4", "<i8", "<u8", "<f8")
_NUMBERS = ("<i1", "<i2", "<i4", "<i8", "<u1", "<u2", "<u4", "<u8", "<f4", "<f8")
_MOST_BLOCKS, _MOST_ROWS, _MOST_BYTES = 4096, 1 << 22, 1 << 28
_MOST_USES = 4
"""Tables of one place: calls, members, sites and handling."""
Rows = Tuple[np.ndarray, Mapping[str, Any]]


class Record(NamedTuple):
    """What one rank left behind."""

    rank: int
    ranks: int
    """Size of its MPI_COMM_WORLD; 0 if the record does not say."""
    texts: Mapping[str, str]
    facts: Mapping[str, Fact]
    settings: Tuple[Setting, ...]
    tables: Dict[str, Columns]
    restricted: int = 0
    """What the program had forbidden its process, as collectors/core/process/restrictions.h numbers
    it."""


def read_record(path: str) -> Optional[Record]:
    """The record in a file; None if its process never got as far as a rank. Raises OSError,
    Damage."""
    data = open_bytes(path)
    header, _ = split(data, RECORD_MAGIC)
    if header.get("format") != "advisor-record" or sequence(header.get("version"), "its version")[
        :1
    ] != [VERSION[0]]:
        raise Damage("it is a record of another version")
    held = Held(len(data))
    scalars = {
        name: _scalar(name, where, data)
        for name, where in mapping(header.get("scalars"), "scalars").items()
    }
    rank = count(scalars, "rank", -1)
    if rank < 0 or scalars.get("state", 0) not in (1, 2, 3):
        return None
    texts = {
        name: _text(name, where, data, held)
        for name, where in mapping(header.get("texts", {}), "texts").items()
    }
    tables = _Tables(header, data, scalars)
    tables.hold(held)
    found = {name: tables.columns(name, rank) for name in TABLES if name in tables.declared}
    found["ranks"] = _rank_row(scalars, texts, tables)
    # Some records have these lines among their texts.
    lines = {name: _lines(header, name, data, Held(len(data))) for name in ("facts", "settings")}
    return Record(
        rank,
        max(0, count(scalars, "ranks", 0)),
        texts,
        {key: Fact(parse_value(value), source) for key, value, source in lines["facts"]},
        tuple(Setting(*line) for line in lines["settings"]),
        found,
        count(scalars, "restricted", 0),
    )


class _Tables:
    """The tables of a record: in the file once, or in each of its blocks."""

    def __init__(
        self, header: Mapping[str, Any], data: np.ndarray, scalars: Mapping[str, float]
    ) -> None:
        self.header, self.data, self.scalars = header, data, scalars
        self.declared = mapping(header.get("tables"), "tables")
        self.starts = self._blocks(header.get("blocks"))
        self._lists: Dict[str, np.ndarray] = {}

    def _blocks(self, blocks: Any) -> List[int]:
        if blocks is None:
            return []
        offset = whole(mapping(blocks, "blocks").get("offset"), "offset of blocks")
        stride = whole(blocks.get("stride"), "stride of blocks", 1)
        used = whole(
            count(self.scalars, str(blocks.get("used")), 0), "blocks in use", 0, _MOST_BLOCKS
        )
        # A rank whose block found no room in the file counted it in plain memory, which is lost.
        return [
            offset + i * stride for i in range(used) if offset + (i + 1) * stride <= len(self.data)
        ]

    def hold(self, held: Held) -> None:
        """Damage unless the bytes of all tables are in the file. A place may hold the rows of a few
        tables, told apart by a column."""
        uses: Dict[Tuple[Any, ...], int] = {}
        for name in sorted(TABLES.keys() & self.declared.keys()):
            (offset, size, _), starts = self._place(name), self._starts(name)
            place = (offset, size, starts is self.starts)
            uses[place] = uses.get(place, 0) + 1
            if uses[place] > _MOST_USES:
                raise Damage(f"table {name} lies upon too many others")
            for start in starts if uses[place] == 1 else ():
                held.block(f"table {name}", start + offset, size)

    def _place(self, name: str) -> Tuple[int, int, int]:
        """Offset of a table in the file or in each block, its bytes, and those of a row."""
        table = mapping(self.declared.get(name), f"table {name}")
        offset, rows = (
            whole(table.get("offset"), f"offset of {name}"),
            whole(table.get("rows"), f"rows of {name}", 0, _MOST_ROWS),
        )
        row = whole(table.get("row_size"), f"row size of {name}", BYTES_OF_A_ROW, 1 << 24)
        return offset, rows * row, row

    def _starts(self, name: str) -> List[int]:
        return self.starts if self.declared[name].get("in_block") else [0]

    def columns(self, name: str, rank: int) -> Columns:
        """Rows in use of one table, those of equal key put together."""
        declared = mapping(self.declared[name], name)
        raw = self.raw(name)
        found = {
            label: fitting(
                f"{name}.{label}", self._decode(f"{name}.{label}", raw, column), TABLES[name][label]
            )
            for label, column in self._labels(declared, name)
            if label in TABLES[name]
        }
        if "rank" in TABLES[name]:
            found = {"rank": np.full(len(raw), rank, "<i4"), **found}
        return put_together(name, found)

    def raw(self, name: str) -> np.ndarray:
        """Rows in use as bytes [n, row size]."""
        offset, size, row = self._place(name)
        starts, used = self._starts(name), self.declared[name].get("used")
        if size * max(1, len(starts)) > _MOST_BYTES:
            raise Damage(f"table {name} is too large for one rank")
        for start in starts:
            inside(start + offset, size, len(self.data), f"table {name}")
        parts = [
            self.data[start + offset : start + offset + size].reshape(-1, row) for start in starts
        ]
        parts = [part[_used(part, used, name)] for part in parts]
        return np.concatenate(parts) if parts else np.zeros((0, row), np.uint8)

    @staticmethod
    def _labels(table: Mapping[str, Any], name: str) -> List[Tuple[str, Mapping[str, Any]]]:
        found = [
            (text(mapping(column, name).get("name"), name), column)
            for column in sequence(table.get("columns"), name)
        ]
        if len(dict(found)) < len(found):
            raise Damage(f"a column of {name} is there twice")
        return found

    def _decode(self, what: str, raw: np.ndarray, column: Mapping[str, Any]) -> np.ndarray:
        values = _field(raw, column, what)
        if "text" in column:
            return _pick(what, self._words(str(column["text"]), what), values)
        if "lookup" in column:
            return self._look_up(what, str(column["lookup"]), values)
        if "add" in column or "scale" in column:
            numeric(what, values)
        if "add" in column:
            return values.astype(np.int64) + whole(column["add"], what, -(2**31), 2**31)
        if "scale" in column:
            return _seconds(values, float(self.scalars.get(str(column["scale"]), 0)))
        return values

    def _words(self, name: str, what: str) -> np.ndarray:
        """A list of texts in the header, which many columns point into."""
        if name not in self._lists:
            words = [text(word, what) for word in sequence(self.header.get(name), what)]
            self._lists[name] = np.array(words + [""], dtype=object)[:-1]
        return self._lists[name]

    def _look_up(self, what: str, target: str, values: np.ndarray) -> np.ndarray:
        """Cells of another table of this record, whose rows are counted from 0 with the free
        ones."""
        table, _, label = target.partition(".")
        declared = mapping(self.declared.get(table), f"table {table}")
        column = dict(self._labels(declared, table)).get(label)
        if column is None or "lookup" in column:
            raise Damage(f"{what} points at {target}, which is not there")
        everything = _Tables(
            {**self.header, "tables": {table: {**declared, "used": None}}}, self.data, self.scalars
        )
        return _pick(what, everything._decode(target, everything.raw(table), column), values)


def _rank_row(scalars: Mapping[str, float], texts: Mapping[str, str], tables: _Tables) -> Columns:
    row: Dict[str, Any] = {
        name: value for name, value in scalars.items() if name in TABLES["ranks"]
    }
    row["cpus"] = texts.get("cpus", "")
    row["node"] = 0
    if "calls" in tables.declared:
        row["events"] = int(tables.columns("calls", 0).get("count", np.zeros(1, np.int64)).sum())
    if "threads" in tables.declared:
        row.update(_of_threads(scalars, tables))
    return {
        name: cell(name, row[name], kind) for name, kind in TABLES["ranks"].items() if name in row
    }


def _of_threads(scalars: Mapping[str, float], tables: _Tables) -> Dict[str, Any]:
    """Sums over the threads, and the last call for a rank that did not reach MPI_Finalize."""
    raw, labels = (
        tables.raw("threads"),
        dict(tables._labels(mapping(tables.declared["threads"], "threads"), "threads")),
    )
    found: Dict[str, Any] = {}
    for name in ("overflowed", "clock_faults"):
        if name in labels:
            found[name] = int(whole_numbers(name, _field(raw, labels[name], name)).sum())
    if "between_polls" in labels:
        between = whole_numbers(
            "between_polls", _field(raw, labels["between_polls"], "between_polls")
        )
        found["between_polls"] = float(between.sum()) * scalars.get("seconds_per_tick", 0)
    if "last" in labels and len(raw) and not scalars.get("finalize_begin"):
        ticks = float(whole_numbers("last", _field(raw, labels["last"], "last")).max()) - float(
            scalars.get("origin_ticks", 0)
        )
        last = scalars.get("origin_time", 0) + ticks * scalars.get("seconds_per_tick", 0)
        found["finalize_begin"] = max(last, scalars.get("init_end", 0))
    return found


def _used(rows: np.ndarray, used: Any, name: str) -> np.ndarray:
    """Which rows are in use, as bool [rows]."""
    if used is None:
        return np.ones(len(rows), bool)
    return _field(rows, mapping(used, name), name) != whole(used.get("not"), name)


def _field(raw: np.ndarray, column: Mapping[str, Any], what: str) -> np.ndarray:
    dtype, at = str(column.get("dtype")), whole(column.get("at"), f"place of {what}")
    if dtype.startswith("S") and dtype[1:].isdigit() and 0 < int(dtype[1:]) <= 4096:
        inside(at, int(dtype[1:]), raw.shape[1], what)
        cells = [
            bytes(row[at : at + int(dtype[1:])]).split(b"\0")[0].decode("utf-8", "replace")
            for row in raw
        ]
        return np.array(cells + [""], dtype=object)[:-1]
    if dtype not in _NUMBERS:
        raise Damage(f"{what} has the type {dtype!r}")
    size = np.dtype(dtype).itemsize
    inside(at, size, raw.shape[1], what)
    return np.ascontiguousarray(raw[:, at : at + size]).view(dtype).reshape(len(raw))


def _pick(what: str, choices: np.ndarray, indices: np.ndarray) -> np.ndarray:
    if indices.dtype.kind not in "iu" or (
        len(indices) and not 0 <= int(indices.min()) <= int(indices.max()) < len(choices)
    ):
        raise Damage(f"{what} points at something that is not there")
    return choices[indices]


def _seconds(ticks: np.ndarray, seconds_per_tick: float) -> np.ndarray:
    # The shortest call of a row that was just begun is still "longer than all": the largest number.
    return np.where(ticks == np.iinfo(np.uint64).max, 0, ticks) * seconds_per_tick


def _scalar(name: str, where: Any, data: np.ndarray) -> float:
    dtype, offset = (
        mapping(where, name).get("dtype"),
        whole(where.get("offset"), f"offset of {name}"),
    )
    if dtype not in _SCALARS:
        raise Damage(f"{name} has the type {dtype!r}")
    size = np.dtype(dtype).itemsize
    inside(offset, size, len(data), name)
    return data[offset : offset + size].view(dtype)[0].item()


def _text(name: str, where: Any, data: np.ndarray, held: Held) -> str:
    offset, size = (
        whole(mapping(where, name).get("offset"), f"offset of {name}"),
        whole(where.get("size"), f"size of {name}", 0, 1 << 20),
    )
    held.block(name, offset, size)
    return bytes(data[offset : offset + size]).split(b"\0")[0].decode("utf-8", "replace")


def _lines(
    header: Mapping[str, Any], name: str, data: np.ndarray, held: Held
) -> List[Tuple[str, str, str]]:
    """Lines `name TAB value TAB source`; one that was being written when the rank died is left
    out."""
    where = header.get(name) or mapping(header.get("texts", {}), "texts").get(name)
    fields = (
        [line.split("\t") for line in _text(name, where, data, held).split("\n")] if where else []
    )
    return [(line[0], line[1], line[2]) for line in fields if len(line) == 3]


def parse_value(value: str) -> Any:
    """A fact's value as the collector writes it: true, false, a number, or text."""
    if value in ("true", "false"):
        return value == "true"
    for kind in (int, float):
        try:
            number = kind(value)
        except ValueError:
            continue
        return number if len(value) <= 20 and abs(number) < 1e300 else value
    return value
