"""The table of calls, and what the generator makes of it and of a library's header."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

from mpi_builds import REPOSITORY

COLLECTORS = REPOSITORY / "collectors"
GROUPS = {
    "p2p",
    "completion",
    "collective",
    "sync",
    "nonblocking_collective",
    "rma",
    "rma_sync",
    "io",
    "probe",
    "management",
    "never",
}


@pytest.fixture(scope="module")
def generate():
    """The module collectors/pmpi/wrap/generate.py."""
    sys.path.insert(0, str(COLLECTORS / "pmpi" / "wrap"))
    try:
        import generate as module

        return module
    finally:
        sys.path.pop(0)


@pytest.fixture(scope="module")
def calls(generate):
    return generate.read_calls(COLLECTORS / "standard" / "calls.txt")


def test_every_call_has_a_known_group(calls):
    assert len(calls) > 500
    assert {call.group for call in calls.values()} == GROUPS


@pytest.mark.parametrize(
    "name, group, rule",
    (
        ("Send", "p2p", "count*datatype"),
        ("Recv", "p2p", "-"),
        ("Ibcast", "nonblocking_collective", "outside: none; count*datatype"),
        ("Barrier", "sync", "-"),
        ("Reduce_scatter", "collective", "own(recvcounts)*datatype"),
        ("Psend_init", "p2p", "partitions*count*datatype"),
        ("File_write_all_end", "io", "-"),
        ("Testany", "probe", "-"),
        ("T_cvar_read", "never", "-"),
    ),
)
def test_meaning_of_a_call(calls, name, group, rule):
    assert (calls[name].group, calls[name].rule) == (group, rule)


@pytest.mark.parametrize(
    "rule, expected",
    (
        ("-", "-1"),
        ("count*datatype", "datatype_payload((int64_t)count, datatype)"),
        ("1*datatype", "datatype_payload((int64_t)1, datatype)"),
        ("own(recvcounts)*datatype", "datatype_payload(recvcounts[communicator->rank], datatype)"),
        (
            "outside: none; count*datatype",
            "root == MPI_PROC_NULL ? -1 : datatype_payload((int64_t)count, datatype)",
        ),
        ("mean(sendcounts)*sendtype", "MEAN_OF(sendcounts, sendtype, communicator->partners)"),
        (
            "edges(sendcounts*sendtypes)",
            "MEAN_OF_PRODUCTS(sendcounts, sendtypes, communicator_degree(communicator))",
        ),
    ),
)
def test_rules_become_c(generate, rule, expected):
    assert generate.bytes_statement(rule, {}, {}) == ["const int64_t bytes = %s;" % expected]


def test_declarations_are_read_as_headers_write_them(generate):
    header = """
# 1 "mpi.h"
__attribute__((visibility("default"))) int MPI_Send(const void *buf, int count,
    MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) __attribute__((pointer_with_type_tag(mpi,1,3)));
int MPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup) ;
int MPI_Finalize(void);
int MPI_Pcontrol(const int level, ...);
double MPI_Wtime(void);
"""
    found = generate.declarations(header)
    assert sorted(found) == ["Finalize", "Group_range_incl", "Send"]
    assert [p.declared() for p in found["Send"]] == [
        "const void *buf",
        "int count",
        "MPI_Datatype datatype",
        "int dest",
        "int tag",
        "MPI_Comm comm",
    ]
    assert found["Group_range_incl"][2].declared() == "int ranges[][3]"


def test_the_table_is_fresh(tmp_path):
    """Needs the package that the table is distilled from; the build does not."""
    package = importlib.util.find_spec("pympistandard")
    if package is None:
        pytest.skip("pympistandard is not installed")
    apis = package.submodule_search_locations[0] + "/data/apis.json"
    made = subprocess.run(
        [sys.executable, str(COLLECTORS / "standard" / "distill.py"), apis],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert made == (COLLECTORS / "standard" / "calls.txt").read_text()


@pytest.mark.parametrize(
    "words, expected",
    (
        (["no-such-mpicc", "out.so"], "no MPI compiler wrapper 'no-such-mpicc'"),
        (["one word"], "usage:"),
    ),
)
def test_the_build_says_what_is_missing(words, expected, tmp_path):
    done = subprocess.run(
        [str(COLLECTORS / "build.sh"), *words], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode != 0 and expected in done.stderr and len(done.stderr.splitlines()) == 1
