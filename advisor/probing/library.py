"""All facts about one MPI library, and the names of the settings that it knows."""

from __future__ import annotations

import os
import re
import time
from typing import Dict, FrozenSet, Iterator, List, Mapping, Optional

from advisor.base import external_programs
from advisor.base.elf import mentions
from advisor.model.library import release
from advisor.model.profile import Fact
from advisor.probing import intel, mpich, names, openmpi, transports
from advisor.probing.binary import LibraryFile, examine, loaded_with, rests_on
from advisor.probing.commands import answer_once, find, surroundings
from advisor.probing.timeout import within
from advisor.probing.reading import Facts, fact

MPICH_FAMILY = ("mpich", "intel", "mvapich2", "mvapich2-x", "mvapich2-gdr", "mvapich", "cray")
OPENMPI_FAMILY = ("openmpi", "hpcx")


class Installation:
    """Where a library lies and how its own commands are run. `launcher`: the launcher's folder or
    file, or empty."""

    def __init__(
        self, path: str, name: str, version: str, launcher: str, seconds: float = 30.0
    ) -> None:
        self.path, self.name, self.version = path, name, version
        self.launcher = os.path.dirname(launcher) if os.path.isfile(launcher) else launcher
        self.owners = external_programs.owners_of(path, launcher)
        self.deadline = time.monotonic() + seconds
        self.environment = surroundings(self.prefix(), os.path.dirname(path))

    def folders(self) -> Iterator[str]:
        """Where its commands may be: with the launcher, then in `bin` beside or above the
        library."""
        if self.launcher:
            yield self.launcher
        folder = os.path.dirname(os.path.abspath(self.path)) if self.path else "/"
        while folder != os.path.dirname(folder):
            folder = os.path.dirname(folder)
            yield os.path.join(folder, "bin")

    def prefix(self) -> str:
        """The folder that an Intel MPI is installed in; empty for others."""
        return os.path.dirname(self.launcher) if self.name == "intel" and self.launcher else ""

    def ask(self, command: str, *options: str) -> Optional[str]:
        """Output of one of its commands; None where it is missing, fails or takes too long."""
        left = min(15.0, self.deadline - time.monotonic())
        file = self.command(command)
        return (
            answer_once(
                [file, *options], left, self.environment, lambda text: self._rests_on(file, text)
            )
            if file and left > 0
            else None
        )

    def _rests_on(self, file: str, text: str) -> Optional[List[str]]:
        own = rests_on(file)
        if own is None or os.path.basename(file) != "ompi_info":
            return own and [*own, self.path]
        files = openmpi.rests_on(text)
        return files and [*own, self.path, *files]

    def command(self, name: str) -> Optional[str]:
        """The file of one of its commands, or of one of that name along PATH."""
        places = (os.path.join(folder, name) for folder in self.folders())
        return next(
            (place for place in places if external_programs.may_run(place, self.owners)), None
        ) or find(name, owners=self.owners)

    def serves(self, name: str) -> bool:
        """Whether a command is linked to this very library: its output names no version."""
        file = self.command(name)
        # Python packages hold copies where others have links, so the folder is compared.
        loaded = loaded_with(file) if file else {}
        folders = {
            os.path.dirname(os.path.realpath(library))
            for soname, library in loaded.items()
            if soname.startswith("libmpi")
        }
        return os.path.isfile(self.path) and os.path.dirname(os.path.realpath(self.path)) in folders


def probe_library(
    path: str, name: str, version: str = "", launcher: str = "", seconds: float = 30.0
) -> Mapping[str, Fact]:
    """Facts about the MPI library in file `path`: device, configure, built_with.*, components.*,
    ucx_version, ofi_providers …

    `name`: one of model.library.NAMES; `launcher`: its launcher or the folder of it. Never raises;
    what its own commands and its file do not tell within `seconds` is absent. A command that
    belongs to another version is not believed.
    """
    facts: Dict[str, Fact] = {}
    within(seconds, lambda: _probe_safely(path, name, version, launcher, seconds, facts))
    return dict(facts)


