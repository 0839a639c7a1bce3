"""Which names of users, hosts and accounts a profile holds: looked for where each kind is known to stand."""

from __future__ import annotations

import re
from typing import Iterator, List, Set

from advisor.model.profile import Profile

ROOTS = ("home", "users", "Users", "people", "usr/people", "u", "user")
"""Folders that hold one folder a user, at any depth: /home/NAME, /gpfs/users/NAME."""
_HOME = re.compile(rf"/(?:{'|'.join(ROOTS)})/([^/\s:;,'\"=]+)")
_TILDE = re.compile(r"(?<![\w/])~([A-Za-z_][\w.-]*)")
_AT = re.compile(r"\b([\w.+-]+)@([\w-]+(?:\.[\w-]+)*)")
_USER_NAMES = re.compile(r"(^|_)(USER|USERNAME|LOGNAME|UID_NAME|O_LOGNAME)$")
_ACCOUNT_NAMES = re.compile(r"(ACCOUNT|PROJECT|QOS|RESERVATION)(_NAME)?$")
_HOST_NAMES = re.compile(r"(HOST|HOSTNAME|NODE|NODENAME|NODEID_NAME|SUBMIT_HOST|O_HOST|LAUNCH_NODE\w*)$")
_LISTS = re.compile(r"(NODELIST|NODE_LIST|HOSTLIST|HOSTS|HOST_LIST|NODEFILE|HOSTFILE|MACHINEFILE)(_\w+)?$")
_HOST_OPTIONS = frozenset({"-H", "-host", "--host", "-hosts", "--hosts", "-w", "--nodelist", "--exclude", "--hostlist", "--machine"})
_NOBODY = frozenset({"root", "nobody", "user", "users", "home", "mpi", "localhost", "unknown", "none", "true", "false", "local", "self"})
"""Words that say nothing of a person or a host, and stand in too many texts."""


def users(profile: Profile, texts: List[str], more: Set[str]) -> Set[str]:
    """Names of users: from home folders, from variables, in front of @, and `more` that the caller knows."""
    found = set(more)
    for text in texts:
        found |= set(_HOME.findall(text)) | set(_TILDE.findall(text)) | {match.group(1) for match in _AT.finditer(text)}
    found |= {setting.value for setting in profile.settings if _USER_NAMES.search(setting.name)}
    return {name for name in found if len(name) > 1 and name.lower() not in _NOBODY}


def accounts(profile: Profile) -> Set[str]:
    """Names of accounts and projects, from variables of schedulers."""
    found = {setting.value for setting in profile.settings if _ACCOUNT_NAMES.search(setting.name)}
    return {name for name in found if len(name) > 1 and not name.isdigit() and name.lower() not in _NOBODY}


def hosts(profile: Profile, texts: List[str]) -> List[str]:
    """Names of hosts, those of the job first and in their order: also without domain, behind @, in variables and on the launch line."""
    found = [node.name for node in profile.nodes] + list(_on_the_line(profile.run.launch_line))
    found += [match.group(2) for text in texts for match in _AT.finditer(text)]
    found += [setting.value for setting in profile.settings if _HOST_NAMES.search(setting.name)]
    found += [name.partition(".")[0] for name in found]
    return [name for name in dict.fromkeys(found) if len(name) > 1 and not name.isdigit() and name.lower() not in _NOBODY]


def domains(names: List[str]) -> List[str]:
    """What follows the first point of host names."""
    found = [name.partition(".")[2] for name in names]
    return [name for name in dict.fromkeys(found) if "." in name]


def is_list(name: str) -> bool:
    """Whether the value of a variable names hosts in a form of its own, such as n[01-04]: it is removed as a whole."""
    return bool(_LISTS.search(name))


def _on_the_line(words: tuple) -> Iterator[str]:
    """Hosts behind the options of launchers that take some."""
    for place, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option not in _HOST_OPTIONS:
            continue
        given = value if equals else words[place + 1] if place + 1 < len(words) else ""
        for name in given.split(","):
            # A number behind a colon says how many ranks; brackets are a list in a form of its own.
            yield name.partition(":")[0]
