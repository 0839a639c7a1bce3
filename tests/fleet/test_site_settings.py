"""Settings for all, from verified trials only; taken out again without a trace."""

from __future__ import annotations

from datetime import date

import pytest

from advisor.__main__ import main
from advisor.fleet import store as stores
from advisor.fleet.site_settings import FILES, propose, proposals, undo
from advisor.fleet.tables import table
from advisor.verifying import evidence

DAY = {"day": date(2026, 11, 20), "week": date(2026, 11, 16)}
EAGER = "OMPI_MCA_btl_vader_eager_limit=32768"


def trial(settings, user="a", verdict="better", effect=-0.1, **more):
    ends = {"effect": effect, "effect_low": effect - 0.02, "effect_high": effect + 0.02}
    row = {"user_name": user, "application": "cfd", "settings": settings, "verdict": verdict}
    return {**row, **ends, "rules": "eager-limit-in-host", "pairs": 6, **more}


THREE = [trial(EAGER, user) for user in "aab"]


@pytest.mark.parametrize(
    "trials, proposed",
    [
        (THREE, ["32768"]),
        (THREE[:2], []),  # two trials
        ([trial(EAGER, "a") for _ in range(5)], []),  # one user
        ([*THREE, trial(EAGER, "c", "worse", 0.1)], []),  # it hurts somebody
        ([*THREE, trial(EAGER, "c", "breaks")], []),
        ([*THREE, trial(EAGER, "c", "same", 0.0)], ["32768"]),
        ([trial(f"{EAGER} UCX_TLS=x", user) for user in "aab"], []),  # which of the two was it?
        ([trial("UCX_TLS=$(id)", user) for user in "aab"], []),  # no value for a file
        # Of two values the better one
        ([*THREE, *(trial(EAGER[:-5] + "65536", user, effect=-0.2) for user in "aab")], ["65536"]),
    ],
)
def test_what_is_proposed(trials, proposed):
    assert [each.value for each in proposals(trials)] == proposed


ALL = [
    trial(settings, user)
    for settings in (EAGER, "UCX_TLS=self,sm,rc", "I_MPI_ADJUST_ALLREDUCE=5")
    for user in "aab"
]


def test_files_of_three_libraries(tmp_path):
    propose(proposals(ALL), tmp_path)
    lines = {file.name: (tmp_path / file.name).read_text().split("\n") for file in FILES}
    comment = "# 3 trials of 2 users: 12.0 % less to 8.00 % less time; cfd"
    assert lines["openmpi-mca-params.conf"][1:3] == [comment, "btl_vader_eager_limit = 32768"]
    assert lines["ucx.conf"][2] == "UCX_TLS=self,sm,rc"
    assert lines["intel-mpi.sh"][2] == "export I_MPI_ADJUST_ALLREDUCE=5"


def test_undo_leaves_what_was_there(tmp_path):
    own = "# ours\nUCX_NET_DEVICES=mlx5_0:1\n"
    (tmp_path / "ucx.conf").write_text(own)
    propose(proposals(ALL), tmp_path)
    propose(proposals(ALL), tmp_path)  # twice is once
    text = (tmp_path / "ucx.conf").read_text()
    assert text.startswith(own) and text.count("UCX_TLS=") == 1
    undo(tmp_path)
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {"ucx.conf": own}
    assert undo(tmp_path) == []


def test_what_the_centre_has_set_is_not_touched(tmp_path):
    (tmp_path / "ucx.conf").write_text("UCX_TLS = tcp\n")
    propose(proposals(ALL), tmp_path)
    assert (tmp_path / "ucx.conf").read_text() == "UCX_TLS = tcp\n"


def test_the_command_and_evidence_for_other_jobs(tmp_path, capsys):
    store = stores.create(tmp_path / "store", False)
    step = {**DAY, "cluster": "c", "job": "7", "step": "0"}
    ran = {"library": "openmpi", "library_version": "5.0.5", "ranks": 8, "nodes": 2}
    job = {**step, **ran, "profile": "j", "application": "cfd"}
    tried = [{**step, **row, "profile": f"p{number}"} for number, row in enumerate(THREE)]
    with store.locked():
        added = {"jobs": table("jobs", [job]), "verified": table("verified", tried)}
        store.commit(added, "new-1")
    words = ["fleet", "settings", str(store.path)]
    assert main([*words, "--evidence", str(tmp_path / "evidence.jsonl")]) == 0
    assert "btl_vader_eager_limit = 32768\n" in capsys.readouterr().out
    found, problem = evidence.read(tmp_path / "evidence.jsonl")
    assert (len(found), problem) == (3, "")
    first = found[0]
    assert (first.library, first.version, first.program, first.ranks, first.hosts) == (
        "openmpi", "5.0.5", "cfd", 8, 2,
    )  # fmt: skip
    assert (first.verified.name, first.verified.verdict) == ("eager-limit-in-host", "better")
    assert first.verified.effect == pytest.approx(-0.1)
    assert main([*words, "-o", str(tmp_path / "files")]) == 0
    assert main([*words, "-o", str(tmp_path / "files"), "--undo"]) == 0
    assert list((tmp_path / "files").iterdir()) == []
    assert main([*words, "--undo"]) == 2


def test_natural_experiments_are_no_evidence(tmp_path, capsys):
    """A store with jobs only proposes nothing."""
    store = stores.create(tmp_path / "store", False)
    assert main(["fleet", "settings", str(store.path)]) == 0
    assert capsys.readouterr().out == ""
