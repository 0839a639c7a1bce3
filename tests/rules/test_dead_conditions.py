"""Every condition of the book can hold: it compares with words that a probe, an importer or the
collector gives; and every name of a library is recognised in some version string."""

from __future__ import annotations

import pytest

from advisor.advice.checking.dead_conditions import never_true, never_true_words
from advisor.advice.rulebook.intents import book
from advisor.advice.rulebook.load import load_rules
from advisor.analysis.derived import transport
from advisor.analysis.produced import PRODUCED
from advisor.base import resource_paths
from advisor.intake.container.library_name import _KNOWN
from advisor.launching.run.result_folder import SCHEDULERS
from advisor.model.library import NAMES
from advisor.model.profile import Fact, Library, Profile, Run
from advisor.probing import application
from advisor.probing.programs.named import NAMED
from advisor.probing.fabric import kind_of

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
    found = [what.replace(" (did", "; did") for what, _ in never_true(rule, PRODUCED)]
    assert [what.partition(";")[0] for what in found] == [what.partition(";")[0] for what in said]


def test_no_condition_of_the_book_is_dead():
    rules = load_rules([resource_paths.rules()])
    assert [(rule.id, what) for rule in rules for what, _ in never_true(rule, PRODUCED)] == []
    assert [
        (intent.id, what) for intent in book() for what, _ in never_true_words(intent, PRODUCED)
    ] == []


def test_words_are_those_of_the_code():
    assert {name for name, _ in _KNOWN} == set(NAMES) == set(PRODUCED["library.name"])
    assert {name for name, _ in SCHEDULERS} == set(PRODUCED["run.scheduler"])
    read, named = ({name for name, *_ in each} for each in (application.READERS, NAMED))
    assert read | named == set(PRODUCED["application.name"])


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
    assert layer in PRODUCED["library.layer"] and fabric in PRODUCED["library.fabric"]


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
