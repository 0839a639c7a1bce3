"""Networks of a host: InfiniBand, RoCE, Omni-Path, Slingshot, EFA, Ethernet."""

from __future__ import annotations

import re
from typing import List, NamedTuple, Optional

from advisor.probing.reading import Facts, Tree, fact

RDMA = "/sys/class/infiniband"
NET = "/sys/class/net"
_AMAZON = "0x1d0f"
_ETHERNET = "1"
"""ARPHRD_ETHER of <linux/if_arp.h>."""


class Port(NamedTuple):
    """A port of an RDMA device. `layer`: InfiniBand or Ethernet; `rate` in Gbit/s, 0 if unknown."""

    device: str
    number: str
    layer: str
    rate: int
    active: bool
    kind: str
    """infiniband, roce, omnipath, efa or iwarp."""

    def text(self) -> str:
        return f"{self.device}:{self.number}:{self.layer}:{self.rate}"


def parse_rate(text: str) -> int:
    """Gbit/s of "100 Gb/sec (4X EDR)"; 0 if it is not of this form."""
    match = re.match(r"(\d{1,6})(\.\d+)? Gb/sec", text)
    return int(match.group(1)) if match else 0


def kind_of(device: str, layer: str, vendor: str, protocol: str = "") -> str:
    """Which network a port belongs to."""
    if device.startswith(("hfi1_", "opx")):
        return "omnipath"
    if vendor == _AMAZON:
        return "efa"
    if layer == "InfiniBand":
        return "infiniband"
    return "iwarp" if protocol == "iWARP" else "roce"


def ports(tree: Tree) -> Optional[List[Port]]:
    """All ports of all RDMA devices; none where the kernel knows no such device; None where it cannot be told."""
    devices = tree.names(RDMA)
    if devices is None:
        return [] if tree.names("/sys/class") is not None else None
    return [_port(tree, device, number) for device in devices for number in tree.names(f"{RDMA}/{device}/ports") or ()]


def _port(tree: Tree, device: str, number: str) -> Port:
    base = f"{RDMA}/{device}/ports/{number}"
    layer = tree.text(f"{base}/link_layer", 64) or "unknown"
    vendor = tree.text(f"{RDMA}/{device}/device/vendor", 64) or ""
    protocol = "iWARP" if "iWARP" in (tree.text(f"{RDMA}/{device}/node_type", 64) or "") or device.startswith("irdma") else ""
    active = "ACTIVE" in (tree.text(f"{base}/state", 64) or "")
    rate = parse_rate(tree.text(f"{base}/rate", 64) or "")
    return Port(device, number, layer, rate, active, kind_of(device, layer, vendor, protocol))


def ethernet(tree: Tree) -> Optional[str]:
    """Ethernet devices that are up and are no bridge or virtual pair, "eth0:10000" with Mbit/s where known."""
    names = tree.names(NET)
    if names is None:
        return None
    found = []
    for name in names:
        if tree.text(f"{NET}/{name}/type", 16) != _ETHERNET or tree.mode(f"{NET}/{name}/device") is None:
            continue
        if tree.text(f"{NET}/{name}/operstate", 16) not in ("up", "unknown") or name.startswith("hsn"):
            continue
        speed = tree.number(f"{NET}/{name}/speed") or 0
        found.append(f"{name}:{speed}" if speed > 0 else name)
    return ",".join(found)


def probe_fabric(tree: Tree, facts: Facts) -> None:
    """infiniband (active ports, empty if none), rdma_ports (all), roce, omnipath, slingshot, efa, ethernet."""
    found = ports(tree)
    up = [port for port in found or () if port.active]
    for kind in ("roce", "omnipath", "efa"):
        fact(facts, kind, None if found is None else any(port.kind == kind for port in up), RDMA)
    layers = ",".join(port.text() for port in up if port.kind == "infiniband")
    fact(facts, "infiniband", None if found is None else layers, RDMA)
    every = ",".join(port.text() + ("" if port.active else ":down") for port in found or ())
    fact(facts, "rdma_ports", None if found is None else every, RDMA)
    classes = tree.names("/sys/class")
    fact(facts, "slingshot", None if classes is None else bool(tree.names("/sys/class/cxi")), "/sys/class/cxi")
    fact(facts, "ethernet", ethernet(tree), NET)
