"""Rules that were read and checked are kept for the next report, and believed only while files,
folders and our own code are as they were."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rule_writing import DESIGN_RULE

from advisor.advice.rulebook import checked_rules
from advisor.advice.rulebook.load import read_rules
from advisor.base import answer_cache, resource_paths

AMENDMENT = (
    'schema = 1\namends = "threads-share-cores"\nwhy = "Here it is meant."\nstatus = "muted"\n'
)
CHANGES = {
    "nothing": (lambda folder: None, False),
    "a rule changes": (
        lambda folder: (folder / "a.toml").write_text(DESIGN_RULE.replace("take turns", "share")),
        True,
    ),
    "a rule is added": (
        lambda folder: (folder / "b.toml").write_text(
            DESIGN_RULE.replace("threads-share-cores", "another")
        ),
        True,
    ),
    "a rule is added below": (
        lambda folder: (folder / "balance" / "b.toml").write_text(
            DESIGN_RULE.replace("threads-share-cores", "another")
        ),
        True,
    ),
    "a rule is gone": (lambda folder: (folder / "a.toml").unlink(), True),
    "a rule has a mistake": (lambda folder: (folder / "a.toml").write_text("schema = 2\n"), True),
    "a rule is amended": (lambda folder: (folder / "b.toml").write_text(AMENDMENT), True),
}


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder with one rule, a cache of its own, and how often rules were read; files of this
    second count as old."""
    # Other tests may have kept answers beside the installation.
    monkeypatch.setattr(resource_paths, "caches", lambda environment: iter([tmp_path / "cache"]))
    monkeypatch.setattr(answer_cache, "_SETTLED", 0.0)
    count = []
    monkeypatch.setattr(
        checked_rules, "read_rules", lambda folders: count.append(1) or read_rules(folders)
    )
    (tmp_path / "rules" / "balance").mkdir(parents=True)
    (tmp_path / "rules" / "a.toml").write_text(DESIGN_RULE)
    return tmp_path / "rules", count


def plain(book):
    """What judging needs, without cases."""
    return [replace(rule, cases=()) for rule in book.rules], list(book.mistakes), list(book.intents)


@pytest.mark.parametrize("change, read_again", CHANGES.values(), ids=CHANGES)
def test_rules_are_read_again_when_something_changed(site, change, read_again):
    folder, count = site
    for _ in range(2):
        assert plain(checked_rules.checked_rules([folder])) == plain(read_rules([folder]))
    assert len(count) == 1
    change(folder)
    assert plain(checked_rules.checked_rules([folder])) == plain(read_rules([folder]))
    assert len(count) == 1 + read_again


@pytest.mark.parametrize("text", [AMENDMENT, "schema = 2\n"], ids=["an amendment", "a mistake"])
def test_what_is_amended_or_wrong_is_read_each_time(site, text):
    folder, count = site
    (folder / "b.toml").write_text(text)
    for _ in range(2):
        assert plain(checked_rules.checked_rules([folder])) == plain(read_rules([folder]))
    assert len(count) == 2


def test_our_own_book_is_kept_without_loss(site):
    _, count = site
    kept = [checked_rules.checked_rules([resource_paths.rules()]) for _ in range(2)][1]
    assert plain(kept) == plain(read_rules([resource_paths.rules()]))
    assert len(count) == 1


def test_files_are_shown_as_seen_from_where_the_report_is_made(site, tmp_path, monkeypatch):
    folder, count = site
    seen = []
    for place in (tmp_path, folder):
        monkeypatch.chdir(place)
        seen.append(checked_rules.checked_rules([folder]).rules[0].file)
    assert (seen, len(count)) == (["rules/a.toml", "a.toml"], 1)
