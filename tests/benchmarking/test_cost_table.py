"""What the tables of costs and of known waits say, beside their lines."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
import cost_table  # noqa: E402
import finalize  # noqa: E402
import profilers  # noqa: E402
import result_lines  # noqa: E402
import truth_table  # noqa: E402
from callgrind import within_functions  # noqa: E402


def line(profiler, values, row="bcast", part="hot", run="2026-01-02T00:00:00"):
    return {
        "part": part,
        "library": "ompi4",
        "run": run,
        "processor": "P",
        "cores": 2,
        "state": "s",
        "load": 0.1,
        "profiler": profiler,
        "row": row,
        "values": values,
    }


def test_added_is_against_the_bare_run_of_the_same_round():
    lines = [line("bare", [5, 6, 90]), line("advisor", [25, 25, 120]), line("IPM", [105, 116, 150])]
    page = cost_table.parts(lines)["hot"]
    assert (
        "| Bcast, 8 B | 6.0 | +20.0 [+19.0, +30.0] | gap | +100.0 [+60.0, +110.0] | gap | gap |"
        " gap |" in page
    )
    assert (
        "advisor is ahead of the other profilers in 1 of 1 cells, level (the ranges overlap) in 0,"
        " behind in 0. The goal, at most 35 ns, is met in 1 of 1 rows. " in " ".join(page.split())
    )


def test_what_is_added_around_a_job_stands_under_its_library():
    page = cost_table.parts(
        [
            line(name, values, row="again: seconds after", part="around")
            for name, values in (("bare", [0.1, 0.1]), ("advisor", [0.5, 0.7]))
        ]
    )["around"]
    assert (
        "ompi4: 2026-01-02, P, 2 cores, load 0.1 at the start, state s, 2 rounds.\n\n| added | bare"
        " | advisor |\n|---|---|---|\n| again: seconds after | 0.10 | +0.50 [+0.40, +0.60] |"
        in page
    )


@pytest.mark.parametrize(
    "ours, theirs, expected",
    [
        ((1, 0, 2), (4, 3, 5), "ahead"),
        ((1, 0, 3), (4, 3, 5), "level"),
        ((9, 8, 9), (4, 3, 5), "behind"),
    ],
)
def test_ranges_that_overlap_are_level(ours, theirs, expected):
    assert cost_table.standing(ours, theirs) == expected


def test_a_call_that_a_peer_does_not_wrap_is_no_row_that_it_wins():
    lines = [
        line("bare", [5]),
        line("advisor", [25]),
        line("IPM", [5]),
        line("bare", [70], part="instructions"),
        line("IPM", [70], part="instructions"),
        line("advisor", [200], part="instructions"),
    ]
    page = cost_table.parts(lines)["hot"]
    assert (
        "| Bcast, 8 B | 5.0 | +20.0 | gap | not seen | gap | gap | gap |" in page
        and "ahead of the other profilers in 0 of 0 cells" in page
    )


def test_the_latest_run_of_each_part_counts(tmp_path):
    old, new = line("bare", [1]), line("bare", [2], run="2026-01-03T00:00:00")
    (tmp_path / "costs.jsonl").write_text(
        "\n".join(map(json.dumps, (old, line("bare", [3], part="cold"), new)))
    )
    assert [each["values"] for each in cost_table.read(tmp_path / "costs.jsonl")] == [[3], [2]]


def test_what_a_line_leaves_out_is_as_in_the_line_before(tmp_path):
    file, keys = tmp_path / "costs.jsonl", ("part", "load")
    lines = [
        {"part": "hot", "load": 0.1, "row": "a", "value": 1.23456789},
        {"part": "hot", "load": 0.1, "row": "a", "value": 2.0},
        {"part": "hot", "load": 0.3, "row": "a", "value": 3.0},
    ]
    result_lines.write(file, lines, keys)
    assert file.read_text() == (
        '{"part": "hot", "load": 0.1, "row": "a", "value": 1.23456789}\n'
        '{"row": "a", "value": 2.0}\n{"load": 0.3, "row": "a", "value": 3.0}\n'
    )
    assert result_lines.read(file, keys) == lines
    assert result_lines.rounded(lines)[0]["value"] == 1.2345679


def test_only_what_stands_between_two_marks_is_written_anew(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("By hand.\n<!-- a -->\nold\n<!-- end of a -->\nAs well.\n")
    result_lines.put(page, {"a": "| new |"})
    assert page.read_text() == "By hand.\n<!-- a -->\n| new |\n<!-- end of a -->\nAs well.\n"
    with pytest.raises(ValueError, match="no place for b"):
        result_lines.put(page, {"b": "lost"})


def test_of_applications_each_profiler_has_its_latest_run(tmp_path):
    lines = [
        line(name, [], row="lmp", part="applications", run=run)
        for name, run in (("advisor", "1"), ("IPM", "1"), ("advisor", "2"))
    ]
    (tmp_path / "costs.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert [
        (each["profiler"], each["run"]) for each in cost_table.read(tmp_path / "costs.jsonl")
    ] == [("IPM", "1"), ("advisor", "2")]


@pytest.mark.parametrize(
    "ratios, expected",
    [
        ((1.001, 1.002, 1.001), "shown"),
        ((1.01, 1.02, 0.99), "not shown: the interval is wider"),
        ((1.05, 1.051, 1.05), "not so"),
    ],
)
def test_an_application_is_below_half_a_percent_only_with_its_whole_interval(ratios, expected):
    pairs = [{"bare": {"wall": 10.0}, "with": {"wall": 10.0 * ratio}} for ratio in ratios]
    low, mean, high = cost_table.of_pairs(pairs, "wall")
    assert cost_table.verdict(low, high) == expected
    assert mean == pytest.approx(math.prod(ratios) ** (1 / 3) - 1)


def test_the_short_table_has_a_row_for_each_thing_measured():
    lines = [line("bare", [5, 6]), line("advisor", [25, 25]), line("TALP", [90, 90])]
    assert cost_table.short(lines).splitlines()[2:] == [
        "| Bcast, 8 B, ns | +20 | gap | +84 | gap | gap |"
    ]


def test_the_end_is_when_the_last_process_has_ended():
    printed = (
        "finalize 0.050000 begin 100.0 rss 14000 pss 4000\nended 100.2 maxrss 15000\nfinalize"
        " 0.040000 begin 100.01 rss 16000 pss 6000\nended 100.1 maxrss 17000\n"
    )
    found = finalize.rows(printed, 7)
    assert found == pytest.approx(
        {
            "finalize_ms": 50,
            "ended_ms": 190,
            "pss_kib": 5000,
            "rss_kib": 15000,
            "peak_kib": 16000,
            "output_bytes": 7,
        }
    )
    with pytest.raises(RuntimeError, match="1 ranks answered, 0 ended"):
        finalize.rows(printed.splitlines()[0], 0)


def test_a_peer_is_a_library_with_variables():
    assert profilers.peer("mpiP=/lib/x.so,MPIP=-k 3").front("/out") == [
        "env",
        "LD_PRELOAD=/lib/x.so",
        "ADVISOR_OUTPUT=/out",
        "ADVISOR_RUN=benchmark",
        "MPIP=-k 3",
    ]
    assert profilers.peer("TALP=/lib/y.so").variables == (
        ("DLB_ARGS", "--talp --talp-output-file=talp.json"),
    )
    assert [gap.split(" is ")[0] for gap in profilers.gaps([profilers.peer("IPM=/lib/z.so")])] == [
        "TALP",
        "mpiP",
        "mpiP without stacks",
    ]


def test_instructions_of_functions_with_what_they_called(tmp_path):
    file = tmp_path / "counted"
    file.write_text(
        "fn=(1) op_bcast\n10 5\ncfn=(2) MPI_Bcast\ncalls=3 0\n11 600\nfn=(2)\n20 600\nfn=(3)"
        " main\n30 9\ncfn=(1)\ncalls=1 0\n31 605\n"
    )
    assert within_functions(file, "op_") == {"bcast": 605}


@pytest.mark.parametrize(
    "found, half, sampled, near, inside",
    [
        (1.01, 0.02, 5, True, True),
        (1.01, 0.005, 5, True, False),
        (0.97, 0.05, 5, False, True),
        (1.01, 1e-13, 10, True, None),
    ],
)
def test_near_and_inside(found, half, sampled, near, inside):
    reported = {
        "case": "x",
        "true": 1.0,
        "found": found,
        "half": half,
        "calls": 10,
        "sampled": sampled,
        "others": 0.0,
    }
    assert (truth_table.is_near(reported), truth_table.is_inside(reported)) == (near, inside)


@pytest.mark.parametrize(
    "others, stalled, quiet",
    [
        (0.0, {}, True),
        (0.0, {"stalled": 0.01}, True),
        (0.0, {"stalled": 0.05}, False),
        (0.3, {"stalled": 0.0}, False),
    ],
)
def test_a_run_is_quiet_if_its_ranks_had_their_cores(others, stalled, quiet):
    assert truth_table.is_quiet({"case": "x", "true": 1.0, "others": others, **stalled}) is quiet


def test_the_page_of_known_waits_counts_both_shares():
    lines = [
        {
            "case": "Barrier, random",
            "true": 1.0,
            "found": found,
            "half": half,
            "calls": 10,
            "sampled": 5,
            "others": others,
        }
        for found, half, others in ((1.01, 0.02, 0), (1.01, 0.001, 0), (1.3, 0.5, 1.5))
    ]
    page = " ".join(truth_table.parts(lines)["programs"].split())
    assert (
        "**Quiet: within 2 % of the truth 2 of 2 (100 %); the stated interval holds it 1 of 2 (50"
        " %).**" in page
    )
    assert (
        "**All runs, whatever else was computed: within 2 % of the truth 2 of 3 (67 %); the stated"
        " interval holds it 2 of 3 (67 %).**" in page
    )
