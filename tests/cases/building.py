"""A case of the labelled set as a profile: either recorded, or built from a few lines that say what
was published.

A built case has `run` (hosts, ranks a host, elapsed seconds …), `host`, `library`, `settings`,
`application` and `calls`: rows of operation, class of its communicator or path to the partner,
bytes of a call, calls a rank, share of elapsed, and, if known, the share of that time that is
waiting. All ranks do the same, but for what `slow` says.
"""

from __future__ import annotations

from typing import Dict, List, Mapping, NamedTuple, Sequence

import numpy as np

from advisor.analysis.engine.operation_groups import group_of
from advisor.base import resource_paths
from advisor.intake import read
from advisor.model.columns import TABLES
from advisor.model.profile import Application, Fact, Library, Node, Profile, Run, Setting

BEGIN = 1_700_000_000.0
LEVELS = ("single", "funneled", "serialized", "multiple")
FABRICS = ("infiniband", "omnipath", "slingshot", "roce", "efa")
HOST = {
    "cpu.model": "Intel Xeon Gold 6148",
    "cpus": 40,
    "cores": 40,
    "sockets": 2,
    "numa_nodes": 1,
    "smt": False,
    "memory": 200e9,
    "virtual": False,
    "xpmem": False,
    "knem": False,
    "limic": False,
    "cma": True,
    "ptrace_scope": 0,
    "gpu": "",
    "hugepages": "",
    "memlock": -1,
}


class Call(NamedTuple):
    """`share`: of elapsed, on each rank; `waiting`: of that, on all ranks but the last to come."""

    operation: str
    path: str
    size: float
    count: float
    share: float
    waiting: float = 0.0


def profile_of(case: Mapping) -> Profile:
    """The profile of a case."""
    if "profile" in case:
        return read(resource_paths.samples().parent / case["profile"])
    return _Built(case).profile()


def table(name: str, columns: Mapping[str, Sequence]) -> Dict[str, np.ndarray]:
    """A table of a profile from sequences of equal length."""
    made = {}
    for label, values in columns.items():
        kind = TABLES[name][label].dtype
        made[label] = np.array(values, dtype=object if kind == "text" else "<" + kind)
    return made


def bin_of(size: float) -> int:
    """Size bin as the collector counts it (METRICS 6.2); -1: no data."""
    return -1 if size < 0 else int(size).bit_length()


CLASSES = set("self intra_node one_per_node multi_node inter other none any nothing".split())
"""Of communicators, and paths to a peer."""


