"""launchers.toml: what an entry says, and what a line with it then means."""

from __future__ import annotations

import re

import pytest

from advisor.base import launcher_names
from advisor.launching.launchers.table import launcher, launchers, wrappers
from advisor.launching.parse.line import parse

ENTRY = {
    "family": "newrun",
    "names": ["newrun"],
    "answers": [],
    "reading": "getopt",
    "ranks": ["n"],
    "attached": True,
    "options": {"none": "q", "one": "n"},
}
OPTIONS = [
    # reading, options, line → words that its first option takes
    ("dashed", {"one": "np"}, "-np 4 ./app", 2),
    ("dashed", {"one": "np"}, "--np=4 ./app", 1),
    ("dashed", {"two": "mca"}, "-mca a b ./app", 3),
    ("dashed", {"variable": "env"}, "-env A=1 ./app", 2),
    ("dashed", {"variable": "env"}, "-env A 1 ./app", 3),
    ("dashed", {"variable": "env"}, "-env=A=1 ./app", 1),
    ("dashed", {"one": "np"}, "-new 4 ./app", None),
    ("getopt", {"none": "l", "one": "n"}, "-ln4 ./app", 1),
    ("getopt", {"none": "l", "one": "n"}, "-ln 4 ./app", 2),
    ("getopt", {"maybe": "x11"}, "--x11 ./app", 1),
]


@pytest.mark.parametrize(
    "reading, options, line, takes", OPTIONS, ids=[" ".join((case[0], case[2])) for case in OPTIONS]
)
def test_words_of_an_option(reading, options, line, takes):
    assert (
        launcher({**ENTRY, "reading": reading, "options": options}).options.consumed(
            line.split(), 0
        )
        == takes
    )


def test_a_new_launcher_is_one_entry():
    ours = launcher(ENTRY)
    line = parse(
        ["newrun", "-q", "-n4", "./app", "-n", "7"],
        {},
        lambda word, environment: ours if word == "newrun" else None,
    )
    assert (line.family, line.ranks, [line.words[program.index] for program in line.programs]) == (
        "newrun",
        4,
        ["./app"],
    )


def test_a_misspelt_key_is_refused():
    with pytest.raises(TypeError, match="rank"):
        launcher({**ENTRY, "rank": ["n"]})


def test_all_entries_are_read():
    text = launcher_names.FILE.read_text(encoding="utf-8")
    named = re.findall(r'^\[\[launcher\]\]\n(?:#.*\n)*family = "(.*)"$', text, re.M)
    assert [each.family for each in launchers()] == named and "ibrun" in named
    assert {"env", "numactl", "salloc"} <= set(wrappers())
