"""The same runs as files of other tools: what each would have written of the simulated calls.

The layouts are those of the recorded files in tests/foreign/recorded: what readers read is there.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Callable, Dict, Iterator, List, NamedTuple, Sequence, Tuple

from cube_archive import PathSum, write_cube
from labelled_cases import HERE, Case
from simulator import Call
from traces import write as write_trace

try:
    import tomllib
except ModuleNotFoundError:  # Python below 3.11
    import tomli as tomllib

UNKNOWN = tomllib.loads((HERE / "forms.toml").read_text(encoding="utf-8"))
UNSIZED = ("Barrier", "Comm_dup", "Comm_free", "Recv", "Irecv", "Waitall", "Testall", "Iprobe")
UNSIZED += (
    "Waitany",
    "Win_lock",
    "Win_unlock",
    "Win_post",
    "Win_start",
    "Win_complete",
    "Win_wait",
)
"""Calls of which tools write no size: those that send nothing, and receives."""


class Sum(NamedTuple):
    """Calls of one rank, of one operation, size and partner."""

    count: int = 0
    time: float = 0.0
    least: float = float("inf")
    most: float = 0.0

    def add(self, seconds: float) -> "Sum":
        """With one more call."""
        return Sum(
            self.count + 1,
            self.time + seconds,
            min(self.least, seconds),
            max(self.most, seconds),
        )


Key = Tuple[int, str, int, int]
"""Rank, operation, bytes that it hands in, partner or -1."""


def sums(calls: Sequence[Call]) -> Dict[Key, Sum]:
    """What summary tools keep."""
    found: Dict[Key, Sum] = defaultdict(Sum)
    for call in calls:
        key = (call.rank, call.name, *_payload(call))
        found[key] = found[key].add(call.left - call.entered)
    return dict(sorted(found.items()))


def _payload(call: Call) -> Tuple[int, int]:
    if not call.events or call.name in UNSIZED:
        return 0, -1
    what = call.events[0][1]
    partner = what.to if call.events[0][0] in ("send", "isend", "put") else -1
    return what.size, partner


def elapsed(calls: Sequence[Call]) -> float:
    """Seconds from MPI_Init to MPI_Finalize, of each rank."""
    return max(call.left for call in calls)


def own(case: Case, file: Path) -> None:
    """advisor's own profile, as `advisor run --trace` would make it of this trace."""
    from advisor.intake.container.write import write
    from advisor.intake.read import read

    write(read(write_trace(file.parent, case.calls, case.made.machine)), file)


def mpip(case: Case, file: Path) -> None:
    """A report of mpiP 3.5, a call site for each operation."""
    file.write_text("\n".join(_mpip(case)) + "\n")


def _mpip(case: Case) -> Iterator[str]:
    whole, kept = elapsed(case.calls), sums(case.calls)
    ranks = range(len(case.made.machine.host))
    names = sorted({key[1] for key in kept})
    yield from ("@ mpiP", f"@ Command : ./{case.name.partition('/')[0]} ")
    yield from ("@ Version                  : 3.5.0", "@ Timer Used               : PMPI_Wtime")
    for rank, host in enumerate(case.made.machine.host):
        yield f"@ MPI Task Assignment      : {rank} host{host}"
    yield from _section("MPI Time (seconds)", "Task    AppTime    MPITime     MPI%")
    in_mpi = [sum(one.time for key, one in kept.items() if key[0] == rank) for rank in ranks]
    for rank in ranks:
        yield f"{rank:4d} {whole:10.4g} {in_mpi[rank]:10.4g} {100 * in_mpi[rank] / whole:8.2f}"
    yield (
        f"   * {whole * len(ranks):10.4g} {sum(in_mpi):10.4g}"
        f" {100 * sum(in_mpi) / whole / len(ranks):8.2f}"
    )
    yield from _section(
        f"Callsites: {len(names)}",
        " ID Lev File/Address        Line Parent_Funct             MPI_Call",
    )
    for site, name in enumerate(names, 1):
        yield f"{site:3d}   0 program.c {site:16d} main                     {name}"
    yield from _section(
        f"Callsite Time statistics (all, milliseconds): {len(names) * len(ranks)}",
        "Name              Site Rank  Count      Max     Mean      Min   App%   MPI%",
    )
    for site, name in enumerate(names, 1):
        for rank in ranks:
            yield from _mpip_time(site, name, rank, _of(kept, rank, name), whole, in_mpi[rank])
    yield from _section(
        "Callsite Message Sent statistics (all, sent bytes)",
        "Name              Site Rank   Count       Max      Mean       Min       Sum",
    )
    for site, name in enumerate(names, 1):
        for rank in ranks:
            yield from _mpip_sizes(site, name, rank, _of(kept, rank, name))
    yield from _section("End of Report")


