"""A job script with settings put into its launch lines, as text: nothing else in it changes."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from typing import Callable, List, Mapping, Sequence, Tuple

from advisor.model.errors import UserError
from advisor.model.launch_options import BY_HOST, Contradicted

_SHELLS = ("sh", "bash", "dash", "ksh", "zsh")
_MCA = "OMPI_MCA_"
# A launcher counts where a command may begin: `which mpirun` and MPIRUN=mpirun start nothing.
_BEFORE = (
    r"(?:^|[;&|({]|--|\b(?:then|do|else|time|exec|nohup|if|while|!)\b)[ \t]*(?:[A-Za-z_]\w*=\S*["
    r" \t]+)*"
)
BY_HAND = "Change the script by hand: the settings are in overlay.sh and options of the overlay."

Gone = Callable[[str], Contradicted]
"""Name of a launcher → what contradicts the settings on its line."""
Words = Callable[[str], Tuple[Sequence[str], Sequence[str]]]
"""Name of a launcher → words in front of it, words behind it."""
Meant = Callable[[str], bool]
"""A launch, from the name of its launcher on → whether the settings are for it."""


@dataclass(frozen=True)
class Patched:
    """The new text, and how many launch lines have the settings; none: they are exported at the
    top."""

    text: str
    lines: int


def patched(
    text: str,
    settings: Mapping[str, str],
    launchers: Sequence[str],
    words: Words,
    overlay: str,
    gone: Gone,
    meant: Meant = lambda launch: True,
) -> Patched:
    """The script with `settings` in each launch line that is `meant`, and with the overlay's name
    exported. Raises UserError if that cannot be done safely."""
    _refuse_other_languages(text)
    lines, count = _logical(text), 0
    for place, line in enumerate(lines):
        starts = _starts(line, launchers)
        if len(starts) > 1:
            raise UserError(
                f"A line of the script has more than one launch: {line.strip()}", do=BY_HAND
            )
        for found in filter(lambda each: meant(_launch(line, each)), starts):
            count += 1
            front, behind = words(found.group(3))
            rest = without(line[found.end() :], settings, gone(found.group(3)))
            own = [shlex.quote(word) for word in behind]
            lines[place] = (
                line[: found.start(2)]
                + "".join(f"{word} " for word in _in_front(front))
                + " ".join([found.group(2), *own])
                + rest
            )
    if not count and any(name.startswith("-") for name in settings):
        raise UserError(
            "The script has no launch line that is known, and options of a launcher belong there.",
            do=BY_HAND,
        )
    exports = {"ADVISOR_OVERLAY": overlay, **({} if count else settings)}
    result = _with_exports(lines, exports)
    _check_syntax(text, result)
    return Patched(result, count)


def launches(text: str, launchers: Sequence[str]) -> List[str]:
    """The launches of a script, each from the name of its launcher to the end of the line."""
    return [_launch(line, found) for line in _logical(text) for found in _starts(line, launchers)]


def _starts(line: str, launchers: Sequence[str]) -> List["re.Match[str]"]:
    """Where launches begin in a logical line."""
    names = "|".join(sorted(map(re.escape, launchers), key=len, reverse=True))
    launch = rf"({_BEFORE})((?:[\w.$~{{}}/+-]*/)?({names}))(?=[ \t\\])"
    return [] if line.lstrip().startswith("#") else list(re.finditer(launch, line, re.MULTILINE))


def _launch(line: str, found: "re.Match[str]") -> str:
    return line[found.start(3) :]


def without(text: str, settings: Mapping[str, str], gone: Contradicted) -> str:
    """What follows the launcher, without words that give one of the settings another value, or
    contradict one. Raises UserError if they cannot be told."""
    for name in (*settings, *(f"--{option}" for option in gone.options), *gone.parameters):
        for pattern in _conflicts(name, gone.options):
            found = re.search(pattern, text)
            if found and set("'\"`$\\") & set(found.group()):
                raise UserError(
                    f"The launch line sets {name} in a way that cannot be replaced safely:"
                    f" {found.group().strip()}",
                    do=BY_HAND,
                )
            if found and name.lstrip("-") in BY_HOST:
                raise UserError(
                    f"The launch line says how many ranks are on a host: {found.group().strip()}",
                    "Another --map-by would take its place.",
                    BY_HAND,
                )
            text = re.sub(pattern, "", text)
    return text


def _conflicts(name: str, options: Mapping[str, int]) -> List[str]:
    if name.startswith("-"):
        bare = re.escape(name.lstrip("-"))
        return (
            [rf"(?<=\s)--?{bare}(?:[= ]\S+|=\S+)(?=\s|$)\s?"]
            if options.get(name.lstrip("-"))
            else [rf"(?<=\s)--?{bare}(?=\s|$)\s?"]
        )
    patterns = [rf"(?<=\s)--?(?:x|genv|env)\s+{re.escape(name)}(?:=\S*|\s+\S+)(?=\s|$)\s?"]
    if name.startswith(_MCA):
        patterns.append(rf"(?<=\s)--?g?mca\s+{re.escape(name[len(_MCA) :])}\s+\S+\s?")
    elif name.islower():
        patterns = [rf"(?<=\s)--?(?:g|prte)?mca\s+{re.escape(name)}\s+\S+\s?"]
    return patterns


def _logical(text: str) -> List[str]:
    """Lines with those that they go on in; their ends are kept."""
    lines: List[str] = []
    for line in text.splitlines(keepends=True):
        if lines and re.search(r"\\\r?\n$", lines[-1]):
            lines[-1] += line
        else:
            lines.append(line)
    return lines


def _with_exports(lines: List[str], exports: Mapping[str, str]) -> str:
    """Behind the head of comments, in which directives of schedulers stand: they end it."""
    place = next(
        (number for number, line in enumerate(lines) if line.strip() and not line.startswith("#")),
        len(lines),
    )
    end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    before = "" if place == 0 or lines[place - 1].endswith("\n") else end
    own = "".join(f"export {name}={shlex.quote(value)}{end}" for name, value in exports.items())
    return "".join(lines[:place]) + before + own + "".join(lines[place:])


def _in_front(front: Sequence[str]) -> List[str]:
    return ["env", *(shlex.quote(word) for word in front)] if front else []


def _refuse_other_languages(text: str) -> None:
    first = text.splitlines()[0] if text else ""
    words = re.findall(r"[\w.+-]+", first) if first.startswith("#!") else []
    if words and not any(word in _SHELLS for word in words):
        raise UserError(f"The script is for another interpreter than sh: {first}", do=BY_HAND)


def _check_syntax(before: str, after: str) -> None:
    """A script that bash could read before must still be read."""
    bash = shutil.which("bash")
    if bash and _reads(bash, before) and not _reads(bash, after):
        raise UserError("With the settings in it, the script is no valid one any more.", do=BY_HAND)


def _reads(bash: str, text: str) -> bool:
    done = subprocess.run(
        [bash, "-n"],
        input=text.encode("utf-8", "surrogateescape"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return done.returncode == 0
