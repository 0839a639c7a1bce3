"""An installed advisor has all that a checkout has: rules, samples and the collectors' sources."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

from advisor import __version__

ROOT = Path(__file__).resolve().parents[2]
CARRIED = {
    "rules": {".toml", ".md"},
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
def wheel(tmp_path_factory):
    out = tmp_path_factory.mktemp("wheel")
    built = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(out), str(ROOT)],
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def wheel_names(wheel):
    return zipfile.ZipFile(wheel).namelist()


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


def test_wheel_carries_templates_and_tables(wheel_names):
    wanted = {
        str(file)
        for file in tracked("advisor")
        if file.suffix in {".j2", ".css", ".js", ".json", ".toml"}
    }
    assert wanted - set(wheel_names) == set()


def test_wheel_has_the_script_that_ranks_start_as_it_is(wheel_names):
    """No wrapper in Python around it: sparing that is what it is for."""
    assert [name.split("/")[-2:] for name in wheel_names if name.endswith("advisor-exec")] == [
        ["launching", "advisor-exec"],
        ["scripts", "advisor-exec"],
    ]


def test_wheel_carries_the_manual_page_the_licence_and_the_mark_of_types(wheel_names):
    missing = [
        ending
        for ending in ("/share/man/man1/advisor.1", "/LICENSE", "advisor/py.typed")
        if not any(name.endswith(ending) for name in wheel_names)
    ]
    assert missing == []


def test_the_distribution_has_a_name_that_is_free(wheel):
    """The package index has another `advisor`, which `pip install advisor` would install."""
    text = zipfile.ZipFile(wheel).read(f"mpi_advisor-{__version__}.dist-info/METADATA").decode()
    facts = dict(
        line.split(": ", 1)
        for line in text.split("\n\n")[0].splitlines()
        if line.startswith(("Name", "Version", "License:", "License-Expression"))
    )
    assert facts in (
        {"Name": "mpi-advisor", "Version": __version__, "License": "BSD-3-Clause"},
        {"Name": "mpi-advisor", "Version": __version__, "License-Expression": "BSD-3-Clause"},
    )


def test_a_source_archive_has_what_a_package_is_made_from(tmp_path):
    """Spack and EasyBuild start from one. In a copy: setuptools writes beside what it packs."""
    copied = subprocess.run(["git", "checkout-index", "-a", f"--prefix={tmp_path}/copy/"], cwd=ROOT)
    if copied.returncode:
        pytest.skip("not a git checkout")
    code = f"import setuptools.build_meta as made; made.build_sdist({str(tmp_path)!r})"
    subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path / "copy", capture_output=True, check=True
    )
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {
        str(file)
        for folder in (
            "advisor",
            "collectors",
            "docs",
            "packaging",
            "rules",
            "samples",
            "LICENSE",
            "README.md",
            "CHANGELOG.md",
            "CITATION.cff",
        )
        for file in tracked(folder)
    }
    assert wanted - held == set()


def where_it_looks(packages: Path):
    """Folders in which an installation finds its rules, collectors and samples."""
    code = (
        "from advisor.base import resource_paths as found;"
        " print(found.rules(), found.collectors(), found.samples())"
    )
    environment = {**os.environ, "PYTHONPATH": str(packages)}
    said = subprocess.run(
        [sys.executable, "-c", code], cwd=packages, env=environment, capture_output=True, text=True
    )
    return said.stdout.split(), said.stderr


def test_rules_are_found_wherever_it_was_installed(wheel, tmp_path):
    """Centres install into a folder of its own, which is not that of the Python in use."""
    prefix, target = tmp_path / "prefix", tmp_path / "target"
    options = ["-q", "--no-deps", "--no-index", "--ignore-installed", "--prefix", str(prefix)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(wheel)], check=True)
    packages = prefix / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages"
    names = ("rules", "collectors", "samples")
    assert where_it_looks(packages) == ([f"{prefix}/share/advisor/{name}" for name in names], "")
    # What `pip install --target` does.
    packages.rename(target)
    (prefix / "share").rename(target / "share")
    assert where_it_looks(target) == ([f"{target}/share/advisor/{name}" for name in names], "")
