"""Ways to copy between processes of a host in one step: XPMEM, KNEM, LiMIC, CMA."""

from __future__ import annotations

import ctypes
import os
import select
import signal
from typing import Callable, Optional, Tuple

from advisor.probing.reading import Facts, Tree, fact

YAMA = "/proc/sys/kernel/yama/ptrace_scope"
_SIZE = 16
"""Bytes of the word that is read."""

TRIED = "process_vm_readv between two processes"


class _Part(ctypes.Structure):
    """struct iovec."""

    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


def try_reading(seconds: float = 5.0) -> Tuple[Optional[bool], str]:
    """(whether one of two sibling processes may read the other's memory, what was tried). A real
    process_vm_readv.

    Ranks of a job are siblings. Yama's mode 1 allows a parent to read its child and no more. The
    two are forked and not started anew: two interpreters take a tenth of a second.
    """
    word = ctypes.create_string_buffer(_SIZE)
    ready, hold, answer = os.pipe(), os.pipe(), os.pipe()
    ends, children = {*ready, *hold, *answer}, []
    try:
        children.append(_fork(lambda: _own(word, ready[1], hold)))
        kept = _read(ready[0], seconds)
        children.append(_fork(lambda: _answer(children[0], word, kept, answer[1])))
        os.close(answer[1])  # A child that ends without a word is then seen at once.
        ends.remove(answer[1])
        said = _read(answer[0], seconds).decode() if kept else ""
    except OSError as error:
        return None, f"{TRIED} could not be tried: {type(error).__name__}"
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        for end in ends:
            os.close(end)
    if said == "read":
        return True, TRIED
    return (False, f"{TRIED}: {said}") if said else (None, "process_vm_readv gave no answer")


def _fork(task: Callable[[], None]) -> int:
    """A child that does this and nothing else."""
    child = os.fork()
    if child:
        return child
    try:
        task()
    finally:
        os._exit(0)


def _own(word: "ctypes.Array[ctypes.c_char]", ready: int, hold: Tuple[int, int]) -> None:
    """Puts a word into this process's memory that no other has, and stays until it is killed."""
    word.raw = os.urandom(_SIZE)
    os.write(ready, word.raw)
    os.close(hold[1])
    os.read(hold[0], 1)


def _answer(owner: int, word: "ctypes.Array[ctypes.c_char]", kept: bytes, end: int) -> None:
    """Writes "read", or why it could not."""
    mine = ctypes.create_string_buffer(_SIZE)
    call = ctypes.CDLL(None, use_errno=True).process_vm_readv
    call.restype = ctypes.c_ssize_t
    call.argtypes = [ctypes.c_int, *(ctypes.c_void_p, ctypes.c_ulong) * 2, ctypes.c_ulong]
    here, there = (_Part(ctypes.addressof(each), _SIZE) for each in (mine, word))
    size = call(owner, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    was_read = size == _SIZE and mine.raw == kept
    os.write(end, b"read" if was_read else os.strerror(ctypes.get_errno()).encode())


def _read(end: int, seconds: float) -> bytes:
    """What comes in time; nothing if nothing does."""
    return os.read(end, 4096) if select.select([end], [], [], seconds)[0] else b""


def guess_reading(scope: Optional[int]) -> Optional[bool]:
    """What Yama's setting says where nothing can be tried."""
    return None if scope is None else scope == 0


def probe_copying(tree: Tree, facts: Facts) -> None:
    """xpmem, xpmem_mode (octal), knem, limic, *_usable where there is such a device, ptrace_scope,
    cma."""
    for key, device in (("xpmem", "/dev/xpmem"), ("knem", "/dev/knem"), ("limic", "/dev/limic")):
        fact(facts, key, tree.exists(device), device)
    mode = tree.mode("/dev/xpmem")
    if mode is not None:
        fact(facts, "xpmem_mode", format(mode, "04o"), "/dev/xpmem")
    for key, beside, device in (
        ("xpmem", "/dev/xpmem", "/dev/xpmem"),
        ("knem", "/dev/knem", "/dev/knem"),
        ("umad", "/dev/infiniband", "/dev/infiniband/umad0"),
    ):
        if tree.exists(beside):
            fact(
                facts,
                f"{key}_usable",
                os.access(tree.path(device), os.R_OK | os.W_OK),
                f"access to {device}",
            )
    scope = tree.number(YAMA)
    if (
        scope is None
        and tree.names("/proc/sys/kernel") is not None
        and tree.exists(YAMA) is not True
    ):
        scope = 0
    fact(facts, "ptrace_scope", scope, f"{YAMA} (0 where there is no such file)")
    value, source = try_reading() if tree.live else (guess_reading(scope), YAMA)
    fact(facts, "cma", value, source)
