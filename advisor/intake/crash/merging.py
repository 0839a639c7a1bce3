"""Records of ranks added to what the other ranks had merged by themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from advisor.intake.container.columns import join
from advisor.intake.container.combined_rows import put_together
from advisor.intake.container.library_name import library_of
from advisor.intake.crash.record import Record
from advisor.model.columns import TABLES
from advisor.model.profile import Columns, Gap, Node, Profile, Run, Setting


def with_records(profile: Optional[Profile], records: Sequence[Record]) -> Profile:
    """One profile of both. A rank that is in both is taken from the merged part, which is
    complete."""
    if profile is None:
        profile = Profile(Run(""), library_of(records[0].texts), (), {})
    have = set(profile.tables.get("ranks", {}).get("rank", np.zeros(0)).tolist())
    records = sorted(
        (record for record in records if record.rank not in have), key=lambda record: record.rank
    )
    if not records:
        return profile
    nodes, places = _nodes(profile.nodes, records)
    parts = [profile.tables] + [_placed(record, place) for record, place in zip(records, places)]
    tables, gaps = _tables(parts)
    gaps += _restricted(records)
    gaps += [
        gap
        for gap in _missing_counters(records)
        if gap.subject not in {known.subject for known in profile.gaps}
    ]
    ranks = max([profile.run.ranks_expected or 0] + [record.ranks for record in records])
    return replace(
        profile,
        nodes=nodes,
        tables=tables,
        settings=_settings(profile.settings, records),
        gaps=profile.gaps + tuple(gaps),
        run=replace(profile.run, ranks_expected=ranks or None),
    )


def _nodes(
    known: Tuple[Node, ...], records: Sequence[Record]
) -> Tuple[Tuple[Node, ...], List[int]]:
    """All hosts, and the index of each record's host. Facts come from the first record of a host
    that has some."""
    nodes: Dict[str, Node] = {node.name: node for node in known}
    for record in records:
        name = record.texts.get("node") or "unknown"
        if name not in nodes or not nodes[name].facts:
            nodes[name] = Node(name, record.facts)
    order = {name: index for index, name in enumerate(nodes)}
    return tuple(nodes.values()), [
        order[record.texts.get("node") or "unknown"] for record in records
    ]


def _placed(record: Record, place: int) -> Dict[str, Columns]:
    ranks = {**record.tables["ranks"], "node": np.array([place], "<i4")}
    return {**record.tables, "ranks": ranks}


def _tables(parts: Sequence[Mapping[str, Columns]]) -> Tuple[Dict[str, Columns], List[Gap]]:
    tables, gaps = {}, []
    for name in TABLES:
        having = [part[name] for part in parts if part.get(name)]
        if not having:
            continue
        tables[name] = (
            put_together(name, join(having, name))
            if name == "communicators"
            else join(having, name)
        )
        lost = sorted(set().union(*having) - set(tables[name]))
        gaps += [Gap(f"{name}.{label}", "not all parts of this job have it") for label in lost]
    if "communicators" in tables:
        keep = tables["communicators"]["id"] != 0
        tables["communicators"] = {
            label: values[keep] for label, values in tables["communicators"].items()
        }
    return tables, gaps


_RESTRICTIONS = {
    1: "filtered its own system calls after MPI_Init (seccomp)",
    2: "closed file descriptors that are not its own, or has none left",
    4: "lowered its limit of the size of files after MPI_Init",
}


def _restricted(records: Sequence[Record]) -> List[Gap]:
    """Why ranks that came to MPI_Finalize did not hand on what they had counted: they must not, or
    some of the others."""
    words = [
        word
        for bit, word in _RESTRICTIONS.items()
        if any(record.restricted & bit for record in records)
    ]
    if not words:
        return []
    reason = (
        f"the program {', '.join(words)}: it ended as it would have, and what its ranks had counted"
        " until then was taken from their memory"
    )
    return [Gap("restrictions", reason, "a run in which the program does not restrict itself")]


def _missing_counters(records: Sequence[Record]) -> List[Gap]:
    """Counters that the first rank could not read: lines of name, reason and what would help."""
    lines = [line.split("\t") for line in records[0].texts.get("missing_counters", "").splitlines()]
    return [Gap(f"counters.{line[0]}", line[1], line[2]) for line in lines if len(line) == 3]


def _settings(known: Tuple[Setting, ...], records: Sequence[Record]) -> Tuple[Setting, ...]:
    values: Dict[Tuple[str, str], List[Setting]] = {
        (setting.name, setting.source): [setting] for setting in known
    }
    for record in records:
        for setting in record.settings:
            values.setdefault((setting.name, setting.source), []).append(setting)
    return tuple(
        replace(same[0], differs=any(s.differs or s.value != same[0].value for s in same))
        for same in values.values()
    )
