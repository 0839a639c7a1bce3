"""One base has one name in all rules: a reader compares shares of several of them. Counts have the
number of their noun."""

from __future__ import annotations

import re

from advisor.base import resource_paths

OTHER = re.compile(r"of (?:the )?elapsed\b(?! time)|of the elapsed time")
# Limits are given: none that stands before such a noun is 1. A request is text for a mail.
BARE = re.compile(r"^(?!request).*\{(?!limit\.)[^{}:]*(?<!operation)(?<!name)\} (?:calls|ranks)\b")


def _lines_with(form: re.Pattern) -> list[str]:
    book = resource_paths.rules()
    files = [each for each in book.glob("*/*.toml") if each.parent.name != "evidence"]
    assert len(files) > 190
    return [
        f"{file.relative_to(book)}: {line.strip()}"
        for file in files
        for line in file.read_text(encoding="utf-8").splitlines()
        if form.search(line)
    ]


def test_shares_of_elapsed_time_are_said_alike_in_all_folders():
    assert _lines_with(OTHER) == []
    assert OTHER.search("5 % of elapsed, so") and not OTHER.search("5 % of elapsed time")


def test_one_call_and_one_rank_are_no_plural():
    assert _lines_with(BARE) == []
    assert BARE.search('found = "{operation.calls} calls of"')
    assert not BARE.search('found = "{operation.calls:call} of MPI_{operation.name} calls"')
