"""`advisor rules new`: a template, in the folder that was given."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from advisor.__main__ import main
from advisor.advice import read_rules
from advisor.advice.checking.check import check
from advisor.advice.rulebook.template import policy
from advisor.base import resource_paths

HEAT = str(Path(__file__).parents[2] / "samples" / "profiles" / "heat.4r.json")


def test_a_folder_of_ones_own_is_written_without_a_word_of_warning(tmp_path, capsys):
    assert main(["rules", "--rules", str(tmp_path), "new", "slow-disk", "--folder", "io"]) == 0
    said = capsys.readouterr()
    assert (tmp_path / "io" / "slow-disk.toml").is_file() and said.err == ""


def test_writing_into_the_book_of_advisor_says_what_becomes_of_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(resource_paths, "rules", lambda: tmp_path)
    monkeypatch.delenv("ADVISOR_RULES", raising=False)
    assert main(["rules", "new", "slow-disk"]) == 0
    assert "advisor rules --rules FOLDER new slow-disk" in capsys.readouterr().err


@pytest.mark.parametrize("kind, name", [("policy", "a-b"), ("threshold", "many-barriers")])
def test_what_only_a_site_can_want_is_not_written_into_the_book(
    kind, name, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(resource_paths, "rules", lambda: tmp_path)
    monkeypatch.delenv("ADVISOR_RULES", raising=False)
    assert main(["rules", "new", name, "--kind", kind]) == 2
    assert f"advisor rules --rules FOLDER new {name} --kind {kind}" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


POLICY = ("new", "a-b", "--kind", "policy")


@pytest.mark.parametrize(
    "words, said",
    [
        (("new", "Bad_Name", "--folder", "io"), "is not a name for a rule"),
        (("new", "good-name", "--folder", "placment"), 'did you mean "placement"?'),
        (
            ("new", "a-b", "--set", "A=1"),
            "advisor: --set is about a policy.\n"
            "advisor: Add --kind policy, or leave out --set A=1.",
        ),
        ((*POLICY, "--set", "A"), "A is not a variable with its value."),
        ((*POLICY, "--set", 'A="{x}'), "Write --set NAME=VALUE."),
        (("new", "many-bariers", "--kind", "threshold"), 'did you mean "many-barriers"?'),
    ],
)
def test_a_wrong_word_is_named_and_nothing_written(words, said, tmp_path, capsys):
    assert main(["rules", "--rules", str(tmp_path), *words]) == 2
    assert said in capsys.readouterr().err and list(tmp_path.iterdir()) == []


def filled(file: Path, **words: str) -> Path:
    """The file with what the template left open: a reason, and what else `words` say."""
    text = file.read_text()
    for old, new in words.items():
        text = re.sub(rf"(?m)^{old} .*", new, text)
    file.write_text(re.sub(r"TODO: [^\"]*", "Decided in 2026", text))
    return file


@pytest.fixture
def one_rule(tmp_path_factory, monkeypatch):
    """A book of one rule: all take seconds to be checked."""
    book = tmp_path_factory.mktemp("book") / "waiting"
    book.mkdir()
    shutil.copy(resource_paths.rules() / "waiting" / "many-barriers.toml", book)
    shutil.copy(resource_paths.rules() / "conditions.toml", book.parent)
    monkeypatch.setattr(resource_paths, "rules", lambda: book.parent)


def test_a_policy_and_a_threshold_are_right_at_once_and_the_policy_stands_first(
    one_rule, tmp_path, capsys
):
    """Jobs with Open MPI on several nodes must set UCX_NET_DEVICES; our threshold for many-barriers
    is 10 %."""
    tmp_path = tmp_path / "site"
    tmp_path.mkdir()
    rules = ["rules", "--rules", str(tmp_path)]
    setting = "UCX_NET_DEVICES=mlx5_0:1"
    assert main([*rules, "new", "network-port", "--kind", "policy", "--set", setting]) == 0
    filled(
        tmp_path / "library" / "network-port.toml",
        where="""where = 'library.name == "openmpi" and run.nodes > 1'""",
        help_url='help_url = "https://hpc.example.org/ports?a=1&b=2"',
    )
    file = tmp_path / "library" / "network-port.toml"
    file.write_text(file.read_text().replace("# help_url", "help_url"))
    assert main([*rules, "new", "many-barriers", "--kind", "threshold"]) == 0
    file = filled(tmp_path / "waiting" / "many-barriers.toml")
    file.write_text(re.sub(r'(share.*?value = )"[^"]*"', r'\1"10 %"', file.read_text()))
    assert main([*rules, "check"]) == 0
    assert main([*rules, "explain", "many-barriers"]) == 0
    assert "share = 10 %" in capsys.readouterr().out

    assert main(["report", HEAT, "--rules", str(tmp_path), "--full"]) == 0
    said = capsys.readouterr()
    first = said.out[said.out.index("1 MUST") :]
    assert said.err == "" and first.splitlines()[0].startswith(
        "1 MUST   UCX_NET_DEVICES is not set"
    )
    for part in (
        "gain not estimated: a policy of this site",
        f"do -x {setting}",
        "rule library/network-port https://hpc.example.org/",
    ):
        assert part in " ".join(first.split())

    assert main(["report", HEAT, "--rules", str(tmp_path)]) == 0
    assert "Must: UCX_NET_DEVICES is not set" in capsys.readouterr().out

    assert main(["report", HEAT, "--rules", str(tmp_path), "--format", "html"]) == 0
    assert '<a href="https://hpc.example.org/' in capsys.readouterr().out


REFUSED = [
    # what the file has                what is said of it, after its name
    ('help_url = "javascript:alert(1)"', "expected the address of a page"),
    ('help_url = "https://a.b/\\"x"', "expected the address of a page"),
    ('help_url = "https://user@a.b/"', "expected the address of a page"),
    ('severity = "urgent"', '"urgent" is not known'),
    ("", "severity is missing: a policy has one of must, high, medium, low, note"),
    ('severity = "low"\n[gain]\nbasis = "none"', "a policy has no [gain]; leave the section out"),
]


@pytest.mark.parametrize("line, said", REFUSED, ids=[line[:30] for line, _ in REFUSED])
def test_a_wrong_policy_is_refused(line, said, tmp_path):
    found = check(read_rules([wrong_policy(tmp_path, line)]))
    assert said in "\n".join(map(str, found))


def test_a_rule_that_check_refuses_is_not_used_and_that_is_said(one_rule, tmp_path, capsys):
    """Its form is right, and its second case fails: it would find what is set."""
    folder = wrong_policy(tmp_path, 'severity = "must"')
    file = folder / "library" / "a-b.toml"
    file.write_text(file.read_text().replace("not any(", "any("))
    assert main(["report", HEAT, "--rules", str(folder)]) == 0
    shown = capsys.readouterr()
    assert shown.err == (
        "advisor: A rule file with mistakes is not used: a-b.toml; to see the mistakes: advisor"
        f" rules check {folder}\n"
    )
    assert "MUST" not in shown.out


def wrong_policy(folder: Path, line: str) -> Path:
    """A folder with one policy, which has this line in place of its severity."""
    file = folder / "library" / "a-b.toml"
    file.parent.mkdir()
    severity, _, gain = line.partition("\n")
    text = policy("a-b", "A=1").replace('severity = "must"', severity) + gain
    file.write_text(text.replace("TODO", "Done"))
    return folder


def test_a_share_above_the_whole_is_a_slip(tmp_path, capsys):
    (tmp_path / "ours.toml").write_text(
        'amends = "many-barriers"\nwhy = "Ours."\nlimit.share = { value = 10, why = "w" }\n'
    )
    assert main(["rules", "--rules", str(tmp_path), "check"]) == 1
    assert 'limit share: 10 is 1000% of the whole; did you mean "10 %"?' in (
        " ".join(capsys.readouterr().out.split())
    )


def test_a_policy_on_a_variable_that_is_not_recorded_is_said_at_once_and_refused(
    one_rule, tmp_path, capsys
):
    """Each job would break it: no profile holds the variable."""
    site = tmp_path / "site"
    site.mkdir()
    words = ["rules", "--rules", str(site)]
    assert main([*words, "new", "port", "--kind", "policy", "--set", "MYSITE_PORT=1"]) == 0
    said = capsys.readouterr().err
    assert said.startswith(
        "advisor: advisor does not record MYSITE_PORT: no job can meet this policy.\n"
        "advisor: Recorded are names that begin with OMPI_MCA_,"
    )
    file = filled(site / "library" / "port.toml")
    (mistake,) = check(read_rules([site]))
    assert str(mistake).startswith(
        f"{file}:15: when: advisor does not record MYSITE_PORT, so nobody can tell whether a job"
        " sets it; recorded are names that begin with OMPI_MCA_,"
    )
    assert main(["report", HEAT, "--rules", str(site)]) == 0
    said = capsys.readouterr()
    assert "A rule file with mistakes is not used: port.toml" in said.err
    assert "MYSITE_PORT" not in said.out
