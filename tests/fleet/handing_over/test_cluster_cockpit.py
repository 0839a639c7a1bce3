"""Tags and metadata for ClusterCockpit."""

from __future__ import annotations

import json

import pytest
from hostile_fleet import HOSTILE, asking, exported, finding, job, made

from advisor.fleet.handing_over.cluster_cockpit import MOST_TAGS, lines

TYPES = {"jobId": int, "cluster": str, "tags": list, "metaData": dict}
"""Of job-meta.schema.json, as of cc-lib 2; where Go is, that schema itself is asked."""
TAG_TYPES = {"type": str, "name": str, "scope": str}
OF_THE_ARCHIVE = {
    "user": "alice",
    "project": "physics",
    "subCluster": "main",
    "numNodes": 2,
    "exclusive": 1,
    "startTime": 1_795_000_000,
    "jobState": "completed",
    "duration": 3600,
    "resources": [{"hostname": "n1"}],
    "statistics": {
        name: {"unit": {"base": "B"}, "avg": 1, "min": 0, "max": 2}
        for name in ("cpu_user", "cpu_load", "mem_used", "flops_any", "mem_bw")
    },
}
"""What ClusterCockpit itself knows of a job, and must stand in its archive. Its schema still has
`exclusive`, where its type Job has `shared`."""


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


def test_clustercockpits_own_code_reads_it(hostile_store, read_by):
    """Its type Job is read back with all that was written, and its schema is satisfied."""
    with asking(hostile_store) as request:
        written = [json.loads(line) for line in lines(request)]
    read = as_clustercockpit_reads(read_by, written)
    assert [
        {"jobId": each["jobId"], "cluster": each["cluster"], "metaData": each["metaData"]}
        | {"tags": [{name: tag[name] for name in TAG_TYPES} for tag in each["tags"]]}
        for each in read
    ] == written


@pytest.mark.parametrize(
    "wrong, said",
    [
        ({"titel": 1}, 'json: unknown field "titel"'),
        ({"tags": [{"type": "advisor", "name": "x", "colour": "red"}]}, 'unknown field "colour"'),
        ({"tags": [{"type": "advisor"}]}, "missing properties: 'name'"),
        ({"metaData": {"advisor": 0.5}}, "cannot unmarshal number"),
        ({"jobId": "7"}, "cannot unmarshal string"),
    ],
    ids=["a field", "a field of a tag", "a tag without a name", "a number", "a text"],
)
def test_its_code_sees_what_is_wrong(wrong, said, read_by):
    (found,) = as_clustercockpit_reads(read_by, [{"jobId": 7, "cluster": "c1", **wrong}])
    assert found.startswith("wrong: ") and said in found.replace('\\"', '"')


def as_clustercockpit_reads(read_by, written):
    """Jobs, or what is wrong with them."""
    text = "".join(json.dumps(each) + "\n" for each in written)
    said = read_by("cluster_cockpit", text, json.dumps(OF_THE_ARCHIVE))
    return [line if line.startswith("wrong: ") else json.loads(line) for line in said]
