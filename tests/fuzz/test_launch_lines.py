"""Any words behind `advisor run --`: taken apart without a traceback, and no word of them is lost
or changed."""

from __future__ import annotations

import os
import pathlib

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from advisor.launching.launchers.table import launchers
from advisor.base import launcher_names
from advisor.launching.parse.line import insert, parse
from advisor.launching.parse.masking import mask
from advisor.launching.target import library_of
from advisor.model.errors import UserError

LAUNCHERS = sorted({*launcher_names.all_names(), "run"})
OPTIONS = [
    "-n",
    "-np",
    "-c",
    "--np=4",
    "-n4",
    "4",
    "-1",
    "0",
    "999999999999999999999",
    ":",
    "--",
    "-x",
    "A=b",
    "LD_PRELOAD=/x.so",
    "-genv",
    "A",
    "b",
    "-env",
    "-host",
    "h1,h2",
    "--hostfile",
    "-hostfile",
    "hosts",
    "--app",
    "-configfile",
    "--multi-prog",
    "-f",
    "--mca",
    "btl",
    "tcp,self",
    "-wdir",
    "/tmp",
    "--path",
    "/bin",
    "-ppn",
    "--export=ALL,A=b",
    "--export",
    "-gtool",
    "vtune:0",
    "-genvall",
    "-bind-to",
    "core",
    "--map-by",
    "ppr:1:node:PE=2",
    "env",
    "-i",
    "numactl",
    "--all",
    "taskset",
    "0x3",
    "time",
    "-p",
    "bash",
    "-c",
    "./app && ./other",
    "nice",
    "stdbuf",
    "-oL",
    "./app",
    "python",
    "-m",
    "x.py",
    "",
    " ",
    "é",
    "\udcff",
    "'",
    '"',
    "$(x)",
    "*",
    "-",
    "=",
    "=x",
    "--=",
    "@file",
]
word = st.one_of(
    st.sampled_from(OPTIONS),
    st.sampled_from(LAUNCHERS),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12),
    st.text("-=:,ax /'\"", max_size=8),
)
lines = st.lists(word, min_size=1, max_size=14)
NOWHERE = {"PATH": "/nonexistent"}
"""No launcher is asked for its version, and none is found."""
many = settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))


def by_name(name, environment):
    """The launcher of a name; the first family for names that several use. Nothing is started."""
    named = [launcher for launcher in launchers() if os.path.basename(name) in launcher.names]
    return (
        named
        or [
            (
                launchers()[len(name) % len(launchers())]
                if os.path.basename(name) in launcher_names.tables()["shared"]
                else None
            )
        ]
    )[0]


@many
@given(
    first=st.one_of(st.sampled_from(LAUNCHERS), word),
    rest=lines,
    preload=st.sampled_from(["", "/theirs.so"]),
)
def test_a_line_is_taken_apart_and_keeps_its_words(tmp_path_factory, first, rest, preload):
    words = [first, *rest]
    environment = {**NOWHERE, **({"LD_PRELOAD": preload} if preload else {})}
    line = parsed(words, environment)
    assume(line is not None)
    assert line.written == tuple(words) and all(
        0 <= program.start <= program.index < program.end <= len(line.words)
        for program in line.programs
    )
    assert line.ranks is None or line.ranks >= 0
    try:
        started = insert(
            line,
            {"LD_PRELOAD": "/ours.so", "ADVISOR_RUN": "x"},
            environment,
            tmp_path_factory.getbasetemp(),
        )
    except UserError as error:
        assert "\n" not in error.what
        return
    if line.file is None:
        left = iter(started)
        # Behind the words that we add, the user's follow in their order; Open MPI's bare names get
        # "./" in front, a preload ours.
        assert all(
            any(
                word == ours or word.lstrip("./") == ours.lstrip("./") or "/ours.so" in ours
                for ours in left
            )
            for word in words
        ), started


def parsed(words, environment):
    """The line, or None if it was refused in a sentence."""
    try:
        return parse(words, environment, by_name)
    except UserError as error:
        assert "\n" not in error.what
        return None


@many
@given(
    text=st.one_of(
        st.text(max_size=300),
        st.lists(
            st.sampled_from([*OPTIONS, *LAUNCHERS, "\n", "#!/bin/sh", "|", "<<E", "\\\n"]),
            max_size=40,
        ).map(" ".join),
    ),
    name=st.sampled_from(["hosts.conf", "job.sh"]),
)
def test_files_of_programs_and_scripts(tmp_path_factory, text, name):
    """What -configfile, --app, --multi-prog and `bash FILE` read."""
    file = pathlib.Path(tmp_path_factory.getbasetemp()) / name
    file.write_text(text, encoding="utf-8", errors="surrogateescape")
    file.chmod(0o755)
    for words in (
        ["mpiexec.hydra", "-configfile", str(file)],
        ["srun", "--multi-prog", str(file)],
        ["mpirun.openmpi", "--app", str(file)],
        ["mpirun_rsh", "-config", str(file), "-hostfile", "h"],
    ):
        parsed(words, NOWHERE)
    list(library_of.programs_in_script(str(file), [str(file)], NOWHERE))
    list(library_of.programs_in_script("/bin/bash", ["-c", text], NOWHERE))


@many
@given(words=lines)
def test_masking_keeps_the_number_of_words(words):
    assert len(mask(words, {"API_TOKEN": "abcdefgh"})) == len(words)
