"""Intents of a site's own folder: new ones, further words for one of ours, and what is wrong with
them."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import pytest
from rule_writing import HEAD, write

from advisor.advice import read_rules
from advisor.advice.checking.check import check, summary
from advisor.analysis import measure
from advisor.base import resource_paths
from advisor.cli import rules as command
from advisor.cli.rule_book import vocabulary
from advisor.intake import read
from advisor.model.profile import Setting

NEW = """intent  = "burst-buffer"
means   = "Write files through the burst buffer"
size    = "a folder"
example = "/bb"
[[words]]
for    = "any"
set    = "BB_PATH={value}"
check  = "bb-status prints the folder."
undo   = "unset BB_PATH"
source = "our guide"
"""
MORE = """amends = "eager-limit-in-host"
[[words]]
for    = "openmpi >=5"
set    = "OMPI_MCA_btl_sm_eager_limit={value}"
check  = "ompi_info prints it."
undo   = "unset OMPI_MCA_btl_sm_eager_limit"
source = "our guide"
[[words]]
for    = "mvapich >=3"
set    = "SITE_EAGER={value}"
check  = "It prints it."
undo   = "unset SITE_EAGER"
source = "our guide"
[[words]]
for    = "mvapich2"
none   = "Ours has none."
source = "our guide"
"""
RULE = (
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
intent = "INTENT"
value = "64"
[[case]]
name = "long"
given.run = { time = 11 }
given.library = { name = "openmpi", version = "5.0.1" }
expect = "found"
remedy = "WORDS"
[[case]]
name = "short"
given.run = { time = 1 }
expect = "clear"
[[case]]
name = "not known"
given.run = { }
expect = "unknown"
"""
)


def site(folder: Path, *intents: str) -> Path:
    (folder / "intents").mkdir()
    for text in intents:
        (folder / "intents" / f"{text.splitlines()[0].split(chr(34))[1]}.toml").write_text(text)
    return folder


def said(folder: Path):
    return [
        str(mistake).partition("intents/")[2]
        for mistake in check(read_rules([folder]), vocabulary())
    ]


@pytest.mark.parametrize(
    "intent, words",
    [("burst-buffer", "BB_PATH=64"), ("eager-limit-in-host", "OMPI_MCA_btl_sm_eager_limit=64")],
)
def test_a_rule_of_the_site_names_them(tmp_path, intent, words):
    site(tmp_path, NEW, MORE)
    write(tmp_path, RULE.replace("INTENT", intent).replace("WORDS", words))
    book = read_rules([tmp_path])
    assert [str(mistake) for mistake in check(book, vocabulary())] == []
    assert summary(book, ()) == "1 rule, 3 cases, 2 intents of sites: no mistake"


def test_words_of_a_site_replace_those_for_the_same_library(tmp_path):
    before = {intent.id: intent for intent in read_rules([resource_paths.rules()]).intents}[
        "eager-limit-in-host"
    ]
    after = {
        intent.id: intent
        for intent in read_rules([resource_paths.rules(), site(tmp_path, MORE)]).intents
    }["eager-limit-in-host"]
    assert [words.text for words in after.of("openmpi", "5.0.11")] == [
        "OMPI_MCA_btl_sm_eager_limit={value}"
    ]
    assert [words.text for words in after.of("mvapich", "4.0")] == ["SITE_EAGER={value}"]
    assert (
        after.of("openmpi", "4.1.4") == before.of("openmpi", "4.1.4")
        and after.means == before.means
    )


def test_a_setting_of_the_site_is_said_in_the_words_of_the_library(tmp_path):
    """The same run, judged with and without the site's folder."""
    profile = read(resource_paths.samples() / "profiles" / "uneven_compute.4r.json")
    profile = replace(
        profile,
        library=replace(profile.library, name="openmpi", version="4.1.4"),
        settings=(Setting("SITE_EAGER", "4096", "environment"),),
    )
    book = read_rules([resource_paths.rules(), site(tmp_path, MORE)])
    here = [
        measure(profile, intents).tables["setting"].columns["here"].values[0]
        for intents in ((), book.intents)
    ]
    assert here == ["", "OMPI_MCA_btl_vader_eager_limit=4096 OMPI_MCA_btl_vader_max_send_size=4096"]


