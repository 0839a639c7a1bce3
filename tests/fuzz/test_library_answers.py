"""What commands of MPI libraries and files of the kernel say, with any damage: parsed to something,
at once, or to nothing."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor.probing import (
    binary,
    fabric,
    intel,
    limits,
    memory,
    mpich,
    names,
    openmpi,
    processor,
    reading,
    system,
    transports,
)

from .seeds import TESTS

RECORDED = {
    path.stem: path.read_text() for path in sorted((TESTS / "probing" / "recorded").glob("*.txt"))
}
KERNEL = {
    "cpuinfo": (
        "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) CPU @"
        " 2.50GHz\nflags\t\t: fpu constant_tsc\n\n" * 3
    ),
    "meminfo": (
        "MemTotal:       24689100 kB\nMemAvailable:   22000000 kB\nHugePages_Total:      "
        " 0\nHugepagesize:       2048 kB\n"
    ),
    "limits": (
        "Limit                     Soft Limit           Hard Limit           Units     \nMax locked"
        " memory         8388608              unlimited            bytes     \n"
    ),
    "cgroup": "12:memory:/user.slice\n3:cpu,cpuacct:/a\n0::/system.slice/x.scope\n",
    "list": "0-3,8-11,64\n",
    "choice": "always [madvise] never\n",
    "rate": "100 Gb/sec (4X EDR)\n",
    "quota": "150000 100000\n",
    "map": "0 0 4294967295\n",
    "ldd": (
        "\tlibmpi.so.40 => /usr/lib/libmpi.so.40 (0x00007f0000000000)\n\tlibc.so.6 => not found\n"
    ),
}
ANSWERS = {**RECORDED, **KERNEL}
PARSERS = [
    openmpi.parse_components,
    openmpi.parse_values,
    openmpi.parse_names,
    openmpi.parse_single_copy,
    openmpi.built_with,
    lambda text: openmpi.parse(text, {}),
    mpich.parse_version,
    mpich.parse_mpiname,
    mpich.parse_names,
    mpich.thread_multiple,
    lambda text: mpich.parse(mpich.parse_version(text), "mpich", "x", {}),
    lambda text: mpich.parse(mpich.parse_mpiname(text), "mvapich2", "x", {}),
    intel.parse_names,
    intel.parse_version,
    names.parse_ucx,
    names.parse_ofi,
    names.parse_prte,
    transports.parse_ucx_version,
    transports.parse_ucx_devices,
    transports.parse_providers,
    processor.parse_cpuinfo,
    memory.parse_meminfo,
    memory.parse_locked_limit,
    memory.parse_choice,
    limits.parse_quota,
    system.in_user_namespace,
    fabric.parse_rate,
    fabric.parse_speed,
    reading.listed,
    reading.whole,
    binary.parse_ldd,
    lambda text: limits.parse_membership(text, "memory"),
]
NASTY = [
    "\0",
    "\x1b[31m",
    "\u202e",
    "9" * 5000,
    "1e999",
    "-",
    "0-4294967295",
    ",",
    ":",
    "=",
    "\n" * 200,
    "\r\n",
    "\ud800",
    "é",
    "٣",
    "²",
    " " * 3000,
    '"',
    "(",
    "'" * 99,
]
SECONDS = 5
"""For all parsers and one answer, most of which take a millisecond."""
numbers = st.integers(0, 2**32 - 1).map(random.Random)


def changed(text: str, number: random.Random) -> str:
    """Pieces of an answer cut, doubled, moved, or put into the place of others; nasty pieces in
    between."""
    for _ in range(number.randint(1, 5)):
        at, length = number.randrange(len(text) + 1), number.choice((1, 3, 20, 300))
        what = number.randrange(5)
        if what == 0:
            text = text[:at] + text[at + length :]
        elif what == 1:
            text = text[:at] + number.choice(NASTY) + text[at:]
        elif what == 2:
            text = text[:at] + text[at : at + length] * number.choice((2, 50)) + text[at + length :]
        elif what == 3:
            other = ANSWERS[number.choice(sorted(ANSWERS))]
            place = number.randrange(len(other))
            text = text[:at] + other[place : place + length] + text[at:]
        else:
            text = (
                text[:at].replace(number.choice(":=\n ,"), number.choice(NASTY[:8]), 20) + text[at:]
            )
    return text


@settings(max_examples=80, deadline=None)
@given(text=st.one_of(st.text(max_size=200), st.text("0123456789-,:/ \n[]ABCmax.", max_size=200)))
def test_any_text_can_be_parsed(text):
    for parser in PARSERS:
        parser(text)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(name=st.sampled_from(sorted(ANSWERS)), number=numbers)
def test_any_damage_to_an_answer(name, number):
    text = changed(ANSWERS[name], number)
    begun = time.process_time()
    for parser in PARSERS:
        parser(text)
    assert time.process_time() - begun < SECONDS


@pytest.mark.parametrize(
    "character", [" ", "\n", ":", '"', "-", "0", "a", "(", "'", "=", ",", "[", "A_"]
)
def test_no_parser_takes_time_that_grows_with_the_square(character):
    """Fifty thousand times the same character: patterns that try again at each place would take
    minutes."""
    begun = time.process_time()
    for parser in PARSERS:
        for text in (
            character * 50_000,
            "UCX_" + character * 50_000,
            "MCA btl: " + character * 50_000,
            "--with" + character * 50_000,
        ):
            parser(text)
    assert time.process_time() - begun < 10, "seconds"