def _of(kept: Dict[Key, Sum], rank: int, name: str) -> Dict[Key, Sum]:
    return {key: one for key, one in kept.items() if key[:2] == (rank, name)}


def _section(title: str, heads: str = "") -> List[str]:
    rule = "-" * 75
    return [rule, f"@--- {title} ".ljust(75, "-"), rule, *([heads] if heads else [])]


def _mpip_time(
    site: int, name: str, rank: int, found: Dict[Key, Sum], whole: float, in_mpi: float
) -> Iterator[str]:
    if found:
        count, time = (
            sum(getattr(one, what) for one in found.values()) for what in Sum._fields[:2]
        )
        most, least = (
            max(one.most for one in found.values()),
            min(one.least for one in found.values()),
        )
        numbers = [1e3 * most, 1e3 * time / count, 1e3 * least]
        shown = " ".join(f"{number:8.3g}" for number in numbers)
        shares = f"{100 * time / whole:6.2f} {100 * time / max(in_mpi, 1e-12):6.2f}"
        yield f"{name:17} {site:4d} {rank:4d} {count:6d} {shown} {shares}"


def _mpip_sizes(site: int, name: str, rank: int, found: Dict[Key, Sum]) -> Iterator[str]:
    """mpiP keeps no sizes of MPI_Alltoallv."""
    sizes = [(key[2], one.count) for key, one in found.items() if key[2]]
    if sizes and name != "Alltoallv":
        count, total = sum(many for _, many in sizes), sum(size * many for size, many in sizes)
        numbers = [max(sizes)[0], total / count, min(sizes)[0], total]
        shown = " ".join(f"{number:9.4g}" for number in numbers)
        yield f"{name:17} {site:4d} {rank:4d} {count:7d} {shown}"


def ipm(case: Case, file: Path) -> None:
    """A log of IPM 2 with IPM_LOG=full. It does not see MPI_Put and MPI_Win_fence."""
    file.write_text("\n".join(_ipm(case)) + "\n")


def _ipm(case: Case) -> Iterator[str]:
    whole, ranks = elapsed(case.calls), len(case.made.machine.host)
    rows: Dict[int, List[Tuple[Key, Sum]]] = defaultdict(list)
    for key, one in sums(case.calls).items():
        if key[1] not in ("Put", "Win_fence"):
            rows[key[0]].append((key, one))
    program = f"./{case.name.partition('/')[0]}"
    yield from ('<?xml version="1.0" encoding="iso-8859-1"?>', "<ipm_job_profile>")
    for rank, host in enumerate(case.made.machine.host):
        in_mpi = sum(one.time for _, one in rows[rank])
        yield (
            f'<task ipm_version="2.0.6" cookie="nocookie" mpi_rank="{rank}" mpi_size="{ranks}"'
            f' username="unknown" allocationname="unknown" flags="0" pid="{1000 + rank}" >'
        )
        yield f'<host mach_name="x86_64" mach_info="x86_64_Linux" >host{host}</host>'
        yield (
            f'<perf wtime="{whole:.5e}" utime="{whole:.5e}" stime="0.00000e+00"'
            f' mtime="{in_mpi:.5e}" gflop="0.00000e+00" gbyte="2.15530e-02"></perf>'
        )
        yield f'<cmdline realpath="{program}" >{program} </cmdline>'
        yield f'<hash nlog="{sum(one.count for _, one in rows[rank])}" nkey="{len(rows[rank])}" >'
        yield from (_entry(key, one) for key, one in rows[rank])
        yield from ("</hash>", "</task>")
    yield "</ipm_job_profile>"


