"""`advisor show`."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys

import pytest

from advisor.__main__ import main
from advisor.base import resource_paths

SAMPLE = str(resource_paths.samples() / "profiles" / "heat.4r.json")


def show(capsys, *words):
    code = main(["show", SAMPLE, *words])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_list_of_tables(capsys):
    code, out, _ = show(capsys)
    assert (code, out.splitlines()[0]) == (
        0,
        "/opt/example/heat, 4 ranks on 2 hosts, openmpi 4.1.4: 20 s from MPI_Init to MPI_Finalize, 38.8% of it in MPI",
    )
    rows = [line.split()[:2] for line in out.splitlines()[2:]]
    assert ["operation", "6"] in rows and ["calls", "28"] in rows and ["application", "0"] in rows


def test_csv_is_in_full_and_empty_where_unknown(capsys):
    _, out, _ = show(capsys, "operation", "--csv", "--limit", "2")
    first, second = csv.DictReader(io.StringIO(out))
    assert (first["name"], float(first["time [s]"]), float(first["share"]), first["wait [s]"]) == (
        "Allreduce",
        3.5,
        0.175,
        "2.5",
    )
    assert (second["name"], second["wait [s]"]) == ("Waitall", "")


def test_json_has_units_quality_and_reasons(capsys):
    _, out, _ = show(capsys, "operation", "--json")
    found = json.loads(out)
    columns = {column["name"]: column for column in found["columns"]}
    assert columns["time"] == {"name": "time", "unit": "s", "quality": "derived"}
    assert columns["wait"]["quality"] == "estimated" and "do not split" in columns["wait"]["reason"]
    assert [row["wait"] for row in found["rows"]][:2] == [2.5, None]


def test_text_has_units_in_heads_and_question_marks(capsys):
    _, out, _ = show(capsys, "operation")
    lines = out.splitlines()
    assert "time [s]" in lines[0] and "bytes [B]" in lines[0] and len(lines) == 7
    assert " ? " in lines[2]


def test_one_row_stands_upright(capsys):
    _, out, _ = show(capsys, "run")
    assert ["time", "20", "s", "derived"] in [line.split() for line in out.splitlines()]


@pytest.mark.parametrize(
    "column, first",
    [
        ("time", "Allreduce"),
        ("name", "Allreduce"),
        ("wait", "Allreduce"),
        ("bytes", "Isend"),
        ("calls_per_rank", "Allreduce"),
    ],
)
def test_sorted_from_the_largest_and_text_from_a(capsys, column, first):
    _, out, _ = show(capsys, "operation", "--sort", column, "--csv")
    assert next(csv.DictReader(io.StringIO(out)))["name"] == first


def test_unknown_cells_come_last(capsys):
    _, out, _ = show(capsys, "operation", "--sort", "wait", "--csv")
    assert [bool(row["wait [s]"]) for row in csv.DictReader(io.StringIO(out))] == [True] * 2 + [
        False
    ] * 4


@pytest.mark.parametrize(
    "words, lines",
    [
        (
            ("opertion",),
            [
                "advisor: There is no table opertion.",
                "advisor: Did you mean operation?",
            ],
        ),
        (
            ("overlap",),
            [
                (
                    "advisor: This result has no table overlap (a path and size of nonblocking"
                    " messages in each row)."
                ),
                "advisor: Without a name of a table advisor show lists what it has.",
            ],
        ),
        (
            ("operation", "--sort", "tim"),
            [
                "advisor: Table operation has no column tim.",
                "advisor: Did you mean time?",
            ],
        ),
        (
            ("operation", "--limit", "-1"),
            ["advisor: --limit -1 is not a number of rows.", "advisor: Give 1 or more; 0 for all."],
        ),
    ],
)
def test_mistakes_are_answered_with_a_suggestion(capsys, words, lines):
    code, out, err = show(capsys, *words)
    assert (code, out, err.splitlines()) == (2, "", lines)


def test_every_table_in_every_form(capsys):
    _, out, _ = show(capsys, "--json")
    for row in json.loads(out)["rows"]:
        for form in ((), ("--csv",), ("--json",)):
            code, out, err = show(capsys, row["table"], *form)
            assert (code, err) == (0, ""), row["table"]


def test_nothing_in_a_profile_reaches_the_terminal_as_a_command(tmp_path, capsys):
    path = tmp_path / "evil.json"
    path.write_text(open(SAMPLE).read().replace("/opt/example/heat", "\\u001b[31mred\\u0007"))
    for words in ((), ("run",), ("site",), ("sites", "--csv")):
        assert main(["show", str(path), *words]) == 0
        out = capsys.readouterr().out
        assert "\x1b" not in out and "\x07" not in out


def shown_to_people(*words):
    """Lines in a terminal of the system of 80 columns, since width and form depend on it."""
    import pty
    import os

    main_end, other_end = pty.openpty()
    environment = {**os.environ, "COLUMNS": "80", "TERM": "dumb"}
    done = subprocess.Popen(
        [sys.executable, "-m", "advisor", "show", SAMPLE, *words],
        stdout=other_end,
        env=environment,
    )
    os.close(other_end)
    said = b""
    while True:
        try:
            piece = os.read(main_end, 65536)
        except OSError:
            break
        if not piece:
            break
        said += piece
    assert done.wait() == 0
    return said.decode().replace("\r", "").splitlines()


def test_wide_tables_fit_a_terminal_of_80_columns():
    first, everything = shown_to_people("operation"), shown_to_people("operation", "--all")
    assert max(map(len, [*first, *everything])) <= 80
    # one block with what is asked for most, or several blocks, each with the name
    assert first[0].split()[:4] == ["name", "calls", "time", "[s]"]
    assert [
        sum(line.startswith("Allreduce") for line in lines) > 2 for lines in (first, everything)
    ] == [
        False,
        True,
    ]
    assert first[-1] == "30 more columns: --all, or --columns NAME,NAME"


def test_the_run_begins_with_a_dozen_rows_in_groups():
    lines = shown_to_people("run")
    groups = [part.split("\n") for part in "\n".join(lines[1:]).split("\n\n")]
    assert [[row.split()[0] for row in group if row[0] != " "] for group in groups[:-1]] == [
        ["program", "ranks", "nodes", "time"],
        ["mpi_share", "wait_share", "transfer_share", "no_core_share"],
        ["parallel_efficiency", "load_balance", "communication_efficiency", "overhead_share"],
    ]
    assert groups[-1][0].endswith("more columns: --all, or --columns NAME,NAME")


@pytest.mark.parametrize("form", [(), ("--csv",)])
def test_columns_are_those_asked_for_in_their_order(form, capsys):
    code, out, _ = show(capsys, "operation", "--columns", "share,name", *form)
    assert (code, out.splitlines()[0].replace(",", " ").split()) == (0, ["share", "name"])


def test_a_column_that_is_not_there_is_named(capsys):
    code, _, err = show(capsys, "operation", "--columns", "name,shar")
    assert (code, err) == (
        2,
        "advisor: Table operation has no column shar.\nadvisor: Did you mean share?\n",
    )
