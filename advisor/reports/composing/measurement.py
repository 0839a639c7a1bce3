"""How well this was measured, and facts of the run and the library."""

from __future__ import annotations

import shlex
from typing import List, Mapping, Optional, Tuple

from advisor.base.numbers import count, counted, marked, percent, seconds, size
from advisor.model.finding import Advice
from advisor.reports.composing.head import library_name
from advisor.reports.composing.splitting import sampled, sign
from advisor.reports.document import Line
from advisor.reports.figures import Cell, Grid, Heading
from advisor.reports.lookup import Lookup


def measurement(run: Lookup) -> Tuple[Line, ...]:
    """The honest-measurement box; lines whose numbers are not known are left out."""
    lines = (
        ("Measured by", _tool(run), "by {}"),
        ("Collector", _collector(run), "collector {}"),
        ("Ranks that reported", _ranks(run), "{} ranks"),
        ("MPI calls seen", _calls(run), ""),
        ("Overhead", _overhead(run), "overhead {}"),
        ("Own memory", _own_memory(run), ""),
        ("Clock error", _clock(run), "clock error {}"),
        ("Waiting", _waiting(run), _waiting_in_short(run)),
        ("Not kept apart", _not_kept_apart(run), ""),
        ("End of the run", _ending(run), "{}"),
    )
    return tuple(
        Line(name, text, short=short.format(text.partition(",")[0]))
        for name, text, short in lines
        if text
    )


def _collector(run: Lookup) -> str:
    """Said only of one that was not built for the library of the job."""
    fact = run.profile.library.facts.get("collector")
    return str(fact.value) if fact else ""


def _clock(run: Lookup) -> str:
    error = run.number("run.clock_error")
    if error == 0:
        return "none" + (
            ", all ranks share the clock of one host" if run.number("run.nodes") == 1 else ""
        )
    return "" if error is None else seconds(error)


def _ranks(run: Lookup) -> str:
    have, want = run.number("run.ranks_reported"), run.number("run.ranks_expected")
    have = run.number("run.ranks") if have is None else have
    if have is None:
        return "none of them" if want is None else f"none of {want:.0f}"
    return (
        f"{have:.0f} of {want:.0f}" if want else f"{have:.0f}, how many were started is not known"
    )


def _calls(run: Lookup) -> str:
    calls, rate = run.number("run.calls"), run.number("run.call_rate")
    if calls is None:
        return ""
    return f"{count(calls)} on all ranks" + (f", {count(rate)} per second and rank" if rate else "")


def _overhead(run: Lookup) -> str:
    """Two figures: recording distorts what is measured, the work at the end delays the job."""
    mean, most = run.number("run.overhead_share"), run.number("run.overhead_max_share")
    if mean is None:
        return ""
    worst = f", {percent(most)} of elapsed on the worst rank" if most is not None else ""
    end = run.number("run.end_delay")
    delay = f"; at most {seconds(end)} at the end of the job" if end is not None else ""
    return f"{marked(run.mark('run.overhead_share'), mean)} of elapsed on average{worst}{delay}"


def _own_memory(run: Lookup) -> str:
    most = run.number("run.collector_memory")
    return "" if most is None else f"{size(most)} in a rank"


def _waiting(run: Lookup) -> str:
    low, high = run.bound("run.wait_time", "low"), run.bound("run.wait_time", "high")
    if run.number("run.mpi_time") is None:
        return ""
    if low is None or high is None:
        return "? not known: no bound could be computed"
    if sampled(run):
        return _sampled(run, low, high)
    if run.profile.totals.wait_time is not None:
        return f"{seconds(low)} a rank on average, as {_tool(run)} measured it"
    return (
        f"~ between {seconds(low)} and {seconds(high)} a rank: bounds from durations, no waiting"
        " was measured directly"
    )


def _sampled(run: Lookup, low: float, high: float) -> str:
    """How much was split, from how many calls, and what the clocks could not tell."""
    table = run.profile.tables.get("waits", {})
    calls, of = (
        float(table[name].sum()) if name in table else None for name in ("sampled", "calls")
    )
    about = sign(run)
    error = f", two standard errors around it: {seconds(low)} to {seconds(high)}" if about else ""
    told = f"{about}{seconds(run.number('run.wait_time'))} a rank on average{error}"
    split = f"{about}{percent(run.number('run.wait_sampled_share'))} of the time in MPI was split"
    among = (
        ""
        if calls is None or of is None
        else (
            f" from {count(calls)} sampled calls of {count(of)}"
            if about
            else f", in {count(of)} calls"
        )
    )
    unresolved = run.number("run.wait_unresolved_share") or 0.0
    below = (
        f"; waits below the error of the clocks: ~{percent(unresolved)} of elapsed, not split"
        if unresolved > 0
        else ""
    )
    return f"{told}; {split}{among}{below}"


