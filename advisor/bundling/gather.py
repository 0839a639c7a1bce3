"""Which names of users, hosts and accounts a profile holds, so that each has one neutral name
wherever it stands.

What is not found here goes all the same: only words that advisor knows stay (vocabulary.py).
"""

from __future__ import annotations

import re
from typing import Iterable, Iterator, List, Set

from advisor.model.profile import Profile

ROOTS = ("home", "users", "Users", "people", "usr/people", "u", "user")
"""Folders that hold one folder a user, at any depth: /home/NAME, /gpfs/users/NAME."""
_HOME = re.compile(rf"/(?:{'|'.join(ROOTS)})/([^/\s:;,'\"=]+)")
_TILDE = re.compile(r"(?<![\w/])~([A-Za-z_][\w.-]*)")
_AT = re.compile(r"\b([\w.+-]+)@([\w-]+(?:\.[\w-]+)*)")
_USER_NAMES = re.compile(r"(^|_)(USER|USERNAME|LOGNAME|UID_NAME|O_LOGNAME)$")
_ACCOUNT_NAMES = re.compile(r"(ACCOUNT|PROJECT|QOS|RESERVATION|WCKEY)(_NAME)?$")
_HOST_NAMES = re.compile(
    r"(HOST|HOSTNAME|NODE|NODENAME|NODEID_NAME|SUBMIT_HOST|O_HOST|LAUNCH_NODE\w*)$"
)
_LISTS = re.compile(
    r"(NODELIST|NODE_LIST|HOSTLIST|HOSTS|HOST_LIST|NODEFILE|HOSTFILE|MACHINEFILE)(_\w+)?$"
)
_SCHEDULERS = re.compile(r"(SLURM|SRUN|PBS|PJM|LSB|LSF|FLUX|PALS|SGE|COBALT|JOB|QUEUE)_")
HOST_OPTIONS = frozenset(
    {
        "-H",
        "-host",
        "--host",
        "-hosts",
        "--hosts",
        "-w",
        "--nodelist",
        "--exclude",
        "--hostlist",
        "--machine",
    }
)
IDENTITY_OPTIONS = frozenset(
    """
    -A -J -M --account --comment --job-name --wckey --partition --qos --reservation --uid --gid
    --mail-user --cluster --clusters
    """.split()
)
"""Options of launchers whose value names somebody or something, also if it is a number."""
_NAME = re.compile(r"[^\W_][\w.+-]+")
_NOBODY = frozenset(
    {
        "root",
        "nobody",
        "user",
        "users",
        "home",
        "main",
        "mpi",
        "localhost",
        "unknown",
        "none",
        "true",
        "false",
        "local",
        "self",
    }
)
"""Words that say nothing of a person or a host, and stand in too many texts."""


def users(profile: Profile, texts: List[str], more: Iterable[str]) -> Set[str]:
    """Names of users: from home folders, from variables, in front of @, and `more` that the caller
    knows."""
    found = set(more)
    for text in texts:
        found |= (
            set(_HOME.findall(text))
            | set(_TILDE.findall(text))
            | {match.group(1) for match in _AT.finditer(text)}
        )
    return _names(
        found | {setting.value for setting in profile.settings if _USER_NAMES.search(setting.name)}
    )


def accounts(profile: Profile) -> Set[str]:
    """Names of accounts and projects, from variables of schedulers."""
    return _names(
        {setting.value for setting in profile.settings if _ACCOUNT_NAMES.search(setting.name)}
    )


def hosts(profile: Profile, texts: List[str]) -> List[str]:
    """Names of hosts, those of the job first and in their order: also behind @, in variables and on
    the launch line."""
    found = [node.name for node in profile.nodes] + list(_on_the_line(profile.run.launch_line))
    found += [match.group(2) for text in texts for match in _AT.finditer(text)]
    found += [setting.value for setting in profile.settings if _HOST_NAMES.search(setting.name)]
    usable = _names(found)
    return [name for name in dict.fromkeys(found) if name in usable]


def kind_of(variable: str) -> str:
    """What the value of a scheduler's variable names: users, accounts, hosts, words; empty if it is
    no such variable."""
    if _LISTS.search(variable) or _HOST_NAMES.search(variable):
        return "hosts"
    if _USER_NAMES.search(variable):
        return "users"
    if _ACCOUNT_NAMES.search(variable):
        return "accounts"
    return "words" if _SCHEDULERS.match(variable) else ""


def _names(found: Iterable[str]) -> Set[str]:
    return {
        name
        for name in found
        if _NAME.fullmatch(name) and not name.isdigit() and name.lower() not in _NOBODY
    }


def _on_the_line(words: tuple) -> Iterator[str]:
    """Hosts behind the options of launchers that take some."""
    for place, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option in HOST_OPTIONS:
            given = value if equals else words[place + 1] if place + 1 < len(words) else ""
            # A number behind a colon says how many ranks; of a list such as n[01-04] the part in
            # front is taken.
            yield from (re.split(r"[:\[]", name)[0] for name in given.split(",") if name)
