"""Quality of the measurement (METRICS 14), with threads and the load of nodes, which affect it."""

from __future__ import annotations

from typing import Any, Callable, List, Mapping, Sequence, Tuple

import numpy as np

from advisor.analysis.derived.profile_columns import KILLED
from advisor.analysis.engine.arrays import ratio
from advisor.analysis.engine.metric import Unknown, Value, metric
from advisor.analysis.metrics.single_job import is_alone
from advisor.model.measures import Quality, Table
from advisor.model.message import message
from advisor.model.profile import Profile

LEVELS = ("single", "funneled", "serialized", "multiple")
WORTH_A_WORD, NO_PREDICTION = 0.02, 0.05
"""METRICS 14, q.overhead."""
ALONE = message("each rank ran as a job of its own")


@metric("run.ranks_reported", unit="count", quality=Quality.MEASURED)
def ranks_reported(view):
    """Ranks whose data arrived: METRICS 14, q.ranks."""
    return view.count


@metric("run.ranks_expected", unit="count", quality=Quality.MEASURED)
def ranks_expected(view):
    """Ranks that were started."""
    return Value(
        view.profile.run.ranks_expected or np.nan,
        reason=message("nobody says how many ranks were started"),
    )


@metric("run.missing_ranks", unit="count")
def missing_ranks(view, run):
    """Ranks whose data did not arrive. Unknown where each rank was a job of its own."""
    if run.ranks_expected > run.ranks_reported and is_alone(view):
        raise Unknown(ALONE)
    return max(0, run.ranks_expected - run.ranks_reported)


@metric("run.truncated", unit="yes/no")
def truncated(view):
    """Whether a rank did not reach MPI_Finalize: METRICS 14, q.truncated."""
    expected = view.profile.run.ranks_expected or view.count
    return bool((view.column("ranks", "state") != 2).any()) or (
        expected > view.count and not is_alone(view)
    )


CALIBRATED, IN_PROGRAMS = "from a loop with warm caches", 2.5
"""Programs with 20 to 60 million calls of MPI_Iprobe, MPI_Pack and 8-byte messages a rank took
longer by 1.7 to 2.5 times what calls times their calibrated overhead are (own measurement 2026, two
ranks on two cores, bare and under the collector in turns)."""


@metric("run.overhead_share", unit="share", quality=Quality.ESTIMATED)
def overhead_share(view, run):
    """Overhead of recording as share of run.time, mean over ranks: METRICS 14, q.overhead. Without
    the collector's work in MPI_Finalize, which run.end_delay has. At least: between calls of the
    program it takes up to IN_PROGRAMS times as long as in the loop that calibrates it."""
    value = float(np.nanmean(view.overhead)) / run.time
    return Value(value, low=value, high=min(IN_PROGRAMS * value, 1.0), note=CALIBRATED)


@metric("run.overhead_max_share", unit="share", quality=Quality.ESTIMATED)
def overhead_max_share(view, run):
    """The same for the rank with the most."""
    return float(np.nanmax(view.overhead)) / run.time


@metric("run.end_delay", unit="s", quality=Quality.ESTIMATED)
def end_delay(view):
    """What the job waited at its end for the collector, at most: from the last begin of
    MPI_Finalize until all ranks were through with the collector's work in it, waiting for each
    other included. METRICS 14, q.end."""
    ends = view.ranks("finalize_end")
    if not (ends > 0).any():
        raise Unknown(KILLED)
    value = max(0.0, float(np.nanmax(ends) - np.nanmax(view.end)))
    return Value(value, low=0.0, high=value, note="upper bound: ranks wait for each other in it")


@metric("run.collector_memory", unit="B", quality=Quality.MEASURED)
def collector_memory(view):
    """Most memory that the collector itself took in a rank: its code, tables and record."""
    return float(view.ranks("collector_memory").max())


@metric("run.clock_error", unit="s", quality=Quality.ESTIMATED)
def clock_error(view):
    """Largest error of a rank's clock against the common one: METRICS 14, q.clock."""
    values = view.ranks("clock_error")
    if np.isnan(values).all():
        raise Unknown(message("no rank could compare its clock"))
    return float(np.nanmax(values))


@metric("run.overflowed_share", unit="share")
def overflowed_share(view):
    """Calls that found no room of their own and were put together, as share of all."""
    return Value(
        ratio(view.ranks("overflowed").sum(), view.ranks("events").sum()),
        reason="no call was recorded",
    )


@metric("run.oversubscription", unit="share")
def oversubscription(node):
    """Largest node.load: threads that used CPU time for each usable CPU. Above 1 threads take
    turns."""
    if np.isnan(node.load).all():
        raise Unknown("neither threads nor CPUs of a host are known")
    return float(np.nanmax(node.load))


def _level(name: str, pick: Callable) -> Callable:
    def of_all_ranks(view):
        values = view.ranks(name)
        values = values[(values >= 0) & (values < len(LEVELS))]
        return Value(LEVELS[int(pick(values))] if len(values) else None, reason="no rank says")

    return of_all_ranks


metric(
    "run.thread_requested",
    unit="text",
    quality=Quality.MEASURED,
    meaning="Highest thread level that a rank asked for: single, funneled, serialized, multiple.",
)(_level("thread_requested", np.max))
metric(
    "run.thread_provided",
    unit="text",
    quality=Quality.MEASURED,
    meaning="Lowest thread level that a rank was given.",
)(_level("thread_provided", np.min))


