"""What is typed wrong is answered with what to type instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.__main__ import main
from advisor.base.recorded_settings import is_recorded

PROFILES = Path(__file__).resolve().parents[2] / "samples" / "profiles"
HEAT, PW = str(PROFILES / "heat.4r.json"), str(PROFILES / "pw_si8.2r.json")
ONE, FOLDER = str(PROFILES / "late_rank.after.4r.json"), str(PROFILES)


@pytest.mark.parametrize(
    "words, what, do",
    [
        (
            ("report", HEAT, "-o", "out.pdf"),
            "out.pdf: PDF is not among the formats.",
            "Write HTML, and print it to a PDF file from a browser: -o out.html",
        ),
        (
            ("report", HEAT, "-o", "out.docx"),
            "out.docx: no format is known by the ending .docx.",
            "End the name with .html, .htm, .md, .markdown, .json, .txt, or say --format"
            " terminal|html|markdown|mail|json.",
        ),
        (
            ("compare", HEAT, HEAT, "-o", "out.PDF"),
            "out.PDF: PDF is not among the formats.",
            "Write HTML, and print it to a PDF file from a browser: -o out.html",
        ),
        (
            ("report", HEAT, "--language", "de"),
            "--language cannot be de.",
            "There are: en, ko, ja, zh.",
        ),
        (
            ("report", FOLDER),
            f"{FOLDER} is not a result, but has 6 of them.",
            f"Give one, such as {HEAT}. To see all: advisor list {FOLDER}",
        ),
        (
            ("show", HEAT.replace(".json", ".jsn")),
            f"{HEAT.replace('.json', '.jsn')} does not exist.",
            f"Did you mean {HEAT}?",
        ),
        (
            ("export", HEAT, "--format", "csv", "--table", "operations"),
            "There is no table operations.",
            "Did you mean operation?",
        ),
        (
            ("report", HEAT, PW),
            f"advisor report takes one result, and {PW} is one more word.",
            "Of several: advisor list RESULT …, or advisor compare BEFORE AFTER",
        ),
        (
            ("show", HEAT, PW),
            f"advisor show takes one result, and {PW} stands where a table may.",
            "Of several: advisor list RESULT …, or advisor compare BEFORE AFTER",
        ),
        (
            ("show", HEAT, "rank", "--columns", "id,", "node", "time"),
            "--columns takes one word, and node is a second one.",
            "Write commas between the names: --columns id,node,time",
        ),
        (
            ("show", HEAT, "rank", "--columns", ","),
            "--columns names no column.",
            "Write them as NAME,NAME.",
        ),
        (
            ("bundle", HEAT, "--note", " "),
            "The note is empty.",
            'Write one, as in --note "ticket 4711", or leave --note out.',
        ),
        (
            ("rules", "new", "slow-disk", "--rules", "site dir", "--folder", "io"),
            "--rules stands behind a part of advisor rules, and belongs in front of it.",
            "advisor rules --rules 'site dir' new slow-disk --folder io",
        ),
        (("help", "raport"), "There is no command raport.", "Did you mean report?"),
    ],
)
def test_the_answer_says_what_to_type(words, what, do, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(list(words)) == 2
    assert capsys.readouterr().err == f"advisor: {what}\nadvisor: {do}\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name, format", [("a.log", "heat ·"), ("a", "heat ·"), ("a.txt", "heat ·")]
)
def test_a_name_that_promises_no_format_gets_the_terminals(name, format, tmp_path, capsys):
    assert main(["report", HEAT, "-o", str(tmp_path / name)]) == 0
    assert (tmp_path / name).read_text().startswith(format)


def test_rules_are_a_folder_that_has_some(tmp_path, capsys):
    site = tmp_path / "site"
    (site / "library").mkdir(parents=True)
    file = site / "library" / "port.toml"
    assert main(["rules", "check", str(site)]) == 2
    assert f"advisor: There is no rule file in {site}." in capsys.readouterr().err
    file.touch()
    assert main(["report", HEAT, "--rules", str(file)]) == 2
    assert capsys.readouterr().err == (
        f"advisor: {file} is a file; rules are read by the folder.\n"
        f"advisor: Give {site} in its place.\n"
    )
    assert main(["report", HEAT, "--rules", str(tmp_path / "none")]) == 2
    assert f"advisor: The rule folder {tmp_path / 'none'} does not exist." in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize(
    "words, line",
    [
        ((), "usage: advisor [-h] [-v] COMMAND ..."),
        (("report",), "usage: advisor report [-h]"),
        (("rules", "new"), "usage: advisor rules new [-h]"),
    ],
)
def test_help_is_a_command_as_well(words, line, capsys):
    assert main(["help", *words]) == 0
    assert capsys.readouterr().out.startswith(line)


@pytest.mark.parametrize(
    "name, recorded",
    [
        ("UCX_NET_DEVICES", True),
        ("SLURM_CPU_BIND", True),
        ("btl_vader_eager_limit", True),
        ("MYSITE_PORT", False),
        ("LD_LIBRARY_PATH", False),
        ("UCX_TOKEN", False),
        ("OMPI_MCA_orte_hnp_uri", False),
    ],
)
def test_the_list_of_recorded_variables_is_the_collectors(name, recorded):
    assert is_recorded(name) is recorded
