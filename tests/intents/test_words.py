"""There and back: every word of rules/intents that is for a library installed here is known to it,
and set through its launcher it is in force: its control variable has the value, or what it is
for is seen to happen."""

from __future__ import annotations

import functools
import itertools
import os
import re
import subprocess
from pathlib import Path
from typing import Dict, List, Mapping, Tuple

import pytest

from advisor.advice.language.expression import parse
from advisor.analysis.metrics.setting_names import is_known
from advisor.base import resource_paths
from advisor.launching.target.library_of import launcher_library, with_version
from advisor.model.intent import Intent, Words, read_intents
from advisor.model.profile import Fact, Library
from advisor.probing import known_settings, probe_library
from advisor.probing.library import known_elsewhere
from mpi_builds import BUILDS, Build, compile_program, environment, require

INTENTS = {intent.id: intent for intent in read_intents(resource_paths.rules() / "intents")}
FREE = ("rmaps_", "hwloc_", "mpi_yield_when_idle")
"""What the tests' own environment sets, so that jobs start here."""
UNREAD = ("UCX_", "FI_", "HYDRA_", "PRTE_MCA_", "PSM2_", "HCOLL_", "OMPI_UCC_")
"""No control variables of the MPI library: that they arrive in the rank is all that is looked at.
"""
MISSING = "/mnt/huge2m"
APART = {"I_MPI_THREAD_SPLIT", "I_MPI_ASYNC_PROGRESS"}
"""Together they end a job of Intel MPI 2021.18 in MPI_Init."""


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    made: Dict[str, str] = {}

    def program(build: Build) -> str:
        require(build)
        if build.name not in made:
            made[build.name] = compile_program(
                build,
                "c",
                [Path(__file__).with_name("show.c")],
                tmp_path_factory.mktemp("show") / build.name,
            )
        return made[build.name]

    return program


@functools.lru_cache(maxsize=None)
def library_of(build_name: str) -> Library:
    build = next(build for build in BUILDS if build.name == build_name)
    variables = {**os.environ, **build.environment}
    found = with_version(launcher_library(build.launcher[0], variables), variables)
    words = (found.path, found.name, found.version, build.launcher[0])
    known = {
        "settings.known": known_settings(*words),
        **{f"settings.known.{kind}": names for kind, names in known_elsewhere(*words).items()},
    }
    facts = {key: Fact(" ".join(names), "") for key, names in known.items()}
    return Library(
        found.name, found.version, path=found.path, facts={**probe_library(*words), **facts}
    )


def words_of(library: Library, kind: str) -> List[Tuple[Intent, Words]]:
    return [
        (intent, words)
        for intent in INTENTS.values()
        for words in intent.of(library.name, library.version)
        if words.kind == kind
    ]


def value_of(intent: Intent, words: Words) -> str:
    return (
        intent.example
        if not words.values or intent.example in words.values
        else sorted(words.values)[0]
    )


def launched(build: Build, words, ranks=1, variables: Mapping[str, str] = {}):
    clean = {
        name: value
        for name, value in environment(build, variables).items()
        if not any(free in name for free in FREE) or name in variables
    }
    return subprocess.run(
        [*build.launcher, *words[0], "-n", str(ranks), *words[1]],
        env=clean,
        capture_output=True,
        text=True,
        timeout=120,
    )


def handed_on(build: Build, variables: Mapping[str, str]) -> List[str]:
    """Words of the launch line that set these variables, as each family of launchers has it."""
    words: List[str] = []
    for name, value in variables.items():
        if build.family == "openmpi":
            words += (
                ["--mca", name[len("OMPI_MCA_") :], value]
                if name.startswith("OMPI_MCA_")
                else ["-x", f"{name}={value}"]
            )
        else:
            words += ["-genv", name, value]
    return words


def built_without(words: Words, library: Library) -> bool:
    """Whether a need of these words is known not to hold for this build."""
    names = {
        name
        for need in words.needs
        for name in parse(need, "run").names
        if name.startswith("library.built_with_")
    }
    facts = [
        library.facts.get("built_with." + name[len("library.built_with_") :]) for name in names
    ]
    return any(fact is not None and fact.value is False for fact in facts)


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_every_name_is_known(build):
    require(build)
    library = library_of(build.name)
    unknown = [
        (intent.id, name)
        for intent, words in words_of(library, "set")
        if not built_without(words, library)
        for name in words.variables()
        if is_known(name, library) is False
    ]
    assert unknown == []


def rounds(library: Library) -> List[Dict[str, str]]:
    """All settings of all intents in as few launches as give each variable one value."""
    made: List[Dict[str, str]] = []
    for intent, words in words_of(library, "set"):
        if intent.id == "hand-on-a-variable" or built_without(words, library):
            continue
        given = dict(
            part.split("=", 1)
            for part in words.filled(value_of(intent, words)).split()
            if MISSING not in part
        )
        place = next(
            (
                each
                for each in made
                if all(each.get(name, value) == value for name, value in given.items())
                and not APART <= {*each, *given}
            ),
            None,
        )
        if place is None:
            made.append(dict(given))
        else:
            place.update(given)
    return made


def expected(library: Library) -> Dict[str, str]:
    """Variable → what is read back, where that is not what was set; empty: another value than
    without."""
    pairs = [
        part.split("=", 1) for _, words in words_of(library, "set") for part in words.read.split()
    ]
    return {name: value for name, value in pairs}


