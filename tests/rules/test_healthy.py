"""Nothing above a note is said of programs that are as they ought to be, run under every library.
False advice is counted, and is zero."""

from __future__ import annotations

import os

import mpi_builds
import pytest
from mpi_builds import BUILDS, find, require

from .real_runs import compile_sample, findings_of, profile_of, require_cores

LONG = os.environ.get("ADVISOR_TEST_LONG") == "1"
PATTERNS = ("halo", "sums", "puts")
BUSY = "cores-taken-by-others"
"""True where other programs use the same cores, whatever this one does. What is said beside it with
less than high confidence is no advice."""


@pytest.fixture(autouse=True)
def nothing_set_for_other_libraries(monkeypatch):
    """What the tests set for all libraries at once is for one of them a setting without effect, and
    said."""
    monkeypatch.setattr(
        "mpi_builds.ENVIRONMENT",
        {name: value for name, value in mpi_builds.ENVIRONMENT.items() if "_MCA_" not in name},
    )
    for name in [name for name in os.environ if "_MCA_" in name]:
        monkeypatch.delenv(name)


def false_advice(build, folder, *words):
    """What is said of samples/healthy.c above a note: rule, severity, first sentence."""
    require_cores(2)
    program = compile_sample(require(build), "healthy", folder, cured=False)
    found = [
        finding
        for finding in findings_of(profile_of(build, ["-n", 2, program, *words], folder, {}))
        if finding.severity != "note"
    ]
    busy = any(finding.rule == BUSY for finding in found)
    return [
        (finding.rule, finding.severity, finding.subject)
        for finding in found
        if finding.rule != BUSY and not (busy and finding.confidence != "high")
    ]


@pytest.mark.parametrize("build", BUILDS if LONG else [find("ompi4"), find("mpich5")], ids=str)
def test_no_advice_where_all_is_well(build, tmp_path):
    assert false_advice(build, tmp_path, 101, "all") == []


@pytest.mark.skipif(not LONG, reason="takes minutes: runs with ADVISOR_TEST_LONG=1")
@pytest.mark.parametrize("build", BUILDS, ids=str)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_no_advice_for_one_pattern_alone(build, pattern, tmp_path):
    assert false_advice(build, tmp_path, 1009, pattern) == []
