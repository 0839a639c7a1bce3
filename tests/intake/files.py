"""Real files to test on, and profiles made by hypothesis."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from advisor.base import resource_paths
from advisor.model.columns import TABLES
from advisor.model.profile import Application, Fact, Gap, Library, Node, Profile, Run, Setting

FROZEN = Path(__file__).parent / "frozen"
PROFILE = FROZEN / "uneven_compute.profile"
"""Of the collector under Open MPI 4.1.4: 2 ranks of uneven_compute, 7 steps."""
PLAIN = FROZEN / "finalize.profile"
"""The same of 2 ranks of benchmarks/finalize.c."""
COMPACT = FROZEN / "finalize-compact.profile"
"""The same once more, compressed as results are."""
SAMPLE = resource_paths.samples() / "profiles" / "heat.4r.json"


def record(rank: int) -> bytes:
    """What a rank of uneven_compute left behind when one of the two was killed."""
    return gzip.decompress((FROZEN / f"killed-{rank}.record-1.0.gz").read_bytes())


words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
values = st.one_of(
    words, st.integers(-(2**53), 2**53), st.floats(-1e300, 1e300), st.booleans(), st.none()
)
facts = st.dictionaries(words, st.builds(Fact, values, words), max_size=3)
seconds = st.none() | st.floats(0, 1e9)


def _cells(kind, rows, draw):
    if kind.dtype == "text":
        cells = draw(st.lists(words, min_size=rows, max_size=rows))
        result = np.empty(rows, dtype=object)
        result[:] = cells
        return result
    if kind.dtype[0] == "f":
        return np.array(
            draw(
                st.lists(st.floats(0, 1e10) | st.just(float("nan")), min_size=rows, max_size=rows)
            ),
            dtype="<f8",
        )
    most = min(2**31 - 1, np.iinfo(kind.dtype).max)
    return np.array(
        draw(st.lists(st.integers(0, int(most)), min_size=rows, max_size=rows)),
        dtype="<" + kind.dtype,
    )


@st.composite
def profiles(draw) -> Profile:
    """Any valid profile."""
    ranks = draw(st.integers(1, 4))
    hosts = draw(st.lists(st.builds(Node, words, facts), min_size=1, max_size=3))
    ids = draw(st.lists(st.integers(1, 2**64 - 1), unique=True, max_size=3))
    tables = {}
    for name, columns in TABLES.items():
        rows = (
            ranks
            if name == "ranks"
            else len(ids)
            if name == "communicators"
            else draw(st.integers(0, 4))
        )
        tables[name] = {label: _cells(kind, rows, draw) for label, kind in columns.items()}
        if "rank" in columns:
            own = (
                list(range(ranks))
                if name == "ranks"
                else draw(st.lists(st.integers(-1, ranks - 1), min_size=rows, max_size=rows))
            )
            tables[name]["rank"] = np.array(own, "<i4")
    tables["ranks"]["node"] = np.array(
        [draw(st.integers(-1, len(hosts) - 1)) for _ in range(ranks)], "<i4"
    )
    tables["communicators"]["id"] = np.array(ids, "<u8")
    rows = len(tables["members"]["communicator"])
    tables["members"]["communicator"] = np.array(
        [draw(st.sampled_from([0] + ids)) for _ in range(rows)], "<u8"
    )
    tables["calls"]["bin"] = np.array(
        [draw(st.integers(-1, 64)) for _ in tables["calls"]["bin"]], "<i2"
    )
    return Profile(
        draw(
            st.builds(
                Run,
                words,
                st.tuples(words),
                job_seconds=seconds,
                exit_code=st.none() | st.integers(0, 255),
                ranks_expected=st.none() | st.integers(1, 99),
            )
        ),
        draw(
            st.builds(
                Library, st.sampled_from(["openmpi", "unknown"]), words, path=words, facts=facts
            )
        ),
        tuple(hosts),
        tables,
        tuple(draw(st.lists(st.builds(Setting, words, words, words, st.booleans()), max_size=2))),
        draw(st.none() | st.builds(Application, words, facts)),
        tuple(draw(st.lists(st.builds(Gap, words, words, words), max_size=2))),
    )
