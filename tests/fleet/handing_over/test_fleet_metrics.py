"""OpenMetrics of a store, read by Prometheus' own parser."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hostile_fleet import HOSTILE, asking, exported, finding, job, made

from advisor.cli import fleet_export
from advisor.fleet.handing_over import fleet_metrics
from advisor.fleet.handing_over.fleet_metrics import KINDS, open_metrics

parser = pytest.importorskip(
    "prometheus_client.openmetrics.parser", reason="pip install prometheus_client"
)


def parsed(text):
    """(family, labels) → value; families must not stand there twice."""
    families = list(parser.text_string_to_metric_families(text))
    assert len({each.name for each in families}) == len(families)
    return {
        (sample.name.replace("advisor_fleet_", ""), tuple(sorted(sample.labels.items()))): value
        for family in families
        for sample in family.samples
        for value in [sample.value]
    }


def test_what_is_lost(tmp_path, capfdbinary):
    jobs = [job(1), job(2, application="lammps", lost=1.0, user_name="bob")]
    findings = [finding(jobs[0], "late-rank", 0.5), finding(jobs[1], "late-rank", 1.0)]
    store = made(tmp_path, jobs=jobs, findings=findings)
    found = parsed(exported(store, "openmetrics", capfdbinary))
    assert found["jobs", ()] == 2
    assert found["lost_node_seconds", ()] == 1.5 * 3600
    assert found["rule_lost_node_seconds", (("rule", "late-rank"),)] == 1.5 * 3600
    assert found["application_lost_node_seconds", (("application", "lammps"),)] == 3600
    assert found["library_node_seconds", (("library", "openmpi"), ("version", "4.1.4"))] == 4 * 3600
    assert found["series_left_out", ()] == 0


def test_names_of_people_and_jobs_only_where_allowed(tmp_path):
    store = made(tmp_path, jobs=[job(1)])
    with asking(store) as request:
        assert "alice" not in "".join(open_metrics(request))
    with asking(store, labels=("user", "job")) as request:
        found = parsed("".join(open_metrics(request)))
    assert found["user_lost_node_seconds", (("user", "alice"),)] == 1800
    assert found["job_lost_node_seconds", (("cluster", "c1"), ("job", "1"), ("step", "0"))] == 1800
    assert not [name for name, _ in found if name.startswith("application")]


def test_hostile_names_are_one_label_each(hostile_store):
    with asking(hostile_store, labels=("rule", "user", "application")) as request:
        found = parsed("".join(open_metrics(request)))
    users = {dict(labels)["user"] for name, labels in found if name == "user_jobs"}
    assert len(users) == len(HOSTILE)
    assert {"it's", 'say "hi"', "back\\slash\\' OR 1=1 --"} <= users
    assert not [name for name in users if any(ord(letter) < 32 for letter in name)]


@pytest.mark.parametrize("most", [0, 20, 60, 100, 2000])
def test_never_more_series_than_allowed(tmp_path, most):
    jobs = [job(each, application=f"a{each}", user_name=f"u{each}") for each in range(60)]
    store = made(tmp_path, jobs=jobs, findings=[finding(each, "r", 0.1) for each in jobs])
    with asking(store, labels=tuple(KINDS), most=most) as request:
        found = parsed("".join(open_metrics(request)))
    assert len(found) <= max(most, fleet_metrics._OWN_SERIES)
    assert (found["series_left_out", ()] > 0) == (most < 2000)


def test_names_that_are_cut_to_the_same_are_one_series(tmp_path):
    jobs = [job(each, application="x" * 150 + str(each), lost=each) for each in (1, 2)]
    with asking(made(tmp_path, jobs=jobs)) as request:
        found = parsed("".join(open_metrics(request)))
    assert found["application_lost_node_seconds", (("application", "x" * 100),)] == 7200


def test_a_slow_node_is_told(tmp_path):
    """Eight jobs of three users and more, always late on n3."""
    hosts = [
        {**job(number), "user_name": f"u{number % 4}", "host": f"n{(number + place) % 12}"}
        | {"place": place, "hosts": 6, "lateness": 0.2 if (number + place) % 12 == 3 else 0.0}
        for number in range(72)
        for place in range(6)
    ]
    store = made(tmp_path, jobs=[job(1)], hosts=hosts)
    with asking(store, labels=("node",)) as request:
        found = parsed("".join(open_metrics(request)))
    named = {labels: value for (name, labels), value in found.items() if name.startswith("node_l")}
    assert {labels: round(value, 1) for labels, value in named.items()} == {(("node", "n3"),): 0.2}


def test_the_command_offers_all_labels():
    assert set(fleet_export.LABELS) == set(KINDS)


def test_node_exporters_reader_takes_all_series(hostile_store, read_by):
    """Its textfile collector reads the older text format; and nothing is there of which promtool
    would complain."""
    with asking(hostile_store, labels=tuple(KINDS)) as request:
        text = "".join(open_metrics(request))
    assert read_by("prometheus", text) == [str(len(parsed(text)))]
    assert 'use base unit "seconds"' in read_by("prometheus", text.replace("second", "minute"))[1]


@pytest.mark.skipif(not shutil.which("promtool"), reason="apt-get install prometheus")
def test_promtool_agrees(hostile_store):
    with asking(hostile_store, labels=tuple(KINDS)) as request:
        text = "".join(open_metrics(request))
    done = subprocess.run(
        ["promtool", "check", "metrics"], input=text, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
