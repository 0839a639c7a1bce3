"""The programs that read and write archives (collectors/otf2): found among those built before, or
built now."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import subprocess
import sys
from pathlib import Path
from typing import List

from advisor.base import resource_paths, trusted_files
from advisor.model.errors import UserError

_BUILD_SECONDS = 300
_NAMES = {"reader": "otf2-profile", "together": "otf2-profile-together", "writer": "otf2-write"}
_VERBS = {"reader": "reads", "together": "reads", "writer": "writes"}


def program(kind: str = "reader") -> Path:
    """The reader, the one that reads as an MPI job ("together"), or the writer; built if it is not
    there. Raises UserError with what to install."""
    name = f"{_NAMES[kind]}-{_fingerprint(kind)}"
    found = resource_paths.kept(name, os.environ)
    if found and os.access(found, os.X_OK):
        return found
    refusal = resource_paths.refused(os.environ)
    if refusal:
        print(f"advisor: {refusal.what} {refusal.do}", file=sys.stderr)
    folder = resource_paths.to_keep(os.environ)
    if folder is None:
        raise _failed(kind, "there is no folder to keep it in; set ADVISOR_CACHE to one")
    print(
        f"advisor: building the program that {_VERBS[kind]} OTF2 traces (once; it is kept in"
        f" {folder})",
        file=sys.stderr,
    )
    return _build(kind, folder / name)


def _build(kind: str, output: Path) -> Path:
    draft = output.with_name(f".{output.name}.{secrets.token_hex(8)}")
    try:
        with trusted_files.workplace(os.environ) as work:
            done = subprocess.run(
                [
                    "/bin/sh",
                    str(resource_paths.collectors() / "otf2" / "build.sh"),
                    str(draft),
                    *_arguments(kind),
                ],
                env={"PYTHON": sys.executable, **os.environ, "TMPDIR": str(work)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=_BUILD_SECONDS,
            )
        if done.returncode:
            raise _failed(kind, _reason(done.stdout.decode(errors="replace")))
        os.replace(draft, output)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _failed(kind, str(error)) from error
    finally:
        if draft.exists():
            draft.unlink()
    return output


def _arguments(kind: str) -> List[str]:
    return [] if kind == "reader" else [kind]


def _reason(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    own = [line[len("build.sh: ") :] for line in lines if line.startswith("build.sh: ")]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or own or lines or ["no message"])[0]


def _failed(kind: str, reason: str) -> UserError:
    script, words = (
        resource_paths.collectors() / "otf2" / "build.sh",
        " ".join(["", *_arguments(kind)]),
    )
    return UserError(
        f"The program that {_VERBS[kind]} OTF2 traces could not be built: {reason}.",
        {
            "reader": "Traces cannot be read; all else works without it.",
            "together": "Without --mpi one process reads it.",
            "writer": "What the ranks recorded is kept.",
        }[kind],
        f"To see all messages: sh {script} /tmp/{_NAMES[kind]}{words}",
    )


def _sources(kind: str) -> List[Path]:
    folder = resource_paths.collectors()
    kinds = {".c", ".h", ".py", ".txt"}
    all_files = sorted(file for file in (folder / "otf2").rglob("*") if file.suffix in kinds)
    own = [file for file in all_files if (file.parent.name == "writer") == (kind == "writer")]
    shared = ("text.c", "text.h", "table.c", "table.h", "row_buffer.h")
    return (
        own
        + [folder / "otf2" / "build.sh"]
        + (
            [folder / "tracing" / "layout.h"]
            if kind == "writer"
            else sorted(file for file in (folder / "schema").iterdir() if file.suffix in kinds)
            + [folder / "core" / "base" / name for name in shared]
        )
    )


def _compiler(kind: str) -> str:
    """Which MPI it is built with: a job is started by that one's launcher only."""
    name = os.environ.get("MPICC", "mpicc")
    return os.path.realpath(shutil.which(name) or name) if kind == "together" else ""


def _fingerprint(kind: str) -> str:
    digest = hashlib.sha256((os.uname().machine + _compiler(kind)).encode())
    for file in _sources(kind):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
