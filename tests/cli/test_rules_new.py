"""`advisor rules new`: a template, in the folder that was given."""

from __future__ import annotations

import pytest

from advisor.__main__ import main
from advisor.base import resource_paths


def test_a_folder_of_ones_own_is_written_without_a_word_of_warning(tmp_path, capsys):
    assert main(["rules", "--rules", str(tmp_path), "new", "slow-disk", "--folder", "io"]) == 0
    said = capsys.readouterr()
    assert (tmp_path / "io" / "slow-disk.toml").is_file() and said.err == ""


def test_writing_into_the_book_of_advisor_says_what_becomes_of_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(resource_paths, "rules", lambda: tmp_path)
    monkeypatch.delenv("ADVISOR_RULES", raising=False)
    assert main(["rules", "new", "slow-disk"]) == 0
    assert "advisor rules --rules FOLDER new slow-disk" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name, folder, said",
    [
        ("Bad_Name", "io", "is not a name for a rule"),
        ("good-name", "placment", 'did you mean "placement"?'),
    ],
)
def test_a_wrong_word_is_named_and_nothing_written(name, folder, said, tmp_path, capsys):
    assert main(["rules", "--rules", str(tmp_path), "new", name, "--folder", folder]) == 2
    assert said in capsys.readouterr().err and list(tmp_path.iterdir()) == []
