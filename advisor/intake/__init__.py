"""Any file → Profile, and back. Nothing here judges or computes."""

from __future__ import annotations

from advisor.intake.container.write import write
from advisor.intake.otf2.part_read import part_read
from advisor.intake.read import is_profile, read
from advisor.intake.seal import seal
from advisor.intake.symbols.call_sites import resolve

__all__ = ["is_profile", "part_read", "read", "resolve", "seal", "write"]
