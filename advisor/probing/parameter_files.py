"""Settings in files of Open MPI: mca-params.conf of the user and of the installation, and the file
of --tune.

Open MPI itself tells which files it reads and which of their values are in force; names that it
does not know stand in the files alone. A file of --am is no such source where mpirun hands it on by
name: 4.1.4 and 5.0.11 look for it and take nothing from it (own probes 2026).
"""

from __future__ import annotations

import os
import re
from typing import Dict, Iterator, List, Mapping, Sequence, Tuple

from advisor.model.library import OPEN_MPI, release
from advisor.model.profile import Setting
from advisor.probing.library import Installation
from advisor.probing.openmpi import parse_names, parse_values

TUNE = "OMPI_MCA_mca_base_envar_file_prefix"
_TUNING_OPTIONS = ("--tune", "-tune")
_LARGEST = 1 << 20
Found = Dict[str, Tuple[str, str]]
"""Name → value, and the file with its line."""


def settings_in_files(
    path: str, name: str, version: str = "", launcher: str = "", line: Sequence[str] = ()
) -> Tuple[Setting, ...]:
    """The settings in force that come from files, their sources "file PATH:LINE"; none for other
    libraries than Open MPI.

    `line`: the launch line, for its --tune FILE. Asks ompi_info, 15 s at most; a file that cannot
    be read is passed over.
    """
    if name not in OPEN_MPI:
        return ()
    place = Installation(path, name, version, launcher)
    tuned = tuning_file(line) or os.environ.get(TUNE, "")
    if tuned:
        place.environment[TUNE] = tuned
    text = place.ask("ompi_info", "--parsable", "--all") or ""
    found = [("OMPI_MCA_", in_force(text, read(_files(text, tuned))))] if text else []
    if release(version) >= (5,):
        found += [
            (f"{part.upper()}_MCA_", read(_of_launcher(part, place))) for part in ("prte", "pmix")
        ]
    return tuple(
        Setting(prefix + short, value, f"file {where}")
        for prefix, names in found
        for short, (value, where) in names.items()
    )


def tuning_file(line: Sequence[str]) -> str:
    """The file, or files with commas, that an option of the launch line names; empty if none
    does."""
    return next((after for word, after in zip(line, line[1:]) if word in _TUNING_OPTIONS), "")


def in_force(text: str, found: Found) -> Found:
    """Without what the environment overrides, by the sources that `ompi_info --parsable` prints."""
    known, elsewhere = (
        parse_names(text),
        frozenset(re.findall(r"^mca:\w+:\w+:param:(\w+):source:(?!file )", text, re.MULTILINE)),
    )
    return {
        name: value for name, value in found.items() if name not in known or name not in elsewhere
    }


def read(files: Sequence[str]) -> Found:
    """What these files set; of the same name the first file counts, and in it the last line, as
    Open MPI has it."""
    found: Found = {}
    for file in files:
        here = {name: (value, f"{file}:{number}") for number, name, value in _lines(file)}
        found = {**here, **found}
    return found


def parse_line(line: str) -> List[Tuple[str, str]]:
    """Names and values of a line: `name = value`, or words as on a launch line, of which those
    behind -x are no parameters."""
    line = line.partition("#")[0].strip()
    pairs = re.findall(r"(?:^|\s)--?(?:g|o|p)?mca\s+(\w+)\s+(\"[^\"]*\"|'[^']*'|\S+)", line)
    plain = re.fullmatch(r"(\w+)\s*=\s*(.*)", line)
    return [
        (name, value.strip().strip("\"'"))
        for name, value in pairs + ([plain.groups()] if plain and not pairs else [])
    ]


def _lines(file: str) -> Iterator[Tuple[int, str, str]]:
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            text = stream.read(_LARGEST)
    except OSError:
        return
    for number, line in enumerate(text.splitlines(), 1):
        for name, value in parse_line(line):
            yield number, name, value


def _files(text: str, tuned: str) -> List[str]:
    """Files in the order in which Open MPI believes them."""
    values: Mapping[str, str] = parse_values(text)
    override, usual = (
        values.get("mca_base_override_param_file", ""),
        values.get("mca_base_param_files", ""),
    )
    return [
        file.strip().strip('"')
        for part in (override, tuned, usual)
        for file in part.split(",")
        if file.strip()
    ]


def _of_launcher(part: str, place: Installation) -> List[str]:
    """Files of PRRTE or PMIx, which Open MPI brings from version 5 on."""
    home, command = os.environ.get("HOME", ""), place.command("ompi_info") or ""
    prefix = os.path.dirname(os.path.dirname(os.path.realpath(command)))
    return ([os.path.join(home, f".{part}", "mca-params.conf")] if home else []) + [
        os.path.join(prefix, "etc", f"{part}-mca-params.conf")
    ]
