"""Neutral names: the same name gets the same one everywhere, and every replacement is counted."""

from __future__ import annotations

import re
from typing import AbstractSet, Callable, Dict, Iterable, List, Optional, Set, Tuple

from advisor.base import launcher_names
from advisor.bundling import known
from advisor.bundling.vocabulary import PART, Words, is_number
from advisor.model.removal import Removal

_IN_PATH = r"[^\s:;,'\"=<>|&()\[\]{}]+"
_PATH = re.compile(
    rf"(?<![\w.)\]~/])(?:[A-Za-z][\w+.-]*:)?/{{1,3}}{_IN_PATH}|(?<![\w/])(?:~[\w.-]*|\.{{1,2}})/{_IN_PATH}"
)
_ADDRESS = re.compile(
    r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])|(?<![\w:])(?:[0-9a-fA-F]{1,4}:){5,7}[0-9a-fA-F]{1,4}(?![\w:])"
    r"|(?<![\w:])(?=[0-9a-fA-F:]*::)[0-9a-fA-F:]{3,39}(?![\w:])"
)
_LIBRARY = re.compile(r".+\.(so|dylib|a)(\.[\d.]+)?")
_KERNEL = ("/proc/", "/sys/", "/dev/")
_CHUNK = re.compile(rf"{PART.pattern}(?:[._+-]+{PART.pattern})*")
_MOST_PARTS = 12
"""Of one name, such as that of a host with its domain."""
_LEAST_INSIDE = 4
"""Letters of a name of a user that is looked for inside longer words as well; shorter ones stand in
too many."""
_ALIASES = {
    "users": "user",
    "hosts": "host",
    "paths": "/path",
    "accounts": "account",
    "addresses": "address",
    "arguments": "argument",
    "words": "word",
}
_PSEUDONYM = re.compile(rf"(?<![\w/])(?:{'|'.join(_ALIASES.values())})[0-9]+(?![\w])")
Rest = Callable[[str], str]


class Aliases:
    """One kind of name. `word`: aliases are word1, word2, …"""

    def __init__(self, kind: str, word: str) -> None:
        self.kind, self.word, self.places = kind, word, 0
        self.given: Dict[str, str] = {}
        self.names: Dict[str, str] = {}
        """Alias → the name that it stands for."""

    def of(self, name: str) -> str:
        """The alias of a name, in small letters or large; counts one place."""
        self.places += 1
        alias = self.given.setdefault(name.lower(), f"{self.word}{len(self.given) + 1}")
        self.names.setdefault(alias, name)
        return alias

    def removal(self) -> Optional[Removal]:
        """What was removed of this kind; None if nothing was."""
        alias = (
            f"{self.word}1"
            if len(self.given) == 1
            else f"{self.word}1 to {self.word}{len(self.given)}"
        )
        return Removal(self.kind, len(self.given), self.places, alias) if self.places else None


