"""Measures × Rules → Advice."""

from __future__ import annotations

from advisor.advice.checking.cases import run_cases
from advisor.advice.checking.check import refused
from advisor.advice.judging.audience import AUDIENCES, for_audience
from advisor.advice.judging.judge import judge
from advisor.advice.rulebook.checked_rules import checked_rules
from advisor.advice.rulebook.load import has_files, load_rules, read_rules

__all__ = [
    "AUDIENCES",
    "checked_rules",
    "for_audience",
    "has_files",
    "judge",
    "load_rules",
    "read_rules",
    "refused",
    "run_cases",
]
