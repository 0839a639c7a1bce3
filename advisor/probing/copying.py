"""Ways to copy between processes of a host in one step: XPMEM, KNEM, LiMIC, CMA."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import List, Optional, Tuple

from advisor.probing.reading import Facts, Tree, fact

YAMA = "/proc/sys/kernel/yama/ptrace_scope"

# Ranks of a job are siblings. Yama's mode 1 allows a parent to read its child and no more, so two
# siblings are tried.
_OWNER = """
import ctypes, sys
kept = ctypes.create_string_buffer(b"advisor")
print(ctypes.addressof(kept), flush=True)
sys.stdin.read()
"""
_READER = """
import ctypes, os, sys
pid, address = map(int, sys.stdin.readline().split())
class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]
mine = ctypes.create_string_buffer(8)
call = ctypes.CDLL(None, use_errno=True).process_vm_readv
call.restype = ctypes.c_ssize_t
call.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong]
here, there = Part(ctypes.addressof(mine), 7), Part(address, 7)
size = call(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
print("read" if size == 7 and mine.value == b"advisor" else os.strerror(ctypes.get_errno()))
"""


def try_reading(seconds: float = 5.0) -> Tuple[Optional[bool], str]:
    """(whether one of two sibling processes may read the other's memory, what was tried). A real
    process_vm_readv."""
    start = [sys.executable, "-I", "-S", "-c"]
    quiet = {
        "stdin": subprocess.PIPE,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.DEVNULL,
        "text": True,
    }
    started: List[subprocess.Popen] = []
    try:
        for program in (_OWNER, _READER):  # Both at once: the report waits for them.
            started.append(subprocess.Popen(start + [program], **quiet))  # type: ignore[call-overload]
        owner, reader = started
        answer = reader.communicate(
            f"{owner.pid} {owner.stdout.readline() if owner.stdout else ''}", timeout=seconds
        )[0].strip()
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return (
            None,
            f"process_vm_readv between two processes could not be tried: {type(error).__name__}",
        )
    finally:
        for process in started:
            process.kill()
            process.communicate()
    if answer == "read":
        return True, "process_vm_readv between two processes"
    return (
        (False, f"process_vm_readv between two processes: {answer}")
        if answer
        else (None, "process_vm_readv gave no answer")
    )


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
