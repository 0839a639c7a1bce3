"""The folders of the days: all may write there, nobody may remove what others wrote."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from datetime import date

import pytest

from advisor.fleet.spool import ready

TODAY = date(2026, 12, 31)


def folders(spool):
    return sorted(str(each.relative_to(spool)) for each in spool.glob("*/*/*"))


def test_folders_of_the_next_days_are_there(tmp_path):
    ready(tmp_path, TODAY)
    assert folders(tmp_path) == ["2026/12/31", "2027/01/01", "2027/01/02"]
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in folders(tmp_path)}
    assert modes == {0o3733}


def test_empty_folders_of_the_past_go_and_others_stay(tmp_path):
    for name in ("2026/11/30", "2026/12/29", "2026/12/30", "notes/a/b"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "2026/12/29/big.1.0.profile").touch()
    ready(tmp_path, TODAY)
    kept = ["2026/12/29", "2026/12/30", "2026/12/31", "2027/01/01", "2027/01/02", "notes/a/b"]
    assert folders(tmp_path) == kept
    assert not (tmp_path / "2026/11").exists()


def test_a_folder_that_somebody_opened_stays_as_it_is(tmp_path):
    """The centre may choose other rights."""
    (tmp_path / "2026/12/31").mkdir(parents=True, mode=0o700)
    ready(tmp_path, TODAY)
    assert stat.S_IMODE((tmp_path / "2026/12/31").stat().st_mode) == 0o700


@pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("setpriv"), reason="being two users needs root"
)
def test_users_write_and_do_not_remove_what_others_wrote(tmp_path):
    for folder in (tmp_path, *tmp_path.parents):
        if folder.parent == folder or folder.owner() != "root" or str(folder) == "/tmp":
            break
        folder.chmod(0o755)
    ready(tmp_path, TODAY)
    place = tmp_path / "2026/12/31"

    def as_user(number, script):
        words = ["setpriv", f"--reuid={number}", "--clear-groups", "sh", "-c", script]
        return subprocess.run(words, cwd=place, capture_output=True).returncode

    assert (
        as_user(65534, "echo x > big.1.0.profile.new && mv big.1.0.profile.new big.1.0.profile")
        == 0
    )
    assert as_user(5, "rm -f big.1.0.profile") != 0
    assert as_user(5, "ls .") != 0
    assert (place / "big.1.0.profile").stat().st_uid == 65534
