"""Rule files of anybody's: each is refused with a sentence or judged in seconds and little memory,
whatever is in it.

The rule is valid, and is changed in one place, so that what is hostile in it is reached.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SECONDS, MEMORY = 10, 256 << 20
ROW = '{ name = "Allreduce", calls_per_rank = 1000, share = 0.2, tunable_share = 0.1 }'
RULE = """schema = 1
id     = "a-rule"
found  = "Found it"
clear  = "All is well"
why    = "Because."
TOP
[look]
each  = "operation"
where = "operation.calls_per_rank > 0"
when  = "WHEN"
say   = "SAY"
evidence = [EVIDENCE]
[limit]
share = { value = "5 %", why = "w", source = "s" }
LIMIT
[gain]
low     = "0"
high    = "operation.tunable_share"
basis   = "model"
source  = "s"
[[remedy]]
for    = "any"
do     = "Do it"
source = "s"
check  = "c"
undo   = "u"
MORE
[[case]]
name            = "found"
given.run       = { ranks = 4, time = 100 }
given.operation = ROWS
given.rank      = RANKS
expect          = "found"
[[case]]
name            = "clear"
given.run       = { ranks = 4, time = 100 }
given.operation = { name = "Allreduce", calls_per_rank = 1000, share = 0.01, tunable_share = 0.01 }
given.rank      = { id = 2000 }
expect          = "clear"
[[case]]
name            = "unknown"
given.run       = { ranks = 4, time = 100 }
given.operation = { name = "Allreduce", calls_per_rank = 1000 }
given.rank      = { id = 2000 }
expect          = "unknown"
"""
USUAL = {
    "TOP": "",
    "WHEN": "operation.share >= limit.share",
    "SAY": "{operation.name} takes {operation.share}.",
    "EVIDENCE": "",
    "LIMIT": "",
    "MORE": "",
    "ROWS": ROW,
    "RANKS": "{ id = 0 }",
}


def written(**changed: str) -> str:
    text = RULE
    for place, usual in USUAL.items():
        text = text.replace(place, changed.get(place, usual))
    return text


def lines(form: str, count: int) -> str:
    return "".join(form.format(number) + "\n" for number in range(count))


REFUSED = {
    "a power": (written(WHEN="operation.share >= limit.share * 9**9**9"), "expected + - * or /"),
    "a number of many digits": (
        written(WHEN="operation.share > limit.share * " + "9" * 1900),
        "beyond all bounds",
    ),
    "a number of too many digits": (
        written(LIMIT="x = { value = " + "9" * 200_000 + ', why = "w" }'),
        "not TOML|beyond all bounds",
    ),
    "a text times a number": (
        written(WHEN="operation.name * 1000000000 == operation.name"),
        "is not a number",
    ),
    "a form of a billion letters": (
        written(WHEN="'%1000000000d' % 1 == operation.name"),
        "expected + - * or /",
    ),
    "an f-string": (written(WHEN="f'{9:1000000000}' == operation.name"), "has no place here"),
    "brackets": (
        written(WHEN="(" * 900 + "1" + ")" * 900),
        "too many nested parentheses|nested too deeply",
    ),
    "signs": (written(WHEN="-" * 1900 + "1"), "too large|nested too deeply"),
    "a function": (written(WHEN="(lambda: 1)()"), "no such function"),
    "quotes": (written(WHEN="'" * 19_999), "too many"),
    "a colon and blanks": (written(SAY="{operation.share:" + " " * 19_000 + "!}"), "too many"),
    "colons and blanks": (
        written(SAY="{operation.share" + ":" * 9000 + " " * 9000 + "!}"),
        "too many",
    ),
    "many sentences": (
        written(EVIDENCE=",\n".join(f'"{{operation.share}} {number}"' for number in range(9000))),
        "9000 entries are too many",
    ),
    "many limits": (
        written(LIMIT=lines('l{} = {{ value = 1, why = "w" }}', 6500)),
        "limit l0 is not used",
    ),
    "many limits that are not there": (
        written(
            LIMIT=lines('l{} = {{ value = 1, why = "w" }}', 3000),
            MORE=lines(
                '[[require]]\nthat = "'
                + " and ".join(f"limit.z{{0}}x{n} > 1" for n in range(40))
                + '"\nelse = "e"',
                100,
            ),
        ),
        "limit.z0x0 is not in",
    ),
    "many measures that are not there": (
        written(
            MORE=lines(
                '[[require]]\nthat = "'
                + " and ".join(f"run.z{{0}}x{n} > 1" for n in range(40))
                + '"\nelse = "e"',
                150,
            )
        ),
        "there is no measure run.z",
    ),
    "many keys": (written(TOP=lines("aaaaaaa{} = 1", 15_000)), 'unknown key "aaaaaaa0"'),
    "many sections": (written(MORE=lines("[s{}]", 20_000)), "unknown section"),
    "what is to be written": (written(MORE="# TODO\n" * 30_000), "still to be written"),
    "nested lists": (written(TOP="a = " + "[" * 100_000), "nested too deeply"),
    "nested tables": (written(TOP="a = " + "{a=" * 50_000), "nested too deeply"),
    "a long value": (
        written(LIMIT='x = { value = "' + "9" * 19_000 + '", why = "w" }'),
        "beyond all bounds|9…",
    ),
}


# The peak of its own memory: what getrusage says begins with that of the process that started it.
PROGRAM = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, ({SECONDS}, {SECONDS}))
from advisor.__main__ import main
code = main(sys.argv[1:])
peak = next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmHWM"))
assert peak < {MEMORY}, peak
sys.exit(code)
"""


