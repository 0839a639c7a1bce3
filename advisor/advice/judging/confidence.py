"""Requirements on how the run was placed, in profiles of tools that do not record it: they put in
doubt, they do not silence."""

from __future__ import annotations

from dataclasses import replace

from advisor.advice.language.unknown import Unknown
from advisor.model.finding import Finding
from advisor.model.message import message
from advisor.model.profile import Profile

PLACEMENT = frozenset({"run.no_core_share", "run.oversubscription"})
"""Nearly all rules require that ranks had cores of their own. Only our collector records what that
takes."""


PROGRAM = frozenset({"application", "application.name"})
"""Rules leave a few programs to rules of their own. One that nobody recorded is not silenced by
that."""


def is_tolerable(unknown: Unknown, profile: Profile) -> bool:
    """Whether an unknown requirement may be taken as fulfilled: another tool's file, and nothing
    but placement, of which a word of doubt is said, or the program's name is missing."""
    return (
        profile.run.collector != "pmpi"
        and bool(unknown.missing)
        and all(each.name in PLACEMENT | PROGRAM for each in unknown.missing)
    )


def with_low_confidence(finding: Finding, unknown: Unknown) -> Finding:
    """The finding with that doubt said, and no more than low confidence."""
    placement = [each for each in unknown.missing if each.name in PLACEMENT]
    if not placement:
        return finding
    text = message(
        "Whether ranks had cores of their own is not known: {reason}. If they had not, times in MPI"
        " say little.",
        reason=placement[0].reason,
    )
    return replace(finding, confidence="low", hurts=(text, *finding.hurts))
