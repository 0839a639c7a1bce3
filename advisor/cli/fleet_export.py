"""`advisor fleet export`: what the store says, in the formats of what centres have."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path
from typing import Callable, Iterator, List, Optional

from advisor.cli.messages import unwritable
from advisor.model.errors import UserError

EXAMPLES = """examples:
  advisor fleet export /srv/fleet --as grafana-duckdb -o dashboard.json
                                       to import in Grafana
  advisor fleet export /srv/fleet --as openmetrics -o /var/lib/node_exporter/advisor.prom
                                       from a timer, for Prometheus
  advisor fleet export /srv/fleet --as sacctmgr --since 1d | sh
                                       one line a job in Slurm's AdminComment
  advisor fleet export /srv/fleet --as ondemand -o /srv/advisor-pages
                                       one page a user

docs/HANDOVER.md says what to do with each.
"""
FORMATS = {
    "grafana-duckdb": "dashboard; also grafana-clickhouse, grafana-postgresql",
    "grafana-clickhouse": "",
    "grafana-postgresql": "",
    "tables-duckdb": "its tables as SQL; also tables-clickhouse, tables-postgresql",
    "tables-clickhouse": "",
    "tables-postgresql": "",
    "openmetrics": "Prometheus",
    "clustercockpit": "tags and metadata of jobs",
    "scontrol": "Slurm's AdminComment of jobs that just ended",
    "sacctmgr": "Slurm's AdminComment of all jobs",
    "reframe": "performance log",
    "xdmod": "CSV",
    "ondemand": "a folder of pages",
}
LABELS = ("rule", "application", "library", "user", "account", "node", "job")
ALLOWED = "rule,application,library"
MOST_SERIES = 1000


def add(
    parts: argparse._SubParsersAction,
    add_since: Callable[[argparse.ArgumentParser], None],
    since: "Callable[[str], timedelta | date]",
) -> None:
    """The part of `advisor fleet`. `add_since`, `since`: the option that several parts have, and
    its value."""
    part = parts.add_parser(
        "export",
        help="hand over to Grafana, Prometheus, Slurm and others",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    part.add_argument("store", metavar="STORE", help="the folder of the store")
    part.add_argument(
        "--as",
        dest="format",
        required=True,
        choices=FORMATS,
        metavar="FORMAT",
        help="; ".join(f"{name}: {said}" for name, said in FORMATS.items() if said),
    )
    add_since(part)
    part.add_argument(
        "--labels",
        default=ALLOWED,
        metavar="NAMES",
        help=f"openmetrics: what may be told apart, of {','.join(LABELS)} (default {ALLOWED})",
    )
    part.add_argument(
        "--most",
        type=int,
        default=MOST_SERIES,
        metavar="N",
        help=f"openmetrics: series at most (default {MOST_SERIES})",
    )
    part.add_argument("-o", "--output", metavar="FILE", help="or folder; default: standard output")
    part.set_defaults(run=export, days=since)


def export(arguments: argparse.Namespace) -> int:
    """The command."""
    from advisor.fleet import store
    from advisor.fleet.handing_over import formats, on_demand
    from advisor.fleet.handing_over.request import Request
    from advisor.fleet.query import connected
    from advisor.fleet.report import period

    where = store.opened(Path(arguments.store))
    labels = _labels(arguments.labels)
    with connected(where) as connection:
        first, until = period(connection, where, arguments.days(arguments.since))
        request = Request(where, connection, first, until, labels, arguments.most)
        if arguments.format != formats.PAGES:
            _write(arguments.output, formats.TEXTS[arguments.format](request))
            return 0
        if arguments.output in (None, "-"):
            raise UserError("Pages need a folder.", do="Name one with -o.")
        for name in on_demand.write_pages(request, Path(arguments.output)):
            print(f"advisor: no page for the user {name!a}: no name of a file", file=sys.stderr)
    return 0


def _labels(text: str) -> List[str]:
    found = [name for name in text.split(",") if name]
    unknown = [name for name in found if name not in LABELS]
    if unknown:
        raise UserError(
            f'"{unknown[0]}" is no label.', do=f"Those that can be: {', '.join(LABELS)}."
        )
    return found


def _write(output: Optional[str], pieces: Iterator[str]) -> None:
    """All of it or nothing: monitoring may read the file at any time. Raises UserError."""
    if output in (None, "-"):
        for piece in pieces:
            sys.stdout.buffer.write(piece.encode("utf-8"))
        return
    path = Path(output)
    draft = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        with open(draft, "x", encoding="utf-8", newline="") as file:
            file.writelines(pieces)
        os.replace(draft, path)
    except OSError as error:
        raise unwritable(str(output), error) from error
    finally:
        with suppress(OSError):
            draft.unlink()
    print(f"advisor: wrote {output}", file=sys.stderr)
