"""Files of other versions."""

from __future__ import annotations

import json

import pytest

from advisor.intake import read
from advisor.model.errors import UserError

from .files import PROFILE, SAMPLE


def changed(tmp_path, **header):
    path = tmp_path / "sample.json"
    path.write_text(json.dumps({**json.loads(SAMPLE.read_text()), **header}))
    return path


def test_version_1_0_as_the_collector_wrote_it():
    profile = read(PROFILE)
    calls = profile.tables["calls"]
    assert (profile.library.name, profile.library.version, profile.nodes[0].facts["cpus"].value) == ("openmpi", "4.1.4", 2)
    assert list(zip(calls["rank"].tolist(), calls["operation"], calls["bin"].tolist(), calls["count"].tolist(), calls["bytes"].tolist())) == [
        (0, "Barrier", -1, 2, 0), (0, "Comm_rank", -1, 1, 0), (0, "Comm_size", -1, 1, 0), (0, "Allreduce", 4, 7, 56),
        (1, "Barrier", -1, 2, 0), (1, "Comm_rank", -1, 1, 0), (1, "Comm_size", -1, 1, 0), (1, "Allreduce", 4, 7, 56),
    ]


def test_a_newer_minor_version_is_read_as_far_as_it_is_known(tmp_path):
    tables = json.loads(SAMPLE.read_text())["tables"]
    tables["ranks"]["columns"].append({"name": "mood", "dtype": "<f8", "offset": 0})
    tables["weather"] = {"rows": 1, "columns": [{"name": "rain", "values": [1]}]}
    profile = read(changed(tmp_path, version=[1, 7], tables=tables, season={"now": 3}))
    assert "mood" not in profile.tables["ranks"] and "weather" not in profile.tables
    assert profile.tables["ranks"]["rank"].tolist() == [0, 1, 2, 3]


def test_a_newer_major_version_is_one_sentence(tmp_path):
    path = changed(tmp_path, version=[2, 0])
    with pytest.raises(UserError) as error:
        read(path)
    assert error.value.lines() == (f"{path} was written by a newer advisor (profile version 2.0).", "Install a newer advisor to read it.")


@pytest.mark.parametrize("version", [[0, 9], [-1, 0], ["1", 0], None, [1, 0, 0], [True, 0]])
def test_versions_that_are_none(tmp_path, version):
    with pytest.raises(UserError, match="version"):
        read(changed(tmp_path, version=version))
