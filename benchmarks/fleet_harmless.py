"""Processes of all kinds with and without the object that a centre preloads into everything: do
output, exit code or time change?

    chrt -f 10 python benchmarks/fleet_harmless.py 10000 [--write]

Each command starts four times in random order: twice without an object, with an empty one, and with
ours. The two without show the noise, and the empty one what the loader itself needs for one more
file. The environment is that of a rank of a chosen job, with all jobs chosen. CPU time is that of
the process and its children. --write puts the table into FLEET.md.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Sequence, Tuple

import result_lines

HERE = Path(__file__).resolve().parent
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
STATIC = '#include <stdio.h>\nint main(void) { puts("static"); return 11; }\n'
CODE = "int f(int a) { for (int i = 0; i < 9; i++) a += a * i; return a; }\n"
CONTAINER = "bwrap --ro-bind / / --dev /dev --proc /proc --unshare-all".split()
RANKS = "programs with MPI"
"""Ranks of a chosen job start a second time: what they pay is no part of the sum."""
KINDS: "Dict[str, List[List[str]]]" = {
    "shells": [
        ["sh", "-c", "for i in 1 2 3; do echo $i; done; exit 9"],
        ["bash", "-c", "a=(x y); echo ${a[@]}; (exit 4) || exit 5"],
        ["bash", "-lc", "type cd"],
        ["sh", "-c", "echo one | sort | uniq -c | cat; ls /nowhere"],
    ],
    "less, text tools": [
        ["less", "-F", "/etc/passwd"],
        ["grep", "-c", "root", "/etc/passwd"],
        ["awk", "BEGIN { for (i = 0; i < 99; i++) s += i; print s }"],
        ["sed", "s/root/toor/", "/etc/passwd"],
        ["tar", "cf", "-", "/etc/hostname"],
        ["find", "/etc", "-maxdepth", "1", "-name", "p*"],
        ["git", "--version"],
        ["make", "--version"],
    ],
    "Python, Perl, Lua": [
        ["PYTHON", "-S", "-c", "import sys; print(sys.argv); sys.exit(6)"],
        ["PYTHON", "-c", "import json, subprocess; print(subprocess.check_output(['id', '-u']))"],
        ["perl", "-e", "print 2 ** 10; exit 3"],
        ["lua", "-e", "print(7 // 2)"],
    ],
    "static": [["STATIC"], ["busybox", "sh", "-c", "echo $((1 + 1)); exit 7"]],
    "set-user-ID": [
        [*NOBODY, "su", "--version"],
        [*NOBODY, "passwd", "-S"],
        [*NOBODY, "mount"],
        [*NOBODY, "newgrp", "nogroup"],
    ],
    "containers": [
        [*CONTAINER, "sh", "-c", "id -u; hostname >/dev/null; exit 8"],
        ["unshare", "-m", "-p", "-f", "sh", "-c", "echo $$"],
        ["chroot", "/", "ls", "/usr"],
    ],
    "JVM": [["java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-version"]],
    "compilers": [
        ["cc", "-O1", "-c", "CODE", "-o", "/dev/null"],
        ["cc", "-E", "CODE"],
        ["ld", "--version"],
        ["gfortran", "--version"],
        ["mpicc.openmpi", "-show"],
    ],
    RANKS: [["ompi_info", "--version"], ["MPI"]],
    "launchers": [["mpirun.openmpi", "--version"], ["mpirun.mpich", "--version"], ["srun", "-V"]],
}
SHARES = {"JVM": 0.02, "compilers": 0.07, RANKS: 0.05}
"""Of all starts; the other kinds have equal parts of what is left."""
MPI = (
    "#include <mpi.h>\n#include <stdio.h>\n"
    'int main(void) { int v, w; MPI_Get_version(&v, &w); printf("%d.%d\\n", v, w); return 12; }\n'
)


@dataclass
class Row:
    """What one kind did. Lists are milliseconds of CPU time, an entry a start: without the object,
    again without it less that, with ours less without, and with ours less with an empty object."""

    starts: int = 0
    outputs: int = 0
    codes: int = 0
    without: List[float] = field(default_factory=list)
    again: List[float] = field(default_factory=list)
    added: List[float] = field(default_factory=list)
    own: List[float] = field(default_factory=list)


def started(words: Sequence[str], variables: Dict[str, str]) -> Tuple[int, bytes, float]:
    """Wait status, output and CPU milliseconds."""
    with tempfile.TemporaryFile() as said:
        file = said.fileno()
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, file, 1),
            (os.POSIX_SPAWN_DUP2, file, 2),
        ]
        child = os.posix_spawnp(words[0], words, variables, file_actions=actions)
        _, status, usage = os.wait4(child, 0)
        said.seek(0)
        return status, said.read(), (usage.ru_utime + usage.ru_stime) * 1e3


def compare(words: Sequence[str], empty: str, ours: str, row: Row) -> None:
    """Start a command twice without an object, with an empty one and with ours."""
    bare = {
        "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin",
        "HOME": "/nonexistent",
        "LC_ALL": "C",
        "SLURM_JOB_ID": "77",
        "SLURM_STEP_ID": "0",
    }
    objects = {"without": "", "again": "", "empty": empty, "ours": ours}
    found = {}
    for name in random.sample(sorted(objects), len(objects)):
        preload = objects[name]
        found[name] = started(words, {**bare, **({"LD_PRELOAD": preload} if preload else {})})
    without, ours_found = found["without"], found["ours"]
    row.starts += 1
    row.codes += without[0] != ours_found[0]
    row.outputs += without[1] != ours_found[1]
    if without[:2] != ours_found[:2]:
        print(words, found, file=sys.stderr)
    row.without.append(without[2])
    row.again.append(found["again"][2] - without[2])
    row.added.append(ours_found[2] - (without[2] + found["again"][2]) / 2)
    row.own.append(ours_found[2] - found["empty"][2])


def prepared(place: Path) -> Tuple[str, str, Dict[str, List[List[str]]]]:
    """An empty object, ours as it is installed, and the kinds that this machine has."""
    place.chmod(0o755)
    words = ["fleet", "install", str(place / "home"), "--spool", str(place / "spool")]
    subprocess.run(
        [sys.executable, "-m", "advisor", *words, "--mpicc", "mpicc.openmpi", "--share", "100%"],
        check=True,
        stdout=subprocess.DEVNULL,
        cwd=HERE.parent,
    )
    for name, text in (("code", CODE), ("static", STATIC), ("mpi", MPI), ("empty", "")):
        (place / f"{name}.c").write_text(text)
    subprocess.run(["cc", "-static", place / "static.c", "-o", place / "static"], check=True)
    subprocess.run(["mpicc.openmpi", place / "mpi.c", "-o", place / "mpi"], check=True)
    ours = f"{place}/home/lib/advisor-fleet.so"
    subprocess.run(["cc", "-shared", "-nostdlib", place / "empty.c", "-o", place / "empty.so"])
    own = {
        "STATIC": str(place / "static"),
        "MPI": str(place / "mpi"),
        "CODE": f"{place}/code.c",
        # Not by name: that may be a script of pyenv, which starts a dozen processes.
        "PYTHON": os.path.realpath(sys.executable),
    }
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    kinds = {}
    for kind, lines in KINDS.items():
        there = [[own.get(word, word) for word in words] for words in lines]
        kinds[kind] = [
            words
            for words in there
            if all(
                shutil.which(each, path=path)
                for each in (words[0], words[len(NOBODY) if words[0] == "setpriv" else 0])
            )
        ]
    return f"{place}/empty.so", ours, {k: v for k, v in kinds.items() if v}


def measured(processes: int) -> Dict[str, Row]:
    """Kind → its row. `processes` start with our object, and three times as many without it."""
    with tempfile.TemporaryDirectory(prefix="harmless-") as name:
        empty, ours, kinds = prepared(Path(name))
        rest = 1 - sum(SHARES.get(kind, 0) for kind in kinds)
        equal = rest / sum(kind not in SHARES for kind in kinds)
        plan = [
            (kind, kinds[kind][i % len(kinds[kind])])
            for kind in kinds
            for i in range(round(processes * SHARES.get(kind, equal)))
        ]
        random.shuffle(plan)
        rows = {kind: Row() for kind in kinds}
        for kind, words in plan:
            compare(words, empty, ours, rows[kind])
    return rows


def interval(values: Sequence[float]) -> str:
    """Mean without the outer 5 % on both sides, and 1.96 standard errors of such a mean around it
    (Tukey and McLaughlin 1963: from the values with the outer ones drawn in)."""
    mid = kept(values)
    mean = statistics.fmean(mid)
    drawn = [min(max(value, mid[0]), mid[-1]) for value in values]
    error = 1.96 * statistics.pstdev(drawn) / 0.9 / len(values) ** 0.5
    return f"{mean:+.3f} [{mean - error:+.3f}, {mean + error:+.3f}]"


def kept(values: Sequence[float]) -> List[float]:
    """Without the outer 5 % on both sides, in order."""
    ordered = sorted(values)
    cut = len(ordered) // 20
    return ordered[cut : len(ordered) - cut]


def table(rows: Dict[str, Row]) -> str:
    """Markdown."""
    others = {kind: row for kind, row in rows.items() if kind != RANKS}
    total = Row()
    for row in others.values():
        total.starts += row.starts
        total.outputs += row.outputs
        total.codes += row.codes
        for name in ("without", "again", "added", "own"):
            getattr(total, name).extend(getattr(row, name))
    head = [
        "| kind | starts with it | other output | other exit code | CPU without, ms |"
        " start to start, ms | added, ms [95 %] | beyond an empty object, ms [95 %] |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines = [_line(kind, row) for kind, row in (*others.items(), ("**all of these**", total))]
    lines += [_line(kind, row) for kind, row in rows.items() if kind == RANKS]
    return "\n".join(head + lines)


def _line(kind: str, row: Row) -> str:
    noise = statistics.pstdev(kept(row.again)) / 2**0.5
    return (
        f"| {kind} | {row.starts} | {row.outputs} | {row.codes} |"
        f" {statistics.median(row.without):.2f} | {noise:.2f} | {interval(row.added)} |"
        f" {interval(row.own)} |"
    )


def main() -> int:
    """Measure, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("processes", type=int)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    rows = measured(arguments.processes)
    load = os.getloadavg()[1]
    text = f"Load {load:.1f} on {os.cpu_count()} cores.\n\n{table(rows)}"
    print(text)
    if arguments.write:
        result_lines.put(HERE / "FLEET.md", {"harmless": text})
    return int(any(row.outputs or row.codes for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
