"""Call sites named: by addr2line and by ourselves, with and without debug information."""

from __future__ import annotations

import shutil
import subprocess
import time
from dataclasses import replace

import numpy as np
import pytest

from advisor.intake import read, resolve
from advisor.intake.symbols import addr2line, debug_info
from advisor.intake.symbols.source_location import readable

from .files import SAMPLE

SOURCE = """\
#include <stdio.h>
static int count;
__attribute__((noinline)) void helper(void) {
    count++;
    puts("x");
}
int main(void) {
    helper();
    return count;
}
"""
COMPILER = shutil.which("cc")
pytestmark = pytest.mark.skipif(not COMPILER, reason="no C compiler")


def build(folder, *options):
    (folder / "small.c").write_text(SOURCE)
    # A fixed address, so that nm's are the file's.
    subprocess.run([COMPILER, "-O0", *options, "-o", "small", "small.c"], cwd=folder, check=True)
    lines = subprocess.run(
        ["nm", "small"], cwd=folder, stdout=subprocess.PIPE, encoding="utf-8"
    ).stdout.splitlines()
    return folder / "small", {
        line.split()[2]: int(line.split()[0], 16) for line in lines if len(line.split()) == 3
    }


def far():
    return time.monotonic() + 20


def of_call(program, symbols):
    """An address inside helper that belongs to its call of puts: just before the return."""
    listing = subprocess.run(
        ["objdump", "-d", program], stdout=subprocess.PIPE, encoding="utf-8"
    ).stdout.splitlines()
    inside = listing[next(i for i, line in enumerate(listing) if line.endswith("<helper>:")) :]
    call = next(i for i, line in enumerate(inside) if "call" in line and "puts" in line)
    return int(inside[call + 1].split(":")[0], 16)


@pytest.mark.skipif(not shutil.which("objdump"), reason="no objdump")
@pytest.mark.parametrize("options", [("-g",), ("-gdwarf-4",), ("-g", "-no-pie")], ids=" ".join)
@pytest.mark.parametrize("tool", [addr2line, debug_info], ids=["addr2line", "elf"])
def test_function_file_and_line(tmp_path, tool, options):
    program, symbols = build(tmp_path, *options)
    (place,) = tool.places(str(program), [of_call(program, symbols) - 1], far())
    assert (place.function, place.file.endswith("small.c"), place.line) == ("helper", True, 5)


@pytest.mark.parametrize("addresses", [["helper"], ["main", "helper", "main"]])
def test_without_debug_information_functions_remain(tmp_path, addresses):
    program, symbols = build(tmp_path)
    found = debug_info.places(str(program), [symbols[name] + 4 for name in addresses], far())
    assert [(place.function, place.line) for place in found] == [(name, 0) for name in addresses]


def test_an_address_outside_all_functions_has_no_name(tmp_path):
    program, symbols = build(tmp_path)
    assert debug_info.places(str(program), [1, symbols["main"] + 100_000], far())[0].function == ""


def sites_of(program, *offsets):
    """The sample with call sites in a program."""
    sample = read(SAMPLE)
    count = len(offsets)
    sites = {
        "rank": np.zeros(count, "<i4"),
        "module": np.array([str(program)] * count, dtype=object),
        "offset": np.array(offsets, "<u8"),
        "operation": np.array(["Send"] * count, dtype=object),
        "count": np.ones(count, "<u8"),
        "time": np.ones(count, "<f8"),
    }
    return replace(sample, tables={**sample.tables, "sites": sites})


def test_resolve_fills_the_columns_and_tells_the_gaps(tmp_path):
    program, symbols = build(tmp_path, "-g")
    profile = resolve(sites_of(program, symbols["main"] + 5, 3))
    sites = profile.tables["sites"]
    assert (sites["function"].tolist(), sites["line"].tolist()[1]) == (["main", ""], 0)
    assert "no line numbers" in profile.gaps[-1].reason


def test_return_addresses_behind_the_last_instruction_belong_to_the_caller(tmp_path):
    program, symbols = build(tmp_path)
    behind = sorted(value for name, value in symbols.items() if name == "main")[0]
    assert resolve(sites_of(program, behind)).tables["sites"]["function"].tolist() == ["helper"]


@pytest.mark.parametrize(
    "name, content, reason",
    [
        ("absent", None, "the file is not here"),
        ("text", b"hello", "its symbols cannot be read"),
        ("broken", b"\x7fELF\x02\x01\x01" + b"\xff" * 200, "its symbols cannot be read"),
        ("libmpi_mpifh.so.40", b"", "Fortran layer"),
    ],
)
def test_what_cannot_be_read_is_a_gap(tmp_path, name, content, reason):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    profile = resolve(sites_of(tmp_path / name, 5))
    assert reason in profile.gaps[-1].reason
    assert profile.tables["sites"]["function"].tolist() == [""]


def test_no_time_left_is_a_gap(tmp_path):
    program, _ = build(tmp_path)
    assert (
        resolve(sites_of(program, 5), seconds=0).gaps[-1].reason == "there was no time left to look"
    )


@pytest.mark.parametrize(
    "symbol, words",
    [
        ("main", "main"),
        ("_ZN9LAMMPS_NS6Verlet3runEi", "LAMMPS_NS::Verlet::run"),
        ("_ZN9LAMMPS_NS4CommC2EPNS_6LAMMPSE", "LAMMPS_NS::Comm::Comm"),
        ("_ZN9LAMMPS_NS5ErrorD1Ev", "LAMMPS_NS::Error::~Error"),
        ("_ZNK3Box4sizeEv", "Box::size"),
        ("_Z4workv", "work"),
        ("_ZN3VecIdE3addEv", "_ZN3VecIdE3addEv"),
        ("__mp_MOD_mp_sum_rv", "mp::mp_sum_rv"),
        ("_Z", "_Z"),
        ("_ZN99999999999999999999x", "x"),
    ],
)
def test_readable_symbols(symbol, words):
    assert readable(symbol) == words
