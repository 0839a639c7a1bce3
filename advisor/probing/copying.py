"""Ways to copy between processes of a host in one step: XPMEM, KNEM, LiMIC, CMA."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Optional, Tuple

from advisor.probing.reading import Facts, Tree, fact

YAMA = "/proc/sys/kernel/yama/ptrace_scope"

# Ranks of a job are siblings. Yama's mode 1 allows a parent to read its child and no more, so two siblings are tried.
_OWNER = """
import ctypes, sys
kept = ctypes.create_string_buffer(b"advisor")
print(ctypes.addressof(kept), flush=True)
sys.stdin.read()
"""
_READER = """
import ctypes, os, sys
class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]
pid, address = int(sys.argv[1]), int(sys.argv[2])
mine = ctypes.create_string_buffer(8)
call = ctypes.CDLL(None, use_errno=True).process_vm_readv
call.restype = ctypes.c_ssize_t
call.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong]
here, there = Part(ctypes.addressof(mine), 7), Part(address, 7)
size = call(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
print("read" if size == 7 and mine.value == b"advisor" else os.strerror(ctypes.get_errno()))
"""


def try_reading(seconds: float = 5.0) -> Tuple[Optional[bool], str]:
    """(whether one of two sibling processes may read the other's memory, what was tried). A real process_vm_readv."""
    start = [sys.executable, "-I", "-S", "-c"]
    quiet = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    owner = None
    try:
        owner = subprocess.Popen(start + [_OWNER], **quiet)  # type: ignore[call-overload]
        address = owner.stdout.readline().strip()
        words = start + [_READER, str(owner.pid), address]
        answer = subprocess.run(words, capture_output=True, text=True, timeout=seconds, stdin=subprocess.DEVNULL).stdout.strip()
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return None, f"process_vm_readv between two processes could not be tried: {type(error).__name__}"
    finally:
        if owner is not None:
            owner.kill()
            owner.communicate()
    if answer == "read":
        return True, "process_vm_readv between two processes"
    return (False, f"process_vm_readv between two processes: {answer}") if answer else (None, "process_vm_readv gave no answer")


def guess_reading(scope: Optional[int]) -> Optional[bool]:
    """What Yama's setting says where nothing can be tried."""
    return None if scope is None else scope == 0


def probe_copying(tree: Tree, facts: Facts) -> None:
    """xpmem, xpmem_mode (octal), knem, limic, *_usable where there is such a device, ptrace_scope, cma."""
    for key, device in (("xpmem", "/dev/xpmem"), ("knem", "/dev/knem"), ("limic", "/dev/limic")):
        fact(facts, key, tree.exists(device), device)
    mode = tree.mode("/dev/xpmem")
    if mode is not None:
        fact(facts, "xpmem_mode", format(mode, "04o"), "/dev/xpmem")
    for key, beside, device in (("xpmem", "/dev/xpmem", "/dev/xpmem"), ("knem", "/dev/knem", "/dev/knem"), ("umad", "/dev/infiniband", "/dev/infiniband/umad0")):
        if tree.exists(beside):
            fact(facts, f"{key}_usable", os.access(tree.path(device), os.R_OK | os.W_OK), f"access to {device}")
    scope = tree.number(YAMA)
    if scope is None and tree.names("/proc/sys/kernel") is not None and tree.exists(YAMA) is not True:
        scope = 0
    fact(facts, "ptrace_scope", scope, f"{YAMA} (0 where there is no such file)")
    value, source = try_reading() if tree.live else (guess_reading(scope), YAMA)
    fact(facts, "cma", value, source)
