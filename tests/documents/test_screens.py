"""docs/SCREENS.md shows what `advisor report` prints of recorded runs.

To accept changed screens: ADVISOR_GOLDEN=write pytest tests/documents/test_screens.py, then read
the diff. ADVISOR_TEST_LONG=1 makes that of 131 072 ranks too.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

import advisor

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "SCREENS.md"
SCREENS = re.compile(r"(?m)^`advisor report (\S+)`\n\n```text\n((?:.*\n)*?)```$")
LARGE = "job.profile"


def shown():
    """The command's profile → what the page shows below it."""
    return dict(SCREENS.findall(PAGE.read_text(encoding="utf-8")))


@pytest.fixture
def here(monkeypatch, tmp_path, request):
    """The folder of the checkout; of the large job a new one with its profile."""
    if request.node.callspec.params["profile"] != LARGE:
        monkeypatch.chdir(ROOT)
        return
    if os.environ.get("ADVISOR_TEST_LONG") != "1":
        pytest.skip("runs with ADVISOR_TEST_LONG=1")
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import scale

    scale.built(tmp_path, "scale", "*.c")
    subprocess.run([tmp_path / "scale", "131072", tmp_path / LARGE], check=True)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("profile", list(shown()))
def test_a_screen_is_as_the_page_shows_it(here, profile):
    text = advisor.read(profile).report("terminal")
    if os.environ.get("ADVISOR_GOLDEN") == "write":
        page = PAGE.read_text(encoding="utf-8")
        before = f"`advisor report {profile}`\n\n```text\n{shown()[profile]}```"
        after = f"`advisor report {profile}`\n\n```text\n{text}```"
        PAGE.write_text(page.replace(before, after), encoding="utf-8")
    assert shown()[profile] == text
    assert len(text.splitlines()) <= 25 and max(map(len, text.splitlines())) <= 80
