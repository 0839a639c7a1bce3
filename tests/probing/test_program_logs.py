"""What programs say of themselves in the log of a run. Their words are those of the sources of
GROMACS 2018 to 2024 and LAMMPS 2022, and of files that VASP 6 wrote."""

from __future__ import annotations

import os

import pytest

from advisor.model.profile import Run
from advisor.probing.application import recognise

NOTES = """
NOTE: 13.8 % of the available CPU time was lost due to load imbalance
      in the domain decomposition.
NOTE: 9.5 % performance was lost because the PME ranks
      had more work to do than the PP ranks.
Finished mdrun on rank 0 Mon Nov 23 10:00:00 2026
"""
QUIET = "Finished mdrun on rank 0 Mon Nov 23 10:00:00 2026\n"
KOKKOS = "KOKKOS mode with Kokkos version 4.3.1 is enabled (src/KOKKOS/kokkos.cpp:72)\n"
THROUGH_HOST = (
    KOKKOS
    + "WARNING: Turning off GPU-aware MPI since it is not detected, use '-pk kokkos gpu/aware on'"
)
POINTS = "Automatically generated mesh\n      10\nReciprocal lattice\n"
STARTED = "2026-11-23T09:00:00+0000"
OLD, NEW = 1_700_000_000, 1_900_000_000


@pytest.mark.parametrize(
    "program, arguments, file, text, expected",
    [
        (
            "gmx_mpi",
            ("mdrun",),
            "md.log",
            NOTES,
            {"lost_to_imbalance": 0.138, "lost_to_pme": 0.095, "pme_work": "more"},
        ),
        (
            "gmx_mpi",
            ("mdrun", "-deffnm", "run7"),
            "run7.log",
            QUIET,
            {"lost_to_imbalance": 0.0, "lost_to_pme": 0.0},
        ),
        ("gmx_mpi", ("mdrun",), "md.log", NOTES.replace("Finished", "Started"), {}),
        ("lmp", ("-in", "x"), "log.lammps", THROUGH_HOST, {"gpu_aware": False}),
        ("lmp", ("-in", "x"), "log.lammps", KOKKOS, {"gpu_aware": True}),
        ("lmp", ("-in", "x"), "log.lammps", "LAMMPS (2 Aug 2023)", {}),
    ],
)
@pytest.mark.parametrize("written", [NEW, OLD])
def test_notes_of_this_run(tmp_path, program, arguments, file, text, expected, written):
    """A log that is older than the run says nothing of it."""
    (tmp_path / file).write_text(text)
    os.utime(tmp_path / file, (written, written))
    run = Run(program, arguments, directory=str(tmp_path), started=STARTED)
    found = {key: fact.value for key, fact in recognise(run).settings.items()}
    keys = ("lost_to_imbalance", "lost_to_pme", "pme_work", "gpu_aware")
    said = {key: found[key] for key in keys if key in found}
    assert said == (expected if written == NEW else {})


@pytest.mark.parametrize("groups, idle", [(1, 0), (5, 0), (4, 1 / 6), (16, 6 / 16)])
def test_groups_of_k_points_that_have_none_left(tmp_path, groups, idle):
    (tmp_path / "INCAR").write_text(f"KPAR = {groups}\n")
    (tmp_path / "IBZKPT").write_text(POINTS)
    run = Run("vasp_std", directory=str(tmp_path), started="2020-01-01T00:00:00+0000")
    found = recognise(run).settings
    assert found["irreducible"].value == 10
    assert found["kpar_idle"].value == pytest.approx(idle)


def test_a_pipe_in_the_place_of_a_log_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "md.log")
    run = Run("gmx_mpi", ("mdrun",), directory=str(tmp_path), started=STARTED)
    assert "lost_to_imbalance" not in recognise(run).settings
