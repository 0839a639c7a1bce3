"""What a job leaves behind: merged.profile, records of ranks that did not finish, run.json."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from advisor.intake import read, seal, write
from advisor.model.errors import UserError
from advisor.model.profile import Fact, Setting

from .files import PROFILE, SAMPLE, record


@pytest.fixture
def parts(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    return folder


def leave(parts, *ranks):
    for rank in ranks:
        (parts / f"advisor-x-{100 + rank}.record").write_bytes(record(rank))


def test_records_alone(parts):
    leave(parts, 0, 1)
    profile = read(parts)
    ranks, calls = profile.tables["ranks"], profile.tables["calls"]
    assert ranks["rank"].tolist() == [0, 1] and set(ranks["state"].tolist()) == {1}
    assert (
        profile.run.ranks_expected,
        profile.library.name,
        profile.nodes[0].facts["xpmem"].value,
    ) == (2, "openmpi", False)
    # The same steps on both, 8 bytes each; rank 1 works longer, so it never waits.
    reduce = [
        row
        for row in zip(
            calls["operation"],
            calls["count"].tolist(),
            calls["bytes"].tolist(),
            calls["time"].tolist(),
        )
        if row[0] == "Allreduce"
    ]
    assert (
        reduce[0][1] in (reduce[1][1], reduce[1][1] + 1, reduce[1][1] - 1)
        and reduce[0][2] == 8 * reduce[0][1]
    )
    assert reduce[0][3] > 100 * reduce[1][3]
    assert (ranks["finalize_begin"] > ranks["init_end"]).all()


def test_calls_members_and_sites_of_a_record_are_three_views_of_the_same():
    from advisor.intake.crash.record import read_record
    import tempfile

    with tempfile.NamedTemporaryFile(suffix=".record") as file:
        file.write(record(0))
        file.flush()
        tables = read_record(file.name).tables
    total = {name: tables[name]["count"].sum() for name in ("calls", "sites")}
    assert total["calls"] == total["sites"] == tables["ranks"]["events"][0]
    assert [name for name in tables["members"]["operation"]] == ["Barrier", "Allreduce"] or set(
        tables["members"]["operation"]
    ) == {"Barrier", "Allreduce"}


def test_merged_and_a_record_of_a_missing_rank(parts):
    """One of two ranks merged, the other killed: both are in the result."""
    whole = read(PROFILE)
    ours = {
        name: {
            label: values[columns["rank"] == 0] if "rank" in columns else values
            for label, values in columns.items()
        }
        for name, columns in whole.tables.items()
    }
    write(replace(whole, tables=ours), parts / "merged.profile")
    leave(parts, 0, 1)
    profile = read(parts)
    assert list(
        zip(profile.tables["ranks"]["rank"].tolist(), profile.tables["ranks"]["state"].tolist())
    ) == [(0, 2), (1, 1)]
    assert len(profile.nodes) == 1
    counts = {
        rank: (
            profile.tables["calls"]["count"][
                (profile.tables["calls"]["rank"] == rank)
                & (profile.tables["calls"]["operation"] == "Allreduce")
            ].tolist()
        )
        for rank in (0, 1)
    }
    assert counts[0] == [7] and counts[1][0] > 7


def test_a_damaged_record_costs_its_rank_and_no_other(parts):
    leave(parts, 0)
    (parts / "advisor-x-101.record").write_bytes(record(1)[:9000])
    profile = read(parts)
    assert profile.tables["ranks"]["rank"].tolist() == [0]
    assert [gap.subject for gap in profile.gaps] == ["record advisor-x-101.record"]


def test_the_same_rank_twice_is_a_job_that_the_job_started(parts):
    leave(parts, 0)
    (parts / "advisor-x-999.record").write_bytes(record(0))
    profile = read(parts)
    assert profile.tables["ranks"]["rank"].tolist() == [0] and "twice" in profile.gaps[0].reason


FACTS = {
    "run": {
        "program": "/opt/app",
        "arguments": ["-v"],
        "launcher": "mpirun",
        "job_seconds": 5.5,
        "exit_code": 137,
        "ranks_expected": 2,
    },
    "nodes": [
        {"name": "vm", "facts": {"gpu": ["", "probe"], "cpus": [99, "probe"]}},
        {"name": "login", "facts": {"cpus": [1, "probe"]}},
    ],
    "library": {"facts": {"built_with.cma": [True, "ompi_info"]}},
    "application": {"name": "demo", "settings": {"steps": [7, "arguments"]}},
    "settings": [{"name": "--bind-to", "value": "core", "source": "launch line"}],
    "gaps": [{"subject": "fabric", "reason": "not asked", "collect": "advisor doctor"}],
}


def test_facts_of_the_launching_side_complete_what_was_seen(parts):
    (parts / "merged.profile").write_bytes(PROFILE.read_bytes())
    (parts / "run.json").write_text(json.dumps(FACTS))
    profile = read(parts)
    assert (profile.run.program, profile.run.exit_code, profile.run.job_seconds) == (
        "/opt/app",
        137,
        5.5,
    )
    assert [node.name for node in profile.nodes] == ["vm"]  # no rank ran on the login host
    # seen in the job goes first
    assert (profile.nodes[0].facts["cpus"].value, profile.nodes[0].facts["gpu"]) == (
        2,
        Fact("", "probe"),
    )
    assert (profile.library.name, profile.library.facts["built_with.cma"].value) == (
        "openmpi",
        True,
    )
    assert (profile.application.name, profile.settings[-1].source, profile.gaps[-1].subject) == (
        "demo",
        "launch line",
        "fabric",
    )


@pytest.mark.parametrize("facts", [None, FACTS])
def test_no_rank_reported(parts, facts):
    if facts:
        (parts / "run.json").write_text(json.dumps(facts))
    with pytest.raises(UserError, match="No rank reported"):
        read(parts)


FAILED = [
    # exit code, how what is said ends
    (0, "parts."),
    (1, "parts: the command ended with exit code 1."),
]


@pytest.mark.parametrize("code, said", FAILED)
def test_a_command_that_failed_by_itself(parts, code, said):
    facts = {**FACTS, "run": {**FACTS["run"], "exit_code": code}}
    (parts / "run.json").write_text(json.dumps(facts))
    with pytest.raises(UserError) as raised:
        read(parts)
    assert raised.value.what.endswith(said)


def test_sealing_makes_one_file_that_says_the_same(parts, tmp_path):
    leave(parts, 0, 1)
    (parts / "run.json").write_text(json.dumps(FACTS))
    sealed = seal(parts, tmp_path / "profile")
    again = read(parts)
    assert sealed.run == again.run and sealed.nodes == again.nodes
    for label, values in again.tables["calls"].items():
        np.testing.assert_array_equal(values, sealed.tables["calls"][label])


def test_a_finished_result_is_read_and_not_its_parts(parts, tmp_path):
    write(read(SAMPLE), tmp_path / "profile")
    leave(parts, 0)
    assert read(tmp_path).run.program == "/opt/example/heat"


def test_what_the_launcher_sets_is_told_from_what_the_user_sets(parts):
    """By the names in the environment that the job was started from, and by the launch line."""
    settings = (
        Setting("UCX_TLS", "tcp", "environment"),
        Setting("OMPI_MCA_pml", "ob1", "environment"),
        Setting("I_MPI_HYDRA_TOPOLIB", "ipl2", "environment"),
        Setting("pml", "ob1", "mpi_t"),
    )
    write(replace(read(PROFILE), settings=settings), parts / "merged.profile")
    (parts / "run.json").write_text(
        json.dumps(
            {
                "run": {"launch_line": ["mpirun", "--mca", "pml", "ob1"]},
                "environment": ["UCX_TLS", "PATH"],
            }
        )
    )
    assert [setting.source for setting in read(parts).settings] == [
        "environment",
        "launch line",
        "launcher",
        "mpi_t",
    ]


def test_a_variable_of_a_rank_goes_before_the_same_name_in_a_file(parts):
    """What mpirun made of a file is the file's."""
    write(
        replace(
            read(PROFILE),
            settings=(
                Setting("OMPI_MCA_btl", "self,tcp", "environment"),
                Setting("OMPI_MCA_osc", "rdma", "environment"),
            ),
        ),
        parts / "merged.profile",
    )
    files = [
        {"name": name, "value": value, "source": "file /etc/a.conf:3"}
        for name, value in (
            ("OMPI_MCA_btl", "^openib"),
            ("OMPI_MCA_osc", "rdma"),
            ("OMPI_MCA_pml", "ob1"),
        )
    ]
    (parts / "run.json").write_text(
        json.dumps(
            {
                "run": {"launch_line": ["mpirun", "--mca", "btl", "self,tcp"]},
                "environment": ["PATH"],
                "settings": files,
            }
        )
    )
    assert [(setting.name, setting.value, setting.source) for setting in read(parts).settings] == [
        ("OMPI_MCA_btl", "self,tcp", "launch line"),
        ("OMPI_MCA_osc", "rdma", "file /etc/a.conf:3"),
        ("OMPI_MCA_pml", "ob1", "file /etc/a.conf:3"),
    ]
