"""One to three sentences: may be all that is read."""

from __future__ import annotations

from typing import List, Mapping, Tuple

from advisor.base.numbers import HARD, MINUS, between_seconds, counted, percent, seconds, reported
from advisor.model.finding import Advice, State, Verdict
from advisor.model.interval import interval
from advisor.model.message import behind, joined, message, unstopped
from advisor.reports.composing.no_core import no_core_sentence
from advisor.reports.composing.splitting import Bounds, lower_bound as waiting, sampled, sign, split
from advisor.reports.composing.unexplained import unexplained_sentence
from advisor.reports.document import Item, Sentence
from advisor.reports.lookup import Lookup

UNSPLIT = 0.1
"""Of MPI: smaller parts are not worth a word in a verdict."""
NEARLY = 0.9
"""Of MPI: what was between nothing and so much, as where ranks had no core for most of it, is not
known."""
PERSISTENT = 0.5
"""Of all waiting: from here on one rank is named. METRICS 3.3."""
_NO_CORE = "cores-taken-by-others"
"""The rule whose finding says what the sentence on time without a core has said."""
_SETTINGS = (State.DOABLE, State.REQUEST)


def verdict(run: Lookup, advice: Advice, items: Tuple[Item, ...]) -> Tuple[Sentence, ...]:
    """What the run was, what to do first, and what nothing explains."""
    if run.number("run.mpi_share") is None:
        return nothing_measured(run)
    return (*_judged(run, advice, items), *unexplained_sentence(run, advice))


def _judged(run: Lookup, advice: Advice, items: Tuple[Item, ...]) -> Tuple[Sentence, ...]:
    # a sentence above says so: no more is promised here
    if run.truth("run.representative") is False:
        return (*no_core_sentence(run), mpi_sentence(run), *_first(run, items))
    if not items:
        return _nothing_found(run, advice)
    helpless = not any(finding.state in _SETTINGS for finding in advice.findings)
    if helpless:
        return (
            *no_core_sentence(run),
            Sentence(message("No MPI setting helps here; {whom}", whom=_whom(advice))),
            mpi_sentence(run),
            *_first(run, items),
        )
    return (*no_core_sentence(run), mpi_sentence(run), *_first(run, items))


def nothing_measured(run: Lookup) -> Tuple[Sentence, ...]:
    """The reason and the one next step, as far as they are known."""
    gap = next(iter(run.measures.gaps or run.profile.gaps), None)
    if gap is None:
        return (
            Sentence(message("Nothing was measured: no rank left a record.")),
            Sentence(message("`advisor doctor` says what can be measured here.")),
        )
    # Darshan times files, Score-P without the program's regions its MPI calls: something was
    # measured there, though not what this line is about.
    is_empty = run.number("run.time") is None and run.number("run.mpi_time") is None
    why = unstopped(gap.reason)
    reason = Sentence(
        message("Nothing was measured: {reason}.", reason=why)
        if is_empty
        else message("How much of the run was MPI is not known: {reason}.", reason=why)
    )
    # Collectors give a whole sentence, readers of other tools' files what a table has room for.
    step = (
        message("To know it: {step}.", step=unstopped(gap.collect))
        if gap.collect[:1].islower()
        else gap.collect
    )
    return (reason, Sentence(step)) if step else (reason,)


def mpi_sentence(run: Lookup) -> Sentence:
    """How much of the run was MPI, and what is known of the waiting in it."""
    share, mpi = run.number("run.mpi_share"), run.number("run.mpi_time")
    known, low = {"share": percent(share)}, waiting(run)
    if not mpi:
        return Sentence(message("{share} of the run was MPI.", **known))
    if sampled(run):
        return _sampled_sentence(run, percent(share), mpi)
    if low is None:
        return Sentence(_NOT_TOLD.of(**known))
    return Sentence(_at_least(low, mpi, known), (_WAITING,))


_NOT_TOLD = message("{share} of the run was MPI; how much of that was waiting could not be told.")
_WAITING, _MOVING = ("waiting", message("waiting")), ("moving", message("moving data"))
"""Words of the verdict that have the colour of their part of the bar."""


