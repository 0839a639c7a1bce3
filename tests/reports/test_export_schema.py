"""The JSON export is what its schema says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from json_schema import faults

from advisor import analysis, intake
from advisor.reports.exporting import export

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "advisor" / "reports" / "exporting" / "schema.json").read_text())


@pytest.mark.parametrize(
    "name",
    [
        "samples/profiles/heat.4r.json",
        "samples/profiles/pw_si8.2r.json",
        "tests/foreign/recorded/scorep-waits-2r-profile.cubex",
    ],
)
def test_export_fits_its_schema(name):
    assert (
        list(faults(json.loads(export(analysis.measure(intake.read(ROOT / name)), "json")), SCHEMA))
        == []
    )
