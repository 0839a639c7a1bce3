"""`advisor doctor`: what can be measured and advised here, what is missing and how to get it."""

from __future__ import annotations

import argparse
import os
import socket
import sys
from dataclasses import asdict
from typing import Dict, List

from advisor import __version__
from advisor.cli import checking, checklist, installed
from advisor.cli.progress import Progress, with_progress
from advisor.cli.report import terminal_options
from advisor.model.harmless import json_text
from advisor.probing import scorep, tools
from advisor.probing.capabilities import capabilities
from advisor.probing.check import Check
from advisor.probing.installations import modules
from advisor.probing.node import probe_node

Sections = Dict[str, List[Check]]

EXAMPLES = """examples:
  advisor doctor                              ✓ there, ✕ missing, ? cannot be told
  advisor doctor --json
The exit code is 0 if a job can be measured here, 1 if not.
"""


def add(subparsers) -> None:
    """The command and its options."""
    command = subparsers.add_parser(
        "doctor",
        help="what can be measured and advised here, what is missing and how to get it",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("--json", action="store_true", help="the same as JSON")
    command.add_argument(
        "--rules",
        metavar="DIR",
        action="append",
        default=[],
        help="more rules, read after ours (also: ADVISOR_RULES)",
    )
    command.set_defaults(run=run)


@with_progress("looking for MPI libraries", "looking at this node")
def run(arguments: argparse.Namespace, progress: Progress) -> int:
    """0 if a job can be measured here, 1 if not."""
    environment = dict(os.environ)
    libraries = installed.libraries(environment)
    progress.stage(1)
    sections = examine(libraries, arguments.rules, environment)
    progress.done()
    good = measurable(sections, libraries)
    if arguments.json:
        found = {title: [asdict(check) for check in checks] for title, checks in sections.items()}
        print(
            json_text(
                {
                    "advisor": __version__,
                    "host": socket.gethostname(),
                    "measurable": good,
                    "sections": found,
                },
                indent=1,
            )
        )
    else:
        checklist.write(
            sys.stdout, sections, verdict(good, sections, libraries), **terminal_options(sys.stdout)
        )
    return 0 if good else 1


def examine(
    libraries: List[installed.Measured], rules: List[str], environment: Dict[str, str]
) -> Sections:
    """All checks, under the question that they answer."""
    return {
        "To measure a job": [
            tools.python(),
            tools.packages(),
            tools.c_compiler(),
            *(entry.check for entry in libraries),
            modules(environment),
        ],
        "To advise": [checking.rules(rules), *checking.built_with(libraries)],
        "This host": capabilities(probe_node()),
        "More to measure with": [tools.cpu_counters(), tools.papi(), tools.otf2(), scorep.check()],
        "Folders": [
            tools.shared_memory(),
            *tools.folders(checking.places_to_write(environment)),
            *checking.refused_cache(environment),
        ],
    }


def measurable(sections: Sections, libraries: List[installed.Measured]) -> bool:
    """Whether what is needed is there, and the collector of at least one MPI library."""
    needed = (check for checks in sections.values() for check in checks if check.needed)
    return all(check.good for check in needed) and any(entry.check.good for entry in libraries)


NO_LIBRARY = "there is no MPI library with a compiler wrapper or a prebuilt collector"


def verdict(good: bool, sections: Sections, libraries: List[installed.Measured]) -> str:
    """The answer in a sentence."""
    if good:
        names = ", ".join(
            dict.fromkeys(entry.library.title() for entry in libraries if entry.check.good)
        )
        return f"A job can be measured here, with {names}."
    lacking = [
        check.subject
        for checks in sections.values()
        for check in checks
        if check.needed and not check.good
    ]
    return f"No job can be measured here: {', '.join(lacking) or NO_LIBRARY}."
