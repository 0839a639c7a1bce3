"""Tickets: a profile inside an HTML page, compressed, as text that no browser runs. Nothing in a
page is trusted."""

from __future__ import annotations

import base64
import binascii
import os
import re
import tempfile
import zlib

import numpy as np

from advisor.intake.container.framing import PROFILE_MAGIC
from advisor.intake.container.write import write
from advisor.intake.untrusted.claims import Unpacking
from advisor.intake.untrusted.damage import Damage
from advisor.model.profile import Profile

LARGEST_PAGE = 96 << 20
"""Bytes."""
OPENING = '<script type="application/x-advisor-profile" id="advisor-profile">'
_HOLDER = re.compile(
    rb'<script type="application/x-advisor-profile"'
    rb' id="advisor-profile">([A-Za-z0-9+/=\s]*)</script>'
)
_PAGE = re.compile(rb"\s*(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)


def packed(profile: Profile) -> str:
    """The element that holds a profile. Raises UserError where no temporary file can be written."""
    with tempfile.TemporaryDirectory(prefix="advisor-") as folder:
        path = os.path.join(folder, "profile")
        write(profile, path)
        with open(path, "rb") as file:
            data = file.read()
    return f"{OPENING}{base64.b64encode(zlib.compress(data, 9)).decode('ascii')}</script>"


def is_page(begin: bytes) -> bool:
    """Whether a file begins as an HTML page does."""
    return bool(_PAGE.match(begin))


def unpacked(page: np.ndarray) -> np.ndarray:
    """Bytes of the profile file inside a page (uint8 [size] both). Raises Damage."""
    if len(page) > LARGEST_PAGE:
        raise Damage(f"it is a page of {len(page)} bytes; the most that is read is {LARGEST_PAGE}")
    found = _HOLDER.findall(bytes(page))
    if not found:
        raise Damage(
            "it is a page without a profile inside; advisor bundle makes pages that hold one"
        )
    if len(found) > 1:
        raise Damage(f"it is a page with {len(found)} profiles inside")
    try:
        data = base64.b64decode(b"".join(found[0].split()), validate=True)
    except (binascii.Error, ValueError):
        raise Damage("the profile inside this page is not whole") from None
    raw = Unpacking(len(page)).whole(data, "the profile inside this page")
    if raw[: len(PROFILE_MAGIC)] != PROFILE_MAGIC:
        raise Damage("what is inside this page is not a profile")
    return np.frombuffer(raw, dtype=np.uint8)
