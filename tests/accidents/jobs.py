"""A job with and without the collector: what the launcher's side does, without starting Python for
it.

`Jobs` makes lines, starts them, signals them, and reads what they left as `advisor run` and
`advisor report` would.
"""

from __future__ import annotations

import os
import secrets
import subprocess
from collections import Counter
from pathlib import Path
from typing import Dict, Mapping, NamedTuple, Optional, Sequence

from mpi_builds import Build, environment, preloaded, run

from advisor import intake, reports
from advisor.cli.report import judged
from advisor.launching.run import rank_records, session
from advisor.model.profile import Profile, Run

PLACES = ("/dev/shm", "/tmp")


class Left(NamedTuple):
    """A job that ended. `states`: rank → state of its record or row."""

    code: int
    out: str
    err: str
    profile: Profile
    report: str

    @property
    def states(self) -> Dict[int, int]:
        ranks = self.profile.tables["ranks"]
        return {int(rank): int(state) for rank, state in zip(ranks["rank"], ranks["state"])}

    def counts(self, operation: str) -> Dict[int, int]:
        """rank → calls of one operation."""
        calls = self.profile.tables["calls"]
        found: Counter = Counter()
        for rank, name, count in zip(calls["rank"], calls["operation"], calls["count"]):
            if name == operation:
                found[int(rank)] += int(count)
        return dict(found)

    def gaps(self) -> str:
        """All gaps, a line each, but for calls that are not split into waiting and moving, and for
        what the library does not export."""
        return "\n".join(
            f"{gap.subject}: {gap.reason}"
            for gap in self.profile.gaps
            if not gap.subject.startswith(("waits.", "variables"))
        )


class Job:
    """One job with the collector: `words` are what its ranks start."""

    def __init__(self, build: Build, collector: str, parts: Path) -> None:
        self.build, self.collector, self.parts = build, collector, parts
        self.name = secrets.token_hex(8)
        parts.mkdir(parents=True, exist_ok=True)

    def words(self, program: Sequence, preload: str = "") -> list:
        """The program with the collector in front; `preload` with {} for it."""
        return [
            *preloaded(
                (preload or "{}").format(self.collector), self.parts, f"ADVISOR_RUN={self.name}"
            ),
            *map(str, program),
        ]

    def run(
        self,
        ranks: int,
        program: Sequence,
        extra: Optional[Mapping[str, str]] = None,
        preload: str = "",
        time_limit: float = 60,
    ) -> Left:
        """To its end; TimeoutExpired after `time_limit` seconds."""
        try:
            done = run(self.build, ranks, self.words(program, preload), extra, time_limit)
        except BaseException:
            self.collect()
            raise
        return self.left(done, ranks, program)

    def start(self, ranks: int, program: Sequence, **more) -> subprocess.Popen:
        """Running, in a session of its own."""
        line = [*self.build.launcher, "-n", str(ranks), *self.words(program)]
        return subprocess.Popen(
            line,
            env=environment(self.build),
            text=True,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **more,
        )

    def collect(self) -> None:
        rank_records.collect(self.name, self.parts, os.environ)

    def left(self, done, ranks: int, program: Sequence) -> Left:
        """What it left, read and reported."""
        self.collect()
        code = done.returncode if done.returncode >= 0 else 128 - done.returncode
        facts = Run(program=str(program[0]), ranks_expected=ranks, exit_code=code, job_seconds=1.0)
        session.write_facts(self.parts, facts)
        profile = intake.read(self.parts)
        text = reports.render(reports.compose(judged(profile, [])), "terminal", full=True)
        return Left(code, done.stdout, done.stderr, profile, " ".join(text.split()))

    def stale(self) -> list:
        """Files of this job outside of its result folder."""
        return [
            str(path)
            for place in PLACES
            for pattern in ("", "advisor-*/")
            for path in Path(place).glob(f"{pattern}*{self.name}*")
        ]
