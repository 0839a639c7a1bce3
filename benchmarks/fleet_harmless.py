"""Processes of all kinds with and without the object that a centre preloads into everything: do
output, exit code or time change?

    chrt -f 10 nice python benchmarks/fleet_harmless.py 10000 [--write]

Each pair of starts runs in random order, in an environment as a rank of a chosen job has it, with
all jobs chosen. CPU time is that of the process and its children. --write puts the table into
FLEET.md.
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
    "programs with MPI": [["ompi_info", "--version"], ["MPI"]],
    "launchers": [["mpirun.openmpi", "--version"], ["mpirun.mpich", "--version"], ["srun", "-V"]],
}
SHARES = {"JVM": 0.02, "compilers": 0.07, "programs with MPI": 0.05}
"""Of all starts; the other kinds have equal parts of what is left."""
MPI = (
    "#include <mpi.h>\n#include <stdio.h>\n"
    'int main(void) { int v, w; MPI_Get_version(&v, &w); printf("%d.%d\\n", v, w); return 12; }\n'
)


@dataclass
class Row:
    """What one kind did. `without`, `added`: milliseconds of CPU time."""

    starts: int = 0
    outputs: int = 0
    codes: int = 0
    without: List[float] = field(default_factory=list)
    added: List[float] = field(default_factory=list)


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


def pair(words: Sequence[str], preload: str, row: Row) -> None:
    """One start with and one without, in random order."""
    bare = {
        "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin",
        "HOME": "/nonexistent",
        "LC_ALL": "C",
        "SLURM_JOB_ID": "77",
        "SLURM_STEP_ID": "0",
    }
    found = {}
    for loaded in random.sample((False, True), 2):
        found[loaded] = started(words, {**bare, **({"LD_PRELOAD": preload} if loaded else {})})
    row.starts += 1
    row.codes += found[False][0] != found[True][0]
    row.outputs += found[False][1] != found[True][1]
    if found[False][:2] != found[True][:2]:
        print(words, found, file=sys.stderr)
    row.without.append(found[False][2])
    row.added.append(found[True][2] - found[False][2])


def prepared(place: Path) -> Tuple[str, Dict[str, List[List[str]]]]:
    """The object as it is installed, and the kinds that this machine has."""
    place.chmod(0o755)
    words = ["fleet", "install", str(place / "home"), "--spool", str(place / "spool")]
    subprocess.run(
        [sys.executable, "-m", "advisor", *words, "--mpicc", "mpicc.openmpi", "--share", "100%"],
        check=True,
        stdout=subprocess.DEVNULL,
        cwd=HERE.parent,
    )
    for name, text in (("code", CODE), ("static", STATIC), ("mpi", MPI)):
        (place / f"{name}.c").write_text(text)
    subprocess.run(["cc", "-static", place / "static.c", "-o", place / "static"], check=True)
    subprocess.run(["mpicc.openmpi", place / "mpi.c", "-o", place / "mpi"], check=True)
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
    return f"{place}/home/lib/advisor-fleet.so", {k: v for k, v in kinds.items() if v}


def measured(processes: int) -> Dict[str, Row]:
    """Kind → its row. Half of the processes have the object."""
    with tempfile.TemporaryDirectory(prefix="harmless-") as name:
        preload, kinds = prepared(Path(name))
        rest = 1 - sum(SHARES.get(kind, 0) for kind in kinds)
        equal = rest / sum(kind not in SHARES for kind in kinds)
        plan = [
            (kind, kinds[kind][i % len(kinds[kind])])
            for kind in kinds
            for i in range(round(processes / 2 * SHARES.get(kind, equal)))
        ]
        random.shuffle(plan)
        rows = {kind: Row() for kind in kinds}
        for kind, words in plan:
            pair(words, preload, rows[kind])
    return rows


def interval(values: Sequence[float]) -> Tuple[float, float, float]:
    """Mean without the outer 5 % on both sides, and 1.96 of its standard errors around it."""
    ordered = sorted(values)
    cut = len(ordered) // 20
    kept = ordered[cut : len(ordered) - cut] or ordered
    mean = statistics.fmean(kept)
    error = 1.96 * statistics.pstdev(values) / max(1, len(values)) ** 0.5
    return mean, mean - error, mean + error


def table(rows: Dict[str, Row]) -> str:
    """Markdown."""
    head = [
        "| kind | starts with it | other output | other exit code | CPU without, ms |"
        " added, ms [95 %] |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    total = Row()
    for row in rows.values():
        total.starts += row.starts
        total.outputs += row.outputs
        total.codes += row.codes
        total.without += row.without
        total.added += row.added
    return "\n".join(
        head + [_line(kind, row) for kind, row in rows.items()] + [_line("**all**", total)]
    )


def _line(kind: str, row: Row) -> str:
    mean, low, high = interval(row.added)
    return (
        f"| {kind} | {row.starts} | {row.outputs} | {row.codes} |"
        f" {statistics.median(row.without):.2f} | {mean:+.3f} [{low:+.3f}, {high:+.3f}] |"
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
