"""All numbers of recorded Cube archives as pycubexr 2.1.1 reads them. Left out are minimum and
maximum, which it gives as objects, and archives of Score-P 4 with several root call paths, which
it refuses. A metric that is 0 everywhere breaks it off."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.intake.foreign.cube.values import opened

from .files import recorded

pycubexr = pytest.importorskip("pycubexr", reason="pycubexr is not installed")


@pytest.mark.parametrize(
    "name, metrics",
    [("scorep8-counts-2r-profile.cubex", 10), ("scalasca-counts-2r-scout.cubex", 20)],
)
def test_numbers(name, metrics):
    archive = opened(recorded(name).read_bytes())
    paths, compared = [path.region.name for path in archive.about.paths], 0
    with pycubexr.CubexParser(str(recorded(name))) as other:
        nodes = {
            region: other.get_cnodes_for_region(other.get_region_by_name(region).id)
            for region in set(paths)
        }
        for metric in other.get_metrics():
            ours = archive.values(metric.name)
            if metric.data_type.startswith(("MIN", "MAX")):
                continue
            try:
                theirs = other.get_metric_values(metric)
            except (pycubexr.utils.exceptions.MissingMetricError, AssertionError):
                assert not ours.any(), metric.name
                continue
            for region in set(paths):
                values = sum(
                    np.array(theirs.cnode_values(node, convert_to_exclusive=True), float)
                    for node in nodes[region]
                )
                assert values.tolist() == pytest.approx(
                    sum(ours[place] for place, path in enumerate(paths) if path == region).tolist(),
                    abs=1e-12,
                ), (metric.name, region)
            compared += 1
    assert compared >= metrics
