"""How well this was measured, and facts of the run and the library."""

from __future__ import annotations

import shlex
from typing import List, Mapping, Optional, Tuple

from advisor.base.numbers import count, counted, marked, percent, seconds, size
from advisor.model.finding import Advice
from advisor.model.message import behind, joined, message
from advisor.reports.composing.head import date, library_name
from advisor.reports.composing.splitting import sampled, sign
from advisor.reports.document import Line
from advisor.reports.figures import Cell, Grid, Heading
from advisor.reports.lookup import Lookup


def measurement(run: Lookup) -> Tuple[Line, ...]:
    """The honest-measurement box; lines whose numbers are not known are left out."""
    lines = (
        (message("Measured by"), _tool(run)),
        (message("Collector"), _collector(run)),
        (message("Ranks that reported"), _ranks(run)),
        (message("MPI calls seen"), _calls(run)),
        (message("Overhead"), _overhead(run)),
        (message("Own memory"), _own_memory(run)),
        (message("Clock error"), _clock(run)),
        (message("Waiting"), _waiting(run)),
        (message("Not kept apart"), _not_kept_apart(run)),
        (message("End of the run"), _ending(run)),
    )
    return tuple(Line(name, text) for name, text in lines if text)


def _collector(run: Lookup) -> str:
    """Said only of one that was not built for the library of the job."""
    fact = run.profile.library.facts.get("collector")
    return str(fact.value) if fact else ""


def _clock(run: Lookup) -> str:
    error = run.number("run.clock_error")
    if error is None:
        return ""
    if error:
        return seconds(error)
    if run.number("run.nodes") == 1:
        return message("none, all ranks share the clock of one host")
    return message("none")


def _ranks(run: Lookup) -> str:
    have, want = run.number("run.ranks_reported"), run.number("run.ranks_expected")
    have = run.number("run.ranks") if have is None else have
    if have is None:
        if want is None:
            return message("none of them")
        return message("none of {all}", all=f"{want:.0f}")
    known = {"have": f"{have:.0f}", "want": f"{want or 0:.0f}"}
    if want:
        return message("{have} of {want}", **known)
    return message("{have}, how many were started is not known", **known)


def _calls(run: Lookup) -> str:
    calls, rate = run.number("run.calls"), run.number("run.call_rate")
    if calls is None:
        return ""
    if not rate:
        return message("{calls} on all ranks", calls=count(calls))
    return message(
        "{calls} on all ranks, {rate} per second and rank", calls=count(calls), rate=count(rate)
    )


def _overhead(run: Lookup) -> str:
    """Two figures: recording distorts what is measured, the work at the end delays the job."""
    mean, most = run.number("run.overhead_share"), run.number("run.overhead_max_share")
    if mean is None:
        return ""
    share, end = marked(run.mark("run.overhead_share"), mean), run.number("run.end_delay")
    text = (
        message("{share} of elapsed time on average", share=share)
        if most is None
        else message(
            "{share} of elapsed time on average, {worst} of elapsed time on the worst rank",
            share=share,
            worst=percent(most),
        )
    )
    if end is None:
        return text
    return message(
        "{overhead}; at most {end} at the end of the job", overhead=text, end=seconds(end)
    )


def _own_memory(run: Lookup) -> str:
    most = run.number("run.collector_memory")
    return "" if most is None else message("{memory} in a rank", memory=size(most))


def _waiting(run: Lookup) -> str:
    low, high = run.bound("run.wait_time", "low"), run.bound("run.wait_time", "high")
    if run.number("run.mpi_time") is None:
        return ""
    if low is None or high is None:
        return message("? not known: no bound could be computed")
    if sampled(run):
        return _sampled(run, low, high)
    if run.profile.totals.wait_time is not None:
        return message(
            "{wait} a rank on average, as {tool} measured it", wait=seconds(low), tool=_tool(run)
        )
    return message(
        "~ between {low} and {high} a rank: bounds from durations, no waiting was measured"
        " directly",
        low=seconds(low),
        high=seconds(high),
    )


def _sampled(run: Lookup, low: float, high: float) -> str:
    """How much was split, from how many calls, and what the clocks could not tell."""
    table = run.profile.tables.get("waits", {})
    calls, of = (
        float(table[name].sum()) if name in table else None for name in ("sampled", "calls")
    )
    about = sign(run)
    wait = behind(about, seconds(run.number("run.wait_time")))
    told = (
        message(
            "{wait} a rank on average, two standard errors around it: {low} to {high}",
            wait=wait,
            low=seconds(low),
            high=seconds(high),
        )
        if about
        else message("{wait} a rank on average", wait=wait)
    )
    parts = [told, _split_from(about, run.number("run.wait_sampled_share"), calls, of)]
    unresolved = run.number("run.wait_unresolved_share") or 0.0
    if unresolved > 0:
        parts.append(
            message(
                "waits below the error of the clocks: {share} of elapsed time, not split",
                share=joined("", ("~", percent(unresolved))),
            )
        )
    return joined("; ", parts)


def _split_from(
    about: str, share: Optional[float], calls: Optional[float], of: Optional[float]
) -> str:
    part = behind(about, percent(share))
    if calls is None or of is None:
        return message("{share} of the time in MPI was split", share=part)
    if not about:
        return message(
            "{share} of the time in MPI was split, in {calls} calls", share=part, calls=count(of)
        )
    return message(
        "{share} of the time in MPI was split from {sampled} sampled calls of {calls}",
        share=part,
        sampled=count(calls),
        calls=count(of),
    )


