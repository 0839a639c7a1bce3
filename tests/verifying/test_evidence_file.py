"""ADVISOR_EVIDENCE and verified.json may lead to anything: one sentence at once, and all else goes
on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from advisor import intake
from advisor.base import resource_paths
from advisor.model.errors import UserError
from advisor.model.verified import Evidence, Verified
from advisor.verifying import evidence, record

ROOT = Path(__file__).resolve().parents[2]
ONE = Evidence(
    Verified("x", ("x",), {"A": "1"}, "same", 6, 0.0, -0.001, 0.001),
    "openmpi",
    "4.1.4",
    "a",
    2,
    1,
    "",
)
KINDS = {
    "a pipe": "is not a regular file",
    "a device": "is not a regular file",
    "huge": "is larger than",
    "another user's": "belongs to user 54321",
    "a folder": "it is not a regular file",
}


def place(kind, tmp_path):
    """A file of that kind."""
    file = tmp_path / "file"
    if kind == "another user's" and os.geteuid():
        pytest.skip("only root can give a file to another user")
    {
        "a pipe": lambda: os.mkfifo(file),
        "a device": lambda: file.symlink_to("/dev/zero"),
        "a folder": file.mkdir,
        "huge": lambda: os.truncate(os.open(file, os.O_CREAT | os.O_WRONLY), 1 << 40),
        "another user's": lambda: file.write_text("") and None or os.chown(file, 54321, 54321),
    }[kind]()
    return file


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_is_made_without_such_a_memory(kind, tmp_path):
    file = place(kind, tmp_path)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "ADVISOR_EVIDENCE": str(file)}
    done = subprocess.run(
        [sys.executable, "-m", "advisor", "report", str(ROOT / "samples" / "verified")],
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0 and "eager" in done.stdout
    assert (
        KINDS[kind] in done.stderr
        and len(done.stderr.splitlines()) == 1
        and "Traceback" not in done.stderr
    )


@pytest.mark.parametrize("kind", ["a pipe", "a device", "another user's", "a folder"])
def test_nothing_is_added_to_it(kind, tmp_path):
    with pytest.raises(UserError, match="cannot be written"):
        evidence.append(place(kind, tmp_path), [ONE])


def test_what_a_group_adds_to_is_read(tmp_path):
    file = tmp_path / "site.jsonl"
    evidence.append(file, [ONE])
    file.chmod(0o666)
    evidence.append(file, [ONE])
    assert evidence.read(file) == ((ONE, ONE), "")


@pytest.mark.parametrize("kind", ["a pipe", "a device", "huge", "a folder"])
def test_what_was_verified_of_a_result_is_no_pipe_and_no_device(kind, tmp_path):
    place(kind, tmp_path).rename(tmp_path / "verified.json")
    with pytest.raises(UserError, match="verified.json (cannot be read|is damaged)"):
        record.read(tmp_path)


@pytest.mark.parametrize("name", ["verified.json", ".verified.json"])
def test_links_of_a_strangers_folder_are_not_written_through(name, tmp_path):
    (tmp_path / "mine").write_text(
        '{"format": "advisor-verified", "version": [1, 0], "campaigns": []}'
    )
    before = (tmp_path / "mine").read_bytes()
    (tmp_path / "result").mkdir()
    (tmp_path / "result" / name).symlink_to(tmp_path / "mine")
    record.write(
        tmp_path / "result", {"began": "1", "results": [record.plain(ONE.verified)]}, "test"
    )
    assert (tmp_path / "mine").read_bytes() == before and record.read(tmp_path / "result") == (
        ONE.verified,
    )


def test_reports_are_not_written_through_links_of_a_strangers_folder(tmp_path):
    from advisor.cli import sealing
    from advisor.cli.progress import Progress

    (tmp_path / "mine").write_text("mine")
    for name in ("report.txt", "report.html"):
        (tmp_path / name).symlink_to(tmp_path / "mine")
    with Progress(*sealing.STAGES, quiet=True) as progress:
        profile = intake.read(resource_paths.samples() / "verified")
        sealing.advise(profile, tmp_path, [], quiet=True, progress=progress)
    assert (tmp_path / "mine").read_text() == "mine" and "<html" in (
        tmp_path / "report.html"
    ).read_text()
