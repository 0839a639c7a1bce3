"""Every column that a profile may hold: name, unit, how it adds up.

The collector writes these tables; readers of other tools' files fill those that they know. A table
that is absent was not seen. A column that is absent is unknown in all its rows. A gap named like a
table or column says why; the gap "calls" (or "calls outside MPI-IO") beside a table `calls` says
that it does not list all operations.
"""

from __future__ import annotations

from typing import Mapping, NamedTuple


class ColumnKind(NamedTuple):
    """`dtype`: NumPy name or "text". `adds`: key, sum, min, max or first, when rows are put
    together."""

    unit: str
    dtype: str
    adds: str
    meaning: str


_KINDS = {
    "collective": ColumnKind("s", "f8", "sum", "time inside collective calls and barriers"),
    "messages": ColumnKind("s", "f8", "sum", "inside calls that send or receive"),
    "completion": ColumnKind("s", "f8", "sum", "inside calls that wait, test or probe"),
    "onesided": ColumnKind("s", "f8", "sum", "inside one-sided calls"),
    "io": ColumnKind("s", "f8", "sum", "inside MPI-IO"),
    "management": ColumnKind("s", "f8", "sum", "inside all other calls"),
    "calls": ColumnKind("count", "u8", "sum", "outermost calls that ended there"),
    "bytes": ColumnKind("B", "u8", "sum", "their payload"),
}
_CALLS = {
    "count": ColumnKind("count", "u8", "sum", "outermost calls"),
    "bytes": ColumnKind("B", "u8", "sum", "payload handed in: METRICS 6.1, bytes.call"),
    "time": ColumnKind("s", "f8", "sum", "time inside these calls"),
    "min": ColumnKind("s", "f8", "min", "shortest call"),
    "max": ColumnKind("s", "f8", "max", "longest call"),
}

