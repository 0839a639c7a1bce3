"""What programs say of themselves in the log of this very run: read after it, and only if the run
wrote it."""

from __future__ import annotations

import os
import re
import stat
from datetime import datetime
from typing import Callable, List, Mapping, Tuple

from advisor.model.profile import Run
from advisor.probing.programs.inputs import option
from advisor.probing.reading import Facts, fact

PART = 1 << 20
"""Reports stand at one end of a log, which may be long."""


def written(run: Run, name: str, head: bool = False) -> str:
    """The end, or the beginning, of a file that the run wrote, relative to its folder; empty if it
    is older than the run, absent or no regular file."""
    path = os.path.join(run.directory, name)
    if not run.started or not (run.directory or os.path.isabs(name)):
        return ""
    try:
        began = datetime.strptime(run.started, "%Y-%m-%dT%H:%M:%S%z").timestamp()
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    try:
        found = os.fstat(descriptor)
        # File systems round the time down, to two seconds at most.
        if not stat.S_ISREG(found.st_mode) or found.st_mtime < began - 2:
            return ""
        data = os.pread(descriptor, PART, 0 if head else max(found.st_size - PART, 0))
        return data.decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(descriptor)


FINISHED = "Finished mdrun"
LONGEST_DATE = 200
"""What follows these words in a log that was written to its end."""


def gromacs(run: Run, facts: Facts) -> None:
    """What md.log says at its end: lost_to_imbalance, lost_to_pme, search_share (shares) and
    pme_work (more, less), zero where a log that was written to its end has no such note; and at its
    beginning: simd and simd_of_nodes."""
    base = option(run.arguments, ("-deffnm",))
    name = option(run.arguments, ("-g",)) or (f"{base}.log" if base else "md.log")
    name = name if name.endswith(".log") else f"{name}.log"
    # With -cpi, mdrun appends to the log of the run that it continues, whose notes are not ours.
    *runs, rest = written(run, name).split(FINISHED)
    if runs and len(rest) < LONGEST_DATE:
        _gromacs_notes(runs[-1], name, facts)
    if "-cpi" not in run.arguments:
        _gromacs_simd(written(run, name, head=True), name, facts)


def _gromacs_notes(text: str, name: str, facts: Facts) -> None:
    waited = re.search(
        r"total run time spent waiting due to load imbalance: {1,4}(\d{1,3}\.\d) ?%", text
    ) or re.search(
        r"NOTE: (\d{1,3}\.\d) % of the available CPU time was lost due to load imbalance", text
    )
    separate = re.search(
        r"NOTE: (\d{1,3}\.\d) % performance was lost because the PME ranks\s+had (less|more)", text
    )
    spent = re.findall(
        r"\b(\d{1,3}) % of the run time was spent in (?:domain decomposition|pair search)", text
    )
    fact(facts, "lost_to_imbalance", float(waited[1]) / 100 if waited else 0.0, name)
    fact(facts, "lost_to_pme", float(separate[1]) / 100 if separate else 0.0, name)
    fact(facts, "search_share", sum(int(each) for each in spent[:2]) / 100, name)
    if separate:
        fact(facts, "pme_work", separate[2], name)


def _gromacs_simd(text: str, name: str, facts: Facts) -> None:
    """mdrun names what the nodes can do only where that differs from what it was built for."""
    built = re.search(r"^SIMD instructions: {1,20}([\w.]{1,40})$", text, re.MULTILINE)
    better = re.search(
        r"^Highest SIMD level (?:requested|supported) by all nodes in run: {1,20}([\w.]{1,40})$",
        text,
        re.MULTILINE,
    )
    if built:
        fact(facts, "simd", built[1], name)
        fact(facts, "simd_of_nodes", (better or built)[1], name)


def lammps(run: Run, facts: Facts) -> None:
    """gpu_aware: whether the package KOKKOS hands GPU memory to MPI; its log warns if not."""
    name = option(run.arguments, ("-log", "-l")) or "log.lammps"
    text = written(run, name)
    if "KOKKOS mode" in text:
        off = "WARNING: Turning off GPU-aware MPI since it is not detected" in text
        fact(facts, "gpu_aware", not off, name)


def idle_groups(points: int, groups: int) -> float:
    """Share of the groups' time in which some have no k-point left, if each point takes as
    long."""
    rounds = -(-points // groups)
    return 1 - points / (rounds * groups)


def vasp(run: Run, facts: Facts) -> None:
    """irreducible (k-points, from IBZKPT, which VASP writes for automatic grids) and kpar_idle."""
    lines = written(run, "IBZKPT").splitlines()
    number = re.match(r"\s*(\d{1,6})\s*$", lines[1]) if len(lines) > 1 else None
    groups = facts["kpar"].value if "kpar" in facts else None
    if number is None or not int(number[1]):
        return
    fact(facts, "irreducible", int(number[1]), "IBZKPT")
    if isinstance(groups, int) and not isinstance(groups, bool) and groups > 0:
        fact(facts, "kpar_idle", idle_groups(int(number[1]), groups), "IBZKPT and KPAR")


def cp2k(run: Run, facts: Facts) -> None:
    """elpa: whether the binary has it, by the flags at the head of the output (-o)."""
    name = option(run.arguments, ("-o",))
    text = written(run, name, head=True) if name else ""
    flags = re.search(r"^ ?CP2K\| cp2kflags:(.*(?:\n ?CP2K\| {8,}.*)*)", text, re.MULTILINE)
    if name and flags:
        # Long lists go on in the next line, in older versions in the middle of a word.
        joined = re.sub(r"\n ?CP2K\||\s", "", flags[1])
        fact(facts, "elpa", "elpa" in joined, name)


def wrf(run: Run, facts: Facts) -> None:
    """writing_share: of the time that rank 0 counted in its log. Absent if the log is longer than
    is read: history is written rarely, so that a part of the log would say too much or too
    little."""
    for name in ("rsl.error.0000", "rsl.out.0000"):
        text = written(run, name)
        steps = _seconds(r"main: time \S{1,40} on", text)
        if steps and len(text) < PART:
            files = _seconds(r"Writing [^\n]{1,200}? for", text)
            # The steps of a nest, and what it writes, lie within those of domain 1.
            counted = sum(each for domain, each in steps + files if domain == 1)
            if counted > 0:
                share = min(sum(each for _, each in files) / counted, 1.0)
                fact(facts, "writing_share", share, name)
            return


def _seconds(what: str, text: str) -> List[Tuple[int, float]]:
    """(domain, seconds) of the lines of one kind."""
    found = re.finditer(
        rf"^ {{0,8}}Timing for {what} domain {{1,12}}(\d{{1,3}}): {{1,12}}(\d{{1,9}}\.\d{{1,9}}) elapsed",
        text,
        re.MULTILINE,
    )
    return [(int(each[1]), float(each[2])) for each in found]


READERS: Mapping[str, Callable[[Run, Facts], None]] = {
    "cp2k": cp2k,
    "gromacs": gromacs,
    "lammps": lammps,
    "vasp": vasp,
    "wrf": wrf,
}


def read(name: str, run: Run, facts: Facts) -> None:
    """What the log of this program adds to its settings."""
    reader = READERS.get(name)
    if reader:
        reader(run, facts)