def _probe_safely(
    path: str, name: str, version: str, launcher: str, seconds: float, facts: Facts
) -> None:
    try:
        _probe(Installation(path, name, version, launcher, seconds), facts)
    except Exception as error:  # a broken installation must not stop the report
        fact(facts, "failed.probe_library", None, f"{type(error).__name__}: {error}")


def _probe(place: Installation, facts: Facts) -> None:
    if place.name in OPENMPI_FAMILY:
        openmpi.parse(
            _believed(place, place.ask("ompi_info", "--parsable", "--all"), "ident"), facts
        )
        _probe_transports(place, facts)
    elif place.name in MPICH_FAMILY:
        _probe_mpich(place, facts)
        _probe_transports(place, facts)
        _probe_single_copy(place, facts)


def _believed(place: Installation, text: Optional[str], field: str) -> str:
    """The output if it belongs to this version of the library, else nothing."""
    line = re.search(rf"^{field}:(.*)$", text or "", re.MULTILINE)
    found = release(line[1].strip() if line else "")
    return text or "" if not place.version or found == release(place.version) else ""


def _probe_mpich(place: Installation, facts: Facts) -> None:
    seen = examine(place.path) or LibraryFile()
    fields = {**seen.strings, "abi": seen.strings.get("ABI", "")}
    # Intel's string holds the number of the MPICH that it was made from, not its own.
    fields["version"] = fields.pop("string", "") if place.name == "mpich" else place.version
    if fields.get("device"):
        mpich.parse(fields, place.name, place.path, facts)
        return
    reported, source = (
        (
            mpich.parse_mpiname(place.ask("mpiname", "-a") or "")
            if place.name.startswith("mvapich2")
            else {}
        ),
        "mpiname -a",
    )
    if not reported:
        reported, source = mpich.parse_version(place.ask("mpichversion") or ""), "mpichversion"
    if (
        reported
        and place.version
        and release(reported.get("version", "")) != release(place.version)
    ):
        return
    mpich.parse(reported, place.name, source, facts)


def _transport_users(place: Installation) -> list:
    """Files that need UCX or libfabric: the library, or components of Open MPI where they are files
    of their own."""
    if place.name not in OPENMPI_FAMILY:
        return [place.path]
    text = place.ask("ompi_info", "--parsable", "--all") or ""
    found = re.search(r"^path:pkglibdir:(.*)$", text, re.MULTILINE)
    folder = found[1] if found else ""
    parts = ("mca_pml_ucx.so", "mca_osc_ucx.so", "mca_mtl_ofi.so")
    return [place.path] + [
        file for file in (os.path.join(folder, part) for part in parts) if os.path.isfile(file)
    ]


def _transport_libraries(place: Installation, files: list) -> Mapping[str, str]:
    """ "ucx" and "ofi" → the file of libucp or libfabric that these files load."""
    loaded: Dict[str, str] = {}
    for file in files:
        if file and os.path.isfile(file):
            loaded.update(loaded_with(file))
    found = {}
    for kind, prefix in (("ucx", "libucp.so"), ("ofi", "libfabric.so")):
        # The loader would take the system's libfabric; Intel MPI opens its own while it runs.
        own = (
            _beside(place.path, "libfabric.so.1")
            if kind == "ofi" and place.name == "intel"
            else None
        )
        library = own or next(
            (path for name, path in loaded.items() if name.startswith(prefix)), None
        )
        if library:
            found[kind] = library
    return found


def _probe_transports(place: Installation, facts: Facts) -> None:
    for kind, library in _transport_libraries(place, _transport_users(place)).items():
        probe = transports.probe_ucx if kind == "ucx" else transports.probe_libfabric
        probe(
            library, place.launcher, surroundings(place.prefix(), os.path.dirname(library)), facts
        )
    providers = str(facts["ofi_providers"].value).split() if "ofi_providers" in facts else []
    if "psm2" in providers:
        fact(facts, "built_with.psm2", True, "provider psm2 of its libfabric")


def _beside(path: str, name: str) -> Optional[str]:
    """The file of Intel MPI's own libfabric: beside libmpi in the wheel, in libfabric/lib of a full
    installation."""
    folder = os.path.dirname(path)
    places = (
        os.path.join(folder, name),
        os.path.join(folder, "..", "libfabric", "lib", name),
        os.path.join(folder, "..", "opt", "mpi", "libfabric", "lib", name),
    )
    return next((place for place in places if os.path.isfile(place)), None)


