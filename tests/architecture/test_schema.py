"""collectors/schema/tables.txt describes each column of a profile once; all else is made of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mpi_builds import REPOSITORY, compile_program, environment, find, preloaded, require, run

SCHEMA = REPOSITORY / "collectors" / "schema"


@pytest.fixture
def schema(monkeypatch):
    """The modules of collectors/schema, by their names."""
    monkeypatch.syspath_prepend(str(SCHEMA))
    for name in ("description", "generate", "tables_c", "tables_record"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import description
    import generate

    yield {"description": description, "generate": generate}
    for name in ("description", "generate", "tables_c", "tables_record"):
        sys.modules.pop(name, None)


def test_what_is_made_of_the_description_is_fresh(schema):
    """Else run collectors/schema/generate.py."""
    found = schema["description"].read(SCHEMA / "tables.txt")
    made = schema["generate"].documents(found)
    assert sorted(path.name for path in made) == ["FORMAT.md", "tables.json"]
    assert [
        path.name for path, text in made.items() if path.read_text(encoding="utf-8") != text
    ] == []


@pytest.mark.parametrize(
    "line, words",
    [
        ("late f16 s sum | x", "no such type"),
        ("late f8 h sum | x", "no such type"),
        ("late f8 s mean | x", "no such type"),
        ("late f8 s sum |", "no meaning"),
        ("late f8 s sum sometimes | x", "no such word: sometimes"),
        ("late f8", "'late f8'"),
    ],
)
def test_a_line_that_is_not_understood_is_named(line, words, schema, tmp_path):
    (tmp_path / "tables.txt").write_text(f"table calls\n{line}\n")
    with pytest.raises(ValueError, match=re.escape(words)) as error:
        schema["description"].read(tmp_path / "tables.txt")
    assert repr(line) in str(error.value)


def test_packed_keys_are_taken_apart_by_their_accessors_only():
    sources = [
        path
        for name in ("core", "pmpi", "otf2", "tracing")
        for path in (REPOSITORY / "collectors" / name).rglob("*.[ch]")
    ]
    raw = re.compile(r"\b(?:key|event) *(?:>> *(?:8|16|24|32)\b|& *(?:0x|\(\(?1u))")
    assert (
        len(sources) > 100 and raw.search("row->key >> 24 & 0xFF") and raw.search("key & 0xFFFFu")
    )
    assert [
        f"{path.name}: {line.strip()}"
        for path in sources
        for line in path.read_text().splitlines()
        if raw.search(line)
    ] == []


COLUMN = "halved u8 B sum collector | half of the bytes, for a test\n"
"""The line in the description …"""
BESIDE = ".bin = key_bin(row->key)"
FILLED = f"{BESIDE}, .halved = row->bytes / 2"
"""… and what fills it, in merged_record.c."""


def edited(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def copied(folder: Path) -> Path:
    """The sources with one column more."""
    for name in ("advisor", "collectors"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPOSITORY / name, folder / name, ignore=ignored)
    schema, head = (
        folder / "collectors" / "schema",
        "table calls always\nrecord block.events count\n",
    )
    edited(schema / "tables.txt", head, head + COLUMN)
    edited(schema.parent / "core" / "merge" / "merged_record.c", BESIDE, FILLED)
    subprocess.run([sys.executable, str(schema / "generate.py")], check=True)
    return folder


SAID = """
import json, sys
from advisor import intake
intake.write(intake.read(sys.argv[1]), sys.argv[2])
names = ("rank", "operation", "bytes", "halved")
for path in sys.argv[1:]:
    calls = intake.read(path).tables["calls"]
    print(json.dumps(sorted(zip(*(calls[name].tolist() for name in names)))))
"""


def test_a_column_is_a_line_and_what_fills_it(tmp_path):
    """From the description to the profile, and to what is made of that."""
    build, tree, out = require(find("ompi4")), copied(tmp_path / "tree"), tmp_path / "out"
    library, program = tmp_path / "collector.so", tmp_path / "finalize"
    quickly = {**environment(build), "CFLAGS": "-O0 -g0", "PYTHON": sys.executable}
    make = ["sh", str(tree / "collectors" / "build.sh"), build.mpicc, str(library)]
    subprocess.run(make, env=quickly, check=True)
    compile_program(build, "c", [REPOSITORY / "benchmarks" / "finalize.c"], program)
    out.mkdir()
    assert run(build, 2, [*preloaded(library, out), program, "5"]).returncode == 0
    words = [sys.executable, "-c", SAID, str(out / "merged.profile"), str(tmp_path / "profile")]
    said = subprocess.run(
        words, env={**os.environ, "PYTHONPATH": str(tree)}, cwd=tree, stdout=subprocess.PIPE
    )
    merged, sealed = map(json.loads, said.stdout.splitlines())
    reductions = [row for row in merged if row[1] == "Allreduce"]
    assert reductions == [[0, "Allreduce", 40, 20], [1, "Allreduce", 40, 20]]
    assert merged == sealed and all(halved == size // 2 for _, _, size, halved in merged)
