"""Facts of a host as `advisor doctor` says them."""

from __future__ import annotations

import pytest

from advisor.model.profile import Fact
from advisor.probing.capabilities import capabilities


def said(subject, **facts):
    """(good, found, get) of one line, for a host of which only these facts are known."""
    known = {key.replace("__", "."): Fact(value, f"/{key}") for key, value in facts.items()}
    check = next(check for check in capabilities(known) if check.subject == subject)
    return check.good, check.found, bool(check.get)


@pytest.mark.parametrize(
    "subject, facts, expected",
    [
        ("Processors", {}, (None, "/proc and /sys do not tell", False)),
        (
            "Processors",
            dict(cpus=8, cores=4, sockets=2, cpu__model="X"),
            (True, "X: 8 CPUs, 4 cores, 2 sockets", False),
        ),
        (
            "Processors",
            dict(cpus=8, cgroup_cpus=1.5),
            (True, "unknown model: 8 CPUs, limited to 1.5 by a control group", False),
        ),
        (
            "Memory",
            dict(memory=8 << 30, memory_limit=1 << 30),
            (True, "8.0 GiB, limited to 1.0 GiB by a control group", False),
        ),
        ("XPMEM", dict(xpmem=True, xpmem_usable=True), (True, "/dev/xpmem is there", False)),
        (
            "XPMEM",
            dict(xpmem=True, xpmem_usable=False, xpmem_mode="0600"),
            (False, "/dev/xpmem may not be opened (mode 0600)", True),
        ),
        ("XPMEM", dict(xpmem=False), (False, "/xpmem is not there", True)),
        ("XPMEM", dict(xpmem=None), (None, "/xpmem", False)),
        ("CMA", dict(cma=False), (False, "/cma", True)),
        (
            "Fast network",
            dict(infiniband="mlx5_0:1:InfiniBand:100", efa=False),
            (True, "InfiniBand", False),
        ),
        (
            "Fast network",
            dict(infiniband="", efa=False, ethernet="eth0:1000"),
            (False, "none; Ethernet: eth0:1000", False),
        ),
        ("Fast network", {}, (None, "/sys does not tell", False)),
        (
            "Huge pages",
            dict(hugepages="", thp="never"),
            (False, "none reserved; transparent: never", False),
        ),
        (
            "Huge pages",
            dict(hugepages="2048kB:12/64", thp="never"),
            (True, "2048kB:12/64 reserved; transparent: never", False),
        ),
    ],
)
def test_line(subject, facts, expected):
    assert said(subject, **facts) == expected
