"""Hosts of this machine's own making: each has its own name and its own network, and a bridge of
theirs joins them.

    with Hosts(2) as hosts:
        subprocess.run(hosts.enter(0) + ["mpirun", …, "--mca", "plm_rsh_agent", hosts.shell, …])

Nothing of it is in this machine's own network: the bridge has a namespace of its own, so two of
them cannot collide and none reaches the outside. Processes, /tmp and, unless `own_memory`, /dev/shm
are common to all. Needs root, ip and nsenter. Leaving ends what still runs there and removes
everything; what a run that was killed left is removed by the next.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import List

STATE = Path("/run/advisor-test-hosts")
_PREFIX = "advt"
_LETTERS = "abcdefghij"
_serial = itertools.count()


def why_impossible() -> str:
    """Empty where hosts can be made, else what is missing."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "making hosts needs root"
    for command in ("ip", "nsenter", "unshare", "mount"):
        if not shutil.which(command):
            return f"making hosts needs {command} (iproute2 and util-linux)"
    done = subprocess.run(
        ["unshare", "--net", "--uts", "--mount", "true"], capture_output=True, text=True
    )
    return f"making hosts needs namespaces: {done.stderr.strip()}" if done.returncode else ""


def _letters(number: int) -> str:
    """Digits as letters: launchers shorten lists of hosts by the numbers in their names."""
    return "".join(_LETTERS[int(digit)] for digit in str(number))


class Hosts:
    """`count` hosts; `names` are theirs. `own_memory`: each launch on a host has a /dev/shm of its
    own, as on real hosts."""

    def __init__(self, count: int, own_memory: bool = False) -> None:
        self.family = f"{_PREFIX}{_letters(os.getpid())}x{_letters(next(_serial))}"
        self.names = [f"{self.family}n{index}" for index in range(count)]
        self.own_memory = own_memory

    @property
    def shell(self) -> str:
        """A command that starts words on a host, as ssh does."""
        return str(STATE / self.family / "shell")

    def enter(self, index: int) -> List[str]:
        """Words in front of a command that runs on host `index`."""
        return [self.shell, "--exec", self.names[index]]

    def sent(self, index: int) -> int:
        """Bytes that host `index` has sent over the bridge."""
        return int(
            _ip(
                "netns", "exec", self.names[index], "cat", "/sys/class/net/eth0/statistics/tx_bytes"
            )
        )

    def end_jobs(self) -> None:
        """Kill what runs on these hosts."""
        _end_processes(self.names)

    def __enter__(self) -> "Hosts":
        _sweep()
        try:
            self._make()
        except BaseException:
            remove(self.family)
            raise
        return self

    def __exit__(self, *_) -> None:
        remove(self.family)

    def _make(self) -> None:
        (STATE / self.family).mkdir(parents=True)
        bridge = f"{self.family}b"
        _ip("netns", "add", bridge)
        _ip("-n", bridge, "link", "add", "bridge", "type", "bridge")
        _ip("-n", bridge, "link", "set", "bridge", "up")
        for index, name in enumerate(self.names):
            self._join(index, name, bridge)
        self._write_shell()

    def _join(self, index: int, name: str, bridge: str) -> None:
        _ip("netns", "add", name)
        _ip(
            "-n",
            bridge,
            "link",
            "add",
            f"port{index}",
            "type",
            "veth",
            "peer",
            "name",
            "eth0",
            "netns",
            name,
        )
        _ip("-n", bridge, "link", "set", f"port{index}", "master", "bridge", "up")
        _ip("-n", name, "addr", "add", f"10.77.0.{10 + index}/24", "dev", "eth0")
        for device in ("eth0", "lo"):
            _ip("-n", name, "link", "set", device, "up")
        addresses = "".join(f"10.77.0.{10 + i} {other}\n" for i, other in enumerate(self.names))
        settings = Path("/etc/netns") / name
        settings.mkdir(parents=True)
        (settings / "hosts").write_text(f"127.0.0.1 localhost\n{addresses}")
        anchor = STATE / self.family / name
        anchor.touch()
        _run("unshare", f"--uts={anchor}", "hostname", name)

    def _write_shell(self) -> None:
        memory = "mount -t tmpfs -o size=512m none /dev/shm && " if self.own_memory else ""
        script = Path(self.shell)
        script.write_text(f"""#!/bin/sh
# ssh in small: [options] HOST words…, which a shell over there splits once more; with --exec they stay as they are.
into() {{ host=$1; shift; exec nsenter --uts={STATE}/{self.family}/$host ip netns exec $host /bin/sh -c '{memory}exec "$@"' sh "$@"; }}
[ "$1" = --exec ] && {{ shift; into "$@"; }}
while :; do case $1 in -l | -p | -o) shift 2 ;; -*) shift ;; *) break ;; esac; done
host=$1; shift
into "$host" /bin/sh -c "$*"
""")
        script.chmod(0o755)


def remove(family: str) -> None:
    """End and remove all of a family; what is not there any more is no error."""
    spaces = [
        line.split()[0] for line in _ip("netns", "list").splitlines() if line.startswith(family)
    ]
    _end_processes(spaces)
    for space in spaces:
        subprocess.run(["ip", "netns", "delete", space], capture_output=True)
        shutil.rmtree(Path("/etc/netns") / space, ignore_errors=True)
    for anchor in (STATE / family).glob("*"):
        subprocess.run(["umount", str(anchor)], capture_output=True)
    shutil.rmtree(STATE / family, ignore_errors=True)


def _end_processes(spaces: List[str]) -> None:
    """Kill what runs in these networks, which nothing but our jobs can be in."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        running = [int(pid) for space in spaces for pid in _ip("netns", "pids", space).split()]
        if not running:
            return
        for pid in running:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.05)


def _sweep() -> None:
    """Remove what test runs that were killed have left: the name holds their process."""
    for left in STATE.glob(f"{_PREFIX}*"):
        match = re.fullmatch(f"{_PREFIX}([{_LETTERS}]+)x[{_LETTERS}]+", left.name)
        if match:
            owner = "".join(str(_LETTERS.index(letter)) for letter in match.group(1))
            if not os.path.exists(f"/proc/{owner}"):
                remove(left.name)


def _ip(*words: str) -> str:
    return _run("ip", *words)


def _run(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, timeout=20)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout
