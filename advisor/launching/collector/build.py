"""The collector for one MPI library: found among those built before, or built now, without the
user's help."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator, List, Mapping, Optional

from advisor.base import external_programs, resource_paths, trusted_files
from advisor.launching.collector import prebuilt
from advisor.launching.collector.compilers import Compiler, compiler_for, examine
from advisor.launching.target.library_file import MpiLibrary
from advisor.model.errors import UserError

BUILD_SECONDS = 600
_TRY_SECONDS = 20
_OTHERS = ("otf2", "endpoints", "fleet")
"""Folders of programs and libraries that are built by themselves."""
Say = Callable[[str], None]


@dataclass(frozen=True)
class Product:
    """What is built for an MPI library. `folder`: of its build.sh, in that of the collectors;
    `otherwise`: what follows if it cannot be built."""

    name: str
    prefix: str
    folder: str
    otherwise: str


COLLECTOR = Product("collector", "advisor", "", "The program runs without being measured.")
TRACING = Product("collector with tracing", "advisor-traced", "tracing", COLLECTOR.otherwise)


def collector_for(
    library: MpiLibrary,
    launcher: str,
    environment: Mapping[str, str],
    say: Say,
    last_resort: Optional[Path] = None,
    product: Product = COLLECTOR,
) -> Path:
    """The collector built for `library`. Raises UserError, with what to install, if there is none
    and none can be built.

    Built for the library's own headers; where its compiler wrapper is missing, with those of
    another library of the same ABI family. Where nothing can be built, the one that came with the
    package for this ABI. `last_resort`: a folder to build in if no cache can be written.
    """
    refusal = resource_paths.refused(environment)
    if refusal:
        say(f"{refusal.what} {refusal.do}")
    try:
        compiler = choose_compiler(library, launcher, environment, say)
    except UserError as failure:
        kept = _made_by_hand(library, environment) if product is COLLECTOR else None
        return kept or _prebuilt(failure, library, say, product)
    try:
        return cached(compiler, library, environment, say, last_resort, product)
    except UserError as failure:
        return _prebuilt(failure, library, say, product)


def _prebuilt(failure: UserError, library: MpiLibrary, say: Say, product: Product) -> Path:
    """The collector that came with the package, where none can be built; raises `failure`."""
    if product is not COLLECTOR:
        raise failure
    found = came_with_package(library)
    if found.path is None:
        raise UserError(
            failure.what, f"{failure.meaning} Also {found.reason}.".strip(), failure.do
        ) from failure
    problem = _why_not_loaded(found.path)
    if problem is not None:
        raise UserError(
            failure.what, f"The collector that came with advisor cannot be loaded: {problem}."
        ) from failure
    say(f"no collector can be built here for {library.title()}: it is {found.build}")
    return found.path


def choose_compiler(
    library: MpiLibrary, launcher: str, environment: Mapping[str, str], say: Say
) -> Compiler:
    """The compiler wrapper to build for `library` with. Raises UserError if there is none."""
    compiler = compiler_for(library, launcher, environment)
    if compiler is None:
        compiler = _of_same_family(library, environment)
        if compiler is None:
            raise _no_compiler(library)
        say(
            f"{library.title()} has no compiler wrapper here: using the headers of"
            f" {linked_by(compiler).title()}."
        )
    return compiler


def came_with_package(library: MpiLibrary) -> prebuilt.Answer:
    """The collector for this library that needs no compiler, or why there is none."""
    return prebuilt.collector_for(library, digest_of(sources()))


def find(
    compiler: Compiler,
    library: MpiLibrary,
    environment: Mapping[str, str],
    last_resort: Optional[Path] = None,
    product: Product = COLLECTOR,
) -> Optional[Path]:
    """The collector if it was built before."""
    return resource_paths.kept(file_name(compiler, library, product), environment, last_resort)


def file_name(compiler: Compiler, library: MpiLibrary, product: Product = COLLECTOR) -> str:
    """What the collector of this compiler and library is called in a cache."""
    return f"{product.prefix}-{library.name}-{library.version or 'any'}-{fingerprint(compiler, library, product)}.so"


def cached(
    compiler: Compiler,
    library: MpiLibrary,
    environment: Mapping[str, str],
    say: Say,
    last_resort: Optional[Path] = None,
    product: Product = COLLECTOR,
) -> Path:
    """The collector of this compiler and library, from a cache or built into the first one that can
    be written."""
    found = find(compiler, library, environment, last_resort, product)
    if found:
        return found
    folder = resource_paths.to_keep(environment, last_resort)
    if folder is None:
        raise UserError(
            f"There is no folder to keep the {product.name} in.",
            product.otherwise,
            "Set ADVISOR_CACHE to a folder that all nodes see and only you can write to, without"
            " spaces and colons in its name.",
        )
    say(f"building the {product.name} for {library.title()} (once; it is kept in {folder})")
    output = folder / file_name(compiler, library, product)
    build(compiler, output, environment, product)
    return output


def build(
    compiler: Compiler, output: Path, environment: Mapping[str, str], product: Product = COLLECTOR
) -> None:
    """Build a collector. It appears complete or not at all, so two jobs may build the same one at
    once."""
    _sweep(output.parent)
    # The name only: a build that is killed leaves no file that somebody must remove.
    draft = output.parent / f".{output.name}.{secrets.token_hex(8)}.so"
    try:
        with trusted_files.folder(output.parent), trusted_files.workplace(environment) as work:
            _compile(
                compiler, draft, {**compiler.settings(environment), "TMPDIR": str(work)}, product
            )
        _try(compiler, draft, product)
        # Whatever our umask: colleagues who share the folder may use it too.
        draft.chmod(0o755)
        os.replace(draft, output)
    except trusted_files.Untrusted as refusal:
        raise UserError(
            f"The {product.name} is not built: {refusal.strerror}.",
            f"Somebody else could put his own in its place. {product.otherwise}",
            "Choose a folder, and a TMPDIR, that nobody else can write to, or that are sticky as"
            " /tmp is.",
        ) from refusal
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _failed(compiler, str(error), product) from error
    finally:
        draft.unlink(missing_ok=True)


def _compile(
    compiler: Compiler, draft: Path, environment: Mapping[str, str], product: Product
) -> None:
    done = subprocess.run(
        ["/bin/sh", str(_script(product)), compiler.path, str(draft)],
        env={"PYTHON": sys.executable, **environment, "TRACED": ""},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=BUILD_SECONDS,
    )
    if done.returncode:
        raise _failed(compiler, done.stdout.decode(errors="replace"), product)


def _try(compiler: Compiler, draft: Path, product: Product) -> None:
    """Start a program without MPI under a new collector: what cannot be loaded would end the user's
    job instead."""
    problem = _why_not_loaded(draft)
    if problem is not None:
        raise _failed(compiler, f"error: it cannot be loaded: {problem}", product)


def _why_not_loaded(collector: Path) -> Optional[str]:
    """What the loader says of it; None if it can be loaded."""
    harmless = shutil.which("true", path=os.defpath) or "true"
    done = subprocess.run(
        [harmless],
        env={"LD_PRELOAD": str(collector), "LD_BIND_NOW": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        timeout=_TRY_SECONDS,
    )
    failed = done.returncode or done.stderr
    return done.stderr.decode(errors="replace").strip() if failed else None


def _sweep(folder: Path) -> None:
    """Remove drafts of builds that were killed, once no build can still be at them."""
    for left in folder.glob(".advisor-*.so*"):
        try:
            if time.time() - left.stat().st_mtime > 2 * BUILD_SECONDS:
                left.unlink()
        except OSError:
            pass  # Another job sweeps as well, or the folder is somebody else's.


def by_hand(mpicc: str, output: Optional[Path], environment: Mapping[str, str], say: Say) -> Path:
    """`advisor build`: the collector for the library that `mpicc` links, into `output` or the
    cache."""
    compiler = examine(mpicc, environment)
    if compiler is None:
        raise UserError(
            f"{mpicc} is not a compiler wrapper of an MPI library.",
            do=(
                f"Try: {mpicc} -show    It must print a compiler that exists, and an -I folder with"
                " mpi.h."
            ),
        )
    if output is None:
        library = linked_by(compiler)
        made = cached(compiler, library, environment, say)
        _remember(made, library)
        return made
    if not os.access(output.resolve().parent, os.W_OK):
        raise UserError(f"{output} cannot be written.", do="Choose another file with -o.")
    build(compiler, output.resolve(), environment)
    return output


def _remember(made: Path, library: MpiLibrary) -> None:
    """Let jobs find a collector by the library alone: mpicc may not be at hand where they run."""
    name = _name_by_hand(library)
    draft = made.with_name(f".{name}.{secrets.token_hex(8)}.so")
    if library.path:
        draft.symlink_to(made.name)
        os.replace(draft, made.with_name(name))


def _made_by_hand(library: MpiLibrary, environment: Mapping[str, str]) -> Optional[Path]:
    return resource_paths.kept(_name_by_hand(library), environment)


def _name_by_hand(library: MpiLibrary) -> str:
    digest = hashlib.sha256(
        f"{os.path.dirname(os.path.realpath(library.path))}\0{library.family == 'standard'}".encode()
    )
    for file in sources():
        digest.update(file.read_bytes())
    return f"advisor-by-hand-{digest.hexdigest()[:16]}.so"


def fingerprint(compiler: Compiler, library: MpiLibrary, product: Product = COLLECTOR) -> str:
    """Changes whenever the collector must be built again: its sources, the compiler command, mpi.h,
    the library's folder."""
    digest = _digest([*sources(product), Path(compiler.header)])
    # Not the library's file: Python packages hold it as several copies.
    folder = os.path.dirname(os.path.realpath(library.path))
    for part in (compiler.show, compiler.version, folder, library.name, library.version):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:16]


