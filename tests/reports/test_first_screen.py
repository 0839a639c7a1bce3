"""The first screen: 25 lines of 80 columns for any run, parts that add up, one explanation a cause,
and a command that fits the launcher."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import advices
import numpy as np
import pytest
from advice_parts import finding, step
from rich.cells import cell_len

import advisor
from advisor.base import resource_paths
from advisor.model.finding import State
from advisor.model.measures import Column, Table
from advisor.reports import LANGUAGES, compose, render
from advisor.reports.composing.whole_run import shared_out
from advisor.reports.terminal_screen import continued

TESTS = Path(__file__).resolve().parents[1]
PROFILES = [
    *sorted((resource_paths.samples() / "profiles").glob("*.json")),
    *sorted((TESTS / "documents" / "screens").glob("*.profile")),
]


def plain(text: str) -> str:
    return " ".join(text.replace("\u202f", "").replace("\u00a0", " ").split())


@pytest.fixture(scope="module", params=PROFILES, ids=lambda file: file.stem)
def document(request):
    return compose(advisor.read(request.param).advice())


def test_it_has_at_most_25_lines_of_80_columns_in_any_language(document):
    for language in LANGUAGES:
        lines = render(document, "terminal", language=language).splitlines()
        assert len(lines) <= 25 and max(map(cell_len, lines)) <= 80
    assert render(document, "terminal", ascii_only=True).isascii()


def test_parts_add_up_to_the_whole_run_as_they_are_printed(document):
    screen = document.screen
    number = re.compile(r"[0-9.]+$")
    shown = [plain(part.seconds_text).removesuffix(" s") for part in screen.parts]
    assert sum(part.seconds for part in screen.parts) == pytest.approx(screen.whole, rel=2e-3)
    if not any(" to " in text or text.endswith("ms") for text in shown):
        total = sum(float(number.search(text).group()) for text in shown)
        assert total == pytest.approx(
            screen.whole, abs=0.5 * 10 ** -len(shown[0].partition(".")[2])
        )


def test_no_sentence_stands_twice(document):
    screen = document.screen
    said = [screen.preview, screen.verdict, screen.trust, screen.checks]
    said += [text for each in screen.actions for text in (each.title, each.do, each.caution)]
    said = [text for text in said if text]
    assert sorted(set(said)) == sorted(said)
    commands = [each.command for each in screen.actions if each.command]
    assert len(set(commands)) == len(commands) <= 3


def test_a_ticket_has_less_than_400_words_with_room_left(document):
    assert len(render(document, "markdown").split()) < 380


@pytest.mark.parametrize(
    "values, places, shown",
    [
        ([33.4, 33.3, 33.3], 0, [34.0, 33.0, 33.0]),
        ([12.25, 3.0, 4.75], 1, [12.3, 3.0, 4.7]),
        ([99.6, 0.4], 0, [100.0, 0.0]),
        ([], 0, []),
    ],
)
def test_the_largest_remainders_are_rounded_up(values, places, shown):
    assert shared_out(values, sum(values), places) == shown


def with_run(advice, **cells):
    """The advice with other cells in the table run."""
    run = advice.measures.tables["run"]
    made = {name: Column(name, "s", np.array([value])) for name, value in cells.items()}
    tables = {**advice.measures.tables, "run": Table("run", {**run.columns, **made})}
    return replace(advice, measures=replace(advice.measures, tables=tables))


def test_a_run_that_is_mostly_start_up_says_so_and_offers_nothing_on_its_mpi():
    """One millisecond of MPI in half a minute of start-up, and a grave finding on it."""
    grave = replace(advices.slow_host().findings[1], severity="high", saving=None, causes=())
    cells = dict(time=1.0, mpi_time=0.001, job_time=33.0, wait_time=0.0005)
    advice = with_run(replace(advices.slow_host(), findings=(grave,), settings=None), **cells)
    screen = compose(advice).screen
    assert plain(screen.verdict) == (
        "Start-up and end take 97.0 % of the run; the time in MPI between them is 1.00 ms, too"
        " little to judge."
    )
    assert plain(screen.preview).startswith("Preview: the run is too short to judge. For the rest:")


def test_a_healthy_run_says_that_nothing_is_worth_changing():
    cells = dict(mpi_time=40.0, wait_time=20.0)
    advice = with_run(replace(advices.slow_host(), findings=(), settings=None), **cells)
    assert plain(compose(advice).screen.verdict) == (
        "Nothing in MPI is worth changing: 2.80 % of the time, of which \u2265 20 s waiting, \u2264 20"
        " s waiting or transfer."
    )


@lru_cache(maxsize=None)
def judged_sample(name):
    """A recorded run, judged by the rules of today."""
    return advisor.read(resource_paths.samples() / "profiles" / f"{name}.json").advice()


def rivals(rule):
    """A finding, and another explanation of the same time."""
    first = finding(
        "rank-0-alone",
        "balance",
        "Rank 0 alone computes longest",
        State.DOABLE,
        severity="high",
        steps=(step("do", "Let all ranks write.", State.DOABLE),),
    )
    other = finding(
        rule,
        "balance",
        "its node is slow",
        State.DOABLE,
        severity="high",
        steps=(step("do", "Run without n1 (Slurm: -x n1; PBS: other nodes).", State.DOABLE),),
        rival_of="rank-0-alone",
    )
    return compose(replace(advices.slow_host(), findings=(first, other), settings=None)).screen


@pytest.mark.parametrize(
    "rule, do",
    [
        ("uneven-hosts", "To tell which: Run without n1 (Slurm: -x n1; PBS: other nodes)."),
        (
            "any",
            "Let all ranks write. If nothing changes: Run without n1 (Slurm: -x n1; PBS: other"
            " nodes).",
        ),
    ],
)
def test_two_explanations_of_one_time_are_one_action(rule, do):
    (action,) = rivals(rule).actions
    assert action.title == "Rank 0 alone computes longest; or: its node is slow"
    assert action.do == do


@pytest.mark.parametrize("profile, folder", [("late_rank.before.4r", "placement")])
def test_rivals_stand_in_the_order_of_the_verdict(profile, folder):
    advice = judged_sample(profile)
    assert advice.findings[0].folder == folder
    screen = compose(advice).screen
    assert plain(screen.verdict).startswith("Load imbalance: rank 3")
    assert plain(screen.actions[0].title).startswith("Load imbalance: rank 3")
    assert "; or: Oversubscription:" in plain(screen.actions[0].title)


@pytest.mark.parametrize(
    "profile, command",
    [
        ("heat.4r", "sbatch --exclude=n1 job.sh"),
        ("late_rank.after.4r", "advisor run -- mpiexec -n 2 ./uneven_compute"),
        ("pw_si8.2r", "advisor run -- mpirun.openmpi -n 2 pw.x -in si8.scf.in -nk 2"),
    ],
)
def test_the_command_holds_the_change(profile, command):
    assert compose(judged_sample(profile)).screen.actions[0].command == command


def test_the_two_times_of_a_run_have_two_names():
    """24.0 s from start to end, 20.0 s of them between MPI_Init and MPI_Finalize."""
    screen = compose(judged_sample("heat.4r")).screen
    assert "24.0\u00a0s" in screen.run
    assert plain(screen.parts[-1].detail) == "elapsed time: 20.0 s"


def test_a_job_of_single_ranks_is_not_asked_for_more_steps():
    """Each was a run of its own, without MPI between them."""
    advice = with_run(advices.slow_host(), time=0.001, job_time=0.001)
    run = advice.measures.tables["run"]
    for ran_alone, begins in ((False, "Preview: "), (True, "")):
        cells = {
            "representative": Column("representative", "yes/no", np.array([False], object)),
            "ran_alone": Column("ran_alone", "yes/no", np.array([ran_alone], object)),
        }
        tables = {**advice.measures.tables, "run": Table("run", {**run.columns, **cells})}
        measures = replace(advice.measures, tables=tables)
        preview = plain(compose(replace(advice, measures=measures)).screen.preview)
        assert preview.startswith(begins) and bool(preview) is bool(begins)
        assert not ran_alone or preview == ""
        assert ran_alone or preview.endswith("run the program with its real input.")


@pytest.mark.parametrize("format", ["mail", "markdown"])
def test_what_is_sent_names_no_path_of_this_machine(format):
    """Whoever gets it has the result elsewhere."""
    text = render(compose(judged_sample("heat.4r")), format)
    assert "samples/" not in text and "advisor report RESULT --full" in text
    assert "--format mail" not in render(compose(advices.slow_host()), format)


def test_the_full_report_points_at_what_stands_below():
    text = render(compose(judged_sample("heat.4r")), "terminal", full=True)
    assert "What to do (1 more below)" in text and "Full:" not in text


def test_a_narrow_head_is_another_word_and_never_cut_in_front():
    text = render(compose(judged_sample("heat.4r")), "mail")
    assert re.search(r"size +call site$", text, re.MULTILINE) and "\u2026t called" not in text


def test_each_setting_stands_in_the_launch_line_of_its_action():
    commands = [each.command for each in compose(advices.slow_host()).screen.actions]
    assert commands == [
        "sbatch --exclude=n0214 job.sh",
        "mpirun_rsh -np 256 -hostfile hosts.txt MV2_IBA_EAGER_THRESHOLD=131072 ./vasp_std",
        "advisor report sample.advisor --format mail",
    ]


def test_a_long_command_goes_on_behind_a_backslash():
    assert continued("mpirun -n 4 --mca pml ucx ./app 'a b'", 24) == [
        "mpirun -n 4 --mca pml \\",
        "  ucx ./app 'a b'",
    ]


def test_a_mail_is_plain_text_of_72_columns_with_the_request():
    text = render(compose(advices.slow_host()), "mail", ascii_only=True)
    assert text.isascii() and "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 72
    request = text.partition("Request to the centre\n")[2]
    assert request.startswith("Job 481516, 14 Oct 2026, 09:12, vasp_std, 4 nodes; at stake:")
    assert request.count("?") == 1


def test_the_page_begins_with_the_same_screen():
    document = compose(advices.slow_host())
    page = render(document, "html")
    top = page.partition('<section class="screen"')[2].partition("</section>")[0]
    screen = document.screen
    wanted = [screen.trust, *(part.seconds_text for part in screen.parts)]
    wanted += [each.command for each in screen.actions] + [row.call for row in screen.calls]
    assert [text for text in wanted if text not in top] == []
    assert page.partition('<script type="application/json"')[0].count(screen.verdict) == 1
