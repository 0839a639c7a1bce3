"""`advisor fleet install`: what it writes and takes away again, and that nothing of others is
touched."""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess

import pytest

from advisor.cli.fleet_install import loaded_by_programs
from advisor.fleet import installing
from advisor.model.errors import UserError


@pytest.fixture
def made(tmp_path):
    """share → what would be installed below tmp_path/home."""

    def make(share=100):
        one = installing.Wrapped("/opt/mpi/lib/libmpi.so.40", 12, "advisor-openmpi.so", b"C")
        home = tmp_path / "home"
        links = tmp_path / "wrapper", tmp_path / "advisor"
        return installing.Installation(home, tmp_path / "spool", share, b"G", [one], *links)

    return make


def there(home):
    return sorted(str(each.relative_to(home)) for each in home.rglob("*") if not each.is_dir())


ALL = [
    "bin/advisor",
    "bin/advisor-fleet-run",
    "collectors/advisor-openmpi.so",
    "installed.json",
    "lib/advisor-fleet.so",
    "libraries",
    "modules/advisor-fleet.lua",
    "share",
    "spool",
    "task-prolog",
]


def test_what_is_written(made):
    installing.install(made())
    home = made().home
    assert there(home) == ALL
    assert (home / "libraries").read_text() == "12\t/opt/mpi/lib/libmpi.so.40\tadvisor-openmpi.so\n"
    assert os.readlink(home / "spool") == str(made().spool)
    assert os.access(home / "task-prolog", os.X_OK)


def test_the_preview_writes_nothing_and_names_all(made):
    lines = installing.preview(made())
    assert not made().home.exists()
    named = {line.split()[1] for line in lines if not line.startswith(" ")}
    assert named == {f"{made().home}/{name}" for name in ALL if name != "installed.json"}


def test_installed_again_it_is_as_if_once(made):
    installing.install(made())
    installing.install(made(share=1000))
    assert there(made().home) == ALL
    assert (made().home / "share").read_text() == "1000\n"


@pytest.mark.parametrize("name", ["task-prolog", "installed.json", "lib/advisor-fleet.so"])
def test_a_file_of_somebody_is_not_overwritten(made, name):
    theirs = made().home / name
    theirs.parent.mkdir(parents=True)
    theirs.write_text("theirs")
    for step in (installing.preview, installing.install):
        with pytest.raises(UserError, match="is there already"):
            step(made())
    assert theirs.read_text() == "theirs" and there(made().home) == [name]


def test_what_was_changed_since_is_neither_overwritten_nor_removed(made):
    installing.install(made())
    prolog = made().home / "task-prolog"
    prolog.write_text("changed")
    with pytest.raises(UserError, match="is there already"):
        installing.install(made())
    assert installing.remove(made().home, everything=True) == [
        f"{prolog} stays: it was changed since"
    ]
    assert there(made().home) == ["installed.json", "task-prolog"]


def test_removed_it_leaves_what_running_jobs_need_and_then_nothing(made):
    """A task fails if the TaskProlog of slurm.conf is missing; each process complains if what is
    preloaded is."""
    home = made().home
    installing.install(made())
    installing.remove(home, everything=False)
    assert there(home) == ["installed.json", "lib/advisor-fleet.so", "task-prolog"]
    assert prolog_of(home, {}) == ""
    assert installing.remove(home, everything=True) == []
    assert not home.exists()


def test_files_of_others_in_the_folder_stay(made):
    installing.install(made())
    (made().home / "notes").write_text("theirs")
    installing.remove(made().home, everything=True)
    assert there(made().home) == ["notes"]


def test_a_folder_of_others_is_not_undone(tmp_path):
    (tmp_path / "installed.json").write_text('{"../../etc/passwd": "x"}')
    with pytest.raises(UserError, match="no list"):
        installing.remove(tmp_path, everything=True)


def test_a_path_that_lists_would_split_is_refused(tmp_path):
    with pytest.raises(UserError, match="splits"):
        installing.checked(tmp_path / "a b", "The folder")


def test_more_libraries_than_the_gate_reads_are_refused(made, tmp_path):
    """The last ones would be measured by nobody, unseen."""
    installation = made()
    (one,) = installation.collectors
    many = dataclasses.replace(installation, collectors=[one] * 400)
    with pytest.raises(UserError, match="400 MPI libraries are more than"):
        installing.install(many)
    assert not (tmp_path / "home").exists()


def test_the_library_is_the_file_that_programs_load(tmp_path):
    """What linkers are given may be a line of text, or a copy of the file under another name."""
    compiler = shutil.which("cc") or pytest.skip("no C compiler")
    real = tmp_path / "libmpi.so.40"
    words = ["-shared", "-xc", "/dev/null", "-Wl,-soname,libmpi.so.40", "-o", real]
    subprocess.run([compiler, *words], check=True)
    (tmp_path / "libmpi.so").write_text("INPUT(libmpi.so.40)\n")
    shutil.copy(real, tmp_path / "libmpi.so.0")
    (tmp_path / "link.so").symlink_to(real)
    for name in ("libmpi.so", "libmpi.so.0", "link.so", "libmpi.so.40"):
        assert loaded_by_programs(str(tmp_path / name)) == str(real)


def prolog_of(home, variables):
    own = {"PATH": "/nowhere", **variables}  # It starts no process.
    done = subprocess.run(
        ["/bin/sh", home / "task-prolog"], env=own, capture_output=True, text=True
    )
    said = [line for line in done.stderr.splitlines() if "ld.so: object" not in line]
    assert (done.returncode, said) == (0, [])
    return done.stdout


@pytest.mark.parametrize(
    "variables, preload",
    [
        ({}, "HOME/lib/advisor-fleet.so"),
        ({"LD_PRELOAD": "/a.so"}, "HOME/lib/advisor-fleet.so:/a.so"),
        ({"LD_PRELOAD": "HOME/lib/advisor-fleet.so"}, None),
        ({"ADVISOR_FLEET": "off"}, None),
    ],
    ids=str,
)
def test_task_prolog(made, variables, preload):
    installing.install(made())
    home = str(made().home)
    own = {name: value.replace("HOME", home) for name, value in variables.items()}
    lines = prolog_of(made().home, own).split("\n")
    wanted = preload and f"export LD_PRELOAD={preload.replace('HOME', home)}"
    assert lines[0] == (wanted or "")
    if preload:
        assert lines[1] == f"export APPTAINERENV_LD_PRELOAD={own.get('LD_PRELOAD', '')}"


def test_the_kill_switch_of_the_task_prolog(made):
    installing.install(made())
    (made().home / "off").touch()
    assert prolog_of(made().home, {}) == ""


@pytest.mark.parametrize("text, share", [("1%", 100), ("0.5%", 50), ("100%", 10000), ("0%", 0)])
def test_shares(text, share):
    assert installing.share_of(text) == share


@pytest.mark.parametrize("text", ["1", "101%", "-1%", "0.001%"])
def test_what_is_no_share(text):
    with pytest.raises(UserError, match="no share"):
        installing.share_of(text)
