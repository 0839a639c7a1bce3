"""Programs that are asked what they are: bounded in time and bytes, and never a stranger's."""

from __future__ import annotations

import os
import time

import pytest

from advisor.base import external_programs
from advisor.launching.collector import compilers
from advisor.launching.launchers import recognise

STRANGER = 54321


def tool(folder, text, name="mpicc"):
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)
    return str(folder / name)


@pytest.mark.parametrize(
    "text, said",
    [
        ("echo ok; exit 3", (3, b"ok\n")),
        ("sleep 60 & echo left; exit 0", (0, b"left\n")),
        ("head -c 1000 /dev/zero", (0, b"\0" * 1000)),
        (r"printf '\033]0;x\007\377'", (0, b"\033]0;x\007\377")),
        ("cat /dev/zero", None),
        ("sleep 60", None),
        ("trap '' TERM; while :; do :; done", None),
        ("cat; echo no terminal", (0, b"no terminal\n")),
    ],
    ids=[
        "ends",
        "leaves a process",
        "zeros",
        "escapes",
        "endless",
        "hangs",
        "ignores signals",
        "reads",
    ],
)
def test_what_is_said_in_time(tmp_path, text, said):
    begin = time.monotonic()
    assert external_programs.ask([tool(tmp_path / "bin", text)], 2.0, most=1 << 20) == said
    assert time.monotonic() - begin < 10


def test_nothing_is_left_running(tmp_path):
    external_programs.ask(
        [tool(tmp_path / "bin", f"sleep 61.5 & echo $! >{tmp_path}/pid; wait")], 0.5
    )
    with pytest.raises(ProcessLookupError):
        for _ in range(50):
            os.kill(int((tmp_path / "pid").read_text()), 0)
            time.sleep(0.1)


@pytest.mark.parametrize(
    "text",
    [
        "cat /dev/zero",
        "sleep 60",
        r"printf '\033[2Jmpicc -I/usr\377\n'",
        "kill -9 $$",
        "head -c 3000000 /dev/urandom",
    ],
)
def test_a_hostile_wrapper_is_no_compiler_wrapper(tmp_path, text, monkeypatch):
    monkeypatch.setattr(compilers, "_SHOW_SECONDS", 1)
    monkeypatch.setattr(recognise, "_ANSWER_SECONDS", 1)
    for name in ("mpicc", "mpirun"):
        tool(tmp_path / "bin", text, name)
    environment = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin"}
    assert compilers.examine(str(tmp_path / "bin" / "mpicc"), environment) is None
    assert recognise.recognise(str(tmp_path / "bin" / "mpirun"), environment) is None


def test_along_path_the_first_that_may_run(tmp_path, capsys):
    open_to_all, sticky, own = (tmp_path / name for name in ("open", "sticky", "own"))
    for folder in (open_to_all, sticky, own):
        tool(folder, "echo")
    open_to_all.chmod(0o777)
    sticky.chmod(0o1777)
    for _ in range(2):
        assert external_programs.which("mpicc", f"{open_to_all}:{sticky}:{own}") == str(
            own / "mpicc"
        )
    assert capsys.readouterr().err == "".join(
        f"advisor: {folder}/mpicc is not run to describe this machine: others can write to"
        f" {folder}.\n"
        for folder in (open_to_all, sticky)
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
@pytest.mark.parametrize("given", ["bin", "bin/mpicc"])
def test_a_strangers_is_passed_over_unless_its_owners_library_is_started_anyway(tmp_path, given):
    path = tool(tmp_path / "bin", "echo")
    os.chown(tmp_path / given, STRANGER, STRANGER)
    assert not external_programs.may_run(path, {STRANGER + 1})
    assert external_programs.may_run(path, {STRANGER})
    assert external_programs.which("mpicc", str(tmp_path / "bin")) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_a_link_to_a_strangers(tmp_path):
    path = tool(tmp_path / "bin", "echo")
    os.chown(path, STRANGER, STRANGER)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "mpicc").symlink_to(path)
    assert not external_programs.may_run(str(tmp_path / "own" / "mpicc"))


def test_the_folder_that_dot_means(tmp_path, monkeypatch):
    tool(tmp_path / "here", "echo")
    (tmp_path / "here").chmod(0o1777)
    monkeypatch.chdir(tmp_path / "here")
    assert (external_programs.which("mpicc", ""), external_programs.which("mpicc", ".")) == (
        None,
        None,
    )
