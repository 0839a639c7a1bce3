"""Selectors and versions."""

from __future__ import annotations

import pytest

from advisor.model.library import SelectorError, parse_selector, release, selects

SELECTIONS = [
    # selector              library        version      covered
    ("openmpi >=4,<6", "openmpi", "4.1.4", True),
    ("openmpi >=4,<6", "openmpi", "5.0.11", True),
    ("openmpi >=4,<6", "openmpi", "6.0.0", False),
    ("openmpi <5", "openmpi", "5.0.0", False),
    ("openmpi ==4.1", "openmpi", "4.1.4", True),
    ("openmpi ==4.1", "openmpi", "4.10.0", False),
    ("openmpi >4.1", "openmpi", "4.1.4", False),
    ("intel >=2021.2", "intel", "2021.18.1", True),
    ("mvapich2 >=2.3", "mvapich2", "2.3rc3", True),
    ("mvapich2", "mvapich2-x", "2.3", False),
    ("any", "cray", "8.1", True),
    ("openmpi >=4", "openmpi", "", False),
    ("openmpi", "openmpi", "", True),
]


@pytest.mark.parametrize("selector, name, version, covered", SELECTIONS)
def test_selects(selector, name, version, covered):
    assert selects(selector, name, version) is covered


@pytest.mark.parametrize(
    "text, numbers",
    [("2021.18.1", (2021, 18, 1)), ("2.3rc3", (2, 3)), ("4.10", (4, 10)), ("", ()), ("v5", ())],
)
def test_release(text, numbers):
    assert release(text) == numbers


@pytest.mark.parametrize(
    "selector", ["", "openmp", "openmpi 4", "openmpi >=", "openmpi =>4", "any >=x"]
)
def test_a_wrong_selector_says_what_was_expected(selector):
    with pytest.raises(SelectorError, match="expected"):
        parse_selector(selector)
