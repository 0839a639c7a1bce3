"""What ran: the reader checks that it is the right run."""

from __future__ import annotations

import os
from datetime import datetime
from typing import Tuple

from advisor.base.numbers import counted, percent, seconds
from advisor.model.library import TITLES
from advisor.model.message import joined, message
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
        name or message("unknown MPI library"),
        library.version if name else "",
        f"({device})" if device else "",
    ]
    return joined(" ", filter(None, words))


def _size(run: Lookup) -> str:
    ranks, hosts = run.number("run.ranks"), run.number("run.nodes")
    if ranks is None:
        return ""
    # Ranks that did not report may have been on hosts that nobody saw.
    if hosts is None:
        return counted(ranks, "rank")
    known = {"ranks": counted(ranks, "rank"), "hosts": counted(hosts, "host")}
    if run.number("run.missing_ranks"):
        return message("{ranks} on at least {hosts}", **known)
    return message("{ranks} on {hosts}", **known)


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
                    message("{ranks} a host", ranks=counted(per_host, "rank"))
                    if per_host and (run.number("run.nodes") or 1) > 1
                    else ""
                ),
                (
                    message("{threads} a rank", threads=counted(threads, "thread"))
                    if threads
                    else ""
                ),
                (
                    message(
                        "start-up {share} of the job's {time}",
                        share=percent(start),
                        time=seconds(run.number("run.job_time")),
                    )
                    if start and start >= 0.05
                    else ""
                ),
                f"job {facts.job}" if facts.job else "",
                date(facts.started),
            ),
        )
    )


def date(text: str) -> str:
    """ISO 8601 as people write it: 14 Oct 2026, 09:12."""
    try:
        when = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return text
    return f"{when.day} {when:%b %Y, %H:%M}"