def bounded(words):
    """What a command prints, within seconds of processor time and some memory; it must not fail."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert "Traceback" not in done.stderr and done.returncode in (0, 1, 2), (
        done.returncode,
        done.stderr[-2000:],
    )
    return done.stdout + done.stderr


def put(tmp_path, text, name="a-rule"):
    file = tmp_path / "rules" / "balance" / f"{name}.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_the_rule_itself_is_right(tmp_path):
    put(tmp_path, written())
    assert ": no mistake" in bounded(["rules", "check", str(tmp_path / "rules")])


@pytest.mark.parametrize("name", REFUSED)
def test_a_hostile_rule_is_one_sentence_in_seconds(name, tmp_path):
    text, said = REFUSED[name]
    put(tmp_path, text)
    shown = bounded(["rules", "check", str(tmp_path / "rules")])
    assert any(part in shown for part in said.split("|")) and len(shown) < 100_000, shown[:2000]


def test_each_row_of_another_table_is_looked_at_in_seconds(tmp_path):
    rows, ranks = ",\n".join([ROW] * 500), ",\n".join(f"{{ id = {n} }}" for n in range(9000))
    put(
        tmp_path,
        written(
            ROWS=f"[{rows}]",
            RANKS=f"[{ranks}]",
            WHEN=(
                "operation.share >= limit.share and sum(rank.id, rank.id >"
                " operation.calls_per_rank) > 0"
            ),
        ),
    )
    assert ": no mistake" in bounded(["rules", "check", str(tmp_path / "rules")])


def test_a_report_is_made_beside_a_rule_that_has_no_end(tmp_path):
    """The sample has two ranks; a sum over them for each cell, ten thousand times."""
    put(
        tmp_path,
        written(
            WHEN=" + ".join(["sum(rank.id, rank.id > operation.share)"] * 25) + " >= 0",
            EVIDENCE='"{operation.share}"',
        ),
    )
    shown = bounded(
        ["report", str(ROOT / "samples" / "verified"), "--rules", str(tmp_path / "rules")]
    )
    assert "eager" in shown


@pytest.mark.parametrize(
    "kind, said",
    [
        ("a pipe", "is not a regular file"),
        ("a device", "leads out of its folder"),
        ("a link out", "leads out of its folder"),
        ("a link to itself", "is not a regular file"),
        ("a folder", "is not a regular file"),
    ],
)
def test_what_is_no_file_is_said_and_not_waited_for(kind, said, tmp_path):
    file = put(tmp_path, "")
    file.unlink()
    {
        "a pipe": lambda: os.mkfifo(file),
        "a device": lambda: file.symlink_to("/dev/zero"),
        "a link out": lambda: file.symlink_to("/etc/passwd"),
        "a link to itself": lambda: file.symlink_to(file),
        "a folder": file.mkdir,
    }[kind]()
    assert f"a-rule.toml: {said}" in bounded(["rules", "check", str(tmp_path / "rules")])


@pytest.mark.parametrize(
    "count, size, said", [(2001, 0, "has 2001 files"), (9, 250_000, "has 2 MiB of rules")]
)
def test_a_folder_of_too_much_is_refused(count, size, said, tmp_path):
    for number in range(count):
        put(tmp_path, "#" * size, f"a-{number}")
    assert said in bounded(["rules", "check", str(tmp_path / "rules")])


def test_as_many_rules_as_are_read(tmp_path):
    for number in range(1000):
        put(tmp_path, written().replace("a-rule", f"a-{number}"), f"a-{number}")
    assert ": no mistake" in bounded(["rules", "check", str(tmp_path / "rules")])
