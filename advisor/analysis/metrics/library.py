"""The MPI library: its own description, and the options that it was built with."""

from __future__ import annotations

from typing import Callable

from advisor.analysis.derived import transport
from advisor.analysis.derived.profile_columns import PROBE_LIBRARY, RECORD_AGAIN
from advisor.analysis.engine.metric import Unknown, Value, metric
from advisor.model.library import OPEN_MPI, release
from advisor.model.measures import Quality
from advisor.model.message import message

NOT_PROBED = "the library was not asked, or could not tell"


def _nameless(view) -> str:
    """Why it has no name: a file of another tool mostly does not say which library the program
    had."""
    return (
        "the version string of the MPI library is none that we know"
        if view.profile.library.text
        else message("the profile does not tell which MPI library it was")
    )


@metric("library.name", unit="text", quality=Quality.MEASURED)
def name(view):
    """openmpi, mpich, intel, mvapich2, mvapich2-x, mvapich2-gdr, mvapich, cray, hpcx, spectrum,
    fujitsu, parastation."""
    found = view.profile.library.name
    return Value(None if found in ("", "unknown") else found, reason=_nameless(view))


@metric("library.version", unit="text", quality=Quality.MEASURED)
def version(view):
    """Its release: 4.1.4."""
    return Value(
        view.profile.library.version or None,
        reason=(
            "the MPI library does not say its version"
            if view.profile.library.text
            else _nameless(view)
        ),
    )


@metric("library.release_major", unit="count")
def release_major(view):
    """First number of its version."""
    numbers = release(view.profile.library.version)
    return Value(
        numbers[0] if numbers else float("nan"),
        reason=(
            "the version of the MPI library is no number"
            if view.profile.library.version
            else _nameless(view)
        ),
    )


@metric("library.text", unit="text", quality=Quality.MEASURED)
def text(view):
    """What MPI_Get_library_version says."""
    return Value(view.profile.library.text or None, reason=_nameless(view))


@metric("library.standard", unit="text", quality=Quality.MEASURED)
def standard(view):
    """Version of the MPI standard: 3.1."""
    return Value(
        view.profile.library.standard or None,
        reason=(
            "the MPI library does not say which standard it follows"
            if view.profile.library.text
            else _nameless(view)
        ),
    )


@metric("library.family", unit="text")
def family(view):
    """Its binary interface: openmpi, or mpich for all that follow MPICH."""
    found = view.profile.library.name
    return Value(
        None if found in ("", "unknown") else "openmpi" if found in OPEN_MPI else "mpich",
        reason=_nameless(view),
    )


@metric("library.layer", unit="text")
def layer(view):
    """The layer that sends messages: ob1, ucx, cm+psm2, cm+ofi of Open MPI; ch4:ucx, ch4:ofi,
    ch3:mrail of MPICH and its family."""
    return Value(
        transport.layer(view.profile),
        reason=message("the library did not show it"),
        collect=RECORD_AGAIN,
    )


@metric("library.fabric", unit="text")
def fabric(view):
    """How messages leave a host: tcp, verbs, psm2, cxi; with the layer in front if it is UCX or
    libfabric: ucx+verbs, ofi+tcp. By the devices and connections that rank 0 held open at the
    end."""
    if len(view.profile.nodes) == 1:
        raise Unknown(message("all ranks were on one host"))
    return Value(
        transport.fabric(view.profile),
        reason=message("no device or connection showed it"),
        collect=RECORD_AGAIN,
    )


def _text(fact: str) -> Callable:
    def from_fact(view):
        value = view.fact(view.profile.library.facts, fact)
        return Value(
            None if value in (None, "") else str(value), reason=NOT_PROBED, collect=PROBE_LIBRARY
        )

    return from_fact


def _yes(fact: str) -> Callable:
    def from_fact(view):
        value = view.fact(view.profile.library.facts, fact)
        return Value(
            value if isinstance(value, bool) else None, reason=NOT_PROBED, collect=PROBE_LIBRARY
        )

    return from_fact


for _name, _meaning in (
    ("device", "MPICH's device, or Open MPI's point-to-point layer: ch4:ofi."),
    ("configure", "Its configure line."),
    ("ucx_version", "Version of UCX that it uses."),
    ("ofi_providers", "Providers of libfabric that it can use."),
):
    metric(f"library.{_name}", unit="text", quality=Quality.MEASURED, meaning=_meaning)(
        _text(_name)
    )


@metric("library.ucx_minor", unit="count")
def ucx_minor(view):
    """Second number of the version of UCX that it uses, which all begin with 1: 20 of 1.20.1."""
    numbers = release(str(view.fact(view.profile.library.facts, "ucx_version") or ""))
    return Value(
        numbers[1] if numbers[:1] == (1,) and len(numbers) > 1 else float("nan"),
        reason=NOT_PROBED,
        collect=PROBE_LIBRARY,
    )


metric(
    "library.ucx_shared_memory",
    unit="yes/no",
    quality=Quality.MEASURED,
    meaning=(
        "Whether the UCX that it uses has a transport through memory that ranks of a host share."
    ),
)(_yes("ucx_shared_memory"))

_FOR_GPUS = {
    "cuda": "cuda (NVIDIA GPUs), or its UCX was",
    "rocm": "rocm (AMD GPUs), or its UCX was",
    "ze": "ze (Level Zero, Intel GPUs), or its UCX was",
}

for _part in (
    "xpmem",
    "ucx",
    "ofi",
    "cma",
    "knem",
    "mcast",
    "sharp",
    "cuda",
    "rocm",
    "ze",
    "psm2",
    "hcoll",
    "ucc",
):
    metric(
        f"library.built_with_{_part}",
        unit="yes/no",
        quality=Quality.MEASURED,
        meaning=f"Whether it was built with {_FOR_GPUS.get(_part, _part)}.",
    )(_yes(f"built_with.{_part}"))