def _entry(key: Key, one: Sum) -> str:
    return (
        f'<hent key="0" call="MPI_{key[1]}" bytes="{key[2]}" orank="{max(key[3], 0)}" region="0"'
        f' callsite="0" count="{one.count}" tid="0" >'
        f"{one.time:.4e} {one.least:.4e} {one.most:.4e}</hent>"
    )


def talp(case: Case, file: Path) -> None:
    """TALP's JSON: time in MPI and outside it."""
    whole = round(1e9 * elapsed(case.calls))
    in_mpi: Dict[int, float] = defaultdict(float)
    calls: Dict[int, int] = defaultdict(int)
    for call in case.calls:
        in_mpi[call.rank] += call.left - call.entered
        calls[call.rank] += 1
    hosts = case.made.machine.host
    processes = [
        {
            "rank": rank,
            "pid": 1000 + rank,
            "nodeId": host,
            "hostname": f"host{host}",
            "cpuset": str(hosts[:rank].count(host)),
            "numCpus": 1,
            "avgCpus": 1.0,
            "numMpiCalls": calls[rank],
            "elapsedTime": whole,
            "usefulTime": whole - round(1e9 * in_mpi[rank]),
            "mpiTime": round(1e9 * in_mpi[rank]),
        }
        for rank, host in enumerate(hosts)
    ]
    resources = {
        "numCpus": len(hosts),
        "numNodes": len(set(hosts)),
        "numMpiRanks": len(hosts),
        "numGpus": 0,
    }
    application = {**resources, "elapsedTime": whole, "numMpiCalls": sum(calls.values())}
    content = {
        "dlbVersion": "3.7.0",
        "timestamp": "2026-11-21T03:36:26",
        "resources": resources,
        "Application": {"Global": application},
        "Process": {"Global": processes},
    }
    file.write_text(json.dumps(content, indent=2) + "\n")


def cube(case: Case, file: Path) -> None:
    """A profile of Score-P 8 of a program whose main and MPI calls were measured."""
    write_cube(
        file, case.made.machine.host, elapsed(case.calls), _cube_columns(sums(case.calls), case)
    )


def _cube_columns(kept: Dict[Key, Sum], case: Case) -> Dict[str, Dict[int, PathSum]]:
    """operation → rank → its sums. As Score-P, it counts no bytes of receives, and those of a
    collective call not as payload."""
    found: Dict[str, Dict[int, PathSum]] = defaultdict(dict)
    for (rank, name, size, _), one in kept.items():
        old = found[name].get(rank, PathSum())
        sent = size * one.count if name in ("Send", "Isend") else 0
        put = size * one.count if name == "Put" else 0
        found[name][rank] = PathSum(
            old.visits + one.count,
            old.time + one.time,
            min(old.least, one.least),
            max(old.most, one.most),
            old.bytes_sent + sent,
            old.bytes_put + put,
        )
    return found


class Form(NamedTuple):
    """What its file is called, how it is made, and what it cannot tell."""

    name: str
    make: Callable[[Case, Path], None]
    cannot_tell: Sequence[str] = ()

    def write(self, case: Case, folder: Path) -> Path:
        """The file of a case."""
        self.make(case, folder / self.name)
        return folder / self.name


def trace(case: Case, file: Path) -> None:
    """An OTF2 archive."""
    write_trace(file.parent.parent, case.calls, case.made.machine)


FORMS: Dict[str, Form] = {
    "otf2": Form("trace/traces.otf2", trace),
    **{
        form: Form(name, make, UNKNOWN[form]["cannot_tell"])
        for form, name, make in (
            ("own", "profile.advisor", own),
            ("mpip", "program.mpiP", mpip),
            ("ipm", "program.ipm.xml", ipm),
            ("talp", "talp.json", talp),
            ("cube", "profile.cubex", cube),
        )
    },
}
