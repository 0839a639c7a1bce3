"""Runs → Comparison: what changed, where, and whether it is more than noise. Numbers only; reports/
writes them."""

from __future__ import annotations

from advisor.comparing.compare import Measured, compare
from advisor.comparing.condition import condition, subject

__all__ = ["Measured", "compare", "condition", "subject"]
