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
HEAD = """SIMD instructions:  SSE4.1
Highest SIMD level supported by all nodes in run: AVX2_256
SIMD instructions selected at compile time:       SSE4.1
This program was compiled for different hardware than you are running on,
which could influence performance.
"""
"""Recorded: GROMACS 2022.5 of Debian 12 on an AVX2 processor."""
BALANCED = """ Average load imbalance: 4.5%.
 Part of the total run time spent waiting due to load imbalance: 0.5%.
"""
"""Recorded: the same run, a slab of water on two ranks."""
SEARCH = """NOTE: 32 % of the run time was spent in domain decomposition,
      3 % of the run time was spent in pair search,
      you might want to increase nstlist (this has no effect on accuracy)
"""
QUIET = "Finished mdrun on rank 0 Mon Nov 23 10:00:00 2026\n"
KOKKOS = "KOKKOS mode with Kokkos version 4.3.1 is enabled (src/KOKKOS/kokkos.cpp:72)\n"
THROUGH_HOST = (
    KOKKOS
    + "WARNING: Turning off GPU-aware MPI since it is not detected, use '-pk kokkos gpu/aware on'"
)
POINTS = "Automatically generated mesh\n      10\nReciprocal lattice\n"
FLAGS = " CP2K| cp2kflags: omp libint fftw3 libxc {}parallel scalapack spglib\n"
"""As CP2K 2023.1 of Debian 12 printed it, with elpa."""
STEPS = """Timing for main: time 2026-01-01_00:00:30 on domain   2:    1.00000 elapsed seconds
Timing for Writing wrfout_d02_2026-01-01_00:01:00 for domain        2:    2.00000 elapsed seconds
Timing for main: time 2026-01-01_00:01:00 on domain   1:    6.00000 elapsed seconds
Timing for Writing restart for domain        1:    4.00000 elapsed seconds
"""
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
            {
                "lost_to_imbalance": 0.138,
                "lost_to_pme": 0.095,
                "pme_work": "more",
                "search_share": 0,
            },
        ),
        (
            "gmx_mpi",
            ("mdrun", "-deffnm", "run7"),
            "run7.log",
            QUIET,
            {"lost_to_imbalance": 0.0, "lost_to_pme": 0.0, "search_share": 0},
        ),
        (
            "gmx_mpi",
            ("mdrun",),
            "md.log",
            HEAD + BALANCED + SEARCH + QUIET,
            {
                "lost_to_imbalance": 0.005,
                "lost_to_pme": 0.0,
                "search_share": 0.35,
                "simd": "SSE4.1",
                "simd_of_nodes": "AVX2_256",
            },
        ),
        # Appended: what earlier runs said is not of this one, which said nothing or was cut.
        (
            "gmx_mpi",
            ("mdrun", "-cpi"),
            "md.log",
            HEAD + NOTES + QUIET,
            {"lost_to_imbalance": 0.0, "lost_to_pme": 0.0, "search_share": 0},
        ),
        ("gmx_mpi", ("mdrun", "-cpi"), "md.log", NOTES + "Restarting from checkpoint\n" * 9, {}),
        (
            "gmx_mpi",
            ("mdrun",),
            "md.log",
            HEAD.splitlines()[0],
            {"simd": "SSE4.1", "simd_of_nodes": "SSE4.1"},
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
    keys = ("lost_to_imbalance", "lost_to_pme", "pme_work", "search_share", "simd", "gpu_aware")
    keys += ("simd_of_nodes",)
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


@pytest.mark.parametrize(
    "words, text, expected",
    [
        (("-o", "w.out"), FLAGS.format("elpa "), True),
        (("-o", "w.out"), FLAGS.format("elpa=NVIDIA-GPU "), True),
        (("-o", "w.out"), FLAGS.format("el\n CP2K|            pa "), True),
        (("-o", "w.out"), FLAGS.format("") + " CP2K| elpa is freely available", False),
        (("-o", "w.out"), "PROGRAM STARTED AT", None),
        ((), FLAGS.format("elpa "), None),
    ],
)
def test_what_cp2k_was_built_with(tmp_path, words, text, expected):
    (tmp_path / "w.out").write_text(text)
    run = Run("cp2k.psmp", ("-i", "w.inp", *words), directory=str(tmp_path), started=STARTED)
    found = recognise(run).settings
    assert found["elpa"].value is expected if expected is not None else "elpa" not in found


@pytest.mark.parametrize(
    "name, text, share",
    [
        # Six of ten seconds: the nest lies within the step of domain 1.
        ("rsl.error.0000", STEPS, 0.6),
        ("rsl.out.0000", STEPS, 0.6),
        ("rsl.error.0001", STEPS, None),
        ("rsl.error.0000", STEPS.splitlines()[2], 0.0),
        ("rsl.error.0000", STEPS.splitlines()[1], None),
        ("rsl.error.0000", STEPS + "x" * (1 << 20), None),
        ("rsl.error.0000", "Timing for Writing " * 50_000, None),
        ("rsl.error.0000", "Timing for main: time x on domain 1: 0.0 elapsed seconds", None),
    ],
)
def test_how_long_wrf_wrote(tmp_path, name, text, share):
    (tmp_path / name).write_text(text)
    run = Run("wrf.exe", directory=str(tmp_path), started=STARTED)
    found = recognise(run).settings
    assert (found["writing_share"].value if "writing_share" in found else None) == share
