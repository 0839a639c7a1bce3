"""In which memory domain each GPU of a host lies, by the files of the kernel."""

from __future__ import annotations

import re
from typing import List, Optional

from advisor.probing.reading import Facts, Tree, fact

NVIDIA = "/proc/driver/nvidia/gpus"
AMD = "/sys/class/kfd/kfd/topology/nodes"
PCI = "/sys/bus/pci/devices"
RENDER = "/sys/class/drm"


def _nvidia(tree: Tree) -> List[Optional[int]]:
    return [tree.number(f"{PCI}/{name}/numa_node") for name in tree.names(NVIDIA) or ()]


def _amd(tree: Tree) -> List[Optional[int]]:
    """Of units that compute: a node of this driver without SIMD units is a processor."""
    texts = [tree.text(f"{AMD}/{node}/properties", 8192) or "" for node in tree.names(AMD) or ()]
    minors = [
        re.search(r"^drm_render_minor (\d{1,4})", text, re.MULTILINE)
        for text in texts
        if re.search(r"^simd_count [1-9]", text, re.MULTILINE)
    ]
    return [
        tree.number(f"{RENDER}/renderD{minor[1]}/device/numa_node") if minor else None
        for minor in minors
    ]


def probe_gpu_domains(tree: Tree, facts: Facts) -> None:
    """gpu_domains: "0,0,1,1". Written only where all are told; -1 means that there is one domain,
    or that the firmware does not say."""
    found = _nvidia(tree) + _amd(tree)
    reported = [each for each in found if each is not None and each >= 0]
    if reported and len(reported) == len(found):
        fact(facts, "gpu_domains", ",".join(map(str, sorted(reported))), "numa_node of each GPU")
