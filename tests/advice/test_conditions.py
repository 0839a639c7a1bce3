"""Conditions that rules share by name: conditions.toml."""

from __future__ import annotations

import pytest
from rule_writing import HEAD, rule, write

from advisor.advice.rulebook.load import read_rules

LOOK = '[look]\neach = "run"\nwhen = "run.time > limit.long"\nsay = "{run.time}"\n'
LIMIT = '[limit]\nlong = { value = "10 s", why = "w" }\n'
NAMES = '[[require]]\ncondition = "%s"\n'
OF_A_SITE = (
    '[busy]\nthat = "run.cpu_time > limit.little"\nelse = "Idle: {run.cpu_time}."\n'
    'limit.little = { value = "2 s", why = "less is start-up" }\n'
)


@pytest.mark.parametrize(
    "name, own_limit, expected",
    [
        ("cores", "", ("run.no_core_share <= limit.starved", 0.05)),
        ("cores", 'starved = { value = "9 %", why = "w" }\n', (None, 0.09)),
        ("not-oversubscribed", "", ("run.oversubscription <= 1", None)),
        ("busy", "", ("run.cpu_time > limit.little", None)),
    ],
    ids=["ours, with its limit", "the rule's own limit goes before", "without a limit", "a site's"],
)
def test_a_rule_names_a_condition(tmp_path, name, own_limit, expected):
    (tmp_path / "conditions.toml").write_text(OF_A_SITE)
    loaded = rule(tmp_path, LOOK + LIMIT + own_limit + NAMES % name)
    that, starved = expected
    (require,) = loaded.requires
    assert require.that == that or that is None
    assert require.otherwise
    assert getattr(loaded.limits.get("starved"), "value", None) == starved
    assert ("little" in loaded.limits) is (name == "busy")


@pytest.mark.parametrize(
    "file, require, expected",
    [
        ("", NAMES % "core", 'a-rule.toml:13: there is no condition "core"; did you mean "cores"?'),
        ("", NAMES % "cores" + 'else = "e"\n', "a-rule.toml:12: condition stands alone"),
        ("", "[[require]]\ncondition = 3\n", 'there is no condition "3"'),
        ('[cores]\nthat = "run.time > 0"\nelse = "e"\n', "", 'condition "cores" is taken'),
        ('[busy]\nthat = "run.time > 0"\n', "", "conditions.toml:1: else is missing"),
        ('[busy]\nthat = "run.time >"\nelse = "e"\n', NAMES % "busy", "conditions.toml:2: that:"),
        ("busy = 3\n", "", 'expected [busy] with that and else, found "busy"'),
        ("", "[require]\n", "require is written wrongly"),
        ("", "require = [3]\n", "require is written wrongly"),
    ],
)
def test_a_mistake_says_where_it_is(tmp_path, file, require, expected):
    (tmp_path / "conditions.toml").write_text(file)
    text = HEAD.format(id="a-rule")
    first = require if require.startswith("require") else ""
    write(tmp_path, text + first + LOOK + LIMIT + ("" if first else require))
    mistakes = [str(each) for each in read_rules([tmp_path]).mistakes]
    assert [each for each in mistakes if expected in each], mistakes
