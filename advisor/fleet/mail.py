"""Mails to users: at most three findings each, by node hours that may be saved, in the words of the
first screen. They are written, never sent.

A finding of a user's application is silent for 30 days after it was mailed, followed or muted.
Followed: a trial proved its remedy better, or five jobs of the application ran without it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from email.message import EmailMessage
from pathlib import Path
from textwrap import fill, indent
from typing import (
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

from advisor.base import numbers as write
from advisor.fleet.muting import Muted
from advisor.fleet.people import accounts, by_number
from advisor.fleet.query import asked, connected
from advisor.fleet.report import DAY, period
from advisor.fleet.silences import SILENCE, Key, Silences
from advisor.fleet.store import Store
from advisor.fleet.tabular import hours
from advisor.model.harmless import visible

MOST = 3
ENOUGH_JOBS = 5
LEAST_HOURS = 1.0
"""Of node hours that may be saved: less is not worth a mail."""
_WIDTH = 72
Row = Mapping[str, Any]


class Told(NamedTuple):
    """What the first screen says of a finding: what to do, and how. `command` may have lines."""

    title: str
    do: str
    command: str
    caution: str


Words = Callable[[Path, str], Optional[Told]]
"""Profile and rule → the words; None if the profile is gone, or does not show it any more."""


@dataclass(frozen=True)
class Mail:
    """One user's. `findings`: rows of the query, with the words and the job that shows it best."""

    user: str
    address: str
    first: date
    last: date
    ran: float
    findings: Sequence[Tuple[Row, Optional[Told], Row]]


def mails(
    store: Store,
    words: Words,
    silences: Silences,
    wishes: Sequence[Muted],
    today: date,
    domain: str = "",
) -> List[Mail]:
    """What is to be said today. `silences` has it afterwards; who writes the mails keeps it."""
    with connected(store) as connection:
        first, until = period(connection, store, SILENCE)
        days = {"since": first, "until": until}
        ran = {row["user_name"]: row["hours"] for row in asked(connection, "users_seen", **days)}
        people = accounts(ran, store.pseudonyms)
        _mute(silences, wishes, by_number(people), today)
        _follow(connection, silences, until, today)
        found = []
        for user, rows in _of_users(connection, days).items():
            chosen = [row for row in rows if not silences.at(_key(row), today)][:MOST]
            if user not in people or not chosen:
                continue
            told = [_told(connection, store, words, row, days) for row in chosen]
            for row in chosen:
                silences.begin(_key(row), today, "mailed")
            name = people[user].pw_name
            address = f"{name}@{domain}" if domain else name
            found.append(Mail(name, address, first, until - DAY, ran[user], told))
    return found


def _mute(
    silences: Silences, wishes: Sequence[Muted], users: Mapping[int, str], today: date
) -> None:
    for wish in wishes:
        if wish.owner in users:
            silences.begin((users[wish.owner], wish.rule, ""), today, "muted")


def _follow(connection: Any, silences: Silences, until: date, today: date) -> None:
    everything = asked(connection, "verified_rules", since=date(1970, 1, 1), until=until)
    better = defaultdict(set)
    for row in everything:
        for rule in row["rules"].split():
            better[row["user_name"], rule].add(row["last_day"])
    for key, day in silences.mailed():
        user, rule, application = key
        values = {"since": day + DAY, "until": until, "name": user, "application": application}
        verified = any(each >= day for each in better[user, rule])
        ran = asked(connection, "followed", **values)[0]["jobs_run"]
        seen = asked(connection, "worst_job", rule=rule, **values)
        if verified or (ran >= ENOUGH_JOBS and not seen):
            silences.begin(key, today, "followed")


def _of_users(connection: Any, days: Mapping[str, date]) -> Mapping[str, List[Row]]:
    found: Dict[str, List[Row]] = defaultdict(list)
    for row in asked(connection, "findings_of_users", **days):
        if row["recoverable_hours"] >= LEAST_HOURS:
            found[row["user_name"]].append(row)
    return found


def _key(row: Row) -> Key:
    return row["user_name"], row["rule"], row["application"]


def _told(
    connection: Any, store: Store, words: Words, row: Row, days: Mapping[str, date]
) -> Tuple[Row, Optional[Told], Row]:
    values = {"name": row["user_name"], "rule": row["rule"], "application": row["application"]}
    worst = asked(connection, "worst_job", **days, **values)[0]
    path = store.raw(worst["profile"], "profile")
    return row, words(path, row["rule"]) if path.exists() else None, worst


def message(mail: Mail, spool: str = "") -> EmailMessage:
    """As a file that mail programs read."""
    made = EmailMessage()
    made["To"] = mail.address
    saved = sum(row["recoverable_hours"] for row, _, _ in mail.findings)
    made["Subject"] = visible(f"Your jobs: {write.number(saved)} node hours that need not be lost")
    made["Auto-Submitted"] = "auto-generated"
    made.set_content("\n".join(_lines(mail, spool)) + "\n", charset="utf-8")
    return made


def _lines(mail: Mail, spool: str) -> Iterator[str]:
    yield _filled(
        f"From {mail.first} to {mail.last} your jobs ran for {write.number(mail.ran)} node hours."
        " Most may be saved here:"
    )
    for number, (row, told, job) in enumerate(mail.findings, 1):
        yield ""
        yield from _finding(number, row, told, job)
    yield ""
    where = f" {spool}" if spool else " SPOOL"
    names = " ".join(dict.fromkeys(row["rule"] for row, _, _ in mail.findings))
    yield _filled(
        f"To hear nothing of one of them for 30 days: advisor fleet mute{where} RULE, where RULE is"
        f" one of: {names}; or all."
    )


def _finding(number: int, row: Row, told: Optional[Told], job: Row) -> Iterator[str]:
    title = told.title if told else row["heading"]
    yield _filled(f"{number}. {visible(title)}")
    saved = hours(
        *(row[f"recoverable_{end}"] for end in ("hours", "least", "most")),
    )
    yield _inner(
        f"{saved} node hours may be saved in {write.counted(row['jobs_hit'], 'job')} of"
        f" {visible(row['application'])}; most in job {visible(job['job'])}."
    )
    if told:
        for text in (told.do, f"Caution: {told.caution}" if told.caution else ""):
            if text:
                yield _inner(visible(text))
        for line in told.command.split("\n") if told.command else ():
            yield "     " + visible(line)


def _filled(text: str) -> str:
    return fill(_plain(text), _WIDTH)


def _inner(text: str) -> str:
    return indent(fill(_plain(text), _WIDTH - 3), "   ")


def _plain(text: str) -> str:
    return text.replace("`", "").replace(write.THIN, " ").replace(write.HARD, " ")
