"""The rule folders that apply here, and the names that rules may use."""

from __future__ import annotations

import os
from pathlib import Path
from typing import FrozenSet, List, Mapping, Sequence

from advisor.base import resource_paths


def rule_folders(
    extra: Sequence[str] = (), environment: Mapping[str, str] = os.environ
) -> List[Path]:
    """Our rule book, then the folders in ADVISOR_RULES, then those given on the command line."""
    site = filter(None, environment.get("ADVISOR_RULES", "").split(os.pathsep))
    folders = [resource_paths.rules(), *map(Path, site), *map(Path, extra)]
    return list({folder.resolve(): folder for folder in reversed(folders)}.values())[::-1]


def vocabulary() -> Mapping[str, str]:
    """table.column → unit of every measure."""
    import advisor.analysis  # noqa: F401 - declares the metrics
    from advisor.analysis.engine.metric import METRICS

    return {key: metric.unit for key, metric in METRICS.items()}


def produced() -> Mapping[str, FrozenSet[str]]:
    """table.column → the words that it can ever have, for those with a fixed set of them."""
    from advisor.analysis.produced import produced as words

    return words()