class _Built:
    def __init__(self, case: Mapping) -> None:
        self.case, self.run = case, case["run"]
        self.hosts, self.per_host = self.run.get("hosts", 1), self.run["ranks"]
        self.count, self.time = self.hosts * self.per_host, float(self.run["time"])
        self.calls: List[Call] = [Call(*row) for row in case.get("calls", ())]
        assert {call.path for call in self.calls} <= CLASSES, "a class that no collector writes"
        self.cores = self.run.get("cores", self.run.get("threads", 1))
        self.factor = np.ones(self.count)
        for rank in self.run.get("slow", ()):
            self.factor[rank] = 1 - self.run["slow_by"]

    def profile(self) -> Profile:
        tables = {
            "ranks": self.ranks(),
            "calls": self.rows(),
            **self.members(),
            **self.partners(),
            **self.windows(),
        }
        return Profile(
            self.described(),
            self.library(),
            self.nodes(),
            tables,
            self.settings(),
            self.application(),
        )

    def described(self) -> Run:
        program = self.run.get("program", "/home/user/a.out")
        launcher = self.run.get("launcher", "mpirun")
        line = (launcher, "-n", str(self.count), program)
        return Run(
            program,
            (),
            line,
            launcher,
            "/home/user",
            job="1",
            scheduler=self.run.get("scheduler", ""),
            job_seconds=self.time * 1.02,
            exit_code=0,
            ranks_expected=self.count,
        )

    def library(self) -> Library:
        given = self.case["library"]
        facts = {
            key: Fact(value, "case")
            for key, value in given.items()
            if key not in ("name", "version", "text")
        }
        return Library(given["name"], given["version"], given.get("text", ""), "3.1", "", facts)

    def nodes(self):
        given = dict(self.case.get("host", {}))
        fabric = given.pop("fabric", "")
        seen = {**HOST, **{name: False for name in FABRICS}, "infiniband": "", **given}
        if fabric:
            seen[fabric] = "mlx5_0:1:InfiniBand:100" if fabric == "infiniband" else True
        return tuple(
            Node(f"n{host:04d}", {key: Fact(value, "case") for key, value in seen.items()})
            for host in range(self.hosts)
        )

    def settings(self):
        return tuple(
            Setting(name, str(value), "environment")
            for name, value in self.case.get("settings", {}).items()
        )

    def application(self):
        given = dict(self.case.get("application", {}))
        return (
            Application(
                given.pop("name"), {key: Fact(value, "case") for key, value in given.items()}
            )
            if given
            else None
        )

    def ranks(self) -> Dict[str, np.ndarray]:
        each = {
            "state": 2,
            "init_begin": BEGIN - 1,
            "init_end": BEGIN,
            "process_begin": BEGIN - 2,
            "finalize_begin": BEGIN + self.time,
            "finalize_end": BEGIN + self.time,
            "clock_error": 1e-6,
            "clock_offset": 0.0,
            "thread_requested": LEVELS.index(self.run.get("asked", "single")),
            "overflowed": 0,
            "clock_faults": 0,
            "thread_provided": LEVELS.index(self.run.get("given", self.run.get("asked", "single"))),
            "threads_called": self.run.get("called", 1),
            "threads": self.run.get("threads", 1),
            "omp_threads": self.run.get("omp", 1),
            "cores": self.cores,
            "user_time": self.time * self.run.get("threads", 1),
            "system_time": 0.0,
            "memory_peak": 1 << 30,
            "events": 1000,
            "event_overhead": 1e-8,
            "finalize_overhead": 1e-3,
            "voluntary_switches": 0,
            "involuntary_switches": 0,
            "major_faults": 0,
            "pid": 1,
            "control_levels": 0,
        }
        columns = {label: [value] * self.count for label, value in each.items()}
        first = [
            (rank // self.hosts if self.run.get("order") == "dealt out" else rank % self.per_host)
            * self.cores
            for rank in range(self.count)
        ]
        cpus = [f"{one}-{one + self.cores - 1}" if self.cores > 1 else str(one) for one in first]
        if self.run.get("free"):
            cpus = ["0-{}".format({**HOST, **self.case["host"]}["cpus"] - 1)] * self.count
        return table(
            "ranks",
            {
                "rank": range(self.count),
                "node": [self.host_of(rank) for rank in range(self.count)],
                "cpus": cpus,
                **columns,
            },
        )

    def host_of(self, rank: int) -> int:
        """Ranks fill one host after the other, or are dealt out."""
        return rank % self.hosts if self.run.get("order") == "dealt out" else rank // self.per_host

    def rows(self) -> Dict[str, np.ndarray]:
        """The table `calls`: one row a rank and call."""
        return table(
            "calls",
            {
                **self.counted(self.calls),
                "class": self.each(call.path for call in self.calls),
                "bin": self.each(bin_of(call.size) for call in self.calls),
            },
        )

    def counted(self, calls: Sequence[Call]) -> Dict[str, np.ndarray]:
        """Columns that tables of calls have in common."""
        count, ranks = (
            self.each(round(call.count) for call in calls),
            np.tile(np.arange(self.count), len(calls)),
        )
        time = np.concatenate([self.seconds(call) for call in calls]) if calls else np.zeros(0)
        columns = {
            "rank": ranks,
            "operation": self.each(call.operation for call in calls),
            "count": count,
            "time": time,
        }
        means = time / np.maximum(count.astype(float), 1)
        return {
            **columns,
            "bytes": self.each(round(max(call.size, 0) * round(call.count)) for call in calls),
            "min": means,
            "max": 2 * means,
        }

    def each(self, values) -> np.ndarray:
        """One value a call → one a call and rank."""
        return np.repeat(np.array(list(values), dtype=object), self.count)

    def seconds(self, call: Call) -> np.ndarray:
        """Time of a call on each rank. The last rank is the last to come, and waits for nobody."""
        time = call.share * self.time * self.factor
        time[-1] *= 1 - call.waiting
        return time

    def members(self) -> Dict[str, Dict[str, np.ndarray]]:
        """Collective calls on one communicator of all, one of each host, and one of each rank."""
        together = [
            call for call in self.calls if group_of(call.operation) in ("collective", "sync")
        ]
        joined = (
            np.concatenate([self.communicator(call.path) for call in together])
            if together
            else np.zeros(0, int)
        )
        path = {
            int(which): call.path
            for call in together
            for which in np.unique(self.communicator(call.path))
        }
        sizes = {
            which: (
                {"self": 1, "one_per_node": self.hosts}.get(
                    kind, self.count if which == 1 else self.per_host
                )
            )
            for which, kind in path.items()
        }
        known = {
            "id": list(path),
            "name": [""] * len(path),
            "size": list(sizes.values()),
            "nodes": [self.hosts if which in (1, 2) else 1 for which in path],
            "class": list(path.values()),
            "world": [int(size == self.count) for size in sizes.values()],
            "order": list(range(len(path))),
            "freed": [0] * len(path),
        }
        return {
            "members": table("members", {**self.counted(together), "communicator": joined}),
            "communicators": table("communicators", known),
        }

    def communicator(self, path: str) -> np.ndarray:
        """Which communicator each rank makes a call of this class on."""
        ranks = np.arange(self.count)
        if path == "intra_node" and self.hosts > 1:
            return 100 + ranks // self.per_host
        return {"self": 100_000 + ranks, "one_per_node": np.full(self.count, 2)}.get(
            path, np.ones(self.count, int)
        )

    def partners(self) -> Dict[str, Dict[str, np.ndarray]]:
        """Messages and one-sided bytes, shared out evenly over the `partners`: distances in
        ranks."""
        sent = [call for call in self.calls if group_of(call.operation) in ("p2p", "rma")]
        messages, data = (
            sum(call.count for call in sent),
            sum(max(call.size, 0) * call.count for call in sent),
        )
        distances = self.run.get("partners", (1, -1)) if self.count > 1 and sent else ()
        rows = []
        for rank in range(self.count):
            for peer in sorted({(rank + distance) % self.count for distance in distances}):
                path = (
                    "self"
                    if peer == rank
                    else "intra_node"
                    if self.host_of(peer) == self.host_of(rank)
                    else "other"
                )
                rows.append(
                    (
                        rank,
                        peer,
                        path,
                        round(messages / len(distances)),
                        round(data / len(distances)),
                    )
                )
        return {
            "peers": table(
                "peers",
                dict(
                    zip(("rank", "peer", "path", "messages", "bytes"), list(zip(*rows)) or [()] * 5)
                ),
            )
        }

    def windows(self) -> Dict[str, Dict[str, np.ndarray]]:
        rows = [
            (rank, kind, "multi_node", count, 1 << 20)
            for kind, count in self.case.get("windows", {}).items()
            for rank in range(self.count)
        ]
        return {
            "windows": table(
                "windows",
                dict(
                    zip(("rank", "kind", "class", "count", "bytes"), list(zip(*rows)) or [()] * 5)
                ),
            )
        }
