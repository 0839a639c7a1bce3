"""The profile as arrays by rank: windows, MPI time, useful time. What all metrics are made from."""

from __future__ import annotations

from typing import Tuple

import numpy as np

from advisor.analysis.derived.by_communicator import ByCommunicator
from advisor.analysis.derived.by_operation import ByOperation
from advisor.analysis.derived.call_paths import CallPaths, call_paths
from advisor.analysis.derived.causes import causes
from advisor.analysis.derived.combined_rows import Cells, cells
from advisor.analysis.derived.core_sharing import Places, places
from advisor.analysis.derived.counter_split import Counted, counted
from advisor.analysis.derived.delays import (
    Delays,
    Lost,
    beyond_waiting,
    beyond_waiting_for_delayed,
    delays,
    idle_outside,
    waits_for_delayed,
)
from advisor.analysis.derived.phase_slices import Slices
from advisor.analysis.derived.profile_columns import RECORD_AGAIN, Loaded
from advisor.analysis.derived.proven_waits import waits_for_messages, waits_for_progress
from advisor.analysis.derived.rank_distribution import Spread, spread
from advisor.analysis.derived.sampled_waits import Rows, by_rank, rows
from advisor.analysis.derived.wait_bounds import Waits, lower_bounds
from advisor.analysis.engine.arrays import coded
from advisor.analysis.engine.metric import cached_quantity, Unknown
from advisor.analysis.engine.operation_groups import LIFECYCLE
from advisor.model.causes import Causes
from advisor.model.measures import Quality
from advisor.model.message import message


