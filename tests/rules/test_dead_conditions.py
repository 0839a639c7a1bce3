"""Every condition of the book can hold: it compares with words that a probe, an importer or the
collector gives; and every name of a library is recognised in some version string."""

from __future__ import annotations

import re

import pytest

from advisor.advice.checking.dead_conditions import compared_words, never_true, never_true_words
from advisor.advice.rulebook.intents import book
from advisor.advice.rulebook.load import load_rules
from advisor.analysis.derived import transport
from advisor.analysis.produced import produced
from advisor.base import resource_paths
from advisor.intake.container.library_name import _KNOWN
from advisor.launching.run.result_folder import SCHEDULERS
from advisor.model.library import NAMES
from advisor.model.profile import Fact, Library, Profile, Run
from advisor.probing import application
from advisor.probing.programs.named import NAMED
from advisor.probing.fabric import kind_of
from advisor.probing.memory import parse_choice

HEAD = 'schema = 1\nid = "a-rule"\nfound = "F"\nclear = "C"\nwhy = "W"\n'
LOOK = '[look]\neach = "run"\nwhen = \'{when}\'\nsay = "S."\n'
WRITTEN = [
    # condition                                    what is said of it
    ('library.name == "openmpi"', []),
    (
        'library.name == "open-mpi"',
        ['when: library.name is never "open-mpi"; did you mean openmpi?'],
    ),
    ('run.ranks > 1 and library.layer in ("ucx", "mx")', ['when: library.layer is never "mx"']),
    ('any(node.cpu == "whatever")', []),
    ('"mpi" in library.text', []),
    ('not any(cell.class == "far")', ['when: cell.class is never "far"']),
]


@pytest.mark.parametrize("when, said", WRITTEN)
def test_a_condition_that_never_holds_is_a_mistake(tmp_path, when, said):
    file = tmp_path / "balance" / "a-rule.toml"
    file.parent.mkdir()
    file.write_text(HEAD + LOOK.format(when=when))
    (rule,) = load_rules([tmp_path])
    found = [what.replace(" (did", "; did") for what, _ in never_true(rule, produced())]
    assert [what.partition(";")[0] for what in found] == [what.partition(";")[0] for what in said]


def test_no_condition_of_the_book_is_dead():
    rules = load_rules([resource_paths.rules()])
    assert [(rule.id, what) for rule in rules for what, _ in never_true(rule, produced())] == []
    assert [
        (intent.id, what) for intent in book() for what, _ in never_true_words(intent, produced())
    ] == []


def test_words_are_those_of_the_code():
    assert {name for name, _ in _KNOWN} == set(NAMES) == set(produced()["library.name"])
    assert {name for name, _ in SCHEDULERS} == set(produced()["run.scheduler"])
    read, named = ({name for name, *_ in each} for each in (application.READERS, NAMED))
    assert read | named == set(produced()["application.name"])


LAYERS = [
    # library, what the collector noted of its objects, device → layer, fabric
    ("hpcx", "pml=ucx open=infiniband/uverbs0", "", "ucx", "ucx+verbs"),
    ("openmpi", "pml=cm mtl=ofi open=cxi0", "", "cm+ofi", "ofi+cxi"),
    ("openmpi", "pml=ob1 btl=self,tcp open=tcp", "", "ob1", "tcp"),
    ("parastation", "open=hfi1_0", "ch4:ofi", "ch4:ofi", "ofi+psm2"),
]


@pytest.mark.parametrize("name, noted, device, layer, fabric", LAYERS)
def test_layers_and_fabrics_are_among_them(name, noted, device, layer, fabric):
    facts = {"transport": Fact(noted, "objects"), "device": Fact(device, "version")}
    profile = Profile(Run("p"), Library(name, "4", facts=facts), (), {})
    assert (transport.layer(profile), transport.fabric(profile)) == (layer, fabric)
    assert layer in produced()["library.layer"] and fabric in produced()["library.fabric"]


PORTS = [
    # device, link layer and vendor as the kernel writes them → network
    ("mlx5_0", "InfiniBand", "0x15b3", "infiniband"),
    ("mlx5_bond_0", "Ethernet", "0x15b3", "roce"),
    ("hfi1_0", "InfiniBand", "0x1fc1", "omnipath"),
    ("efa_0", "Unspecified", "0x1d0f", "efa"),
]


