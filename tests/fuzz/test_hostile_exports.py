"""Names from a run in files for other programs: tables, monitoring, time lines, continuous
integration."""

from __future__ import annotations

import csv
import itertools
import json
from xml.etree import ElementTree

import pytest
from reports.json_schema import faults

from advisor.__main__ import main

from .seeds import SAMPLES
from .test_hostile_names import NAMES, printable, profile_with

HOSTILE = {
    "markup": tuple(
        NAMES[name]
        for name in ("script", "end of script", "comment", "attribute", "table", "block")
    ),
    "controls": (NAMES["escapes"], "\x7f\x80\x9b\x0b\x00\x1f", "\ufffe\uffff\ud800"),
    "directions": (
        NAMES["directions"],
        "\u061c\u200e\u200f\u202a\u2069\u2028\u2029",
        NAMES["wide"],
    ),
    "lines": ("a\rb\nc\r\n# EOF\nadvisor_run_time_seconds 0\n", 'a"} 1\n# EOF', "a\u2028b\u0085c"),
    "formulas": (
        "=cmd|' /C calc'!A0",
        "@SUM(1+1)*cmd|'!A0",
        "+1+cmd",
        "-2+3+cmd",
        "\t=1+1",
        "\r=1+1",
        "\n=1+1",
        "-",
        "\uff1d1",
    ),
}
FORMULAS = tuple("=+@\t\r\n\uff1d")


@pytest.fixture(params=HOSTILE)
def hostile(request, tmp_path):
    """A result in which every name is hostile, keys of settings of the application as well."""
    names = itertools.cycle(HOSTILE[request.param])
    path = profile_with(tmp_path, lambda old: next(names))
    content = json.loads(path.read_text())
    content["application"] = {
        "name": next(names),
        "settings": {f"{name}key": [name, "file"] for name in HOSTILE[request.param]},
    }
    path.write_text(json.dumps(content))
    return path


def said(capfdbinary, *words, code=0) -> str:
    assert main([str(word) for word in words]) == code
    return capfdbinary.readouterr().out.decode("utf-8")


def harmless_cells(text: str) -> None:
    """No control character, and no cell that a spreadsheet computes."""
    printable(text.replace("\r\n", "\n"))
    cells = [cell for row in csv.reader(text.splitlines()) for cell in row]
    assert [
        cell
        for cell in cells
        if cell.startswith(FORMULAS) or (cell.startswith("-") and not is_number(cell))
    ] == []


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_tables_for_spreadsheets(hostile, tmp_path, capfdbinary):
    said(capfdbinary, "export", hostile, "--format", "csv", "-o", tmp_path / "out")
    for file in (tmp_path / "out").iterdir():
        harmless_cells(file.read_bytes().decode("utf-8"))
    for table in (
        "sites",
        "communicators",
        "gaps",
        "facts",
        "setting",
        "run",
        "rank",
        "application",
        "node",
    ):
        harmless_cells(said(capfdbinary, "show", hostile, table, "--csv"))
        printable(said(capfdbinary, "show", hostile, table))


def test_json_that_is_printed(hostile, capfdbinary):
    printed = (
        ["export", hostile, "--format", "json"],
        ["export", hostile, "--format", "chrome"],
        ["report", hostile, "--format", "json"],
        ["show", hostile, "application", "--json"],
        ["compare", hostile, hostile, "--json"],
    )
    for words in printed:
        text = said(capfdbinary, *words)
        printable(text)
        assert json.loads(text)


def test_the_data_of_pages(hostile, tmp_path, capfdbinary):
    for words in (
        ["report", hostile, "--format", "html"],
        ["compare", hostile, hostile, "--format", "html"],
    ):
        printable(said(capfdbinary, *words))


