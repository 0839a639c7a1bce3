"""The same findings and numbers in all formats, within the limits of each."""

from __future__ import annotations

import html as html_module
import json
import re
from pathlib import Path

import advices
import pytest
from json_schema import faults

from advisor.reports import compose, render

SCHEMA = json.loads(
    (Path(__file__).resolve().parents[2] / "advisor" / "reports" / "schema.json").read_text()
)
STATES = sorted(advices.STATES)


def plain(text: str) -> str:
    return " ".join(text.replace("\u202f", " ").replace("\u00a0", " ").split())


def words_of(document, format: str) -> str:
    """A rendered report as running text."""
    text = render(
        document, format, **({"full": True, "width": 400} if format == "terminal" else {})
    )
    if format == "html":
        text = html_module.unescape(
            re.sub(
                r"<[^>]+>",
                " ",
                text.partition("<body")[2]
                .partition(">")[2]
                .partition('<script type="application/json"')[0],
            )
        )
    if format == "markdown":
        text = re.sub(r"\\(.)", r"\1", text)
    return plain(text)


@pytest.mark.parametrize("state", STATES)
def test_every_format_has_every_finding_with_its_gain(state):
    document = compose(advices.STATES[state]())
    texts = {format: words_of(document, format) for format in ("terminal", "html", "markdown")}
    content = json.loads(render(document, "json"))
    assert [entry["rule"] for entry in content["findings"]] == [
        item.rule for item in document.items
    ]
    for item in document.items:
        wanted = [item.title] + ([item.gain.text, item.gain.ceiling_text] if item.gain else [])
        for format, text in texts.items():
            assert [part for part in map(plain, wanted) if part not in text] == [], format


@pytest.mark.parametrize("state", STATES)
def test_every_format_has_the_verdict_and_the_banners(state):
    document = compose(advices.STATES[state]())
    verdict = " ".join(
        "".join(span.text for span in sentence) for sentence in document.verdict
    ).replace("`", "")
    for format in ("terminal", "html", "markdown"):
        text = words_of(document, format).replace("`", "")
        squeezed = text.replace(" ", "")
        assert plain(verdict).replace(" ", "") in squeezed, format
        assert [
            banner for banner in document.banners if plain(banner).replace(" ", "") not in squeezed
        ] == [], format


@pytest.mark.parametrize("format", ["terminal", "html", "markdown"])
def test_lines_of_an_input_stand_below_the_name_of_their_file(format):
    document = compose(advices.STATES["lammps"]())
    text = re.sub(r"`+", "", words_of(document, format)).lower()
    assert re.search(
        r"in in\.lj\.imbalanced:\s+comm_style tiled\s+fix even all balance 1000 1\.05 rcb", text
    )


@pytest.mark.parametrize("state", STATES)
def test_json_is_as_its_schema_says(state):
    assert list(faults(json.loads(render(compose(advices.STATES[state]()), "json")), SCHEMA)) == []


def test_the_schema_check_sees_faults():
    content = json.loads(render(compose(advices.slow_host()), "json"))
    content["findings"][0]["severity"] = "Terrible"
    content["time"]["enlarged"][0]["seconds"] = -1
    del content["verdict"]
    assert sorted(faults(content, SCHEMA)) == [
        "$.findings[0].severity: 'Terrible' is not one of ['Must', 'High', 'Medium', 'Low', 'Note']",
        "$.time: fits none of the options",
        "$: verdict is missing",
    ]


@pytest.mark.parametrize("state", STATES)
def test_every_gain_is_below_its_ceiling(state):
    gains = [item.gain for item in compose(advices.STATES[state]()).items if item.gain]
    assert all(gain.low <= gain.high <= gain.ceiling and gain.high > 0 for gain in gains)


def test_what_may_be_lost_is_said_and_drawn_from_zero():
    document = compose(advices.may_cost())
    (entry,) = document.items
    assert (entry.gain.low, entry.gain.text.replace("\u00a0", " ")) == (-98.2, "\u221299 to 470 s")
    assert (
        entry.gain.share_text.replace("\u00a0", " ")
        == "\u22127 to 33 % of 1\u202f412 s elapsed; below 0 it costs time"
    )
    assert "may save 470 s, or cost 99 s." in " ".join(
        words_of(document, "terminal").replace("\u00a0", " ").split()
    )
    assert 'x="-' not in render(document, "html")


@pytest.mark.parametrize("state", STATES)
def test_parts_of_the_time_add_up(state):
    time = compose(advices.STATES[state]()).time
    if time:
        assert sum(part.seconds for part in time.whole) == pytest.approx(time.elapsed)
        assert sum(part.seconds for part in time.enlarged) == pytest.approx(time.mpi)
        assert len(time.enlarged) <= 6


