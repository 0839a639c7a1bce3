"""What is believed: files of this user and of root, in folders that nobody else can write to, along
the whole path."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from advisor.base import trusted_files

STRANGER = 54321
"""A user of this machine who is neither we nor root."""

needs_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root can give a file to another user"
)


@pytest.fixture
def place(tmp_path):
    """tmp_path/home/cache/file, all of it ours alone."""
    file = tmp_path / "home" / "cache" / "file"
    for folder in (tmp_path / "home", tmp_path / "home" / "cache"):
        folder.mkdir()
        folder.chmod(0o755)
    file.write_bytes(b"ours")
    file.chmod(0o644)
    return file


def refused(path):
    with pytest.raises(trusted_files.Untrusted) as caught:
        trusted_files.resolved(path)
    with pytest.raises(trusted_files.Untrusted):
        trusted_files.read(path, 100)
    return caught.value.strerror


def test_a_file_of_ours_in_a_folder_of_ours(place):
    assert trusted_files.resolved(place) == place
    assert trusted_files.read(place, 4) == b"ours"


def test_a_link_of_ours_leads_to_the_one_path_without_links(place, tmp_path):
    (tmp_path / "link").symlink_to(place.parent)
    assert trusted_files.resolved(tmp_path / "link" / "file") == place


@pytest.mark.parametrize(
    "where, mode, said",
    [
        ("home/cache/file", 0o666, "others can write to {}"),
        ("home/cache", 0o777, "others can write to {}"),
        ("home/cache", 0o1777, "others can write to {}"),
        ("home", 0o777, "others can write to {}"),
    ],
)
def test_what_others_can_write_to_is_refused(place, tmp_path, where, mode, said):
    (tmp_path / where).chmod(mode)
    assert refused(place) == said.format(tmp_path / where)


def test_a_sticky_folder_above_will_do_as_tmp_is_one(place, tmp_path):
    (tmp_path / "home").chmod(0o1777)
    assert trusted_files.resolved(place) == place


@needs_root
@pytest.mark.parametrize("where", ["home", "home/cache", "home/cache/file"])
def test_what_belongs_to_somebody_else_is_refused(place, tmp_path, where):
    os.chown(tmp_path / where, STRANGER, STRANGER)
    assert refused(place) == f"{tmp_path / where} belongs to user {STRANGER}"


@needs_root
def test_a_group_of_others_that_may_write_is_refused_and_the_own_group_is_not(place, tmp_path):
    (tmp_path / "home").chmod(0o775)
    assert trusted_files.resolved(place) == place
    os.chown(tmp_path / "home", 0, STRANGER)
    assert refused(place) == f"others can write to {tmp_path / 'home'}"


@needs_root
def test_files_of_root_are_believed_by_everybody(place):
    """An administrator's shared cache."""
    for folder in place.parents:
        if folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    assert as_stranger(lambda: trusted_files.read(place, 99)) == b"ours"


def as_stranger(work):
    """What `work`, which gives bytes, gives to another user: in a child, since there is no way
    back. Python itself may lie where only root can read."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.setgroups([])
            os.setgid(STRANGER)
            os.setuid(STRANGER)
            os.write(writer, work())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        given = file.read()
    os.waitpid(child, 0)
    return given


@pytest.mark.parametrize("kind", ["pipe", "folder", "device"])
def test_what_is_not_a_regular_file_is_refused_at_once(place, tmp_path, kind):
    place.unlink()
    {
        "pipe": lambda: os.mkfifo(place),
        "folder": place.mkdir,
        "device": lambda: place.symlink_to("/dev/zero"),
    }[kind]()
    shown = "/dev/zero" if kind == "device" else place
    assert refused(place) in (f"{shown} is not a regular file", "others can write to /dev")


def test_more_than_the_limit_is_refused(place):
    with pytest.raises(trusted_files.Untrusted, match="is larger than 3 bytes"):
        trusted_files.read(place, 3)


def test_a_file_that_is_not_there_is_not_there(place):
    with pytest.raises(FileNotFoundError):
        trusted_files.resolved(place.with_name("absent"))


def test_a_link_that_is_exchanged_between_two_looks_is_not_followed(place):
    """folder() itself follows no link, whatever realpath said before."""
    link = place.parent.parent / "link"
    link.symlink_to(place.parent)
    with pytest.raises(NotADirectoryError), trusted_files.folder(link):
        pass


@pytest.mark.parametrize("mask", [0o000, 0o002, 0o077])
def test_a_private_folder_is_made_private_under_any_umask(tmp_path, mask):
    before = os.umask(mask)
    try:
        assert trusted_files.private(tmp_path / "a" / "b")
    finally:
        os.umask(before)
    assert not (tmp_path / "a" / "b").stat().st_mode & 0o022


def test_a_folder_that_is_open_to_all_cannot_be_private(tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o1777)
    assert not trusted_files.private(tmp_path / "shared")
    assert trusted_files.private(tmp_path / "shared" / "own")
