"""Answers kept from job to job: believed only while all that they rest on is as it was, and only
from files that nobody else could have written."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from mpi_builds import ENVIRONMENT, REPOSITORY, find, require

from advisor.base import answer_cache

QUESTION = ["what", "does it say"]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A cache of its own, and a program with a library, a folder and a link that its answer rests
    on; files of this second count as old."""
    monkeypatch.setenv("ADVISOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(answer_cache, "_SETTLED", 0.0)
    (tmp_path / "parts").mkdir()
    for name in ("program", "library", "other", "parts/one"):
        (tmp_path / name).write_text("1")
    (tmp_path / "link").symlink_to("library")
    (tmp_path / "searched").mkdir()
    return tmp_path


def ask(place, environment=None):
    """(the answer, whether it was asked for)."""
    asked = []
    rests_on = [
        *(str(place / name) for name in ("program", "library", "link", "settings")),
        *answer_cache.tree(str(place / "parts")),
    ]
    environment = {
        "LD_LIBRARY_PATH": str(place / "searched"),
        "HOME": "/home/a",
        **(environment or {}),
    }
    text = answer_cache.answer(
        QUESTION, lambda _: rests_on, lambda: asked.append(1) or "the answer", environment
    )
    return text, bool(asked)


def relink(place):
    (place / "link").unlink()
    (place / "link").symlink_to("other")


CHANGES = {
    "nothing changes": (lambda place: None, False),
    "another file changes": (lambda place: (place / "other").write_text("22"), False),
    "the program changes": (lambda place: (place / "program").write_text("22"), True),
    "a library changes in place": (lambda place: os.utime(place / "library"), True),
    "a library is gone": (lambda place: (place / "library").unlink(), True),
    "a settings file appears": (lambda place: (place / "settings").write_text("btl = tcp"), True),
    "a component is added": (lambda place: (place / "parts" / "two").write_text("1"), True),
    "a component changes": (lambda place: (place / "parts" / "one").write_text("22"), True),
    "a link leads elsewhere": (relink, True),
    "a library is put in front": (
        lambda place: (place / "searched" / "library").write_text("1"),
        True,
    ),
}


@pytest.mark.parametrize("change, asked_again", CHANGES.values(), ids=CHANGES)
def test_asked_again_when_what_it_rests_on_changes(place, change, asked_again):
    assert ask(place) == ("the answer", True)
    change(place)
    assert ask(place) == ("the answer", asked_again)


@pytest.mark.parametrize(
    "variable, asked_again",
    [
        ("OMPI_MCA_btl", True),
        ("UCX_TLS", True),
        ("HOME", True),
        ("SOMETHING_NEW", True),
        ("PWD", False),
        ("SLURM_JOB_ID", False),
        ("TMPDIR", False),
        ("SSH_CLIENT", False),
        ("ADVISOR_COUNTERS", False),
    ],
)
def test_the_environment_is_part_of_the_question(place, variable, asked_again):
    assert ask(place) == ("the answer", True)
    assert ask(place, {variable: "changed"}) == ("the answer", asked_again)


def kept(place):
    (file,) = (place / "cache" / "answers").iterdir()
    return file


def rewritten(**changes):
    def damage(place):
        content = {**json.loads(kept(place).read_text()), **changes}
        kept(place).write_text(json.dumps(content))

    return damage


UNTRUSTED = {
    "others can write to the file": lambda place: kept(place).chmod(0o666),
    "others can write to its folder": lambda place: (place / "cache" / "answers").chmod(0o777),
    "another user's": lambda place: os.chown(kept(place), 12345, 12345),
    "cut short": lambda place: kept(place).write_bytes(kept(place).read_bytes()[:20]),
    "a link": lambda place: (
        kept(place).rename(place / "else"),
        (place / "cache" / "answers" / "x").symlink_to(place / "else"),
    ),
    "of another question": rewritten(question=["another"]),
    "no text": rewritten(text=["the answer"]),
    "no files": rewritten(files=None),
}


@pytest.mark.parametrize("damage", UNTRUSTED.values(), ids=UNTRUSTED)
def test_what_others_could_have_written_is_not_believed(place, damage):
    ask(place)
    if damage is UNTRUSTED["another user's"] and os.geteuid():
        pytest.skip("only root can give files away")
    damage(place)
    assert ask(place) == ("the answer", True)


def test_it_is_for_this_user_alone(place):
    ask(place)
    assert kept(place).stat().st_mode & 0o777 == 0o600


def test_what_changed_a_moment_ago_is_not_kept(place, monkeypatch):
    monkeypatch.setattr(answer_cache, "_SETTLED", 2.0)
    assert [ask(place)[1], ask(place)[1]] == [True, True]


def test_no_answer_is_not_kept(place):
    assert answer_cache.answer(QUESTION, lambda _: [], lambda: None) is None
    assert answer_cache.answer(QUESTION, lambda _: None, lambda: "untold") == "untold"
    assert not (place / "cache").exists()


def test_the_number_of_answers_is_bounded(place, monkeypatch):
    monkeypatch.setattr(answer_cache, "MOST_ANSWERS", 3)
    for number in range(6):
        answer_cache.answer(["question", str(number)], lambda _: [], lambda: "text")
    assert len(list((place / "cache" / "answers").iterdir())) == 3


ASK = """
import json, sys
started = []
sys.addaudithook(lambda event, words: started.append(words[0]) if event == "subprocess.Popen" else None)
from advisor.probing.library import known_settings, probe_library
from advisor.probing.parameter_files import settings_in_files
library = sys.argv[1:4]
facts = {key: fact.value for key, fact in probe_library(*library).items()}
print(json.dumps([len(started), facts, len(known_settings(*library)), [each.name for each in settings_in_files(*library)]]))
"""


@pytest.mark.parametrize(
    "name, library",
    [
        ("ompi4", ("openmpi", "/usr/lib/x86_64-linux-gnu/libmpi.so.40")),
        ("mpich4", ("mpich", "/usr/lib/x86_64-linux-gnu/libmpich.so.12")),
    ],
)
def test_a_library_is_asked_once_and_again_when_a_file_sets_something(name, library, tmp_path):
    require(find(name))
    if not os.path.exists(library[1]):
        pytest.skip(f"no {library[1]}")

    def reported():
        environment = {
            **os.environ,
            **ENVIRONMENT,
            "PYTHONPATH": str(REPOSITORY),
            "ADVISOR_CACHE": str(tmp_path / "cache"),
            "HOME": str(tmp_path),
        }
        done = subprocess.run(
            [sys.executable, "-c", ASK, library[1], library[0], ""],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)

    first, second = reported(), reported()
    assert first[0] > 2 and second == [0, *first[1:]] and first[2] > 100
    (tmp_path / ".openmpi").mkdir()
    (tmp_path / ".openmpi" / "mca-params.conf").write_text("btl_tcp_links = 2\n")
    assert set(reported()[3]) - set(first[3]) == (
        {"OMPI_MCA_btl_tcp_links"} if name == "ompi4" else set()
    )