def _largest(name: str) -> Callable:
    def of_all_ranks(view):
        values = view.ranks(name)
        return Value(
            float(np.nanmax(values)) if not np.isnan(values).all() else np.nan, reason=KILLED
        )

    return of_all_ranks


for _name, _meaning in (
    ("threads_called", "Most threads of a rank that called MPI."),
    ("threads", "Most threads of a rank that used CPU time."),
    ("omp_threads", "Largest OMP_NUM_THREADS of a rank; 0 if it is not set."),
):
    metric(f"run.{_name}", unit="count", quality=Quality.MEASURED, meaning=_meaning)(
        _largest(_name)
    )


def banners(tables: Mapping[str, Table], profile: Profile) -> Tuple[str, ...]:
    """Sentences that must stand above all others: METRICS 1 and 14."""
    row = tables["run"].row(0)
    return tuple(_incomplete(row, profile) + _not_representative(tables) + _costly(row))


def _cut_off(time: str, profile: Profile) -> str:
    """Until when, and which ranks that reported did not reach MPI_Finalize."""
    ranks = profile.tables["ranks"]
    if "state" not in ranks:
        return ""
    cut = np.sort(ranks["rank"][ranks["state"] != 2])
    if not len(cut):
        return message("The run was cut off: numbers reach until {time} after MPI_Init.", time=time)
    if len(cut) == len(ranks["rank"]):
        return message(
            "The run was cut off: numbers reach until {time} after MPI_Init; no rank reached"
            " MPI_Finalize.",
            time=time,
        )
    return message(
        "The run was cut off: numbers reach until {time} after MPI_Init; without MPI_Finalize:"
        " {which}.",
        time=time,
        which=_listed(cut),
    )


def missing(reported: np.ndarray, expected: int) -> str:
    """Ranks below `expected` that are not among those that `reported`: "2, 3, 5-9"; at most eight
    runs of them."""
    # Between those that reported: nobody counts up to what a file claims.
    known = np.unique(np.asarray(reported, dtype=np.int64))
    edges = np.concatenate([[-1], known[known < expected], [expected]])
    before = np.flatnonzero(np.diff(edges) > 1)
    return _runs(edges[before] + 1, edges[before + 1] - 1)


def _listed(ranks: np.ndarray) -> str:
    """These ranks, in their order, in the same words."""
    ends = np.flatnonzero(np.diff(ranks) > 1)
    return _runs(ranks[np.append(0, ends + 1)], ranks[np.append(ends, len(ranks) - 1)])


def _runs(first: np.ndarray, last: np.ndarray) -> str:
    words = [
        f"{begin}" if begin == end else f"{begin}-{end}"
        for begin, end in zip(first[:8].tolist(), last[:8].tolist())
    ]
    return ", ".join(words + ["\u2026"] * (len(first) > 8))


def _incomplete(row: Mapping[str, Any], profile: Profile) -> List[str]:
    found: List[str] = []
    if row["ran_alone"]:
        found.append(
            message(
                "{ranks} ranks were started, but MPI_COMM_WORLD had one: each ran the whole job by"
                " itself. All numbers are of one of them.",
                ranks=f"{row['ranks_expected']:.0f}",
            )
        )
    if row["missing_ranks"]:
        which = missing(profile.tables["ranks"]["rank"], int(row["ranks_expected"]))
        found.append(
            message(
                "{have} of {want} ranks did not report: {which}. All numbers are of the others.",
                have=f"{row['missing_ranks']:.0f}",
                want=f"{row['ranks_expected']:.0f}",
                which=which,
            )
        )
    if any(gap.subject == "restrictions" for gap in profile.gaps):
        found.append(
            message(
                "The program restricted its own process: what its ranks counted was taken from their"
                " memory, and waiting is bounded only."
            )
        )
    if row["truncated"] and row["time"]:
        found.append(_cut_off(f"{_three(row['time'])} s", profile))
    return found


def _not_representative(tables: Mapping[str, Table]) -> List[str]:
    row = tables["run"].row(0)
    if row["representative"] is not False:
        return []
    call = f"MPI_{row['least_repeated']}"
    calls = next(
        found
        for found in map(tables["operation"].row, range(len(tables["operation"])))
        if found["name"] == row["least_repeated"]
    )
    if calls["longest_call"] is None:
        return [
            message(
                "Unrepresentative run: the time in MPI rests on too few calls, most of all on"
                " {call}, called {calls} times a rank. What rests on them has no predicted gain.",
                call=call,
                calls=_three(calls["calls_per_rank"]),
            )
        ]
    return [
        message(
            "Unrepresentative run: the time in MPI rests on too few calls, most of all on {call},"
            " whose longest call took {longest}, and all its calls {all} a rank. What rests on them"
            " has no predicted gain.",
            call=call,
            longest=_took(calls["longest_call"]),
            all=_took(calls["time"]),
        )
    ]


def _took(time: float) -> str:
    return f"{_three(time)} s" if time >= 0.1 else f"{_three(1000 * time)} ms"


def _costly(row: Mapping[str, Any]) -> List[str]:
    share = row["overhead_max_share"] or 0
    if share <= WORTH_A_WORD:
        return []
    told = f"{_three(share * 100)}\u00a0%"
    if share <= NO_PREDICTION:
        return [
            message("Recording took {share} of elapsed time on the most affected rank.", share=told)
        ]
    return [
        message(
            "Recording took {share} of elapsed time on the most affected rank. No gain is"
            " predicted.",
            share=told,
        )
    ]


def _three(value: float) -> str:
    """Three significant digits, as everywhere in a report."""
    return f"{value:#.3g}".rstrip(".")
