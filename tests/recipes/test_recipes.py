"""Recipes for centres say what setup.cfg says, have no syntax error as far as that can be told
here, and call advisor with options that it has."""

from __future__ import annotations

import ast
import configparser
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from advisor import __version__, cli
from advisor.__main__ import main, split

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "packaging"
SPACK = RECIPES / "spack" / "packages" / "py-mpi-advisor" / "package.py"
EASYBUILD = RECIPES / "easybuild" / "mpi-advisor-0.2.0-gfbf-2024a.eb"
PYTHON = [SPACK, EASYBUILD, RECIPES / "reframe" / "advised_check.py"]
LUA = RECIPES / "lmod" / "advisor" / "0.2.0.lua"
ALL = sorted(file for file in RECIPES.rglob("*") if file.is_file())


def setup():
    found = configparser.ConfigParser()
    found.read(ROOT / "setup.cfg")
    return found


def values(file: Path):
    """Name → value of a file that only assigns, as an easyconfig does."""
    found = {}
    for node in ast.parse(file.read_text()).body:
        found[node.targets[0].id] = eval(
            compile(ast.Expression(node.value), str(file), "eval"), {}, found
        )  # our own file
    return found


@pytest.mark.parametrize("file", PYTHON, ids=lambda file: file.name)
def test_python_can_be_read(file):
    ast.parse(file.read_text(), str(file))


def test_the_module_is_lua():
    luac = next(
        filter(None, map(shutil.which, ("luac", "luac5.4", "luac5.3", "luac5.1"))), None
    ) or pytest.skip("no luac here")
    assert subprocess.run([luac, "-p", str(LUA)], capture_output=True, text=True).stderr == ""


def test_continuous_integration_is_yaml():
    yaml = pytest.importorskip("yaml", reason="no PyYAML here")
    job = yaml.safe_load((RECIPES / "ci" / "gitlab-ci.yml").read_text())["profile"]
    assert {type(line) for line in job["script"]} == {str}


@pytest.mark.parametrize("file", [SPACK, EASYBUILD, LUA], ids=lambda file: file.name)
def test_the_version_is_ours(file):
    assert set(
        re.findall(
            r"\b0\.\d+\.\d+\b", re.sub(r"\('.*?', '[\d.]+'.*", "", file.read_text()) + file.name
        )
    ) == {__version__}


def test_the_changelog_and_the_citation_name_this_version():
    cited = re.search(r"^version: (.*)", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert (cited.group(1), newest.group(1)) == (__version__, __version__)


def test_spack_has_the_requirements_of_setup_cfg():
    wanted = {"python": setup()["options"]["python_requires"].strip(">=")}
    for line in setup()["options"]["install_requires"].splitlines():
        name, _, version = line.partition(";")[0].partition(">=")
        wanted.update({f"py-{name.strip()}": version.strip()} if version else {})
    written = dict(
        re.findall(r'depends_on\("([\w-]+)@([\d.]+):", type=\("build", "run"\)', SPACK.read_text())
    )
    assert written == wanted


def test_easybuild_has_what_setup_cfg_requires():
    recipe = values(EASYBUILD)
    bundle = "Python-bundle-PyPI"
    brought = {"babel": bundle, "jinja2": bundle, "numpy": "SciPy-bundle"}
    there = {entry[0] for entry in (*recipe["dependencies"], *recipe["exts_list"])}
    required = re.findall(r"^([\w-]+) >=", setup()["options"]["install_requires"], re.MULTILINE)
    # Python 3.12 reads TOML itself.
    assert {brought.get(name, name) for name in required} - {"tomli"} <= there
    assert (recipe["name"], recipe["version"]) == (setup()["metadata"]["name"], __version__)


def lines_that_call_advisor():
    """(file, words) of each call of advisor in a recipe, up to the end of the command."""
    for file in ALL:
        text = (
            "\n".join(values(file)["sanity_check_commands"])
            if file.suffix == ".eb"
            else re.sub(r"\\\n\s*", " ", file.read_text())
        )
        for call in re.findall(
            r"(?:^|[\s`\"(])(?:/\S*/)?advisor +([a-z-][^\n`\"]*)", text, re.MULTILINE
        ):
            words = re.split(r" \|\| | && |; | >", re.sub(r"'[^']*'", "X", call))[0].split()
            if words[0] in (*cli.COMMANDS, "--version"):
                yield file.name, " ".join(words)


@pytest.mark.parametrize("file, line", sorted(set(lines_that_call_advisor())))
def test_advisor_knows_the_options(file, line):
    own, _ = split(line.split())
    unknown = [] if own == ["--version"] else cli.parser(own[0]).parse_known_args(own)[1]
    assert unknown == []


def test_calls_of_advisor_are_looked_at():
    assert {
        "Dockerfile",
        "advisor.def",
        "gitlab-ci.yml",
        "README.md",
        "advised_check.py",
        "0.2.0.lua",
    } <= {file for file, _ in lines_that_call_advisor()}


def test_reframe_finds_the_elapsed_time(capsys):
    assert (
        main(
            [
                "export",
                str(ROOT / "samples" / "profiles" / "late_rank.before.4r.json"),
                "--format",
                "openmetrics",
            ]
        )
        == 0
    )
    pattern = re.search(
        r'extractsingle\(r"(.*?)"', (RECIPES / "reframe" / "advised_check.py").read_text()
    ).group(1)
    assert re.findall(pattern, capsys.readouterr().out, re.MULTILINE) == ["12.05214262008667"]


@pytest.mark.parametrize("file", ALL, ids=lambda file: file.name)
def test_no_address_is_invented(file):
    assert re.findall(r"https?://\S+", file.read_text()) == []


@pytest.mark.parametrize("name", ["Dockerfile", "advisor.def"])
def test_containers_install_from_the_checkout(name):
    """A distribution of this name in an index may be anybody's until ours is there."""
    assert re.findall(
        r"pip install\s+(?:--\S+\s+)*(\S+)", (RECIPES / "containers" / name).read_text()
    ) == ["/src"]
