"""The performance log: ReFrame itself goes on with a file of ours, and all lines have the columns
of its header."""

from __future__ import annotations

import logging

import pytest
from hostile_fleet import HOSTILE, asking, exported, job, made

from advisor.fleet.handing_over.reframe import FORMAT, PERFORMANCE, VALUES, lines


def columns(text):
    """Rows as header → cell."""
    header, *rows = [line.split("|") for line in text.splitlines()]
    assert {len(row) for row in rows} <= {len(header)}
    return [dict(zip(header, row)) for row in rows]


def test_a_job(tmp_path, capfdbinary):
    store = made(tmp_path, jobs=[job(7), job(8, exit_code=1, elapsed=None, wait_share=None)])
    first, second = columns(exported(store, "reframe", capfdbinary))
    assert first == {
        "result": "pass",
        "job_completion_time": "2026-11-20T13:00:00+00:00",
        "info": "vasp of job 7.0",
        "jobid": "7",
        "num_tasks": "8",
        "partition": "batch",
        "environ": "openmpi 4.1.4",
        "system": "c1",
        **of("elapsed", "3600.0", "s"),
        **of("node_hours", "2.0", "h"),
        **of("lost_node_hours", "0.5", "h"),
        **of("wait_share", "0.25", "1"),
        **of("parallel_efficiency", "null", "1"),
    }
    assert (second["result"], second["elapsed_value"], second["wait_share_value"]) == (
        "fail",
        "null",
        "null",
    )


def of(name, value, unit):
    return {
        f"{name}_value": value,
        f"{name}_unit": unit,
        f"{name}_ref": "0",
        f"{name}_lower_thres": "null",
        f"{name}_upper_thres": "null",
    }


def test_hostile_names_stay_in_their_column(hostile_store):
    with asking(hostile_store) as request:
        found = columns("".join(lines(request)))
    assert len(found) == len(HOSTILE)
    assert found[2]["info"] == "a%7Cb,c;d%257C of job 4713.0"
    assert {row["system"] for row in found} == {"c1"}


def test_reframe_goes_on_with_the_file(hostile_store, tmp_path):
    """Its handler puts a file away whose header is not what it would write itself."""
    reframe = pytest.importorskip("reframe.core.logging", reason="pip install reframe-hpc")
    path = tmp_path / "c1" / "vasp.log"
    path.parent.mkdir()
    with asking(hostile_store) as request:
        path.write_text("".join(lines(request)))
    before = path.read_text()
    handler = reframe.MultiFileHandler(str(tmp_path / "c1"), fmt=FORMAT, perffmt=PERFORMANCE)
    handler.setFormatter(reframe.CheckFieldFormatter(fmt=FORMAT, perffmt=PERFORMANCE))
    handler.emit(record_of_reframe())
    handler.close()
    assert [each.name for each in path.parent.iterdir()] == ["vasp.log"]
    after = path.read_text()
    assert after.startswith(before)
    last = columns(after)[-1]
    assert (last["result"], last["jobid"], last["elapsed_value"]) == ("pass", "99", "12.5")


def record_of_reframe():
    """As its logger fills it in after a test named vasp."""
    record = logging.LogRecord("reframe", logging.INFO, __file__, 1, "", None, None)
    plain = {
        "check_result": "pass",
        "check_job_completion_time_unix": 1_795_000_000.0,
        "check_info": "vasp of the centre",
        "check_jobid": "99",
        "check_num_tasks": 8,
        "check_partition": "batch",
        "check_environ": "gnu",
        "check_system": "c1",
        "check_perfvalues": {
            f"c1:batch:{name}": (12.5, 0, None, None, unit, "pass")
            for name, (_, unit) in VALUES.items()
        },
        "__rfm_check__": type("Check", (), {"variant_name": classmethod(lambda _: "vasp")})(),
        "__rfm_loggable_attrs__": [],
    }
    record.__dict__.update(plain)
    return record
