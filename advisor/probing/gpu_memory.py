"""Whether network cards and processors may reach the memory of NVIDIA GPUs on a host: kernel
modules that the driver brings, or that are added."""

from __future__ import annotations

from typing import Optional, Tuple

from advisor.probing.reading import Facts, Tree, fact

VERSION = "/proc/driver/nvidia/version"
PEER_MEMORY = (
    "/sys/module/nvidia_peermem",
    "/sys/module/nv_peer_mem",
    "/sys/kernel/mm/memory_peers/nv_mem",
)
"""Where the module shows that lets network cards read and write GPU memory: that of drivers from
470 on, that of before, the old place of both (UCX 1.18)."""
GDRCOPY = "/dev/gdrdrv"
_OPEN = "Open Kernel Module"
"""The open flavour of the driver hands out its memory by dma-buf as well, which needs no further
module."""


def peer_memory(tree: Tree) -> Tuple[Optional[bool], str]:
    """(whether network cards may reach GPU memory by a module, what told it); None without the
    driver, or where dma-buf may serve in its place."""
    driver = tree.text(VERSION, 256)
    if driver is None:
        return None, f"{VERSION} is not there"
    found = next((place for place in PEER_MEMORY if tree.exists(place)), None)
    if found:
        return True, found
    if _OPEN in driver or tree.names("/sys/module") is None:
        return None, f"no module for it; {driver.splitlines()[0][:80] if driver else VERSION}"
    return False, f"none of {', '.join(PEER_MEMORY)}"


def probe_gpu_memory(tree: Tree, facts: Facts) -> None:
    """gpu_peer_memory, gdrcopy (a device for small pieces of GPU memory); both unknown on hosts
    without the driver of NVIDIA."""
    value, source = peer_memory(tree)
    fact(facts, "gpu_peer_memory", value, source)
    fact(
        facts,
        "gdrcopy",
        tree.exists(GDRCOPY) if tree.text(VERSION, 256) is not None else None,
        GDRCOPY,
    )
