"""The program that reads archives (collectors/otf2): found among those built before, or built now."""

from __future__ import annotations

import hashlib
import os
import secrets
import subprocess
import sys
from pathlib import Path
from typing import List

from advisor import places
from advisor.model.errors import UserError

_BUILD_SECONDS = 300


def program() -> Path:
    """The program, built if it is not there. Raises UserError with what to install."""
    name = f"otf2-profile-{_fingerprint()}"
    folders = list(places.caches(os.environ))
    found = next((folder / name for folder in folders if os.access(folder / name, os.X_OK)), None)
    if found:
        return found
    folder = next((folder for folder in folders if places.keeps(folder)), None)
    if folder is None:
        raise _failed("there is no folder to keep it in; set ADVISOR_CACHE to one")
    print(f"advisor: building the reader of OTF2 traces (once; it is kept in {folder})", file=sys.stderr)
    return _build(folder / name)


def _build(output: Path) -> Path:
    draft = output.with_name(f".{output.name}.{secrets.token_hex(8)}")
    try:
        done = subprocess.run(
            ["sh", str(places.collectors() / "otf2" / "build.sh"), str(draft)], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=_BUILD_SECONDS,
        )
        if done.returncode:
            raise _failed(_reason(done.stdout.decode(errors="replace")))
        os.replace(draft, output)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _failed(str(error)) from error
    finally:
        if draft.exists():
            draft.unlink()
    return output


def _reason(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    own = [line[len("build.sh: ") :] for line in lines if line.startswith("build.sh: ")]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or own or lines or ["no message"])[0]


def _failed(reason: str) -> UserError:
    script = places.collectors() / "otf2" / "build.sh"
    return UserError(
        f"The program that reads OTF2 traces could not be built: {reason}.", "Traces cannot be read; all else works without it.",
        f"To see all messages: sh {script} /tmp/otf2-profile",
    )


def _sources() -> List[Path]:
    folder = places.collectors()
    own = [file for file in (folder / "otf2").iterdir() if file.suffix in {".c", ".h", ".sh"}]
    return sorted(own) + [folder / "core" / "text.c", folder / "core" / "text.h"]


def _fingerprint() -> str:
    digest = hashlib.sha256(os.uname().machine.encode())
    for file in _sources():
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
