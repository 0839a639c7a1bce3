"""Constructed Cube archives: a recorded one with more metrics in it, whose numbers are invented."""

from __future__ import annotations

import io
import struct
import tarfile
from typing import Dict, Mapping, NamedTuple, Tuple

from advisor.intake.foreign.cube import archive as cube_archive, tree
from advisor.intake.untrusted.claims import Unpacking


class Added(NamedTuple):
    """A metric. `values`: (function, rank) → number; `within`: the metric that holds it;
    `inclusive` as Cube stores such metrics."""

    values: Mapping[Tuple[str, int], float]
    unit: str = "sec"
    within: str = ""
    dtype: str = "DOUBLE"


def with_metrics(raw: bytes, added: Mapping[str, Added]) -> bytes:
    """The archive `raw` with exclusive metrics added, which are numbered from 900 on."""
    parts: Dict[str, bytes] = cube_archive.members(raw)
    about = tree.describe(cube_archive.anchor(parts, Unpacking(len(raw))))
    numbers = {name: 900 + place for place, name in enumerate(added)}
    xml = "".join(_xml(name, added, numbers) for name, metric in added.items() if not metric.within)
    parts["anchor.xml"] = parts["anchor.xml"].replace(b"</metrics>", xml.encode() + b"</metrics>")
    paths, places = (
        [path.region.name for path in about.paths],
        [location.rank for location in about.locations],
    )
    for name, metric in added.items():
        kind = {"DOUBLE": "d", "UINT64": "Q"}[metric.dtype]
        rows = [metric.values.get((path, rank), 0) for path in paths for rank in places]
        parts[f"{numbers[name]}.index"] = b"CUBEX.INDEX" + struct.pack(
            f"<IHBI{len(paths)}I", 1, 0, 1, len(paths), *range(len(paths))
        )
        parts[f"{numbers[name]}.data"] = b"CUBEX.DATA" + struct.pack(f"<{len(rows)}{kind}", *rows)
    return packed(parts)


def _xml(name: str, added: Mapping[str, Added], numbers: Mapping[str, int]) -> str:
    inner = "".join(
        _xml(other, added, numbers) for other, metric in added.items() if metric.within == name
    )
    head = (
        f'<metric id="{numbers[name]}"'
        f' type="EXCLUSIVE"><disp_name>{name}</disp_name><uniq_name>{name.replace("-", "_")}</uniq_name>'
    )
    return f"{head}<dtype>{added[name].dtype}</dtype><uom>{added[name].unit}</uom>{inner}</metric>"


def packed(parts: Mapping[str, bytes]) -> bytes:
    """A tar of these members, the description first."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(parts, key=lambda name: name != "anchor.xml"):
            member = tarfile.TarInfo(name)
            member.size = len(parts[name])
            archive.addfile(member, io.BytesIO(parts[name]))
    return out.getvalue()
