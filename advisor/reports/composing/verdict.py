"""One to three sentences: may be all that is read."""

from __future__ import annotations

from typing import Tuple

from advisor.base.numbers import HARD, MINUS, between_seconds, counted, percent, seconds, reported
from advisor.model.finding import Advice, State, Verdict
from advisor.model.interval import interval
from advisor.reports.composing.no_core import no_core_sentence
from advisor.reports.composing.splitting import Bounds, lower_bound as waiting, sampled, sign, split
from advisor.reports.composing.unexplained import unexplained_sentence
from advisor.reports.document import Item, Sentence, Span
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
            _of("No MPI setting helps here; " + _whom(advice)),
            mpi_sentence(run),
            *_first(run, items),
        )
    return (*no_core_sentence(run), mpi_sentence(run), *_first(run, items))


def nothing_measured(run: Lookup) -> Tuple[Sentence, ...]:
    """The reason and the one next step, as far as they are known."""
    gap = next(iter(run.measures.gaps or run.profile.gaps), None)
    if gap is None:
        return (
            _of("Nothing was measured: no rank left a record."),
            _of("`advisor doctor` says what can be measured here."),
        )
    # Darshan times files, Score-P without the program's regions its MPI calls: something was
    # measured there, though not what this line is about.
    is_empty = run.number("run.time") is None and run.number("run.mpi_time") is None
    lacking = "Nothing was measured" if is_empty else "How much of the run was MPI is not known"
    reason = f"{lacking}: {gap.reason.rstrip('.')}."
    # Collectors give a whole sentence, readers of other tools' files what a table has room for.
    step = f"To know it: {gap.collect.rstrip('.')}." if gap.collect[:1].islower() else gap.collect
    return (_of(reason), _of(step)) if step else (_of(reason),)


def mpi_sentence(run: Lookup) -> Sentence:
    """How much of the run was MPI, and what is known of the waiting in it."""
    share, mpi = run.number("run.mpi_share"), run.number("run.mpi_time")
    start = f"{percent(share)} of the run was MPI"
    low = waiting(run)
    if not mpi:
        return _of(start + ".")
    if sampled(run):
        return _sampled_sentence(run, start, mpi)
    if low is None:
        return _of(start + "; how much of that was waiting could not be told.")
    if low >= 0.5 * mpi:
        amount = "nearly all" if low >= 0.9 * mpi else "more than half"
        return (Span(f"{start}, and {amount} of that was "), Span("waiting", "waiting"), Span("."))
    if low >= 0.1 * mpi:
        return (
            Span(f"{start}, and at least {seconds(low)} of that was "),
            Span("waiting", "waiting"),
            Span("."),
        )
    if low > 0:
        return (
            Span(f"{start}; between {seconds(low)} and {seconds(mpi)} of that was "),
            Span("waiting", "waiting"),
            Span("."),
        )
    return (
        Span(f"{start}; how much of that was "),
        Span("waiting", "waiting"),
        Span(" is not known."),
    )


def _sampled_sentence(run: Lookup, start: str, mpi: float) -> Sentence:
    """31.2 % of the run was MPI: ~31 s waiting for late ranks, ~9 s moving data; 93 % of the
    waiting was for rank 3."""
    parts, about = split(run, mpi), sign(run)
    reach = interval(parts.waiting, *parts.waiting_bounds) if about else None
    if reach is not None and reach.low is None and reach.high >= NEARLY * mpi:  # type: ignore[operator]
        return _of(start + "; how much of that was waiting could not be told.")
    waited, moved = (
        _part(parts.waiting, parts.waiting_bounds, about),
        _part(parts.moving, parts.moving_bounds, about),
    )
    spans = [
        Span(f"{start}: {waited} "),
        Span("waiting", "waiting"),
        Span(f" for late ranks, {moved} "),
    ]
    spans.append(Span("moving data", "moving"))
    if parts.polling >= UNSPLIT * mpi:
        spans.append(Span(f", {seconds(parts.polling)} polling in vain"))
    if parts.unsplit >= UNSPLIT * mpi:
        spans.append(Span(f", {seconds(parts.unsplit)} not split"))
    rank, share = run.number("run.delaying_rank"), run.number("run.delaying_rank_share")
    several = (run.number("run.ranks") or 0) > 2
    if (
        several
        and rank is not None
        and share is not None
        and share > PERSISTENT
        and parts.waiting >= UNSPLIT * mpi
    ):
        spans.append(Span(f"; {about}{percent(share)} of the waiting was for rank {rank:.0f}"))
    return (*spans, Span("."))


def _part(value: float, bounds: Bounds, about: str) -> str:
    return reported(interval(value, *bounds) if about else None, about + seconds(value), seconds)


def _first(run: Lookup, items: Tuple[Item, ...]) -> Tuple[Sentence, ...]:
    """The finding on top, with its gain; not the one that the verdict began with."""
    said = (_NO_CORE,) if no_core_sentence(run) else ()
    top = next((item for item in items if item.rule not in said), None)
    if top is None:
        return ()
    if top.gain is None or top.gain.high <= 0:
        return (_of(top.title + "."),)
    if top.gain.low < 0:
        saved, lost = _either_way(top.gain.low, top.gain.high)
        return (_of(f"{top.title}; changing that may save {saved}, or cost {lost}."),)
    return (
        _of(f"{top.title}; curing that may save {between_seconds(top.gain.low, top.gain.high)}."),
    )


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
        "developer": "the cause is in the program: ask its developers.",
        "centre": "ask your centre.",
        "you": (
            "what can be changed is how the work is laid out, in your input or your launch line."
        ),
    }.get(who, f"ask {who}.")


def _nothing_found(run: Lookup, advice: Advice) -> Tuple[Sentence, ...]:
    looked = sum(silence.verdict is Verdict.CLEAR for silence in advice.silences)
    text = f"{counted(looked, 'rule')} could look and found nothing to change."
    # The rule on cores may not be able to look: other tools do not tell how ranks were placed.
    return (
        *no_core_sentence(run),
        _of(f"{text} MPI took {percent(run.number('run.mpi_share'))} of elapsed."),
    )


def _of(text: str) -> Sentence:
    return (Span(text),)
