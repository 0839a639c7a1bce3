"""What node hours are worth, and which counters are believed."""

from __future__ import annotations

import pytest

from advisor.base.worth.amounts import Amounts, rates, words
from advisor.base.worth.counters import PM_COUNTERS, RAPL, sample, used
from advisor.base.worth.site import NOTHING, Site, known
from advisor.model.errors import UserError

WRITTEN = """[worth]
source = "price list of 2026"
currency = "EUR"
price_per_node_hour = 0.5
price_per_kwh = 0.25
watts_per_node = 400
co2_grams_per_kwh = 300
"""
HOUR = 3600.0


@pytest.fixture
def site(tmp_path):
    (tmp_path / "worth.toml").write_text(WRITTEN)
    return known({"ADVISOR_WORTH": str(tmp_path / "worth.toml")})


def test_ten_node_hours(site):
    """4 kWh; 5 EUR for the nodes and 1 EUR for electricity; 1.2 kg."""
    assert rates(site).amounts(10.0) == pytest.approx(Amounts(10.0, 4.0, 6.0, 1.2))
    measured = rates(site, 300.0, "RAPL")
    assert measured.amounts(10.0) == pytest.approx(Amounts(10.0, 3.0, 5.75, 0.9))
    assert measured.sources() == ("energy: RAPL", "prices and CO2: price list of 2026")


def test_an_interval_in_words(site):
    each = rates(site)
    assert words(each.amounts(5.0), each.amounts(10.0), "EUR") == (
        "5.0 to 10 node hours, 2.0 to 4.0\u00a0kWh, 3.0 to 6.0\u00a0EUR, 0.60 to 1.2\u00a0kg\u00a0CO2"
    )


def test_what_is_not_known_is_not_said():
    assert rates(NOTHING).amounts(10.0) == Amounts(10.0, None, None, None)
    half = Site(currency="EUR", price_per_node_hour=0.5, price_per_kwh=0.25)
    assert rates(half).amounts(10.0).money is None
    assert words(*2 * (rates(NOTHING).amounts(10.0),), "") == "10.0 node hours"


@pytest.mark.parametrize(
    "text, said",
    [
        ("[worth]\nwatts_per_node = -1\n", "watts_per_node = -1.* is not known"),
        ("[worth]\nwatts_per_nod = 400\n", "watts_per_nod = 400 is not known"),
        ("[worth]\nprice_per_kwh = 0.2\n", "prices need a currency"),
        ("[other]\n", "it has no 'worth'"),
        ("worth = 1\n", "is no table"),
        ("[worth\n", "cannot be used"),
    ],
)
def test_a_mistake_in_the_file_is_said(tmp_path, text, said):
    (tmp_path / "worth.toml").write_text(text)
    with pytest.raises(UserError, match=said):
        known({}, str(tmp_path / "worth.toml"))


def tree(root, **files):
    """Files of a made /sys; __ stands for /, - is left."""
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    return root


def cray(root, energy, startup="1700000000"):
    folder = "sys__cray__pm_counters__"
    return tree(
        root,
        **{
            folder + "energy": f"{energy} J 1700000123456789 us",
            folder + "startup": f"{startup} 1700000123456789 us",
        },
    )


def intel(root, package, dram=0.0, span=262143.328850):
    """A package with cores, which are part of it, and memory, which is not. Joules."""
    zones = {
        "intel-rapl:0": ("package-0", package),
        "intel-rapl:0:0": ("core", package / 2),
        "intel-rapl:0:1": ("dram", dram),
    }
    files = {}
    for zone, (name, joules) in zones.items():
        folder = f"sys__class__powercap__{zone}__"
        files[folder + "name"] = name
        files[folder + "energy_uj"] = str(round(joules * 1e6))
        files[folder + "max_energy_range_uj"] = str(round(span * 1e6))
    return tree(root, **files)


def test_pm_counters_of_an_hour(tmp_path):
    before, after = (sample(cray(tmp_path, joules)) for joules in (1000, 1801000))
    energy = used(before, after, HOUR, NOTHING)
    assert (energy.source, energy.joules, energy.watts) == (PM_COUNTERS, 1.8e6, 500.0)


@pytest.mark.parametrize(
    "after, said",
    [
        ({"energy": 900}, "a counter went backwards"),
        ({"energy": 1801000, "startup": "1700009999"}, "the counters were reset"),
        ({"energy": 1000 + 3600 * 20000}, "is the most it can take"),
        ({"energy": 1000 + 3600}, "less than an idle one takes"),
    ],
)
def test_pm_counters_that_cannot_be(tmp_path, after, said):
    before = sample(cray(tmp_path, 1000))
    energy = used(before, sample(cray(tmp_path, **after)), HOUR, NOTHING)
    assert energy.joules is None and said in energy.fault


def test_rapl_counts_packages_and_memory_once(tmp_path):
    before = sample(intel(tmp_path, 1000.0, 100.0))
    energy = used(before, sample(intel(tmp_path, 16000.0, 3100.0)), 100.0, NOTHING)
    assert (energy.source, energy.joules, energy.watts) == (RAPL, 18000.0, 180.0)


def test_rapl_goes_round(tmp_path):
    """From 262 kJ to 5 kJ is 5.143 kJ more, not less; after ten minutes nobody can tell."""
    before, after = sample(intel(tmp_path, 262000.0)), sample(intel(tmp_path, 5000.0))
    assert used(before, after, 100.0, NOTHING).joules == pytest.approx(5143.32885)
    assert "more than once" in used(before, after, 600.0, NOTHING).fault


def test_psys_has_all_of_it(tmp_path):
    folder = "sys__class__powercap__intel-rapl:1__"
    names = {"name": "psys", "energy_uj": "5000000", "max_energy_range_uj": "262143328850"}
    tree(intel(tmp_path, 1000.0), **{folder + name: text for name, text in names.items()})
    assert sample(tmp_path).values == {"intel-rapl:1": 5.0}


def test_without_counters_nothing(tmp_path):
    assert sample(tmp_path) is None
    (intel(tmp_path, 1.0) / "sys/class/powercap/intel-rapl:0/energy_uj").unlink()
    assert sample(tmp_path) is None