TABLES: Mapping[str, Mapping[str, ColumnKind]] = {
    "ranks": {
        "rank": ColumnKind("", "i4", "key", "rank in MPI_COMM_WORLD"),
        "node": ColumnKind("", "i4", "first", "index into the profile's nodes"),
        "pid": ColumnKind("", "i4", "first", "process id"),
        "state": ColumnKind(
            "", "u4", "first", "1 killed or still running, 2 finalized, 3 ended without finalize"
        ),
        "process_begin": ColumnKind(
            "s",
            "f8",
            "first",
            "start of the process; all *_begin, *_end: seconds since the epoch, on the common"
            " clock",
        ),
        "init_begin": ColumnKind(
            "s", "f8", "first", "entry of MPI_Init or of the first MPI_Session_init"
        ),
        "init_end": ColumnKind("s", "f8", "first", "its exit"),
        "finalize_begin": ColumnKind(
            "s",
            "f8",
            "first",
            "entry of MPI_Finalize; of a rank that did not finalize: its last MPI call",
        ),
        "window": ColumnKind(
            "s",
            "f8",
            "first",
            "finalize_begin - init_end, from tools that do not say when these were",
        ),
        "mpi_time": ColumnKind(
            "s",
            "f8",
            "sum",
            "time inside MPI, from tools that do not split it by operation, and where calls are"
            " summed up over ranks",
        ),
        "wait_time": ColumnKind(
            "s",
            "f8",
            "sum",
            "estimated waiting in sampled kinds of calls, where these are summed up over ranks",
        ),
        "bytes_sent": ColumnKind(
            "B", "u8", "sum", "sent to single peers, where these are summed up over ranks"
        ),
        "finalize_end": ColumnKind(
            "s",
            "f8",
            "first",
            "end of the collector's work in MPI_Finalize, before the library's own",
        ),
        "clock_offset": ColumnKind(
            "s", "f8", "first", "added to this rank's clock to get the common clock"
        ),
        "clock_error": ColumnKind(
            "s", "f8", "first", "half the minimum round trip plus interpolation residual"
        ),
        "thread_requested": ColumnKind(
            "", "u1", "first", "0 single, 1 funneled, 2 serialized, 3 multiple"
        ),
        "thread_provided": ColumnKind("", "u1", "first", "the same scale"),
        "threads_called": ColumnKind("count", "u4", "first", "threads that called MPI"),
        "threads": ColumnKind(
            "count",
            "u4",
            "first",
            "threads of the process, by their CPU time at its end: one for the busiest, in all"
            " rounded",
        ),
        "omp_threads": ColumnKind("count", "u4", "first", "OMP_NUM_THREADS, 0 if not set"),
        "cores": ColumnKind(
            "count", "u4", "first", "logical CPUs in the affinity mask after MPI_Init"
        ),
        "cpus": ColumnKind("", "text", "first", "that mask as a list, 0-3,8"),
        "memory_peak": ColumnKind("B", "u8", "max", "VmHWM"),
        "user_time": ColumnKind("s", "f8", "sum", "getrusage"),
        "system_time": ColumnKind("s", "f8", "sum", "getrusage"),
        "voluntary_switches": ColumnKind(
            "count", "u8", "sum", "getrusage, from end of init to begin of finalize"
        ),
        "involuntary_switches": ColumnKind("count", "u8", "sum", "the same"),
        "major_faults": ColumnKind("count", "u8", "sum", "the same"),
        "events": ColumnKind("count", "u8", "sum", "calls that were recorded"),
        "event_cost": ColumnKind("s", "f8", "first", "calibrated cost of recording one call"),
        "finalize_cost": ColumnKind(
            "s",
            "f8",
            "first",
            "time that the collector took at the end, for reading counters and for describing"
            " communicators",
        ),
        "folded": ColumnKind(
            "count", "u8", "sum", "calls that found no room in a table and were put into its row 0"
        ),
        "clock_faults": ColumnKind("count", "u8", "sum", "negative durations, set to 0"),
        "control_levels": ColumnKind("count", "u8", "sum", "calls of MPI_Pcontrol"),
        "unmatched": ColumnKind(
            "count",
            "u8",
            "sum",
            "sampled calls whose partners kept no sample, or whose times contradict each other",
        ),
        "own_memory": ColumnKind(
            "B", "u8", "max", "memory of this process that the collector itself took"
        ),
        "no_core_inside": ColumnKind(
            "s",
            "f8",
            "sum",
            "of the thread that began MPI: ready to run and without a core, inside MPI",
        ),
        "no_core_outside": ColumnKind(
            "s",
            "f8",
            "sum",
            "the same outside MPI, from the end of MPI_Init to the begin of MPI_Finalize",
        ),
        "asleep_inside": ColumnKind(
            "s",
            "f8",
            "sum",
            "of the same thread: inside MPI neither running nor ready to run: asleep, or stopped",
        ),
        "asleep_outside": ColumnKind("s", "f8", "sum", "the same outside MPI"),
        "no_core_helpers": ColumnKind(
            "s",
            "f8",
            "sum",
            "all other threads that were there at the end, each since it began: ready to run and"
            " without a core",
        ),
        "run_delay_told": ColumnKind(
            "",
            "u1",
            "first",
            "0: the kernel does not tell what no_core_inside and no_core_outside say; they are"
            " elapsed time without CPU time then, and may be sleep",
        ),
        "children": ColumnKind(
            "count",
            "u8",
            "sum",
            "MPI processes that this rank started by itself, which are not measured",
        ),
    },
    "calls": {
        "rank": ColumnKind("", "i4", "key", "rank in MPI_COMM_WORLD"),
        "operation": ColumnKind("", "text", "key", "name without MPI_ and without _c: Allreduce"),
        "class": ColumnKind(
            "",
            "text",
            "key",
            "communicator class (self, host, leaders, spread, inter, none); of point-to-point and"
            " one-sided calls the path to the peer (self, host, other, none, any); empty: not"
            " known",
        ),
        "bin": ColumnKind(
            "",
            "i2",
            "key",
            "METRICS 6.2: 0 = 0 bytes, m = [2^(m-1), 2^m - 1]; -1: the call carries no data; -2: it"
            " does, of sizes that were not kept apart, and if bytes is 0 not even added up",
        ),
        **_CALLS,
    },
    "communicators": {
        "id": ColumnKind("", "u8", "key", "equal on all members"),
        "name": ColumnKind("", "text", "first", "MPI_Comm_set_name, or empty"),
        "size": ColumnKind("count", "u4", "first", "members"),
        "nodes": ColumnKind("count", "u4", "first", "hosts that its members are on"),
        "class": ColumnKind(
            "", "text", "first", "self, host (all on one), leaders (one a host), spread, inter"
        ),
        "world": ColumnKind("", "u1", "first", "1 if it has the members of MPI_COMM_WORLD"),
        "order": ColumnKind("", "u4", "first", "creation order on its first member"),
        "freed": ColumnKind("", "u1", "first", "1 if it was freed"),
    },
    "members": {
        "rank": ColumnKind("", "i4", "key", "rank in MPI_COMM_WORLD"),
        "communicator": ColumnKind("", "u8", "key", "communicators.id; 0: folded"),
        "operation": ColumnKind("", "text", "key", "collective operation"),
        **_CALLS,
    },
    "sites": {
        "rank": ColumnKind("", "i4", "key", "rank in MPI_COMM_WORLD"),
        "module": ColumnKind("", "text", "key", "file that holds the calling code"),
        "offset": ColumnKind(
            "", "u8", "key", "return address, from the start of that file as it is linked"
        ),
        "operation": ColumnKind("", "text", "key", "as in calls"),
        "function": ColumnKind("", "text", "first", "resolved afterwards; empty: unknown"),
        "file": ColumnKind("", "text", "first", "the same"),
        "line": ColumnKind("", "u4", "first", "the same; 0: unknown"),
        **_CALLS,
    },
    "peers": {
        "rank": ColumnKind("", "i4", "key", "sender or origin"),
        "peer": ColumnKind("", "i4", "key", "world rank; -1: all that found no room"),
        "path": ColumnKind("", "text", "key", "self, host, other"),
        "messages": ColumnKind("count", "u8", "sum", "messages sent and one-sided calls"),
        "bytes": ColumnKind("B", "u8", "sum", "their payload"),
    },
    "waits": {
        "rank": ColumnKind("", "i4", "key", "rank in MPI_COMM_WORLD"),
        "communicator": ColumnKind(
            "", "u8", "key", "communicators.id of collective calls; 0: messages and completions"
        ),
        "operation": ColumnKind(
            "", "text", "key", "the operation in which the rank may have waited"
        ),
        "class": ColumnKind("", "text", "key", "as in calls"),
        "bin": ColumnKind("", "i2", "key", "as in calls"),
        "calls": ColumnKind("count", "u8", "sum", "all calls of this kind, sampled or not"),
        "sampled": ColumnKind(
            "count", "u8", "sum", "of them, those of which all members are known"
        ),
        "time": ColumnKind("s", "f8", "sum", "time inside all calls of this kind"),
        "duration": ColumnKind(
            "s",
            "f8",
            "sum",
            "time inside the calls that were sampled, each taken as often as there are calls that"
            " it stands for: as many as all (older profiles: divided by the probability p of being"
            " sampled)",
        ),
        "wait": ColumnKind("s", "f8", "sum", "time waited in them, taken as often"),
        "unresolved": ColumnKind(
            "s",
            "f8",
            "sum",
            "waits between hosts below twice the error of the clocks, taken as often; not part of"
            " wait",
        ),
        "hideable": ColumnKind(
            "s",
            "f8",
            "sum",
            "of the duration of calls that complete requests: what could have been over at the"
            " call, at most, since the rank did something else after both sides had posted; taken"
            " as often",
        ),
        "propagated": ColumnKind(
            "s",
            "f8",
            "sum",
            "of wait: what was there already when this rank and those that it waited for left their"
            " previous call, the same operation between the same ranks; taken as often; older"
            " profiles and traces do not have it",
        ),
        "after": ColumnKind(
            "",
            "text",
            "first",
            "the other operation, among the same ranks or making their communicator, that most of"
            " the sampled calls came straight from; empty: none",
        ),
        "handed_on": ColumnKind(
            "s",
            "f8",
            "sum",
            "of the wait in the calls that came straight from `after`: what was there already when"
            " the ranks left that; taken as often",
        ),
        "set_up": ColumnKind(
            "s",
            "f8",
            "sum",
            "of duration, what was not wait in the calls that came straight from making their"
            " communicator; taken as often",
        ),
        "wrong_order": ColumnKind(
            "s",
            "f8",
            "sum",
            "of wait: at receives, while a message that had been sent before the awaited one was"
            " received later; from traces",
        ),
        "wait_wait": ColumnKind(
            "s2",
            "f8",
            "sum",
            "the variance of wait (older profiles: squares of the sampled waits, each times (1 - p)"
            " / p^2, and the next two columns beside it); not there if nothing is estimated, as"
            " from a trace",
        ),
        "wait_duration": ColumnKind(
            "s2", "f8", "sum", "products of wait and duration, times the same"
        ),
        "duration_duration": ColumnKind(
            "s2", "f8", "sum", "squares of their durations, times the same"
        ),
    },
    "late": {
        "rank": ColumnKind("", "i4", "key", "a rank that others may wait for"),
        "class": ColumnKind("", "text", "key", "class of the communicator, or path of the message"),
        "instances": ColumnKind(
            "count", "f8", "sum", "estimated number of instances in which others may wait for it"
        ),
        "last": ColumnKind("count", "f8", "sum", "of them, those in which it came last"),
        "caused": ColumnKind("s", "f8", "sum", "estimated time that all others waited for it"),
    },
    "spread": {
        "operation": ColumnKind(
            "",
            "text",
            "key",
            "as in calls; the table is there where calls are summed up over ranks, and counts all"
            " ranks",
        ),
        "class": ColumnKind(
            "", "text", "key", "as in calls; empty, with bin -2: all calls of the operation"
        ),
        "bin": ColumnKind("", "i2", "key", "as in calls"),
        "ranks": ColumnKind(
            "count",
            "u8",
            "sum",
            "ranks that spent about as long in these calls: min and max are at most 25 % apart",
        ),
        "time": ColumnKind("s", "f8", "sum", "the sum of their times"),
        "min": ColumnKind("s", "f8", "min", "the shortest of their times"),
        "max": ColumnKind("s", "f8", "max", "the longest of their times"),
        "min_rank": ColumnKind("", "i4", "first", "whose it is"),
        "max_rank": ColumnKind("", "i4", "first", "whose it is"),
    },
    "phases": {
        "rank": ColumnKind("", "i4", "key", "first rank of a group of neighbours"),
        "ranks": ColumnKind(
            "count", "u4", "first", "ranks of the group: 1 in jobs of up to 64 ranks"
        ),
        "slice": ColumnKind(
            "",
            "u4",
            "key",
            "number of a slice of time, [slice, slice + 1) * width since the end of MPI_Init on"
            " each rank",
        ),
        "width": ColumnKind("s", "f8", "key", "length of a slice, 2^k / 128 s"),
        **_KINDS,
        "split": ColumnKind(
            "s", "f8", "sum", "estimated time in the kinds of calls that were sampled"
        ),
        "wait": ColumnKind("s", "f8", "sum", "of it waiting"),
        "caused": ColumnKind("s", "f8", "sum", "estimated time that others waited for these ranks"),
        "no_core_inside": ColumnKind("s", "f8", "sum", "as in ranks, in the slice"),
        "no_core_outside": ColumnKind("s", "f8", "sum", "the same outside MPI"),
    },
    "path": {
        "rank": ColumnKind("", "i4", "key", "the rank that the critical path is on"),
        "operation": ColumnKind(
            "", "text", "key", "the MPI call that it is in; empty: outside MPI"
        ),
        "function": ColumnKind(
            "",
            "text",
            "key",
            "the region of the program, in a call the one that calls; empty: not known",
        ),
        "file": ColumnKind("", "text", "first", "its file"),
        "time": ColumnKind("s", "f8", "sum", "time on the critical path"),
    },
    "regions": {
        "rank": ColumnKind("", "i4", "key", "rank in MPI_COMM_WORLD"),
        "level": ColumnKind(
            "",
            "i4",
            "key",
            "what MPI_Pcontrol was given; the least number there is: all that found no room; of a"
            " region with a name: its number in the trace",
        ),
        "name": ColumnKind(
            "",
            "text",
            "first",
            "in traces: a region that the program marks by itself; empty: a level",
        ),
        "entries": ColumnKind(
            "count",
            "u8",
            "sum",
            "calls of MPI_Pcontrol with this level, or how often the region was entered",
        ),
        "time": ColumnKind(
            "s",
            "f8",
            "sum",
            "from that call to the next one, or in the region but not in one within it; inside MPI"
            " and outside",
        ),
        **_KINDS,
    },
    "counters": {
        "rank": ColumnKind("", "i4", "key", "rank in MPI_COMM_WORLD"),
        "counter": ColumnKind(
            "",
            "text",
            "key",
            "cycles, instructions, memory_stalls, stalls, cache_misses, floating_point, cpu_time"
            " (in ns), page_faults, voluntary_switches, involuntary_switches, or a name of PAPI's;"
            " of the thread that began MPI",
        ),
        "total": ColumnKind(
            "count",
            "u8",
            "sum",
            "from the end of MPI_Init to MPI_Finalize; of a rank that was killed: to its last"
            " reading",
        ),
        "inside": ColumnKind(
            "count",
            "f8",
            "sum",
            "counted inside the calls that were read, scaled to all of the run",
        ),
        "inside_time": ColumnKind(
            "s", "f8", "sum", "time inside these calls, scaled in the same way"
        ),
        "inside_squares": ColumnKind(
            "",
            "f8",
            "sum",
            "squares of the counts of a window of calls: for the error of inside / inside_time",
        ),
        "inside_products": ColumnKind("", "f8", "sum", "products of count and time, the same"),
        "inside_time_squares": ColumnKind("s2", "f8", "sum", "squares of the times, the same"),
        "outside": ColumnKind("count", "f8", "sum", "counted between these calls, scaled"),
        "outside_time": ColumnKind("s", "f8", "sum", "time between them, scaled"),
        "outside_squares": ColumnKind("", "f8", "sum", "as inside_squares"),
        "outside_products": ColumnKind("", "f8", "sum", "as inside_products"),
        "outside_time_squares": ColumnKind("s2", "f8", "sum", "as inside_time_squares"),
    },
    "variables": {
        "rank": ColumnKind("", "i4", "key", "rank in MPI_COMM_WORLD"),
        "variable": ColumnKind(
            "", "text", "key", "name of a performance variable of MPI_T, as the library calls it"
        ),
        "kind": ColumnKind(
            "",
            "text",
            "key",
            "level (at this moment), counter and timer (since the start), highwatermark",
        ),
        "ranks": ColumnKind("count", "u8", "sum", "ranks that are added up in this row"),
        "reads": ColumnKind(
            "count",
            "u8",
            "sum",
            "readings: one at the begin of MPI_Finalize, and of levels one a slice of time if"
            " counters were asked for",
        ),
        "sum": ColumnKind(
            "", "f8", "sum", "of all readings; timers in seconds or as the library has it"
        ),
        "most": ColumnKind("", "f8", "max", "the largest reading"),
        "last": ColumnKind("", "f8", "sum", "the reading at the begin of MPI_Finalize"),
    },
    "stacks": {
        "stack": ColumnKind(
            "",
            "u8",
            "key",
            "one way of the program to one operation, the same on all ranks; 0: those that found no"
            " room",
        ),
        "level": ColumnKind("", "u4", "key", "frame of it: 0 calls MPI, 1 calls 0, and so on"),
        "operation": ColumnKind("", "text", "first", "as in calls"),
        "module": ColumnKind("", "text", "first", "file that holds the code of the frame"),
        "offset": ColumnKind(
            "", "u8", "first", "return address as in sites; of a Python frame its line"
        ),
        "function": ColumnKind(
            "",
            "text",
            "first",
            "of a Python frame the name of its function; of others resolved afterwards",
        ),
        "file": ColumnKind("", "text", "first", "resolved afterwards"),
        "line": ColumnKind("", "u4", "first", "the same; 0: unknown"),
        "count": ColumnKind(
            "count",
            "f8",
            "sum",
            "of level 0: estimated calls of all ranks, from those that were sampled",
        ),
        "time": ColumnKind("s", "f8", "sum", "of level 0: estimated time in them"),
        "count_count": ColumnKind(
            "",
            "f8",
            "sum",
            "of level 0: (1 - p) / p^2 of the sampled calls, p being the probability of sampling"
            " them: for the error of count",
        ),
        "time_time": ColumnKind(
            "s2",
            "f8",
            "sum",
            "of level 0: squares of their durations, times the same: for the error of time",
        ),
    },
    "overlap": {
        "path": ColumnKind(
            "",
            "text",
            "key",
            "of the largest message that a call completed: host, other; of all ranks together",
        ),
        "bin": ColumnKind("", "i2", "key", "its size, as in calls"),
        "calls": ColumnKind(
            "count",
            "f8",
            "sum",
            "estimated calls that completed nonblocking messages of which both ends were sampled",
        ),
        "messages": ColumnKind(
            "count",
            "f8",
            "sum",
            "these messages, on the side that posted them; a message whose both sides are"
            " nonblocking is two",
        ),
        "reference": ColumnKind(
            "s",
            "f8",
            "sum",
            "what messages of their sizes take at least when nothing is in their way, by the table"
            " references",
        ),
        "possible": ColumnKind(
            "s",
            "f8",
            "sum",
            "of it, what the time would hold that the rank did something else after both sides had"
            " posted",
        ),
        "achieved": ColumnKind(
            "s",
            "f8",
            "sum",
            "of that, what had been moved when the completing call began, at least: what the call"
            " still took is taken off each of its messages",
        ),
        "starved": ColumnKind(
            "count",
            "f8",
            "sum",
            "messages for which there was time enough, and of which the call still took eight"
            " tenths or more",
        ),
        "variance": ColumnKind("s2", "f8", "sum", "the variance of achieved, from sampling"),
        "longer_reference": ColumnKind(
            "s", "f8", "sum", "as reference, if the messages take the longer times"
        ),
        "longer_possible": ColumnKind("s", "f8", "sum", "the same of possible"),
        "longer_achieved": ColumnKind(
            "s",
            "f8",
            "sum",
            "the same of achieved, at most: what the call still took is taken off one of its"
            " messages",
        ),
    },
    "references": {
        "path": ColumnKind("", "text", "key", "host, other"),
        "bytes": ColumnKind("B", "u8", "key", "of a message"),
        "from": ColumnKind("", "i4", "first", "sent when the job was over, by this rank …"),
        "to": ColumnKind("", "i4", "first", "… to this one"),
        "least": ColumnKind(
            "s", "f8", "min", "one way, the shortest of some, of the same bytes again and again"
        ),
        "most": ColumnKind(
            "s",
            "f8",
            "min",
            "one way after a pause in which both ranks did something else, of some the one in the"
            " middle",
        ),
    },
    "windows": {
        "rank": ColumnKind("", "i4", "key", "rank in MPI_COMM_WORLD"),
        "kind": ColumnKind("", "text", "key", "create, allocate, shared, dynamic"),
        "class": ColumnKind("", "text", "key", "class of its communicator"),
        "count": ColumnKind("count", "u8", "sum", "windows made"),
        "bytes": ColumnKind("B", "u8", "sum", "their local memory"),
    },
}
