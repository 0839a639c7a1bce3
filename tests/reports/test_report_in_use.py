"""The page as it is used: by keyboard alone, on paper, without its script, and by a screen
reader."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import advices
import pytest
from driven_browser import BROWSER, Page

import advisor
from advisor.reports import compose, render

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no chromium here: apt-get install chromium"
)
FOCUS = """(() => { const e = document.activeElement, style = getComputedStyle(e);
  return e === document.body ? null : {tag: e.tagName, text: (e.getAttribute('aria-label') || e.textContent).trim().slice(0, 40), id: e.id, ring: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0} })()"""
REACHABLE = (
    "[...document.querySelectorAll('a[href], button, input, summary, [tabindex=\"0\"]')].filter(e =>"
    " e.checkVisibility()).length"
)
BEYOND = """[...document.body.querySelectorAll('*')].filter(e => e.checkVisibility() && !e.closest('.sr, .skip, svg') && e.getBoundingClientRect().width
  && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + '.' + e.className).join(' ')"""
UNFOLD = "document.querySelectorAll('details').forEach(part => { part.open = true; })"
NAMED = ("button", "link", "image", "img", "table", "region", "navigation", "heading")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """The page of the sample with most in it."""
    place = tmp_path_factory.mktemp("page") / "report.html"
    place.write_text(render(compose(advices.slow_host()), "html"), encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with Page(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


def tabbed(page):
    """What Tab reaches, from the top of the page to its end."""
    found = []
    while len(found) < 500:
        page.press("Tab")
        now = page.value(FOCUS)
        if now is None:
            return found
        found.append(now)
    raise AssertionError("Tab never leaves the page")


def test_all_is_reached_by_keyboard_and_seen_to_be(page, file):
    page.open(file)
    page.value(UNFOLD)
    found = tabbed(page)
    assert found[0]["text"] == "Skip to the findings" and len(found) == page.value(REACHABLE)
    assert [each for each in found if not each["ring"]] == []


def test_enter_opens_details_and_switches_the_theme(page, file):
    page.open(file)
    page.value("document.getElementById('theme').focus()")
    before = page.value("getComputedStyle(document.body).backgroundColor")
    page.press("Enter")
    assert page.value("getComputedStyle(document.body).backgroundColor") != before
    page.value("document.querySelector('summary').focus()")
    assert page.value("document.querySelector('details').open") is False
    page.press("Enter")
    assert page.value("document.querySelector('details').open") is True


def test_on_paper_all_fits_in_black_on_white_without_buttons(page, file):
    page.open(file)
    page.value(UNFOLD)
    page.value("document.documentElement.dataset.theme = 'dark'")
    page.ask(
        "Emulation.setEmulatedMedia",
        media="print",
        features=[{"name": "prefers-color-scheme", "value": "dark"}],
    )
    # A4 without margins, at 96 dpi
    page.ask(
        "Emulation.setDeviceMetricsOverride",
        width=720,
        height=1000,
        deviceScaleFactor=1,
        mobile=False,
    )
    assert page.value(BEYOND) == ""
    # The first screen is page one: 271 mm between the margins.
    assert page.value("document.querySelector('.screen').getBoundingClientRect().bottom") < 1024
    assert page.value("getComputedStyle(document.querySelector('.screen')).breakAfter") == "page"
    assert page.value("getComputedStyle(document.body).backgroundColor") in (
        "rgb(255, 255, 255)",
        "rgba(0, 0, 0, 0)",
    )
    assert page.value("getComputedStyle(document.body).color") in (
        "rgb(0, 0, 0)",
        "rgb(21, 24, 28)",
    )
    assert (
        page.value(
            "[...document.querySelectorAll('button')].filter(e => e.checkVisibility() &&"
            " !e.closest('th')).length"
        )
        == 0
    )
    paper = base64.b64decode(
        page.ask("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)["data"]
    )
    assert (
        paper.startswith(b"%PDF")
        and 1 <= paper.count(b"/Type /Page\n") + paper.count(b"/Type /Page ") <= 12
    )
    page.ask("Emulation.setEmulatedMedia", media="", features=[])


@pytest.mark.parametrize("unfold, pages", [("", 1), (UNFOLD, 2)])
def test_on_paper_a_folded_page_is_one_page(page, tmp_path, unfold, pages):
    """The footer stands below the first screen, and on no page of its own."""
    for name in ("imbalance", "starved"):
        recorded = Path(__file__).parent / "recorded" / f"{name}.2r.profile"
        file = tmp_path / f"{name}.html"
        file.write_text(render(compose(advisor.read(recorded).advice()), "html"), encoding="utf-8")
        page.open(file)
        page.value(unfold)
        paper = page.ask("Page.printToPDF", preferCSSPageSize=True)["data"]
        found = re.findall(rb"/Type /Page\b(?!s)", base64.b64decode(paper))
        assert len(found) == pages if pages == 1 else len(found) >= pages


def test_without_script_the_same_words_are_there(page, file):
    page.open(file)
    page.value(UNFOLD)
    page.value(
        "document.querySelectorAll('.tools button:nth-of-type(1)').forEach(more => {"
        " if (/More/.test(more.textContent)) more.click(); })"
    )
    with_script = page.value("document.body.innerText.replace(/\\s+/g, ' ')")
    page.ask("Emulation.setScriptExecutionDisabled", value=True)
    page.open(file)
    page.value(UNFOLD)
    without = page.value("document.body.innerText.replace(/\\s+/g, ' ')")
    page.ask("Emulation.setScriptExecutionDisabled", value=False)
    assert page.value("document.documentElement.className") != "js"
    buttons = set("Copy Theme Open all CSV Fewer rows".split())
    assert len(without) > 4000 and set(without.split()) ^ set(with_script.split()) <= buttons


def test_a_screen_reader_has_a_name_for_everything(page, file):
    page.open(file)
    page.value(UNFOLD)
    nodes = [
        each for each in page.ask("Accessibility.getFullAXTree")["nodes"] if not each.get("ignored")
    ]
    named = [
        (each["role"]["value"], each.get("name", {}).get("value", "").strip())
        for each in nodes
        if each["role"]["value"] in NAMED
    ]
    assert len(named) > 30 and [role for role, name in named if not name] == []


def test_buttons_speak_the_language_of_the_page(page, tmp_path):
    """Without leave to write the clipboard the command is selected, and the button says so; either
    word is in the catalogue."""
    file = tmp_path / "korean.html"
    file.write_text(render(compose(advices.slow_host()), "html", language="ko"), encoding="utf-8")
    page.open(file)
    assert (
        page.value(
            "[...new Set([...document.querySelectorAll('.cmd button')].map(e =>"
            " e.textContent))].join()"
        )
        == "복사"
    )
    said = page.ask(
        "Runtime.evaluate",
        awaitPromise=True,
        returnByValue=True,
        expression="""(async () => {
      const button = document.querySelector('.cmd button'); button.click(); await new Promise(done => setTimeout(done, 300)); return button.textContent; })()""",
    )
    assert said["result"]["value"] in ("복사됨", "선택됨")
