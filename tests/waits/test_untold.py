"""What is not told has a gap with its reason, and no row that pretends."""

from __future__ import annotations

from advisor.intake.read import read
from mpi_builds import find, require, run


def test_waits_that_nobody_can_tell_are_gaps(collector, program, tmp_path):
    build = require(find("ompi4"))
    done = run(build, 2, ["env", f"LD_PRELOAD={collector(build)}", f"ADVISOR_OUTPUT={tmp_path}", program(build, "untold.c")])
    assert done.returncode == 0, done.stderr
    profile = read(tmp_path / "merged.profile")
    told = {gap.subject: gap.reason for gap in profile.gaps if gap.subject.startswith("waits.")}
    assert {subject: reason.split(" ")[0] for subject, reason in told.items()} == {
        "waits.messages": "Messages", "waits.neighbours": "Nonblocking", "waits.groups": "Collective"}
    assert set(profile.tables["waits"]["operation"]) == {"Win_lock", "Win_unlock", "Win_lock_all", "Win_unlock_all"}
