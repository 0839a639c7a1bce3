"""`advisor fleet`: many jobs of a centre in one store. Each part is a command of its own."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
from datetime import date, datetime, timedelta, timezone
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Iterable, Mapping, Optional

from advisor.base import trusted_files
from advisor.cli import fleet_export, fleet_install, fleet_people, fleet_upkeep
from advisor.cli.messages import complain
from advisor.cli.progress import Progress, with_progress
from advisor.model.errors import UserError

if TYPE_CHECKING:
    from advisor.fleet.rows import Judged

EXAMPLES = """examples:
  advisor fleet ingest /var/spool/advisor /srv/fleet --sacct sacct.txt
                                       what is new in the spool, from a timer
  advisor fleet compact /srv/fleet --keep 400d --keep-profiles 30d
                                       once a day
  advisor fleet report /srv/fleet --since 30d -o fleet.html
                                       what is lost, where, and what changed
  advisor fleet user /srv/fleet alice  causes and jobs of one user
"""
_PERIOD = re.compile(r"(\d{1,5})d")
_MOST_TOLD = 1000
"""Of jobs without a profile; the others are said by the next ingest."""
_SUBJECTS = {
    "user": ("USER", "alice"),
    "app": ("APPLICATION", "vasp --since 90d"),
    "host": ("HOST", "n0117"),
    "rule": ("RULE", "many-barriers"),
    "job": ("JOB", "4711"),
}
"""Part of the command → what is asked for, and an example."""


def add(subparsers: argparse._SubParsersAction) -> None:
    """The command and its parts."""
    parser = subparsers.add_parser(
        "fleet",
        help="many jobs of a centre: collect, store, report",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parts = parser.add_subparsers(
        metavar=(
            "install|run|ingest|compact|report|export|user|app|host|rule|job|views|mine|mail|mute"
            "|judge|settings"
        ),
        required=True,
    )
    fleet_install.add(parts)
    _add_run(parts)
    _add_ingest(parts)
    _add_compact(parts)
    _add_report(parts)
    fleet_export.add(parts, _add_since, since)
    for name, (of, example) in _SUBJECTS.items():
        said = f"what the store says of one {of.lower()}"
        part = _part(parts, name, said, f"{name} /srv/fleet {example}")
        part.add_argument("store", metavar="STORE", help="the folder of the store")
        part.add_argument("name", metavar=of, help="as the report writes it")
        if name != "job":
            _add_since(part)
        part.set_defaults(run=_subject, subject=name, since="30d")
    fleet_people.add(parts, _part, _add_since)
    fleet_upkeep.add(parts, _part)


def _part(
    parts: argparse._SubParsersAction, name: str, said: str, example: str
) -> argparse.ArgumentParser:
    return parts.add_parser(
        name,
        help=said,
        epilog=f"example:\n  advisor fleet {example}\n",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _add_run(parts: argparse._SubParsersAction) -> None:
    said = "run a launch line and put its profile into the spool"
    part = _part(parts, "run", said, "run --spool /var/spool/advisor -- srun ./program")
    part.usage = "advisor fleet run --spool SPOOL -- srun ./program …"
    part.add_argument("--spool", metavar="SPOOL", required=True, help="the spool of the centre")
    part.set_defaults(run=_launch)


def _add_ingest(parts: argparse._SubParsersAction) -> None:
    said = "judge what is new in a spool and add it to a store"
    part = _part(parts, "ingest", said, "ingest /var/spool/advisor /srv/fleet --sacct sacct.txt")
    part.add_argument("spool", metavar="SPOOL", help="YYYY/MM/DD/CLUSTER.JOB.STEP.profile")
    part.add_argument("store", metavar="STORE", help="the folder of the store; made if need be")
    part.add_argument(
        "--sacct", metavar="FILE", help="output of sacct -P: accounts, times, nodes and energy"
    )
    part.add_argument(
        "--eacct", metavar="FILE", help="output of EAR's eacct: energy, before that of sacct"
    )
    _add_worth(part)
    part.add_argument(
        "--names",
        action="store_true",
        help="of a new store: users, accounts and their programs keep their names in it; without,"
        " they have pseudonyms",
    )
    part.add_argument(
        "--views", metavar="FOLDER", help="write each user's own jobs there, as views does"
    )
    part.add_argument(
        "--workers", type=int, default=1, metavar="N", help="processes that judge (default 1)"
    )
    part.add_argument(
        "--wait",
        type=float,
        default=0.0,
        metavar="SECONDS",
        help="for another ingest of this store to end (default 0)",
    )
    part.set_defaults(run=_ingest)


def _add_compact(parts: argparse._SubParsersAction) -> None:
    said = "one file a month; what is too old goes"
    part = _part(parts, "compact", said, "compact /srv/fleet --keep 400d")
    part.add_argument("store", metavar="STORE", help="the folder of the store")
    part.add_argument("--keep", metavar="DAYS", help="rows: 400d (default: for ever)")
    part.add_argument("--keep-profiles", metavar="DAYS", help="profiles: 30d (default: for ever)")
    part.add_argument(
        "--wait", type=float, default=60.0, metavar="SECONDS", help="for an ingest to end"
    )
    part.set_defaults(run=_compact)


def _add_report(parts: argparse._SubParsersAction) -> None:
    said = "what is lost, by whom and why, and what changed"
    part = _part(parts, "report", said, "report /srv/fleet --since 30d -o fleet.html")
    part.add_argument("store", metavar="STORE", help="the folder of the store")
    _add_since(part)
    _add_worth(part)
    part.add_argument(
        "--format",
        choices=("markdown", "json", "html"),
        help="default: as the name after -o ends, else markdown",
    )
    part.add_argument("-o", "--output", metavar="FILE", help="instead of standard output")
    part.set_defaults(run=_report)


def _add_worth(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--worth",
        metavar="FILE",
        default="",
        help="prices, watts and CO2 of the site (also: ADVISOR_WORTH, /etc/advisor/worth.toml)",
    )


def _add_since(part: argparse.ArgumentParser) -> None:
    part.add_argument(
        "--since",
        default="30d",
        metavar="DAYS",
        help="days before the last one of the store, as 30d, or a date, as 2026-11-01",
    )


def judge(path: str, kind: str) -> "Judged":
    """One file as rows, by the rules of `advisor report`, in a process of its own. Raises
    UserError."""
    from advisor.fleet.rows import Judged, rows, verified_rows

    if kind == "profile":
        from advisor.cli import opening
        from advisor.cli.list import first_finding
        from advisor.cli.report import judged

        found = judged(opening.read(path), [], forgetting=True)
        return rows(found, first_finding(found))
    from advisor.verifying import record

    return Judged({}, None, {"verified": verified_rows(record.read_file(Path(path)))})


def _launch(arguments: argparse.Namespace) -> int:
    """As `advisor run`, but the result is one file in the spool. The code is the job's, whatever
    becomes of the profile."""
    from advisor import cli
    from advisor.base import resource_paths

    with tempfile.TemporaryDirectory(prefix="advisor-fleet-") as elsewhere:
        # Where the ranks of all nodes can write: a folder of the user's, not one of this node.
        homes = [resource_paths.data(os.environ) / "fleet", Path(elsewhere)]
        work = next(filter(None, map(_workplace, homes)))
        try:
            words = ["run", "--quiet", "--no-report", "-o", str(work / "result")]
            inner = cli.parser("run").parse_args(words)
            inner.words = arguments.words
            code = inner.run(inner)
            _deliver(work / "result" / "profile", Path(arguments.spool))
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return code


def _workplace(folder: Path) -> Optional[Path]:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix="run-", dir=folder))
    except OSError:
        return None


def _deliver(profile: Path, spool: Path) -> None:
    """Problems are said in a line; the job's code stands."""
    from advisor.fleet.spool import LARGEST_PROFILE, deliver

    try:
        data = trusted_files.read(profile, LARGEST_PROFILE)
        deliver(spool, _step(os.environ), data, datetime.now(timezone.utc).date())
    except FileNotFoundError:
        pass  # No MPI program; or no folder of this day, which the ingest makes
    except OSError as error:
        complain(UserError(f"The profile did not reach {spool}: {error.strerror or error}."))


