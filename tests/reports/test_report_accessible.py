"""axe finds nothing to complain about: all pages in one browser, each in a frame of its own, light
and dark, narrow and wide."""

from __future__ import annotations

import html
import json
import os
import re
from pathlib import Path

import advices
import pytest
from driven_browser import BROWSER, dumped
from mpi_builds import WHEELS

from advisor.__main__ import main
from advisor.reports import compose, render

AXE = WHEELS / "axe" / "axe_playwright_python" / "axe.min.js"
pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason="no chromium here: apt-get install chromium"),
    pytest.mark.skipif(not AXE.exists(), reason="no axe here: .ci/mpi-builds installs it"),
]
LONG = pytest.mark.skipif(
    os.environ.get("ADVISOR_TEST_LONG") != "1", reason="runs with ADVISOR_TEST_LONG=1"
)
RUN = """<script>document.querySelectorAll('details').forEach(part => { part.open = true; });
  addEventListener('load', () => axe.run(document, {resultTypes: ['violations']}).then(found => parent.postMessage(JSON.stringify({frame: name,
  wrong: found.violations.map(v => v.id + ': ' + v.nodes.map(n => n.target.join(' ') + ' ' + n.any.concat(n.all, n.none).map(c => c.message).join(' ')).join('; ')),
  looked: found.passes.length}), '*')))</script>"""
GATHER = """<script>addEventListener('message', event => { const said = document.createElement('pre');
  said.className = 'result'; said.textContent = event.data; document.body.append(said) })</script>"""


def framed(name: str, text: str, width: int, theme: str) -> str:
    """A frame with the page and axe in it. The page's policy allows no script but its own, and axe
    is not."""
    page = re.sub(r"<meta http-equiv[^>]*>", "", text).replace(
        "<html ", f'<html data-theme="{theme}" ', 1
    )
    page = page.replace("</body>", f"<script>{AXE.read_text()}</script>{RUN}</body>")
    return (
        f'<iframe name="{name}" title="{name}" width="{width}" height="900"'
        f' srcdoc="{html.escape(page)}"></iframe>'
    )


def complaints(tmp_path: Path, frames: list, patience: int = 120) -> dict:
    """{frame: what axe calls a violation}; a frame that did not answer is absent."""
    file = tmp_path / "frames.html"
    file.write_text(
        "<!doctype html><html lang=en><meta"
        f" charset=utf-8><title>frames</title><body>{GATHER}{''.join(frames)}</body></html>",
        encoding="utf-8",
    )
    out = dumped(
        file,
        tmp_path / "profile",
        f"--virtual-time-budget={1000 * patience}",
        "--window-size=1700,1000",
        patience=2 * patience,
    )
    answers = [
        json.loads(html.unescape(text))
        for text in re.findall(r'<pre class="result">(.*?)</pre>', out, re.S)
    ]
    return {answer["frame"]: answer["wrong"] for answer in answers if answer["looked"]}


FAULTY = (
    '<!doctype html><html lang="en"><head><title>x</title></head><body><main><h1>x</h1><img'
    ' src="x.png"></main></body></html>'
)
PAGES = [("slow_host", 360, "dark", "en"), ("hostile", 1600, "light", "en")]
MORE = [
    ("slow_host", 1600, "light", "ko"),
    ("lammps", 360, "light", "ja"),
    ("hostile", 360, "dark", "zh"),
    ("killed", 360, "light", "en"),
    ("nothing_found", 360, "dark", "en"),
]


def frames_of(pages) -> dict:
    """{name: frame} of (advice, width, theme, language)."""
    return {
        f"{name} {width} {theme} {language}": framed(
            f"{name} {width} {theme} {language}",
            render(compose(getattr(advices, name)()), "html", language=language),
            width,
            theme,
        )
        for name, width, theme, language in pages
    }


def test_pages_have_no_violations_and_one_with_a_fault_has_one(tmp_path):
    frames = {**frames_of(PAGES), "faulty": framed("faulty", FAULTY, 360, "light")}
    found = complaints(tmp_path, list(frames.values()))
    assert [each.partition(":")[0] for each in found.pop("faulty")] == ["image-alt"]
    assert found == {name: [] for name in frames if name != "faulty"}


@LONG
def test_more_pages_have_none(tmp_path):
    frames = frames_of(MORE)
    assert complaints(tmp_path, list(frames.values()), 300) == {name: [] for name in frames}


@LONG
def test_comparisons_have_none(tmp_path):
    page, root = tmp_path / "c.html", Path(__file__).resolve().parents[2]
    assert (
        main(
            [
                "compare",
                str(root / "samples/profiles/late_rank.before.4r.json"),
                str(root / "samples/profiles/late_rank.after.4r.json"),
                "-o",
                str(page),
            ]
        )
        == 0
    )
    frames = [
        framed(f"{width} {theme}", page.read_text(encoding="utf-8"), width, theme)
        for width, theme in ((360, "light"), (1600, "dark"))
    ]
    assert complaints(tmp_path, frames, 300) == {"360 light": [], "1600 dark": []}


@LONG
@pytest.mark.parametrize("ranks, hosts", [(2, 1), (131072, 2048)])
def test_pages_of_any_size_have_none(tmp_path, ranks, hosts):
    text = render(compose(advices.many_ranks(ranks, hosts)), "html")
    frames = [
        framed(f"{width} {theme}", text, width, theme)
        for width, theme in ((360, "light"), (1600, "dark"))
    ]
    assert complaints(tmp_path, frames, 300) == {"360 light": [], "1600 dark": []}
