"""`advisor rules`: lint, cases, list, explain, new, schema."""

from __future__ import annotations

import argparse
import json

import pytest
from rule_writing import DESIGN_RULE, HEAD, write

from advisor.advice.checking.cases import run_cases
from advisor.advice.checking.check import check
from advisor.advice.rulebook.load import load_rules, read_rules
from advisor.advice.rulebook.template import template
from advisor.base import resource_paths
from advisor.cli import rule_book, rules
from advisor.model.errors import UserError

VOCABULARY = {
    "run.time": "s",
    "run.ranks": "count",
    "rank.cores": "count",
    "rank.threads": "count",
    "operation.name": "text",
}
GOOD = (
    HEAD.format(id="a-rule")
    + """severity = "low"
[look]
each = "run"
when = "run.time > limit.long"
say = "{run.time}"
[limit]
long = { value = "10 s", why = "w" }
[[remedy]]
for = "any"
do = "it"
source = "s"
[[case]]
name = "long"
given.run = { time = 11 }
expect = "found"
state = "doable"
remedy = "it"
gain = []
[[case]]
name = "short"
given.run = { time = 9 }
expect = "clear"
[[case]]
name = "not timed"
given.run = { ranks = 2 }
expect = "unknown"
"""
)


def mistakes(tmp_path, text, vocabulary=VOCABULARY, name="a-rule", topic="io"):
    write(tmp_path, text, name, topic)
    return [(each.line, each.what) for each in check(read_rules([tmp_path]), vocabulary)]


def test_a_good_rule_has_no_mistake(tmp_path):
    assert mistakes(tmp_path, GOOD) == []


CHANGES = [
    # in the good rule               becomes                         line, message
    (
        "run.time > limit.long",
        "run.tme > limit.long",
        9,
        'there is no measure run.tme; did you mean "run.time"?',
    ),
    ('each = "run"', 'each = "runs"', 8, 'each: there is no table "runs"'),
    (
        "given.run = { time = 9 }",
        "given.run = { time = 9, rank = 1 }",
        26,
        'there is no measure run.rank; did you mean "run.ranks"?',
    ),
    (
        'found = "Found it"',
        'found = "After {run.time}: too long"',
        3,
        "found: a number may stand behind a colon only",
    ),
    ("run.time > limit.long", "run.time > 10", 12, "limit long is not used"),
    (
        "run.time > limit.long",
        "run.time > 10",
        9,
        "when: the bare number 10 needs a name and a reason in [limit]",
    ),
    ('why = "w" }', 'why = "" }', 12, "limit long has no reason"),
    ('do = "it"', 'set = "A = 1"', 15, 'set: expected NAME=VALUE, found "A = 1"'),
    ('source = "s"', 'source = ""', 16, "a remedy needs a source"),
    ('severity = "low"\n', "", 2, "no [gain] and no severity"),
    (
        'id = "a-rule"',
        'id = "b-rule"',
        2,
        'id is "b-rule", but the file is a-rule.toml; expected b-rule.toml',
    ),
    ('expect = "unknown"', 'expect = "clear"', 2, 'no [[case]] expects "unknown"'),
    (
        'expect = "unknown"',
        'expect = "clear"',
        29,
        'case "not timed": expected clear, got unknown (run.time: not measured)',
    ),
    ("time = 9", "time = 12", 25, 'case "short": expected clear, got found'),
    (
        "gain = []",
        "gain = [0, 1]",
        18,
        "expected a gain of [0, 1], got no number (no basis for a number)",
    ),
    ('state = "doable"', 'state = "withheld"', 18, 'expected "withheld", got "doable"'),
    (
        'remedy = "it"',
        'remedy = "that"',
        18,
        'expected a remedy with "that", got do: it (you can do this)',
    ),
]


@pytest.mark.parametrize("old, new, line, message", CHANGES, ids=[each[3][:40] for each in CHANGES])
def test_lint(tmp_path, old, new, line, message):
    assert old in GOOD
    found = mistakes(tmp_path, GOOD.replace(old, new, 1))
    assert [(at, what) for at, what in found if at == line and message in what], found


