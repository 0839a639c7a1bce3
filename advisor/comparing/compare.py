"""compare(runs): the first run against the last, and all of them in a row."""

from __future__ import annotations

from typing import List, NamedTuple, Sequence, Tuple

from advisor.comparing.attribution import attribute
from advisor.comparing.comparable import other_program, refusals, remarks
from advisor.comparing.differences import differences
from advisor.comparing.no_core import divided, known, no_core
from advisor.comparing.noise import busiest, noise_of
from advisor.comparing.reading import readings
from advisor.comparing.scaling import points
from advisor.model.comparison import Comparison, Elapsed, Judged
from advisor.model.errors import UserError
from advisor.model.finding import Advice


class Measured(NamedTuple):
    """One run: what the rules said, with its measures inside, and where its time went."""

    advice: Advice
    elapsed: Elapsed


def compare(
    runs: Sequence[Measured],
    repeats: Sequence[Measured] = (),
    weak: bool = False,
    force: bool = False,
) -> Comparison:
    """Compare two runs or more. `repeats`: more runs of the first one's configuration, from which
    the noise is told.

    METRICS 15: seconds where program, ranks and phase agree, else shares of each run's own time.
    Raises UserError below two runs, and for two programs unless `force`.
    """
    if len(runs) < 2:
        raise UserError(
            "A comparison needs two results.", do="Name the result before and the result after."
        )
    first, last = runs[0], runs[-1]
    measures = (first.advice.measures, last.advice.measures)
    for reason in other_program(*measures) if not force else ():
        raise UserError(
            reason,
            "Nothing that is said of one says anything of the other.",
            "To compare shares of each run's own time all the same: --force",
        )
    refused = refusals(*measures)
    old, new, *more = _with_cores([first, last, *repeats])
    noise = noise_of([old, *more])
    base, unit, total, parts = attribute(old.elapsed, new.elapsed, noise, shares=bool(refused))
    return Comparison(
        points=points(runs, weak),
        refused=refused,
        remarks=remarks(*measures, first.elapsed, last.elapsed),
        base=base,
        unit=unit,
        total=total,
        parts=parts,
        ranks=(first.elapsed.rank, last.elapsed.rank),
        noise=noise.of_elapsed,
        readings=readings(*measures),
        differences=differences(*(run.advice.measures.profile for run in (first, last))),
        findings=judged(first.advice, last.advice),
        loads=(busiest(measures[0]), busiest(measures[1])),
        no_core=(no_core(measures[0]), no_core(measures[1])),
        weak=weak,
    )


def _with_cores(runs: Sequence[Measured]) -> List[Measured]:
    """The runs with their time without a core as a piece of its own, where all of them know it: a
    row that one run lacks would be no change."""
    if not all(known(run.advice.measures, run.elapsed) for run in runs):
        return list(runs)
    return [run._replace(elapsed=divided(run.advice.measures, run.elapsed)) for run in runs]


def judged(before: Advice, after: Advice) -> Tuple[Judged, ...]:
    """What the rules found only after, in both, and only before; in the order in which it is worth
    doing."""
    old, new = (
        {finding.rule: finding for finding in advice.findings} for advice in (before, after)
    )
    entries = [
        (finding, "unchanged" if finding.rule in old else "new") for finding in after.findings
    ]
    entries += [(finding, "absent") for finding in before.findings if finding.rule not in new]
    order = ("new", "unchanged", "absent")
    entries.sort(key=lambda entry: order.index(entry[1]))
    return tuple(
        Judged(one.rule, one.title, one.severity, state, one.subject) for one, state in entries
    )
