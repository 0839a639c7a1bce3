"""Profile → Measures: arithmetic without opinion. One metric, one small function; its docstring is
its definition."""

from __future__ import annotations

from advisor.analysis.measure import measure

__all__ = ["measure"]