def test_an_unknown_folder_is_told(tmp_path):
    assert mistakes(tmp_path, GOOD, topic="mesages") == [
        (2, 'the folder "mesages" is not known; did you mean "messages"?')
    ]


def test_factors_of_a_gain_may_stand_bare_because_its_source_explains_them(tmp_path):
    text = (
        DESIGN_RULE
        + '[[case]]\nname = "c"\ngiven.run = { time = 120 }\ngiven.rank = { threads = 2, cores = 2'
        ' }\nexpect = "clear"\n'
    )
    text += (
        '[[case]]\nname = "u"\ngiven.run = { time = 120 }\ngiven.rank = { threads = 2 }\nexpect ='
        ' "unknown"\n'
    )
    write(tmp_path, text, "threads-share-cores", "placement")
    assert check(read_rules([tmp_path])) == ()


def test_cases_of_the_design_pass_and_fail_when_the_limit_is_changed(tmp_path):
    write(
        tmp_path,
        DESIGN_RULE.replace("{ value = 1, ", "{ value = 0.1, "),
        "threads-share-cores",
        "placement",
    )
    (loaded,) = load_rules([tmp_path])
    (result,) = run_cases(loaded)
    assert result.wrong == ("expected found, got clear (Every thread has a core of its own)",)


def test_the_template_lacks_only_what_it_leaves_to_its_author(tmp_path):
    text = template("new-rule")
    file = write(tmp_path, text, "new-rule", "messages")
    found = [
        (each.line, each.what) for each in check(read_rules([tmp_path]), rule_book.vocabulary())
    ]
    assert found[0] == (
        4,
        "still to be written: the cause as a heading; numbers may stand behind a colon",
    )
    assert [line for line, _ in found] == [
        number for number, line in enumerate(text.splitlines(), 1) if "TODO" in line
    ]
    file.write_text(text.replace("TODO", "Done"))
    assert check(read_rules([tmp_path]), rule_book.vocabulary()) == ()


def command(capsys, *words):
    parser = argparse.ArgumentParser()
    rules.add(parser.add_subparsers())
    arguments = parser.parse_args(["rules", *words])
    code = arguments.run(arguments)
    return code, capsys.readouterr().out


def test_check_has_exit_code_1_and_file_and_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(resource_paths, "rules", lambda: tmp_path / "ours")
    monkeypatch.delenv("ADVISOR_RULES", raising=False)
    file = write(tmp_path / "ours", GOOD, topic="io")
    assert command(capsys, "check") == (0, "1 rule, 3 cases: no mistake\n")
    file.write_text(GOOD.replace("time = 9", "time = 12"))
    code, text = command(capsys, "check")
    assert code == 1 and 'a-rule.toml:25: case "short": expected clear, got found' in text


@pytest.mark.parametrize(
    "change", ["mute = true\n", '[limit]\nlong = { value = "20 s", why = "Here." }\n']
)
def test_the_cases_of_an_amended_rule_are_those_of_its_author(change, tmp_path):
    write(tmp_path / "ours", GOOD, topic="io")
    write(
        tmp_path / "site",
        f'schema = 1\namends = "a-rule"\nwhy = "Known here."\n{change}',
        "here",
        "io",
    )
    assert check(read_rules([tmp_path / "ours", tmp_path / "site"]), None) == ()


def test_folders_of_the_environment_and_of_the_line_come_after_ours(tmp_path):
    folders = rule_book.rule_folders(["c"], {"ADVISOR_RULES": f"{tmp_path}:b"})
    assert [str(each) for each in folders] == [str(resource_paths.rules()), str(tmp_path), "b", "c"]


def test_new_writes_a_template_once_and_stays_in_its_folder(tmp_path, capsys):
    (tmp_path / "mine").mkdir()
    words = ["--rules", str(tmp_path / "mine"), "new", "slow-disk", "--folder", "io"]
    code, text = command(capsys, *words)
    assert code == 0 and (tmp_path / "mine" / "io" / "slow-disk.toml").read_text() == template(
        "slow-disk"
    )
    with pytest.raises(UserError, match="is there already"):
        command(capsys, *words)
    for wrong in (["../evil"], ["Evil"], ["a-b", "--folder", "../io"]):
        with pytest.raises(UserError):
            command(capsys, "--rules", str(tmp_path / "mine"), "new", *wrong)