def _step(environment: Mapping[str, str]) -> str:
    """CLUSTER.JOB.STEP. Slurm counts launch lines, but tells nobody in front of them: the number
    of this process tells those of a job apart."""
    cluster = environment.get("SLURM_CLUSTER_NAME", "")
    job = environment.get("SLURM_JOB_ID", "")
    known = cluster if re.fullmatch(r"[A-Za-z0-9_-]{1,64}", cluster) else "cluster"
    return f"{known}.{job if re.fullmatch('[0-9]{1,12}', job) else 0}.line{os.getpid()}"


@with_progress("judging the profiles")
def _ingest(arguments: argparse.Namespace, progress: Progress) -> int:
    from advisor.base.worth import site
    from advisor.fleet import accounting, energy, judging, store
    from advisor.fleet.ingest import Ingest
    from advisor.fleet.spool import files, given_up, ready

    spool = Path(arguments.spool)
    if not spool.is_dir():
        raise UserError(f"{spool} is no folder.", do="Give the spool that the jobs write to.")
    known = accounting.read(Path(arguments.sacct)) if arguments.sacct else accounting.NOTHING
    ear = energy.read_ear(Path(arguments.eacct)) if arguments.eacct else {}
    most = site.known(os.environ, arguments.worth).most_watts
    where = store.create(Path(arguments.store), False if arguments.names else None)
    executors = partial(judging.processes, max(1, arguments.workers))
    now = datetime.now(timezone.utc)
    ready(spool, now.date())
    with where.locked(arguments.wait):
        metering = energy.Metering(known, ear, most)
        told = progress.counted(sum(1 for _ in files(spool)) if progress.shows else 0)
        found = Ingest(
            spool, where, judge, executors, now, known, metering=metering, told=told
        ).run()
        progress.done()
        _tell(
            [*found.reasons, *islice(given_up(spool), _MOST_TOLD)], arguments.sacct, known.rejected
        )
        print(found.sentence(), flush=True)
        if arguments.views and where.has_jobs():
            fleet_people.write_views(where, Path(arguments.views), since("30d"))
    return 0


