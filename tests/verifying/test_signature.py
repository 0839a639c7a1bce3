"""Signatures hold for what this account signed, wherever it is moved, and for nothing else."""

from __future__ import annotations

import os
import shutil
import stat

import pytest

from advisor.base import resource_paths
from advisor.verifying import signature


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A data folder of its own, in which no key is yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "advisor"


@pytest.fixture
def profile(data, tmp_path):
    """A file that was signed."""
    (tmp_path / "result").mkdir(mode=0o755)
    file = tmp_path / "result" / "profile"
    file.write_bytes(b"as it was")
    signature.sign(file)
    return file


def test_the_key_is_made_at_first_use_and_only_this_user_can_read_it(data):
    assert not data.exists()
    signed = signature.of(b"text", "x")
    assert os.listdir(data) == ["key"] and stat.S_IMODE((data / "key").stat().st_mode) == 0o600
    assert signature.of(b"text", "x") == signed and signature.holds(b"text", "x", signed)


@pytest.mark.parametrize(
    "content, purpose, change",
    [
        (b"other", "x", str),
        (b"text", "y", str),
        (b"text", "x", str.upper),
        (b"text", "x", lambda _: ""),
        (b"text", "x", lambda _: "\udcff"),
    ],
)
def test_nothing_else_is_signed(content, purpose, change, data):
    assert not signature.holds(content, purpose, change(signature.of(b"text", "x")))


def test_a_signed_file_may_move_and_be_copied_and_reported_on(profile, tmp_path):
    assert signature.signed(profile)
    shutil.copytree(profile.parent, tmp_path / "copy")
    profile.parent.rename(tmp_path / "moved")
    (tmp_path / "moved" / "report.txt").write_text("anew")
    assert signature.signed(tmp_path / "moved" / "profile") and signature.signed(
        tmp_path / "copy" / "profile"
    )


def test_another_content_is_not_signed(profile):
    profile.write_bytes(b"as it was not")
    assert not signature.signed(profile)


def test_another_account_has_not_signed_it(profile, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "elsewhere"))
    assert not signature.signed(profile)
    assert not (tmp_path / "elsewhere").exists()
    assert signature.of(b"text", "x") and not signature.signed(profile)


@pytest.mark.parametrize(
    "where, mode",
    [
        ("result", 0o777),
        ("result/profile", 0o666),
        ("result/profile.signature", 0o666),
        ("data/advisor/key", 0o644),
        ("data/advisor", 0o777),
    ],
)
def test_what_others_can_change_or_know_is_not_believed(where, mode, profile, tmp_path):
    (tmp_path / where).chmod(mode)
    assert not signature.signed(profile)


def test_nothing_is_signed_where_others_can_write(profile, tmp_path):
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    file = open_to_all / "profile"
    file.write_bytes(b"as it was")
    signature.sign(file)
    assert os.listdir(open_to_all) == ["profile"]


@pytest.mark.parametrize(
    "hindrance", ["the data folder is a file", "the key is cut", "the key is a pipe"]
)
def test_without_a_key_nothing_is_signed_and_nothing_fails(hindrance, data, tmp_path):
    if hindrance == "the data folder is a file":
        data.parent.write_text("")
    else:
        assert resource_paths.data(os.environ) == data
        data.mkdir(parents=True, mode=0o755)
        (data / "key").write_bytes(b"short") if "cut" in hindrance else os.mkfifo(data / "key")
    file = tmp_path / "profile"
    file.write_bytes(b"")
    signature.sign(file)
    assert (
        signature.of(b"text", "x") == ""
        and not signature.signed(file)
        and not file.with_name("profile.signature").exists()
    )


def test_jobs_that_end_together_have_one_key(data, monkeypatch):
    """Each found none, and made one."""
    assert signature._made() == signature._made()
    assert os.listdir(data) == ["key"]
