"""Labels of OpenMetrics, as text."""

from __future__ import annotations

from typing import Tuple

from advisor.model.harmless import visible

LONGEST = 100
"""Letters of a label: monitoring keeps each of them for ever."""
Labels = Tuple[Tuple[str, str], ...]


def labels(*pairs: Tuple[str, str]) -> Labels:
    """Those that say something."""
    return tuple((name, label(value)) for name, value in pairs if value)


def label(value: str) -> str:
    """In one line, and not too long."""
    return visible(value)[:LONGEST]


def written(labels: Labels) -> str:
    """As they stand behind the name of a metric."""
    return (
        "{" + ",".join(f'{name}="{escaped(value)}"' for name, value in labels) + "}"
        if labels
        else ""
    )


def escaped(text: str) -> str:
    """What stands between quotes, or is a help text."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
