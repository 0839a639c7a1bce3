"""Two users of one machine, neither of them root: one plants what the other's job would load,
believe or execute.

They need no accounts. Python and the checkout may lie where only root can look: in a mount
namespace of their own they can be read by all.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Mapping, Sequence

from mpi_builds import REPOSITORY

ATTACKER, VICTIM = 52001, 52002


def why_impossible() -> str:
    """Empty if this process may become other users in a mount namespace."""
    if os.geteuid() != 0:
        return "only root can become two other users"
    missing = [
        name for name in ("unshare", "nsenter", "setpriv", "mount") if not shutil.which(name)
    ]
    if missing:
        return f"{missing[0]} is not installed"
    tried = subprocess.run(
        ["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, text=True
    )
    return (
        "" if tried.returncode == 0 else f"mounting is not permitted here: {tried.stderr.strip()}"
    )


_READABLE = r"""
set -eu
mount --make-rprivate /
hold=$1; shift
for place in "$@"; do
    [ -d "$place" ] || continue
    top=
    at=$place
    while [ "$at" != / ]; do [ $(($(stat -c '0%a' "$at") & 1)) = 1 ] || top=$at; at=$(dirname "$at"); done
    [ "$top" ] || continue
    mkdir -p "$hold/$place"; mount --bind "$place" "$hold/$place"
    mount -t tmpfs -o mode=755 tmpfs "$top"
    mkdir -p "$place"; mount --bind "$hold/$place" "$place"
done
mkdir -p "$CHECKOUT/.cache"
mount -t tmpfs -o mode=755 tmpfs "$CHECKOUT/.cache"
echo ready
exec sleep 3600
"""


class Machine:
    """Both users' view of this machine: a checkout without any collector, and a folder in which all
    may write, as /tmp."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="two-users-", dir="/tmp"))
        self.folder.chmod(0o755)
        self.shared = self.folder / "shared"
        self.shared.mkdir()
        self.shared.chmod(0o1777)
        self.homes = {user: self._home(user) for user in (ATTACKER, VICTIM)}
        self.hold = hold = Path(tempfile.mkdtemp(prefix="two-users-hold-", dir="/tmp"))
        self.holder = subprocess.Popen(
            [
                "unshare",
                "-m",
                "sh",
                "-c",
                _READABLE,
                "sh",
                str(hold),
                sys.base_prefix,
                sys.prefix,
                str(REPOSITORY),
            ],
            env={**os.environ, "CHECKOUT": str(REPOSITORY)},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.holder.stdout.readline() == "ready\n"

    def _home(self, user: int) -> Path:
        home = self.folder / f"home-{user}"
        home.mkdir()
        os.chown(home, user, user)
        home.chmod(0o755)
        return home

    def words(self, user: int, words: Sequence, cwd: Path) -> list:
        """What starts a command as one of them."""
        front = [
            "nsenter",
            "-t",
            str(self.holder.pid),
            "-m",
            f"--wdns={cwd}",
            "setpriv",
            f"--reuid={user}",
            f"--regid={user}",
            "--clear-groups",
        ]
        return [*front, *map(str, words)]

    def environment(self, user: int, more: Mapping[str, str]) -> Mapping[str, str]:
        """A clean one; `more` with None for what shall not be there."""
        own = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.homes[user]),
            "PYTHONPATH": str(REPOSITORY),
            "NO_COLOR": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            **more,
        }
        return {name: value for name, value in own.items() if value is not None}

    def run(
        self, user: int, words: Sequence, cwd: Path, seconds: float = 120, **more
    ) -> subprocess.CompletedProcess:
        return subprocess.run(
            self.words(user, words, cwd),
            env=self.environment(user, more),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
        )

    def start(self, user: int, words: Sequence, cwd: Path, **more) -> subprocess.Popen:
        return subprocess.Popen(
            self.words(user, words, cwd),
            env=self.environment(user, more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def python(self, user: int, code: str, *arguments, **more) -> str:
        """What a script of one of them prints."""
        done = self.run(user, [sys.executable, "-c", code, *arguments], self.homes[user], **more)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def close(self) -> None:
        self.holder.kill()
        self.holder.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        # What was mounted there is gone with the namespace: never rmtree.
        for place in [*sorted(self.hold.rglob("*"), reverse=True), self.hold]:
            place.rmdir()


def advisor(*words) -> list:
    """The command."""
    return [sys.executable, "-m", "advisor", *words]
