"""Tags and metadata for ClusterCockpit."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from hostile_fleet import HOSTILE, asking, exported, finding, job, made

from advisor.fleet.handing_over.cluster_cockpit import MOST_TAGS, lines

TYPES = {"jobId": int, "cluster": str, "tags": list, "metaData": dict}
"""Of job-meta.schema.json, as of cc-lib 2; the long test asks that schema itself."""
TAG_TYPES = {"type": str, "name": str, "scope": str}
SCHEMAS = os.environ.get("ADVISOR_TEST_CLUSTERCOCKPIT", "")
OF_THE_ARCHIVE = {
    "user": "alice",
    "project": "physics",
    "subCluster": "main",
    "numNodes": 2,
    "shared": "none",
    "startTime": 1_795_000_000,
    "jobState": "completed",
    "duration": 3600,
    "resources": [{"hostname": "n1"}],
    "statistics": {
        name: {"unit": {"base": "B"}, "avg": 1, "min": 0, "max": 2}
        for name in ("cpu_user", "cpu_load", "mem_used", "flops_any", "mem_bw")
    },
}
"""What ClusterCockpit itself knows of a job, and must stand in its archive."""


def test_a_job(tmp_path, capfdbinary):
    steps = [job(7, profile="a" * 32), job(7, profile="b" * 32, step="1", lost=1.0)]
    findings = [
        finding(steps[0], "late-rank", 0.5),
        finding(steps[1], "many-barriers", 1.0),
        finding(steps[1], "no-loss", 0.0, 1),
    ]
    store = made(tmp_path, jobs=steps, findings=findings)
    assert exported(store, "clustercockpit", capfdbinary) == (
        '{"jobId":7,"cluster":"c1","tags":[{"type":"advisor","name":"many-barriers",'
        '"scope":"global"},{"type":"advisor","name":"late-rank","scope":"global"}],"metaData":'
        '{"advisor":"advisor: 1.50 of 4.00 node hours lost: many-barriers 1.00 + late-rank 0.5",'
        '"advisorApplication":"vasp","advisorLibrary":"openmpi 4.1.4",'
        '"advisorNodeHoursLost":"1.500","advisorNodeHours":"4.000"}}\n'
    )


def test_hostile_names_are_values(hostile_store):
    with asking(hostile_store) as request:
        found = [json.loads(line) for line in lines(request)]
    assert [each["jobId"] for each in found] == [4711 + place for place in range(len(HOSTILE))]
    for each in found:
        assert {name: type(value) for name, value in each.items()} == TYPES
        assert all(isinstance(value, str) for value in each["metaData"].values())
        for tag in each["tags"]:
            assert {name: type(value) for name, value in tag.items()} == TAG_TYPES


def test_a_job_that_it_cannot_know_is_left_out(tmp_path):
    jobs = [job(1, job="12.batch"), job(2, job="²"), job(3, job=str(2**63)), job(4)]
    many = [finding(jobs[3], f"rule-{place}", 0.1, place) for place in range(9)]
    with asking(made(tmp_path, jobs=jobs, findings=many)) as request:
        found = [json.loads(line) for line in lines(request)]
    assert [(each["jobId"], len(each["tags"])) for each in found] == [(4, MOST_TAGS)]


@pytest.mark.skipif(
    not SCHEMAS,
    reason="no checkout of github.com/ClusterCockpit/cc-lib: ADVISOR_TEST_CLUSTERCOCKPIT names it",
)
def test_clustercockpits_own_schema_takes_it(hostile_store):
    """Its schema allows fields that it does not know, so those of its type Job are asked as well;
    the archive would refuse others."""
    jsonschema = pytest.importorskip("jsonschema")
    referencing = pytest.importorskip("referencing")
    schemas = [json.loads(each.read_text()) for each in Path(SCHEMAS).glob("schema/schemas/*.json")]
    registry = referencing.Registry().with_resources(
        (each["$id"], referencing.jsonschema.DRAFT202012.create_resource(each)) for each in schemas
    )
    meta = next(each for each in schemas if each["$id"].endswith("job-meta.schema.json"))
    validator = jsonschema.Draft202012Validator(meta, registry=registry)
    fields = set(re.findall(r'json:"(\w+)', (Path(SCHEMAS) / "schema" / "job.go").read_text()))
    with asking(hostile_store) as request:
        for line in lines(request):
            found = json.loads(line)
            assert set(found) <= fields
            validator.validate({**OF_THE_ARCHIVE, **found})
            with pytest.raises(jsonschema.ValidationError):
                validator.validate({**OF_THE_ARCHIVE, **found, "tags": [{"name": 1}]})
