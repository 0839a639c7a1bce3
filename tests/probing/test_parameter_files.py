"""Settings in files of Open MPI, known with their file and line: as the library itself has them in
force."""

from __future__ import annotations

import os

import pytest

from advisor.launching.target.library_of import launcher_library, with_version
from advisor.model.profile import Setting
from advisor.probing import parameter_files
from mpi_builds import find, require


@pytest.mark.parametrize(
    "line, expected",
    [
        ("btl_tcp_eager_limit = 4098", [("btl_tcp_eager_limit", "4098")]),
        ("btl = ^uct,openib", [("btl", "^uct,openib")]),
        ("  # btl = self", []),
        ("pml = ob1 # not ucx", [("pml", "ob1")]),
        ("-mca btl_tcp_eager_limit 4097 -x FOO=bar", [("btl_tcp_eager_limit", "4097")]),
        ("--mca btl 'self,sm' --omca coll ^han", [("btl", "self,sm"), ("coll", "^han")]),
        ("-x FOO=bar", []),
        ("", []),
    ],
)
def test_line(line, expected):
    assert parameter_files.parse_line(line) == expected


def test_the_first_file_counts_and_in_it_the_last_line(tmp_path):
    user, site = tmp_path / "user.conf", tmp_path / "site.conf"
    user.write_text("btl = self\nbtl = self,sm\n")
    site.write_text("btl = tcp\npml = ob1\n")
    assert parameter_files.read([str(user), str(site), str(tmp_path / "none")]) == {
        "btl": ("self,sm", f"{user}:2"),
        "pml": ("ob1", f"{site}:2"),
    }


def test_what_the_environment_overrides_is_not_in_force():
    text = "mca:btl:base:param:btl:source:environment\nmca:pml:base:param:pml:source:file (/a:1)\n"
    found = {"btl": ("self", "/a:2"), "pml": ("ob1", "/a:1"), "pmll": ("ob1", "/a:3")}
    assert parameter_files.in_force(text, found) == {
        "pml": ("ob1", "/a:1"),
        "pmll": ("ob1", "/a:3"),
    }, "a name that nobody knows stays, to be told"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home with a file of parameters, one of them misspelt, and one of PRRTE."""
    for folder, text in (
        (".openmpi", "btl_tcp_eager_limit = 40960\nbtl_tcp_eager_limt = 1\n"),
        (".prte", "rmaps_default_mapping_policy = :oversubscribe\n"),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mca-params.conf").write_text(text)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", ["ompi4", "ompi5"])
def test_the_installed_library(name, home, monkeypatch):
    build = require(find(name))
    monkeypatch.setenv("OMPI_MCA_btl_tcp_sndbuf", "1")
    tune = home / "tune.conf"
    tune.write_text("--mca btl_tcp_rcvbuf 65537 --mca btl_tcp_sndbuf 2\n")
    variables = {**os.environ, **build.environment}
    library = with_version(launcher_library(build.launcher[0], variables), variables)
    found = parameter_files.settings_in_files(
        library.path,
        library.name,
        library.version,
        build.launcher[0],
        ("mpirun", "--tune", str(tune), "-n", "1", "a"),
    )
    ours = {setting for setting in found if str(home) in setting.source}
    expected = {
        Setting("OMPI_MCA_btl_tcp_eager_limit", "40960", f"file {home}/.openmpi/mca-params.conf:1"),
        Setting("OMPI_MCA_btl_tcp_eager_limt", "1", f"file {home}/.openmpi/mca-params.conf:2"),
        Setting("OMPI_MCA_btl_tcp_rcvbuf", "65537", f"file {tune}:1"),
    }
    prrte = {
        Setting(
            "PRTE_MCA_rmaps_default_mapping_policy",
            ":oversubscribe",
            f"file {home}/.prte/mca-params.conf:1",
        )
    }
    assert ours == expected | (prrte if name == "ompi5" else set())
