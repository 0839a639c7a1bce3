"""`advisor fleet views | mine | mail | mute`: what users see of a centre's store, and what they are
told."""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Optional

from advisor.model.errors import UserError

if TYPE_CHECKING:
    from advisor.fleet.mail import Told
    from advisor.fleet.store import Store

Part = Callable[[argparse._SubParsersAction, str, str, str], argparse.ArgumentParser]


def add(parts: argparse._SubParsersAction, part: Part, since: Callable[..., None]) -> None:
    """The parts of the command. `part` makes one, `since` adds its option."""
    made = part(
        parts, "views", "write each user's own jobs to a file of his", "views /srv/fleet /srv/mine"
    )
    made.add_argument("store", metavar="STORE", help="the folder of the store")
    made.add_argument("folder", metavar="FOLDER", help="the files' folder; made if need be")
    since(made)
    made.set_defaults(run=_views)
    made = part(parts, "mine", "your own jobs, as the centre wrote them down", "mine /srv/mine")
    made.add_argument("folder", metavar="FOLDER", help="the folder that views wrote to")
    made.set_defaults(run=_mine)
    _add_mail(parts, part)
    made = part(
        parts, "mute", "no mails on a rule for 30 days", "mute /var/spool/advisor many-barriers"
    )
    made.add_argument("spool", metavar="SPOOL", help="the spool of the centre")
    made.add_argument("rule", metavar="RULE", help="as the mail names it, or all")
    made.set_defaults(run=_mute)


def _add_mail(parts: argparse._SubParsersAction, part: Part) -> None:
    said = "mails to users: at most three findings each; none is sent"
    made = part(parts, "mail", said, "mail /srv/fleet --spool /var/spool/advisor -o mails")
    made.add_argument("store", metavar="STORE", help="the folder of the store")
    made.add_argument(
        "-o", "--output", metavar="FOLDER", help="a file USER.eml each; default: standard output"
    )
    made.add_argument("--spool", metavar="SPOOL", help="where users mute; mails name it")
    made.add_argument("--domain", default="", help="of the addresses: USER@DOMAIN")
    made.add_argument(
        "--dry-run", action="store_true", help="do not remember what was mailed or muted"
    )
    made.set_defaults(run=_mail)


def _views(arguments: argparse.Namespace) -> int:
    from advisor.cli.fleet import since
    from advisor.fleet import store

    where = store.opened(Path(arguments.store))
    with where.locked(60.0):
        write_views(where, Path(arguments.folder), since(arguments.since))
    return 0


def write_views(where: "Store", folder: Path, days: "timedelta | date") -> None:
    """All files of users anew; the store must be locked. Raises UserError."""
    from advisor.fleet import views

    done, left = views.write_all(where, folder, days)
    print(f"views: {len(done)} written, {len(left)} left")
    if left:
        print(
            "advisor: left are users who have no account here, or to whom only root can give a"
            f" file: {', '.join(left[:5])}",
            file=sys.stderr,
        )


def _mine(arguments: argparse.Namespace) -> int:
    from advisor.cli.report import write
    from advisor.fleet import views

    write(None, views.mine(Path(arguments.folder)))
    return 0


def _mute(arguments: argparse.Namespace) -> int:
    from advisor.fleet import muting

    muting.mute(Path(arguments.spool), arguments.rule, datetime.now(timezone.utc).date())
    print(f"{arguments.rule}: no mails for 30 days, from the next time that mails are written")
    return 0


def _mail(arguments: argparse.Namespace) -> int:
    from advisor.fleet import mail, muting, silences as kept, store

    where = store.opened(Path(arguments.store))
    spool = Path(arguments.spool) if arguments.spool else None
    wishes = list(muting.wishes(spool)) if spool else []
    with where.locked(60.0), _Reader() as reader:
        silences = kept.Silences(where.path / kept.FILE)
        today = datetime.now(timezone.utc).date()
        found = mail.mails(where, reader.words, silences, wishes, today, arguments.domain)
        for each in found:
            made = mail.message(each, arguments.spool or "").as_bytes()
            _write(arguments.output, each.user, made)
        if not arguments.dry_run:
            silences.keep()
            for wish in wishes:
                muting.forget(wish)
    why = "" if found else ": nobody has news by which a node hour may be saved"
    print(f"advisor: {len(found)} mails written, none sent{why}", file=sys.stderr)
    return 0


def _write(folder: Optional[str], user: str, content: bytes) -> None:
    if folder is None:
        sys.stdout.buffer.write(content + b"\n")
        return
    path = Path(folder) / f"{user}.eml"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}.") from error


class _Reader:
    """Profiles are strangers': another process reads them, and may end."""

    def __init__(self) -> None:
        self._executor: Optional[ProcessPoolExecutor] = None

    def __enter__(self) -> "_Reader":
        return self

    def __exit__(self, *error: Any) -> None:
        self._close()

    def _close(self) -> None:
        if self._executor:
            self._executor.shutdown()
        self._executor = None

    def words(self, path: Path, rule: str) -> "Optional[Told]":
        """None if the profile does not show the rule any more, or cannot be read."""
        from advisor.fleet import judging

        self._executor = self._executor or judging.processes()
        try:
            return self._executor.submit(
                judging.within_limits, first_screen_words, str(path), rule
            ).result()
        except Exception:  # Whatever it is, the finding is told without them.
            self._close()
            return None


def first_screen_words(path: str, rule: str) -> "Optional[Told]":
    """What a report of this profile says of a rule: as on its first screen, if it is there."""
    from advisor import reports
    from advisor.cli import opening
    from advisor.cli.report import judged
    from advisor.fleet.mail import Told

    document = reports.compose(judged(opening.read(path), [], forgetting=True))
    item = next((each for each in document.items if each.rule == rule), None)
    if item is None:
        return None
    for action in document.screen.actions:
        if action.finding == item.number:
            command = f"in {action.file}:\n{action.command}" if action.file else action.command
            # A command that names the profile names a file that its user cannot read.
            kept = "" if path in command else command
            return Told(action.title, action.do, kept, action.caution)
    first = next((each.text for each in item.actions if not each.command), "")
    return Told(item.title, first, "", "")
