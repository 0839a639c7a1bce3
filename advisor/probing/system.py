"""Kernel, virtual machine, container, clock, load and GPUs of a host."""

from __future__ import annotations

import re
from typing import Optional

from advisor.probing.processor import CPUINFO, parse_cpuinfo
from advisor.probing.reading import Facts, Tree, fact

CLOCK = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
_MACHINES = re.compile(
    r"kvm|qemu|virtual|vmware|bochs|firecracker|amazon ec2|google compute|openstack|xen",
    re.IGNORECASE,
)


def is_virtual(tree: Tree) -> Optional[bool]:
    """Whether a hypervisor lies below. Bare-metal cloud hosts carry the cloud's product name, so
    the CPU decides first."""
    fields = parse_cpuinfo(tree.text(CPUINFO) or "")
    if "flags" in fields:
        return "hypervisor" in fields["flags"].split()
    product = tree.text("/sys/class/dmi/id/product_name", 256)
    return bool(_MACHINES.search(product)) if product else None


def is_contained(tree: Tree) -> Optional[bool]:
    """Whether this is a container, by the marks that Docker, Podman and Apptainer leave, or by its
    control group."""
    if any(
        tree.mode(mark) is not None
        for mark in ("/.dockerenv", "/run/.containerenv", "/.singularity.d")
    ):
        return True
    membership = tree.text("/proc/self/cgroup")
    return (
        None
        if membership is None
        else bool(re.search(r"docker|kubepods|libpod|lxc|containerd", membership))
    )


def in_user_namespace(text: str) -> Optional[bool]:
    """From /proc/self/uid_map: the first namespace maps all users to themselves."""
    fields = text.split()
    return None if not fields else fields[:3] != ["0", "0", "4294967295"]


def probe_system(tree: Tree, facts: Facts) -> None:
    """kernel, virtual, container, user_namespace, clocksource, loadavg, gpu."""
    fact(
        facts,
        "kernel",
        tree.text("/proc/sys/kernel/osrelease", 256) or None,
        "/proc/sys/kernel/osrelease",
    )
    fact(facts, "virtual", is_virtual(tree), "hypervisor flag in /proc/cpuinfo, or product name")
    fact(facts, "container", is_contained(tree), "marks of container run-times")
    fact(
        facts,
        "user_namespace",
        in_user_namespace(tree.text("/proc/self/uid_map", 4096) or ""),
        "/proc/self/uid_map",
    )
    fact(facts, "clocksource", tree.text(CLOCK, 64) or None, CLOCK)
    match = re.match(r"(\d{1,9}\.\d{1,9})\b", tree.text("/proc/loadavg", 256) or "")
    fact(facts, "loadavg", float(match.group(1)) if match else None, "/proc/loadavg")
    fact(facts, "gpu", gpus(tree), "/proc/driver/nvidia, /sys/class/kfd, /dev/dri")


def gpus(tree: Tree) -> str:
    """Maker and number of GPUs that can compute, "nvidia:4"; empty if there are none."""
    nvidia = len(tree.names("/proc/driver/nvidia/gpus") or ())
    topology = "/sys/class/kfd/kfd/topology/nodes"
    # A node without SIMD units is a processor.
    units = (
        tree.text(f"{topology}/{node}/properties", 8192) or ""
        for node in tree.names(topology) or ()
    )
    amd = sum(1 for text in units if re.search(r"^simd_count [1-9]", text, re.MULTILINE))
    return ",".join(
        f"{maker}:{count}" for maker, count in (("nvidia", nvidia), ("amd", amd)) if count
    )
