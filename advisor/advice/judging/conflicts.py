"""One value for each setting: findings that ask for the same one are made to agree."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Dict, Iterable, List, Optional, Sequence, Set, Tuple

from advisor.advice.judging.remedies import BETTER, settings_of, state_of
from advisor.advice.language.scope import View
from advisor.base import launcher_names
from advisor.model.finding import Finding, State, Step
from advisor.model.message import message

_KNOWN = "settings.known"
"""Fact of a probed library: the names of its settings, separated by blanks."""

_ASKED = ("OMPI_MCA_", "I_MPI_", "MPIR_CVAR_")
"""Names that an MPI library can list. Those of UCX, libfabric or OpenMP are not its own."""

_LAYER, _OTHERS, _BELOW = "OMPI_MCA_pml", ("ucx", "cm"), "OMPI_MCA_btl"
"""Open MPI's layer for messages; those that do not read the settings of the components below the
layer ob1; how these begin."""


def resolve_conflicts(
    findings: Sequence[Finding], view: View
) -> Tuple[List[Finding], Dict[str, str]]:
    """The findings, in their order, with conflicts solved; and the settings of all doable steps,
    one value a name.

    A step loses to a step of an earlier finding that wants another value, and says so. A finding
    whose only doable steps lost is withheld.
    """
    settings: Dict[str, str] = {}
    owner: Dict[str, str] = {}
    agreed: List[Finding] = []
    for finding in findings:
        steps = tuple(_checked(step, finding, settings, owner, view) for step in finding.steps)
        steps = _taken_first(steps, finding, settings, owner)
        state = state_of(steps) if set(steps) != set(finding.steps) else finding.state
        agreed.append(replace(finding, steps=steps, state=state))
    return agreed, settings


def _checked(
    step: Step, finding: Finding, settings: Dict[str, str], owner: Dict[str, str], view: View
) -> Step:
    if step.state not in (State.DOABLE, State.EXPERIMENT):
        return step
    wanted = settings_of(step)
    reason = ""
    if step.state is State.DOABLE:
        reason = _conflict(wanted, finding, settings, owner) or _dead(
            wanted, finding, settings, owner
        )
    reason = (
        reason
        or _in_force(wanted, view)
        or _not_known(wanted, view)
        or _another_launcher(step, view)
    )
    return replace(step, state=State.WITHHELD, reason=reason) if reason else step


def _conflict(
    wanted: Dict[str, str], finding: Finding, settings: Dict[str, str], owner: Dict[str, str]
) -> str:
    for name, value in wanted.items():
        if name in settings and settings[name] != value and owner[name] != finding.rule:
            return message(
                "{rule}, which may save more, asks for {setting}",
                rule=owner[name],
                setting=_written(name, settings[name]),
            )
    return ""


def _dead(
    wanted: Dict[str, str], finding: Finding, settings: Dict[str, str], owner: Dict[str, str]
) -> str:
    """Said if one of the two, the step or an earlier finding, sends messages by a layer that does
    not read what the other sets."""
    if {**settings, **wanted}.get(_LAYER) not in _OTHERS:
        return ""
    earlier = next(
        (name for name in settings if name.startswith(_BELOW) and owner[name] != finding.rule), None
    )
    if _LAYER in wanted and earlier:
        return message(
            "with it {setting} of {rule}, which may save more, would be without effect",
            setting=_written(earlier, settings[earlier]),
            rule=owner[earlier],
        )
    if (
        _LAYER in settings
        and owner[_LAYER] != finding.rule
        and any(name.startswith(_BELOW) for name in wanted)
    ):
        return message(
            "it is without effect with {setting} of {rule}, which may save more",
            setting=_written(_LAYER, settings[_LAYER]),
            rule=owner[_LAYER],
        )
    return ""


def _taken_first(
    steps: Tuple[Step, ...], finding: Finding, settings: Dict[str, str], owner: Dict[str, str]
) -> Tuple[Step, ...]:
    """The steps of one finding are alternatives: the first doable one that is a matter of settings
    goes onto the launch line, and leads. Those that lost go behind; the others keep their order."""
    lost = BETTER.index(State.EXPERIMENT)
    steps = tuple(sorted(steps, key=lambda each: max(BETTER.index(each.state), lost - 1)))
    taken = next((step for step in steps if step.state is State.DOABLE and settings_of(step)), None)
    if taken is None:
        return steps
    for name, value in settings_of(taken).items():
        settings.setdefault(name, value)
        owner.setdefault(name, finding.rule)
    return (taken, *(step for step in steps if step is not taken))


def _in_force(wanted: Dict[str, str], view: View) -> str:
    """Said if everything that the step asks for is already so."""
    names, values = view.cells("setting", "name") or [], view.cells("setting", "value") or []
    have = dict(zip(names, values))
    if wanted and all(have.get(name) == value for name, value in wanted.items()):
        settings = ", ".join(_written(name, value) for name, value in wanted.items())
        return message("already in force: {settings}", settings=settings)
    return ""


def _not_known(wanted: Dict[str, str], view: View) -> str:
    """Names that the probed library does not have; some libraries ignore these silently, some
    crash."""
    known = known_settings(view)
    unknown = [
        name
        for name in wanted
        if known is not None and name.startswith(_ASKED) and _bare(name) not in known
    ]
    if not unknown:
        return ""
    return message("this library has no setting {name}", name=", ".join(unknown))


def _another_launcher(step: Step, view: View) -> str:
    """Options of mpirun do not go onto a line of srun, nor the other way round."""
    asked, at_hand = (
        step.text.split(" ", 1)[0],
        os.path.basename(str((view.cells("run", "launcher") or [""])[0] or "")),
    )
    own_options = launcher_names.names_with("of_any_library")
    if step.kind != "launch" or asked == at_hand or not {asked, at_hand} & own_options:
        return ""
    if not at_hand:
        return ""
    return message(
        "these are options of {asked}, and this run was started by {launcher}",
        asked=asked,
        launcher=at_hand,
    )


def known_settings(view: View) -> Optional[Set[str]]:
    """Names of settings that the library was seen to have; None if nobody asked it."""
    fact = view.measures.profile.library.facts.get(_KNOWN)
    return set(str(fact.value).split()) if fact is not None and fact.value else None


def _bare(name: str) -> str:
    return name[len("OMPI_MCA_") :] if name.startswith("OMPI_MCA_") else name


def _written(name: str, value: str) -> str:
    return f"{name} {value}".strip() if name.startswith("-") else f"{name}={value}"
