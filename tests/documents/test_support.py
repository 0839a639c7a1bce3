"""docs/SUPPORT.md shows the reply that `advisor report --format mail` writes, with brackets for
what comes from a run.

To accept a changed reply: ADVISOR_GOLDEN=write pytest tests/documents/test_support.py, then read
the diff.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from advisor.reports.first_screen import Advised, FirstScreen, Policy
from advisor.reports.mail import WIDTH, reply
from advisor.reports.page import Page

PAGE = Path(__file__).resolve().parents[2] / "docs" / "SUPPORT.md"
TEMPLATE = re.compile(r"(?m)^```text\n((?:.*\n)*?)```$")
BRACKETS = FirstScreen(
    run=("[PROGRAM]", "[RANKS] on [NODES]", "[TIME OF THE RUN]", "[LIBRARY]", "job [JOB]"),
    preview="",
    verdict="[FIRST SENTENCE OF THE REPORT]",
    whole=0.0,
    parts=(),
    calls=(),
    policies=(Policy(1, "[POLICY THAT THE RUN DOES NOT MEET]", "[SETTING]"),),
    actions=(
        Advised(
            finding=2,
            title="[FINDING]",
            do="[WHAT TO DO]",
            gain="[LOW] to [HIGH]",
            who="",
            command="[COMMAND]",
            caution="[WHEN NOT TO DO IT]",
            most="[UPPER BOUND]",
            check="[HOW TO SEE THAT IT IS IN FORCE]",
            undo="[HOW TO UNDO IT]",
            help_url="[PAGE OF YOUR CENTRE]",
        ),
    ),
    more=0,
    trust="[RANKS], [OVERHEAD], [WHAT IS NOT SPLIT]",
    checks="[CHECKS]",
    full="advisor report RESULT --full",
    next=("", ""),
    requests=("[REQUEST]",),
    ticket="[NOTE]",
    unchecked="[HOW MANY CHECKS; WHICH OPTION WOULD TELL]",
)


def test_the_template_is_the_mail():
    page = Page(WIDTH)
    reply(page, BRACKETS)
    text = PAGE.read_text(encoding="utf-8")
    (shown,) = TEMPLATE.findall(text)
    if os.environ.get("ADVISOR_GOLDEN") == "write":
        PAGE.write_text(text.replace(f"```text\n{shown}```", f"```text\n{page.text()}```"), "utf-8")
        (shown,) = TEMPLATE.findall(PAGE.read_text(encoding="utf-8"))
    assert shown == page.text()
