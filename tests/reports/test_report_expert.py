"""What the script adds for experts: order, filters, CSV, values under the pointer, a part of the
time line. The page is opened as it lies on a disk, under its own content policy."""

from __future__ import annotations

import csv
import time
from pathlib import Path

import pytest
from driven_browser import BROWSER, Page

import advisor
from advisor.reports import compose, render

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no chromium here: apt-get install chromium"
)
PROFILE = Path(__file__).resolve().parents[1] / "documents" / "screens" / "cg.4r.profile"
CALLS = "document.querySelector('table[data-name=calls]')"
COLUMN = CALLS + ".tBodies[0].querySelectorAll('tr:not([hidden]) > :nth-child(%d)')"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    place = tmp_path_factory.mktemp("expert") / "report.html"
    document = compose(advisor.read(PROFILE).advice())
    place.write_text(render(document, "html"), encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Page(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture
def page(browser, file):
    browser.open(file)
    browser.value("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    return browser


def texts(page, place):
    return page.value(f"[...{COLUMN % place}].map(cell => cell.textContent)")


def test_only_the_first_screen_is_unfolded(browser, file):
    browser.open(file)
    assert browser.value("document.querySelectorAll('details[open]').length") == 0
    assert browser.value("document.querySelectorAll('details.part').length") >= 6
    seen = "document.querySelector('.screen').getBoundingClientRect().bottom"
    assert browser.value(seen + " < document.documentElement.scrollHeight - 300")


def test_a_link_unfolds_what_it_points_to(browser, file):
    browser.open(file)
    name = browser.value("document.querySelector('.todo a').hash")
    browser.value("document.querySelector('.todo a').click()")
    time.sleep(0.1)
    assert browser.value(f"document.querySelector('{name}').checkVisibility()") is True


def test_a_column_is_ordered_by_keyboard_and_says_so(page):
    head = CALLS + ".querySelectorAll('thead th')[1]"
    page.value(head + ".querySelector('button').focus()")
    page.press("Enter")
    assert page.value(head + ".getAttribute('aria-sort')") == "descending"
    first = texts(page, 1)
    page.press("Enter")
    assert page.value(head + ".getAttribute('aria-sort')") == "ascending"
    assert texts(page, 1) == first[::-1] and len(first) > 2
    arrow = f"getComputedStyle({head}.querySelector('button'), '::after').content"
    assert "\u2191" in page.value(arrow)


def test_a_filter_keeps_the_rows_that_hold_its_words(page):
    field = CALLS + ".parentElement.previousElementSibling.querySelector('input')"
    page.value(f"{field}.value = 'bcast'; {field}.oninput()")
    assert texts(page, 1) == ["MPI_Bcast"]
    page.value(f"{field}.value = ''; {field}.oninput()")
    assert len(texts(page, 1)) > 2


def test_more_rows_are_shown_on_demand(page):
    before = texts(page, 1)
    tools = CALLS + ".parentElement.previousElementSibling"
    page.value(f"[...{tools}.querySelectorAll('button')][0].click()")
    assert len(texts(page, 1)) > len(before) and texts(page, 1)[: len(before)] == before


def test_the_search_unfolds_parts_that_hold_its_words(page):
    page.value("search = document.getElementById('search'); search.value = 'MPI_Bcast'")
    page.value("search.oninput()")
    assert page.value("document.getElementById('tables').open") is True
    assert page.value("document.getElementById('measured').open") is False
    assert texts(page, 1) == ["MPI_Bcast"]


@pytest.mark.parametrize(
    "button, name, first, rows",
    [
        (
            f"[...{CALLS}.parentElement.previousElementSibling.querySelectorAll('button')].at(-1)",
            "calls",
            "Call",
            3,
        ),
        (
            "document.querySelector('.heats.named').previousElementSibling.querySelector('button')",
            "operations",
            "",
            8,
        ),
    ],
)
def test_csv_comes_from_a_page_on_a_disk_under_its_policy(
    page, tmp_path, button, name, first, rows
):
    page.ask("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    page.value(button + ".click()")
    made = tmp_path / f"{name}.csv"
    for _ in range(200):
        if made.exists() and made.stat().st_size:
            break
        time.sleep(0.05)
    table = list(csv.reader(made.read_text(encoding="utf-8").splitlines()))
    assert table[0][0].startswith(first) and len(table) > rows
    assert len({len(row) for row in table}) == 1


TIP = "document.querySelector('.tip')"
FIELD = "document.querySelector('.heats.named .cells')"


def test_arrow_keys_and_the_pointer_read_values(page):
    page.value(FIELD + ".focus()")
    key = "%s.dispatchEvent(new KeyboardEvent('keydown', {key: '%s', bubbles: true}))"
    page.value(key % (FIELD, "ArrowRight"))
    told = page.value(TIP + ".textContent")
    assert told.startswith("MPI_") and "rank 1" in told and "Time in the call: " in told
    page.value(key % (FIELD, "ArrowDown"))
    assert page.value(TIP + ".textContent") != told
    page.value(key % (FIELD, "Escape"))
    assert page.value(TIP + ".hidden") is True
    at = page.value(
        f"(() => {{ {FIELD}.scrollIntoView(); const box = {FIELD}.getBoundingClientRect();"
        " return [box.left + 3, box.top + 3]; })()"
    )
    page.ask("Input.dispatchMouseEvent", type="mouseMoved", x=at[0], y=at[1])
    assert "rank 0" in page.value(TIP + ".textContent")


def test_the_value_that_is_read_is_that_of_the_profile(page):
    """MPI_Bcast on rank 1 took 4.84 s."""
    row = page.value("JSON.parse(document.querySelector('.heats.named').dataset.rows)")
    page.value(f"{FIELD}.cursor = [{row.index('MPI_Bcast')}, 0]; {FIELD}.focus()")
    page.value(f"{FIELD}.dispatchEvent(new KeyboardEvent('keydown', {{key: 'ArrowRight'}}))")
    assert "Time in the call: 4.84\u00a0s" in page.value(TIP + ".textContent")


def test_the_time_line_is_enlarged_and_shifted_with_its_maps(page):
    line = "document.querySelector('.over[data-end]')"
    ends = f"[...{line}.querySelectorAll('.under span')].map(label => label.textContent)"
    boxes = f"[...{line}.querySelectorAll('svg[viewBox]')].map(one => one.getAttribute('viewBox'))"
    whole, before = page.value(ends), page.value(boxes)
    press = line + ".previousElementSibling.querySelectorAll('button')[%d].click()"
    page.value(press % 0)
    assert page.value(ends) != whole
    wide = [float(box.split()[2]) for box in page.value(boxes)]
    assert wide == [float(box.split()[2]) / 2 for box in before]
    page.value(press % 3)
    assert float(page.value(boxes)[0].split()[0]) > 0
    page.value(press % 4)
    assert float(page.value(boxes)[0].split()[0]) == 0


def test_without_script_all_tables_are_there_and_nothing_that_needs_it(browser, file):
    browser.ask("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(file)
    browser.value("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    shown = "[...document.querySelectorAll('%s')].filter(one => one.checkVisibility()).length"
    assert browser.value(shown % "table") >= 8 and browser.value(shown % ".cells svg") >= 4
    assert browser.value(shown % "button, input") == 0
    browser.ask("Emulation.setScriptExecutionDisabled", value=False)
