"""What is not told has a gap with its reason, and no row that pretends."""

from __future__ import annotations

from advisor.intake.read import read
from mpi_builds import find, preloaded, require, run


def test_waits_that_nobody_can_tell_are_gaps(collector, program, tmp_path):
    build = require(find("ompi4"))
    done = run(build, 2, [*preloaded(collector(build), tmp_path), program(build, "untold.c")])
    assert done.returncode == 0, done.stderr
    profile = read(tmp_path / "merged.profile")
    reported = {gap.subject: gap.reason for gap in profile.gaps if gap.subject.startswith("waits.")}
    assert {subject: reason.split(" ")[0] for subject, reason in reported.items()} == {
        "waits.messages": "Messages",
        "waits.neighbours": "Nonblocking",
        "waits.groups": "Collective",
    }
    assert set(profile.tables["waits"]["operation"]) == {
        "Win_lock",
        "Win_unlock",
        "Win_lock_all",
        "Win_unlock_all",
    }


def locks_of(profile):
    """Operations on locks that were split, and the gaps about them."""
    return {
        name for name in profile.tables["waits"]["operation"].tolist() if name.startswith("Win_")
    }, [gap.reason for gap in profile.gaps if gap.subject == "waits.locks"]


def test_calls_on_more_targets_than_are_kept_are_a_gap(collector, program, tmp_path):
    """Beside exclusive locks; without them they wait for nobody, however many there are."""
    build, ranks = require(find("ompi4")), 66
    for name, *words in (("untold.c",), ("flushes.c", "2")):
        folder = tmp_path / name
        folder.mkdir()
        done = run(
            build, ranks, [*preloaded(collector(build), folder), program(build, name), *words]
        )
        assert done.returncode == 0, done.stderr
    operations, gaps = locks_of(read(tmp_path / "untold.c" / "merged.profile"))
    assert operations == {"Win_lock", "Win_unlock"} and [
        reason.split(" of more")[0] for reason in gaps
    ] == ["Calls on all targets of windows"]
    assert locks_of(read(tmp_path / "flushes.c" / "merged.profile")) == (
        {"Win_lock_all", "Win_flush", "Win_flush_local_all", "Win_unlock_all"},
        [],
    )
