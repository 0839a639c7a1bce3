"""Calls of an operation in a profile."""

from __future__ import annotations

from typing import Dict

from advisor.model.profile import Profile


def counted(profile: Profile, operation: str) -> Dict[int, int]:
    """Rank → number of its calls."""
    calls = profile.tables["calls"]
    chosen = calls["operation"] == operation
    return {
        int(rank): int(calls["count"][chosen & (calls["rank"] == rank)].sum())
        for rank in set(calls["rank"])
    }
