"""New rule files with comments: advice, a policy of a site, or other thresholds for a rule of the
book."""

from __future__ import annotations

import re
from pathlib import Path

from advisor.advice.rulebook.load import IDENTIFIER
from advisor.advice.rulebook.mistakes import nearest
from advisor.advice.rulebook.schema import FOLDERS
from advisor.model.errors import UserError
from advisor.model.rule import Limit, Rule

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_VALUE = re.compile(r"[^\s'\"\\{}]+")

_TEMPLATE = '''\
# A rule reads from top to bottom as a thought. `advisor rules check` tells what is missing or wrong.
schema = 1
id     = "{id}"
found  = "TODO: the cause as a heading; numbers may stand behind a colon"
clear  = "TODO: what is true if all is well"
status = "trial"       # trial: confidence is never high; stable, once it was right on real runs
why    = """
TODO: why this costs time, in two or three plain sentences.
"""

[look]
each  = "operation"    # the table whose rows are looked at; `advisor show RESULT` prints all tables
where = "operation.calls_per_rank > 0"
when  = "operation.share >= limit.share"
say   = "MPI_{{operation.name}} takes {{operation.share}} of elapsed time."
evidence = [
    "Each rank calls it {{operation.calls_per_rank}} times.",
]

# Every threshold has a name and a reason. Quoted values have a unit: "10 s", "8 KiB", "5 %".
[limit]
share = {{ value = "5 %", why = "TODO: why this value", source = "TODO" }}

# Without this nothing may be said; the rule is then moot.
[[require]]
that = "run.ranks > 1"
else = "There is only one rank."

# What may be saved, as a share of elapsed time. The ceiling is the time at stake.
[gain]
low     = "0"
high    = "operation.tunable_share"
ceiling = "operation.tunable_share"
basis   = "model"      # measured, model, published; records, see the guide; none: it stands alone
source  = "TODO: measurement, model or publication"

# One for each library or launcher that has it; exactly one of launch, set, input (with file), code, do, intent (a file of intents).
[[remedy]]
for    = "any"         # or "openmpi >=4,<6", "intel", "app vasp", "slurm"
do     = "TODO: one imperative"
source = "TODO: manual or measurement"
check  = "TODO: how to see that it is in force"
undo   = "TODO: how to take it back"
effort = 2             # 1 one variable, 2 relaunch, 3 rebuild, 4 code, 5 administrator

[[caveat]]
text = "TODO: when it hurts"

# Measures that are left out are unknown.
[[case]]
name            = "TODO: what this case shows"
given.run       = {{ ranks = 4, time = 100 }}
given.operation = {{ name = "Allreduce", calls_per_rank = 1000, share = 0.2, tunable_share = 0.1 }}
expect          = "found"
gain            = [0, 0.1]

[[case]]
name            = "little time"
given.run       = {{ ranks = 4, time = 100 }}
given.operation = {{ name = "Allreduce", calls_per_rank = 1000, share = 0.01, tunable_share = 0.01 }}
expect          = "clear"

[[case]]
name            = "its time is not known"
given.run       = {{ ranks = 4, time = 100 }}
given.operation = {{ name = "Allreduce", calls_per_rank = 1000 }}
expect          = "unknown"
'''


_POLICY = """\
# A policy: what this site wants set, whatever it gains. `advisor rules check` says what is missing.
schema   = 1
id       = "{id}"
kind     = "policy"
severity = "must"      # must, high, medium, low, note
found    = "{name} is not set"
clear    = "{name} is set"
why      = "TODO: why this site asks for it, in a sentence"
# help_url = "https://hpc.example.org/{id}"    # the page of your site about it

[look]
each  = "run"
where = "run.nodes > 1"    # which jobs it is about, such as: library.name == "openmpi" and run.nodes > 2
else  = "This policy is not about such jobs."
when  = 'not any(setting.name == "{name}")'
say   = "{name} is not set."

[[remedy]]
for    = "any"             # or a library, such as "openmpi >=4,<6"
set    = "{name}={value}"
source = "TODO: who decided it, or where it is written"

# Two short tests: a job that breaks the policy, and one that meets it.
[[case]]
name          = "not set"
given.run     = {{ nodes = 4 }}
given.library = {{ name = "openmpi", version = "5.0.3" }}
given.setting = []
expect        = "found"

[[case]]
name          = "set"
given.run     = {{ nodes = 4 }}
given.library = {{ name = "openmpi", version = "5.0.3" }}
given.setting = {{ name = "{name}", value = "{value}" }}
expect        = "clear"
"""
_THRESHOLD = """\
# Other thresholds for a rule of the book; `advisor rules explain {id}` shows what it does with them.
schema = 1
amends = "{id}"
why    = "TODO: why this site wants other thresholds"

# Change the values that differ at your site, and delete the lines of the others.
[limit]
{limits}"""
_LIMIT = '# The book: {why}\n{name} = {{ value = {value}, why = "TODO: why this value" }}\n'


def template(identifier: str) -> str:
    """The text of a new rule."""
    return _TEMPLATE.format(id=identifier)


def policy(identifier: str, setting: str = "") -> str:
    """The text of a new policy. `setting`: NAME=VALUE, if the site wants a variable set."""
    name, equals, value = setting.partition("=")
    if setting and not (_VARIABLE.fullmatch(name) and _VALUE.fullmatch(value)):
        raise UserError(
            f"{setting} is not a variable with its value.", do="Write --set NAME=VALUE."
        )
    return _POLICY.format(
        id=identifier, name=name or "TODO: NAME", value=value if setting else "TODO: VALUE"
    )


def thresholds(rule: Rule) -> str:
    """The text of an amendment with all thresholds of a rule as they are."""
    if not rule.limits:
        raise UserError(
            f"{rule.id} has no thresholds.", do=f"What it looks at: advisor rules explain {rule.id}"
        )
    limits = (
        _LIMIT.format(name=each.name, value=_written(each), why=" ".join(each.why.split()))
        for each in rule.limits.values()
    )
    return _THRESHOLD.format(id=rule.id, limits="".join(limits))


def _written(limit: Limit) -> str:
    try:
        float(limit.text)
        return limit.text
    except ValueError:
        return f'"{limit.text}"'


def write_template(rules: Path, folder: str, identifier: str, text: str) -> Path:
    """Write a new file to rules/folder/identifier.toml; never over a file that is there."""
    if not IDENTIFIER.fullmatch(identifier):
        raise UserError(
            f'"{identifier}" is not a name for a rule.',
            "",
            "Use small words with - between them: threads-share-cores",
        )
    if folder not in FOLDERS:
        raise UserError(
            f'There is no folder "{folder}"{nearest(folder, FOLDERS)}',
            "",
            f"Say --folder with one of {', '.join(FOLDERS)}.",
        )
    file = rules / folder / f"{identifier}.toml"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise UserError(
            f"{file} is there already.",
            "",
            "Choose another name; to change a rule, write a file with amends.",
        ) from None
    except OSError as error:
        raise UserError(
            f"{file} cannot be written: {error.strerror}.",
            "",
            "Give a folder of your own: advisor rules --rules FOLDER new …",
        ) from None
    return file
