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
    text = render(document, format, full=True, width=400)
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
    sentences = [document.screen.verdict, *document.banners]
    for format in ("terminal", "html", "markdown"):
        squeezed = words_of(document, format).replace("`", "").replace(" ", "")
        assert [
            text
            for text in sentences
            if plain(text).replace("`", "").replace(" ", "") not in squeezed
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
    (action,) = document.screen.actions
    assert action.gain == entry.gain.text
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
    waiting = next(part for part in document.screen.parts if part.role == "waiting")
    assert plain(waiting.detail) == "~93 % of it for rank 3"
    assert [
        grid.name for grid in compose(advices.slow_host()).tables if grid.name == "delaying-ranks"
    ] == []


BASE = re.compile(
    r"█  of [0-9.,\u202f ]+.s$|of (the |a |its )?(\S+ )*?(elapsed|run|job|MPI|waiting|bytes|calls|collectives|them|messages)"
)


@pytest.mark.parametrize("state", STATES)
def test_every_percent_has_a_base(state):
    """Of the parts of the whole run the first row names it."""
    document = compose(advices.STATES[state]())
    later = tuple(part.label for part in document.screen.parts[1:])
    lines = render(document, "terminal", full=True, width=2000).split("\n")
    text = "\n".join(line for line in lines if not line.startswith(later or " never"))
    sentences = re.split(r"(?<=[.;])\s|\n", text)
    without = [
        text
        for text in sentences
        if re.search(r"[0-9] %", text)
        and not BASE.search(text)
        and not re.search(r" = [0-9.]+ %:", text)
    ]
    assert without == []


@pytest.mark.parametrize("width", [80, 60, 50])
@pytest.mark.parametrize("state", STATES)
def test_the_first_screen_keeps_to_its_columns_and_25_lines(state, width):
    """Commands go on in the next line, behind a backslash."""
    lines = render(compose(advices.STATES[state]()), "terminal", width=width).splitlines()
    words = {word for line in lines for word in line.split() if len(word) > width - 6}
    assert [line for line in lines if len(line) > width and not words & set(line.split())] == []
    assert len(lines) <= 25


def test_the_terminal_is_plain_unless_asked_for_colour():
    assert "\x1b" not in render(compose(advices.slow_host()), "terminal")
    assert "\x1b[1m" in render(compose(advices.slow_host()), "terminal", color=True)


def test_ascii_means_ascii():
    assert render(compose(advices.slow_host()), "terminal", ascii_only=True, full=True).isascii()


def test_below_60_columns_commands_stay_and_bars_go():
    text = render(compose(advices.slow_host()), "terminal", width=50)
    assert "sbatch --exclude=n0214 job.sh" in text and "█" not in text


@pytest.mark.parametrize("state", STATES)
def test_a_ticket_has_less_than_400_words(state):
    text = render(compose(advices.STATES[state]()), "markdown")
    assert len(text.split()) < 400 and len(text.splitlines()) <= 60


def test_the_launch_line_holds_every_doable_setting_once():
    line = compose(advices.slow_host()).launch
    assert (
        line.text
        == "mpirun_rsh -np 256 -hostfile hosts.txt MV2_IBA_EAGER_THRESHOLD=131072 ./vasp_std"
    )
    assert line.title == "Your launch line, with finding 2"


@pytest.mark.parametrize(
    "state, verdict",
    [
        (
            "slow_host",
            "Load imbalance: the busiest rank computes 1.18 times as long as the median rank; ranks"
            " wait at least 142 s on average, mostly in MPI_Allreduce.",
        ),
        (
            "lammps",
            "Load imbalance: rank 0 computes 41.8 times as long as rank 1; ranks wait at least"
            " 0.410 s on average, mostly in MPI_Wait.",
        ),
        (
            "sampled",
            "Load imbalance: rank 3 computes 3.48 times as long as the others; ranks wait"
            " ~5.73 s on average, mostly in MPI_Allreduce.",
        ),
        (
            "no_waits",
            "MPI takes 19.1 % of the run, the largest part in MPI_Allreduce; how much of that is waiting"
            " is not known.",
        ),
        (
            "nothing_measured",
            "Nothing was measured: ./static is statically linked, so no collector can be put in"
            " front of MPI. Link it dynamically, or use `advisor build --link`.",
        ),
    ],
)
def test_the_verdict_is_one_sentence_of_the_fields_terms(state, verdict):
    assert plain(compose(advices.STATES[state]()).screen.verdict) == verdict


@pytest.mark.parametrize("format", ["terminal", "html", "markdown"])
def test_what_is_withheld_is_not_offered(format):
    text = render(compose(advices.withheld()), format, full=True)
    assert (
        "UCX_TLS=rc,sm,self" in text
        and "ot offered here" in text
        and "it needs InfiniBand on all hosts" in plain(text)
    )
    assert '<div class="cmd"><pre>UCX' not in text and "```\nUCX" not in text
