"""Neutral names: the same name gets the same one everywhere, and every replacement is counted."""

from __future__ import annotations

import re
from typing import AbstractSet, Callable, Dict, Iterable, List, Optional, Tuple

from advisor.bundling import known
from advisor.bundling.vocabulary import PART, Words, is_number
from advisor.model.removal import Removal

_IN_PATH = r"[^\s:;,'\"=<>|&()\[\]{}]+"
_PATH = re.compile(rf"(?<![\w.)\]~/])(?:[A-Za-z][\w+.-]*:)?/{{1,3}}{_IN_PATH}|(?<![\w/])(?:~[\w.-]*|\.{{1,2}})/{_IN_PATH}")
_ADDRESS = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])|(?<![\w:])(?:[0-9a-fA-F]{1,4}:){5,7}[0-9a-fA-F]{1,4}(?![\w:])"
                      r"|(?<![\w:])(?=[0-9a-fA-F:]*::)[0-9a-fA-F:]{3,39}(?![\w:])")
_LIBRARY = re.compile(r".+\.(so|dylib|a)(\.[\d.]+)?")
_KERNEL = ("/proc/", "/sys/", "/dev/")
_LEAST_INSIDE = 4
"""Letters of a name that is looked for inside longer words as well; shorter ones stand in too many."""
Known = Callable[[str], bool]


class Aliases:
    """One kind of name. `word`: aliases are word1, word2, …"""

    def __init__(self, kind: str, word: str) -> None:
        self.kind, self.word, self.places = kind, word, 0
        self.given: Dict[str, str] = {}

    def of(self, name: str) -> str:
        """The alias of a name, in small letters or large; counts one place."""
        self.places += 1
        return self.given.setdefault(name.lower(), f"{self.word}{len(self.given) + 1}")

    def removal(self) -> Optional[Removal]:
        """What was removed of this kind; None if nothing was."""
        alias = f"{self.word}1" if len(self.given) == 1 else f"{self.word}1 to {self.word}{len(self.given)}"
        return Removal(self.kind, len(self.given), self.places, alias) if self.places else None


