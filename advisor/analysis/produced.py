"""Which words a probe, an importer or the collector can ever give to a measure: a rule that waits
for another one is dead.

Where the words stand in code, or in a table that code is made from, they are read from there.
Measures that are not here may be any text: names of settings, of hosts, of models.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product
from typing import FrozenSet, Iterable, Mapping

from advisor.analysis.derived import causes, transport
from advisor.analysis.engine.operation_groups import GROUPS
from advisor.analysis.metrics.critical_path import OUTSIDE
from advisor.analysis.metrics.settings import LAYERS
from advisor.base import resource_paths
from advisor.model.causes import HANDED_ON, IDLE, IN_TURNS, LOCAL, PROGRESS
from advisor.model.library import NAMES

_LAYERS = ("ob1", "ucx", "cm", "cm+psm2", "cm+ofi", "ch3:mrail", "ch3:psm", "ch3:sock")
"""Of Open MPI as the collector finds them loaded, of the MPICH family as the library names its
device."""
_NETWORKS = (*(network for _, network in transport.DEVICES), "tcp")
_OF_CALLS = (
    "operation.name",
    "cell.operation",
    "site.operation",
    "stack.operation",
    "communicator.operations",
    "run.top_wait_operation",
    "run.least_repeated",
)
_CLOCKSOURCES = (
    *("tsc", "tsc-early", "hpet", "acpi_pm", "jiffies", "refined-jiffies", "xen", "kvm-clock"),
    *("hyperv_clocksource_tsc_page", "hyperv_clocksource_msr", "arch_sys_counter", "timebase"),
)
"""As Linux 6 names them, of the processors that MPI jobs run on (drivers/clocksource, arch)."""
_LEVELS = ("single", "funneled", "serialized", "multiple")


@lru_cache(maxsize=None)
def produced() -> Mapping[str, FrozenSet[str]]:
    """table.column → the words that it can ever have."""
    return {name: frozenset(words) for name, words in _words().items()}


def _words() -> Mapping[str, Iterable[str]]:
    calls, classes = _calls(), _classes()
    return {
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
        "cell.class": classes,
        "communicator.class": classes,
        "cause.class": ("", *classes),
        "traffic.path": classes,
        **dict.fromkeys(_OF_CALLS, calls),
        "cause.operation": ("", *calls),
        "path.operation": (OUTSIDE, *calls),
        "cause.kind": causes.KINDS,
        "cause.state": {"", LOCAL, causes.AT_THE_END, *map(causes.state_of, calls)},
        "cause.origin": ("", causes.IMBALANCE, causes.NO_CORE, HANDED_ON, IDLE, IN_TURNS, PROGRESS),
        "setting.layer": {"other", *(layer for layer, _ in LAYERS)},
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
            "nemo",
            "icon",
            "nekrs",
            "elk",
            "dalton",
            "hpcc",
            "hpl",
            "hpcg",
            "osu-benchmarks",
            "intel-mpi-benchmarks",
            "nas-parallel-benchmarks",
        ),
        "node.clocksource": _CLOCKSOURCES,
        "node.thp": ("always", "madvise", "never"),
        "setting.source": ("environment", "launch line", "launcher", "process", "mpi_t"),
    }


def _calls() -> FrozenSet[str]:
    """Calls that the collector counts: those of the MPI standard but for the never counted."""
    text = (resource_paths.collectors() / "standard" / "calls.txt").read_text(encoding="utf-8")
    lines = [line.split(" | ") for line in text.splitlines() if not line.startswith("#")]
    return frozenset(words[0] for words in lines if words[1:2] != ["never"])


def _classes() -> FrozenSet[str]:
    """Classes of communicators, and of the ways to other ranks."""
    layout = resource_paths.collectors() / "core" / "record" / "record_layout.c"
    found = re.search(r"class_names\[.*?\{(.*?)\}", layout.read_text(encoding="utf-8"), re.DOTALL)
    return frozenset(re.findall(r'"(\w+)"', found.group(1) if found else ""))