class Redactor:
    """Texts in which only known words, numbers and neutral names stay."""

    def __init__(
        self,
        words: Words,
        users: Iterable[str],
        hosts: List[str],
        accounts: Iterable[str],
        variables: AbstractSet[str] = frozenset(),
        labels: AbstractSet[str] = frozenset(),
    ) -> None:
        """`variables`, `labels`: names of settings, and of programs and libraries at the end of
        paths, that stay."""
        self.words, self.variables, self.labels = (
            words,
            variables | words.variables,
            labels | known.PROGRAMS | known.FILES | launcher_names.all_names(),
        )
        self.kinds = {kind: Aliases(kind, word) for kind, word in _ALIASES.items()}
        self._names: Dict[str, Tuple[Aliases, str]] = {}
        self._clean: Set[Tuple[int, str]] = set()
        for kind, names in (("accounts", accounts), ("users", users)):
            self._names.update({name.lower(): (self.kinds[kind], name) for name in names})
        inside = [
            name for name in self._names if len(name) >= _LEAST_INSIDE and name not in words.values
        ]
        inside.sort(key=lambda name: (-len(name), name))
        self._inside = re.compile("|".join(map(re.escape, inside)) or "(?!)", re.IGNORECASE)
        self._number_hosts(hosts)

    def _number_hosts(self, hosts: List[str]) -> None:
        """In their order, whether they are needed or not. The short name of a host is the same
        host."""
        whole: Dict[str, str] = {}
        for name in hosts:
            whole.setdefault(name.partition(".")[0], name)
        for name in hosts:
            self.kinds["hosts"].of(whole.get(name, name))
            for form in (name, name.partition(".")[0]):
                self._names[form.lower()] = (self.kinds["hosts"], whole.get(name, name))
        self.kinds["hosts"].places = 0

    def value(self, text: str) -> str:
        """Of a setting, a fact, a launch line: the words of `values` stay, though a user may be
        called like one."""
        return self._text(text, self.words.values, self.words.values)

    def term(self, text: str) -> str:
        """What advisor itself calls something, such as an operation or the subject of a gap."""
        return self._text(text, self.words.prose, self.words.prose)

    def prose(self, text: str) -> str:
        """A sentence of advisor, or of an MPI library about itself: the words of advisor's texts
        stay."""
        return self._text(text, self.words.prose)

    def free(self, text: str) -> str:
        """All words stay but names of users, hosts and accounts, paths and addresses."""
        return self._text(text, None)

    def label(self, name: str) -> str:
        """A name that the program gave: as it is, but for users, hosts and accounts; users inside
        longer words as well."""
        return self._inside.sub(
            lambda found: self._alias(found.group()), self._text(name, None, self.words.values)
        )

    def whole(self, text: str, kind: str) -> str:
        """A text that is a name as a whole: the alias that it has, or one of this kind."""
        return self._alias(text) if text.lower() in self._names else self.kinds[kind].of(text)

    def knows(self, text: str) -> bool:
        """Whether all words of it are advisor's."""
        return not self._unknown(text, self.words.prose)

    def variable(self, name: str) -> str:
        """The name of a setting: one that the library or a rule has, or known words."""
        return name if name in self.variables else self.value(name)

    def path(self, path: str, keep_name: bool = False) -> str:
        """A text that is a path as a whole, blanks included; `keep_name`: the last part is a
        label."""
        folder, slash, name = path.rstrip("/").rpartition("/")
        if not slash:
            return self.label(path) if keep_name else self.value(path)
        folders = self.words.prose if path.startswith(_KERNEL) else known.SYSTEM
        keep_name = keep_name or name in self.labels or _LIBRARY.fullmatch(name) is not None
        if not self._unknown(folder if keep_name else path, folders):
            return f"{folder}/{self.label(name)}"
        return (
            f"{self.kinds['paths'].of(folder or '/')}/{self.label(name)}"
            if keep_name
            else self.kinds["paths"].of(path.rstrip("/"))
        )

    def removals(self) -> List[Removal]:
        """All that was removed so far."""
        return list(filter(None, (one.removal() for one in self.kinds.values())))

    def names(self) -> Dict[str, str]:
        """What each alias stands for, by kind in the order of their numbers."""
        return {
            alias: name
            for one in self.kinds.values()
            if one.places
            for alias, name in one.names.items()
            if alias != name
        }

    def _text(
        self,
        text: str,
        allowed: Optional[AbstractSet[str]],
        before_names: AbstractSet[str] = frozenset(),
    ) -> str:
        """Paths first, then addresses, then names, then part by part.

        `allowed`: words that stay, None: all; `before_names`: those of them that stay although
        somebody is called so.
        """

        def chunks(between: str) -> str:
            return _CHUNK.sub(
                lambda found: self._chunk(found.group(), allowed, before_names), between
            )

        if (id(allowed), text) in self._clean:
            return text
        addresses = self.kinds["addresses"].of
        made = _outside(
            _PATH, text, self.path, lambda between: _outside(_ADDRESS, between, addresses, chunks)
        )
        if made == text:
            # Thousands of hosts have the same facts.
            self._clean.add((id(allowed), text))
        return made

    def _chunk(
        self, chunk: str, allowed: Optional[AbstractSet[str]], before_names: AbstractSet[str]
    ) -> str:
        """Parts joined by points and dashes: the longest that make a name have its alias."""
        parts, made, at, index = list(PART.finditer(chunk)), [], 0, 0
        while index < len(parts):
            begin, end = parts[index].start(), index + 1
            for last in range(min(len(parts), index + _MOST_PARTS), index, -1):
                if chunk[begin : parts[last - 1].end()].lower() in self._names:
                    end = last
                    break
            text = chunk[begin : parts[end - 1].end()]
            made += [chunk[at:begin], self._part(text, allowed, before_names)]
            at, index = parts[end - 1].end(), end
        return "".join((*made, chunk[at:]))

    def _part(
        self, text: str, allowed: Optional[AbstractSet[str]], before_names: AbstractSet[str]
    ) -> str:
        small = text.lower()
        if small in self._names and small not in before_names:
            return self._alias(text)
        return (
            text
            if allowed is None or small in allowed or is_number(text)
            else self.kinds["words"].of(text)
        )

    def _unknown(self, text: str, allowed: AbstractSet[str]) -> bool:
        return any(
            not is_number(part) and part.lower() not in allowed or part.lower() in self._names
            for part in PART.findall(text)
        )

    def _alias(self, name: str) -> str:
        aliases, canonical = self._names[name.lower()]
        return aliases.of(canonical)


def pseudonyms(text: str) -> List[str]:
    """What in a text of a ticket looks like one of our aliases."""
    return _PSEUDONYM.findall(text)


def _outside(pattern: "re.Pattern[str]", text: str, inside: Rest, outside: Rest) -> str:
    """The text with what the pattern finds put through one function, and what stands between
    through another."""
    made, at = [], 0
    for found in pattern.finditer(text):
        made += [outside(text[at : found.start()]), inside(found.group())]
        at = found.end()
    return "".join((*made, outside(text[at:])))
