"""Seconds on nodes → node hours, kWh, money and kg of CO2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, NamedTuple, Optional, Tuple

from advisor.base.numbers import HARD, number, predicted
from advisor.model.message import joined, message
from advisor.base.worth.site import NOTHING, Site

LEAST_NODE_HOURS = 0.01
"""Of a run without energy and prices: below that, seconds say it better."""


class Amounts(NamedTuple):
    """None: not known."""

    node_hours: float
    kwh: Optional[float]
    money: Optional[float]
    kilograms: Optional[float]
    """Of CO2."""


@dataclass(frozen=True)
class Rates:
    """What an hour of a node is worth. `watts`: mean power of a node; None if nothing measured it
    and the site does not say. `source` of it."""

    watts: Optional[float] = None
    source: str = ""
    site: Site = NOTHING

    @property
    def priced(self) -> bool:
        """Whether there is more to say than node hours."""
        return self.watts is not None or self.site.price_per_node_hour is not None

    def amounts(self, node_hours: float) -> Amounts:
        """What so many node hours are worth; less than 0 for a loss."""
        kwh = None if self.watts is None else node_hours * self.watts / 1000
        return Amounts(node_hours, kwh, self._money(node_hours, kwh), self._kilograms(kwh))

    def _money(self, node_hours: float, kwh: Optional[float]) -> Optional[float]:
        site, parts = self.site, []
        if site.price_per_node_hour is not None:
            parts.append(node_hours * site.price_per_node_hour)
        if site.price_per_kwh is not None:
            if kwh is None:
                return None  # Half of a price is none.
            parts.append(kwh * site.price_per_kwh)
        return sum(parts) if parts else None

    def _kilograms(self, kwh: Optional[float]) -> Optional[float]:
        grams = self.site.co2_grams_per_kwh
        return None if kwh is None or grams is None else kwh * grams / 1000

    def sources(self) -> Tuple[str, ...]:
        """Where the numbers come from."""
        prices = self.site.price_per_node_hour or self.site.price_per_kwh
        constants = prices or self.site.co2_grams_per_kwh
        site = f"prices and CO2: {self.site.source or 'the site'}" if constants else ""
        energy = f"energy: {self.source}" if self.watts is not None else ""
        return tuple(filter(None, (energy, site)))


UNPRICED = Rates()


def rates(site: Site, watts: Optional[float] = None, source: str = "") -> Rates:
    """What was measured, else the site's constant."""
    if watts is not None:
        return Rates(watts, source, site)
    if site.watts_per_node is None:
        return Rates(site=site)
    constant = f"{number(site.watts_per_node)}{HARD}W a node"
    return Rates(site.watts_per_node, f"{site.source or 'the site'}, {constant}", site)


def units(currency: str) -> Tuple[str, ...]:
    """Of the four amounts."""
    return ("node hours", "kWh", currency, f"kg{HARD}CO2")


def words(low: Amounts, high: Amounts, currency: str) -> str:
    """ "0.10 to 0.24 node hours, 0.05 to 0.13 kWh"; one number each where both are equal."""
    return joined(", ", _each(low, high, currency))


def _each(low: Amounts, high: Amounts, currency: str) -> Iterator[str]:
    yield message("{amount} node hours", amount=written(low.node_hours, high.node_hours))
    for least, most, unit in list(zip(low, high, units(currency)))[1:]:
        if least is not None and most is not None:
            yield joined(HARD, (written(least, most), unit))


def written(low: float, high: float) -> str:
    """An amount, or its interval, without a unit."""
    if low == high:
        return number(low)
    low, high = min(low, high), max(low, high)
    least, most = predicted(low), predicted(high)
    return most if least == most else message("{low} to {high}", low=least, high=most)


def node_hours(seconds: float, nodes: float) -> float:
    """Elapsed seconds on so many nodes."""
    return seconds * nodes / 3600
