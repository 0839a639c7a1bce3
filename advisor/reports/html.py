"""Document → one HTML file: opens offline, complete without script, all data inside as JSON."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Optional

import jinja2
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from advisor.base import answer_cache, numbers as write
from advisor.model.finding import State
from advisor.reports.composing import areas
from advisor.reports.data import embedded
from advisor.reports.document import Document
from advisor.reports.drawing import (
    call_tree,
    cells,
    efficiency,
    message_sizes,
    range_bar,
    rank_times,
    severity,
    svg,
    time_bar,
    timeline,
)
from advisor.reports.first_screen import MOST_POLICIES
from advisor.reports.grouping import grouped
from advisor.reports.languages import ENGLISH, TAGS, Catalogue
from advisor.reports.once import Once

VALUES = 4096
"""Values of a table that are kept inside the file."""
_HERE = Path(__file__).resolve().parent
_CODE = re.compile(r"`([^`\n]+)`")


def html(document: Document, shown: Optional[Document] = None, words: Catalogue = ENGLISH) -> str:
    """The whole page. Everything that came from the run is escaped by the template engine. `shown`:
    the same in other words; data stay."""
    code = script()
    page = _environment().get_template("report.html.j2")
    return page.render(
        d=shown or document,
        language=TAGS[words.language],
        _=words.gettext,
        text_of=words.text,
        css=Markup((_HERE / "report.css").read_text(encoding="utf-8")),
        js=Markup(code),
        policy=policy(code),
        button_words=button_words(words),
        say=_said_above(shown or document, words),
        data=Markup(embedded(document, VALUES)),
    )


def _said_above(document: Document, words: Catalogue) -> Once:
    """What has been said when the first screen ends."""
    say, screen = Once(), document.screen
    texts = [screen.preview, screen.verdict, screen.trust, screen.checks]
    texts += [each.title for each in screen.policies]
    texts += [text for each in screen.actions for text in (each.title, each.do, each.caution)]
    for text in texts:
        say(words.text(text or ""), words.gettext("see the first screen"))
    return say


def script() -> str:
    """Our script: one function around the files of its folder."""
    files = ("start.js", "tables.js", "maps.js")
    texts = [(_HERE / "script" / name).read_text(encoding="utf-8") for name in files]
    return "(function () {\n" + "\n".join(texts) + "})();\n"


def button_words(words: Catalogue) -> str:
    """What the script writes on its buttons and fields, as JSON, so that it is translated with the
    page."""
    texts = {
        "copy": words.gettext("Copy"),
        "copied": words.gettext("Copied"),
        "selected": words.gettext("Selected"),
        "open": words.gettext("Open all"),
        "close": words.gettext("Close all"),
        "filter": words.gettext("Filter rows"),
        "more": words.gettext("More rows"),
        "fewer": words.gettext("Fewer rows"),
        "arrows": words.gettext("Arrow keys read the values"),
        "closer": words.gettext("Enlarge the middle of the time line"),
        "wider": words.gettext("Show more of the time line"),
        "earlier": words.gettext("Earlier"),
        "later": words.gettext("Later"),
        "whole": words.gettext("Whole run"),
    }
    return json.dumps(texts, ensure_ascii=False)


def policy(script: str) -> str:
    """Nothing is fetched, and no script runs but ours: even an escaping mistake could not run
    one."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri"
        " 'none'; form-action 'none'"
    )


def prose(text: str) -> Markup:
    """Escaped text; words in back quotes as code."""
    return Markup(_CODE.sub(lambda match: f"<code>{match.group(1)}</code>", str(escape(text))))


def opened(text: str) -> str:
    """The text with a capital at its beginning; the rest stays: MPI is not Mpi."""
    return text[:1].upper() + text[1:]


class _Templates(Environment):
    """Templates whose Python is remembered: making it takes half of the time that a page takes."""

    def compile(self, source, name=None, filename=None, raw=False, defer_init=False):
        """As in jinja2."""
        make = super().compile
        question = [
            "template",
            jinja2.__version__,
            str(name),
            str(defer_init),
            hashlib.sha256(str(source).encode()).hexdigest(),
        ]
        text = answer_cache.answer(
            question,
            lambda _: [filename] if filename else None,
            lambda: make(source, name, filename, True, defer_init),
        )
        return text if raw else compile(text, filename or "<template>", "exec")


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = _Templates(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters.update(
        prose=prose,
        grouped=grouped,
        opened=opened,
        seconds=write.seconds,
        percent=write.percent,
        traffic=write.traffic,
    )
    environment.globals.update(
        most_policies=MOST_POLICIES,
        request=State.REQUEST.value,
        withheld=State.WITHHELD.value,
        time_bar=time_bar.time_bar,
        fill=time_bar.fill,
        crowded=time_bar.crowded,
        range_bar=range_bar.range_bar,
        severity=severity.severity,
        factor_bar=efficiency.factor_bar,
        rank_bar=rank_times.rank_bar,
        rank_columns=rank_times.rank_columns,
        rank_strip=rank_times.rank_strip,
        strip_ends=rank_times.strip_ends,
        area_words=areas.WORDS,
        ticks=rank_times.ticks,
        size_columns=message_sizes.size_columns,
        size_notes=message_sizes.notes,
        size_labels=message_sizes.labels,
        heat=svg.heat,
        cells=cells.cells,
        branch_bar=call_tree.branch_bar,
        time_columns=timeline.time_columns,
    )
    return environment
