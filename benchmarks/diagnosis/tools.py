"""Who is asked: advisor, and the published thresholds of other tools, about the same measures."""

from __future__ import annotations

import re
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Tuple

from answers import Answer
from labelled_cases import HERE, LABELS, Case
from forms import FORMS

try:
    import tomllib
except ModuleNotFoundError:  # Python below 3.11
    import tomli as tomllib

THRESHOLDS = tomllib.loads((HERE / "thresholds.toml").read_text(encoding="utf-8"))
_RANK, _HOST = re.compile(r"\b[Rr]anks? (\d+)\b"), re.compile(r"\bhost(\d+)\b")


def measures_of(case: Case, form: str) -> Any:
    """What advisor measures in the file of a case."""
    from advisor.analysis.measure import measure
    from advisor.intake.read import read

    with tempfile.TemporaryDirectory() as folder:
        return measure(read(FORMS[form].write(case, Path(folder))))


class Advisor:
    """advisor itself, by what its findings above a note say."""

    def __init__(self) -> None:
        self.rules = _rule_book()
        self.label = {rule: label for label, about in LABELS.items() for rule in about["advisor"]}

    def __call__(self, measures: Any) -> Answer:
        """What a report of these measures says."""
        from advisor.advice import judge

        found = [
            each
            for each in judge(measures, self.rules).findings
            if each.severity != "note" and each.folder != "measurement"
        ]
        saving = found[0].saving if found else None
        return Answer(
            tuple(self.label.get(each.rule, each.rule) for each in found),
            saving.ceiling / measures.tables["run"].row(0)["time"] if saving else None,
            tuple(each.rule for each in found),
            _named(found[0].subject, measures) if found else (),
        )


@lru_cache(maxsize=None)
def _rule_book() -> Any:
    """It takes longer to read than most cases take to judge."""
    from advisor.advice import load_rules
    from advisor.base import resource_paths

    return load_rules([resource_paths.rules()])


def _named(text: str, measures: Any) -> Tuple[int, ...]:
    """Ranks that a sentence names, or those of the host that it names."""
    ranks = tuple(int(each) for each in _RANK.findall(text))
    if ranks or not _HOST.search(text):
        return ranks
    rows = map(measures.tables["rank"].row, range(len(measures.tables["rank"])))
    return tuple(row["id"] for row in rows if re.search(rf"\b{row['node']}\b", text))


def aps(measures: Any) -> Answer:
    """Application Performance Snapshot: MPI time, its imbalance, and the five longest functions.
    What it says of the longest one is read with good will, as if it named the fault."""
    run, limits = measures.tables["run"].row(0), THRESHOLDS["aps"]
    if not _above(run["mpi_share"], limits["mpi_time"]):
        return Answer(())
    if _above(run.get("wait_share"), limits["imbalance_of_mpi_time"] * run["mpi_share"]):
        return Answer(("load imbalance",), None, ("MPI bound, not well balanced",))
    operations = measures.tables["operation"]
    rows: List[Mapping[str, Any]] = [operations.row(place) for place in range(len(operations))]
    longest = max(rows, key=lambda row: row["share"] or 0, default={"name": ""})["name"]
    label = limits["functions"].get(longest)
    return Answer((label,) if label else (), None, (f"MPI bound, MPI_{longest}",))


def _above(value: Any, limit: float) -> bool:
    return isinstance(value, float) and value > limit


TOOLS: Dict[str, Callable[[], Callable[[Any], Answer]]] = {"advisor": Advisor, "aps": lambda: aps}
