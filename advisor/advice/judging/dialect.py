"""Advice that says in brackets what each batch system calls a thing: of these the one in use is
enough."""

from __future__ import annotations

import re
from functools import partial

from advisor.model.message import changed

_NAMES = {"slurm": "Slurm", "pbs": "PBS", "lsf": "LSF", "sge": "SGE", "pjm": "PJM"}
_WORD = "|".join(_NAMES.values())
_LIST = re.compile(rf"([(（])((?:{_WORD}): [^()（）]*?[;；] ?(?:{_WORD}): [^()（）]*)([)）])")
"""Two or more, also with the brackets of other languages."""
_NEXT = re.compile(rf"[;；] ?(?=(?:{_WORD}): )")


def for_scheduler(text: str, scheduler: str) -> str:
    """The text with the words of this batch system alone; as it is where it has none for it."""
    name = _NAMES.get(scheduler.lower(), "")
    return changed(text, partial(_only, name)) if name and _LIST.search(text) else text


def _only(name: str, text: str) -> str:
    def chosen(match: "re.Match[str]") -> str:
        begin, listed, end = match.groups()
        own = [part for part in _NEXT.split(listed) if part.startswith(f"{name}: ")]
        return f"{begin}{own[0].partition(': ')[2]}{end}" if own else match.group()

    return _LIST.sub(chosen, text)
