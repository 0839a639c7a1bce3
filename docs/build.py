"""The documentation as a site: `python docs/build.py [FOLDER]`. It needs what `pip install -e
'.[docs]'` installs.

The pages are this repository's own documents, one of all commands, and one page a rule, made from
what `advisor rules list --json` prints. They are put together below build/, where links to files
that are no page become plain text; then MkDocs makes the site. The finished site needs no network:
no fonts, scripts or styles of others.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Dict, Iterator, List, Tuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs"))

from command_page import COMMANDS, command_page  # noqa: E402 - docs/ is no package
from notebook import NOTEBOOK, notebook  # noqa: E402 - docs/ is no package
from rule_pages import ALL_RULES, rule_pages  # noqa: E402 - docs/ is no package

from advisor.analysis.vocabulary import vocabulary  # noqa: E402

VOCABULARY = "rules/VOCABULARY.md"
NAVIGATION: Dict[str, Dict[str, str]] = {
    "Start": {
        "What advisor is": "README.md",
        "Glossary": "docs/GLOSSARY.md",
        "Changelog": "CHANGELOG.md",
    },
    "Use": {
        "Commands": COMMANDS,
        "The first screen": "docs/SCREENS.md",
        "Worked example in Python": "docs/EXAMPLE.md",
        "Python interface": "docs/API.md",
        "Verifying advice": "advisor/verifying/README.md",
        "How often verdicts are wrong": "advisor/verifying/STATISTICS.md",
        "Signatures of results": "advisor/verifying/SIGNATURES.md",
        "Files of other tools": "advisor/intake/foreign/README.md",
        "Languages": "advisor/reports/languages/README.md",
        "Samples": "samples/README.md",
        "Large reductions in pieces": "collectors/endpoints/README.md",
        "The object that a centre preloads": "collectors/fleet/README.md",
    },
    "Rules": {
        "All rules": ALL_RULES,
        "Rules of your site": "rules/README.md",
        "The expressions of rules": "rules/EXPRESSIONS.md",
        "Tables and numbers": VOCABULARY,
        "Where rules come from": "rules/SEEDS.md",
        "Rules that were left out": "rules/LEFT_OUT.md",
    },
    "For centres": {
        "Answering tickets": "docs/SUPPORT.md",
        "Recipes": "packaging/README.md",
        "Many jobs": "docs/FLEET.md",
        "Handing over": "docs/HANDOVER.md",
        "Node hours, energy, money": "docs/WORTH.md",
        "What we promise": "collectors/PROMISES.md",
        "Security": "SECURITY.md",
        "Costs": "benchmarks/COSTS.md",
        "How near waits are to known ones": "benchmarks/TRUTH.md",
        "Crowded machines": "benchmarks/CROWDED.md",
        "What is said first": "benchmarks/diagnosis/README.md",
        "Shared machines": "benchmarks/LOADED.md",
        "Hostile files": "benchmarks/HOSTILE.md",
        "Tasks of fresh readers": "benchmarks/READERS.md",
        "Overlap": "benchmarks/OVERLAP.md",
        "Stores of many jobs": "benchmarks/FLEET.md",
    },
    "For developers": {
        "Architecture": "docs/ARCHITECTURE.md",
        "Contributing": "CONTRIBUTING.md",
        "Tests": "tests/README.md",
        "Reports and the page": "advisor/reports/README.md",
        "Collectors": "collectors/README.md",
        "Counting and sampling": "collectors/SAMPLING.md",
        "Locks of windows": "collectors/LOCKS.md",
        "Overlap of transfers": "collectors/OVERLAP.md",
        "Counters and call stacks": "collectors/COUNTERS.md",
        "Cost, growth and limits": "collectors/COST.md",
        "Programs with Score-P": "collectors/SCOREP.md",
        "OTF2 traces": "collectors/OTF2.md",
        "The PMPI collector": "collectors/pmpi/README.md",
        "The core of the collector": "collectors/core/README.md",
        "The programs for OTF2": "collectors/otf2/README.md",
        "Tracing": "collectors/tracing/README.md",
        "The profile file": "collectors/FORMAT.md",
        "How numbers are computed": "advisor/analysis/METRICS.md",
        "The oracle": "tests/oracle/README.md",
        "Labelled cases": "tests/cases/README.md",
        "Recorded files of other tools": "tests/foreign/recorded/README.md",
        "Files of other tools, by hand": "tests/foreign/by_hand/README.md",
        "Recorded traces": "tests/otf2/recorded/README.md",
        "Campaigns that were run": "advisor/verifying/CAMPAIGNS.md",
        "Loops that were run": "advisor/verifying/LOOPS.md",
    },
}
"""Section → title → the document's path in this repository, which is its path in the site too, so
that links hold."""
PICTURES = ("benchmarks/growth.svg", "docs/architecture.svg")
NO_PAGES = (*PICTURES, NOTEBOOK)
_STYLE = ".wy-table-responsive table td, .wy-table-responsive table th { white-space: normal; }\n"
"""Cells of sentences are folded, where the theme has one line."""
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
_CODE = re.compile(r"^(```.*?^```|    .*?$)", re.MULTILINE | re.DOTALL)
_ITEM = re.compile(r"\s*([-*]|\d+\.) ")


def pages() -> Dict[str, str]:
    """Path in the site → Markdown, of all pages."""
    written = {
        path: (ROOT / path).read_text(encoding="utf-8")
        for titles in NAVIGATION.values()
        for path in titles.values()
        if path not in (ALL_RULES, COMMANDS, VOCABULARY)
    }
    made = {path: text for section in rule_pages() for path, text in section.pages.items()}
    made[COMMANDS] = command_page()
    made[VOCABULARY] = vocabulary()
    found = {**written, **made}
    return {path: _listed(_linked(path, text, found)) for path, text in found.items()}


def navigation() -> List[object]:
    """The same as MkDocs wants it, with the rules below their questions."""
    sections: List[object] = []
    for section, titles in NAVIGATION.items():
        entries: List[object] = [{title: path} for title, path in titles.items()]
        if section == "Rules":
            entries += [
                {group.question: [{title: path} for path, title in group.titles.items()]}
                for group in rule_pages()
                if group.titles
            ]
        sections.append({section: entries})
    return sections


def dead_links(found: Dict[str, str]) -> Iterator[Tuple[str, str]]:
    """(page, link) of links to other pages that are not there, or to a heading that they do not
    have."""
    anchors = {
        path: {
            _anchor(title) for title in re.findall(r"^#+ +(.*)", _CODE.sub("", text), re.MULTILINE)
        }
        for path, text in found.items()
    }
    for path, text in found.items():
        for _, _, link in _LINK.findall(_without_code(text)):
            target, _, anchor = link.partition("#")
            if "://" in link or _resolved(path, target) in NO_PAGES:
                continue
            there = _resolved(path, target) if target else path
            if there not in found or (anchor and anchor not in anchors[there]):
                yield path, link


def build(output: Path) -> None:
    """Pages, then the site. Raises CalledProcessError if MkDocs finds a mistake."""
    work = ROOT / "build" / "site"
    shutil.rmtree(work, ignore_errors=True)
    for path, text in pages().items():
        file = work / "pages" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for path in PICTURES:
        (work / "pages" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, work / "pages" / path)
    example = (ROOT / "docs" / "EXAMPLE.md").read_text(encoding="utf-8")
    (work / "pages" / NOTEBOOK).write_text(notebook(example), encoding="utf-8")
    (work / "pages" / "site.css").write_text(_STYLE)
    settings = work / "mkdocs.yml"
    # JSON is YAML.
    settings.write_text(json.dumps(configuration(work / "pages", output)), encoding="utf-8")
    subprocess.run(
        [
            sys.executable,
            "-m",
            "mkdocs",
            "build",
            "--quiet",
            "--strict",
            "--config-file",
            str(settings),
        ],
        check=True,
    )


def configuration(source: Path, output: Path) -> Dict[str, object]:
    """Settings of MkDocs: everything local, and pages that can be opened without a server."""
    return {
        "site_name": "advisor",
        "site_description": "Profiles an MPI job and says what to change",
        "docs_dir": str(source),
        "site_dir": str(output.resolve()),
        "use_directory_urls": False,
        "theme": {"name": "readthedocs", "highlightjs": False, "titles_only": True},
        "extra_css": ["site.css"],
        "nav": navigation(),
        "markdown_extensions": ["tables", "fenced_code", "sane_lists"],
        "plugins": ["search"],
        "validation": {
            "omitted_files": "warn",
            "links": {"not_found": "warn", "anchors": "warn", "unrecognized_links": "warn"},
        },
    }


def _linked(path: str, text: str, found: Dict[str, str]) -> str:
    """Links lead to pages, and links to other files of the repository are their text alone. Raises
    FileNotFoundError for links to nothing."""

    def link(match: "re.Match[str]") -> str:
        mark, words, where = match.groups()
        target, hash_mark, anchor = where.partition("#")
        if "://" in where or not target:
            return match.group(0)
        there = _resolved(path, target)
        if there in found or there in NO_PAGES:
            return match.group(0)
        if not (ROOT / there).exists():
            raise FileNotFoundError(f"{path}: {where}")
        return words

    pieces = _CODE.split(text)
    return "".join(piece if _CODE.match(piece) else _LINK.sub(link, piece) for piece in pieces)


def _listed(text: str) -> str:
    """Lists as MkDocs wants them: with an empty line in front."""
    lines: List[str] = []
    for line in text.split("\n"):
        before = lines[-1] if lines else ""
        if (
            _ITEM.match(line)
            and not line.startswith("    ")
            and before.strip()
            and not _ITEM.match(before)
            and not before.startswith("  ")
        ):
            lines.append("")
        lines.append(line)
    return "\n".join(lines)


def _without_code(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "", _CODE.sub("", text))


def _resolved(path: str, target: str) -> str:
    """A link of a page, from the root of the repository."""
    parts: List[str] = path.split("/")[:-1]
    for part in target.rstrip("/").split("/"):
        parts = parts[:-1] if part == ".." else parts + [part] * (part not in ("", "."))
    return "/".join(parts)


def _anchor(title: str) -> str:
    """What MkDocs makes of a heading, as other generators do."""
    kept = re.sub(
        r"[^\w\s-]",
        "",
        re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", title).encode("ascii", "ignore").decode(),
    )
    return re.sub(r"[-\s]+", "-", kept.strip().lower())


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "site" / "html")