@pytest.mark.parametrize("device, layer, vendor, kind", PORTS)
def test_networks_by_their_ports(device, layer, vendor, kind):
    assert kind_of(device, layer, vendor) == kind


def _names_in(file, array):
    """The texts of an array in a C source of the collector."""
    source = (resource_paths.collectors() / file).read_text(encoding="utf-8")
    body = re.search(rf"\b{array}\[\] = {{(.*?)}};", source, re.DOTALL).group(1)
    return tuple(re.findall(r'"([^"]+)"', re.sub(r"/\*.*?\*/", "", body, flags=re.DOTALL)))


def _recorded(name):
    """Whether the collector records a setting of this name: from the environment, or as the
    library answers (MPI_T)."""
    source = "core/process/settings.c"
    if name in _names_in("pmpi/library/control_variables.c", "wanted"):
        return True
    if name.startswith(_names_in(source, "internal")):
        return False
    if any(secret in name for secret in _names_in(source, "secrets")):
        return False
    return name in _names_in(source, "names") or name.startswith(_names_in(source, "prefixes"))


RECORDED = [("UCX_TLS", True), ("btl", True), ("HOME", False), ("OMPI_MCA_plm", False)]


@pytest.mark.parametrize("name, expected", RECORDED)
def test_settings_that_are_recorded(name, expected):
    assert _recorded(name) == expected


def test_rules_ask_for_settings_that_the_collector_records():
    asked = {
        word
        for rule in load_rules([resource_paths.rules()])
        for name, word in compared_words(rule)
        if name == "setting.name"
    }
    assert len(asked) > 100 and [name for name in sorted(asked) if not _recorded(name)] == []


INPUTS = {
    # what a rule compares → the program with that input: (program, arguments, file, its text)
    "application.commstype": (
        "simpleFoam",
        (),
        "system/controlDict",
        "OptimisationSwitches\n{{\n    commsType {word};\n}}\n",
    ),
    "application.filehandler": ("simpleFoam", ("-fileHandler", "{word}"), "", ""),
    "application.method": ("simpleFoam", (), "system/decomposeParDict", "method {word};\n"),
    "application.writeformat": ("simpleFoam", (), "system/controlDict", "writeFormat {word};\n"),
    "application.dlb": ("gmx_mpi", ("mdrun", "-dlb", "{word}"), "", ""),
    "application.pin": ("gmx_mpi", ("mdrun", "-pin", "{word}"), "", ""),
    "application.input_dft": (
        "pw.x",
        ("-in", "in.scf"),
        "in.scf",
        "&system\n  input_dft = '{word}'\n/\n",
    ),
    "application.preferred_diag_library": (
        "cp2k.psmp",
        ("-i", "in.inp"),
        "in.inp",
        "&GLOBAL\n  PREFERRED_DIAG_LIBRARY {word}\n&END GLOBAL\n",
    ),
}


def _asked_of_applications():
    return sorted(
        {
            (name, word)
            for rule in load_rules([resource_paths.rules()])
            for name, word in compared_words(rule)
            if name.startswith("application.") and name != "application.name"
        }
    )


@pytest.mark.parametrize("name, word", _asked_of_applications())
def test_words_of_applications_are_what_their_input_gives(tmp_path, name, word):
    program, arguments, file, text = INPUTS[name]
    if file:
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text.format(word=word))
    given = tuple(each.format(word=word) for each in arguments)
    run = Run(program, given, directory=str(tmp_path))
    settings = application.recognise(run).settings
    assert settings[name.partition(".")[2]].value == word


def test_huge_pages_are_never_as_the_kernel_writes_it():
    """transparent_hugepage/enabled of Linux 6."""
    asked = {
        word
        for rule in load_rules([resource_paths.rules()])
        for name, word in compared_words(rule)
        if name == "node.thp"
    }
    kernel = ("[always] madvise never", "always [madvise] never", "always madvise [never]")
    assert asked <= set(map(parse_choice, kernel))