def _tell(reasons: Iterable[str], sacct: Optional[str], rejected: int) -> None:
    """Why some files were not taken, and some jobs left none."""
    for reason in reasons:
        print(f"advisor: {reason}", file=sys.stderr)
    if rejected:
        print(f"advisor: {sacct}: {rejected} lines are no rows", file=sys.stderr)


def _compact(arguments: argparse.Namespace) -> int:
    from advisor.fleet import store
    from advisor.fleet.compaction import Kept, compact

    where = store.opened(Path(arguments.store))
    kept = Kept(_period(arguments.keep), _period(arguments.keep_profiles))
    with where.locked(arguments.wait):
        compact(where, datetime.now(timezone.utc).date(), kept)
    return 0


@with_progress("reading the store", "writing the report")
def _report(arguments: argparse.Namespace, progress: Progress) -> int:
    from advisor.cli.report import write
    from advisor.base.worth import site
    from advisor.fleet import store
    from advisor.fleet.render import render
    from advisor.fleet.report import compose
    from advisor.reports import html

    where = store.opened(Path(arguments.store))
    ending = Path(arguments.output or "").suffix
    named = {".html": "html", ".htm": "html", ".json": "json"}.get(ending, "markdown")
    found = compose(where, since(arguments.since), site.known(os.environ, arguments.worth))
    progress.stage(1)
    style = Path(html.__file__).with_name("report.css").read_text(encoding="utf-8")
    text = render(found, arguments.format or named, style)
    progress.done()
    write(arguments.output, text)
    return 0


def _subject(arguments: argparse.Namespace) -> int:
    from advisor.cli.report import terminal_options, write
    from advisor.fleet import store
    from advisor.fleet.subjects import subject

    where = store.opened(Path(arguments.store))
    ascii_only = terminal_options(sys.stdout)["ascii_only"]
    days = since(arguments.since)
    name = arguments.name
    if arguments.subject == "user" and not name.startswith("user-"):
        name = where.pseudonyms.name("user", name)  # Who has the key may ask by the account.
    write(None, subject(where, arguments.subject, name, days, ascii_only))
    return 0


def since(text: str) -> "timedelta | date":
    """30d or 2026-11-01. Raises UserError."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        found = _period(text)
        assert found is not None
        return found


def _period(text: Optional[str]) -> Optional[timedelta]:
    if text is None:
        return None
    match = _PERIOD.fullmatch(text)
    if not match:
        raise UserError(f'"{text}" is no number of days.', do="Write it like this: 30d.")
    return timedelta(days=int(match[1]))