def test_waiting_is_never_more_than_its_bound():
    time = compose(advices.slow_host()).time
    assert sum(part.seconds for part in time.whole if part.role == "waiting") == 142.0
    assert all(part.at_least for part in (*time.whole, *time.enlarged) if part.role == "waiting")
    assert [part.role for part in compose(advices.no_waits()).time.whole] == ["outside", "unsplit"]


def test_sampled_waiting_is_an_estimate_and_no_lower_bound():
    time = compose(advices.sampled()).time
    assert [part.role for part in time.whole] == ["outside", "waiting", "moving"]
    assert [(part.estimated, part.at_least) for part in time.whole[1:]] == [
        (True, False),
        (True, False),
    ]
    assert all(part.low <= part.seconds <= part.high for part in time.whole[1:])


def test_the_rank_that_others_waited_for_stands_on_top():
    document = compose(advices.sampled())
    grid = next(grid for grid in document.tables if grid.name == "delaying-ranks")
    assert [cell.text for cell in grid.rows[0][:2]] == ["3", "vm"]
    assert "of the waiting was for rank 3" in "".join(
        span.text for sentence in document.verdict for span in sentence
    )
    assert [
        grid.name for grid in compose(advices.slow_host()).tables if grid.name == "delaying-ranks"
    ] == []


BASE = re.compile(
    r"of (the |a |its )?(\S+ )*?(elapsed|run|job|MPI|waiting|bytes|calls|collectives|them|messages)"
)


@pytest.mark.parametrize("state", STATES)
def test_every_percent_has_a_base(state):
    document = compose(advices.STATES[state]())
    sentences = re.split(r"(?<=[.;])\s|\n", render(document, "terminal", full=True, width=2000))
    without = [
        text
        for text in sentences
        if re.search(r"[0-9] %", text)
        and not BASE.search(text)
        and not re.search(r" = [0-9.]+ %:", text)
    ]
    assert without == []


@pytest.mark.parametrize("state", STATES)
def test_the_terminal_keeps_to_80_columns_but_for_commands(state):
    document = compose(advices.STATES[state]())
    commands = {
        plain(line)
        for item in document.items
        for action in item.actions
        for line in action.text.split("\n")
    } | {plain(document.next[0])}
    long = [
        line
        for line in render(document, "terminal").split("\n")
        if len(line) > 80 and not any(command in plain(line) for command in commands)
    ]
    assert long == []


def test_the_terminal_is_plain_unless_asked_for_colour():
    assert "\x1b" not in render(compose(advices.slow_host()), "terminal")
    assert "\x1b[1m" in render(compose(advices.slow_host()), "terminal", color=True)


def test_ascii_means_ascii():
    assert render(compose(advices.slow_host()), "terminal", ascii_only=True, full=True).isascii()


def test_below_60_columns_commands_stay_and_range_bars_go():
    text = render(compose(advices.slow_host()), "terminal", width=50)
    assert "MV2_IBA_EAGER_THRESHOLD=131072" in text and "━" not in text and "came last" not in text


def test_a_ticket_has_at_most_60_lines():
    assert len(render(compose(advices.slow_host()), "markdown").splitlines()) <= 60


def test_the_launch_line_holds_every_doable_setting_once():
    line = compose(advices.slow_host()).launch
    assert (
        line.text
        == "mpirun_rsh -np 256 -hostfile hosts.txt MV2_IBA_EAGER_THRESHOLD=131072 ./vasp_std"
    )
    assert line.title == "Your launch line, with finding 2"


@pytest.mark.parametrize(
    "state, first",
    [
        ("nothing_found", "3 rules could look and found nothing to change."),
        ("no_setting_helps", "No MPI setting helps here; ask your centre."),
        ("lammps", "67.1 % of the run was MPI, and at least 0.410 s of that was waiting"),
        ("nothing_measured", "Nothing was measured: ./static is statically linked"),
        ("no_waits", "19.3 % of the run was MPI; how much of that was waiting could not be told."),
    ],
)
def test_the_verdict_says_the_state_first(state, first):
    document = compose(advices.STATES[state]())
    assert plain("".join(span.text for span in document.verdict[0])).startswith(first)


@pytest.mark.parametrize("format", ["terminal", "html", "markdown"])
def test_what_is_withheld_is_not_offered(format):
    text = render(compose(advices.withheld()), format)
    assert (
        "UCX_TLS=rc,sm,self" in text
        and "ot offered here" in text
        and "it needs InfiniBand on all hosts" in plain(text)
    )
    assert '<div class="cmd"><pre>UCX' not in text and "```\nUCX" not in text