def _waiting_in_short(run: Lookup) -> str:
    if run.number("run.mpi_time") is None:
        return ""
    if run.number("run.wait_time") is None:
        return "waiting is not known"
    if sampled(run):
        return (
            "waiting told from moving in"
            f" {sign(run)}{percent(run.number('run.wait_sampled_share'))} of the time in MPI"
        )
    return (
        "waiting is bounded, not measured"
        if run.profile.totals.wait_time is None
        else "waiting is measured"
    )


def _tool(run: Lookup) -> str:
    """The tool whose file it is; empty for our own collector."""
    collector = run.profile.run.collector
    return "" if collector == "pmpi" else collector


def _not_kept_apart(run: Lookup) -> str:
    share = run.number("run.overflowed_share")
    if share is None:
        return ""
    return (
        f"{percent(share)} of the calls, for want of room in a table"
        if share > 0
        else "nothing; no table was full"
    )


def _ending(run: Lookup) -> str:
    code = run.number("run.exit_code")
    code = run.profile.run.exit_code if code is None else code
    if run.truth("run.truncated"):
        return "cut: not all ranks reached MPI_Finalize" + (
            f", exit code {code:.0f}" if code else ""
        )
    return f"exit code {code:.0f}" if code else ""


def facts(run: Lookup, advice: Advice) -> Tuple[Line, ...]:
    """What was run with what."""
    started = run.profile.run
    lines = (
        Line("Launch", shlex.join(started.launch_line), True),
        Line("Applied", started.overlay),
        Line("Folder", started.directory, True),
        Line("Library", _library(run)),
        Line("Hosts", _hosts(run)),
        Line("Largest memory", _memory(run)),
        Line("Thread level", _threads(run)),
        Line("Program", _application(run)),
        Line("Rules", _rules(advice)),
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
    parts = [counted(hosts, "host"), *sorted(set(filter(None, run.texts("node.cpu"))))[:2]]
    if cores is not None:
        parts.append(_spread(cores, lambda value: counted(value, "core")))
    if memory is not None:
        parts.append(_spread(memory, size))
    return ", ".join(parts)


def _spread(values, write) -> str:
    known = sorted(value for value in values if value == value)
    return write(known[0]) if known[0] == known[-1] else f"{write(known[0])} to {write(known[-1])}"


def _memory(run: Lookup) -> str:
    peak, host = run.number("run.memory_peak"), run.number("run.memory_per_node")
    if peak is None:
        return ""
    return f"{size(peak)} in one rank" + (f", {size(host)} on one host" if host is not None else "")


def _threads(run: Lookup) -> str:
    asked, given = run.text("run.thread_requested"), run.text("run.thread_provided")
    if not asked:
        return ""
    called = run.number("run.threads_called")
    return f"asked for {asked}, given {given or '?'}" + (
        f"; {counted(called, 'thread')} a rank called MPI" if called else ""
    )


def _application(run: Lookup) -> str:
    known = run.profile.application
    if known is None:
        return ""
    values = [
        f"{name} {fact.value}" for name, fact in known.settings.items() if fact.value is not None
    ]
    return ", ".join([known.name, *values])


def _rules(advice: Advice) -> str:
    changed = (
        f"; {counted(len(advice.changed_limits), 'limit')} changed by a site"
        if advice.changed_limits
        else ""
    )
    return f"{counted(advice.rules, 'rule')}{changed}"


def settings_table(run: Lookup) -> Optional[Grid]:
    """Settings in force, or None."""
    rows = tuple(
        (
            Cell(entry.name),
            Cell(entry.value),
            Cell(entry.source + (", differs between ranks" if entry.differs else "")),
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
    headings = (Heading("Name", code=True), Heading("Value", code=True), Heading("From"))
    return Grid("settings", "Settings in force", headings, rows) if rows else None


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
