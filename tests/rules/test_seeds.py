"""Everything that the first documents named is a rule, evidence or a case: the table in
rules/SEEDS.md, read."""

from __future__ import annotations

import re

import pytest

from advisor.advice import load_rules
from advisor.base import resource_paths

TEXT = (resource_paths.rules() / "SEEDS.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|\n").split("|")]
    for line in TEXT.splitlines()
    if line.startswith("| ")
][1:]
RULES = {rule.id: rule for rule in load_rules([resource_paths.rules()])}
CASES = resource_paths.rules().parent / "tests" / "cases"
NAMED = (
    "MVAPICH2 2.3.1",
    "MVAPICH2-X",
    "XPMEM",
    "CMA",
    "asynchronous progress",
    "DC, UMR, ODP",
    "DPML",
    "MVAPICH2-GDR",
    "Open MPI",
    "UCX",
    "HPC-X",
    "NCCL",
    "CUDA",
    "PSM2",
    "thread split",
    "LiMIC",
    "multicast",
    "SHARP",
    "NCORE",
    "KPAR",
    "NSIM",
    "LPLANE",
    "LAMMPS",
    "NAS",
    "DNS-TBL",
    "Application Performance Snapshot",
)
SOURCES = (
    "KISTI",
    "MVAPICH User Group Meeting 2020",
    "Nagoya University",
    "Intel, Improving VASP",
    "Vienne",
)


def evidence():
    return [(rule.id, each) for rule in RULES.values() for each in rule.evidence]


@pytest.mark.parametrize("name", NAMED)
def test_each_system_has_a_row(name):
    assert name in TEXT.partition("| named there |")[2]


@pytest.mark.parametrize("row", ROWS, ids=[row[0][:40] for row in ROWS])
def test_each_row_names_rules_and_cases_that_exist(row):
    _, rules, cases = row
    assert rules and set(re.split(r", ?", rules)) <= set(RULES)
    assert (CASES / f"{cases}.toml").exists()


@pytest.mark.parametrize("source", SOURCES)
def test_each_document_is_evidence(source):
    assert [rule for rule, each in evidence() if source in each.source]


# Factors that the documents print, and the rules whose evidence must hold them.
FACTORS = [
    ("xpmem-collectives", 0.81, 4.21),
    ("hardware-multicast", 3.0, 5.0),
    ("multi-endpoint-allreduce", 1.0, 1.16),
    ("vasp-ncore", 1.07, 8.46),
    ("vasp-ncore", 1.09, 3.77),
]


@pytest.mark.parametrize("rule, low, high", FACTORS)
def test_printed_factors_are_kept(rule, low, high):
    assert (low, high) in [(each.low, each.high) for each in RULES[rule].evidence]


# Elapsed of the published table, hosts × NCORE 4, 8, 16, 32, 64: all of it stands in the evidence
# of the rules on NCORE.
NURION = {
    "MVAPICH2": (
        "502.6 804.8 719.0 783.8 967.4 493.3 520.6 567.8 502.1 589.5 487.3 452.3 419.8 459.9 401.4"
        " 698.3 573.5 472.5 469.3 324.5 1515.2 858.9 664.0 594.7 608.7 3500.5 1928.8 1169.9 953.6"
        " 928.3 5248.0 3123.8 2057.2 1721.6"
    ),
    "MVAPICH2-X": (
        "462.2 707.6 717.8 741.4 942.1 385.4 378.6 506.7 457.1 575.6 347.2 310.5 322.1 397.0 400.5"
        " 461.6 366.5 319.4 319.7 400.8 1041.5 530.6 412.5 359.3 385.2 2354.1 686.1 379.7 278.2"
        " 1866.8 859.0 409.3"
    ),
}


@pytest.mark.parametrize("library", NURION)
def test_the_whole_table_of_nurion_is_kept(library):
    text = " ".join(each.text for each in RULES["vasp-ncore"].evidence)
    assert [number for number in NURION[library].split() if number not in text] == []
