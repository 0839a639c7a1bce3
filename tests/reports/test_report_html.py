"""The page: complete without script, no address outside, small, readable, and nothing from a run
leaves its place."""

from __future__ import annotations

import json
import os
import re
from html.parser import HTMLParser

import advices
import pytest

from advisor.reports import compose, render
from advisor.reports.html import VALUES

LONG = pytest.mark.skipif(
    os.environ.get("ADVISOR_TEST_LONG") != "1", reason="runs with ADVISOR_TEST_LONG=1"
)
VOID = {"meta", "br", "rect", "path", "link", "img", "hr", "input"}


class Tags(HTMLParser):
    """Elements and attributes as a browser sees them, and whether they are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found, self.open, self.faults = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)


def page(advice) -> str:
    return render(compose(advice), "html")


def embedded(text: str) -> dict:
    return json.loads(text.partition('id="advisor-data">')[2].partition("</script>")[0])


@pytest.mark.parametrize("state", sorted(advices.STATES))
def test_elements_are_closed_and_anchors_exist(state):
    tags = Tags(page(advices.STATES[state]()))
    assert (tags.faults, tags.open) == ([], [])
    names = [attributes["id"] for _, attributes in tags.found if "id" in attributes]
    assert len(names) == len(set(names))
    targets = [attributes["href"][1:] for tag, attributes in tags.found if tag == "a"]
    assert [target for target in targets if target not in names] == []


def test_anchors_are_rule_ids():
    names = {
        attributes.get("id")
        for tag, attributes in Tags(page(advices.slow_host())).found
        if tag == "article"
    }
    assert names == {
        "slow-host",
        "eager-limit-below-messages",
        "single-copy-blocked",
        "settings-without-effect",
        "rank-0-alone",
    }


@pytest.mark.parametrize("state", sorted(advices.STATES))
def test_one_h1_and_headings_in_order(state):
    levels = [
        int(tag[1])
        for tag, _ in Tags(page(advices.STATES[state]())).found
        if re.fullmatch("h[1-6]", tag)
    ]
    assert levels.count(1) == 1 and levels[0] == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:])), levels


def test_nothing_is_fetched():
    text = page(advices.slow_host())
    assert (
        re.findall(r"(?:src|href|action|srcset)=\"(?!#)[^\"]*\"|url\((?!#)[^)]*\)|@import", text)
        == []
    )
    assert "http" not in text.replace("http-equiv", "")


def test_every_picture_has_words_and_tables_have_scopes():
    tags = Tags(page(advices.slow_host())).found
    assert [
        a
        for tag, a in tags
        if tag == "svg" and not (a.get("aria-label") or a.get("aria-hidden")) and "viewbox" not in a
    ] == []
    assert [a for tag, a in tags if tag == "th" and a.get("scope") not in ("row", "col")] == []


def test_script_is_optional_and_the_only_one_allowed():
    text = page(advices.slow_host())
    tags = Tags(text).found
    policy = next(attributes["content"] for tag, attributes in tags if attributes.get("http-equiv"))
    assert policy.startswith("default-src 'none'") and "script-src 'sha256-" in policy
    assert [
        attributes for tag, attributes in tags if any(name.startswith("on") for name in attributes)
    ] == []
    assert [attributes.get("type") for tag, attributes in tags if tag == "script"] == [
        "application/json",
        None,
    ]


def test_hostile_names_stay_text():
    text = page(advices.hostile())
    scripts = [attributes for tag, attributes in Tags(text).found if tag == "script"]
    assert scripts == [{"type": "application/json", "id": "advisor-data"}, {}]
    assert "<script>alert" not in text and "\x1b" not in text and "\u202e" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;]]&gt;" in text
    assert embedded(text)["head"]["program"].endswith("]]>-->\"'&|`*_")


@pytest.mark.parametrize("format", ["terminal", "markdown", "json"])
def test_hostile_names_stay_text_elsewhere(format):
    text = render(
        compose(advices.hostile()), format, **({"full": True} if format == "terminal" else {})
    )
    assert "\x1b" not in text and "\u202e" not in text
    if format == "markdown":
        assert re.findall(r"(?m)^(?!  |mpirun|```).*(?<!\\)<[a-z/!]", text) == []


@pytest.mark.parametrize(
    "ranks, hosts, limit",
    [
        (2, 1, 300_000),
        (256, 4, 300_000),
        (256, 64, 300_000),
        (4096, 64, 1_500_000),
        (16384, 256, 1_500_000),
        pytest.param(131072, 2048, 1_500_000, marks=LONG),
    ],
)
def test_size(ranks, hosts, limit):
    assert len(page(advices.many_ranks(ranks, hosts)).encode()) < limit


def test_any_matrix_stays_small():
    assert len(page(advices.dense_traffic(256)).encode()) < 300_000


def test_the_data_inside_is_the_report():
    document = compose(advices.slow_host())
    inside, alone = embedded(page(advices.slow_host())), json.loads(render(document, "json"))
    assert inside == alone


def test_long_tables_are_cut_inside_the_page_and_say_so():
    table = embedded(page(advices.many_ranks(4096, 64)))["tables"]["rank"]
    kept = {name: len(column["values"]) for name, column in table["columns"].items()}
    assert table["rows"] == 4096 and set(kept.values()) == {VALUES // len(kept)}


COLORS = re.compile(r"--([a-z0-9]+): (#[0-9a-f]{3,6})")
TEXTS = ("ink", "ink2", "waitink", "moveink", "link", "proof")
SHAPES = ("wait", "move", "wait2", "move2", "gain")


def luminance(color: str) -> float:
    digits = color[1:] if len(color) == 7 else "".join(2 * digit for digit in color[1:])
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    return sum(
        weight * (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4)
        for weight, part in zip((0.2126, 0.7152, 0.0722), parts)
    )


def contrast(one: str, other: str) -> float:
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    "theme", [":root {", ":root:not([data-theme=light])", ":root[data-theme=dark]"]
)
def test_contrast(theme):
    colors = dict(COLORS.findall(page(advices.slow_host()).partition(theme)[2].partition("}")[0]))
    weak = [
        name
        for name in TEXTS
        if min(contrast(colors[name], colors["bg"]), contrast(colors[name], colors["panel"])) < 4.5
    ]
    weak += [name for name in SHAPES if contrast(colors[name], colors["bg"]) < 3]
    assert weak == []


def test_contrast_of_known_pairs():
    assert (round(contrast("#000", "#fff")), round(contrast("#c2530a", "#fff"), 1)) == (21, 4.6)
