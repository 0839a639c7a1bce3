"""Runs the job as a child that cannot notice advisor: it has our streams, receives our signals, and
its exit code is ours."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import time
from dataclasses import dataclass
from typing import Callable, Mapping, Sequence, Set

from advisor.launching.run.signal_witness import Witness

FORWARDED = (
    "SIGHUP",
    "SIGINT",
    "SIGQUIT",
    "SIGTERM",
    "SIGUSR1",
    "SIGUSR2",
    "SIGXCPU",
    "SIGTSTP",
    "SIGCONT",
)
_SENT_BY_KERNEL = 0x80
"""si_code of a signal from the terminal: it went to our whole process group, so the child has it
already."""
_PYTHON_IGNORES = ("SIGPIPE", "SIGXFSZ")
"""Python sets these to be ignored, and a child would inherit that."""


@dataclass(frozen=True)
class Ended:
    """`code` as a shell shows it: 127 not found, 126 not executable, 128 + n after signal n.
    `signal`: n, or 0."""

    code: int
    seconds: float
    signal: int = 0
    error: str = ""
    """Why it could not be started; empty if it was."""


def run(
    words: Sequence[str],
    environment: Mapping[str, str],
    meanwhile: Callable[[], object] = lambda: None,
) -> Ended:
    """Run `words` to their end. Streams and working directory are inherited. `meanwhile` is called
    once they run; a thread that it starts gets none of the signals."""
    begin = time.monotonic()
    watched = _watched()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    witness = _witness()
    try:
        pid = _spawn(words, environment, before)
        meanwhile()
        status = _wait(pid, watched, witness)
    except OSError as error:
        code = 127 if error.errno in (errno.ENOENT, errno.ENOTDIR) else 126
        return Ended(code, 0.0, error=error.strerror or str(error))
    finally:
        witness.end()
        _drain(watched)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    seconds = time.monotonic() - begin
    if os.WIFSIGNALED(status):
        return Ended(128 + os.WTERMSIG(status), seconds, os.WTERMSIG(status))
    return Ended(os.WEXITSTATUS(status), seconds)


def _watched() -> Set[signal.Signals]:
    """Signals to pass on, and the child's end. What we were told to ignore (nohup) the child
    ignores by itself."""
    signals = {signal.Signals[name] for name in FORWARDED}
    return {one for one in signals if signal.getsignal(one) != signal.SIG_IGN} | {signal.SIGCHLD}


def _spawn(words: Sequence[str], environment: Mapping[str, str], mask: Set[int]) -> int:
    defaults = [signal.Signals[name] for name in _PYTHON_IGNORES]

    def start(command: Sequence[str]) -> int:
        return os.posix_spawnp(
            command[0], list(command), dict(environment), setsigmask=mask, setsigdef=defaults
        )

    try:
        return start(words)
    except OSError as error:
        if error.errno != errno.ENOEXEC or not _is_text(words[0]):
            raise
        # A script without a first line: shells hand it to sh, and so do we.
        return start(["/bin/sh", *words])


def _is_text(word: str) -> bool:
    """As bash tells a script from a program of another machine: no zero byte in its first line."""
    try:
        with open(shutil.which(word) or word, "rb") as file:
            return b"\0" not in file.read(128).partition(b"\n")[0]
    except OSError:
        return False


def _witness() -> Witness:
    witness = Witness()
    try:
        witness.start()
    except OSError:
        pass  # No room for a process more: each signal is handed on, as if it was for us alone.
    return witness


def _wait(pid: int, watched: Set[signal.Signals], witness: Witness) -> int:
    while True:
        info = signal.sigwaitinfo(watched)
        if info.si_signo == signal.SIGCHLD:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done == pid:
                return status
        else:
            _pass_on(pid, info, witness)


def _pass_on(pid: int, info: signal.struct_siginfo, witness: Witness) -> None:
    everyone = witness.saw(info.si_signo)
    if not everyone and info.si_code < _SENT_BY_KERNEL and info.si_pid != pid:
        try:
            os.kill(pid, info.si_signo)
        except ProcessLookupError:
            pass
    if info.si_signo == signal.SIGTSTP:
        os.kill(os.getpid(), signal.SIGSTOP)


def _drain(watched: Set[signal.Signals]) -> None:
    """Signals that were meant for the job and came after its end are not ours."""
    while signal.sigtimedwait(watched, 0) is not None:
        pass


def become(words: Sequence[str], environment: Mapping[str, str]) -> None:
    """Replace this process by `words`. Returns only by raising OSError."""
    for name in _PYTHON_IGNORES:
        signal.signal(signal.Signals[name], signal.SIG_DFL)
    os.execvpe(words[0], list(words), dict(environment))
