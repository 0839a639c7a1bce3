"""The program, if it was recognised, and those of its settings that could be read. No row
otherwise."""

from __future__ import annotations

import math
import re
from typing import Callable, Dict, Mapping

import numpy as np

from advisor.analysis.engine.arrays import number, objects
from advisor.analysis.engine.metric import Value, metric, rows
from advisor.model.measures import Column, Quality
from advisor.model.message import message
from advisor.model.profile import Profile

_MANY_BODY = re.compile(r"gw|rpa|acfdt|bse|tdhf|timeev|chi|2e4w", re.IGNORECASE)
_BENCHMARKS = (
    "osu-benchmarks",
    "intel-mpi-benchmarks",
    "hpl",
    "hpcg",
    "hpcc",
    "nas-parallel-benchmarks",
)
NOT_READ = message("this setting of the program could not be read, or the program has none")


@rows("application")
def application_rows(view) -> int:
    """One row if the program was recognised, else none."""
    return 0 if view.profile.application is None else 1


@metric("application.name", unit="text", quality=Quality.MEASURED)
def name(view):
    """The program: vasp, quantum-espresso, lammps."""
    return [] if view.profile.application is None else [view.profile.application.name]


@metric("application.benchmark", unit="yes/no", quality=Quality.MEASURED)
def benchmark(view):
    """Whether the program is a benchmark that is known by name: what it does is given, and nobody
    who runs it changes it."""
    program = view.profile.application
    return [] if program is None else [program.name in _BENCHMARKS]


def _setting(key: str, unit: str) -> Callable:
    return lambda view: Value(_cells(view.profile, key, unit), reason=NOT_READ)


def _cells(profile: Profile, key: str, unit: str) -> list:
    if profile.application is None:
        return []
    fact = profile.application.settings.get(key)
    value = None if fact is None else fact.value
    if unit in ("count", "share"):
        return [number(value)]
    return [value] if value is None or unit == "yes/no" else [str(value)]


for _name, _unit, _meaning in (
    ("ncore", "count", "VASP: ranks that work on one band together, NCORE."),
    ("npar", "count", "VASP: groups of bands worked on at a time, NPAR."),
    ("npar_beside_ncore", "yes/no", "VASP: whether INCAR gives both NPAR and NCORE."),
    ("kpar", "count", "VASP: groups of k-points, KPAR."),
    ("nsim", "count", "VASP: bands of one block, NSIM."),
    ("lplane", "yes/no", "VASP: planes of the FFT are shared out, LPLANE."),
    ("algo", "text", "VASP: the electronic minimiser, ALGO."),
    ("nk", "count", "Quantum ESPRESSO: pools of k-points asked for, -nk or -npool."),
    ("npool", "count", "Quantum ESPRESSO: pools of k-points in use."),
    ("nb", "count", "Quantum ESPRESSO: groups of bands, -nb."),
    ("ndiag", "count", "Quantum ESPRESSO: ranks that diagonalise together, -nd; 0: pw.x chooses."),
    ("nt", "count", "Quantum ESPRESSO: task groups of the Fourier transforms, -nt."),
    ("kpoints", "count", "VASP, Quantum ESPRESSO: k-points before symmetry."),
    ("gamma_only", "yes/no", "VASP: KPOINTS asks for the centre of the zone alone."),
    ("input_dft", "text", "Quantum ESPRESSO: the functional asked for, input_dft."),
    ("npme", "count", "GROMACS: ranks for the long-range part alone, -npme; -1: mdrun chooses."),
    ("ntomp", "count", "GROMACS: threads of a rank, -ntomp."),
    ("dlb", "text", "GROMACS: dynamic load balancing, -dlb: auto, yes, no."),
    ("pin", "text", "GROMACS: pinning of threads, -pin: auto, on, off."),
    ("coulombtype", "text", "GROMACS: electrostatics, coulombtype of mdout.mdp."),
    ("nstcalcenergy", "count", "GROMACS: steps between sums of the energies over all ranks."),
    ("thermo", "count", "LAMMPS: steps between lines of output; 0: at the ends alone."),
    ("method", "text", "OpenFOAM: how the mesh is cut, decomposeParDict."),
    ("commstype", "text", "OpenFOAM: blocking, nonBlocking or scheduled exchanges."),
    ("filehandler", "text", "OpenFOAM: uncollated (a folder a rank) or collated."),
    ("writeformat", "text", "OpenFOAM: ascii or binary."),
    ("nproc_x", "count", "WRF: ranks along x; -1: WRF chooses."),
    ("nproc_y", "count", "WRF: ranks along y; -1: WRF chooses."),
    ("nio_tasks_per_group", "count", "WRF: ranks that only write; 0: rank 0 collects and writes."),
    ("preferred_diag_library", "text", "CP2K: the library of the dense eigensolver."),
    ("elpa", "yes/no", "CP2K: whether it was built with ELPA, by the head of its output."),
    ("writing_share", "share", "WRF: of the time in its log, what rank 0 spent on writing files."),
    ("processors", "text", "LAMMPS: the grid of ranks asked for, command processors."),
    (
        "lost_to_imbalance",
        "share",
        "GROMACS: of its CPU time, what md.log says was lost by load imbalance.",
    ),
    (
        "lost_to_pme",
        "share",
        "GROMACS: what md.log says was lost since PME ranks had more or less to do.",
    ),
    (
        "search_share",
        "share",
        "GROMACS: of its time, what md.log says went to domain decomposition and pair search.",
    ),
    ("simd", "text", "GROMACS: the instructions that it was built for, by md.log."),
    (
        "simd_of_nodes",
        "text",
        "GROMACS: the widest instructions that it would use on these nodes, by md.log.",
    ),
    ("pme_work", "text", "GROMACS: whether its PME ranks had more or less to do, by md.log."),
    (
        "gpu_aware",
        "yes/no",
        "LAMMPS: no, if its log says that it sends from GPUs through the host.",
    ),
    ("irreducible", "count", "VASP: k-points after symmetry, by IBZKPT of this run."),
    (
        "kpar_idle",
        "share",
        "VASP: of the time of all groups of k-points, what those without one left wait.",
    ),
    ("balance", "text", "LAMMPS: how work is evened out, commands balance and fix balance."),
):
    metric(f"application.{_name}", unit=_unit, quality=Quality.MEASURED, meaning=_meaning)(
        _setting(_name, _unit)
    )


