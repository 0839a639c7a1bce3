"""Limits the time that all rules together may take: rules of others may be arbitrarily expensive.

Two tables of a hundred thousand rows, one looked at for each row of the other, take hours, and each
of them alone is nothing unusual.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import Iterator

from advisor.advice.language.scope import View
from advisor.model.rule import Rule

SECONDS = 5.0
"""Of processor time. All of our own rules together take about one on a hundred thousand ranks."""


class TookTooLong(Exception):
    """The rules of others have used up their time."""


class TimeLimit:
    """The time that is left for rules that others wrote or amended. Our own are looked at to the
    end."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.left = seconds

    @contextmanager
    def of(self, rule: Rule, view: View) -> Iterator[None]:
        """Raises TookTooLong from within if this rule goes beyond what is left."""
        begin, before = time.process_time(), view.patient
        if rule.of_site:
            view.patient = lambda: self._ask(begin)
        try:
            if rule.of_site:
                self._ask(begin)
            yield
        finally:
            view.patient = before
            if rule.of_site:
                self.left -= time.process_time() - begin

    def _ask(self, begin: float) -> None:
        if time.process_time() - begin > self.left:
            raise TookTooLong(f"the rules that are not advisor's own took more than {SECONDS:g} s")
