"""What ran: the reader checks that it is the right run."""

from __future__ import annotations

import os
from datetime import datetime
from typing import Tuple

from advisor.base.numbers import counted, percent, seconds
from advisor.model.library import TITLES
from advisor.reports.document import Head
from advisor.reports.lookup import Lookup


def head(run: Lookup) -> Head:
    """Program, size, seconds, library and the details of the run."""
    return Head(program_name(run), _size(run), _elapsed(run), library_name(run), _details(run))


def program_name(run: Lookup) -> str:
    """The program without its folder."""
    return os.path.basename(run.text("run.program") or run.profile.run.program) or "a program"


def library_name(run: Lookup) -> str:
    """ "Open MPI 4.1.4 (ob1)"; the name as users write it, with the channel where it is known."""
    library = run.profile.library
    name = TITLES.get(library.name, "" if library.name == "unknown" else library.name)
    device = run.text("library.device")
    words = [
        name or "unknown MPI library",
        library.version if name else "",
        f"({device})" if device else "",
    ]
    return " ".join(filter(None, words))


def _size(run: Lookup) -> str:
    ranks, hosts = run.number("run.ranks"), run.number("run.nodes")
    if ranks is None:
        return ""
    # Ranks that did not report may have been on hosts that nobody saw.
    least = "at least " if run.number("run.missing_ranks") else ""
    return counted(ranks, "rank") + (
        "" if hosts is None else f" on {least}{counted(hosts, 'host')}"
    )


def _elapsed(run: Lookup) -> str:
    return "" if run.number("run.time") is None else seconds(run.number("run.time"))


def _details(run: Lookup) -> Tuple[str, ...]:
    facts = run.profile.run
    per_host, threads = run.number("run.ranks_per_node"), run.number("run.threads")
    start = run.number("run.startup_share")
    return tuple(
        filter(
            None,
            (
                (
                    f"{counted(per_host, 'rank')} a host"
                    if per_host and (run.number("run.nodes") or 1) > 1
                    else ""
                ),
                f"{counted(threads, 'thread')} a rank" if threads else "",
                (
                    f"start-up {percent(start)} of the job's {seconds(run.number('run.job_time'))}"
                    if start and start >= 0.05
                    else ""
                ),
                f"job {facts.job}" if facts.job else "",
                _date(facts.started),
            ),
        )
    )


def _date(text: str) -> str:
    """ISO 8601 as people write it: 14 Oct 2026, 09:12."""
    try:
        when = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return text
    return f"{when.day} {when:%b %Y, %H:%M}"
