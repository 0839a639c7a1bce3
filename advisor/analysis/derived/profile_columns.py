"""The profile's columns and facts, looked up; unknown with a reason where they are not there."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Sequence, Tuple

import numpy as np

from advisor.analysis.engine.arrays import coded, number, objects
from advisor.analysis.engine.metric import QualityTracker, cached_quantity, Unknown
from advisor.analysis.engine.operation_groups import LIFECYCLE, group_of
from advisor.analysis.engine.size_bins import MIXED
from advisor.model.intent import Intent
from advisor.model.measures import Quality
from advisor.model.message import message
from advisor.model.profile import Profile

RECORD_AGAIN = message("run again under this version of advisor")
RUN_OURS = message("profile the program with advisor run")
PROBE_HOST, PROBE_LIBRARY = (
    "run advisor doctor inside a job on this host",
    "run advisor doctor on this machine",
)
FOLDED = "the job had so many ranks that its calls were summed up over them"
FEWER = message("run with fewer ranks")
_WHERE_ASKED = {
    "counters": (
        message("counters were not asked for"),
        message("run again with {command}", command="advisor run --counters"),
    ),
    "stacks": (
        message("stacks were not asked for"),
        message("run again with {command}", command="advisor run --stacks"),
    ),
}
"""Tables that a profile has where the user wanted them: reason, and what to do."""
_HOLDS = {
    "phases": message("when in the run MPI was called"),
    "delays": message("which rank came last"),
    "rank_distribution": message("how ranks differ in their calls"),
    "waits": message("how long ranks waited for each other"),
    "variables": message("variables of the MPI library"),
    "path": message("the critical path"),
    "regions": message("parts that the program marks itself"),
}
"""What tables tell, for readers who do not know their names."""
_COLUMNS = {
    ("calls", "max"): message("how long the longest call took"),
    ("calls", "min"): message("how long the shortest call took"),
}
_TABLE_OF = {"io": "io", "rma": "onesided", "rma_sync": "onesided"}
"""Groups with a table of their own: a gap of its name says that they were not seen."""
KILLED = "the rank was killed, or restricted its own process, before it could tell"
AT_THE_END = frozenset(
    "finalize_end clock_offset clock_error threads memory_peak user_time system_time"
    " voluntary_switches involuntary_switches major_faults write_requests write_bytes read_requests"
    " read_bytes finalize_overhead".split()
)
"""Columns of `ranks` that are filled when a rank ends in an orderly way; in a killed one they are 0
and mean nothing."""


class Loaded:
    """P ranks in the order of the table `ranks`; per rank means [P]. NaN is unknown."""

    def __init__(
        self, profile: Profile, grade: QualityTracker, intents: Sequence[Intent] = ()
    ) -> None:
        """`intents`: the words of each library, as the rule book and a site have them; empty: as
        the rule book has them."""
        self.profile, self.grade, self.intents = profile, grade, intents
        self.kept: Dict[str, Tuple[Any, Quality]] = {}
        self._positions: Dict[str, np.ndarray] = {}

    def has(self, table: str, name: str = "") -> bool:
        """Whether the profile has a table, or a column of it."""
        columns = self.profile.tables.get(table)
        return columns is not None and (not name or name in columns)

    def column(self, table: str, name: str) -> np.ndarray:
        """A column of the profile, or Unknown."""
        if not self.has(table):
            reason, again = _WHERE_ASKED.get(
                table,
                (
                    (
                        message("the profile does not tell {what}", what=_HOLDS[table])
                        if table in _HOLDS
                        else message("the profile has no table {table}", table=table)
                    ),
                    RECORD_AGAIN,
                ),
            )
            raise self.absent(reason, f"{table}.{name}", table, collect=again)
        if not self.has(table, name):
            if table == "ranks":
                raise self.absent(
                    message(
                        "the profile does not tell {column} of each rank",
                        column=name.replace("_", " "),
                    ),
                    f"ranks.{name}",
                    "ranks",
                )
            raise self.absent(
                message(
                    "the profile does not tell {what}",
                    what=_COLUMNS.get((table, name), f"{name} of {table}"),
                ),
                f"{table}.{name}",
            )
        return self.profile.tables[table][name]

    def absent(self, otherwise: str, *subjects: str, collect: str = RECORD_AGAIN) -> Unknown:
        """Unknown for the reason that a gap of one of these subjects gives, or for another."""
        gap = next((gap for gap in self.profile.gaps if gap.subject in subjects), None)
        return Unknown(gap.reason, gap.collect) if gap else Unknown(otherwise, collect)

    def way(self, collect: str) -> str:
        """What to collect, for this profile: nobody runs another tool's file again under this
        collector, or looks at its hosts from here."""
        return (
            RUN_OURS
            if collect in (RECORD_AGAIN, PROBE_HOST, PROBE_LIBRARY)
            and self.profile.run.collector != "pmpi"
            else collect
        )

    def all_listed(self, group: str = "") -> None:
        """Raises Unknown if the profile says that `calls` leaves out operations, of this group or
        at all."""
        for gap in self.profile.gaps:
            if (
                gap.subject == "calls"
                or gap.subject == _TABLE_OF.get(group)
                or (gap.subject == "calls outside MPI-IO" and group != "io")
            ):
                raise Unknown(gap.reason, gap.collect)

    @cached_quantity
    def bins(self) -> np.ndarray:
        """Size bin of each row of `calls`, or Unknown if sizes of some were not kept apart."""
        bins = self.column("calls", "bin")
        if (bins == MIXED).any():
            raise self.absent(message("not all message sizes were kept apart"), "calls.bin")
        return bins

    @cached_quantity
    def payload(self) -> np.ndarray:
        """Bytes of each row of `calls`, float64 [rows]; NaN where neither sizes nor their sum are
        known."""
        values = self.column("calls", "bytes").astype(np.float64)
        if not self.has("calls", "bin"):
            return values
        return np.where((self.column("calls", "bin") == MIXED) & (values == 0), np.nan, values)

    def ranks(self, name: str) -> np.ndarray:
        """A numeric column of the table `ranks` as float64 [P], or Unknown. NaN where a killed rank
        could not tell."""
        values = self.column("ranks", name).astype(np.float64)
        if name in AT_THE_END and self.has("ranks", "state"):
            values = np.where(self.column("ranks", "state") == 1, np.nan, values)
        return values

    @cached_quantity
    def count(self) -> int:
        """P: ranks that reported."""
        return len(self.column("ranks", "rank"))

    @cached_quantity
    def node_of(self) -> np.ndarray:
        """Index of each rank's host, int [P]."""
        node = self.column("ranks", "node").astype(np.int64)
        if (node < 0).any():
            raise Unknown(message("not all ranks say on which host they ran"), RECORD_AGAIN)
        return node

    def position(self, table: str) -> np.ndarray:
        """For each row of a table, the position of its rank in the table `ranks`, int [n]. Unknown
        if ranks were summed up."""
        if table not in self._positions:
            self._positions[table] = self._find_ranks(self.column(table, "rank"))
        return self._positions[table]

    def summed(self, table: str) -> bool:
        """Whether rows of a table are sums over ranks."""
        ranks = self.profile.tables.get(table, {}).get("rank")
        return ranks is not None and bool((ranks < 0).any())

    def summary(self, table: str, name: str) -> bool:
        """Whether ranks tell by a column of their own what a table that is not there, or summed up,
        would have told of each."""
        return self.has("ranks", name) and (not self.has(table) or self.summed(table))

    def _find_ranks(self, wanted: np.ndarray) -> np.ndarray:
        ranks = self.column("ranks", "rank")
        if len(wanted) and int(wanted.min()) < 0:
            raise self.absent(FOLDED, "rank", collect=FEWER)
        order = np.argsort(ranks, kind="stable")
        return order[np.searchsorted(ranks, wanted, sorter=order)]

    @cached_quantity
    def classes(self) -> Tuple[Tuple[str, ...], np.ndarray]:
        """Classes and paths in `calls`, and the number of each row's, int [rows of calls]."""
        return coded(self.column("calls", "class"))

    def in_class(self, *wanted: str) -> np.ndarray:
        """Rows of `calls` of one of these classes or paths, bool [rows]."""
        names, codes = self.classes
        return (
            np.array([name in wanted for name in names] or [False])[codes]
            if len(codes)
            else np.zeros(0, bool)
        )

    @cached_quantity
    def operations(self) -> Tuple[Tuple[str, ...], np.ndarray]:
        """Names of the operations that were called, and the number of each row's, int [rows of
        calls]."""
        return coded(self.column("calls", "operation"))

    @cached_quantity
    def counted(self) -> np.ndarray:
        """Rows of `calls` that are MPI time (not start-up, not the end), bool [rows]."""
        names, codes = self.operations
        return (
            np.array([name not in LIFECYCLE for name in names] or [True])[codes]
            if len(codes)
            else np.zeros(0, bool)
        )

    @cached_quantity
    def groups(self) -> np.ndarray:
        """The group of each operation in `operations`, object [operations]."""
        return np.array([group_of(name) for name in self.operations[0]], dtype=object)

    def per_rank(self, table: str, name: str, chosen: np.ndarray) -> np.ndarray:
        """Sum of a column over the chosen rows of each rank, float64 [P]."""
        values = self.column(table, name).astype(np.float64)
        return np.bincount(
            self.position(table)[chosen], weights=values[chosen], minlength=self.count
        )

    def fact(self, facts: Mapping[str, Any], name: str) -> Any:
        """Value of a fact, None if nobody could tell."""
        return facts[name].value if name in facts else None

    def node_facts(self, name: str) -> np.ndarray:
        """A fact of all hosts, object [H]; None where unknown."""
        return objects([self.fact(node.facts, name) for node in self.profile.nodes])

    @property
    def usable_cpus(self) -> np.ndarray:
        """CPUs of each host that the job may use, float64 [H]: those online, at most what the
        control group grants."""
        return np.fmin(self.node_numbers("cpus"), np.ceil(self.node_numbers("cgroup_cpus")))

    def node_numbers(self, name: str) -> np.ndarray:
        """A number of all hosts, float64 [H]; NaN where unknown."""
        return np.array([number(value) for value in self.node_facts(name)], dtype=np.float64)
