"""The parts of a job that has just ended: merged.profile, records of ranks that did not finish,
run.json."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Callable, Dict, FrozenSet, List, Mapping, Sequence, Tuple

from advisor.intake.container import header
from advisor.intake.container.checks import check
from advisor.intake.container.framing import open_bytes, parse
from advisor.intake.crash import merging
from advisor.intake.crash.record import Record, read_record
from advisor.intake.untrusted.damage import Damage, mapping
from advisor.model.errors import UserError
from advisor.model.profile import Fact, Gap, Library, Node, Profile, Run, Setting

MERGED, FACTS, RECORD = "merged.profile", "run.json", ".record"


def is_parts(folder: str) -> bool:
    """Whether a folder holds such parts."""
    return any(name in (MERGED, FACTS) or name.endswith(RECORD) for name in os.listdir(folder))


def read_parts(folder: str, read_file: Callable[[str], Profile]) -> Profile:
    """One profile of all parts. A damaged record costs its rank, not the others. Raises OSError,
    Damage, UserError."""
    names = sorted(os.listdir(folder))
    profile = read_file(os.path.join(folder, MERGED)) if MERGED in names else None
    records, gaps = _records(folder, [name for name in names if name.endswith(RECORD)])
    given = parse(bytes(open_bytes(os.path.join(folder, FACTS)))) if FACTS in names else {}
    if profile is None and not records:
        raise _nothing(folder, gaps, mapping(given.get("run") or {}, "run").get("exit_code"))
    profile = merging.with_records(profile, records)
    profile = _with_facts(replace(profile, gaps=profile.gaps + tuple(gaps), source=folder), given)
    check(profile.tables, len(profile.nodes))
    return profile


def _records(folder: str, names: List[str]) -> Tuple[List[Record], List[Gap]]:
    found: Dict[int, Record] = {}
    gaps: List[Gap] = []
    for name in names:
        try:
            record = read_record(os.path.join(folder, name))
        except (Damage, OverflowError, ValueError) as error:
            gaps.append(
                Gap(
                    f"record {name}",
                    f"it cannot be read: {error}",
                    "nothing: the rank ended while it was written",
                )
            )
            continue
        if record is not None and record.rank in found:
            gaps.append(
                Gap(
                    f"record {name}",
                    f"rank {record.rank} is there twice: processes that the job started by itself"
                    " are left out",
                    "",
                )
            )
        elif record is not None:
            found[record.rank] = record
    return list(found.values()), gaps


_NO_RANK = (
    "The program ended before MPI_Init, or does not call MPI, or filtered its system calls before"
    " MPI_Init, or takes MPI's functions from the library itself (dlsym, RTLD_DEEPBIND), or the"
    " collector did not fit its MPI library."
)


def _nothing(folder: str, gaps: List[Gap], exit_code: Any) -> UserError:
    if exit_code and not gaps:
        # Seldom our doing: the launcher refused, or the program ended over its input.
        return UserError(
            f"No rank reported to {folder}: the command ended with exit code {exit_code}.",
            "What it printed itself says why.",
            "Mend that first. If the same command works without advisor, run: advisor doctor",
        )
    return UserError(
        f"No rank reported to {folder}.",
        gaps[0].reason if gaps else _NO_RANK,
        "Run advisor doctor, and check that the program calls MPI_Init.",
    )


def _with_facts(profile: Profile, given: Mapping[str, Any]) -> Profile:
    """The profile completed by what the launching side saw. What was seen in the job goes first."""
    words = mapping(given.get("run") or {}, "run")
    seen = {
        name: value
        for name, value in header.plain(profile)["run"].items()
        if value not in (None, "", [])
    }
    library = header.library(given.get("library"))
    return replace(
        profile,
        run=header.run(
            {
                **seen,
                **{name: value for name, value in words.items() if value not in (None, "", [])},
            }
        ),
        library=_library(profile.library, library),
        nodes=_nodes(profile.nodes, header.nodes(given.get("nodes"))),
        application=header.application(given.get("application")) or profile.application,
        settings=_settings(profile, given, header.settings(given.get("settings"))),
        gaps=profile.gaps + header.gaps(given.get("gaps")),
    )


def _settings(
    profile: Profile, given: Mapping[str, Any], in_files: Tuple[Setting, ...]
) -> Tuple[Setting, ...]:
    """Settings of the profile, each with where it comes from, and those that files hold.

    `given.environment`: names of the variables where the job was started; without it nothing is
    known of their origin.
    """
    if not isinstance(given.get("environment"), list):
        return profile.settings + in_files
    line = [str(word) for word in mapping(given.get("run") or {}, "run").get("launch_line") or ()]
    names = frozenset(map(str, given["environment"]))
    found = [
        (
            replace(setting, source=_origin(setting.name, names, line))
            if setting.source == "environment"
            else setting
        )
        for setting in profile.settings
    ]
    # A launcher may set as variables what it found in a file; what else a rank has of the same name
    # goes before the file.
    told = {(setting.name, setting.value) for setting in in_files}
    kept = [
        setting
        for setting in found
        if setting.source != "launcher" or (setting.name, setting.value) not in told
    ]
    own = {setting.name for setting in kept}
    return (*kept, *(setting for setting in in_files if setting.name not in own))


def _origin(name: str, names: FrozenSet[str], line: Sequence[str]) -> str:
    """launch line, environment or launcher: who gave a rank its variable. A launch line goes before
    the environment."""
    short = name.partition("_MCA_")[2] or name
    if any(word in (name, short) or word.startswith(f"{name}=") for word in line) or _FILES.get(
        name, frozenset()
    ) & set(line):
        return "launch line"
    if name in names:
        return "environment"
    return "launch line" if short in " ".join(line) else "launcher"


_FILES = {
    "OMPI_MCA_mca_base_param_file_prefix": frozenset(("--am", "-am")),
    "OMPI_MCA_mca_base_envar_file_prefix": frozenset(("--tune", "-tune")),
}
"""Variables that mpirun makes of options with other names."""


def _library(seen: Library, probed: Library) -> Library:
    words = {
        name: getattr(seen, name) or getattr(probed, name)
        for name in ("version", "text", "standard", "path")
    }
    name = seen.name if seen.name not in ("", "unknown") else probed.name
    return Library(name, facts=_facts(seen.facts, probed.facts), **words)


def _nodes(seen: Tuple[Node, ...], probed: Tuple[Node, ...]) -> Tuple[Node, ...]:
    more = {node.name: node.facts for node in probed}
    return tuple(Node(node.name, _facts(node.facts, more.get(node.name, {}))) for node in seen)


def _facts(first: Mapping[str, Fact], second: Mapping[str, Fact]) -> Mapping[str, Fact]:
    """Both; of the same key the first, unless it could not tell."""
    return {
        **second,
        **{key: fact for key, fact in first.items() if fact.value is not None or key not in second},
    }
