"""Lines of users whose own words contradict a setting: with the setting in it the line starts a
program under the real launcher."""

from __future__ import annotations

import os
import shlex
import subprocess

import pytest
from mpi_builds import compiling_one, environment, find, require

from advisor.model.profile import Run
from advisor.reports.composing.launch_line import launch_line

SOURCE = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("rank %d of %d\\n", rank, size);
    return MPI_Finalize();
}
"""
OPEN_MPI = [
    # the user's words                            settings                                    with
    # them only the first line of each launcher would end in
    # not enough slots (4), an option not known (5)
    ("--cpu-set 0 -np 2", {"--bind-to": "core", "--map-by": "core"}),
    # conflicting policies
    ("--bind-to-none --bynode -np 2", {"--bind-to": "core", "--map-by": "slot"}),
    # conflicting policies
    ("--rankfile {ranks} -np 2", {"--map-by": "core"}),
    ("--npernode 2", {"--bind-to": "core", "--map-by": "slot:PE=1"}),  # two mappings (5)
    # an option that comes twice (5)
    ("--bind-to none --map-by node -np 2", {"--bind-to": "core"}),
]
HYDRA = [
    ("-binding none -np 2", {"-bind-to": "core"}),  # duplicate setting
    ("-perhost 1 -np 2", {"-ppn": "2"}),  # duplicate setting
    ("-genv A 1 -np 2", {"A": "2", "-bind-to": "core:1"}),
]
LINES = [
    (name, *each)
    for names, lines in ((("ompi4", "ompi5"), OPEN_MPI), (("mpich4", "mpich5", "impi"), HYDRA))
    for name in names
    for each in lines
]
LIBRARIES = {
    "ompi4": "openmpi",
    "ompi5": "openmpi",
    "mpich4": "mpich",
    "mpich5": "mpich",
    "impi": "intel",
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    return compiling_one(tmp_path_factory.mktemp("who"), SOURCE)


@pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2, reason="two ranks with a core each need two cores"
)
@pytest.mark.parametrize(
    "name, own, settings", LINES, ids=lambda value: value if isinstance(value, str) else ""
)
def test_the_line_with_settings_starts_the_program(name, own, settings, programs, tmp_path):
    build = require(find(name))
    program = programs(build)
    (tmp_path / "ranks").write_text("rank 0=localhost slot=0\nrank 1=localhost slot=1\n")
    words = (build.launcher[0], *shlex.split(own.format(ranks=tmp_path / "ranks")), program)
    line = launch_line(Run(program, launch_line=words), LIBRARIES[name], settings, ()).text
    done = subprocess.run(
        shlex.split(line), env=_without_policies(build), capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, sorted(done.stdout.split("\n"))[1:]) == (
        0,
        ["rank 0 of 2", "rank 1 of 2"],
    ), f"{line}\n{done.stderr}"


def _without_policies(build):
    """The tests' own settings of mapping and binding would stand beside those of the line."""
    return {
        name: value
        for name, value in environment(build).items()
        if "_binding_policy" not in name and "_mapping_policy" not in name
    }
