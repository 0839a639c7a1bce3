"""Quantities as people write them."""

from __future__ import annotations

import pytest

from advisor.model.units import UnitError, quantity


@pytest.mark.parametrize(
    "text, value",
    [
        ("64 KiB", 65536),
        ("64kB", 64000),
        ("1.5 MiB", 1572864.0),
        ("10 s", 10.0),
        ("5 min", 300.0),
        ("200 us", 2e-4),
        ("5 %", 0.05),
        ("0", 0),
        ("-3", -3),
        ("1e3", 1000),
    ],
)
def test_quantity(text, value):
    assert quantity(text) == pytest.approx(value)


@pytest.mark.parametrize(
    "text", ["", "KiB", "64 kib", "1 2", "0x10", "1e", "1e999", "nan", "inf s", "9" * 5 + " parsec"]
)
def test_a_wrong_quantity_says_what_was_expected(text):
    with pytest.raises(UnitError, match="expected"):
        quantity(text)
