"""A new rule file with comments: what each part is for, and a case each for found, clear and
unknown."""

from __future__ import annotations

from pathlib import Path

from advisor.advice.rulebook.load import IDENTIFIER
from advisor.advice.rulebook.mistakes import nearest
from advisor.advice.rulebook.schema import FOLDERS
from advisor.model.errors import UserError

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
say   = "MPI_{{operation.name}} takes {{operation.share}} of elapsed."
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

# What may be saved, as a share of elapsed. The ceiling is the time at stake.
[gain]
low     = "0"
high    = "operation.tunable_share"
ceiling = "operation.tunable_share"
basis   = "model"      # measured, model, published or none; or records, see the guide
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


def template(identifier: str) -> str:
    """The text of a new rule."""
    return _TEMPLATE.format(id=identifier)


def write_template(rules: Path, folder: str, identifier: str) -> Path:
    """Write the template to rules/folder/identifier.toml; never over a file that is there."""
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
            stream.write(template(identifier))
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
