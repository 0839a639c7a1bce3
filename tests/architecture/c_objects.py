"""Who calls whom among the object files of a C part, by their symbols.

The sources are compiled without optimisation, for their symbols only: all parts together take some
seconds.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Dict, FrozenSet, Iterable, List, Mapping, Sequence, Set, Tuple

import pytest
from mpi_builds import REPOSITORY, find, require

COLLECTORS = REPOSITORY / "collectors"
PARTS = {
    "collector": ("core/*", "pmpi/*", "tracing"),
    "endpoints": ("endpoints",),
    "otf2": ("otf2", "otf2/*"),
    "otf2/writer": ("otf2/writer",),
}
"""What is linked together: its folders."""
PROGRAMS = {"collector": "collector", "otf2": "trace"}
"""As collectors/schema/generate.py calls those that know the profile's tables."""
Graph = Dict[str, Set[str]]


def folders(part: str) -> List[Path]:
    found = [
        folder
        for pattern in PARTS[part]
        for folder in sorted(COLLECTORS.glob(pattern))
        if folder.is_dir()
    ]
    return [folder for folder in found if folder.name != "writer" or part == "otf2/writer"]


def sources(part: str) -> List[Path]:
    """Of files that come in two kinds, the one for a single process."""
    files = [file for folder in folders(part) for file in sorted(folder.glob("*.c"))]
    return [file for file in files if not file.stem.endswith("_together")]


def folder_names(part: str) -> Dict[str, str]:
    """Object → name of the folder that its source lies in."""
    return {file.stem: file.parent.name for file in sources(part)}


def objects(part: str, folder: Path) -> Graph:
    """Object → those that it calls, of a part that is compiled into `folder`. Skips without its
    compiler or library."""
    command = _command(part, folder)
    if part in PROGRAMS:
        command.append(f"-I{_tables(PROGRAMS[part], folder)}")
    compile_all(sources(part), command + [f"-I{path}" for path in folders(part)], folder)
    return calls(folder)


def _command(part: str, folder: Path) -> List[str]:
    """The compiler, with the headers that are not the part's own."""
    if not part.startswith("otf2"):
        # Not by the wrapper, a script that takes as long as the compiler.
        shown = subprocess.run(
            [require(find("mpich4")).mpicc, "-show"], capture_output=True, text=True, check=True
        ).stdout.split()
        command = [shown[0], *(word for word in shown if word.startswith("-I"))]
        return (
            [*command, "-DADVISOR_TRACED", f"-I{_generated(command, folder)}"]
            if part == "collector"
            else command
        )
    compiler, config = (
        shutil.which("cc") or pytest.skip("no C compiler"),
        shutil.which("otf2-config"),
    )
    flags = (
        subprocess.run([config, "--cflags"], capture_output=True, text=True).stdout.split()
        if config
        else []
    )
    probe = subprocess.run(
        [compiler, *flags, "-fsyntax-only", "-x", "c", "-"],
        input="#include <otf2/otf2.h>\n",
        capture_output=True,
        text=True,
    )
    if probe.returncode:
        pytest.skip("no OTF2 library with its headers")
    # Behind the own folders, which have headers of the same names.
    return [
        compiler,
        *flags,
        "-idirafter",
        str(COLLECTORS / "core" / "base"),
        "-idirafter",
        str(COLLECTORS / "tracing"),
    ]


def _tables(program: str, folder: Path) -> Path:
    """Where the headers are that are made of the description of the tables."""
    script = COLLECTORS / "schema" / "generate.py"
    subprocess.run([sys.executable, str(script), program, str(folder)], check=True)
    return folder


def _generated(command: Sequence[str], folder: Path) -> Path:
    """real.h, which all of pmpi includes."""
    (folder / "header.c").write_text("#include <mpi.h>\n")
    preprocessed = subprocess.run(
        [*command, "-E", str(folder / "header.c")], capture_output=True, text=True, check=True
    )
    (folder / "header.i").write_text(preprocessed.stdout)
    script, meanings = (
        COLLECTORS / "pmpi" / "wrap" / "generate.py",
        COLLECTORS / "standard" / "calls.txt",
    )
    subprocess.run(
        [
            sys.executable,
            str(script),
            str(meanings),
            str(folder / "header.i"),
            str(folder),
            "traced",
        ],
        check=True,
    )
    return folder


def compile_all(files: Iterable[Path], command: Sequence[str], folder: Path) -> None:
    """An object of each, with the name of its source."""

    def compile_one(file: Path) -> None:
        words = [
            *command,
            "-std=gnu11",
            "-O0",
            "-w",
            "-c",
            str(file),
            "-o",
            str(folder / f"{file.stem}.o"),
        ]
        done = subprocess.run(words, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_one, files))


def calls(folder: Path) -> Graph:
    """Object → objects that define what it uses."""
    files = sorted(map(str, folder.glob("*.o")))
    table = subprocess.run(
        ["nm", "-g", "-P", "-A", *files], capture_output=True, text=True, check=True
    ).stdout
    defined: Dict[str, str] = {}
    used: List[Tuple[str, str]] = []
    for line in table.splitlines():
        file, symbol, kind = line.split()[:3]
        name = Path(file.rstrip(":")).stem
        if kind in "Uvw":
            used.append((name, symbol))
        else:
            defined[symbol] = name
    graph: Graph = {Path(file).stem: set() for file in files}
    for name, symbol in used:
        if symbol in defined:
            graph[name].add(defined[symbol])
    return graph


def circles(graph: Mapping[str, Set[str]]) -> Set[FrozenSet[str]]:
    """Sets of objects each of which reaches all others."""
    reach = {name: _reached(graph, name) for name in graph}
    return {
        frozenset(other for other in reach[name] if name in reach[other])
        for name in graph
        if name in reach[name]
    }


def _reached(graph: Mapping[str, Set[str]], start: str) -> Set[str]:
    seen: Set[str] = set()
    left = [start]
    while left:
        new = graph[left.pop()] - seen
        seen |= new
        left.extend(new)
    return seen


def arrows(graph: Graph, folder_of: Mapping[str, str]) -> Set[Tuple[str, str]]:
    """(folder, another folder that it calls)."""
    found = {
        (folder_of[name], folder_of[other]) for name, others in graph.items() for other in others
    }
    return {(caller, called) for caller, called in found if caller != called}


def includes(part: str) -> Set[Tuple[str, str]]:
    """(folder, another folder of which it includes a header). Needs no compiler."""
    home = {header.name: folder.name for folder in folders(part) for header in folder.glob("*.h")}
    found = set()
    for folder in folders(part):
        for file in folder.glob("*.[ch]"):
            names = re.findall(r'^#include "([^"]+)"', file.read_text(), re.M)
            found |= {
                (folder.name, home[name])
                for name in names
                if name in home and not (folder / name).exists()
            }
    return found
