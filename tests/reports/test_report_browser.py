"""The page in a real browser, all parts unfolded: fits the window, from a phone to a wide screen,
with and without script."""

from __future__ import annotations

import re

import advices
import pytest
from driven_browser import BROWSER, dumped

import advisor
from advisor.base import resource_paths
from advisor.reports import compose, render

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no chromium here: apt-get install chromium"
)
REPORTER = """<script>document.querySelectorAll('details').forEach(part => { part.open = true; });
  document.documentElement.dataset.wide = [...document.body.querySelectorAll('*')].filter(e => !e.closest('.scroll:not(.screen .scroll), .sr, .skip, svg')
  && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + '.' + e.className).join(' ') + '|' + (document.documentElement.scrollWidth - innerWidth)
  + '|' + document.documentElement.className</script>"""


def in_browser(tmp_path, text: str, width: int) -> str:
    """What the page says of itself: elements beyond the right edge | pixels to scroll sideways |
    classes that our script sets."""
    file = tmp_path / "page.html"
    # The policy allows no script but ours; the reporter is not ours.
    file.write_text(
        re.sub(r"<meta http-equiv[^>]*>", "", text).replace("</body>", REPORTER + "</body>"),
        encoding="utf-8",
    )
    out = dumped(
        file, tmp_path / "profile", "--virtual-time-budget=2000", f"--window-size={width},900"
    )
    return re.search(r'data-wide="([^"]*)"', out).group(1)


@pytest.mark.parametrize(
    "name, width, language",
    [
        ("slow_host", 360, "en"),
        ("slow_host", 1600, "en"),
        ("lammps", 360, "en"),
        ("hostile", 360, "en"),
        ("killed", 768, "en"),
        ("slow_host", 360, "ko"),
        ("late_rank.before.4r", 390, "en"),
    ],
)
def test_nothing_stands_beyond_the_window(tmp_path, name, width, language):
    file = resource_paths.samples() / "profiles" / f"{name}.json"
    advice = advisor.read(file).advice() if file.exists() else getattr(advices, name)()
    text = render(compose(advice), "html", language=language)
    beyond, scroll, classes = in_browser(tmp_path, text, width).split("|")
    assert (beyond, int(scroll) <= 0, classes) == ("", True, "js")


def test_the_policy_lets_our_script_run_and_no_other(tmp_path):
    text = render(compose(advices.hostile()), "html")
    file = tmp_path / "page.html"
    file.write_text(
        text.replace(
            "</body>", "<script>document.documentElement.className = 'foreign'</script></body>"
        ),
        encoding="utf-8",
    )
    out = dumped(file, tmp_path / "profile")
    assert re.search(r'<html[^>]*class="([^"]*)"', out).group(1) == "js"
