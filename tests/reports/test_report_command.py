"""`advisor report` as a user calls it, on a recorded profile."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROFILE = ROOT / "samples" / "profiles" / "heat.4r.json"


def report(*words, **environment):
    """(exit code, standard output, standard error) of `advisor report`."""
    done = subprocess.run(
        [sys.executable, "-m", "advisor", "report", *map(str, words)],
        cwd=ROOT,
        capture_output=True,
        env={**os.environ, **environment},
        timeout=120,
    )
    return done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")


def test_piped_it_is_plain_text_of_80_columns():
    code, text, _ = report(PROFILE, LC_ALL="C.UTF-8")
    assert (
        code == 0
        and text.startswith("heat · 4 ranks × 1 thread on 2 nodes · 24.0 s · Open MPI 4.1.4")
        and "\x1b" not in text
        and "█" in text
    )


def test_another_locale_gets_ascii():
    code, text, _ = report(PROFILE, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert code == 0 and text.isascii() and "######" in text


def test_the_locale_c_gets_ascii_although_python_would_write_utf8():
    code, text, _ = report(PROFILE, LC_ALL="C")
    assert code == 0 and text.isascii() and "######" in text


@pytest.mark.parametrize(
    "name, begins",
    [
        ("a.html", "<!doctype html>"),
        ("a.md", "# heat"),
        ("a.json", "{"),
        ("a.txt", "heat · 4"),
    ],
)
def test_the_name_of_the_file_chooses_the_format(tmp_path, name, begins):
    code, out, err = report(PROFILE, "-o", tmp_path / name)
    assert (code, out, err) == (0, "", f"advisor: wrote {tmp_path / name}\n")
    assert (tmp_path / name).read_text().startswith(begins)


def test_json_goes_to_standard_output():
    code, text, _ = report(PROFILE, "--format", "json")
    assert code == 0 and json.loads(text)["run"]["ranks"] == 4


def test_a_dash_is_standard_output():
    code, text, err = report(PROFILE, "-o", "-", "--format", "json")
    assert (
        (code, err) == (0, "")
        and json.loads(text)["run"]["ranks"] == 4
        and not (ROOT / "-").exists()
    )


def test_a_rule_with_a_mistake_is_listed_and_the_others_speak(tmp_path):
    (tmp_path / "broken.toml").write_text("schema = 1\nid = \n")
    code, text, _ = report(PROFILE, "--format", "json", "--rules", tmp_path)
    content = json.loads(text)
    assert code == 0 and len(content["findings"]) > 0
    assert [
        entry["sentence"].partition(":")[0]
        for entry in content["silences"]["unknown"]
        if entry["name"] == "broken"
    ] == ["The rule could not be read"]


def test_a_file_with_many_mistakes_is_listed_once_with_the_command_that_shows_them(tmp_path):
    (tmp_path / "io").mkdir()
    (tmp_path / "io" / "broken.toml").write_text("schema = 2\nid = 7\n")
    code, text, _ = report(PROFILE, "--format", "json", "--rules", tmp_path)
    entries = [
        entry for entry in json.loads(text)["silences"]["unknown"] if entry["name"] == "broken"
    ]
    assert code == 0 and len(entries) == 1
    assert (
        "mistakes more" in entries[0]["sentence"]
        and f"`advisor rules check {tmp_path}`" in entries[0]["collect"]
    )


@pytest.mark.parametrize(
    "words, said",
    [
        (("nothing",), "advisor: nothing does not exist."),
        (
            (PROFILE, "-o", "/nowhere/a.html"),
            "advisor: /nowhere/a.html cannot be written: there is no folder /nowhere.",
        ),
    ],
)
def test_mistakes_are_said_in_a_sentence(words, said):
    code, out, err = report(*words)
    assert (code, out, err.splitlines()[0]) == (2, "", said)
