"""The launch line with all doable settings in it: user's line and settings → line to paste."""

from __future__ import annotations

import shlex

import pytest

from advisor.model.profile import Run
from advisor.reports.composing.launch_line import launch_line


@pytest.mark.parametrize(
    "library, line, settings, expected",
    [
        ("openmpi", "mpirun -n 4 ./app -x 1", {"OMPI_MCA_coll": "^hcoll"}, "mpirun --mca coll '^hcoll' -n 4 ./app -x 1"),
        (
            "openmpi",
            "mpirun -n 4 --bind-to none ./app",
            {"--bind-to": "core", "--map-by": "slot:PE=8"},
            "mpirun --bind-to core --map-by slot:PE=8 -n 4 ./app",
        ),
        ("openmpi", "mpirun -x UCX_TLS=tcp -n 4 ./app", {"UCX_TLS": "sm,self"}, "mpirun -x UCX_TLS=sm,self -n 4 ./app"),
        (
            "openmpi",
            "mpirun --mca btl tcp,self --mca pml ob1 -n 2 ./app",
            {"OMPI_MCA_pml": "ucx"},
            "mpirun --mca pml ucx --mca btl tcp,self -n 2 ./app",
        ),
        ("mpich", "mpiexec -genv A 1 -n 4 ./app", {"A": "2", "B": "x y"}, "mpiexec -genv A 2 -genv B 'x y' -n 4 ./app"),
        ("intel", "numactl -i all mpirun -n 4 ./app", {"I_MPI_PIN": "on"}, "numactl -i all mpirun -genv I_MPI_PIN on -n 4 ./app"),
        ("mvapich2", "mpirun_rsh -np 4 -hostfile h A=1 ./app", {"A": "2"}, "mpirun_rsh -np 4 -hostfile h A=2 ./app"),
        (
            "cray",
            "srun -n 4 ./app",
            {"MPICH_OFI_NIC_POLICY": "NUMA", "--cpu-bind": "cores"},
            "MPICH_OFI_NIC_POLICY=NUMA srun --cpu-bind cores -n 4 ./app",
        ),
    ],
)
def test_settings_in_the_users_line(library, line, settings, expected):
    run = Run("./app", launch_line=tuple(shlex.split(line)))
    assert launch_line(run, library, settings, ()).text == expected


@pytest.mark.parametrize("line, source, expected", [
    ("mpirun -n 4 ./app", "environment", "env -u OMPI_MCA_pmll mpirun --mca pml ucx -n 4 ./app"),
    ("mpirun --mca pmll ob1 -n 4 ./app", "launch line", "mpirun --mca pml ucx -n 4 ./app"),
    ("numactl -l mpirun -x OMPI_MCA_pmll -n 4 ./app", "environment", "env -u OMPI_MCA_pmll numactl -l mpirun --mca pml ucx -n 4 ./app"),
    ("mpirun -n 4 ./app", "file ~/.openmpi/mca-params.conf:2", "mpirun --mca pml ucx -n 4 ./app"),
])
def test_a_setting_whose_place_another_takes_goes(line, source, expected):
    run = Run("./app", launch_line=tuple(shlex.split(line)))
    assert launch_line(run, "openmpi", {"OMPI_MCA_pml": "ucx"}, (), {"OMPI_MCA_pmll": source}).text == expected


@pytest.mark.parametrize("line, settings", [("mpirun -n 4 ./app", {}), ("", {"A": "1"}), ("./start.sh", {"A": "1"})])
def test_no_line_where_none_can_be_made(line, settings):
    assert launch_line(Run("./app", launch_line=tuple(line.split())), "openmpi", settings, ()) is None
