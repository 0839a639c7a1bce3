"""Which of the user's own words on a launch line contradict a setting that is put there: data, by
family of launchers.

Tried with Open MPI 4.1.4 and 5.0.11, MPICH 4.0 and 5.0 and the Hydra of Intel MPI 2021.19: all of
them end the job, or pass over one of the two, where such words stand together. Of srun, aprun and
PALS as their manuals say. Names are without dashes.
"""

from __future__ import annotations

from typing import Dict, Mapping, NamedTuple, Optional, Tuple

from advisor.model import library

Words = Mapping[str, int]
"""Option → words that follow it as its value."""


class Family(NamedTuple):
    """`against`: setting → the options that do not go with it, itself among them. `parameters`: the
    same of variables, which the line may hand over, and of MCA parameters. `letters`: options of
    one letter may have their value attached."""

    against: Mapping[str, Words]
    parameters: Mapping[str, Tuple[str, ...]] = {}
    letters: bool = False


class Contradicted(NamedTuple):
    """What goes from the user's line."""

    options: Words
    parameters: Tuple[str, ...]
    letters: bool


_BINDING = {
    "bind-to": 1,
    "bind-to-core": 0,
    "bind-to-socket": 0,
    "bind-to-board": 0,
    "bind-to-none": 0,
}
_CPUS = {"cpu-set": 1, "cpu-list": 1}
"""`--cpu-set 0` allows two ranks one core: binding each to its own, or mapping by cores, then
fails."""
BY_HOST = {"npernode": 1, "N": 1, "pernode": 0, "npersocket": 1, "ppr": 1}
"""Without these another number of ranks may start."""
_MAPPING = {
    "map-by": 1,
    "bynode": 0,
    "byslot": 0,
    "bycore": 0,
    "bysocket": 0,
    "byboard": 0,
    "loadbalance": 0,
    "cpus-per-proc": 1,
    "cpus-per-rank": 1,
    "rankfile": 1,
    "rf": 1,
    "rank-by": 1,
    **BY_HOST,
}
_MCA_BINDING = (
    "hwloc_base_binding_policy",
    "hwloc_default_binding_policy",
    "hwloc_base_cpu_list",
    "hwloc_default_cpu_list",
    "hwloc_base_cpu_set",
)
_MCA_MAPPING = (
    "rmaps_base_mapping_policy",
    "rmaps_default_mapping_policy",
    "rmaps_base_ranking_policy",
    "hwloc_base_cpu_list",
    "hwloc_base_cpu_set",
)

OPEN_MPI = Family(
    {
        "bind-to": {**_BINDING, **_CPUS},
        "map-by": {**_MAPPING, **_CPUS},
        # The options win over the parameters, which would be without effect beside them.
        "OMPI_MCA_hwloc_base_binding_policy": {**_BINDING, **_CPUS},
        "PRTE_MCA_hwloc_default_binding_policy": {**_BINDING, **_CPUS},
        "OMPI_MCA_rmaps_base_oversubscribe": {"nooversubscribe": 0},
        "PRTE_MCA_rmaps_default_mapping_policy": {"nooversubscribe": 0},
    },
    {"bind-to": _MCA_BINDING, "map-by": _MCA_MAPPING},
)
HYDRA = Family(
    {
        # -binding is another name of -bind-to; an option that comes twice ends the job.
        "bind-to": {"bind-to": 1, "binding": 1, "rankmap": 1},
        "ppn": {"ppn": 1, "perhost": 1, "ranks-per-proc": 1, "grr": 1, "rr": 0, "rankmap": 1},
    },
    {
        "I_MPI_PIN_DOMAIN": ("I_MPI_PIN", "I_MPI_PIN_MODE"),
        "MV2_CPU_BINDING_POLICY": ("MV2_ENABLE_AFFINITY", "MV2_CPU_MAPPING"),
    },
)
SRUN = Family(
    {
        "cpu-bind": {"cpu-bind": 1, "cpu_bind": 1, "hint": 1},
        "cpus-per-task": {"cpus-per-task": 1, "c": 1},
        "threads-per-core": {"threads-per-core": 1, "hint": 1},
        "distribution": {"distribution": 1, "m": 1},
    },
    HYDRA.parameters,
    letters=True,
)
APRUN = Family(
    {"d": {"d": 1, "depth": 1}, "cc": {"cc": 1, "cpu-binding": 1, "cp": 1, "cpu-binding-file": 1}},
    letters=True,
)
PALS = Family(
    {"cpu-bind": {"cpu-bind": 1, "binding": 1}, "depth": {"depth": 1, "d": 1}, "ppn": {"ppn": 1}}
)
_OF_LAUNCHER = {"srun": SRUN, "aprun": APRUN}
_OF_LIBRARY = {**dict.fromkeys(library.OPEN_MPI, OPEN_MPI), "cray": PALS}
_KEPT = ("oversubscribe", "nolocal", "hwtcpus")
"""What else the user may have asked for beside a mapping: without it the job may not start, or
start elsewhere."""


def contradicted(launcher: str, library: str, settings: Mapping[str, str]) -> Contradicted:
    """What contradicts these settings on a line of this launcher; keys that begin with "-" are
    options."""
    family = _OF_LAUNCHER.get(launcher) or _OF_LIBRARY.get(library, HYDRA)
    options: Dict[str, int] = {}
    parameters: Dict[str, None] = {}
    for name, value in settings.items():
        bare = name.lstrip("-")
        itself = {bare: 1 if value else 0} if name.startswith("-") else {}
        options.update(family.against.get(bare, itself))
        parameters.update(dict.fromkeys(family.parameters.get(bare, ())))
    return Contradicted(
        options, tuple(name for name in parameters if name not in settings), family.letters
    )


def length(words: Tuple[str, ...], gone: Contradicted) -> int:
    """How many words at the beginning are an option that goes; 0 if it stays."""
    word = words[0]
    name, equals, _ = word.lstrip("-").partition("=")
    if not word.startswith("-") or len(word) < 2:
        return 0
    if name in gone.options:
        return 1 if equals else 1 + gone.options[name]
    return 1 if gone.letters and not word.startswith("--") and gone.options.get(word[1]) else 0


def mapped(own: str, words: Tuple[str, ...]) -> str:
    """Open MPI's `--map-by` for the user's line: as many ranks on a host as its own words ask for,
    and what else these allow."""
    place, _, more = own.partition(":")
    modifiers, count = list(filter(None, more.split(":"))), None
    for name, value in _options(words):
        count = _count(name, value) or count
        if name == "map-by":
            modifiers += [
                part for part in value.split(":") if part.lower() in _KEPT and part not in modifiers
            ]
    return ":".join([count or place, *modifiers])


def _options(words: Tuple[str, ...]):
    for at, word in enumerate(words):
        if word.startswith("-"):
            name, equals, value = word.lstrip("-").partition("=")
            yield name, value if equals else words[at + 1] if at + 1 < len(words) else ""


def _count(name: str, value: str) -> Optional[str]:
    """`ppr:2:node`, where an option says how many ranks are to be on a host."""
    if name == "map-by" and value.lower().startswith("ppr:"):
        return ":".join(value.split(":")[:3])
    if name == "pernode":
        return "ppr:1:node"
    if name == "ppr":
        return f"ppr:{value}"
    where = {"npernode": "node", "N": "node", "npersocket": "socket"}.get(name)
    return f"ppr:{value}:{where}" if where and value.isdigit() else None
