"""Which of the calls that the oracle makes a library has, asked of its compiler and linker.

A name counts as there if it is declared as a function (not only as a macro) and links. For every
name used in the sources the header available.h gets `HAVE_X` (0 or 1) and `IF_X(code)`, which is
the code, or a note that X is absent.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
from typing import Dict, Iterable, List, Mapping, Sequence

# The first argument of a macro in capitals names a call, and so does HAVE_; PLAIN_AS has the twin's
# name in second place.
_NAMED = re.compile(
    r"\b[A-Z_]{4,}\(\s*([A-Z]\w+)\s*[,)]|\bHAVE_(\w+)|PLAIN_AS\(\w+,\s*(\w+)|\b(?:BOTH|AS_INTEGER)\((\w+)"
)
_HANDLES = ("c2f", "f2c", "toint", "fromint")
_KINDS = (
    "Comm",
    "Type",
    "Group",
    "Op",
    "Errhandler",
    "Info",
    "Request",
    "Win",
    "File",
    "Message",
    "Session",
)


def names(sources: Iterable[pathlib.Path]) -> List[str]:
    """Names of calls without MPI_, with the twin of each: Send, Send_c."""
    found = {
        name
        for source in sources
        for match in _NAMED.findall(source.read_text())
        for name in match
        if name
    }
    handles = {f"{name}_{way}" for name in found for way in _HANDLES if name in _KINDS}
    calls = {name for name in found if name not in _KINDS and not name[0].islower()} | handles
    return sorted(calls | {f"{name}_c" for name in calls if not name.endswith(_HANDLES)})


def probe(
    compiler: Sequence[str],
    candidates: Sequence[str],
    folder: pathlib.Path,
    environment: Mapping[str, str],
) -> Dict[str, bool]:
    """{name: is it there}. `compiler`: words of the MPI compiler wrapper."""
    left = _without(candidates, compiler, ["-c"], r"probe\.c:(\d+):\d+: error", folder, environment)
    left = _without(
        left, compiler, [], r"undefined reference to [`'](?:MPI_)(\w+)'", folder, environment
    )
    return {name: name in left for name in candidates}


def _without(
    candidates: Sequence[str], compiler, flags, pattern: str, folder: pathlib.Path, environment
) -> List[str]:
    """`candidates` but those that the compiler or the linker complains about, by line or by
    name."""
    lines = [f"void *have_{name} = (void *)MPI_{name};" for name in candidates]
    source = folder / "probe.c"
    source.write_text("\n".join(["#include <mpi.h>", *lines, "int main(void) { return 0; }", ""]))
    done = subprocess.run(
        [
            *compiler,
            "-w",
            "-fmax-errors=0",
            "-fno-diagnostics-color",
            *flags,
            str(source),
            "-o",
            str(folder / "probe.out"),
        ],
        env={**environment, "LC_ALL": "C"},
        capture_output=True,
        text=True,
    )
    hits = re.findall(pattern, done.stderr)
    wrong = {candidates[int(hit) - 2] if hit.isdigit() else hit for hit in hits}
    assert done.returncode == 0 or wrong, done.stderr
    return [name for name in candidates if name not in wrong]


def header(there: Mapping[str, bool]) -> str:
    """The text of available.h."""
    lines = []
    for name, has in sorted(there.items()):
        body = "__VA_ARGS__" if has else f'absent("{name}")'
        lines += [f"#define HAVE_{name} {int(has)}", f"#define IF_{name}(...) {body}"]
    return "\n".join(lines) + "\n"
