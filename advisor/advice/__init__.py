"""Measures × Rules → Advice."""

from __future__ import annotations

from advisor.advice.cases import run_cases
from advisor.advice.checked import checked_rules
from advisor.advice.judge import judge
from advisor.advice.load import load_rules, read_rules
from advisor.advice.readers import READERS, for_reader

__all__ = [
    "READERS",
    "checked_rules",
    "for_reader",
    "judge",
    "load_rules",
    "read_rules",
    "run_cases",
]
