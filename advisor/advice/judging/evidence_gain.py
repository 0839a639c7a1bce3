"""Gains from the records that are nearest to a run, their losers in (METRICS 15)."""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Sequence, Tuple

from advisor.advice.judging.nearest_evidence import (
    Here,
    Near,
    differences,
    here,
    nearest,
    within_reach,
)
from advisor.advice.judging.prediction_interval import ENOUGH, saved
from advisor.advice.language.scope import Scope
from advisor.advice.rulebook.schema import RECORDS
from advisor.base.numbers import counted, time_saved
from advisor.model.message import message
from advisor.model.record import OPERATION, PAIR, SLOWER, Record
from advisor.model.rule import Gain, Rule

_MOST_SOURCES = 3


class Rested(NamedTuple):
    """low <= high in shares of elapsed, and what they rest on; or `reason`, why there is no
    number."""

    low: float = 0.0
    high: float = 0.0
    source: str = ""
    reason: str = ""


def rested(rule: Rule, scope: Scope, stake: float) -> Rested:
    """The interval of the nearest records. `stake`: share of elapsed that the advice is about.

    The next one lies inside eight times of ten. Below 0: records lost, or so few scatter so much. A
    record that says "slower" without a number, and is as near as those that have one, keeps the low
    end from being above 0.
    """
    gain: Gain = rule.gain  # type: ignore[assignment]
    run = here(rule, scope)
    near = within_reach(gain.rests_on, run)
    chosen = nearest(near)
    if not chosen:
        return Rested(reason=no_basis(_too_few(gain, near)))
    ends = [_saved(each.record, stake) for each in chosen]
    low, high = saved([1 - each[0] for each in ends])[0], saved([1 - each[1] for each in ends])[1]
    if any(each.record.result == SLOWER and each.steps <= chosen[-1].steps for each in near):
        low = min(low, 0.0)
    if high <= 0:
        return Rested(
            reason=message(LOST_BY, reason=_source(gain, chosen, run)),
        )
    return Rested(low, high, _source(gain, chosen, run))


LOST_BY = "runs near this one lost by it: {reason}"
LOST = LOST_BY.partition(":")[0]


def too_far(rule: Rule, scope: Scope) -> str:
    """Why no number is known for this run, though the gain rests on records; empty if enough of
    them are near, or it rests on something else."""
    gain = rule.gain
    if gain is None or gain.basis != RECORDS:
        return ""
    near = within_reach(gain.rests_on, here(rule, scope))
    return "" if nearest(near) else _too_few(gain, near)


def _saved(record: Record, stake: float) -> Tuple[float, float]:
    """Share of elapsed that a record lets expect, at least and at most.

    Of calls it goes by the time at stake. Of a whole run it is not known how much of it these calls
    took there: what was saved lies between that share of the time at stake and that share of
    elapsed; and so does what was lost.
    """
    ends = (record.saved * stake, record.saved * stake if record.of == OPERATION else record.saved)
    return min(ends), max(ends)


def _too_few(gain: Gain, near: Sequence[Near]) -> str:
    known, pairs = _pairs(gain), sum(each.record.reported == PAIR for each in near)
    if not known:
        return message(
            "what is published on {topic} is the best of several, or without a number",
            topic=gain.records,
        )
    return (
        f"{pairs or 'none'} of {counted(known, 'pair')} on {gain.records}"
        f" {'is' if pairs == 1 else 'are'} near enough to this run; {ENOUGH} are needed"
    )


def no_basis(reason: str) -> str:
    """Why there is no number, as reports tell it from why a number is withheld."""
    return message("no basis for a number: {reason}", reason=reason)


def _pairs(gain: Gain) -> int:
    return sum(record.reported == PAIR for record in gain.rests_on)


def _source(gain: Gain, chosen: Sequence[Near], run: Here) -> str:
    """How many pairs of which topic, in what they differ from this run, the range of their ratios,
    and where they stand."""
    ratios = sorted(each.record.ratio for each in chosen)  # type: ignore[type-var]
    slower = sum(ratio > 1 for ratio in ratios)  # type: ignore[operator]
    parts = [
        (
            f"{len(chosen)} of {counted(_pairs(gain), 'pair')} on {gain.records},"
            f" {_how_near(chosen, run)}"
        ),
        f"they took {time_saved(*ratios)}" + (f", {slower} of them longer" if slower else ""),  # type: ignore[arg-type]
        *(
            ["other things were changed at once"]
            if any(each.record.together for each in chosen)
            else []
        ),
        *_sources(chosen),
    ]
    return "; ".join(parts)


def _how_near(chosen: Sequence[Near], run: Here) -> str:
    seen: Dict[str, None] = {}
    for each in chosen:
        seen.update(dict.fromkeys(differences(each.record, run)))
    names = list(seen)
    if not names:
        return "from runs like this one"
    return (
        "from runs like this one but for"
        f" {' and '.join(filter(None, (', '.join(names[:-1]), names[-1])))}"
    )


def _sources(chosen: Sequence[Near]) -> List[str]:
    sources = list(dict.fromkeys(each.record.source for each in chosen))
    more = [f"and {len(sources) - _MOST_SOURCES} more"] if len(sources) > _MOST_SOURCES else []
    return sources[:_MOST_SOURCES] + more