def test_numbers_for_monitoring(hostile, capfdbinary):
    parser = pytest.importorskip(
        "prometheus_client.openmetrics.parser", reason="prometheus_client is not installed"
    )
    text = said(capfdbinary, "export", hostile, "--format", "openmetrics")
    printable(text)
    found = {family.name: family for family in parser.text_string_to_metric_families(text)}
    assert (
        len(found["advisor_run_time_seconds"].samples) == 1
        and found["advisor_run_time_seconds"].samples[0].value > 1
    )


def compared(hostile, tmp_path, capfdbinary, option: str) -> str:
    """What `compare` writes for continuous integration when one condition holds and one, that
    quotes hostile names, cannot be decided."""
    conditions = (
        "--fail-if",
        "run.time >= 0 s",
        "--fail-if",
        "run.job > 1",
        "--fail-if",
        "any(site.file == 3)",
    )
    said(
        capfdbinary,
        "compare",
        "--force",
        SAMPLES / "heat.4r.json",
        hostile,
        option,
        tmp_path / "file",
        *conditions,
        code=1,
    )
    text = (tmp_path / "file").read_text(encoding="utf-8")
    printable(text)
    return text


def test_junit_is_well_formed(hostile, tmp_path, capfdbinary):
    suite = ElementTree.fromstring(
        compared(hostile, tmp_path, capfdbinary, "--junit").encode("utf-8")
    )
    assert [case.get("name") for case in suite.iter("testcase")] == [
        "run.time >= 0 s",
        "run.job > 1",
        "any(site.file == 3)",
    ]
    assert {element.tag for element in suite.iter()} <= {
        "testsuite",
        "testcase",
        "failure",
        "error",
        "system-out",
    }


def test_junit_without_conditions_names_the_program(hostile, tmp_path, capfdbinary):
    said(capfdbinary, "compare", hostile, hostile, "--junit", tmp_path / "file")
    text = (tmp_path / "file").read_text(encoding="utf-8")
    printable(text)
    assert [
        case.get("classname")
        for case in ElementTree.fromstring(text.encode("utf-8")).iter("testcase")
    ] == ["advisor.compare"]


TEXT = {
    "type": "object",
    "required": ["text"],
    "additionalProperties": False,
    "properties": {"text": {"type": "string"}},
}
RESULT = {
    "type": "object",
    "required": ["message"],
    "additionalProperties": False,
    "properties": {
        "ruleId": {"type": "string"},
        "message": TEXT,
        "level": {"enum": ["none", "note", "warning", "error"]},
        "kind": {"enum": ["notApplicable", "pass", "fail", "review", "open", "informational"]},
        "baselineState": {"enum": ["new", "unchanged", "updated", "absent"]},
        "locations": {"type": "array", "items": {"type": "object"}},
    },
}
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string"},
        "version": {"enum": ["2.1.0"]},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "properties": {
                    "results": {"type": "array", "items": RESULT},
                    "tool": {"type": "object"},
                },
            },
        },
    },
}
"""What the schema of SARIF 2.1.0 says of the parts that we write."""


def test_sarif_is_as_its_schema_says(hostile, tmp_path, capfdbinary):
    content = json.loads(compared(hostile, tmp_path, capfdbinary, "--sarif"))
    assert list(faults(content, SARIF)) == []
    (run,) = content["runs"]
    assert {one["ruleId"] for one in run["results"]} <= {
        rule["id"] for rule in run["tool"]["driver"]["rules"]
    }
    places = {
        place["physicalLocation"]["artifactLocation"]["uri"]
        for one in run["results"]
        for place in one["locations"]
    }
    assert all(place.isascii() and " " not in place for place in places)


def test_sarif_of_a_result_whose_name_is_no_utf8(tmp_path, capfdbinary):
    path = tmp_path / "r\udce9sult.json"
    path.write_bytes((SAMPLES / "heat.4r.json").read_bytes())
    said(
        capfdbinary,
        "compare",
        path,
        path,
        "--sarif",
        tmp_path / "file",
        "--fail-if",
        "elapsed >= 0 %",
        code=1,
    )
    assert "r%E9sult.json" in (tmp_path / "file").read_text(encoding="utf-8")
