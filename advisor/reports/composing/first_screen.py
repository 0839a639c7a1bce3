"""Advice → FirstScreen. What has room on it, and where, is for the renderers."""

from __future__ import annotations

import os
import re
import shlex
from typing import Callable, Dict, Sequence, Tuple

from advisor.base.numbers import counted, seconds
from advisor.model.finding import Advice, State
from advisor.model.library import MADE_FROM, OPEN_MPI, TITLES
from advisor.model.message import message
from advisor.reports.composing.actions import (
    PICKLED,
    Line,
    actions,
    least_worth,
    policies,
    result_of,
)
from advisor.reports.composing.head import date, head, program_name
from advisor.reports.composing.headline import is_of_balance, is_of_cores, of_pickling, verdict
from advisor.reports.composing.top_calls import top_calls
from advisor.reports.composing.trust import checks, preview, trust
from advisor.reports.composing.whole_run import by_role, parts, whole
from advisor.reports.document import Item, Silences
from advisor.reports.first_screen import Advised, FirstScreen
from advisor.reports.grouping import lacking, ways
from advisor.reports.lookup import Lookup

_INTERPRETER = re.compile(r"python[0-9.]*$")


def first_screen(
    run: Lookup,
    advice: Advice,
    items: Sequence[Item],
    silences: Silences,
    line: Line,
    next_: Callable[[bool], Tuple[str, str]],
    worth: str = "",
) -> FirstScreen:
    """`line`: settings → the user's launch line with them. `next_`: the command to go on with,
    given whether an action offers settings. `worth`: of the whole run."""
    known = by_role(run)
    starved = is_of_cores(verdict(run, known, False))
    todo, more = actions(run, advice, items, line, starved)
    name = shlex.quote(result_of(run))
    return FirstScreen(
        run=(*_run(run), *filter(None, (worth,))),
        preview=preview(run),
        verdict=_verdict(run, known, todo, items),
        whole=whole(run) if known else 0.0,
        parts=parts(run),
        calls=top_calls(run),
        policies=policies(advice, items),
        actions=todo,
        more=more,
        trust=trust(run),
        checks=checks(silences, len(items), "" if todo or not items else least_worth(run)),
        full=f"advisor report {name} --full",
        result=name,
        next=next_(any(_sets(items, each.finding) for each in todo)),
        requests=_requests(run, items),
        ticket=run.profile.run.note,
        unchecked=_unchecked(run, silences),
    )


def _verdict(
    run: Lookup, known: Dict[str, float], todo: Sequence[Advised], items: Sequence[Item]
) -> str:
    """Of the run; the first action is about what it names."""
    said = verdict(run, known, not todo)
    first = next((item.rule for item in items if todo and item.number == todo[0].finding), "")
    if first in PICKLED and is_of_balance(said):
        return of_pickling(known, whole(run))
    return said


def _sets(items: Sequence[Item], number: int) -> bool:
    """Whether the finding of that number offers a setting; 0 is no finding."""
    return number > 0 and any(
        each.kind in ("launch", "set") and each.state == State.DOABLE.value
        for each in items[number - 1].actions
    )


def _unchecked(run: Lookup, silences: Silences) -> str:
    """How many checks were not made, and what to collect for them under the library of the run."""
    if not silences.unknown:
        return ""
    library = run.profile.library.name
    lacks = [
        lack._replace(collect=_under(library, lack.collect)) for lack in lacking(silences.unknown)
    ]
    how = ways(lacks)
    all_ = counted(len(silences.unknown), "check")
    return message("{checks}; to make them: {how}", checks=all_, how=how) if how else all_


def _under(library: str, collect: str) -> str:
    """Of ways that are each for one MPI library, "Open MPI: …; MPICH: …", that for this one."""
    named = [part.partition(": ")[::2] for part in collect.split("; ")]
    if not all(title in TITLES.values() and how for title, how in named):
        return collect
    family = "Open MPI" if library in OPEN_MPI else TITLES.get(MADE_FROM.get(library, library), "")
    return next((how for title, how in named if title == family), collect)


def _requests(run: Lookup, items: Sequence[Item]) -> Tuple[str, ...]:
    """What the centre is asked for, with the job and the seconds at stake, in English: nobody knows
    which language the centre reads."""
    job, when = run.profile.run.job, date(run.profile.run.started)
    nodes = run.number("run.nodes")
    known = filter(
        None,
        (
            f"Job {job}" if job else "",
            when,
            program_name(run),
            counted(nodes, "node") if nodes else "",
        ),
    )
    line = ", ".join(str(part) for part in known)
    found: Dict[str, str] = {}
    for entry in items:
        for each in entry.actions:
            if each.request:
                stake = (
                    f"; at stake: {entry.gain.text} of {seconds(whole(run))}" if entry.gain else ""
                )
                found.setdefault(each.request, f"{line}{stake}.\n{each.request}")
    return tuple(found.values())


def _run(run: Lookup) -> Tuple[str, ...]:
    """Program, size, seconds, library, job."""
    known, all_ = head(run), whole(run)
    job = run.profile.run.job
    return tuple(
        filter(
            None,
            (
                _program(run, known.program),
                _size(run),
                seconds(all_) if all_ else "",
                known.library,
                message("job {job}", job=job) if job else "",
            ),
        )
    )


def _program(run: Lookup, name: str) -> str:
    """An interpreter runs a script, and that is what its user calls the program."""
    first = next(iter(run.profile.run.arguments), "")
    script = os.path.basename(first)
    return f"{name} {script}" if _INTERPRETER.match(name) and script.endswith(".py") else name


def _size(run: Lookup) -> str:
    """ "64 ranks × 8 threads on 2 nodes"."""
    ranks, threads, nodes = (run.number(f"run.{name}") for name in ("ranks", "threads", "nodes"))
    if ranks is None:
        return ""
    size: str = counted(ranks, "rank")
    if threads:
        size = message("{ranks} \u00d7 {threads}", ranks=size, threads=counted(threads, "thread"))
    if nodes is None:
        return size
    known = {"size": size, "nodes": counted(nodes, "node")}
    # Ranks that did not report may have been on nodes that nobody saw.
    if run.number("run.missing_ranks"):
        return message("{size} on at least {nodes}", **known)
    return message("{size} on {nodes}", **known)
