"""The documentation as a site: every document has its place, every link leads somewhere, and the
site asks nobody for anything."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest

from advisor import cli
from advisor.base import resource_paths
from advisor.advice import load_rules

ROOT = Path(__file__).resolve().parents[2]
FOR_TESTS = ("tests/golden/",)


@pytest.fixture(scope="module")
def site():
    """docs/build.py as a module."""
    described = importlib.util.spec_from_file_location("site_builder", ROOT / "docs" / "build.py")
    module = importlib.util.module_from_spec(described)
    described.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages(site):
    return site.pages()


def test_every_document_is_a_page(pages):
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    assert {name for name in listed.stdout.split() if not name.startswith(FOR_TESTS)} - set(
        pages
    ) == set()


def test_every_picture_of_a_page_is_on_the_site(site, pages):
    shown = {
        site._resolved(path, target)
        for path, text in pages.items()
        for mark, _, target in site._LINK.findall(site._without_code(text))
        if mark
    }
    assert (len(shown) > 1, shown - set(site.PICTURES)) == (True, set())


def test_every_rule_has_a_page(pages):
    rules = load_rules([resource_paths.rules()])
    missing = [
        rule.id
        for rule in rules
        if rule.found not in pages.get(f"rules/{rule.folder}/{rule.id}.md", "")
    ]
    assert (len(rules) >= 90, missing) == (True, [])


def test_the_page_of_a_rule_has_all_of_it(pages):
    page = pages["rules/waiting/many-barriers.md"]
    titles = re.findall(r"^## (.*)", page, re.MULTILINE)
    assert titles == [
        "When it fires",
        "Limits",
        "What to do",
        "What it may save",
        "Cautions",
        "Published or measured",
        "What it needs to know",
        "What it was tested with",
    ]


def test_the_page_of_commands_has_all_of_them(pages):
    titles = re.findall(r"^#+ (advisor .*)", pages["docs/COMMANDS.md"], re.MULTILINE)
    assert {f"advisor {name}" for name in cli.COMMANDS} | {"advisor rules explain"} <= set(titles)
    assert "| `-o, --output DIR` | result folder" in pages["docs/COMMANDS.md"]


def test_every_page_is_in_the_navigation(site, pages):
    def paths(entries):
        for entry in entries:
            for value in entry.values():
                yield from [value] if isinstance(value, str) else paths(value)

    found = list(paths(site.navigation()))
    assert (sorted(found), len(found)) == (sorted(pages), len(set(found)))


def test_every_link_leads_somewhere(site, pages):
    assert list(site.dead_links(pages)) == []


@pytest.mark.parametrize(
    "text, dead",
    [
        ("[a](docs/GLOSSARY.md)", []),
        ("[a](docs/NOWHERE.md)", [("README.md", "docs/NOWHERE.md")]),
        ("[a](docs/GLOSSARY.md#nothing)", [("README.md", "docs/GLOSSARY.md#nothing")]),
        ("`[a](docs/NOWHERE.md)`", []),
    ],
)
def test_the_check_sees_a_dead_link(site, text, dead):
    assert list(site.dead_links({"README.md": text, "docs/GLOSSARY.md": "# Words"})) == dead


def test_the_site_asks_nobody_for_anything(site, tmp_path):
    pytest.importorskip("mkdocs", reason="MkDocs is not installed: pip install -e '.[docs]'")
    site.build(tmp_path / "html")
    asks = re.compile(
        r"""(?:\bsrc=|<link[^>]*\bhref=|url\(|@import\s+)["']?((?:https?:)?//[^"')\s>]+)"""
    )
    found = {
        (file.name, address)
        for file in (tmp_path / "html").rglob("*")
        if file.suffix in (".html", ".css", ".js")
        for address in asks.findall(
            re.sub(
                r"<!--.*?-->",
                "",
                file.read_text(encoding="utf-8", errors="replace"),
                flags=re.DOTALL,
            )
        )
    }
    assert found == set()
    # README.md becomes index.html.
    made = {re.sub(r"(^|/)README$", r"\1index", name[:-3]) + ".html" for name in site.pages()}
    assert {name for name in made if not (tmp_path / "html" / name).exists()} == set()


def test_the_architecture_names_every_room():
    page = (ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rooms = {
        folder.name for folder in (ROOT / "advisor").iterdir() if (folder / "__init__.py").exists()
    }
    assert {room for room in rooms if f"| `{room}` |" not in page} == set()