def _at_least(low: float, mpi: float, known: Mapping[str, str]) -> str:
    if low >= 0.9 * mpi:
        return message("{share} of the run was MPI, and nearly all of that was waiting.", **known)
    if low >= 0.5 * mpi:
        return message(
            "{share} of the run was MPI, and more than half of that was waiting.", **known
        )
    if low >= 0.1 * mpi:
        return message(
            "{share} of the run was MPI, and at least {time} of that was waiting.",
            **known,
            time=seconds(low),
        )
    if low > 0:
        return message(
            "{share} of the run was MPI; between {low} and {high} of that was waiting.",
            **known,
            low=seconds(low),
            high=seconds(mpi),
        )
    return message(
        "{share} of the run was MPI; how much of that was waiting is not known.", **known
    )


def _sampled_sentence(run: Lookup, share: str, mpi: float) -> Sentence:
    """31.2 % of the run was MPI: ~31 s waiting for late ranks, ~9 s moving data; 93 % of the
    waiting was for rank 3."""
    parts, about = split(run, mpi), sign(run)
    reach = interval(parts.waiting, *parts.waiting_bounds) if about else None
    if reach is not None and reach.low is None and reach.high >= NEARLY * mpi:  # type: ignore[operator]
        return Sentence(_NOT_TOLD.of(share=share))
    waited, moved = (
        _part(parts.waiting, parts.waiting_bounds, about),
        _part(parts.moving, parts.moving_bounds, about),
    )
    spent: List[str] = [
        message("{time} waiting for late ranks", time=waited),
        message("{time} moving data", time=moved),
    ]
    if parts.polling >= UNSPLIT * mpi:
        spent.append(message("{time} polling in vain", time=seconds(parts.polling)))
    if parts.unsplit >= UNSPLIT * mpi:
        spent.append(message("{time} not split", time=seconds(parts.unsplit)))
    known = {"share": share, "parts": joined(", ", spent)}
    rank, caused = run.number("run.delaying_rank"), run.number("run.delaying_rank_share")
    several = (run.number("run.ranks") or 0) > 2
    if (
        several
        and rank is not None
        and caused is not None
        and caused > PERSISTENT
        and parts.waiting >= UNSPLIT * mpi
    ):
        text = message(
            "{share} of the run was MPI: {parts}; {part} of the waiting was for rank {rank}.",
            **known,
            part=behind(about, percent(caused)),
            rank=f"{rank:.0f}",
        )
    else:
        text = message("{share} of the run was MPI: {parts}.", **known)
    return Sentence(text, (_WAITING, _MOVING))


def _part(value: float, bounds: Bounds, about: str) -> str:
    return reported(
        interval(value, *bounds) if about else None, behind(about, seconds(value)), seconds
    )


def _first(run: Lookup, items: Tuple[Item, ...]) -> Tuple[Sentence, ...]:
    """The finding on top, with its gain; not the one that the verdict began with."""
    said = (_NO_CORE,) if no_core_sentence(run) else ()
    top = next((item for item in items if item.rule not in said), None)
    if top is None:
        return ()
    if top.gain is None or top.gain.high <= 0:
        return (Sentence(message("{finding}.", finding=top.title)),)
    if top.gain.low < 0:
        saved, lost = _either_way(top.gain.low, top.gain.high)
        text = message(
            "{finding}; changing that may save {gain}, or cost {cost}.",
            finding=top.title,
            gain=saved,
            cost=lost,
        )
    else:
        text = message(
            "{finding}; curing that may save {gain}.",
            finding=top.title,
            gain=between_seconds(top.gain.low, top.gain.high),
        )
    return (Sentence(text),)


def _either_way(low: float, high: float) -> Tuple[str, str]:
    """Both ends as the finding prints them, each with the unit."""
    lower, _, upper = between_seconds(low, high).partition(" to ")
    return upper, lower.lstrip(MINUS) + HARD + upper.partition(HARD)[2]


def _whom(advice: Advice) -> str:
    """Whom to ask, from the remedies of the finding on top."""
    who = next(
        (step.who for finding in advice.findings for step in finding.steps if step.who), "you"
    )
    return {
        "developer": message("the cause is in the program: ask its developers."),
        "centre": message("ask your centre."),
        "you": message(
            "what can be changed is how the work is laid out, in your input or your launch line."
        ),
    }.get(who) or message("ask {who}.", who=who)


def _nothing_found(run: Lookup, advice: Advice) -> Tuple[Sentence, ...]:
    looked = sum(silence.verdict is Verdict.CLEAR for silence in advice.silences)
    text = message(
        "{rules} could look and found nothing to change. MPI took {share} of elapsed.",
        rules=counted(looked, "rule"),
        share=percent(run.number("run.mpi_share")),
    )
    # The rule on cores may not be able to look: other tools do not tell how ranks were placed.
    return (*no_core_sentence(run), Sentence(text))
