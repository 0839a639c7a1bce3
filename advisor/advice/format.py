"""Numbers in sentences: three significant digits, a unit, every % with its base."""

from __future__ import annotations

import math
from typing import Mapping

from advisor.model.measures import Quality

NARROW, HARD = "\u2009", "\u00a0"
"""Thin space between thousands; no-break space before a unit."""

_BASES: Mapping[str, str] = {
    "operation.mpi_share": "of MPI",
    "run.small_time_share": "of MPI",
    "run.startup_share": "of the job",
    "run.small_calls_share": "of the calls with data",
    "operation.small_share": "of its calls with data",
    "operation.host_share": "of its time",
    "run.on_host_share": "of point-to-point bytes",
    "traffic.messages_share": "of messages",
    "traffic.bytes_share": "of bytes",
    "onesided.atomic_share": "of one-sided calls",
    "onesided.small_share": "of one-sided calls",
    "onesided.create_share": "of windows",
    "onesided.on_host_share": "of one-sided bytes",
    "run.load_balance": "of the longest rank",
    "run.load_balance_in": "of the longest rank",
    "run.load_balance_out": "of the longest host",
    "run.oversubscription": "of the cores",
    "node.load": "of its cores",
    "operation.imbalance": "of its longest rank",
    "run.folded_share": "of calls",
    "run.worst_culprit_share": "of all waiting",
    "rank.caused_share": "of all waiting",
    "node.caused_share": "of all waiting",
    "run.overlap_possible": "of the undisturbed time of such messages",
    "run.overlap_achieved": "of the undisturbed time of such messages",
    "run.overlap_efficiency": "of what was possible",
    "run.overlap_starved": "of such messages",
}
LABELS = frozenset(
    {
        "rank.id",
        "run.worst_culprit",
        "site.line",
        "run.exit_code",
        "cell.bin",
        "node.ptrace_scope",
        "library.release_major",
    }
)
"""Numbers that name or grade something: they are written as they are, and have no noun."""
_SIZES = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_WORDS = ((1e9, "billion"), (1e6, "million"), (1e3, "thousand"))


def base_of(name: str) -> str:
    """The base of a share, by the name of its column; of elapsed unless said otherwise."""
    return _BASES.get(name, "of elapsed")


def digits(number: float, significant: int = 3) -> str:
    """Three significant digits; whole digits are kept and set in threes: 1412.3 → 1 412, 0.01239 →
    0.0124."""
    if number == 0:
        return "0"
    number = (
        float(f"{number:.{significant - 1}e}")
        if abs(number) < 10 ** (significant - 1)
        else float(round(number))
    )
    decimals = max(0, significant - 1 - math.floor(math.log10(abs(number))))
    return f"{number:,.{decimals}f}".replace(",", NARROW).replace("-", "\u2212")


def value(amount: object, unit: str, base: str = "of elapsed") -> str:
    """A value with its unit: seconds, bytes, shares of a base, rates, counts, text, yes/no."""
    if isinstance(amount, bool):
        return "yes" if amount else "no"
    if isinstance(amount, str):
        return printable(amount)
    number = float(amount)  # type: ignore[arg-type]
    if unit == "share":
        return f"{digits(100 * number)}{HARD}%" + (f" {base}" if base else "")
    forms = {"s": seconds, "B": size, "count": count, "1/s": lambda each: f"{count(each)} a second"}
    return forms.get(unit, count if number == int(number) else digits)(number)


def printable(text: str) -> str:
    """Text from a run without what would move a terminal's cursor."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def seconds(number: float) -> str:
    """0.0000019 → 1.90 µs; 1412.3 → 1 412 s."""
    factor, unit = next(
        (pair for pair in _TIMES if abs(number) >= 0.9995 * pair[0]),
        _TIMES[-1] if number else _TIMES[0],
    )
    return f"{digits(number / factor)}{HARD}{unit}"


def size(number: float) -> str:
    """65536 → 64 KiB; 1536 → 1.50 KiB; 63999.6 → 62.5 KiB; below 1 KiB whole bytes."""
    factor, unit = next((pair for pair in _SIZES if abs(number) >= pair[0]), (1, "B"))
    scaled = number / factor
    return f"{_whole(scaled) if scaled == int(scaled) else digits(scaled)}{HARD}{unit}"


def count(number: float) -> str:
    """Whole numbers below 10 000 as they are, above in words: 1412 → 1 412; 1450000 → 1.45
    million."""
    if number == int(number) and abs(number) < 10_000:
        return _whole(number)
    factor, word = next((pair for pair in _WORDS if abs(number) >= 0.9995 * pair[0]), (1.0, ""))
    return digits(number / factor) + (f"{HARD}{word}" if word else "")


def counted(number: float, noun: str) -> str:
    """1, core → 1 core; 8, core → 8 cores; 131072, rank → 131 072 ranks; above a million in
    words."""
    amount = _whole(number) if number == int(number) and abs(number) < 1e6 else count(number)
    return f"{amount}{HARD}{noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """core → cores, process → processes, memory → memories."""
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def marked(text: str, quality: Quality) -> str:
    """~ before what is estimated, * after what rests on an assumed value."""
    if quality == Quality.ESTIMATED:
        return f"~{text}"
    return f"{text}*" if quality == Quality.ASSUMED else text


def _whole(number: float) -> str:
    return f"{int(number):,}".replace(",", NARROW).replace("-", "\u2212")
