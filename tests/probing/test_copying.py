"""Whether a rank may read another one's memory is tried, and nothing of the trial stays."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from advisor.probing import copying


def may_read_siblings():
    """By Yama's setting, where it has one; root with CAP_SYS_PTRACE may under modes 1 and 2."""
    scope = Path(copying.YAMA)
    if not scope.exists():
        return True
    mode = int(scope.read_text())
    return mode == 0 or (mode < 3 and os.geteuid() == 0)


def test_two_siblings_are_tried():
    found, source = copying.try_reading()
    if found is None:
        pytest.skip(source)
    assert (found, source.partition(":")[0]) == (may_read_siblings(), copying.TRIED)


def test_no_child_and_no_open_file_stays():
    before = set(os.listdir("/proc/self/fd")), children()
    copying.try_reading()
    assert (set(os.listdir("/proc/self/fd")), children()) == before


def children():
    """Of this process: earlier tests may have left some that still end."""
    return {
        child
        for task in os.listdir("/proc/self/task")
        for child in Path(f"/proc/self/task/{task}/children").read_text().split()
    }


def test_a_system_that_gives_no_process_is_said(monkeypatch):
    def refused():
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(os, "fork", refused)
    assert copying.try_reading() == (
        None,
        "process_vm_readv between two processes could not be tried: BlockingIOError",
    )
