"""Each part of the collectors is built by the one command that its page names, and from no more
files than advisor takes for its sources."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import pytest
from mpi_builds import REPOSITORY, environment, find, require

from advisor.intake.otf2 import program
from advisor.launching.collector import build

COLLECTORS = REPOSITORY / "collectors"
ENDPOINTS = build.Product("library", "", "endpoints", "")
SOURCES = {
    "otf2-profile": lambda: program._sources("reader"),
    "otf2-profile-together": lambda: program._sources("together"),
    "otf2-write": lambda: program._sources("writer"),
    "endpoints.so": lambda: build.sources(ENDPOINTS),
    "collector-traced.so": lambda: build.sources(build.TRACING),
}
"""What is made → advisor's list of its sources."""
PAGES_AND_FOLDERS = {
    "otf2-profile": ("otf2", "core otf2 schema"),
    "otf2-profile-together": ("otf2", "core otf2 schema"),
    "otf2-write": ("otf2", "otf2 tracing"),
    "endpoints.so": ("endpoints", "endpoints"),
    "collector-traced.so": ("tracing", "build.sh core pmpi schema standard tracing"),
}
"""… → the part whose page has the command, and what of collectors/ it needs."""


def command(output: str) -> str:
    """The line of the page."""
    page = COLLECTORS / PAGES_AND_FOLDERS[output][0] / "README.md"
    lines = re.findall(r"^    (collectors/\S+/build\.sh .*?)(?: +#.*)?$", page.read_text(), re.M)
    (line,) = (line for line in lines if output in line.split())
    return line.replace("MPICC ", "$MPICC ")


@pytest.mark.parametrize("output", SOURCES)
def test_a_part_needs_only_these_folders(output):
    needed = {file.relative_to(COLLECTORS).parts[0] for file in SOURCES[output]()}
    assert " ".join(sorted(needed)) == PAGES_AND_FOLDERS[output][1]


# The others are built by tests/tracing and tests/otf2, through advisor, which runs these scripts.
@pytest.mark.parametrize("output", ("otf2-profile", "otf2-write", "endpoints.so"))
def test_a_part_is_built_by_its_own_command(output, tmp_path):
    if output.startswith("otf2") and not shutil.which("otf2-config"):
        pytest.skip("no OTF2 library with its headers")
    mpi = require(find("mpich4"))
    for file in SOURCES[output]():
        place = tmp_path / file.relative_to(REPOSITORY)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, place)
    reported = {"MPICC": mpi.mpicc, "PYTHON": sys.executable, "CFLAGS": "-O0 -fno-lto -w"}
    done = subprocess.run(
        ["sh", "-c", command(output)],
        cwd=tmp_path,
        env=environment(mpi, reported),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    assert os.path.getsize(tmp_path / output) > 10_000


def test_advisor_traces_with_what_the_page_builds():
    script = command("collector-traced.so").split()[0]
    assert build._script(build.TRACING) == REPOSITORY / script
