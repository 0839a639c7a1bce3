"""An installed advisor has all that a checkout has: rules, samples and the collectors' sources."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CARRIED = {
    "rules": {".toml", ".md", ".json"},
    "collectors": {".c", ".h", ".py", ".sh", ".txt", ".md"},
    "samples": {".c", ".f90", ".md"},
}


def tracked(folder: str):
    """Files of a folder that git knows; tests of a source archive without git are skipped."""
    listed = subprocess.run(["git", "ls-files", folder], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [Path(line) for line in listed.stdout.splitlines()]


@pytest.fixture(scope="module")
def wheel_names(tmp_path_factory):
    out = tmp_path_factory.mktemp("wheel")
    built = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(out), str(ROOT)],
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    return zipfile.ZipFile(next(out.glob("*.whl"))).namelist()


def test_wheel_carries_rules_samples_and_collectors(wheel_names):
    carried = {
        name.split("/share/advisor/")[1] for name in wheel_names if "/share/advisor/" in name
    }
    wanted = {
        str(file)
        for folder, suffixes in CARRIED.items()
        for file in tracked(folder)
        if file.suffix in suffixes and "inputs" not in file.parts and "profiles" not in file.parts
    }
    assert wanted - carried == set()


def test_wheel_carries_the_templates_of_reports(wheel_names):
    wanted = {
        str(file) for file in tracked("advisor") if file.suffix in {".j2", ".css", ".js", ".json"}
    }
    assert wanted - set(wheel_names) == set()


def test_wheel_has_the_script_that_ranks_start_as_it_is(wheel_names):
    """No wrapper in Python around it: sparing that is what it is for."""
    assert [name.split("/")[-2:] for name in wheel_names if name.endswith("advisor-exec")] == [
        ["launching", "advisor-exec"],
        ["scripts", "advisor-exec"],
    ]