def test_list_and_its_json_name_every_rule(capsys):
    code, text = command(capsys, "list")
    code, data = command(capsys, "list", "--json")
    read = json.loads(data)
    assert len(read) > 0 and all(each["id"] in text and each["measures"] for each in read)


def test_explain_has_every_part_of_a_rule(tmp_path, capsys):
    write(
        tmp_path,
        DESIGN_RULE.replace("threads-share-cores", "a-rule-of-mine"),
        "a-rule-of-mine",
        "placement",
    )
    code, text = command(capsys, "--rules", str(tmp_path), "explain", "a-rule-of-mine")
    flat = " ".join(text.split())
    for part in (
        "Threads of a rank take turns",
        "at the next collective call",
        "Looks at each rank with rank.threads > 1",
        "shortest_run = 10 s: Start-up settles",
        "model: Amdahl's law",
        "for openmpi >=4 (you, effort 2)",
        "launch: mpirun --map-by slot:PE={rank.threads}",
        "found: eight threads on the one core",
        "Needs to know rank.compute_share, rank.cores",
    ):
        assert part in flat
    with pytest.raises(UserError, match="did you mean"):
        command(capsys, "--rules", str(tmp_path), "explain", "a-rule-of-min")


def test_the_schema_knows_every_key_of_the_form(capsys):
    code, printed = command(capsys, "schema")
    records, form = (json.loads(printed)["else"][part]["properties"] for part in ("then", "else"))
    assert code == 0 and {"topic", "about", "all", "record"} <= set(records)
    assert {
        "look",
        "limit",
        "require",
        "evidence",
        "gain",
        "remedy",
        "caveat",
        "case",
        "id",
        "found",
    } <= set(form)
    assert (
        form["remedy"]["items"]["required"] == ["for"]
        and {"required": ["set", "source"]} in form["remedy"]["items"]["oneOf"]
    )
    assert form["look"]["required"] == ["each", "when", "say"]
    assert form["limit"]["additionalProperties"]["properties"]["value"]["type"] == [
        "number",
        "string",
    ]


FAULTY = """schema = 1
id     = "other-rule"
found  = "Found it
clear  = "All is well"
why    = "Because."
sevrity = "low"
[look]
each = "run"
when = "run.tme > 10 and limit.missing > 1"
say  = "{run.time"
[limit]
unused = { value = "10 sec", why = "w" }
[gain]
basis = "none"
low   = "0 +"
[[remedy]]
for = "openmp"
do  = "it"
source = "s"
[[remedy]]
for = "any"
set = "A = 1"
source = "s"
[[case]]
name = "c"
given.run = { tme = 1 }
expect = "foun"
"""
FOUND = [
    (2, 'id is "other-rule", but the file is a-rule.toml; expected other-rule.toml'),
    (3, "not TOML: Illegal character '\\n'"),
    (6, 'unknown key "sevrity"; did you mean "severity"?'),
    (9, "limit.missing is not in [limit]; expected one of unused"),
    (9, 'there is no measure run.tme; did you mean "run.time"?'),
    (9, "when: the bare number 10 needs a name and a reason in [limit]"),
    (10, "say: a brace without its partner"),
    (12, 'limit unused: value: "10 sec" is not a quantity'),
    (15, "low: column"),
    (17, 'for: "openmp" is not a library; expected any of'),
    (22, 'set: expected NAME=VALUE, found "A = 1"'),
    (26, 'there is no measure run.tme; did you mean "run.time"?'),
    (27, 'expect: "foun" is not known; did you mean "found"?'),
]


def test_one_look_shows_all_mistakes_of_a_file(tmp_path):
    found = mistakes(tmp_path, FAULTY)
    missing = [(line, what) for line, what in FOUND if not told(found, line, what)]
    assert (missing, len(found)) == ([], len(FOUND)), "\n".join(map(str, found))


def told(found, line, what):
    return any(at == line and said.startswith(what) for at, said in found)