def digest_of(files: List[Path]) -> str:
    """Changes with the name or the content of a file."""
    return _digest(files).hexdigest()


def _digest(files: List[Path]) -> "hashlib._Hash":
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest


def sources(product: Product = COLLECTOR) -> List[Path]:
    """The files that it is built from, in a fixed order."""
    if product.folder in _OTHERS:
        return sorted(
            file for file in _script(product).parent.iterdir() if file.suffix in (".c", ".h", ".sh")
        )
    kinds = (".c", ".h", ".sh", ".py", ".txt", ".map")
    top = str(resource_paths.collectors())
    found: List[str] = []
    # Not Path.rglob, which takes four times as long: a job waits for this.
    for folder, below, names in os.walk(top):
        if folder == top:
            below[:] = [name for name in below if name not in _OTHERS]
        found += [os.path.join(folder, name) for name in names if name.endswith(kinds)]
    return sorted(map(Path, found))


def linked_by(compiler: Compiler) -> MpiLibrary:
    """The library that a compiler wrapper links."""
    return MpiLibrary(
        compiler.name, compiler.version, compiler.library, os.path.basename(compiler.library)
    )


def _of_same_family(library: MpiLibrary, environment: Mapping[str, str]) -> Optional[Compiler]:
    """A compiler wrapper of another library with the same binary interface. The standard ABI has
    one header for all."""
    names = {
        "openmpi": ("mpicc.openmpi", "mpicc"),
        "mpich": ("mpicc.mpich", "mpicc"),
        "standard": ("mpicc_abi",),
    }
    found = (
        examine(path, environment)
        for name in names.get(library.family, ())
        for path in _on_path(name, environment)
    )
    return next(
        (
            compiler
            for compiler in found
            if compiler and linked_by(compiler).family == library.family
        ),
        None,
    )


def _on_path(name: str, environment: Mapping[str, str]) -> Iterator[str]:
    for folder in environment.get("PATH", os.defpath).split(":"):
        path = os.path.join(folder or ".", name)
        if external_programs.may_run(path):
            yield path


def _no_compiler(library: MpiLibrary) -> UserError:
    return UserError(
        f"The program uses {library.title()} ({library.path}), and there is no mpicc for it here.",
        "The collector cannot be built, so the program runs without being measured.",
        "Load the module that brings its mpicc, or: advisor build --mpicc /path/to/mpicc",
    )


def _script(product: Product) -> Path:
    return resource_paths.collectors() / product.folder / "build.sh"


def _failed(compiler: Compiler, text: str, product: Product) -> UserError:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    error = next(
        (line for line in lines if "error" in line.lower()), lines[-1] if lines else "no message"
    )
    return UserError(
        f"The {product.name} could not be built with {compiler.path}: {error}",
        product.otherwise,
        f"To see all messages: sh {_script(product)} {compiler.path} /tmp/advisor.so",
    )
