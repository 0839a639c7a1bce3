"""Rules and measures written in tests: short texts in, Rules, Views and Advice out."""

from __future__ import annotations

from pathlib import Path
from typing import Mapping, Sequence

from advisor.advice.checking.cases import given_measures
from advisor.advice.judging.judge import judge_rule
from advisor.advice.language.scope import Scope, View
from advisor.advice.rulebook.load import load_rules
from advisor.model.rule import Limit

HEAD = 'schema = 1\nid = "{id}"\nfound = "Found it"\nclear = "All is well"\nwhy = "Because."\n'

# A whole rule, plus the cases that a rule must have.
DESIGN_RULE = '''schema = 1
id     = "threads-share-cores"
found  = "Threads of a rank take turns on too few cores"
clear  = "Every thread has a core of its own"
status = "stable"
why    = """
A rank bound to fewer cores than it has threads runs them in turns, and all other ranks wait for it
at the next collective call. The usual cause is a launcher that gives each rank one core by default.
"""

[look]
each  = "rank"
where = "rank.threads > 1"
when  = "rank.cores < rank.threads * limit.cores_per_thread"
say   = "Rank {rank.id} on {rank.node} runs {rank.threads:thread} on {rank.cores:core}."

[limit]
cores_per_thread = { value = 1,      why = "Threads that compute gain little from sharing a core." }
shortest_run     = { value = "10 s", why = "Start-up settles within 5 s in our samples; twice that is safe." }

[[require]]
that  = "run.time >= limit.shortest_run"
else  = "The run took less than {limit.shortest_run}: starting up is most of what was measured."

[gain]
low    = "0.5 * rank.compute_share * (1 - rank.cores / rank.threads)"
high   = "rank.compute_share * (1 - rank.cores / rank.threads)"
basis  = "model"
source = "Amdahl's law over the time outside MPI."

[[remedy]]
for    = "openmpi >=4"
launch = "mpirun --map-by slot:PE={rank.threads} --bind-to core"
source = "mpirun(1), --map-by with PE=n"

[[case]]
name       = "eight threads on the one core Open MPI gives to jobs of two ranks"
given.run  = { time = 120 }
given.rank = { id = 0, node = "n1", threads = 8, cores = 1, compute_share = 0.8 }
expect     = "found"
gain       = [0.35, 0.70]
'''


def write(folder: Path, text: str, name: str = "a-rule", topic: str = "balance") -> Path:
    """Write a rule file to folder/topic/name.toml."""
    file = folder / topic / f"{name}.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def rule(folder: Path, body: str, name: str = "a-rule", topic: str = "balance"):
    """The one rule that a body makes, after a usual head."""
    write(folder, HEAD.format(id=name) + body, name, topic)
    (loaded,) = load_rules([folder])
    return loaded


def scope(
    given: Mapping[str, object],
    limits: Mapping[str, float] = {},
    rows: Mapping[str, int] = {},
    units: Mapping[str, str] = {},
) -> Scope:
    """A scope over tables of a case."""
    made = {name: Limit(name, value, str(value), "because") for name, value in limits.items()}
    return Scope(View(given_measures(given, units)), made, rows)


def opinion(loaded, given: Mapping[str, object], units: Mapping[str, str] = {}):
    """What a rule says about tables of a case."""
    return judge_rule(loaded, View(given_measures(given, units)))


def verdict(said: object) -> str:
    """found, clear, moot or unknown."""
    return said.verdict.value if hasattr(said, "verdict") else "found"


def plain(text: str) -> str:
    """Thin and no-break spaces as plain ones, so that tests can be read."""
    return text.replace("\u202f", " ").replace("\u00a0", " ").replace("\u2212", "-")


def rows(*values: float, column: str = "x") -> Sequence[Mapping[str, object]]:
    """Rows with one column; None is unknown."""
    return [{} if value is None else {column: value} for value in values]
