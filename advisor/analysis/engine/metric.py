"""How a metric is declared, and how its value, bounds and quality come about."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple

from advisor.model.measures import Quality

ONE_ROW = frozenset({"run", "library", "onesided", "io"})


class Unknown(Exception):
    """A quantity cannot be known from this profile. Spreads to whatever would be made from it."""

    def __init__(self, reason: str, collect: str = "") -> None:
        super().__init__(reason)
        self.reason, self.collect = reason, collect


@dataclass(frozen=True)
class Value:
    """A result that carries more than numbers. `reason`, `collect`: of those cells that are
    unknown."""

    values: Any
    low: Any = None
    high: Any = None
    note: str = ""
    quality: Quality = Quality.MEASURED
    reason: str = ""
    collect: str = ""


@dataclass(frozen=True)
class Metric:
    """One column of Measures. `needs`: names of its function's parameters."""

    table: str
    name: str
    unit: str
    meaning: str
    quality: Quality
    function: Callable[..., Any]
    needs: Tuple[str, ...]

    @property
    def key(self) -> str:
        """table.column, as rules write it."""
        return f"{self.table}.{self.name}"


METRICS: Dict[str, Metric] = {}
ROWS: Dict[str, Callable[..., int]] = {}


def metric(
    key: str, unit: str, quality: Quality = Quality.DERIVED, meaning: str = ""
) -> Callable[[Callable], Callable]:
    """Declare the function below as the metric `table.column`.

    Its parameters name what it is made from: `view` is the profile as arrays, any other name a
    table of Measures (`run.time`, `site.time`). It returns one value, or an array with one value a
    row, or a Value, or raises Unknown.
    """

    def declare(function: Callable) -> Callable:
        table, _, name = key.partition(".")
        text = meaning or inspect.cleandoc(function.__doc__ or "")
        if key in METRICS or not text:
            raise ValueError(f"metric {key} is declared twice or has no meaning")
        METRICS[key] = Metric(table, name, unit, text, quality, function, _parameters(function))
        return function

    return declare


def _parameters(function: Callable) -> Tuple[str, ...]:
    """Their names: inspect.signature() takes a hundred times as long, for four hundred metrics at
    each start."""
    return function.__code__.co_varnames[: function.__code__.co_argcount]


def rows(table: str) -> Callable[[Callable], Callable]:
    """Declare how many rows a table has: the function takes `view`."""

    def declare(function: Callable) -> Callable:
        ROWS[table] = function
        return function

    return declare


class QualityTracker:
    """The worst quality of all that was touched since the innermost computation began."""

    def __init__(self) -> None:
        self._levels: List[Quality] = [Quality.MEASURED]

    def lower(self, quality: Quality) -> None:
        """What is being computed is no better than this."""
        self._levels[-1] = max(self._levels[-1], quality)

    def during(self, compute: Callable[[], Any]) -> Tuple[Any, Quality]:
        """The result of `compute`, and the worst quality that it touched."""
        self._levels.append(Quality.MEASURED)
        try:
            return compute(), self._levels[-1]
        finally:
            self._levels.pop()


class cached_quantity:
    """A quantity computed once, with its quality or the reason why it is unknown. Used as a
    decorator of methods."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function, self.__doc__ = function, function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, source: Any, owner: Optional[type] = None) -> Any:
        if source is None:
            return self
        if self.name not in source.kept:
            source.kept[self.name] = self._compute(source)
        value, quality = source.kept[self.name]
        if isinstance(value, Unknown):
            # Whoever catches this does without the quantity, so its quality must not count.
            raise Unknown(value.reason, value.collect)
        source.grade.lower(quality)
        return value

    def _compute(self, source: Any) -> Tuple[Any, Quality]:
        try:
            return source.grade.during(lambda: self.function(source))
        except Unknown as unknown:
            return unknown, Quality.UNKNOWN
