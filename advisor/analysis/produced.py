"""Which words a probe, an importer or the collector can ever give to a measure: a rule that waits
for another one is dead.

Measures that are not here may be any text: names of settings, of hosts, of models.
"""

from __future__ import annotations

from itertools import product
from typing import FrozenSet, Mapping

from advisor.analysis.derived import transport
from advisor.analysis.engine.operation_groups import GROUPS
from advisor.model.library import NAMES

_LAYERS = ("ob1", "ucx", "cm", "cm+psm2", "cm+ofi", "ch3:mrail", "ch3:psm", "ch3:sock")
"""Of Open MPI as the collector finds them loaded, of the MPICH family as the library names its
device."""
_NETWORKS = (*(network for _, network in transport.DEVICES), "tcp")
_CLASSES = ("none", "self", "intra_node", "one_per_node", "multi_node", "other")
"""class_names of collectors/core/record/record_layout.c."""
_LEVELS = ("single", "funneled", "serialized", "multiple")

PRODUCED: Mapping[str, FrozenSet[str]] = {
    name: frozenset(values)
    for name, values in {
        "library.name": NAMES,
        "library.family": ("openmpi", "mpich"),
        "library.layer": (*_LAYERS, "ch3:nemesis", "ch3:ucx", "ch4:ucx", "ch4:ofi"),
        "library.device": (*_LAYERS, "ch3:nemesis", "ch3:ucx", "ch4:ucx", "ch4:ofi"),
        "library.fabric": [
            stack + network for stack, network in product(("", "ucx+", "ofi+"), _NETWORKS)
        ],
        "run.scheduler": ("slurm", "pbs", "lsf", "cobalt", "pjm", "flux", "oar", "sge"),
        "run.thread_requested": _LEVELS,
        "run.thread_provided": _LEVELS,
        "cell.class": _CLASSES,
        "cell.group": GROUPS,
        "operation.group": GROUPS,
        "cause.group": ("", *GROUPS),
        "application.name": (
            "vasp",
            "quantum-espresso",
            "lammps",
            "gromacs",
            "cp2k",
            "openfoam",
            "nwchem",
            "wrf",
            "abinit",
            "siesta",
            "cpmd",
            "octopus",
            "gpaw",
            "namd",
            "amber",
            "elk",
            "dalton",
            "hpcc",
            "hpl",
            "hpcg",
            "osu-benchmarks",
            "intel-mpi-benchmarks",
            "nas-parallel-benchmarks",
        ),
        "setting.source": ("environment", "launch line", "launcher", "process", "mpi_t"),
    }.items()
}
