"""After a job: its parts become one profile, and the profile a report. What `run`, `demo` and
`exec` share."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import List

from advisor import intake, probing, reports
from advisor.cli import worth
from advisor.cli.progress import Progress
from advisor.cli.report import judged, terminal_options
from advisor.launching.run import session
from advisor.model.profile import Library, Profile
from advisor.verifying import replacing, signature


STAGES = ("reading what the ranks left", "judging it", "writing the report")
"""Of conclude()."""


def conclude(left: session.Left, rules: List[str], quiet: bool, report: bool = True) -> None:
    """Seal, and advise unless only the profile is wanted. Raises UserError; the parts stay until
    they were read back."""
    with Progress(*(STAGES if report else STAGES[:1]), quiet=quiet) as progress:
        profile = seal(left)
        if report:
            advise(profile, left.folder, rules, quiet, progress)


def seal(left: session.Left) -> Profile:
    """Add what can be seen from this host, put all parts into one file, sign it, and remove them
    once it was read back."""
    folder, run = left.folder, left.run
    found = Library(left.library.name, left.library.version, path=left.library.path)
    described = probing.complete(run, found, left.launcher)
    described["library"] = {
        **described.get("library", {}),
        "name": found.name,
        "version": found.version,
        "path": found.path,
    }
    if left.collector:
        described["library"].setdefault("facts", {})["collector"] = [left.collector, "advisor"]
    described["gaps"] = [{"subject": "launch line", "reason": sentence} for sentence in left.doubts]
    # Names only: what the ranks have besides was set by a launcher or a start-up file, and is
    # nobody's wish.
    described["environment"] = sorted(os.environ)
    session.write_facts(folder / "parts", run, described)
    profile = intake.seal(folder / "parts", folder / "profile")
    shutil.rmtree(folder / "parts", ignore_errors=True)
    signature.sign(folder / "profile")
    return profile


def advise(
    profile: Profile, folder: Path, rules: List[str], quiet: bool, progress: Progress
) -> None:
    """Judge and write report.txt and report.html; the short panel goes to stderr, since stdout is
    the program's. `progress`: with the stages of conclude()."""
    progress.stage(1)
    found = judged(profile, rules)
    progress.stage(2)
    document = reports.compose(found, worth.rates_of(profile))
    # Replaced: in a folder that came from elsewhere, a link of that name may lead to a file of
    # ours.
    for name, text in (
        ("report.txt", reports.render(document, "terminal", full=True)),
        ("report.html", reports.render(document, "html")),
    ):
        replacing.replace(folder.resolve() / name, replacing.Script(text.encode("utf-8")))
    progress.done()
    if not quiet:
        sys.stderr.write(reports.render(document, "terminal", **terminal_options(sys.stderr)))
