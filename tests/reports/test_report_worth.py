"""Node hours, energy, money and CO2 in reports, in verify and in compare: what is known, and
nothing else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from advisor.__main__ import main
from advisor.api import read
from advisor.base.worth.amounts import Rates, rates
from advisor.base.worth.site import Site
from advisor.cli.worth import rates_of, saved
from advisor.model.verified import Verified
from advisor.reports import compose, render

PROFILES = Path(__file__).resolve().parents[2] / "samples" / "profiles"
LATE = PROFILES / "late_rank.before.4r.json"
SITE = Site("list", "EUR", 1000.0, None, 400.0, None, 300.0)
HOURS = 12.365 / 3600
"""Of the run, on one node."""


@pytest.fixture(scope="module")
def judged():
    return read(LATE).advice()


def worth(judged, rates):
    return json.loads(render(compose(judged, rates), "json"))["worth"]


def test_the_run_its_waiting_and_what_may_be_saved(judged):
    found = worth(judged, rates(SITE))
    run, waiting, saving = found["rows"]
    assert run["node_hours"] == pytest.approx([HOURS, HOURS], rel=1e-3)
    assert run["kwh"] == pytest.approx([0.4 * HOURS] * 2, rel=1e-3)
    assert run["money"] == pytest.approx([1000 * HOURS] * 2, rel=1e-3)
    assert run["co2_kg"] == pytest.approx([0.3 * 0.4 * HOURS] * 2, rel=1e-3)
    assert 0 < waiting["kwh"][0] < run["kwh"][0]
    (first,) = [each for each in judged.findings if each.saving]
    assert saving["rule"] == first.rule
    assert saving["node_hours"] == pytest.approx(
        [first.saving.low / 3600, first.saving.high / 3600]
    )
    assert found["sources"] == ["energy: list, 400\u00a0W a node", "prices and CO2: list"]


def test_what_is_not_known_is_not_printed(judged):
    """A run of seconds, without a site: seconds say it better."""
    assert worth(judged, Rates()) is None
    assert "node hours" not in render(compose(judged), "terminal", full=True)
    only_energy = worth(judged, Rates(300.0, "RAPL"))
    assert {row["money"] for row in only_energy["rows"]} == {None}
    assert "EUR" not in render(compose(judged, Rates(300.0, "RAPL")), "html")


@pytest.mark.parametrize("format", ["terminal", "markdown", "mail", "html"])
def test_all_formats_say_it(judged, format):
    assert "0.00137" in render(compose(judged, rates(SITE)), format)


@pytest.fixture
def measured(tmp_path):
    """A result folder with what the node's counters said."""
    (tmp_path / "result").mkdir()
    shutil.copy(LATE, tmp_path / "result" / "profile")
    (node,) = read(LATE).profile.nodes

    def write(**more):
        content = {"host": node.name, "source": "RAPL", "joules": 3000.0, "seconds": 12.0}
        text = json.dumps({**content, **more})
        (tmp_path / "result" / "energy.json").write_text(text)
        return read(tmp_path / "result" / "profile").profile

    return write


@pytest.mark.parametrize(
    "more, watts",
    [
        ({}, 250.0),
        ({"host": "elsewhere"}, None),  # the launcher's node is not the job's
        ({"joules": None}, None),
        ({"joules": 1e9}, None),  # more than a node can take
        ({"joules": "many"}, None),
    ],
)
def test_energy_that_was_measured_beside_the_profile(measured, monkeypatch, more, watts):
    monkeypatch.delenv("ADVISOR_WORTH", raising=False)
    assert rates_of(measured(**more)).watts == watts


def test_a_verified_change_saves_so_much_in_each_run(measured, monkeypatch):
    monkeypatch.delenv("ADVISOR_WORTH", raising=False)
    change = Verified("x", ("x",), {}, "better", 6, -0.1, -0.2, -0.05, baseline=3600.0)
    assert saved(change, measured()) == (
        "x saves 0.050 to 0.20 node hours, 0.012 to 0.050\u00a0kWh in each run"
    )
    worse = Verified("x", ("x",), {}, "worse", 6, 0.1, 0.05, 0.2, baseline=3600.0)
    assert saved(worse, measured()) == ""


def test_compare_says_what_both_runs_took(tmp_path, monkeypatch, capsysbinary):
    (tmp_path / "worth.toml").write_text("[worth]\nwatts_per_node = 400\n")
    monkeypatch.setenv("ADVISOR_WORTH", str(tmp_path / "worth.toml"))
    assert main(["compare", str(LATE), str(PROFILES / "late_rank.after.4r.json")]) == 0
    said = " ".join(capsysbinary.readouterr().out.decode().split())
    assert "The runs took 0.00343 node hours, 0.00137 kWh before and " in said


def test_a_site_s_file_with_a_mistake_hides_nothing_else(tmp_path, monkeypatch, capsysbinary):
    (tmp_path / "worth.toml").write_text("[worth]\nwatts = 400\n")
    monkeypatch.setenv("ADVISOR_WORTH", str(tmp_path / "worth.toml"))
    assert main(["report", str(LATE)]) == 0
    said = capsysbinary.readouterr()
    assert b"watts = 400 is not known" in said.err and b"Load imbalance" in said.out
