"""verified.json in a result folder: all campaigns, and a reader that takes what a newer advisor
adds."""

from __future__ import annotations

import json
import math
import os
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from advisor.base import trusted_files
from advisor.model.errors import UserError
from advisor.model.message import as_data, from_data
from advisor.model.verified import MIDDLES, VERDICTS, Verified
from advisor.verifying import replacing

FORMAT, VERSION = "advisor-verified", (1, 0)
FILE = "verified.json"
_NUMBERS = ("effect", "low", "high", "baseline", "variant")
_LARGEST = 64 << 20
_TEXTS = ("metric", "reason", "date")


def write(folder: Path, campaign: Mapping[str, Any], made_by: str) -> Path:
    """Add a campaign ({"results": …} and what is known of it), or replace the last one if it began
    at the same time. Complete, or not at all.

    Raises UserError if the file there is damaged, or cannot be written.
    """
    place = folder / FILE
    kept = [each for each in _campaigns(place) if each.get("began") != campaign.get("began")]
    content = {
        "format": FORMAT,
        "version": list(VERSION),
        "made_by": made_by,
        "campaigns": [*kept, dict(campaign)],
    }
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    try:
        replacing.replace(place.parent.resolve() / FILE, replacing.Script(text.encode("utf-8")))
    except OSError as error:
        raise UserError(f"{place} cannot be written: {error.strerror}.") from error
    return place


def read(folder: Path) -> Tuple[Verified, ...]:
    """What was verified of a result, the newest of each name; nothing if there is no such file.
    Raises UserError if it is damaged."""
    return read_file(folder / FILE)


def read_file(place: Path) -> Tuple[Verified, ...]:
    """The same of a file of any name."""
    found: Dict[str, Verified] = {}
    try:
        for campaign in _campaigns(place):
            for each in campaign["results"]:
                verified = from_plain(each)
                found.pop(verified.name, None)
                found[verified.name] = verified
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise _damaged(place, error) from None
    return tuple(found.values())


def plain(verified: Verified) -> Dict[str, Any]:
    """As JSON."""
    return {
        **asdict(verified),
        "rules": list(verified.rules),
        "settings": dict(verified.settings),
        "reason_made_of": as_data(verified.reason),
    }


def from_plain(content: Mapping[str, Any]) -> Verified:
    """From JSON; unknown keys are left out. Raises KeyError, TypeError, ValueError if it is
    none."""
    known = {each.name for each in fields(Verified)}
    given = {name: part for name, part in content.items() if name in known}
    if given["verdict"] not in VERDICTS:
        raise ValueError(f"there is no verdict {given['verdict']!r}")
    given.update(
        {name: number(given[name]) for name in _NUMBERS if name in given},
        name=_text(given["name"]),
        pairs=int(given.get("pairs", 0)),
    )
    given.update(
        {name: _text(given[name]) for name in _TEXTS if name in given},
        reason=_reason(content),
        dropped=given.get("dropped") is True,
        middle=_middle(content),
    )
    given["margin"] = number(given.get("margin", 0.01)) or 0.0
    given["rules"] = tuple(_text(rule) for rule in given.get("rules", ()))
    given["settings"] = {
        _text(name): _text(value) for name, value in dict(given.get("settings", {})).items()
    }
    if given["verdict"] in ("better", "same", "worse") and None in (
        given.get("effect"),
        given.get("low"),
        given.get("high"),
    ):
        raise ValueError(f"{given['name']} has a verdict and no numbers")
    return Verified(**given)


def _reason(content: Mapping[str, Any]) -> str:
    """As it is read; made anew where the record says from what, so that it can be translated."""
    text = _text(content.get("reason", ""))
    again = from_data(content.get("reason_made_of", text))
    return again if again == text else text


def _middle(content: Mapping[str, Any]) -> str:
    """Records of older versions know the mean and the median only."""
    found = content.get("middle", "median" if content.get("is_median") is True else "mean")
    if found not in MIDDLES:
        raise ValueError(f"there is no interval of {found!r}")
    return str(found)


def number(value: Any) -> Optional[float]:
    """A finite number or None. Raises ValueError, TypeError."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"{value!r} is not a number")
    return float(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def _campaigns(place: Path) -> Sequence[Mapping[str, Any]]:
    try:
        with trusted_files.plain(place, "it", how=os.O_RDONLY) as file:
            content = json.loads(trusted_files.bounded(file, _LARGEST, "it").decode("utf-8"))
        if content["format"] != FORMAT:
            raise ValueError("its format has another name")
        newer = int(content["version"][0]) > VERSION[0]
        campaigns: List[Mapping[str, Any]] = [dict(each) for each in content["campaigns"]]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UserError(f"{place} cannot be read: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError, IndexError, RecursionError, OverflowError) as error:
        raise _damaged(place, error) from None
    if newer:
        raise UserError(
            f"{place} was written by a newer advisor (version {content['version'][0]}).",
            do="Install a newer advisor to read it.",
        )
    return campaigns


def _damaged(place: Path, error: Exception) -> UserError:
    return UserError(
        f"{place} is damaged ({type(error).__name__}: {error}): what was verified is not known;"
        " move it away to verify again."
    )
