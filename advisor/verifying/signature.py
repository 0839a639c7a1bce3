"""Signatures distinguish what this user's advisor wrote on this account from everything else.

Who owns a file does not tell that: an archive of a stranger's, unpacked, belongs to whoever
unpacked it. A signature is an HMAC with a key that only this user can read, made at first use. It
goes with the file that it is for, wherever that is moved on this account.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Optional

from advisor.base import resource_paths, trusted_files

_KEY, _BYTES = "key", 32
_FILE, _LONGEST = ".signature", 64
_BLOCK = 1 << 20


def of(content: bytes, purpose: str) -> str:
    """The signature of `content`, hexadecimal; empty if this account can keep no key. `purpose`:
    what else was signed does not stand for it."""
    key = _known() or _made()
    return _hmac(key, purpose, content) if key else ""


def holds(content: bytes, purpose: str, signature: str) -> bool:
    """Whether `signature` was made by `of` for this content and purpose, with the key of this
    account."""
    key = _known()
    return key is not None and hmac.compare_digest(
        _hmac(key, purpose, content).encode(), signature.encode("utf-8", "replace")
    )


def sign(file: Path) -> None:
    """Put the signature of a file beside it, if nobody else can change the file meanwhile. Without
    one it is read all the same."""
    with suppress(OSError):
        digest = _digest(file)
        signature = of(digest, file.name)
        if signature:
            file.with_name(file.name + _FILE).write_text(signature, encoding="ascii")


def signed(file: Path) -> bool:
    """Whether a file is as this account has signed it, in a folder in which nobody else can
    exchange it before it is used."""
    try:
        signature = trusted_files.read(file.with_name(file.name + _FILE), _LONGEST).decode(
            "ascii", "replace"
        )
        return holds(_digest(file), file.name, signature)
    except OSError:
        return False


def _digest(file: Path) -> bytes:
    """SHA-256 of a file that only this user and root could have written. Raises OSError."""
    real, found = Path(os.path.realpath(file)), hashlib.sha256()
    with (
        trusted_files.folder(real.parent) as parent,
        trusted_files.regular(real.name, parent, str(real)) as opened,
    ):
        for block in iter(lambda: opened.read(_BLOCK), b""):
            found.update(block)
    return found.digest()


def _hmac(key: bytes, purpose: str, content: bytes) -> str:
    return hmac.new(
        key, purpose.encode("utf-8", "surrogateescape") + b"\0" + content, hashlib.sha256
    ).hexdigest()


def _known() -> Optional[bytes]:
    """The key; None if there is none, or if others may know it."""
    file = resource_paths.data(os.environ) / _KEY
    try:
        key = trusted_files.read(file, _BYTES)
        return key if len(key) == _BYTES and not os.stat(file).st_mode & 0o077 else None
    except OSError:
        return None


def _made() -> Optional[bytes]:
    """A new key. Of jobs that end at the same time the first one's is that of all: a link is made
    only where there is no file yet."""
    folder = resource_paths.data(os.environ)
    draft = folder / f".{_KEY}.{secrets.token_hex(8)}"
    if not trusted_files.private(folder):
        return None
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(secrets.token_bytes(_BYTES))
        with suppress(FileExistsError):
            os.link(draft, folder / _KEY)
    except OSError:
        return None
    finally:
        with suppress(OSError):
            draft.unlink()
    return _known()
