"""rules/VOCABULARY.md says what the metrics say."""

from __future__ import annotations

from advisor.analysis.measure import in_order
from advisor.analysis.vocabulary import vocabulary
from advisor.base import resource_paths

UNITS = {"s", "B", "share", "count", "1/s", "text", "yes/no"}


def test_the_file_is_fresh():
    written = (resource_paths.rules() / "VOCABULARY.md").read_text(encoding="utf-8")
    assert written == vocabulary(), "make it anew: python -m advisor.analysis.vocabulary"


def test_every_metric_has_a_known_unit_and_a_sentence():
    assert [
        declared.key
        for declared in in_order()
        if declared.unit not in UNITS or not declared.meaning.endswith((".", ")"))
    ] == []
