"""The rule folders that apply here, and the names that rules may use."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, FrozenSet, List, Mapping, Sequence

from advisor.base import resource_paths
from advisor.cli.messages import complain
from advisor.model.errors import UserError

if TYPE_CHECKING:
    from advisor.advice.rulebook.checked_rules import CheckedRules

_NAMED = 3
"""Files that are named; of more, their number."""


def rule_folders(
    extra: Sequence[str] = (), environment: Mapping[str, str] = os.environ
) -> List[Path]:
    """Our rule book, then the folders in ADVISOR_RULES, then those given on the command line."""
    site = filter(None, environment.get("ADVISOR_RULES", "").split(os.pathsep))
    folders = [resource_paths.rules(), *map(Path, site), *map(Path, extra)]
    return list({folder.resolve(): folder for folder in reversed(folders)}.values())[::-1]


def rules_in_use(extra: Sequence[str] = ()) -> CheckedRules:
    """The rules of these folders that have no mistake. The others are not used, which is said."""
    from advisor import advice

    folders = rule_folders(extra)
    book = advice.checked_rules(
        folders, lambda book: advice.refused(book, vocabulary(), produced())
    )
    if book.mistakes:
        names = list(dict.fromkeys(Path(each.file).name for each in book.mistakes))
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        own = " ".join(shlex.quote(str(folder)) for folder in folders[1:])
        complain(
            UserError(
                f"{'A rule file' if len(names) == 1 else f'{len(names)} rule files'} with mistakes"
                f" {'is' if len(names) == 1 else 'are'} not used:"
                f" {', '.join(names[:_NAMED])}{more}; to see the mistakes:"
                f" advisor rules check {own}".rstrip()
            )
        )
    return book


def vocabulary() -> Mapping[str, str]:
    """table.column → unit of every measure."""
    import advisor.analysis  # noqa: F401 - declares the metrics
    from advisor.analysis.engine.metric import METRICS

    return {key: metric.unit for key, metric in METRICS.items()}


def produced() -> Mapping[str, FrozenSet[str]]:
    """table.column → the words that it can ever have, for those with a fixed set of them."""
    from advisor.analysis.produced import produced as words

    return words()
