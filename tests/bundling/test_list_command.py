"""`advisor list`: tickets and results, one line each; notes and numbers of tickets; files of
strangers."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from advisor.__main__ import main
from advisor.cli import list as list_command
from advisor.cli import opening
from advisor.cli.report import judged
from advisor.reports import compose

ROOT = Path(__file__).resolve().parents[2]
HEAT = str(ROOT / "samples" / "profiles" / "heat.4r.json")
NOTE = 'ticket 4711 <b>"now"'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two tickets of one run, a result, and what is none."""
    folder = tmp_path_factory.mktemp("tickets")
    for note in (["--note", NOTE], []):
        assert main(["bundle", HEAT, "-o", str(folder / "t.html"), *note]) == 0
    (folder / "b.advisor").mkdir()
    shutil.copy(ROOT / "samples" / "verified" / "profile", folder / "b.advisor" / "profile")
    (folder / "evil\x1b[2J.html").write_text("<html>\x1b[2J")
    (folder / "link.html").symlink_to("/etc/passwd")
    os.mkfifo(folder / "pipe.html")
    (folder / "readme.txt").write_text("no result")
    return folder


def test_a_note_stands_on_the_page_and_commands_nothing(folder):
    page = (folder / "t.html").read_text(encoding="utf-8")
    assert "<p>ticket 4711 &lt;b&gt;&#34;now&#34;</p>" in page


@pytest.mark.parametrize(
    "note, said", [("a" * 201, "The note has 201 letters."), ("a\x1b[2Jb\nc", "")]
)
def test_a_note_is_one_short_line(note, said, tmp_path, capsys):
    code = main(["bundle", HEAT, "-o", str(tmp_path / "t.html"), "--note", note])
    assert (code, said in capsys.readouterr().err) == (2 if said else 0, True)
    assert said or "\x1b" not in (tmp_path / "t.html").read_text(encoding="utf-8")


LINES = [
    "started           program    ranks  whole run  first finding",
    f"2023-11-14 22:13  heat           4     24.0 s  Load imbalance on rank 0: it computes 20.0 % of elapsed time longer than the median rank  {NOTE}",
    "2023-11-14 22:13  heat           4     24.0 s  Load imbalance on rank 0: it computes 20.0 % of elapsed time longer than the median rank",
    "2026-11-21 12:41  ping_pong      2     15.7 s  Messages just a",
]


def test_each_has_a_line_and_the_oldest_stands_first(folder, capfdbinary):
    assert main(["list", str(folder)]) == 0
    lines = capfdbinary.readouterr().out.decode().splitlines()
    squeezed = [" ".join(line.split()) for line in lines]
    wanted = [" ".join(line.split()) for line in LINES]
    assert [line[: len(want)] for line, want in zip(sorted(squeezed[1:4]), sorted(wanted[1:]))] == (
        sorted(wanted[1:])
    )
    assert squeezed[0].startswith(wanted[0]) and len(lines) == 6
    assert [line.partition("  ")[0] for line in lines[4:]] == ["cannot be read"] * 2
    assert "a page without a profile inside" in lines[4] and "\x1b" not in "".join(lines)
    assert "link.html" in lines[5]


def test_programs_get_the_same_as_json(folder, capfdbinary):
    assert main(["list", str(folder / "t.html"), "--json"]) == 0
    (entry,) = json.loads(capfdbinary.readouterr().out)
    entry["finding"] = entry["finding"]["rule"]
    assert entry == {
        "file": str(folder / "t.html"),
        "started": "2023-11-14T22:13:18+00:00",
        "job": "4711",
        "program": "heat",
        "ranks": 4,
        "nodes": 2,
        "whole_run": 24,
        "elapsed": 20,
        "finding": "serial-phase-rank-0",
        "note": NOTE,
        "problem": None,
    }


NARROW = """\
started           program         ranks  whole run  first finding
2023-11-14 22:13  heat                4     24.0 s  Load imbalance on rank 0: i…
  samples/profiles/heat.4r.json
2026-11-21 07:07  pw.x                2     10.3 s  Quantum ESPRESSO uses no k-…
  samples/profiles/pw_si8.2r.json
"""


def test_samples_are_found_by_their_content_and_files_are_never_cut(capsys, monkeypatch):
    """The time is that of the first screen."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(list_command, "write", lambda _, text: print(text, end=""))
    monkeypatch.chdir(ROOT)
    assert main(["list", "samples/profiles"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:5] == NARROW.splitlines() and len(lines) == 1 + 2 * 6
    # Of two explanations of one time, the one that the verdict of the first screen names.
    assert [line for line in lines if "12.4 s  Load imbalance: rank 3" in line]


def test_what_is_neither_is_named_and_no_row_is_wider_than_the_terminal(
    folder, capsys, monkeypatch
):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(list_command, "write", lambda _, text: print(text, end=""))
    monkeypatch.chdir(folder)
    assert main(["list", "."]) == 0
    shown = capsys.readouterr()
    assert shown.err == "advisor: neither results nor tickets: pipe.html, readme.txt\n"
    lines = shown.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[7:] == [
        "cannot be read    it is a page without a profile inside; advisor bundle makes p…",
        "  evil\\u001b[2J.html",
        *lines[9:10],
        "  link.html",
    ]


def test_many_others_are_one_line(tmp_path, capsys):
    shutil.copy(HEAT, tmp_path / "heat.json")
    for number in range(7):
        (tmp_path / f"{number}.txt").write_text("")
    assert main(["list", str(tmp_path)]) == 0
    assert capsys.readouterr().err == (
        "advisor: neither results nor tickets: 0.txt, 1.txt, 2.txt, 3.txt, 4.txt and 2 more\n"
    )


@pytest.mark.parametrize("rivals", [True, False])
@pytest.mark.parametrize("name", [path.name for path in sorted(Path(HEAT).parent.iterdir())])
def test_the_first_finding_is_number_1_of_the_report(name, rivals):
    """Whether or not two findings explain the same time."""
    advice = judged(opening.read(str(Path(HEAT).parent / name)), [])
    if not rivals:
        findings = tuple(replace(each, rival_of="") for each in advice.findings)
        advice = replace(advice, findings=findings)
    items, first = compose(advice).items, list_command.first_finding(advice)
    assert (first and first.rule) == (items[0].rule if items else None)


@pytest.mark.parametrize(
    "words, said",
    [
        (("nowhere",), "advisor: nowhere does not exist."),
        ((), "advisor: There is no result and no ticket in {folder}."),
    ],
)
def test_an_empty_folder_is_said(words, said, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["list", *(words or (str(tmp_path),))]) == 2
    assert said.format(folder=tmp_path) in capsys.readouterr().err
