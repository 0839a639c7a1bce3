"""What stands in an ELF file is remembered while the file is as it was."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from advisor.base import answer_cache, elf, elf_reader
from advisor.intake.symbols import debug_info as symbols
from advisor.launching.target import needed_libraries

TOOL = "int PMPI_Init(int *, char ***); int MPI_Init(int *c, char ***v) { return PMPI_Init(c, v); }"
LIBRARY = (
    "int PMPI_Init(int *c, char ***v) { return 0; } int MPI_Init(int *c, char ***v) { return 0; }"
)


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """text, options → a library at the same path each time, newly made. The cache is the test's
    own; files of this second count as old."""
    if not shutil.which("cc"):
        pytest.skip("no C compiler is here")
    monkeypatch.setenv("ADVISOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(answer_cache, "_SETTLED", 0.0)

    def compile_it(text, *options):
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", tmp_path / "new.so", *options],
            input=text,
            text=True,
            check=True,
        )
        os.replace(tmp_path / "new.so", tmp_path / "lib.so")
        return str(tmp_path / "lib.so")

    return compile_it


@pytest.fixture
def readings(monkeypatch):
    """How often a file was read."""
    count, dynamic = [], elf_reader.dynamic
    monkeypatch.setattr(elf_reader, "dynamic", lambda *words: count.append(1) or dynamic(*words))
    return count


def test_a_file_is_read_once_and_again_when_it_changed(compiled, readings):
    path = compiled(TOOL, "-Wl,-soname,libtool.so", "-Wl,-rpath,$ORIGIN/../lib")
    expected = elf.Binary(
        path,
        needed_libraries.here(),
        64,
        True,
        ("libc.so.6",),
        soname="libtool.so",
        defines=frozenset({"MPI_Init"}),
        **folders(path, "../lib"),
    )
    assert [without_libraries(elf.read(path)) for _ in range(2)] == [
        without_libraries(expected)
    ] * 2
    assert len(readings) == 1
    assert elf.read(compiled(LIBRARY)).defines == {"MPI_Init", "PMPI_Init"}
    assert len(readings) == 2


def folders(path, below):
    """New linkers write RUNPATH, old ones RPATH."""
    found = (os.path.join(os.path.dirname(os.path.realpath(path)), below),)
    return {"runpath": found} if elf.read(path).runpath else {"rpath": found}


def without_libraries(binary):
    """Which libraries of the system are needed is the compiler's choice."""
    return {name: value for name, value in vars(binary).items() if name != "needed"}


def test_a_relative_path_means_the_file_of_the_working_directory(compiled, tmp_path, monkeypatch):
    compiled(TOOL, "-Wl,-soname,first.so")
    monkeypatch.chdir(tmp_path)
    assert elf.read("lib.so").soname == "first.so"
    (tmp_path / "other").mkdir()
    shutil.move(compiled(TOOL, "-Wl,-soname,second.so"), tmp_path / "other" / "lib.so")
    monkeypatch.chdir(tmp_path / "other")
    assert elf.read("lib.so").soname == "second.so"


def test_names_are_looked_for_again_in_a_file_that_changed(compiled):
    assert elf.names(compiled(TOOL), "PMPI_Init")
    assert not elf.names(compiled("int nothing;"), "PMPI_Init")
    assert elf.names(compiled(LIBRARY), "PMPI_Init")


def test_functions_are_those_of_the_file_as_it_is(compiled):
    path = compiled("int first(void) { return 1; }")
    at = address(path, "first")
    assert [symbols.functions_of(path, [at]) for _ in range(2)] == [["first"]] * 2
    path = compiled("int other(void) { return 1; }")
    assert address(path, "other") == at
    assert symbols.functions_of(path, [at]) == ["other"]


def address(path, function):
    """Where a function stands, by nm."""
    lines = subprocess.run(
        ["nm", path], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return next(int(line.split()[0], 16) for line in lines if line.split()[-1] == function)
