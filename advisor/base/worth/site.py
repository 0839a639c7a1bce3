"""What a site says of its nodes: prices, watts and grams of CO2, in a file of TOML.

[worth]
source = "price list of 2026"
currency = "EUR"
price_per_node_hour = 0.90       # all in, or without electricity if price_per_kwh stands too
price_per_kwh = 0.25
watts_per_node = 450             # where nothing measured
most_watts_per_node = 900        # more is a counter's fault
co2_grams_per_kwh = 380
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Mapping, Optional

from advisor.base import trusted_files
from advisor.model.errors import UserError
from advisor.model.harmless import visible

VARIABLE = "ADVISOR_WORTH"
USUAL = Path("/etc/advisor/worth.toml")
_LARGEST = 1 << 16
_LONGEST = 80
MOST_WATTS = 15_000.0
"""Of a node of which a site says nothing: one with eight large accelerators takes 14 kW."""


@dataclass(frozen=True)
class Site:
    """None: the site does not say."""

    source: str = ""
    currency: str = ""
    price_per_node_hour: Optional[float] = None
    price_per_kwh: Optional[float] = None
    watts_per_node: Optional[float] = None
    most_watts_per_node: Optional[float] = None
    co2_grams_per_kwh: Optional[float] = None

    @property
    def most_watts(self) -> float:
        """Above that, what a counter says of a node is a fault."""
        return self.most_watts_per_node or MOST_WATTS


NOTHING = Site()
_TEXTS = ("source", "currency")
_NUMBERS = tuple(name for name in Site.__dataclass_fields__ if name not in _TEXTS)


def known(environment: Mapping[str, str], chosen: str = "") -> Site:
    """The file that was chosen, else $ADVISOR_WORTH, else /etc/advisor/worth.toml; NOTHING if there
    is none. Raises UserError for one that was named and cannot be used."""
    named = chosen or environment.get(VARIABLE, "")
    if named:
        return read(Path(named))
    return read(USUAL) if USUAL.exists() else NOTHING


def read(path: Path) -> Site:
    """A file that only this user and root could have written. Raises UserError."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        text = trusted_files.read(path, _LARGEST).decode("utf-8")
        content = tomllib.loads(text)["worth"]
        if not isinstance(content, dict):
            raise ValueError("[worth] is no table")
        return Site(**_checked(content))
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from error
    except KeyError as error:
        raise _unusable(path, f"it has no {error}") from error
    except ValueError as error:
        raise _unusable(path, str(error)) from error


def _checked(content: Mapping[str, Any]) -> Dict[str, Any]:
    found: Dict[str, Any] = {}
    for name, value in content.items():
        if name in _TEXTS and isinstance(value, str):
            found[name] = visible(value[:_LONGEST])
        elif name in _NUMBERS and _is_amount(value):
            found[name] = float(value)
        else:
            raise ValueError(f"{visible(str(name))} = {visible(repr(value))} is not known")
    priced = {"price_per_node_hour", "price_per_kwh"} & set(found)
    if priced and not found.get("currency"):
        raise ValueError("prices need a currency")
    return found


def _is_amount(value: Any) -> bool:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and math.isfinite(value) and value > 0


def _unusable(path: Path, clause: str) -> UserError:
    return UserError(
        f"{path} cannot be used: {clause}.",
        do=f"It is a file of TOML with a table [worth] of: {', '.join((*_TEXTS, *_NUMBERS))}.",
    )
