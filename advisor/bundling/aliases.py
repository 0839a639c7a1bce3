"""Aliases: the same name gets the same alias everywhere, and every replacement is counted."""

from __future__ import annotations

import re
from typing import Dict, Iterable, List, Optional, Pattern

from advisor.model.removal import Removal

SYSTEM = ("/usr", "/opt", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/etc", "/proc", "/sys", "/dev", "/var", "/run", "/boot", "/cvmfs")
"""Paths below these name software and devices, not people; users and hosts in them are replaced all the same."""
_PATH = re.compile(r"(?<![\w.)\]~/])(?:[A-Za-z][\w+.-]*:)?/{1,3}[^\s:;,'\"=<>|&()\[\]{}]+")
_RELATIVE = re.compile(r"(?<![\w/])(?:~[\w.-]*|\.{1,2})/[^\s:;,'\"=<>|&()\[\]{}]+")
_ADDRESS = re.compile(r"(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w.])|(?<![\w:])(?:[0-9a-fA-F]{1,4}:){3,7}[0-9a-fA-F]{1,4}(?![\w:])")
_LIBRARY = re.compile(r"\.(so|dylib|a)(\.[\d.]+)?$")


class Aliases:
    """One kind of name. `word`: aliases are word1, word2, …"""

    def __init__(self, kind: str, word: str) -> None:
        self.kind, self.word, self.places = kind, word, 0
        self._given: Dict[str, str] = {}

    def of(self, name: str) -> str:
        """The alias of a name; counts one place."""
        self.places += 1
        return self._given.setdefault(name, f"{self.word}{len(self._given) + 1}")

    def removal(self) -> Optional[Removal]:
        """What was removed of this kind; None if nothing was."""
        alias = f"{self.word}1" if len(self._given) == 1 else f"{self.word}1 to {self.word}{len(self._given)}"
        return Removal(self.kind, len(self._given), self.places, alias) if self.places else None


class Redactor:
    """Replaces names in texts. Longer names first, so that none is found inside another."""

    def __init__(self, users: Iterable[str], hosts: List[str], domains: Iterable[str], accounts: Iterable[str], names_kept: Iterable[str]) -> None:
        self.users, self.hosts, self.paths = Aliases("users", "user"), Aliases("hosts", "host"), Aliases("paths", "/path")
        self.accounts, self.addresses = Aliases("accounts", "account"), Aliases("addresses", "address")
        self.kept = frozenset(names_kept)
        # The short name of a host is the same host.
        self._canonical = {name: next((long for long in hosts if long.partition(".")[0] == name), name) for name in hosts}
        for name in hosts:
            self.hosts.of(self._canonical[name])
        self.hosts.places = 0
        self._known = [(words(users), self.users.of), (words(domains), lambda name: "domain"), (words(accounts), self.accounts.of)]
        self._hosts = words(hosts)

    def text(self, text: str) -> str:
        """Any text: paths, addresses, hosts, users and accounts in it replaced."""
        text = _PATH.sub(lambda match: self._path(match.group()), text)
        text = _RELATIVE.sub(lambda match: self._relative(match.group()), text)
        text = _ADDRESS.sub(lambda match: self.addresses.of(match.group()), text)
        return self.names(text)

    def names(self, text: str) -> str:
        """Hosts, users and accounts replaced, paths left."""
        if self._hosts:
            text = self._hosts.sub(lambda match: self.hosts.of(self._canonical.get(match.group(), match.group())), text)
        for pattern, alias in self._known:
            if pattern:
                text = pattern.sub(lambda match, alias=alias: alias(match.group()), text)
        return text

    def path(self, path: str, keep_name: bool = False) -> str:
        """A text that is a path as a whole, blanks included."""
        return self._path(path, keep_name) if "/" in path else self.names(path)

    def _path(self, path: str, keep_name: bool = False) -> str:
        if any(path == root or path.startswith(root + "/") for root in SYSTEM):
            return self.names(path)
        name = path.rstrip("/").rpartition("/")[2]
        if name and (keep_name or name in self.kept or _LIBRARY.search(name)):
            return self.paths.of(path.rpartition("/")[0] or "/") + "/" + self.names(name)
        return self.paths.of(path.rstrip("/"))

    def _relative(self, path: str) -> str:
        folder, _, name = path.rstrip("/").rpartition("/")
        return path if folder in (".", "..") and name in self.kept else self._path(path)

    def removals(self) -> List[Removal]:
        """All that was removed so far."""
        return list(filter(None, (one.removal() for one in (self.users, self.hosts, self.paths, self.accounts, self.addresses))))


def words(names: Iterable[str]) -> Optional[Pattern[str]]:
    """A pattern that finds these names as whole words, the longest first; None without names."""
    ordered = sorted(set(filter(None, names)), key=lambda name: (-len(name), name))
    return re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, ordered))})(?![A-Za-z0-9])") if ordered else None
