"""The page of a comparison in a real browser: nothing stands beyond the window, and our script runs
under its policy."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from advisor.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "reports"))
from test_report_browser import BROWSER, in_browser  # noqa: E402

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no chromium here: apt-get install chromium"
)


@pytest.mark.parametrize("width", [360])
def test_a_comparison_fits_the_window(tmp_path, monkeypatch, width):
    monkeypatch.chdir(ROOT)
    page = tmp_path / "c.html"
    main(
        [
            "compare",
            "samples/profiles/late_rank.before.4r.json",
            "samples/profiles/late_rank.after.4r.json",
            "-o",
            str(page),
        ]
    )
    beyond, scroll, classes = in_browser(tmp_path, page.read_text(encoding="utf-8"), width).split(
        "|"
    )
    assert (beyond, int(scroll) <= 0, classes) == ("", True, "js")
