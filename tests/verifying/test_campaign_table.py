"""What counts as a false verdict, and as a predicted gain that held: the table of campaigns beside
its lines."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
import campaign_table  # noqa: E402
import campaigns  # noqa: E402


def line(verdict, truth, low, high):
    found = {"verdict": verdict, "effect": -0.2, "low": -0.3, "high": -0.1, "pairs": 4}
    return {
        "name": "x",
        "kind": "knob",
        "library": "ompi4",
        "settings": "A=1",
        "bench": "pingpong 8 200",
        "ranks": 2,
        "load": 0.1,
        "expected": "none",
        "margin": 0.05,
        "verified": found,
        "truth": {"effect": truth, "low": low, "high": high, "pairs": 24},
    }


@pytest.mark.parametrize(
    "verdict, truth, low, high, expected",
    [
        ("better", -0.2, -0.3, -0.1, "right"),
        ("better", -0.04, -0.06, -0.02, "close"),
        ("better", 0.0, -0.01, 0.01, "false"),
        ("better", 0.3, 0.2, 0.4, "false"),
        ("worse", 0.2, 0.1, 0.3, "right"),
        ("worse", -0.2, -0.3, -0.1, "false"),
        ("same", 0.0, -0.1, 0.1, "right"),
        ("same", 0.06, 0.04, 0.08, "close"),
        ("same", 0.2, 0.1, 0.3, "false"),
        ("undecided", 0.2, 0.1, 0.3, "open"),
        ("breaks", 0.2, 0.1, 0.3, "open"),
    ],
)
def test_verdicts_against_the_long_series(verdict, truth, low, high, expected):
    assert campaign_table.judged(line(verdict, truth, low, high)) == expected


@pytest.mark.parametrize(
    "predicted, inside, meets",
    [
        ((0.1, 0.3), True, True),
        ((0.0, 0.15), False, True),
        ((0.25, 0.5), False, True),
        ((0.4, 0.5), False, False),
    ],
)
def test_gains_in_the_predicted_interval(predicted, inside, meets):
    reported = {
        "verified": line("better", 0, 0, 0)["verified"],
        "predicted": dict(zip(("low", "high"), predicted)),
    }
    assert (campaign_table.contained(reported), campaign_table.overlaps(reported)) == (
        inside,
        meets,
    )


def test_what_is_the_same_is_a_gain_of_none():
    reported = {
        "verified": {**line("same", 0, 0, 0)["verified"], "effect": 0.004},
        "predicted": {"low": 0.0, "high": 0.2},
    }
    assert campaign_table.contained(reported) and not campaign_table.contained(
        {**reported, "verified": {**reported["verified"], "verdict": "worse"}}
    )


def test_the_page_counts():
    page = "\n".join(
        campaign_table.parts(
            [
                line("better", -0.2, -0.3, -0.1),
                line("same", 0.2, 0.1, 0.3),
                line("undecided", 0.2, 0.1, 0.3),
            ]
        ).values()
    )
    assert (
        "**3 campaigns: 1 right, 0 close, 1 false, 1 open.** Of 3 settings without any effect 1 were"
        " called the same." in " ".join(page.split())
    )
    assert (
        "| ompi4 | `A=1` | pingpong 8 B, 2 ranks | none | better | −20.0 % [−30.0, −10.0] | 4 |"
        " −20.0 % [−30.0, −10.0] | 24 | right | 0.1 |" in page
    )


def test_the_long_series_alternates_and_gives_the_mean_log_ratio():
    asked = []
    sides = [lambda: asked.append("A") or 2.0, lambda: asked.append("B") or 1.0]
    found = campaigns.long_series(sides, 4)
    assert ("".join(asked), round(found["effect"], 6), found["pairs"]) == ("ABBAABBA", -0.5, 4)


def test_a_gain_is_held_against_a_long_series_as_well():
    reported = {
        **line("better", -0.28, -0.3, -0.26),
        "kind": "promise",
        "rule": "r",
        "way": "cured",
        "predicted": {"low": 0.0, "high": 0.25, "ceiling": 0.4},
    }
    page = "\n".join(
        campaign_table.parts(
            [reported, {name: value for name, value in reported.items() if name != "truth"}]
        ).values()
    )
    assert (
        "**2 of 2 verified gains (100 %) lie inside" in page
        and "1 campaigns have a long series of the same pairs, 18 or more each; the middle of 0 of"
        " them lies inside"
        in " ".join(page.split())
    )
    assert (
        "| +20.0 % [+10.0, +30.0] | better | 4 | yes | +28.0 % [+26.0, +30.0] | 0.1 |" in page
        and "| better | 4 | yes |  | 0.1 |" in page
    )


def test_both_sides_of_a_long_series_run_with_the_fault(monkeypatch):
    """The variables that are the fault belong to the run that is judged; a cure takes them out
    itself."""
    ran = []
    monkeypatch.setattr(
        campaigns, "timed", lambda words, place, pattern: ran.append(" ".join(words)) or 1.0
    )
    place = type("Place", (), {"pairs": 4})()
    campaigns.careful(
        {"command": "mpirun ./a", "changes": [{"command": "B=2 mpirun env -u F ./a"}]},
        4,
        place,
        campaigns.ELAPSED,
        {"F": "1"},
    )
    assert (
        sorted(set(ran)) == ["env F=1 B=2 mpirun env -u F ./a", "env F=1 mpirun ./a"]
        and len(ran) == 8
    )


def trial(low, high, word="promise", middle=None):
    """A setting of a rule, promised to save 10 to 30 %, at most 40 %; times change by `low` to
    `high`."""
    truth = {"effect": (low + high) / 2 if middle is None else middle, "low": low, "high": high}
    said = {"word": word, "low": 0.1, "high": 0.3, "ceiling": 0.4}
    return {
        **line("better", 0, 0, 0),
        "kind": "trial",
        "rule": "single-copy",
        "program": "knobs pingpong 8 200",
        "change": "set A=1",
        "fault": {},
        "margin": 0.02,
        "said": said if word == "promise" else {"word": word, "why": ""},
        "truth": {**truth, "pairs": 18},
    }


@pytest.mark.parametrize(
    "low, high, expected",
    [
        (-0.3, -0.1, "gains"),
        (0.1, 0.3, "loses"),
        (-0.01, 0.02, "the same"),
        (-0.3, -0.01, "open"),
    ],
)
def test_the_long_series_says_what_became_of_a_setting(low, high, expected):
    assert campaign_table.outcome(trial(low, high)) == expected


def test_losers_promises_and_what_broke_stand_in_the_table():
    broken = {**trial(0, 0, "silent"), "truth": None, "change": "without", "fault": {"B": "2"}}
    broken["verified"] = {**broken["verified"], "verdict": "breaks", "effect": None}
    text = " ".join(
        campaign_table._trials(
            [trial(-0.3, -0.1), trial(-0.6, -0.5), trial(4, 5, "finding"), broken]
        )
    )
    text = text.replace("\n", " ")
    assert "**4 settings: 2 gain, 1 lose, 0 change less than 2 %, 0 are open, 1 break.**" in text
    assert "Of 2 settings with a promised gain 1 kept it; above the ceiling: x." in text
    assert "| 10.0 to 30.0 % | +20.0 % [+10.0, +30.0] | better |" in text
    assert "| **loses** |" in text and "| without `B=2` |" in text and "| no numbers |" in text
