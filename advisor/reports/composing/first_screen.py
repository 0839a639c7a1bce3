"""Advice → FirstScreen. What has room on it, and where, is for the renderers."""

from __future__ import annotations

import shlex
from typing import Sequence, Tuple

from advisor.base.numbers import counted, seconds
from advisor.model.finding import Advice
from advisor.model.message import message
from advisor.reports.composing.actions import Line, actions, result_of
from advisor.reports.composing.head import head
from advisor.reports.composing.headline import verdict
from advisor.reports.composing.top_calls import top_calls
from advisor.reports.composing.trust import checks, preview, trust
from advisor.reports.composing.whole_run import by_role, parts, whole
from advisor.reports.document import Item, Silences
from advisor.reports.first_screen import FirstScreen
from advisor.reports.lookup import Lookup


def first_screen(
    run: Lookup,
    advice: Advice,
    items: Sequence[Item],
    silences: Silences,
    line: Line,
    next_: Tuple[str, str],
) -> FirstScreen:
    """`line`: settings → the user's launch line with them. `next_`: the command to go on with."""
    todo, more = actions(run, advice, items, line)
    name = shlex.quote(result_of(run))
    return FirstScreen(
        run=_run(run),
        preview=preview(run),
        verdict=verdict(run, by_role(run), not todo),
        whole=whole(run) if by_role(run) else 0.0,
        parts=parts(run),
        calls=top_calls(run),
        actions=todo,
        more=more,
        trust=trust(run),
        checks=checks(silences, len(items)),
        full=f"advisor report {name} --full",
        next=next_,
        requests=tuple(
            dict.fromkeys(each.request for entry in items for each in entry.actions if each.request)
        ),
    )


def _run(run: Lookup) -> Tuple[str, ...]:
    """Program, size, seconds, library, job."""
    known, all_ = head(run), whole(run)
    job = run.profile.run.job
    return tuple(
        filter(
            None,
            (
                known.program,
                _size(run),
                seconds(all_) if all_ else "",
                known.library,
                message("job {job}", job=job) if job else "",
            ),
        )
    )


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
