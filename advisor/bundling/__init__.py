"""Profile → Profile for strangers: numbers and known words stay, names go, and a list of what was
removed."""

from __future__ import annotations

from advisor.bundling.aliases import pseudonyms
from advisor.bundling.redact import Redacted, redact

__all__ = ["Redacted", "pseudonyms", "redact"]
