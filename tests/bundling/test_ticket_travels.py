"""A ticket on another machine: one file in an empty folder, an environment with nothing in it, and
rules that its maker did not have."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
NEWER = """schema = 1
id     = "newer-rule"
found  = "A rule that came after the run"
clear  = "Never"
kind   = "policy"
severity = "low"
why    = "A test."
[look]
each = "run"
when = "run.ranks > 1"
say  = "There are {run.ranks:rank}, and {run.mpi_share} of elapsed was MPI (mean over ranks)."
[[remedy]]
for    = "any"
do     = "Nothing."
source = "A test."
check  = "Nothing."
undo   = "Nothing."
effort = 1
[[case]]
name   = "two ranks"
given.run = { ranks = 2, mpi_share = 0.5 }
expect = "found"
[[case]]
name   = "one rank"
given.run = { ranks = 1 }
expect = "clear"
"""


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """A folder with nothing in it but the ticket; what it was made from is gone."""
    origin, folder = tmp_path_factory.mktemp("origin"), tmp_path_factory.mktemp("elsewhere")
    (origin / "result").mkdir()
    shutil.copy(ROOT / "samples" / "verified" / "profile", origin / "result" / "profile")
    assert main(["bundle", str(origin / "result"), "-o", str(origin / "ticket.html")]) == 0
    shutil.move(origin / "ticket.html", folder / "ticket.html")
    shutil.rmtree(origin)
    return folder


def there(folder, *words):
    """`advisor WORDS` with a path to Python and nothing else of ours."""
    env = {
        "PATH": os.defpath,
        "HOME": str(folder),
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "advisor", *words],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_ticket_alone_is_judged_again_with_newer_rules(elsewhere):
    assert [place.name for place in elsewhere.iterdir()] == ["ticket.html"]
    old = there(elsewhere, "report", "ticket.html", "--format", "json")
    (elsewhere / "newer" / "measurement").mkdir(parents=True)
    (elsewhere / "newer" / "measurement" / "newer-rule.toml").write_text(NEWER)
    new = there(elsewhere, "report", "ticket.html", "--format", "json", "--rules", "newer")
    assert sorted(each["rule"] for each in new["findings"]) == sorted(
        [*(each["rule"] for each in old["findings"]), "newer-rule"]
    )
    assert "eager-limit-in-host" in {each["rule"] for each in old["findings"]}
    (said,) = [each["subject"] for each in new["findings"] if each["rule"] == "newer-rule"]
    assert said.replace("\u00a0", " ").startswith("There are 2 ranks, and ")
