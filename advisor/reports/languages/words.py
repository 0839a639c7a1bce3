"""The fixed words of a rendered report in another language: in a page between its tags, in Markdown
line by line."""

from __future__ import annotations

import html
import re

from advisor.reports.languages import TAGS, Translator

_TAG = re.compile(r"(<[^>]*>)")
_TOLD = re.compile(r'\b(aria-label|data-(?:copy|copied|selected))="([^"]*)"')
"""What is read aloud, and what our script writes on buttons."""
_UNTOUCHED = re.compile(r"<(pre|code|script|style)\b|<t[dh]\b[^>]*class=\"[^\"]*\bmono\b")
_ENDS = {"pre": "</pre>", "code": "</code>", "script": "</script>", "style": "</style>"}
_LINE = re.compile(r"(\s*(?:[-#]+ )?(?:\d+\. )?(?:\*\*)?)(.*?)((?:\*\*)?)")


def page(text: str, to: Translator) -> str:
    """A page with the words between its tags translated; commands, code, scripts and names in
    tables of names stay."""
    if to.language == "en":
        return text
    parts, closing = _TAG.split(text), ""
    for place, part in enumerate(parts):
        if closing:
            closing = "" if part.lower().startswith(closing) else closing
        elif part.startswith("<") and place % 2:
            found = _UNTOUCHED.match(part)
            closing = (_ENDS[found.group(1)] if found.group(1) else "</t") if found else ""
            parts[place] = _TOLD.sub(
                lambda match: f'{match.group(1)}="{_escaped(match.group(2), to)}"', part
            )
        elif part.strip():
            parts[place] = _escaped(part, to)
    return "".join(parts).replace('<html lang="en">', f'<html lang="{TAGS[to.language]}">', 1)


def _escaped(text: str, to: Translator) -> str:
    plain = html.unescape(text)
    found = to.text(plain)
    return text if found == plain else html.escape(found)


def lines(text: str, to: Translator) -> str:
    """Markdown with its own words translated; blocks of code stay."""
    if to.language == "en":
        return text
    done, inside = [], False
    for line in text.split("\n"):
        fence = line.strip().startswith("```")
        inside = inside != fence
        done.append(line if inside or fence else _line(line, to))
    return "\n".join(done)


def _line(line: str, to: Translator) -> str:
    if line.startswith("|"):
        return "|".join(_cell(cell, to) for cell in line.split("|"))
    before, core, after = _LINE.fullmatch(line).groups()  # type: ignore[union-attr]
    return before + to.text(core) + after


def _cell(cell: str, to: Translator) -> str:
    """A cell, or words with commas between them."""
    whole = to.text(cell)
    return whole if whole != cell else ", ".join(to.text(word) for word in cell.split(", "))
