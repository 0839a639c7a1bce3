"""Files of other versions."""

from __future__ import annotations

import json

import numpy as np
import pytest

from advisor.intake import read
from advisor.model.errors import UserError

from .files import PLAIN, PROFILE, SAMPLE


def changed(tmp_path, **header):
    path = tmp_path / "sample.json"
    path.write_text(json.dumps({**json.loads(SAMPLE.read_text()), **header}))
    return path


def test_a_profile_of_a_program():
    profile = read(PROFILE)
    calls = profile.tables["calls"]
    assert (
        profile.library.name,
        profile.library.version,
        profile.nodes[0].facts["cpus"].value,
    ) == ("openmpi", "4.1.4", 2)
    assert list(
        zip(
            calls["rank"].tolist(),
            calls["operation"],
            calls["bin"].tolist(),
            calls["count"].tolist(),
            calls["bytes"].tolist(),
        )
    ) == [
        (0, "Barrier", -1, 2, 0),
        (0, "Comm_rank", -1, 1, 0),
        (0, "Comm_size", -1, 1, 0),
        (0, "Allreduce", 4, 7, 56),
        (1, "Barrier", -1, 2, 0),
        (1, "Comm_rank", -1, 1, 0),
        (1, "Comm_size", -1, 1, 0),
        (1, "Allreduce", 4, 7, 56),
    ]


def test_a_profile_as_the_collector_writes_it():
    profile = read(PLAIN)
    calls, ranks, phases = (profile.tables[name] for name in ("calls", "ranks", "phases"))
    assert list(
        zip(
            calls["rank"].tolist(),
            calls["operation"],
            calls["bin"].tolist(),
            calls["count"].tolist(),
            calls["bytes"].tolist(),
        )
    )[:5] == [
        (0, "Barrier", -1, 1, 0),
        (0, "Comm_rank", -1, 1, 0),
        (0, "Comm_size", -1, 1, 0),
        (0, "Sendrecv", 3, 1000, 4000),
        (0, "Allreduce", 4, 1000, 8000),
    ]
    assert (ranks["overflowed"].tolist(), ranks["overflowed"].dtype, ranks["cpus"].tolist()) == (
        [0, 0],
        np.dtype("<u8"),
        ["0", "1"],
    )
    assert (
        phases["calls"].sum() == calls["count"].sum()
        and not phases["io"].any()
        and profile.tables["windows"]["kind"].tolist() == []
    )
    assert {setting.differs for setting in profile.settings} == {False}


def test_a_column_that_is_not_known_still_has_its_room(tmp_path):
    raw = json.dumps(
        {
            "format": "advisor-profile",
            "version": [1, 3],
            "tables": {
                "weather": {"rows": 3, "columns": ["rain f4", "wind u1 0"]},
                "ranks": {"rows": 2, "columns": ["mood u2", "rank i4"]},
            },
        }
    ).encode()
    data = (
        np.array([1, 2, 3, 0], "<f4").tobytes()
        + np.array([7, 7, 0, 0], "<u2").tobytes()
        + np.array([1, 0], "<i4").tobytes()
    )
    path = tmp_path / "profile"
    path.write_bytes(
        b"ADVISOR\n" + len(raw).to_bytes(8, "little") + raw + b"\0" * (-(16 + len(raw)) % 64) + data
    )
    assert {label: values.tolist() for label, values in read(path).tables["ranks"].items()} == {
        "rank": [1, 0]
    }


def test_a_newer_minor_version_is_read_as_far_as_it_is_known(tmp_path):
    tables = json.loads(SAMPLE.read_text())["tables"]
    tables["ranks"]["columns"].append({"name": "mood", "values": [0.5] * 4})
    tables["weather"] = {"rows": 1, "columns": [{"name": "rain", "values": [1]}]}
    profile = read(changed(tmp_path, version=[1, 7], tables=tables, season={"now": 3}))
    assert "mood" not in profile.tables["ranks"] and "weather" not in profile.tables
    assert profile.tables["ranks"]["rank"].tolist() == [0, 1, 2, 3]


def test_a_newer_major_version_is_one_sentence(tmp_path):
    path = changed(tmp_path, version=[2, 0])
    with pytest.raises(UserError) as error:
        read(path)
    assert error.value.lines() == (
        f"{path} was written by a newer advisor (profile version 2.0).",
        "Install a newer advisor to read it.",
    )


@pytest.mark.parametrize("version", [[0, 9], [-1, 0], ["1", 0], None, [1, 0, 0], [True, 0]])
def test_versions_that_are_none(tmp_path, version):
    with pytest.raises(UserError, match="version"):
        read(changed(tmp_path, version=version))
