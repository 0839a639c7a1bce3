"""Gains never pass the time at stake, and are refused where there is no basis."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_writing import rule, scope

from advisor.advice.judging.gain import BEYOND_WORK, saving, stake
from advisor.model.measures import Quality


def gain(
    tmp_path, low, high, ceiling="", unit="share", balance=False, basis="model", topic="messages"
):
    extra = f'ceiling = "{ceiling}"\n' if ceiling else ""
    body = (
        f'[look]\neach = "run"\nwhen = "run.ranks > 1"\nsay = "s"\n[gain]\nlow = "{low}"\nhigh ='
        f' "{high}"\nbasis = "{basis}"\nsource = "s"\nunit = "{unit}"\nbalance ='
        f" {str(balance).lower()}\n"
    )
    return rule(tmp_path, body + extra, topic=topic)


RUN = {
    "time": 100,
    "ceiling_share": 0.2,
    "imbalance_share": 0.15,
    "stake": 0.1,
    "seconds": 30,
    "small": 0.01,
}
SAVINGS = [
    # low, high, ceiling, unit, balance, folder                          low, high, ceiling in
    # seconds, its name
    (
        ("run.small", "run.stake", "run.stake", "share", False, "messages"),
        (1, 10, 10, "the time that this is about"),
    ),
    (("run.small", "run.stake", "", "share", False, "messages"), (1, 10, 20, BEYOND_WORK)),
    (
        ("run.stake", "1", "run.stake", "share", False, "messages"),
        (10, 10, 10, "the time that this is about"),
    ),
    (("run.stake", "1", "1", "share", False, "messages"), (10, 20, 20, BEYOND_WORK)),
    (
        ("run.stake", "1", "1", "share", True, "placement"),
        (10, 100, 100, "the time that this is about"),
    ),
    (("run.stake", "1", "", "share", True, "balance"), (10, 15, 15, "perfect balance")),
    (
        ("run.stake", "1", "run.imbalance_share", "share", True, "balance"),
        (10, 15, 15, "perfect balance"),
    ),
    (("run.small", "1 + 1", "", "share", True, "placement"), (1, 100, 100, "the whole run")),
    (("0", "run.seconds", "", "s", False, "messages"), (0, 20, 20, BEYOND_WORK)),
    (
        ("0", "run.seconds", "run.seconds", "s", True, "messages"),
        (0, 30, 30, "the time that this is about"),
    ),
    (("-run.small", "run.stake", "", "share", False, "messages"), (-1, 10, 20, BEYOND_WORK)),
]


@pytest.mark.parametrize("written, expected", SAVINGS)
def test_interval_in_elapsed_seconds(tmp_path, written, expected):
    low, high, ceiling, unit, balance, topic = written
    found, reason = saving(
        gain(tmp_path, low, high, ceiling, unit, balance, topic=topic), scope({"run": RUN})
    )
    assert reason == ""
    assert (found.low, found.high, found.ceiling) == pytest.approx(expected[:3])
    assert (found.ceiling_name, found.base) == (expected[3], 100)


REFUSED = [
    # run                                              low, high          reason
    (
        {**RUN, "representative": False},
        "0",
        "run.stake",
        "no number: it rests on too few calls to predict from",
    ),
    (
        {**RUN, "overhead_max_share": 0.06},
        "0",
        "run.stake",
        "no number: recording took more than 5 % of elapsed time",
    ),
    (
        {**RUN, "overhead_share": 0.06},
        "0",
        "run.stake",
        "no number: recording took more than 5 % of elapsed time",
    ),
    (RUN, "0", "run.nothing", "no basis for a number: run.nothing: not measured"),
    (RUN, "run.nothing", "run.stake", "no basis for a number: run.nothing: not measured"),
    (RUN, "run.stake", "0", "no basis for a number: the lower end came out above the upper end"),
    (RUN, "0", "run.stake / 0", "no basis for a number: division by zero"),
    ({"stake": 0.1}, "0", "run.stake", "no basis for a number: the run's time is not known"),
]


@pytest.mark.parametrize("run, low, high, reason", REFUSED)
def test_no_number_and_why(tmp_path, run, low, high, reason):
    assert saving(gain(tmp_path, low, high), scope({"run": run})) == (None, reason)


def test_the_ceiling_of_settings_may_be_known_in_seconds_only(tmp_path):
    run = {"time": 100, "ceiling_hard": 4, "stake": 0.1}
    assert saving(gain(tmp_path, "0", "run.stake"), scope({"run": run}))[0].high == pytest.approx(4)


def test_basis_none_has_no_number(tmp_path):
    assert saving(gain(tmp_path, "0", "run.stake", basis="none"), scope({"run": RUN})) == (
        None,
        "no basis for a number",
    )


def test_a_representative_run_with_small_cost_has_a_number(tmp_path):
    run = {**RUN, "representative": True, "overhead_share": 0.049}
    assert saving(gain(tmp_path, "0", "run.stake"), scope({"run": run}))[0].high == pytest.approx(
        10
    )


def test_a_saving_is_at_best_derived(tmp_path):
    assert (
        saving(gain(tmp_path, "0", "run.stake"), scope({"run": RUN}))[0].quality is Quality.DERIVED
    )


STAKES = [
    ("run.imbalance_share", "share", 0.15),
    ("", "share", 0.1),
    ("run.nothing", "share", 0.1),
    ("run.seconds", "s", 0.3),
]


@pytest.mark.parametrize("ceiling, unit, expected", STAKES)
def test_stake_is_a_share_of_elapsed(tmp_path, ceiling, unit, expected):
    assert stake(
        gain(tmp_path, "0", "run.stake", ceiling, unit), scope({"run": RUN})
    ) == pytest.approx(expected)


SHARE = st.floats(0, 3, allow_nan=False)


@given(SHARE, SHARE, SHARE, SHARE, st.floats(1e-3, 1e6), st.booleans())
@settings(max_examples=200, deadline=None)
def test_low_is_below_high_is_below_ceiling(tmp_path_factory, low, high, own, hard, time, balance):
    loaded = _gain(tmp_path_factory, balance)
    found, reason = saving(
        loaded,
        scope({"run": {"time": time, "ceiling_share": hard, "low": low, "high": high, "own": own}}),
    )
    if found is None:
        assert low > high and reason
        return
    assert found.low <= found.high <= found.ceiling * (1 + 1e-12)
    assert found.high <= time * min(own, 1) * (1 + 1e-9)
    assert balance or found.high <= time * hard * (1 + 1e-9)


_RULES = {}


def _gain(factory, balance):
    if balance not in _RULES:
        _RULES[balance] = gain(
            factory.mktemp("rules"), "run.low", "run.high", "run.own", balance=balance
        )
    return _RULES[balance]