class Redactor:
    """Texts in which only known words, numbers and neutral names stay."""

    def __init__(self, words: Words, users: Iterable[str], hosts: List[str], accounts: Iterable[str], variables: AbstractSet[str], labels: AbstractSet[str]) -> None:
        """`variables`, `labels`: names of settings, and of programs and libraries at the end of paths, that stay."""
        self.words, self.variables, self.labels = words, variables | words.variables, labels | known.PROGRAMS
        kinds = ("users", "user"), ("hosts", "host"), ("paths", "/path"), ("accounts", "account"), ("addresses", "address"), ("arguments", "argument"), ("words", "word")
        self.kinds = {kind: Aliases(kind, word) for kind, word in kinds}
        self._names: Dict[str, Tuple[Aliases, str]] = {}
        for kind, names in (("accounts", accounts), ("users", users)):
            self._names.update({name.lower(): (self.kinds[kind], name) for name in names if name.lower() not in words.values})
        for name in hosts:
            # The short name of a host is the same host.
            long = next((other for other in hosts if other.partition(".")[0] == name), name)
            self._names[name.lower()] = self._names[name.partition(".")[0].lower()] = (self.kinds["hosts"], long)
            self.kinds["hosts"].of(long)
        self.kinds["hosts"].places = 0
        for name in words.values & set(self._names):
            # A word of the rules says nothing of a host, and they judge by it.
            del self._names[name]
        self._whole, self._inside = _pattern(self._names, 1, True), _pattern(self._names, _LEAST_INSIDE, False)

    def value(self, text: str) -> str:
        """Of a setting, a fact, a launch line: words of `values` stay."""
        return self._text(text, self.words.values.__contains__)

    def prose(self, text: str) -> str:
        """A sentence of advisor, or of an MPI library about itself: the words of advisor's texts stay."""
        return self._text(text, self.words.prose.__contains__)

    def free(self, text: str) -> str:
        """All words stay but names of users, hosts and accounts, paths and addresses."""
        return self._text(text, lambda part: True)

    def label(self, name: str) -> str:
        """A name that the program gave: as it is, but for names of users, hosts and accounts, inside longer words as well."""
        return _outside(_PATH, name, self.path, lambda between: self._inside.sub(self._alias, self._whole.sub(self._alias, between)))

    def whole(self, text: str, kind: str) -> str:
        """A text that is a name as a whole: the alias that it has, or one of this kind."""
        return self._alias_of(text) if text.lower() in self._names else self.kinds[kind].of(text)

    def knows(self, text: str) -> bool:
        """Whether all words of it are advisor's."""
        return not self._unknown(text, self.words.prose)

    def variable(self, name: str) -> str:
        """The name of a setting: one that the library or a rule has, or known words."""
        return name if name in self.variables else self.value(name)

    def path(self, path: str, keep_name: bool = False) -> str:
        """A text that is a path as a whole, blanks included; `keep_name`: the last part is a label."""
        folder, slash, name = path.rstrip("/").rpartition("/")
        if not slash:
            return self.label(path) if keep_name else self.value(path)
        folders = self.words.prose if path.startswith(_KERNEL) else known.SYSTEM
        keep_name = keep_name or name in self.labels or _LIBRARY.fullmatch(name) is not None
        if not self._unknown(folder if keep_name else path, folders):
            return f"{folder}/{self.label(name)}"
        return f"{self.kinds['paths'].of(folder or '/')}/{self.label(name)}" if keep_name else self.kinds["paths"].of(path.rstrip("/"))

    def _text(self, text: str, is_known: Known) -> str:
        """Paths and addresses first, then names, then part by part."""
        if "/" in text:
            return _outside(_PATH, text, self.path, lambda between: self._parts(between, is_known))
        return self._parts(text, is_known)

    def _parts(self, text: str, is_known: Known) -> str:
        def names(between: str) -> str:
            return _outside(self._whole, between, self._alias_of, lambda rest: PART.sub(lambda part: self._part(part.group(), is_known), rest))

        return _outside(_ADDRESS, text, self.kinds["addresses"].of, names)

    def _part(self, part: str, is_known: Known) -> str:
        return part if is_number(part) or is_known(part.lower()) else self.kinds["words"].of(part)

    def _unknown(self, text: str, allowed: AbstractSet[str]) -> bool:
        return any(not is_number(part) and part.lower() not in allowed or part.lower() in self._names for part in PART.findall(text))

    def _alias(self, found: "re.Match[str]") -> str:
        return self._alias_of(found.group())

    def _alias_of(self, name: str) -> str:
        aliases, canonical = self._names[name.lower()]
        return aliases.of(canonical)

    def removals(self) -> List[Removal]:
        """All that was removed so far."""
        return list(filter(None, (one.removal() for one in self.kinds.values())))


def _outside(pattern: "re.Pattern[str]", text: str, inside: Callable[[str], str], outside: Callable[[str], str]) -> str:
    """The text with what the pattern finds put through one function, and what stands between through another."""
    made, at = [], 0
    for found in pattern.finditer(text):
        made += [outside(text[at : found.start()]), inside(found.group())]
        at = found.end()
    return "".join((*made, outside(text[at:])))


def _pattern(names: Iterable[str], least: int, alone: bool) -> "re.Pattern[str]":
    """Finds these names, the longest first; `alone`: not inside longer words. Without names it finds nothing."""
    ordered = sorted((name for name in names if len(name) >= least), key=lambda name: (-len(name), name))
    before, after = (r"(?<![^\W_])", r"(?![^\W_])") if alone else ("", "")
    return re.compile(f"{before}(?:{'|'.join(map(re.escape, ordered)) or '(?!)'}){after}", re.IGNORECASE)
