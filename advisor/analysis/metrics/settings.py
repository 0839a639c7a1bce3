"""One row for each setting in force."""

from __future__ import annotations

from typing import Mapping, Set, Tuple

from advisor.analysis.engine.arrays import objects
from advisor.analysis.engine.metric import Value, metric, rows
from advisor.analysis.metrics import setting_intents, setting_names
from advisor.model.library import OPEN_MPI
from advisor.model.measures import Quality
from advisor.model.message import Message, message

LAYERS = (
    ("openmpi mca", ("OMPI_MCA_", "PRTE_MCA_", "PMIX_MCA_")),
    ("ucx", ("UCX_",)),
    ("ofi", ("FI_", "PSM2_", "PSM3_")),
    ("intel", ("I_MPI_",)),
    ("mpich", ("MPICH_", "MPIR_CVAR_", "MPIR_PARAM_")),
    ("mvapich", ("MV2_", "MVP_")),
    ("openmp", ("OMP_", "GOMP_", "KMP_", "OPENBLAS_", "MKL_")),
    ("collective offload", ("HCOLL_", "SHARP_")),
    ("scheduler", ("SLURM_", "PBS_", "LSB_")),
)


@rows("setting")
def setting_rows(view) -> int:
    """Settings in the order of the profile."""
    return len(view.profile.settings)


@metric("setting.name", unit="text", quality=Quality.MEASURED)
def name(view):
    """Name of the variable."""
    return objects([setting.name for setting in view.profile.settings])


@metric("setting.value", unit="text", quality=Quality.MEASURED)
def value(view):
    """Its value."""
    return objects([setting.value for setting in view.profile.settings])


@metric("setting.source", unit="text", quality=Quality.MEASURED)
def source(view):
    """Where it was read: environment; launcher (set between launch line and rank, by a launcher or
    a start-up file); process (set by the program or a library after its start); mpi_t (the
    library's own answer); launch line; file with its path and line."""
    return objects([setting.source for setting in view.profile.settings])


@metric("setting.place", unit="text", quality=Quality.MEASURED)
def place(view):
    """The same as words of a sentence: in the environment; on the launch line; in FILE, line N."""
    return objects([_place(setting.source) for setting in view.profile.settings])


def _place(source: str) -> str:
    """ "file /etc/x.conf:3" → "in /etc/x.conf, line 3"."""
    if source.startswith("file "):
        file, _, line = source[len("file ") :].rpartition(":")
        return message("in {file}, line {line}", file=file, line=line)
    known: Mapping[str, str] = {
        "environment": message("in the environment"),
        "launch line": message("on the launch line"),
        "launcher": message("by the launcher"),
        "process": message("by the program or a library"),
        "mpi_t": message("in the library"),
    }
    return known.get(source, f"in the {source}")


@metric("setting.differs", unit="yes/no", quality=Quality.MEASURED)
def differs(view):
    """Whether not all ranks have the same value."""
    return objects([setting.differs for setting in view.profile.settings])


@metric("setting.known", unit="yes/no")
def known(view):
    """Whether the library of this run, as it is installed, reads a variable of this name."""
    values = [
        _asked(setting, setting_names.is_known, view.profile.library)
        for setting in view.profile.settings
    ]
    return Value(
        values,
        reason=message("the library was not asked which settings it has, or could not tell"),
        collect=message("run under advisor run, which asks it"),
    )


@metric("setting.right_name", unit="text")
def right_name(view):
    """A known name that is spelled almost like it: at most two letters differ; empty if it is right
    itself, or none is near."""
    return objects(
        [
            _asked(setting, setting_names.right_name, view.profile.library) or ""
            for setting in view.profile.settings
        ]
    )


def _asked(setting, ask, library):
    """Of what somebody gave only: the library's own interface names nothing that it does not
    know."""
    return ask(setting.name, library) if is_given(setting.source) else None


def is_given(source: str) -> bool:
    """Whether a user or a site gave a setting, by where it was read."""
    return source in ("environment", "launch line") or source.startswith("file")


@metric("setting.intent", unit="text")
def intent(view):
    """What one wants with it, under the library that it belongs to; empty if rules/intents does not
    tell."""
    return objects([here.means if here else "" for here in _intents(view)])


@metric("setting.here", unit="text")
def here(view):
    """What the library of this run has for the same intent, with the value carried over; empty if
    nothing, or if it is the very same."""
    return objects([found.words if found else "" for found in _intents(view)])


@metric("setting.served", unit="yes/no")
def served(view):
    """Whether what the library of this run has for the same intent is set as well, as in a script
    for several libraries."""
    given = {(setting.name, setting.value) for setting in view.profile.settings}
    return objects([bool(found) and _is_set(found.words, given) for found in _intents(view)])


def _is_set(words: str, given: Set[Tuple[str, str]]) -> bool:
    pairs = [word.partition("=") for word in words.split()]
    return bool(pairs) and all((name, value) in given for name, _, value in pairs)


@metric("setting.no_equivalent", unit="text")
def no_equivalent(view):
    """Why the library of this run has nothing for the same intent; unknown if it has, or if
    rules/intents does not tell."""
    return Value(
        [
            Message(found.none, found.none, {}) if found and found.none else None
            for found in _intents(view)
        ],
        reason="rules/intents does not tell",
    )


def _intents(view):
    known = setting_intents.known(view.intents)
    return [
        (
            setting_intents.here(setting, view.profile.library, known)
            if is_given(setting.source)
            else None
        )
        for setting in view.profile.settings
    ]


@metric("setting.layer", unit="text")
def layer(view):
    """Which part it speaks to: openmpi mca, ucx, ofi, intel, mpich, mvapich, openmp, collective
    offload, scheduler; other."""
    library = view.profile.library.name
    return objects(
        [layer_of(setting.name, setting.source, library) for setting in view.profile.settings]
    )


def layer_of(name: str, source: str = "environment", library: str = "") -> str:
    """The layer of a variable. What the library's own interface names belongs to the library."""
    if source == "mpi_t" and library in OPEN_MPI:
        return "openmpi mca"
    for found, prefixes in LAYERS:
        if name.startswith(prefixes):
            return found
    return "other"