WRONG = [
    (
        NEW,
        'source = "our guide"\n',
        "",
        "burst-buffer.toml:5: source is missing: manual, publication or measurement",
    ),
    (
        NEW,
        'undo   = "unset BB_PATH"\n',
        "",
        "burst-buffer.toml:5: undo: is missing: how to take it back",
    ),
    (
        NEW,
        "BB_PATH={value}",
        "BB_PATH {value}",
        'burst-buffer.toml:7: set: expected NAME=VALUE, found "BB_PATH {value}"',
    ),
    (
        NEW,
        'example = "/bb"\n',
        "",
        "burst-buffer.toml:6: set: takes a value, and the intent has no `example`",
    ),
    (
        NEW,
        'for    = "any"',
        'for    = "openmp"',
        'burst-buffer.toml:6: for: "openmp" is not a library',
    ),
    (NEW, "set    =", "sett   =", 'burst-buffer.toml:7: unknown key "sett"; did you mean "set"?'),
    (
        NEW,
        "check  =",
        'needs  = ["run.nods > 1"]\ncheck  =',
        "burst-buffer.toml:8: there is no measure run.nods",
    ),
    (
        NEW,
        'source = "our guide"',
        'source = "TODO: your guide"',
        "burst-buffer.toml:10: still to be written: your guide",
    ),
    (
        NEW,
        'intent  = "burst-buffer"',
        'intent  = "burst-buffer"\namends = "x"',
        "burst-buffer.toml:1: an intent has either `intent` or `amends`",
    ),
    (
        NEW,
        'BB_PATH={value}"',
        'BB_PATH=1"\nvalues = { a = "1" }',
        "burst-buffer.toml:8: values: the words have no {value} to put them in",
    ),
    (
        MORE,
        "eager-limit-in-host",
        "eager-limit-in-hosts",
        (
            'eager-limit-in-host.toml:1: amends "eager-limit-in-hosts", which is no intent; did you'
            ' mean "eager-limit-in-host"?'
        ),
    ),
    (
        MORE,
        'amends = "eager',
        'means = "x"\nexample = "1"\nintent = "eager',
        (
            'eager-limit-in-host.toml:3: intent "eager-limit-in-host" is taken; to change its'
            ' words, write amends = "eager-limit-in-host"'
        ),
    ),
    (
        MORE,
        'none   = "Ours has none."',
        'none   = "Ours has none."\nundo = "x"',
        "eager-limit-in-host.toml:17: undo: goes with set or launch only",
    ),
]


@pytest.mark.parametrize(
    "text, old, new, message", WRONG, ids=[row[-1].partition(": ")[2][:40] for row in WRONG]
)
def test_mistakes_have_their_line(tmp_path, text, old, new, message):
    site(tmp_path, text)
    (file,) = (tmp_path / "intents").iterdir()
    file.write_text(text.replace(old, new, 1))
    assert [each for each in said(tmp_path) if each.startswith(message)], said(tmp_path)


def test_a_file_of_another_name_is_told(tmp_path):
    site(tmp_path, NEW)
    (tmp_path / "intents" / "burst-buffer.toml").rename(tmp_path / "intents" / "other.toml")
    assert said(tmp_path) == [
        'other.toml:1: the intent is "burst-buffer", but the file is other.toml; expected'
        " burst-buffer.toml"
    ]


def test_the_command_checks_them_and_the_book_shows_them(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("ADVISOR_RULES", raising=False)
    site(tmp_path, NEW)
    assert command._check(argparse.Namespace(rules=[], folders=[str(tmp_path)])) == 0
    assert "1 intent of sites: no mistake" in capsys.readouterr().out
    assert command._book(argparse.Namespace(rules=[str(tmp_path)])) == 0
    assert "### burst-buffer" in capsys.readouterr().out
