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
    speed: str = ""
    """Lanes and generation as the kernel writes them: "4X EDR"."""
    driver: str = ""

    def text(self) -> str:
        return f"{self.device}:{self.number}:{self.layer}:{self.rate}"


def parse_rate(text: str) -> int:
    """Gbit/s of "100 Gb/sec (4X EDR)"; 0 if it is not of this form."""
    match = re.match(r"(\d{1,6})(\.\d+)? Gb/sec", text)
    return int(match.group(1)) if match else 0


def parse_speed(text: str) -> str:
    """Lanes and generation: "4X EDR" of "100 Gb/sec (4X EDR)"; empty if it is not of this form."""
    match = re.search(r"\(([^()]{1,30})\)", text)
    return match.group(1) if match else ""


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
    """All ports of all RDMA devices; none where the kernel knows no such device; None where it
    cannot be told."""
    devices = tree.names(RDMA)
    if devices is None:
        return [] if tree.names("/sys/class") is not None else None
    return [
        _port(tree, device, number)
        for device in devices
        for number in tree.names(f"{RDMA}/{device}/ports") or ()
    ]


def _port(tree: Tree, device: str, number: str) -> Port:
    base = f"{RDMA}/{device}/ports/{number}"
    layer = tree.text(f"{base}/link_layer", 64) or "unknown"
    vendor = tree.text(f"{RDMA}/{device}/device/vendor", 64) or ""
    protocol = (
        "iWARP"
        if "iWARP" in (tree.text(f"{RDMA}/{device}/node_type", 64) or "")
        or device.startswith("irdma")
        else ""
    )
    active = "ACTIVE" in (tree.text(f"{base}/state", 64) or "")
    text = tree.text(f"{base}/rate", 64) or ""
    driver = tree.link(f"{RDMA}/{device}/device/driver")
    return Port(
        device,
        number,
        layer,
        parse_rate(text),
        active,
        kind_of(device, layer, vendor, protocol),
        parse_speed(text),
        driver,
    )


def ethernet(tree: Tree) -> Optional[str]:
    """Ethernet devices that are up and are no bridge or virtual pair, "eth0:10000" with Mbit/s
    where known."""
    names = tree.names(NET)
    if names is None:
        return None
    found = []
    for name in names:
        if (
            tree.text(f"{NET}/{name}/type", 16) != _ETHERNET
            or tree.mode(f"{NET}/{name}/device") is None
        ):
            continue
        if tree.text(f"{NET}/{name}/operstate", 16) not in ("up", "unknown") or name.startswith(
            "hsn"
        ):
            continue
        speed = tree.number(f"{NET}/{name}/speed") or 0
        found.append(f"{name}:{speed}" if speed > 0 else name)
    return ",".join(found)


def slingshot_rate(tree: Tree) -> int:
    """Gbit/s of the fastest interface of Slingshot (hsn0, hsn1 …); 0 if there is none."""
    names = [
        name
        for name in tree.names(NET) or ()
        if name.startswith("hsn") and tree.text(f"{NET}/{name}/operstate", 16) in ("up", "unknown")
    ]
    return max((tree.number(f"{NET}/{name}/speed") or 0 for name in names), default=0) // 1000


def probe_fabric(tree: Tree, facts: Facts) -> None:
    """infiniband (active ports, empty if none), rdma_ports (all), roce, omnipath, slingshot, efa,
    ethernet, network_*."""
    found = ports(tree)
    up = [port for port in found or () if port.active]
    for kind in ("roce", "omnipath", "efa"):
        fact(facts, kind, None if found is None else any(port.kind == kind for port in up), RDMA)
    layers = ",".join(port.text() for port in up if port.kind == "infiniband")
    fact(facts, "infiniband", None if found is None else layers, RDMA)
    every = ",".join(port.text() + ("" if port.active else ":down") for port in found or ())
    fact(facts, "rdma_ports", None if found is None else every, RDMA)
    classes = tree.names("/sys/class")
    fact(
        facts,
        "slingshot",
        None if classes is None else bool(tree.names("/sys/class/cxi")),
        "/sys/class/cxi",
    )
    fact(facts, "ethernet", ethernet(tree), NET)
    fact(facts, "network_ports", None if found is None else len(up), RDMA)
    _probe_fastest(tree, facts, up)


def _probe_fastest(tree: Tree, facts: Facts, up: List[Port]) -> None:
    """network_rate (Gbit/s), network_speed ("4X EDR") and network_driver of the fastest port that
    is up, if there is one."""
    best = max(up, key=lambda port: port.rate, default=None)
    rate = max(best.rate if best else 0, slingshot_rate(tree))
    for key, value, source in (
        ("rate", rate, "fastest port that is up, Gbit/s"),
        ("speed", best and best.speed, RDMA),
        ("driver", best and best.driver, RDMA),
    ):
        if value:
            fact(facts, f"network_{key}", value, source)
