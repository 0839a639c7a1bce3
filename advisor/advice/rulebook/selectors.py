"""Whom a remedy is for: a library and its versions, an application, a launcher, a scheduler."""

from __future__ import annotations

from typing import Mapping

from advisor.base import launcher_names
from advisor.model.library import SelectorError, parse_selector, selects

SCHEDULERS = ("slurm", "pbs", "lsf", "sge", "pjm")
OTHER = "other"
"""Selects where no other remedy of the rule does."""
_PREFIXES = ("app ", "launcher ")


class SelectorMistake(ValueError):
    """A selector that cannot be read; the message says what was expected."""


def check_selector(selector: str) -> None:
    """Raise SelectorMistake unless every part can be read."""
    if selector == OTHER:
        return
    for part in selector.split(" and "):
        part = part.strip()
        if (
            part in SCHEDULERS
            or part in launcher_names.short_names()
            or any(part.startswith(each) and part[len(each) :].strip() for each in _PREFIXES)
        ):
            continue
        try:
            parse_selector(part)
        except SelectorError as error:
            raise SelectorMistake(
                f'{error}; or "other" (where no other remedy fits), "app NAME", "launcher NAME",'
                f" {', '.join(SCHEDULERS)}"
            ) from None


def covers(selector: str, facts: Mapping[str, str]) -> bool:
    """Whether a selector covers this run. `facts`: library, version, application, launcher,
    scheduler."""
    return all(_covers(part.strip(), facts) for part in selector.split(" and "))


def _covers(part: str, facts: Mapping[str, str]) -> bool:
    if part.startswith("app "):
        return part[len("app ") :].strip().lower() == facts["application"].lower()
    if part.startswith("launcher "):
        return _same_launcher(part[len("launcher ") :].strip(), facts["launcher"])
    if part in SCHEDULERS:
        return facts["scheduler"].lower() == part or (
            part == "slurm" and _same_launcher("srun", facts["launcher"])
        )
    if part in launcher_names.short_names():
        return _same_launcher(part, facts["launcher"])
    return selects(part, facts["library"], facts["version"])


def _same_launcher(wanted: str, launcher: str) -> bool:
    """mpiexec.hydra is hydra, and /usr/bin/mpirun.openmpi is mpirun."""
    base = launcher.rpartition("/")[2]
    return bool(base) and (base == wanted or wanted in base.split("."))