def _probe_single_copy(place: Installation, facts: Facts) -> None:
    """built_with.cma and .xpmem where the configure line is silent: by what the library imports,
    names, or its UCX carries."""
    seen = examine(place.path)
    words = mentions(place.path, (b"libxpmem", b"/dev/xpmem", b"I_MPI_SHM_CMA"))
    if seen is None or words is None:
        return
    carried = str(facts["ucx_modules"].value).split() if "ucx_modules" in facts else []
    cma = "process_vm_readv" in seen.imports or b"I_MPI_SHM_CMA" in words or "cma" in carried
    xpmem = (
        bool(seen.imports & {"xpmem_make", "xpmem_get"})
        or bool(words - {b"I_MPI_SHM_CMA"})
        or "xpmem" in carried
    )
    for key, value in (("cma", cma), ("xpmem", xpmem)):
        # A module of UCX serves the library although its own configure line says nothing of it.
        if f"built_with.{key}" not in facts or (
            value and facts[f"built_with.{key}"].value is False and key in carried
        ):
            fact(
                facts,
                f"built_with.{key}",
                value,
                f"symbols and strings of {place.path}, modules of its UCX",
            )


def known_settings(path: str, name: str, version: str = "", launcher: str = "") -> FrozenSet[str]:
    """Names of the control variables that the installed library knows, as it spells them itself;
    empty if it cannot be asked.

    Open MPI: MCA names without OMPI_MCA_; MPICH: MPIR_CVAR_*; Intel MPI: I_MPI_* and MPIR_CVAR_*;
    MVAPICH2 and Cray MPICH: those that stand in the library. UCX_* and FI_* are not in it.
    """
    place = Installation(path, name, version, launcher)
    if name in OPENMPI_FAMILY:
        return openmpi.parse_names(
            _believed(place, place.ask("ompi_info", "--parsable", "--all"), "ident")
        )
    if name == "intel":
        texts = (place.ask("impi_info", *options) or "" for options in ((), ("-a",), ("-e",)))
        listed = frozenset().union(*(intel.parse_names(text) for text in texts))
        # impi_info leaves out what its launcher reads, and much that the library reads.
        files = (path, place.command("mpiexec.hydra") or "") if listed else ()
        return listed.union(*(names.spelled(file, ("I_MPI_",)) for file in files))
    if name in MPICH_FAMILY:
        listed = (
            mpich.parse_names(place.ask("mpivars") or "")
            if place.serves("mpivars")
            else frozenset()
        )
        if name in _SPELLED:
            # mpivars lists the variables of the MPI tool interface alone; some MV2_ names are read
            # by the launcher.
            return listed.union(
                *(
                    names.spelled(file, _SPELLED[name])
                    for file in (path, place.command("mpirun_rsh") or "")
                )
            )
        return listed or names.spelled(path, ("MPIR_CVAR_",))
    return frozenset()


_SPELLED = {
    "cray": ("MPICH_", "MPIR_CVAR_"),
    "mvapich": ("MPIR_CVAR_", "MVP_"),
    **dict.fromkeys(("mvapich2", "mvapich2-x", "mvapich2-gdr"), ("MV2_", "MPIR_CVAR_")),
}


def known_elsewhere(
    path: str, name: str, version: str = "", launcher: str = ""
) -> Mapping[str, FrozenSet[str]]:
    """The same for what the library stands on: "ucx", "ofi" and, for Open MPI from 5 on, its
    launcher "prte"; what cannot be asked is absent."""
    place = Installation(path, name, version, launcher)
    found: Dict[str, FrozenSet[str]] = {}
    for kind, library in _transport_libraries(place, _transport_users(place)).items():
        ask = names.ucx_names if kind == "ucx" else names.ofi_names
        found[kind] = ask(library, surroundings(place.prefix(), os.path.dirname(library)))
    command = (
        place.command("prte_info") if name in OPENMPI_FAMILY and release(version) >= (5,) else None
    )
    if command:
        found["prte"] = names.prte_names(command, place.environment)
    return {kind: known for kind, known in found.items() if known}
