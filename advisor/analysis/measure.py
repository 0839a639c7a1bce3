"""measure(profile): every declared metric computed once, in the order in which they need each
other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, List, Optional, Sequence, Union

import numpy as np

from advisor.analysis.derived.profile_view import ProfileView
from advisor.analysis.engine.arrays import objects
from advisor.analysis.engine.metric import (
    METRICS,
    ONE_ROW,
    ROWS,
    QualityTracker,
    Metric,
    Unknown,
    Value,
)
from advisor.analysis.metrics import (
    application,
    causes,
    communicators,
    core_layout,
    counters,
    critical_path,
    efficiency,
    handling,
    io,
    library,
    library_variables,
    meetings,
    message_sizes,
    no_core,
    nodes,
    onesided,
    operations,
    overlap,
    pairwise_cost,
    phases,
    polling,
    quality,
    ranks,
    repetition,
    run,
    serving,
    settings,
    single_job,
    sites,
    stacks,
    traffic,
    waiting,
)
from advisor.model.causes import Causes
from advisor.model.intent import Intent
from advisor.model.measures import Column, Measures, Quality, Table
from advisor.model.profile import Profile

METRIC_MODULES = (
    run,
    efficiency,
    waiting,
    no_core,
    overlap,
    critical_path,
    phases,
    traffic,
    single_job,
    quality,
    ranks,
    nodes,
    core_layout,
    operations,
    handling,
    polling,
    serving,
    meetings,
    message_sizes,
    repetition,
    pairwise_cost,
    communicators,
    sites,
    stacks,
    causes,
    onesided,
    io,
    counters,
    library_variables,
    library,
    application,
    settings,
)
"""The modules that declare metrics, in the order in which one reads their tables."""
_NUMBERLESS = ("text", "yes/no")


def measure(profile: Profile, intents: Sequence[Intent] = ()) -> Measures:
    """All measures of a profile. What cannot be known is an unknown cell with its reason, never
    zero.

    `intents`: the words of each library, where a site added some to those of the rule book.
    """
    sums = Calculation(profile, intents)
    tables: Dict[str, Dict[str, Column]] = {}
    for declared in in_order():
        tables.setdefault(declared.table, {})[declared.name] = sums.column(declared.key)
    tables["application"].update(application.more_settings(profile, tables["application"]))
    made = {name: Table(name, columns) for name, columns in tables.items()}
    return Measures(
        made, profile, tuple(profile.gaps), quality.banners(made, profile), _causes(sums.view)
    )


def _causes(view: ProfileView) -> Optional[Causes]:
    try:
        return view.causes
    except Unknown:
        return None


def in_order() -> List[Metric]:
    """All metrics in the order in which one reads them."""
    place = {module.__name__: index for index, module in enumerate(METRIC_MODULES)}
    return sorted(METRICS.values(), key=lambda declared: place[declared.function.__module__])


class TableView:
    """One table as metrics see it: `run.time` is a number, `site.time` an array. Raises Unknown."""

    def __init__(self, sums: "Calculation", table: str) -> None:
        self._sums, self._table = sums, table

    def __getattr__(self, name: str) -> Any:
        column = self._sums.column(f"{self._table}.{name}")
        if column.quality is Quality.UNKNOWN:
            raise Unknown(column.reason, column.collect)
        self._sums.grade.lower(column.quality)
        return column.values[0] if self._table in ONE_ROW else column.values


class Calculation:
    """Columns of one profile, each computed when it is first asked for."""

    def __init__(self, profile: Profile, intents: Sequence[Intent] = ()) -> None:
        self.grade = QualityTracker()
        self.view = ProfileView(profile, self.grade, intents)
        self._columns: Dict[str, Column] = {}
        self._lengths: Dict[str, Union[int, Unknown]] = {}
        self._open: List[str] = []

    def column(self, key: str) -> Column:
        """One column by its key, table.column."""
        if key not in self._columns:
            if key in self._open:
                raise RuntimeError(
                    "metrics need each other in a circle: " + " → ".join(self._open + [key])
                )
            self._open.append(key)
            found = self._compute(METRICS[key])
            self._columns[key] = replace(found, collect=self.view.way(found.collect))
            self._open.pop()
        return self._columns[key]

    def _compute(self, declared: Metric) -> Column:
        length = self._rows(declared.table)
        try:
            if isinstance(length, Unknown):
                raise length
            arguments = [
                self.view if name == "view" else TableView(self, name) for name in declared.needs
            ]
            found, quality_of_all = self.grade.during(lambda: declared.function(*arguments))
        except Unknown as unknown:
            return _unknown(declared, 1 if isinstance(length, Unknown) else length, unknown)
        return _column(
            declared,
            found if isinstance(found, Value) else Value(found),
            max(declared.quality, quality_of_all),
            length,
        )

    def _rows(self, table: str) -> Union[int, Unknown]:
        """Rows of a table. An Unknown makes one row of unknown cells, so that nobody takes it for
        empty."""
        if table in ONE_ROW:
            return 1
        if table not in self._lengths:
            try:
                self._lengths[table] = ROWS[table](self.view)
            except Unknown as unknown:
                self._lengths[table] = unknown
        return self._lengths[table]


def _column(declared: Metric, value: Value, quality_of_all: Quality, length: int) -> Column:
    values = _cells(value.values, declared, length)
    empty = _is_unknown(values)
    grade = max(quality_of_all, value.quality)
    if length and empty.all():
        grade = Quality.UNKNOWN
    return Column(
        declared.name,
        declared.unit,
        values,
        grade,
        value.note,
        None if value.low is None else _cells(value.low, declared, length),
        None if value.high is None else _cells(value.high, declared, length),
        (value.reason or "nothing to compute it from was seen") if empty.any() else "",
        value.collect if empty.any() else "",
    )


def _cells(values: Any, declared: Metric, length: int) -> np.ndarray:
    numberless = declared.unit in _NUMBERLESS
    if np.ndim(values) == 0:
        values = [values] * length
    cells = objects(values) if numberless else np.asarray(values, dtype=np.float64)
    if cells.shape != (length,):
        raise ValueError(f"{declared.key} has {cells.shape} values for {length} rows")
    if not numberless and np.isinf(cells).any():
        cells = np.where(np.isinf(cells), np.nan, cells)
    return cells


def _is_unknown(values: np.ndarray) -> np.ndarray:
    if values.dtype == object:
        return np.array([value is None for value in values], dtype=bool)
    return np.isnan(values)


def _unknown(declared: Metric, length: int, unknown: Unknown) -> Column:
    numberless = declared.unit in _NUMBERLESS
    # One cell stands for all: most columns of a million ranks that little is known of are unknown.
    values = np.broadcast_to(
        np.array(None, dtype=object) if numberless else np.array(np.nan), (length,)
    )
    return Column(
        declared.name,
        declared.unit,
        values,
        Quality.UNKNOWN,
        reason=unknown.reason,
        collect=unknown.collect,
    )
