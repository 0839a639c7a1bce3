"""The launch line with all offered settings in it: user's line and settings → line to paste."""

from __future__ import annotations

import shlex

import pytest

from advisor.model.profile import Run
from advisor.reports.composing.launch_line import launch_line


@pytest.mark.parametrize(
    "library, line, settings, expected",
    [
        (
            "openmpi",
            "mpirun -n 4 ./app -x 1",
            {"OMPI_MCA_coll": "^hcoll"},
            "mpirun --mca coll '^hcoll' -n 4 ./app -x 1",
        ),
        (
            "openmpi",
            "mpirun -n 4 --bind-to none ./app",
            {"--bind-to": "core", "--map-by": "slot:PE=8"},
            "mpirun --bind-to core --map-by slot:PE=8 -n 4 ./app",
        ),
        (
            "openmpi",
            "mpirun -x UCX_TLS=tcp -n 4 ./app",
            {"UCX_TLS": "sm,self"},
            "mpirun -x UCX_TLS=sm,self -n 4 ./app",
        ),
        (
            "openmpi",
            "mpirun --mca btl tcp,self --mca pml ob1 -n 2 ./app",
            {"OMPI_MCA_pml": "ucx"},
            "mpirun --mca pml ucx --mca btl tcp,self -n 2 ./app",
        ),
        (
            "mpich",
            "mpiexec -genv A 1 -n 4 ./app",
            {"A": "2", "B": "x y"},
            "mpiexec -genv A 2 -genv B 'x y' -n 4 ./app",
        ),
        (
            "intel",
            "numactl -i all mpirun -n 4 ./app",
            {"I_MPI_PIN": "on"},
            "numactl -i all mpirun -genv I_MPI_PIN on -n 4 ./app",
        ),
        (
            "mvapich2",
            "mpirun_rsh -np 4 -hostfile h A=1 ./app",
            {"A": "2"},
            "mpirun_rsh -np 4 -hostfile h A=2 ./app",
        ),
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


@pytest.mark.parametrize(
    "line, source, expected",
    [
        (
            "mpirun -n 4 ./app",
            "environment",
            "env -u OMPI_MCA_pmll mpirun --mca pml ucx -n 4 ./app",
        ),
        ("mpirun --mca pmll ob1 -n 4 ./app", "launch line", "mpirun --mca pml ucx -n 4 ./app"),
        (
            "numactl -l mpirun -x OMPI_MCA_pmll -n 4 ./app",
            "environment",
            "env -u OMPI_MCA_pmll numactl -l mpirun --mca pml ucx -n 4 ./app",
        ),
        (
            "mpirun -n 4 ./app",
            "file ~/.openmpi/mca-params.conf:2",
            "mpirun --mca pml ucx -n 4 ./app",
        ),
    ],
)
def test_a_setting_whose_place_another_takes_goes(line, source, expected):
    run = Run("./app", launch_line=tuple(shlex.split(line)))
    assert (
        launch_line(run, "openmpi", {"OMPI_MCA_pml": "ucx"}, (), {"OMPI_MCA_pmll": source}).text
        == expected
    )


@pytest.mark.parametrize(
    "line, settings", [("mpirun -n 4 ./app", {}), ("", {"A": "1"}), ("./start.sh", {"A": "1"})]
)
def test_no_line_where_none_can_be_made(line, settings):
    assert (
        launch_line(Run("./app", launch_line=tuple(line.split())), "openmpi", settings, ()) is None
    )


@pytest.mark.parametrize(
    "library, line, settings, expected",
    [
        (
            "openmpi",
            "mpirun --cpu-set 0 -n 2 ./app",
            {"--bind-to": "core"},
            "mpirun --bind-to core -n 2 ./app",
        ),
        (
            "openmpi",
            "mpirun -cpu-list=0,1 -n 2 ./app -cpu-list 3",
            {"--map-by": "slot"},
            "mpirun --map-by slot -n 2 ./app -cpu-list 3",
        ),
        (
            "openmpi",
            "mpirun --bynode --bind-to-none -n 2 ./app",
            {"--bind-to": "core", "--map-by": "numa"},
            "mpirun --bind-to core --map-by numa -n 2 ./app",
        ),
        (
            "openmpi",
            "mpirun --rankfile ranks -n 2 ./app",
            {"--map-by": "core"},
            "mpirun --map-by core -n 2 ./app",
        ),
        (
            "openmpi",
            "mpirun --mca hwloc_base_cpu_list 0 --mca btl tcp,self -n 2 ./app",
            {"--bind-to": "core"},
            "mpirun --bind-to core --mca btl tcp,self -n 2 ./app",
        ),
        (
            "openmpi",
            "mpirun --prtemca rmaps_default_mapping_policy node -n 2 ./app",
            {"--map-by": "core"},
            "mpirun --map-by core -n 2 ./app",
        ),
        (
            "openmpi",
            "mpirun --bind-to core -n 2 ./app",
            {"OMPI_MCA_hwloc_base_binding_policy": "none"},
            "mpirun --mca hwloc_base_binding_policy none -n 2 ./app",
        ),
        # How many ranks are on a host, and that more than slots may start, is kept.
        (
            "openmpi",
            "mpirun --npernode 2 ./app",
            {"--map-by": "slot:PE=4"},
            "mpirun --map-by ppr:2:node:PE=4 ./app",
        ),
        (
            "openmpi",
            "mpirun --map-by ppr:1:socket ./app",
            {"--map-by": "slot:PE=4", "--bind-to": "core"},
            "mpirun --map-by ppr:1:socket:PE=4 --bind-to core ./app",
        ),
        (
            "openmpi",
            "mpirun -pernode ./app",
            {"--map-by": "numa"},
            "mpirun --map-by ppr:1:node ./app",
        ),
        (
            "openmpi",
            "mpirun --map-by node:OVERSUBSCRIBE:PE=2 -n 8 ./app",
            {"--map-by": "slot:PE=1"},
            "mpirun --map-by slot:PE=1:OVERSUBSCRIBE -n 8 ./app",
        ),
        (
            "mpich",
            "mpiexec -binding none -n 2 ./app",
            {"-bind-to": "core:2"},
            "mpiexec -bind-to core:2 -n 2 ./app",
        ),
        (
            "intel",
            "mpirun -rr -hosts a,b -n 4 ./app",
            {"-ppn": "2"},
            "mpirun -ppn 2 -hosts a,b -n 4 ./app",
        ),
        (
            "intel",
            "mpirun -genv I_MPI_PIN 0 -n 4 ./app",
            {"I_MPI_PIN_DOMAIN": "omp"},
            "mpirun -genv I_MPI_PIN_DOMAIN omp -n 4 ./app",
        ),
        (
            "intel",
            "mpirun -genv I_MPI_PIN 0 -n 4 ./app",
            {"I_MPI_PIN": "1", "I_MPI_PIN_DOMAIN": "omp"},
            "mpirun -genv I_MPI_PIN 1 -genv I_MPI_PIN_DOMAIN omp -n 4 ./app",
        ),
        (
            "mpich",
            "srun --hint=nomultithread --cpu_bind=none -c4 -n 4 ./app",
            {"--cpus-per-task": "2", "--cpu-bind": "cores"},
            "srun --cpus-per-task 2 --cpu-bind cores -n 4 ./app",
        ),
        (
            "mpich",
            "srun -m cyclic -n 4 ./app",
            {"--distribution": "block:block"},
            "srun --distribution block:block -n 4 ./app",
        ),
        (
            "mpich",
            "srun --export=ALL,A=1,B=2 -n 4 ./app",
            {"A": "3"},
            "A=3 srun --export=ALL,B=2 -n 4 ./app",
        ),
        (
            "cray",
            "aprun -d8 -cc none -n 4 ./app",
            {"-d": "4", "-cc": "depth"},
            "aprun -d 4 -cc depth -n 4 ./app",
        ),
        (
            "cray",
            "mpiexec -d 8 --cpu-bind none -n 4 ./app",
            {"--depth": "4", "--cpu-bind": "depth"},
            "mpiexec --depth 4 --cpu-bind depth -n 4 ./app",
        ),
    ],
)
def test_words_that_contradict_a_setting_go(library, line, settings, expected):
    """Open MPI and Hydra end such a line, or pass over one of the two;
    tests/launching/test_contradictory_lines.py starts them."""
    run = Run("./app", launch_line=tuple(shlex.split(line)))
    assert launch_line(run, library, settings, ()).text == expected


@pytest.mark.parametrize(
    "own, title",
    [
        ("-n 2", "Your launch line, with 1 setting"),
        ("--cpu-set 0 -n 2", "Your launch line, with 1 setting, without --cpu-set 0"),
        (
            "--bind-to none -n 2 -rf 'my ranks'",
            "Your launch line, with 1 setting, without --bind-to none",
        ),
    ],
)
def test_the_title_says_what_was_taken_out(own, title):
    run = Run("./app", launch_line=("mpirun", *shlex.split(own), "./app"))
    assert (
        launch_line(run, "openmpi", {"--bind-to": "core"}, ()).title.replace("\u00a0", " ") == title
    )
