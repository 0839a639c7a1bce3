"""One base has one name in all rules: a reader compares shares of several of them."""

from __future__ import annotations

import re

from advisor.base import resource_paths

OTHER = re.compile(r"of (?:the )?elapsed\b(?! time)|of the elapsed time")


def test_shares_of_elapsed_time_are_said_alike_in_all_folders():
    book = resource_paths.rules()
    files = [each for each in book.glob("*/*.toml") if each.parent.name != "evidence"]
    wrong = [
        f"{file.relative_to(book)}: {line.strip()}"
        for file in files
        for line in file.read_text(encoding="utf-8").splitlines()
        if OTHER.search(line)
    ]
    assert len(files) > 190 and wrong == []
    assert OTHER.search("5 % of elapsed, so") and not OTHER.search("5 % of elapsed time")