def _tool(run: Lookup) -> str:
    """The tool whose file it is; empty for our own collector."""
    collector = run.profile.run.collector
    return "" if collector == "pmpi" else collector


def _not_kept_apart(run: Lookup) -> str:
    share = run.number("run.overflowed_share")
    if share is None:
        return ""
    if share > 0:
        return message("{share} of the calls, for want of room in a table", share=percent(share))
    return message("nothing; no table was full")


def _ending(run: Lookup) -> str:
    code = run.number("run.exit_code")
    code = run.profile.run.exit_code if code is None else code
    ended = message("exit code {code}", code=f"{code:.0f}") if code else ""
    if not run.truth("run.truncated"):
        return ended
    cut = message("cut: not all ranks reached MPI_Finalize")
    return joined(", ", (cut, ended)) if ended else cut


def facts(run: Lookup, advice: Advice) -> Tuple[Line, ...]:
    """What was run with what."""
    started = run.profile.run
    lines = (
        Line(message("Launch"), shlex.join(started.launch_line), True),
        Line(message("Started"), date(started.started)),
        Line(message("Applied"), started.overlay),
        Line(message("Folder"), started.directory, True),
        Line(message("Library"), _library(run)),
        Line(message("Hosts"), _hosts(run)),
        Line(message("Largest memory"), _memory(run)),
        Line(message("Thread level"), _threads(run)),
        Line(message("Program"), _application(run)),
        Line(message("Rules"), _rules(advice)),
    )
    return tuple(line for line in lines if line.text)


def _library(run: Lookup) -> str:
    text = run.profile.library.text.strip().splitlines()
    return library_name(run) + (f": {text[0]}" if text else "")


def _hosts(run: Lookup) -> str:
    hosts, cores, memory = (
        run.number("run.nodes"),
        run.numbers("node.cores"),
        run.numbers("node.memory"),
    )
    if hosts is None:
        return ""
    parts: List[str] = [counted(hosts, "host")]
    parts += sorted(set(filter(None, run.texts("node.cpu"))))[:2]
    if cores is not None:
        parts.append(_spread(cores, lambda value: counted(value, "core")))
    if memory is not None:
        parts.append(_spread(memory, size))
    return joined(", ", parts)


def _spread(values, write) -> str:
    known = sorted(value for value in values if value == value)
    low, high = write(known[0]), write(known[-1])
    return low if known[0] == known[-1] else message("{low} to {high}", low=low, high=high)


def _memory(run: Lookup) -> str:
    peak, host = run.number("run.memory_peak"), run.number("run.memory_per_node")
    if peak is None:
        return ""
    if host is None:
        return message("{memory} in one rank", memory=size(peak))
    return message("{memory} in one rank, {host} on one host", memory=size(peak), host=size(host))


def _threads(run: Lookup) -> str:
    asked, given = run.text("run.thread_requested"), run.text("run.thread_provided")
    if not asked:
        return ""
    called = run.number("run.threads_called")
    level = message("asked for {level}, given {given}", level=asked, given=given or "?")
    if not called:
        return level
    threads = message("{threads} a rank called MPI", threads=counted(called, "thread"))
    return joined("; ", (level, threads))


def _application(run: Lookup) -> str:
    known = run.profile.application
    if known is None:
        return ""
    values = [
        f"{name} {fact.value}" for name, fact in known.settings.items() if fact.value is not None
    ]
    return ", ".join([known.name, *values])


def _rules(advice: Advice) -> str:
    rules, limits = counted(advice.rules, "rule"), counted(len(advice.changed_limits), "limit")
    if not advice.changed_limits:
        return rules
    return joined("; ", (rules, message("{limits} changed by a site", limits=limits)))


def settings_table(run: Lookup) -> Optional[Grid]:
    """Settings in force, or None."""
    rows = tuple(
        (
            Cell(entry.name),
            Cell(entry.value),
            Cell(_source(entry.source, entry.differs)),
        )
        for entry in sorted(
            run.profile.settings,
            key=lambda entry: (
                not entry.differs,
                entry.source != "environment",
                entry.source,
                entry.name,
            ),
        )
    )
    headings = (
        Heading(message("Name"), code=True),
        Heading(message("Value"), code=True),
        Heading(message("From")),
    )
    return Grid("settings", message("Settings in force"), headings, rows) if rows else None


def _source(source: str, differs: bool) -> str:
    name = {
        "environment": message("environment"),
        "launch line": message("launch line"),
    }.get(source, source)
    return message("{source}, differs between ranks", source=name) if differs else name


def run_facts(run: Lookup) -> Mapping[str, object]:
    """Plain facts of the run for machines; None where unknown."""
    started, library = run.profile.run, run.profile.library
    return {
        "program": started.program,
        "arguments": list(started.arguments),
        "launch_line": list(started.launch_line),
        "launcher": started.launcher,
        "job": started.job,
        "scheduler": started.scheduler,
        "started": started.started,
        "exit_code": started.exit_code,
        "library": {"name": library.name, "version": library.version},
        "ranks": _whole(run.number("run.ranks")),
        "hosts": _whole(run.number("run.nodes")),
        "hosts_named": _names(run),
        "elapsed": run.number("run.time"),
        "job_seconds": started.job_seconds,
    }


def _whole(value: Optional[float]) -> Optional[int]:
    return None if value is None else int(value)


def _names(run: Lookup) -> List[str]:
    return [node.name for node in run.profile.nodes][:256]
