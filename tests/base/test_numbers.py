"""Numbers as sentences, tables and figures write them. "_" stands for a no-break space, "'" for a
thin one."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.base import numbers as write


def shown(text: str) -> str:
    return text.replace("\u00a0", "_").replace("\u202f", "'")


@pytest.mark.parametrize(
    "value, text",
    [
        (0, "0"),
        (1412.4, "1'412"),
        (999.6, "1'000"),
        (152.34, "152"),
        (8.4, "8.40"),
        (9.996, "10.0"),
        (0.809, "0.809"),
        (0.00123, "0.00123"),
        (-3.14159, "\u22123.14"),
        (1234567, "1'234'567"),
        (99.96, "100"),
        (0.01239, "0.0124"),
        (None, "?"),
        (math.nan, "?"),
    ],
)
def test_three_significant_digits(value, text):
    assert shown(write.number(value)) == text


@pytest.mark.parametrize(
    "value, text",
    [
        (0, "0"),
        (31.04, "31"),
        (85.9, "85"),
        (143.2, "140"),
        (0.29, "0.29"),
        (9.99, "9.9"),
        (1412, "1'400"),
        (0.0234, "0.023"),
    ],
)
def test_predictions_have_two_digits_rounded_down(value, text):
    assert shown(write.predicted(value)) == text


@pytest.mark.parametrize(
    "low, high, text",
    [
        (13.8, 33.0, "13 to 33_s"),
        (85.9, 143.2, "85 to 140_s"),
        (0, 31.04, "0 to 31_s"),
        (0.34, 33, "0.3 to 33_s"),
        (0.32, 33, "0 to 33_s"),
        (0.59, 10.7, "0.5 to 10_s"),
        (-0.3, 33, "\u22121 to 33_s"),
        (1, 2, "1.0 to 2.0_s"),
        (0.12, 0.35, "0.12 to 0.35_s"),
        (0.012, 0.035, "12 to 35_ms"),
        (13.1, 13.9, "13_s"),
        (8.7, 13.9, "8 to 13_s"),
        (-98.2, 470.1, "\u221299 to 470_s"),
        (-0.52, 33.4, "\u22121 to 33_s"),
        (-12.0, 0.052, "\u221212 to 0.052_s"),
    ],
)
def test_predicted_intervals(low, high, text):
    assert shown(write.between_seconds(low, high)) == text


@pytest.mark.parametrize(
    "write_it, value, text",
    [
        (write.seconds, 1412.4, "1'412_s"),
        (write.seconds, 0.0321, "32.1_ms"),
        (write.seconds, 1.9e-6, "1.90_µs"),
        (write.seconds, 0.5, "0.500_s"),
        (write.seconds, 5e-7, "0.500_µs"),
        (write.seconds, 0.9996e-3, "1.00_ms"),
        (write.seconds, 0.0, "0_s"),
        (write.seconds, None, "?"),
        (write.percent, 0.084, "8.40_%"),
        (write.percent, 1.0, "100_%"),
        (write.percent, 3e-5, "below 0.01_%"),
        (write.size, 65536, "64_KiB"),
        (write.size, 3072, "3_KiB"),
        (write.size, 1.7 * 2**30, "1.70_GiB"),
        (write.size, 64000, "62.5_KiB"),
        (write.size, 2**20 - 1, "1.00_MiB"),
        (write.size, 8, "8_B"),
        (write.size, None, "?"),
        (write.count, 418200, "418_thousand"),
        (write.count, 1.45e6, "1.45_million"),
        (write.count, 210, "210"),
        (write.count, 1412, "1'412"),
        (write.count, 999.6, "1'000"),
        (write.count, 9999.7, "10.0_thousand"),
        (write.count, 12.5, "12.5"),
        (write.count, 2.5, "2.50"),
        (write.traffic, 4.95e11, "495_GB"),
        (write.traffic, 512, "512_B"),
    ],
)
def test_units(write_it, value, text):
    assert shown(write_it(value)) == text


@pytest.mark.parametrize(
    "value, noun, text",
    [
        (1, "rank", "1_rank"),
        (256, "rank", "256_ranks"),
        (None, "rank", "? ranks"),
        (math.nan, "process", "? processes"),
        (131072, "rank", "131'072_ranks"),
        (2e6, "call", "2.00_million_calls"),
        (1.5, "thread", "1.50_threads"),
        (2, "process", "2_processes"),
        (0, "memory", "0_memories"),
        (3, "key", "3_keys"),
    ],
)
def test_nouns(value, noun, text):
    assert shown(write.counted(value, noun)) == text


def test_a_noun_may_have_a_plural_of_its_own():
    assert shown(write.counted(2, "datum", "data")) == "2_data"


def as_seconds(text: str) -> float:
    value, _, unit = text.replace("\u202f", "").rpartition("\u00a0")
    return float(value.rpartition(" ")[2]) * {"s": 1, "ms": 1e-3, "µs": 1e-6}[unit]


@given(st.floats(1e-7, 1e7), st.floats(0, 1), st.floats(0, 1))
def test_no_predicted_gain_passes_its_ceiling_after_rounding(ceiling, part, lower):
    high = ceiling * part
    text = write.between_seconds(high * lower, high)
    assert as_seconds(text) <= as_seconds("at most " + write.seconds(ceiling)) * (1 + 1e-12)
    assert as_seconds(text) <= high * (1 + 1e-6)


@pytest.mark.parametrize(
    "sign, share, text",
    [
        ("≥ ", 0.012, "≥ 1.20 %"),
        ("~", 0.000348, "~0.0348 %"),
        ("≥ ", 0.00001, "below 0.01 %"),
        ("~", 0.0, "~0 %"),
    ],
)
def test_a_share_with_a_sign_never_says_two_things_at_once(sign, share, text):
    assert write.marked(sign, share).replace(write.HARD, " ") == text


@pytest.mark.parametrize(
    "ratios, text",
    [
        ((0.5,), "50.0 % less time"),
        ((1.29, 0.54), "46.0 % less to 29.0 % more time"),
        ((1.0, 1.0), "as much time"),
        ((0.8, 12.0), "20.0 % less to 12.0 times as much time"),
    ],
)
def test_results_are_time_saved(ratios, text):
    assert write.time_saved(*ratios).replace(write.HARD, " ") == text
