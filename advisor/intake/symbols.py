"""Call sites (module and offset) → function, file and line."""

from __future__ import annotations

from advisor.model.profile import Profile


def resolve(profile: Profile, seconds: float = 10.0) -> Profile:
    """The profile with its call sites named, as far as `seconds` allow."""
    return profile
