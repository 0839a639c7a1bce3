"""What a profiler adds to whole programs, finer than two runs one after the other can tell: both
runs at once, of which one is stopped while the other has the cores, some fifty milliseconds
each. Whatever the host does meanwhile, it does to both. `costs.py` runs it.

Compared is the processor time of all processes of a command, start-up and end included: ranks that
wait spin, so that they use the time that they take. Being stopped and going on costs both sides the
same.
"""

from __future__ import annotations

import glob
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Sequence

from applications import INPUTS, LONGEST, estimated
from profilers import BARE, Profiler

SLICE = (0.04, 0.06)
"""Seconds, drawn anew each time: a program has rhythms of its own."""
REMEMBER = 'echo > "$0/rank.$$"; exec "$@"'
"""A shell that leaves its process number, and becomes the program."""


class Longer(NamedTuple):
    """A program of about a minute: jobs are longer still. `changes`: (input, from, to)."""

    name: str
    words: Sequence[str]
    changes: Sequence[Sequence[str]] = ()
    python: bool = False


PROGRAMS = (
    Longer(
        "lmp",
        ("lmp", "-in", "in.lj.small", "-log", "none"),
        (("in.lj.small", "run             400", "run             7200"),),
    ),
    Longer(
        "pw.x", ("pw.x", "-in", "si8.scf.in"), (("si8.scf.in", " 2 2 2 0 0 0", " 6 6 6 0 0 0"),)
    ),
    Longer("mpi4py ring", ("-m", "mpi4py.bench", "ringtest", "-l", "2000000"), (), True),
    Longer(
        "mpi4py ring, 64 KiB",
        ("-m", "mpi4py.bench", "ringtest", "-n", "65536", "-l", "300000"),
        (),
        True,
    ),
)


class Side:
    """One of two commands; its ranks can be stopped."""

    def __init__(
        self,
        launch: Sequence[str],
        program: Longer,
        words: Sequence[str],
        profiler: Profiler,
        environment: Mapping[str, str],
        folder: str,
    ) -> None:
        self.name, self.folder = (
            f"{program.name} with {profiler.name}",
            Path(folder) / profiler.name.replace(" ", "-"),
        )
        shutil.copytree(INPUTS, self.folder)
        for file, old, new in program.changes:
            text = (self.folder / file).read_text(encoding="utf-8")
            (self.folder / file).write_text(text.replace(old, new), encoding="utf-8")
        self.printed = open(self.folder / "printed", "w", encoding="utf-8")
        line = [
            *launch,
            *profiler.front(str(self.folder)),
            "sh",
            "-c",
            REMEMBER,
            str(self.folder),
            *words,
        ]
        self.child = subprocess.Popen(
            line,
            cwd=self.folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=self.printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def ranks(self) -> List[int]:
        return [int(name.rsplit(".", 1)[1]) for name in glob.glob(f"{self.folder}/rank.*")]

    def send(self, number: int) -> None:
        for process in self.ranks():
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def is_running(self) -> bool:
        """Whether no rank has ended."""
        return all(_state(process) not in "ZX" for process in self.ranks())

    def processor_time(self) -> float:
        """Seconds; RuntimeError if it ended with another code than 0."""
        _, status, used = os.wait4(self.child.pid, 0)
        self.child.returncode = os.waitstatus_to_exitcode(status)
        self.printed.close()
        if status:
            raise RuntimeError(
                f"{self.name} ended with {self.child.returncode}:"
                f" {(self.folder / 'printed').read_text(errors='replace').strip()[-300:]}"
            )
        return used.ru_utime + used.ru_stime

    def end(self) -> None:
        if self.child.returncode is None:
            os.killpg(self.child.pid, signal.SIGKILL)


def _state(process: int) -> str:
    """R, S, T …; X: gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "X"


def interleave(sides: Sequence[Side], ranks: int) -> List[float]:
    """Processor time of each, in seconds. RuntimeError for one that fails or takes too long."""
    until = time.monotonic() + LONGEST
    while any(len(side.ranks()) < ranks for side in sides) and time.monotonic() < until:
        time.sleep(0.01)
    turn = 0
    sides[1].send(signal.SIGSTOP)
    while all(side.is_running() for side in sides):
        if time.monotonic() > until:
            raise RuntimeError(f"{sides[0].name}: no end after {LONGEST:.0f} s")
        time.sleep(random.uniform(*SLICE))
        sides[turn].send(signal.SIGSTOP)
        turn = 1 - turn
        sides[turn].send(signal.SIGCONT)
    for side in sides:
        side.send(signal.SIGCONT)
    return [side.processor_time() for side in sides]


def pairs(
    launch: Sequence[str],
    ranks: int,
    program: Longer,
    words: Sequence[str],
    profiler: Profiler,
    rounds: int,
    environment: Mapping[str, str],
) -> Iterator[Dict[str, Any]]:
    """One line of results for each pair."""
    for number in range(rounds):
        order = (BARE, profiler) if number % 2 == 0 else (profiler, BARE)
        with tempfile.TemporaryDirectory() as folder:
            sides = [Side(launch, program, words, each, environment, folder) for each in order]
            try:
                found = dict(zip((each.name for each in order), interleave(sides, ranks)))
                own = estimated(Path(folder) / profiler.name.replace(" ", "-"))
            except RuntimeError as problem:
                yield {"row": program.name, "profiler": profiler.name, "failed": str(problem)}
                return
            finally:
                for side in sides:
                    side.end()
        print(
            f"{program.name} {number + 1}/{rounds}: {found['bare']:.2f} s bare,"
            f" {found[profiler.name]:.2f} s with it",
            file=sys.stderr,
        )
        yield {
            "row": program.name,
            "profiler": profiler.name,
            "bare": {"processor": found["bare"]},
            "with": {"processor": found[profiler.name], "estimated": own},
        }