@pytest.mark.parametrize("build", [build for build in BUILDS if build.name != "impi"], ids=str)
def test_control_variables_have_the_values_that_were_set(build, programs):
    program, library = programs(build), library_of(build.name)
    shows, wrong = expected(library), []
    for settings in rounds(library):
        names = {
            name: name[len("OMPI_MCA_") :] if name.startswith("OMPI_MCA_") else name
            for name in settings
        }
        asked = [
            program,
            *(f"cvar:{name}" for name in names.values()),
            *(f"env:{name}" for name in settings),
        ]
        seen, before = (
            dict(
                line.partition(" ")[::2]
                for line in launched(build, (line, asked)).stdout.splitlines()
            )
            for line in (handed_on(build, settings), [])
        )
        for variable, name in names.items():
            if variable.startswith(UNREAD):
                right = seen.get(f"env:{variable}") == settings[variable]
            else:
                now, default = seen.get(f"cvar:{name}"), before.get(f"cvar:{name}")
                want = shows.get(name, settings[variable])
                right = now == want if want else now not in (default, "absent", None)
            if not right:
                wrong.append(
                    (
                        variable,
                        settings[variable],
                        seen.get(f"cvar:{name}"),
                        seen.get(f"env:{variable}"),
                    )
                )
    assert wrong == []


def test_intel_mpi_says_which_settings_it_took(programs):
    """It prints those that it reads at level 5, and names those that it does not know."""
    build = next(build for build in BUILDS if build.name == "impi")
    program, library = programs(build), library_of(build.name)
    for settings in rounds(library):
        done = launched(
            build, (handed_on(build, {**settings, "I_MPI_DEBUG": "5"}), [program, "init"])
        )
        taken = dict(re.findall(r"startup\(\): (I_MPI_\w+)=(.*)", done.stdout))
        assert done.returncode == 0 and "not supported" not in done.stdout
        assert {
            name: taken.get(name)
            for name in settings
            if name.startswith("I_MPI_") and name != "I_MPI_DEBUG"
        } == {
            name: value
            for name, value in settings.items()
            if name.startswith("I_MPI_") and name != "I_MPI_DEBUG"
        }


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_no_algorithm_ends_the_job(build, programs):
    """A value that a library does not know crashes it in MPI_Init, or is refused."""
    program, library = programs(build), library_of(build.name)
    texts = [
        [words.filled(value) for value in sorted(words.values)]
        for _, words in words_of(library, "set")
        if words.values
    ]
    for several in itertools.zip_longest(*texts, fillvalue=""):
        given = dict(part.split("=", 1) for part in " ".join(several).split())
        done = launched(build, (handed_on(build, given), [program, "init"]), ranks=2)
        assert done.returncode == 0, (given, done.stderr)


def cpus(build: Build, program: str, line, ranks=1, variables: Mapping[str, str] = {}) -> str:
    done = launched(build, (line, [program, "init", "cpus"]), ranks, variables)
    assert done.returncode == 0, done.stderr
    return re.search(r"^cpus (\S+)", done.stdout, re.MULTILINE).group(1)


def in_force(
    build: Build, library: Library, intent: str, value: str = ""
) -> Tuple[List[str], Dict[str, str]]:
    """Words of the launch line and variables of an intent."""
    words = INTENTS[intent].of(library.name, library.version)[0]
    if words.kind == "launch":
        return words.filled(value).split()[1:], {}
    return [], (
        words.variables()
        if not value
        else dict(part.split("=", 1) for part in words.filled(value).split())
    )


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_binding(build, programs):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs 2 cores")
    program, library = programs(build), library_of(build.name)
    line, variables = in_force(build, library, "bind-to-cores", "1")
    assert cpus(build, program, line, 2, variables).isdigit(), "one core, no list of them"
    if INTENTS["no-binding"].of(library.name, library.version)[0].kind == "set":
        _, variables = in_force(build, library, "no-binding")
        assert not cpus(build, program, [], 2, variables).isdigit()


@pytest.mark.parametrize("name", ["ompi4", "ompi5"])
def test_more_ranks_than_cores(name, programs):
    build = next(build for build in BUILDS if build.name == name)
    program, library, ranks = (
        programs(build),
        library_of(build.name),
        1 + len(os.sched_getaffinity(0)),
    )
    _, variables = in_force(build, library, "more-ranks-than-cores")
    assert launched(build, ([], [program]), ranks).returncode != 0
    assert launched(build, ([], [program]), ranks, variables).returncode == 0


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_bindings_are_printed(build, programs):
    program, library = programs(build), library_of(build.name)
    bound, more = in_force(build, library, "bind-to-cores", "1")
    line, variables = in_force(build, library, "report-bindings")
    plain, reported = (
        launched(build, ([*bound, *extra], [program, "init"]), 1, {**more, **given})
        for extra, given in (([], {}), (line, variables))
    )
    assert plain.stdout + plain.stderr == "" != reported.stdout + reported.stderr


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_a_variable_reaches_the_ranks(build, programs):
    program, library = programs(build), library_of(build.name)
    words = next(
        each
        for each in INTENTS["hand-on-a-variable"].of(library.name, library.version)
        if each.applies.endswith("launcher mpirun")
    )
    for name in ("UCX_TLS", "OMPI_MCA_btl_tcp_eager_limit"):
        done = launched(build, (words.filled(f"{name}=4097").split()[1:], [program, f"env:{name}"]))
        assert done.stdout.split() == [f"env:{name}", "4097"], done.stderr
