"""Any change to a profile, a record or another tool's file: a value or one sentence; and what could
be read can be judged and printed."""

from __future__ import annotations

import random
import warnings

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor import advice, analysis, reports
from advisor.cli.rule_book import rule_folders
from advisor.model.profile import Profile

from . import mutations, seeds
from .targets import File

SEEDS = {"profile": seeds.profiles(), "record": seeds.records(), "foreign": seeds.foreign()}
NAMES = [(kind, name) for kind in SEEDS for name in SEEDS[kind]]
numbers = st.integers(0, 2**32 - 1).map(random.Random)
many = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
few = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


def shuffled(part: bytes, number: random.Random) -> bytes:
    """Some bytes changed, doubled, cut out or moved."""
    part = bytearray(part)
    for _ in range(number.randint(1, 6)):
        at, length = number.randrange(len(part) + 1), number.choice((1, 1, 2, 8, 100))
        what = number.randrange(4)
        if what == 0:
            part[at : at + length] = (
                number.randbytes(length)
                if number.random() < 0.5
                else bytes([number.choice((0, 255, 127, 48, 34, 10))]) * length
            )
        elif what == 1:
            part[at:at] = part[at : at + length]
        elif what == 2:
            del part[at : at + length]
        else:
            other = number.randrange(len(part) + 1)
            part[other:other] = part[at : at + length]
    return bytes(part)


def changed(kind: str, name: str, number: random.Random) -> bytes:
    return mutations.with_header(SEEDS[kind][name], number, lambda part: shuffled(part, number))


@pytest.fixture
def file(tmp_path) -> File:
    return File(str(tmp_path))


@pytest.mark.parametrize("kind, name", [pair for pair in NAMES if pair[0] != "foreign"])
def test_every_seed_can_be_read(file, kind, name):
    assert (file.record if kind == "record" else file.profile)(SEEDS[kind][name]) is not None


@many
@given(name=st.sampled_from(sorted(SEEDS["profile"])), number=numbers)
def test_profiles(tmp_path_factory, name, number):
    file = File(str(tmp_path_factory.getbasetemp()))
    file.profile(changed("profile", name, number))


@many
@given(name=st.sampled_from(sorted(SEEDS["record"])), number=numbers)
def test_records(tmp_path_factory, name, number):
    File(str(tmp_path_factory.getbasetemp())).record(changed("record", name, number))


@many
@given(name=st.sampled_from(sorted(SEEDS["foreign"])), number=numbers)
def test_files_of_other_tools(tmp_path_factory, name, number):
    File(str(tmp_path_factory.getbasetemp())).profile(changed("foreign", name, number))


@pytest.fixture(scope="module")
def rules():
    return advice.load_rules(rule_folders([]))


@few
@given(kind=st.sampled_from(["profile", "foreign"]), number=numbers)
def test_what_can_be_read_can_be_judged_and_printed(tmp_path_factory, rules, kind, number):
    profile = File(str(tmp_path_factory.getbasetemp())).profile(
        changed(kind, number.choice(sorted(SEEDS[kind])), number)
    )
    if profile is not None:
        printed(profile, rules)


def printed(profile: Profile, rules) -> None:
    """In all formats. Numbers beyond all bounds may overflow on their way; that is no reason to be
    silent about the others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        document = reports.compose(advice.judge(analysis.measure(profile), rules, ()))
        for format in reports.FORMATS:
            assert reports.render(document, format)
