"""Names that come from a run or from rules of a site stay text: in the page, in a terminal, in a
ticket, in tables."""

from __future__ import annotations

import json
import pathlib
import re
import unicodedata
from collections import Counter
from html.parser import HTMLParser
from typing import Any, Callable

import pytest
from markdown_it import MarkdownIt

from advisor import advice, analysis, intake, reports
from advisor.__main__ import main
from advisor.cli.rule_book import rule_folders
from advisor.model.errors import UserError

from .seeds import SAMPLES

NAMES = {
    "script": "<script>alert(1)</script>",
    "end of script": "</script><script>alert(1)//",
    "comment": "<!--<script>-->]]>",
    "attribute": '" onmouseover="alert(1)" x=\'',
    "single quote": "' onload='alert(1)",
    "image": "<img src=x onerror=alert(1)>",
    "picture": "</svg><svg onload=alert(1)>",
    "style": "</style><style>*{background:url(//x)}",
    "entity": "&lt;b&gt;&#60;b&#62;&",
    "template": "{{ 7 * 7 }}{% raw %}{run.elapsed}",
    "address": "javascript:alert(1)",
    "back quotes": "`<b>x</b>` ``<i>``",
    "markdown": (
        "[x](javascript:alert(1)) ![x](http://x/y.png) <http://x.example> **b** [x]: http://x"
    ),
    "bare address": "https://evil.example/x www.evil.example",
    "block": "x\n\n# heading\n\n<div>\n\n    code\n```\n- list",
    "table": "a|b | c \\| d",
    "escapes": "\x1b[2J\x1b]0;title\x07\x1b]8;;http://x\x1b\\\x9b31m\x08\r\x00x",
    "directions": "\u202eevil\u2066\u200b\u2028\ue000\ufeff",
    "markup of rich": "[red]x[/red] [link=http://x]y[/link] [/] :smile:",
    "long": "x" * 3000,
    "wide": "漢字" * 200,
}
KEPT = (
    "format",
    "version",
    "name",
    "unit",
    "dtype",
    "operation",
    "class",
    "path",
    "kind",
    "tables",
)
"""Keys of a profile whose texts are words of the format, not of the run."""


def everywhere(value: Any, put: Callable[[str], str], key: str = "") -> Any:
    """The JSON of a profile with other texts in it."""
    if isinstance(value, str):
        return put(value) if value else value
    if isinstance(value, list):
        return [everywhere(part, put, key) for part in value]
    if isinstance(value, dict):
        return {
            name: (
                everywhere(part, put, name) if name not in ("format", "version", "tables") else part
            )
            for name, part in value.items()
        }
    return value


def profile_with(folder: pathlib.Path, put: Callable[[str], str]) -> pathlib.Path:
    """A sample in which every text of the run is `put` of what it was: program, arguments, hosts,
    facts, settings, communicators, sites, gaps."""
    content = json.loads((SAMPLES / "heat.4r.json").read_text())
    content = everywhere(content, put)
    content["library"].update(name="openmpi", version=put("4.1.4"))
    content["gaps"].append(
        {"subject": put("gap"), "reason": put("reason"), "collect": put("collect")}
    )
    content["settings"].append(
        {
            "name": put("UCX_TLS"),
            "value": put("value"),
            "source": put("environment"),
            "differs": True,
        }
    )
    for table in content["tables"].values():
        for column in table["columns"]:
            if column["name"] not in KEPT:
                column["values"] = [
                    put(value) if isinstance(value, str) and value else value
                    for value in column["values"]
                ]
    _sites_named(content["tables"]["sites"], put)
    path = folder / "profile.json"
    path.write_text(json.dumps(content))
    return path


def _sites_named(sites: dict, put: Callable[[str], str]) -> None:
    have = {column["name"] for column in sites["columns"]}
    for name in ("module", "function", "file"):
        if name not in have:
            sites["columns"].append(
                {"name": name, "unit": "text", "values": [put(name)] * sites["rows"]}
            )


RULE = """schema = 1
id = "site-rule"
found = {text}
clear = {text}
why = {text}
[look]
when = "run.elapsed > limit.x"
say = {text}
evidence = [{text}]
[limit]
x = {{ value = "0 s", why = {text}, source = {text} }}
[[evidence]]
text = {text}
source = {text}
conditions = {text}
[gain]
low = "0"
high = "run.elapsed"
ceiling = "run.elapsed"
basis = "model"
source = {text}
[[remedy]]
for = "any"
who = "user"
code = {text}
source = {text}
check = {text}
undo = {text}
effort = 1
[[caveat]]
when = "run.elapsed > 0"
say = {text}
"""


def rules_with(folder: pathlib.Path, text: str) -> pathlib.Path:
    """A folder of a site with one rule that finds something and says `text` in all its places."""
    (folder / "rules").mkdir(exist_ok=True)
    plain = text.replace("{", "").replace("}", "").replace("%", "")
    (folder / "rules" / "site-rule.toml").write_text(
        RULE.format(
            text=json.dumps(
                "".join(c for c in plain if unicodedata.category(c) != "Cc" or c == "\n")
            ).replace("\\/", "/")
        )
    )
    return folder / "rules"