@metric("application.band_ranks", unit="count")
def band_ranks(view):
    """VASP: ranks that share one group of k-points, ranks divided by KPAR."""
    return Value(_band_ranks(view), reason=NOT_READ)


def _band_ranks(view) -> list:
    """NaN where KPAR is not known or does not divide the ranks."""
    groups = _cells(view.profile, "kpar", "count")
    ranks = view.profile.run.ranks_expected or view.count
    return [ranks // kpar if kpar >= 1 and ranks % kpar == 0 else np.nan for kpar in groups]


@metric("application.ncore_by_root", unit="count")
def ncore_by_root(view):
    """VASP: the divisor of application.band_ranks that is nearest to its square root, which the
    VASP manual recommends for NCORE."""
    found = [ranks if np.isnan(ranks) else _near_root(int(ranks)) for ranks in _band_ranks(view)]
    return Value(found, reason=NOT_READ)


def _near_root(ranks: int) -> int:
    """Of two that are as near the larger."""
    divisors = [each for each in range(1, ranks + 1) if ranks % each == 0]
    root = math.sqrt(ranks)
    return min(divisors, key=lambda each: (round(abs(math.log(each / root)), 9), -each))


@metric("application.ncore_must_be_1", unit="yes/no")
def ncore_must_be_1(view):
    """VASP: whether ALGO is one of many-body theory (GW, RPA, BSE …), for which NCORE stays 1."""
    return _of_incar(view, "algo", lambda text: bool(_MANY_BODY.search(text)))


@metric("application.hybrid", unit="yes/no")
def hybrid(view):
    """VASP: whether INCAR asks for exact exchange, LHFCALC = .TRUE."""
    return _of_incar(view, "lhfcalc", lambda text: text.strip(".").lower().startswith("t"))


def _of_incar(view, tag: str, holds: Callable[[str], bool]) -> Value:
    """Whether a tag of INCAR is of a kind; where it is not given, as if it were empty."""
    program = view.profile.application
    known = program is not None and program.name == "vasp" and "ncore" in program.settings
    texts = _cells(view.profile, tag, "text")
    return Value([holds(str(text or "")) if known else None for text in texts], reason=NOT_READ)


def more_settings(profile: Profile, known: Mapping[str, Column]) -> Dict[str, Column]:
    """Columns of settings that were read but have no entry above."""
    if profile.application is None:
        return {}
    return {
        key: _column(key, fact.value)
        for key, fact in profile.application.settings.items()
        if key not in known
    }


def _column(key: str, value: object) -> Column:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Column(key, "count", np.array([float(value)]))
    unit = "yes/no" if isinstance(value, bool) else "text"
    quality = Quality.UNKNOWN if value is None else Quality.MEASURED
    return Column(key, unit, objects([value]), quality, reason=NOT_READ if value is None else "")