class ProfileView(Loaded):
    """P ranks in the order of the table `ranks`. Times in seconds, per rank as float64 [P]; NaN is
    unknown."""

    def _moment(self, name: str) -> np.ndarray:
        """A point in time per rank; a zero was never written and is unknown."""
        values = self.ranks(name)
        if not (values > 0).any():
            raise Unknown(f"no rank says when {name} was", RECORD_AGAIN)
        if not (values > 0).all():
            self.grade.lower(Quality.ESTIMATED)
        return np.where(values > 0, values, np.nan)

    @cached_quantity
    def begin(self) -> np.ndarray:
        """End of MPI_Init."""
        return self._moment("init_end")

    @cached_quantity
    def end(self) -> np.ndarray:
        """Start of MPI_Finalize; of a rank that never got there, its last MPI call."""
        if self.has("ranks", "state") and (self.column("ranks", "state") != 2).any():
            self.grade.lower(Quality.ESTIMATED)
        return self._moment("finalize_begin")

    @cached_quantity
    def window(self) -> np.ndarray:
        """T_i of METRICS 1."""
        if self.has("ranks", "window"):
            return self.ranks("window")
        return np.maximum(self.end - self.begin, 0)

    @cached_quantity
    def elapsed(self) -> float:
        """T of METRICS 1: last start of Finalize minus first end of Init, on the common clock."""
        elapsed = self._reported() or float(np.nanmax(self.end) - np.nanmin(self.begin))
        if not elapsed > 0:
            raise Unknown("no time passed between MPI_Init and MPI_Finalize")
        return elapsed

    def _reported(self) -> float:
        """Elapsed time from tools that give no points in time: of the job, or of the rank that took
        longest; 0 from others."""
        reported = self.profile.totals.elapsed
        if reported is None and self.has("ranks", "window") and not np.isnan(self.window).all():
            reported = float(np.nanmax(self.window))
        if reported is None:
            return 0.0
        # Other tools begin and end a little earlier or later, and ranks may not have begun
        # together.
        self.grade.lower(Quality.ESTIMATED)
        return reported

    @cached_quantity
    def mpi_time(self) -> np.ndarray:
        """M_i of METRICS 2. With several threads in MPI it is their sum, so an upper bound of the
        union."""
        if self.many_callers:
            self.grade.lower(Quality.ESTIMATED)
        if self.summary("calls", "mpi_time"):
            return self.ranks("mpi_time")
        self.all_listed()
        return self.per_rank("calls", "time", self.counted)

    @cached_quantity
    def mpi_total(self) -> float:
        """Sum of mpi_time over all ranks; known also where ranks were summed up."""
        if self.profile.totals.mpi_time is not None:
            return self.profile.totals.mpi_time * self.count
        if self.has("ranks", "mpi_time") and not self.has("calls"):
            return float(self.ranks("mpi_time").sum())
        if self.many_callers:
            self.grade.lower(Quality.ESTIMATED)
        self.all_listed()
        return float(self.column("calls", "time")[self.counted].astype(np.float64).sum())

    @property
    def many_callers(self) -> bool:
        """Whether more than one thread of a rank called MPI."""
        return self.has("ranks", "threads_called") and bool(
            (self.column("ranks", "threads_called") > 1).any()
        )

    @cached_quantity
    def outside(self) -> np.ndarray:
        """T_i - M_i of METRICS 4, never below 0."""
        return np.maximum(self.window - self.mpi_time, 0)

    @cached_quantity
    def useful(self) -> np.ndarray:
        """U_i of METRICS 4: `outside`, without what it was known to have no core."""
        try:
            found = self.no_core
        except Unknown:
            return self.outside
        return np.maximum(
            self.outside - np.where(found.reported, np.nan_to_num(found.outside), 0.0), 0
        )

    @property
    def between_polls(self) -> np.ndarray:
        """Seconds outside MPI of each rank between a call that asked and found nothing and the next
        one, where that asks as well; never above `outside`. Unknown where nobody recorded it."""
        return np.minimum(self.ranks("between_polls"), self.outside)

    @cached_quantity
    def no_core(self) -> Delays:
        """Time without a core, inside MPI and outside."""
        return delays(self)

    @cached_quantity
    def idle(self) -> np.ndarray:
        """Seconds outside MPI in which no thread of a rank ran."""
        return idle_outside(self)

    @cached_quantity
    def lost_inside(self) -> Lost:
        """Time without a core inside MPI, beyond waiting."""
        return beyond_waiting(self)

    @cached_quantity
    def transfer_with_delayed(self) -> float:
        """Most mean seconds beyond waiting that calls took since another rank had no core."""
        return beyond_waiting_for_delayed(self)

    @cached_quantity
    def waits_for_delayed(self) -> Tuple[float, float]:
        """Mean seconds that ranks waited for ranks that had no core: an estimate and the most."""
        self.grade_waits()
        return waits_for_delayed(self)

    @cached_quantity
    def causes(self) -> Causes:
        """Elapsed time divided into causes, on each rank."""
        return causes(self)

    @cached_quantity
    def overhead(self) -> np.ndarray:
        """Seconds of recording inside each rank's window, float64 [P]: METRICS 14, q.overhead."""
        costs = self.ranks("event_overhead")
        if not (costs > 0).any():
            raise Unknown(message("the cost of recording a call was not calibrated"), RECORD_AGAIN)
        return np.where(costs > 0, costs, np.nan) * self.ranks("events") + self._recorded_apart

    @property
    def _recorded_apart(self) -> np.ndarray:
        """Seconds for reading counters and describing communicators: `finalize_overhead` is these
        and the collector's stay in MPI_Finalize."""
        if not (self.has("ranks", "finalize_overhead") and self.has("ranks", "finalize_end")):
            return np.zeros(self.count)
        begin, end = self.ranks("finalize_begin"), self.ranks("finalize_end")
        at_the_end = np.where(end > 0, end - begin, 0)  # a rank that was killed has no end
        return np.nan_to_num(np.maximum(self.ranks("finalize_overhead") - at_the_end, 0))

    @cached_quantity
    def by_operation(self) -> ByOperation:
        """`calls` summed by operation."""
        return ByOperation(self)

    @cached_quantity
    def spread(self) -> Spread:
        """How ranks spread, where `calls` are summed up over them."""
        return spread(self)

    @cached_quantity
    def cells(self) -> Cells:
        """`calls` put together over ranks by operation, class and size bin."""
        keys = (self.operations[1], self.classes[1], self.column("calls", "bin"))
        return cells(keys, self.counted, self.column("calls", "time"))

    @cached_quantity
    def site_cells(self) -> Cells:
        """`sites` put together over ranks by operation, module and offset."""
        names, codes = coded(self.column("sites", "operation"))
        chosen = (
            np.array([name not in LIFECYCLE for name in names] or [True])[codes]
            if len(codes)
            else np.zeros(0, bool)
        )
        keys = (codes, coded(self.column("sites", "module"))[1], self.column("sites", "offset"))
        return cells(keys, chosen, self.column("sites", "time"))

    @cached_quantity
    def communicators(self) -> ByCommunicator:
        """`members` put together by communicator."""
        return ByCommunicator(self)

    @cached_quantity
    def member_operations(self) -> Tuple[Tuple[str, ...], np.ndarray]:
        """Names of the operations in `members`, and the number of each row's, int [rows of
        members]."""
        return coded(self.column("members", "operation"))

    @cached_quantity
    def waits(self) -> Waits:
        """Lower bounds of waiting from the durations in `members`."""
        for name in ("communicator", "count", "time"):
            self.column("members", name)
        self.grade.lower(Quality.ESTIMATED)
        operations, codes = self.member_operations
        return lower_bounds(
            self.profile.tables["members"],
            operations,
            codes,
            self.position("members"),
            self.count,
            self._no_bounds(),
        )

    @cached_quantity
    def sampled(self) -> Rows:
        """Estimates of waiting from sampled calls; Unknown where none were sampled."""
        if self.has("waits") and not len(self.column("waits", "time")):
            raise Unknown(
                message("no call was sampled of which all members are known"), RECORD_AGAIN
            )
        self.grade_waits()
        return rows(self)

    @cached_quantity
    def counted_events(self) -> Counted:
        """Counters of processor and system, outside MPI and inside."""
        return counted(self)

    @cached_quantity
    def call_paths(self) -> CallPaths:
        """The ways to sampled calls, if stacks were asked for."""
        if not self.has("stacks"):
            raise self.absent(
                "stacks of calls were not asked for", "stacks", collect="advisor run --stacks"
            )
        self.grade.lower(Quality.ESTIMATED)
        return call_paths(self)

    @cached_quantity
    def slices(self) -> Slices:
        """The run in slices of time."""
        return Slices(self)

    @property
    def has_sampled(self) -> bool:
        """Whether waiting was measured by samples."""
        return self.has("waits") and len(self.column("waits", "time")) > 0

    @cached_quantity
    def all_waits(self) -> bool:
        """Whether waits are those of all calls, as from a trace, and nothing is estimated: the
        table has no columns for the error of samples then."""
        if not self.has_sampled or self.has("waits", "wait_wait"):
            return False
        return bool((self.column("waits", "sampled") == self.column("waits", "calls")).all())

    def grade_waits(self) -> None:
        """What is being computed is made from waits: an estimate unless those of all calls are
        known."""
        if not self.all_waits:
            self.grade.lower(Quality.ESTIMATED)

    @cached_quantity
    def waiting(self) -> np.ndarray:
        """Waiting of each rank, float64 [P]: from samples, or else at least this; and what
        durations prove besides."""
        proven = self.proven_waits.sum(axis=0)
        if self.summary("waits", "wait_time") and self.has_sampled:
            return np.minimum(self.ranks("wait_time"), self.mpi_time)
        if self.has_sampled:
            least = 0.0 if self.all_waits else self._least()
            found = np.maximum(by_rank(self)[0], least) + proven
            return np.minimum(found, self.mpi_time)
        return np.minimum(self.waits.per_rank + proven, self.mpi_time)

    @cached_quantity
    def progress_waits(self) -> np.ndarray:
        """Waiting in one-sided calls for targets that do not call MPI, at least, float64
        [operations, P]; one column of zeros where ranks were summed up."""
        if not self.has("calls"):
            return np.zeros((0, self.count))
        return waits_for_progress(self)

    @cached_quantity
    def message_waits(self) -> np.ndarray:
        """Waiting for messages that were not sampled, at least; of the same shape."""
        return waits_for_messages(self) if self.has("calls") else self.progress_waits

    @cached_quantity
    def proven_waits(self) -> np.ndarray:
        """Both."""
        return self.progress_waits + self.message_waits

    def _least(self) -> np.ndarray:
        try:
            return self.waits.per_rank
        except Unknown:
            return np.zeros(self.count)

    def _no_bounds(self) -> np.ndarray:
        """Communicators in which durations bound nothing: overflowed ones, and those that join two
        groups."""
        if not self.has("communicators", "class"):
            return np.zeros(1, np.uint64)
        inter = self.column("communicators", "class") == "inter"
        return np.append(self.column("communicators", "id")[inter], np.uint64(0))

    @cached_quantity
    def cpu_lists(self) -> np.ndarray:
        """Text per rank: CPUs that its busy threads might run on, or its mask after MPI_Init where
        that is the same or nobody looked."""
        masks = self.column("ranks", "cpus")
        if not self.has("ranks", "thread_cpus"):
            return masks
        threads = self.column("ranks", "thread_cpus")
        return np.where(threads.astype(bool), threads, masks)

    @cached_quantity
    def places(self) -> Places:
        """Which ranks share CPUs. A rank whose threads nobody counted has one."""
        threads = (
            self.ranks("threads") if self.has("ranks", "threads") else np.full(self.count, np.nan)
        )
        if not (threads > 0).all():
            self.grade.lower(Quality.ASSUMED)
        return places(self.cpu_lists, self.node_of, np.fmax(threads, 1))