def document(folder: pathlib.Path, text: str):
    """What the report says where every name is `text`."""
    profile = intake.read(profile_with(folder, lambda old: text))
    folder = rules_with(folder, text)
    book = advice.read_rules([*rule_folders([]), folder])
    found = advice.judge(analysis.measure(profile), book.rules, book.mistakes)
    assert any(each.rule == "site-rule" for each in found.findings) or book.mistakes
    return reports.compose(found)


class Page(HTMLParser):
    """Elements and names of attributes of a page, and where it leads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: Counter = Counter()
        self.leads, self.styles = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found[tag, tuple(sorted(name for name, _ in attributes))] += 1
        self.leads += [
            value
            for name, value in attributes
            if name in ("href", "src", "action", "xlink:href", "srcset", "formaction")
        ]
        self.styles += [value for name, value in attributes if name == "style"]

    handle_startendtag = handle_starttag


@pytest.fixture(scope="module")
def harmless(tmp_path_factory) -> Page:
    return Page(reports.render(document(tmp_path_factory.mktemp("harmless"), "harmless"), "html"))


@pytest.mark.parametrize("name", NAMES)
def test_everywhere(name, tmp_path, harmless):
    made = document(tmp_path, NAMES[name])
    text = reports.render(made, "html")
    page = Page(text)
    # The elements are those of harmless names; words in back quotes are set as code.
    strange = {element for element in page.found if element not in harmless.found} - {("code", ())}
    assert strange == set()
    assert all(lead.startswith("#") for lead in page.leads) and not [
        style for style in page.styles if "url" in style or "expression" in style
    ]
    assert page.found["script", ()] == 1 and page.found["script", ("id", "type")] == 1
    inside = text.partition('id="advisor-data">')[2].partition("</script>")[0]
    assert "<" not in inside and json.loads(inside)
    printable(text)
    for options in (
        {},
        {"full": True},
        {"full": True, "color": True},
        {"ascii_only": True, "full": True},
    ):
        printable(
            re.sub(r"\x1b\[[0-9;]*m", "", reports.render(made, "terminal", **options))
            if "color" in options
            else reports.render(made, "terminal", **options)
        )
    ticket(reports.render(made, "markdown"))
    printable(json.dumps(json.loads(reports.render(made, "json")), ensure_ascii=False))


def printable(text: str) -> None:
    """No control characters but line ends, nothing that turns or hides text."""
    assert [
        character
        for character in text
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
        and character != "\n"
    ] == []


READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def ticket(text: str) -> None:
    """Nothing in it is HTML, a link, a picture or an address that a forge makes a link of."""
    printable(text)
    outside = re.sub(r"(?ms)^ *(```+)\n.*?^ *\1$", "", text)  # in fences nothing is a link
    tokens = [token for block in READER.parse(text) for token in [block, *(block.children or [])]]
    assert {token.type for token in tokens} & {
        "html_block",
        "html_inline",
        "link_open",
        "image",
    } == set()
    assert [
        token.content
        for token in tokens
        if token.type == "text"
        and re.search(r"https?://|www\.", token.content)
        and token.content in outside
    ] == []


@pytest.mark.parametrize("name", ["escapes", "directions", "markup of rich"])
def test_tables_and_errors(name, tmp_path, capsys, monkeypatch):
    path = profile_with(tmp_path, lambda old: NAMES[name])
    for words in (
        [],
        ["sites"],
        ["communicators"],
        ["gaps"],
        ["facts"],
        ["setting"],
        ["run"],
        ["rank", "--csv"],
        ["rank", "--json"],
    ):
        assert main(["show", str(path), *words]) == 0
        shown = capsys.readouterr()
        printable(shown.out + shown.err)
    folder = rules_with(tmp_path, NAMES[name])
    (folder / "broken.toml").write_text(
        f"schema = 1\nid = {json.dumps(NAMES[name], ensure_ascii=False)}\n", errors="replace"
    )
    monkeypatch.setenv("ADVISOR_RULES", str(folder))
    for words in (["check", str(folder)], ["list"], ["explain", "site-rule"]):
        main(["rules", *words])
        shown = capsys.readouterr()
        printable(shown.out + shown.err)


def test_a_damaged_file_cannot_command_a_terminal(tmp_path, capsys):
    path = tmp_path / "x\x1b[2Jy"
    path.write_text(
        '{"format": "advisor-profile", "version": [1, 0], "tables": {"ranks": {"rows": 1,'
        ' "columns": [{"name": "rank", "dtype": "\\u001b[2J\\u202e"}]}}}'
    )
    with pytest.raises(UserError):
        intake.read(path)
    assert main(["show", str(path)]) == 2
    printable(capsys.readouterr().err)
