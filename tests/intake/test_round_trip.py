"""What is written is what is read, in both forms."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from advisor.intake import read, write
from advisor.model.errors import UserError
from advisor.model.profile import Library, Profile, Run

from .files import COMPACT, PLAIN, PROFILE, SAMPLE, profiles


def assert_equal(first: Profile, second: Profile):
    assert replace(first, tables={}, source="") == replace(second, tables={}, source="")
    assert list(first.tables) == list(second.tables)
    for name, columns in first.tables.items():
        assert list(columns) == list(second.tables[name])
        for label, values in columns.items():
            assert values.dtype == second.tables[name][label].dtype, f"{name}.{label}"
            np.testing.assert_array_equal(
                values, second.tables[name][label], err_msg=f"{name}.{label}"
            )


@pytest.mark.parametrize("form", ["profile", "profile.json"])
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(profiles())
def test_written_and_read(tmp_path, form, profile):
    path = tmp_path / form
    write(profile, path)
    assert_equal(profile, read(path))


@pytest.mark.parametrize(
    "path",
    [PROFILE, SAMPLE, PLAIN, COMPACT],
    ids=["by the collector", "by hand", "plain", "compact"],
)
def test_real_files(tmp_path, path):
    first = read(path)
    write(first, tmp_path / "profile")
    assert_equal(first, read(tmp_path / "profile"))
    assert_equal(first, read(tmp_path))  # the folder that holds it


def test_the_sample_in_the_repository_is_as_we_write_it(tmp_path):
    write(read(SAMPLE), tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == SAMPLE.read_text()


def test_numbers_are_mapped_and_not_copied():
    values = read(PROFILE).tables["calls"]["time"]
    while isinstance(values.base, np.ndarray):
        values = values.base
    assert type(values.base).__name__ == "mmap"


def test_a_large_profile_is_written_so_that_it_can_be_mapped(tmp_path):
    """And only what is not 0 takes bytes."""
    rows = 1 << 17
    zeros, numbers = np.zeros(rows), np.arange(rows, dtype="<i4")
    write(
        Profile(
            Run("a"),
            Library("openmpi"),
            (),
            {"ranks": {"rank": numbers, "user_time": zeros, "system_time": numbers + 0.5}},
        ),
        tmp_path / "profile",
    )
    raw = (tmp_path / "profile").read_bytes()
    length = int.from_bytes(raw[8:16], "little")
    header = json.loads(raw[16 : 16 + length])
    assert header["tables"] == {
        "ranks": {"rows": rows, "columns": ["rank i4", "user_time f8 0", "system_time f8"]}
    }
    assert len(raw) == -(-(16 + length) // 64) * 64 + 12 * rows
    ranks = read(tmp_path / "profile").tables["ranks"]
    assert [
        values.tolist() == wanted.tolist()
        for values, wanted in zip(ranks.values(), (numbers, zeros, numbers + 0.5))
    ] == [True] * 3


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    write(read(SAMPLE), tmp_path / "profile")
    before = (tmp_path / "profile").read_bytes()
    broken = replace(read(SAMPLE), tables={"ranks": {"rank": np.array(["x"], dtype=object)}})
    with pytest.raises(ValueError):
        write(broken, tmp_path / "profile")
    assert (os.listdir(tmp_path), (tmp_path / "profile").read_bytes()) == (["profile"], before)


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path):
    with pytest.raises(UserError, match="cannot be written: No such file or directory"):
        write(read(SAMPLE), tmp_path / "absent" / "profile")
