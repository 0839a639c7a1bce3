"""The first screen: 25 lines of 80 columns for any run, parts that add up, one explanation a cause,
and a command that fits the launcher."""

from __future__ import annotations

import os
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
from advisor.model.causes import Cause, Causes
from advisor.model.finding import Silence, State, Unexplained, Verdict
from advisor.model.measures import Column, Table
from advisor.reports import LANGUAGES, compose, render
from advisor.reports.composing.unexplained import unexplained
from advisor.reports.composing.whole_run import shared_out
from advisor.reports.lookup import Lookup
from advisor.reports.terminal_screen import continued

TESTS = Path(__file__).resolve().parents[1]
PROFILES = [
    *sorted((resource_paths.samples() / "profiles").glob("*.json")),
    *sorted((TESTS / "documents" / "screens").glob("*.profile")),
    *sorted((TESTS / "reports" / "recorded").glob("*.profile")),
]


def judged(file: Path):
    """A recorded run, judged by the rules of today. It is read by its name: commands carry the path
    of the result, and where this tree lies is not to decide what fits on a screen."""
    here = os.getcwd()
    os.chdir(file.parent)
    try:
        return advisor.read(file.name).advice()
    finally:
        os.chdir(here)


def plain(text: str) -> str:
    return " ".join(text.replace("\u202f", "").replace("\u00a0", " ").split())


@pytest.fixture(scope="module", params=PROFILES, ids=lambda file: file.stem)
def document(request):
    return compose(judged(request.param))


def test_it_has_at_most_25_lines_of_80_columns_in_any_language(document):
    for language in LANGUAGES:
        lines = render(document, "terminal", language=language).splitlines()
        assert len(lines) <= 25 and max(map(cell_len, lines)) <= 80
    assert render(document, "terminal", ascii_only=True).isascii()


def test_no_text_of_an_action_ends_within_a_sentence(document):
    """What is to be done can be pasted into a mail: less of it is shown rather than a part."""
    text = render(document, "terminal").partition("What to do")[2].partition("Trust:")[0]
    assert "…" not in text and "..." not in text.replace("-...", "")


def long_actions(count):
    """Actions of three long sentences each."""
    sentences = [
        f"{word} " + "the work of every rank " * 6 + "anew." for word in ("Cut", "Do", "Put")
    ]
    return [
        finding(
            f"cause-{number}",
            "balance",
            f"Cause {number}: " + "a rank that is late " * 7 + ", and ranks wait",
            State.DOABLE,
            severity="high",
            steps=(step("do", " ".join(sentences), State.DOABLE),),
        )
        for number in range(count)
    ]


def test_long_actions_are_shown_up_to_the_end_of_a_sentence():
    advice = advices.slow_host()
    document = compose(replace(advice, findings=tuple(long_actions(2)), settings=None))
    lines = render(document, "terminal").splitlines()
    assert len(lines) <= 25 and "…" not in "".join(lines)
    told = plain("\n".join(lines))
    assert told.count("Cut the work") == 2 and "Cause 1" in told
    assert told.count("anew.") == sum(
        told.count(f"{word} the work") for word in ("Cut", "Do", "Put")
    )


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
    assert plain(screen.preview).startswith("Too short to judge. To judge it, run ")


def test_a_healthy_run_says_that_nothing_is_worth_changing():
    cells = dict(mpi_time=40.0, wait_time=20.0)
    advice = with_run(replace(advices.slow_host(), findings=(), settings=None), **cells)
    assert plain(compose(advice).screen.verdict) == (
        "Nothing in MPI is worth changing: 2.80 % of the time, of which \u2265 20 s waiting, \u2264 20"
        " s waiting or transfer."
    )


@lru_cache(maxsize=None)
def judged_sample(name):
    return judged(resource_paths.samples() / "profiles" / f"{name}.json")


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
            "To tell which: Let all ranks write. If nothing changes: Run without n1 (Slurm: -x n1;"
            " PBS: other nodes).",
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
    for ran_alone, begins in ((False, "Too few MPI calls to predict from. "), (True, "")):
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


PROFILES = resource_paths.samples() / "profiles"
SENT = {
    # format, all of it: how it names the result, and whether a request stands below its action
    ("markdown", False): ("advisor report RESULT --full", True),
    ("mail", False): ("Full: advisor report heat.4r.json --format mail --full", False),
    ("mail", True): ("Full: advisor report heat.4r.json --full", True),
}


@pytest.mark.parametrize("format, full", SENT)
def test_what_is_sent_names_no_path_of_this_machine(format, full):
    """Whoever gets it has the result elsewhere."""
    named, below = SENT[format, full]
    text = render(compose(judged_sample("heat.4r")), format, full=full)
    assert "samples/" not in text and named in text
    asked = "advisor report sample.advisor --format mail --full"
    count = render(compose(advices.slow_host()), format, full=full).count(asked)
    assert count == (0 if below else 1)


@pytest.mark.parametrize("name", [path.stem for path in sorted(PROFILES.glob("*.json"))])
def test_a_mail_is_the_first_screen_and_the_way_to_the_rest(name):
    """At most 25 lines of 80 columns, the last of which is the command for the full text."""
    document = compose(judged_sample(name))
    lines = render(document, "mail").splitlines()
    screen = render(document, "terminal").splitlines()
    assert len(lines) <= 25 and max(map(len, lines)) <= 80
    assert lines[-1] == f"Full: advisor report {name}.json --format mail --full"
    assert lines[:3] == screen[:3]
    for label in ("Check:", "Undo:", "Ticket:", "Not checked:", "Forward to your centre:"):
        assert not any(line.strip().startswith(label) for line in lines), label


@pytest.mark.parametrize(
    "library, said",
    [
        ("openmpi", "run again with advisor run --counters"),
        ("hpcx", "run again with advisor run --counters"),
        (
            "mpich",
            "run again with advisor run --counters; built with --enable-mpit-pvars=recvq",
        ),
        (
            "",
            "run again with advisor run --counters; Open MPI: run again with advisor run"
            " --counters; MPICH: built with --enable-mpit-pvars=recvq",
        ),
    ],
)
def test_what_to_collect_is_that_of_the_library_and_stands_once(library, said):
    advice = advices.slow_host()
    profile = advice.measures.profile
    ways = (
        "run again with advisor run --counters",
        "Open MPI: run again with advisor run --counters; MPICH: built with"
        " --enable-mpit-pvars=recvq",
    )
    unknown = tuple(
        Silence(f"rule-{number}", Verdict.UNKNOWN, f"sentence {number}", "", way)
        for number, way in enumerate(ways)
    )
    profile = replace(profile, library=replace(profile.library, name=library))
    measures = replace(advice.measures, profile=profile)
    document = compose(replace(advice, measures=measures, silences=unknown))
    assert plain(document.screen.unchecked) == f"2 checks; to make them: {said}"


def test_the_full_report_points_at_what_stands_below():
    text = render(compose(judged_sample("heat.4r")), "terminal", full=True)
    assert "What to do (1 more below)" in text and "Full:" not in text


@pytest.mark.parametrize("format", ["terminal", "mail", "markdown", "html"])
def test_places_of_calls_have_one_head(format):
    text = render(compose(judged_sample("heat.4r")), format)
    assert re.search(r"(?m)size[ |]+call site\|?$|>call site</th>", text)
    assert "called from" not in text


def test_each_setting_stands_in_the_launch_line_of_its_action():
    commands = [each.command for each in compose(advices.slow_host()).screen.actions]
    assert commands == [
        "sbatch --exclude=n0214 job.sh",
        "mpirun_rsh -np 256 -hostfile hosts.txt MV2_IBA_EAGER_THRESHOLD=131072 ./vasp_std",
        "advisor report sample.advisor --format mail --full",
    ]


def test_a_long_command_goes_on_behind_a_backslash():
    assert continued("mpirun -n 4 --mca pml ucx ./app 'a b'", 24) == [
        "mpirun -n 4 --mca pml \\",
        "  ucx ./app 'a b'",
    ]


def test_a_mail_is_plain_text_of_72_columns_with_the_request():
    text = render(compose(advices.slow_host()), "mail", ascii_only=True, full=True)
    assert text.isascii() and "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 72
    request = text.partition("Forward to your centre:\n")[2]
    assert request.startswith("Job 481516, 14 Oct 2026, 09:12, vasp_std, 4 nodes; at stake:")
    assert request.count("?") == 1


def test_a_mail_says_how_to_check_and_undo_what_it_asks_for():
    """The words of the template in docs/SUPPORT.md, filled in from a run."""
    advice = advices.slow_host()
    profile = advice.measures.profile
    noted = replace(profile, run=replace(profile.run, note="ticket 4711"))
    text = render(
        compose(replace(advice, measures=replace(advice.measures, profile=noted))),
        "mail",
        full=True,
    )
    lines = [line.strip() for line in text.splitlines()]
    template = (TESTS.parent / "docs" / "SUPPORT.md").read_text(encoding="utf-8")
    for label in ("Ticket:", "At most:", "Check:", "Undo:", "Caution:", "Trust:", "Not checked:"):
        assert any(line.startswith(label) for line in lines), label
        assert re.search(rf"(?m)^ *{label}", template), label
    assert "Ticket: ticket 4711" in lines
    assert "advisor bundle NEW-RESULT --note 'ticket 4711'" in lines


def policy(number):
    """What a site asks for, and saves nothing that anybody knows."""
    return finding(
        f"policy-{number}",
        "library",
        f"SITE_{number} is not set",
        State.DOABLE,
        severity="must",
        no_saving_reason="a policy of this site",
        steps=(step("set", f"SITE_{number}=1", State.DOABLE),),
        policy=True,
    )


@pytest.mark.parametrize(
    "count, more", [(0, ""), (1, ""), (2, ""), (4, "2 more policies in the full report")]
)
def test_policies_have_lines_of_their_own_and_take_no_action_away(count, more):
    known = advices.slow_host()
    findings = (*map(policy, range(count)), *known.findings)
    document = compose(replace(known, findings=findings))
    actions = [each.title for each in document.screen.actions]
    assert actions == [each.title for each in compose(known).screen.actions] and len(actions) == 3
    for format in ("terminal", "mail", "markdown", "html"):
        text = plain(render(document, format).partition("</section>")[0])
        shown = re.findall(r"Must: SITE_\d is not set", text)
        assert len(set(shown)) == min(count, 2)
        assert text.count("policy of this site") == min(count, 2)
        assert (more or "more policies") in text if count > 2 else "more policies" not in text
    lines = render(document, "terminal").splitlines()
    assert len(lines) <= 25 and not any("not estimated" in line for line in lines)
    (first,) = [line for line in lines if "SITE_0 is" in line] or [""]
    assert first == (f"Must: SITE_0 is not set{'policy of this site':>57}" if count else "")


def test_the_page_begins_with_the_same_screen():
    document = compose(advices.slow_host())
    page = render(document, "html")
    top = page.partition('<section class="screen"')[2].partition("</section>")[0]
    screen = document.screen
    wanted = [screen.trust, *(part.seconds_text for part in screen.parts)]
    wanted += [each.command for each in screen.actions] + [row.call for row in screen.calls]
    assert [text for text in wanted if text not in top] == []
    assert page.partition('<script type="application/json"')[0].count(screen.verdict) == 1


def test_findings_stand_in_one_order_everywhere():
    """The verdict names load imbalance, the advice has oversubscription first: the estimate of the
    first explanation is what the action may save."""
    document = compose(judged_sample("uneven_compute.4r"))
    titles = [plain(each.title) for each in document.items]
    (action,) = document.screen.actions
    assert plain(action.title) == f"{titles[0]}; or: {titles[1]}"
    assert titles[0].startswith("Load imbalance: rank 3")
    assert plain(action.gain) == plain(document.items[0].gain.text) == "~2.9 to 7.7 s"
    full = plain(render(document, "terminal", full=True))
    assert "1 HIGH Load imbalance: rank 3" in full and "2 HIGH Oversubscription: 4" in full


def test_an_amount_is_never_more_than_the_rows_that_it_names(document):
    """ "some of 0.643 s (no core and waiting)" is below both rows together."""
    parts = {str(part.label): part.seconds for part in document.screen.parts}
    small = sum(part.seconds for part in document.screen.parts if part.role == "other")
    for action in document.screen.actions:
        found = re.fullmatch(r"some of ([\d.]+) (ms|s)", plain(action.gain))
        if found is None:
            continue
        amount = float(found.group(1)) * (1e-3 if found.group(2) == "ms" else 1.0)
        rows = re.split(" and |, ", action.rows) if action.rows else list(parts)
        room = sum(parts.get(row, 0.0) for row in rows) + small
        # An amount leaves out the rows that are less than a tenth of it.
        assert amount <= 1.25 * room
        if action.finding == 0 and not action.rows:
            mpi = ("waiting", "transfer", "I/O in MPI", "polling in vain", "waiting or transfer")
            in_mpi = sum(parts.get(row, 0.0) for row in mpi) + small
            assert amount <= in_mpi or amount == pytest.approx(in_mpi, rel=5e-3)


def test_time_without_a_core_is_no_time_that_a_finding_should_explain():
    """5 s in MPI, 3 s without a core and 1 s of start-up, of 10 s."""
    parts = (
        Cause("not split", operation="Send"),
        Cause("no core outside MPI"),
        Cause("start or end"),
        Cause("computing"),
    )
    seconds = np.array([[5.0], [3.0], [1.0], [1.0]])
    empty = Column("site", "", np.array([None] * 4, object))
    measures = advices.slow_host().measures
    measures = replace(
        measures,
        causes=Causes(parts, seconds, seconds, 1, 10.0),
        tables={**measures.tables, "cause": Table("cause", {"site": empty, "rank": empty})},
    )
    nobody = Unexplained(9.0, 0.9, 0, 5.0, (0, 1, 2))
    left = unexplained(
        Lookup(measures), replace(advices.slow_host(), measures=measures, unexplained=nobody)
    )
    assert (left.seconds, left.rows) == (5.0, {"unsplit": 5.0})
    assert left.sentence == "5.00\u00a0s that no check explains, mostly in MPI_Send"


@pytest.mark.parametrize("format, full", [("markdown", False), ("terminal", True), ("mail", True)])
def test_the_caution_stands_behind_the_command(format, full):
    text = render(compose(judged_sample("late_rank.after.4r")), format, full=full)
    assert text.index("mpiexec -n 2") < text.index("Caution: More ranks")


def recorded(name):
    """A recorded run of two ranks, composed."""
    return compose(judged(TESTS / "reports" / "recorded" / f"{name}.2r.profile"))


def test_a_starved_run_shows_what_to_do_besides_repeating_it():
    """What the verdict says is not the title of an action again, and leaves room for the next."""
    text = render(recorded("starved"), "terminal")
    assert "other processes or a quota took the cores of vm." in plain(text)
    assert "Ranks starved of a core" not in text
    # Times without a core are in the times of calls; the rows above take them off.
    assert "MPI_Wait 1.01 s ~0.675 s 803 reverse_comm" in " ".join(plain(text).split())
    todo = text.partition("What to do")[2].splitlines()
    assert [line[:60].partition("  (")[0].rstrip() for line in todo[1:8]] == [
        "1  Repeat the run on nodes of your own: request whole nodes",
        "",
        "   advisor run -- mpirun.openmpi -n 2 lmp -in in.lj.imbalanc",
        "2  Load imbalance: atoms are unevenly distributed over the",
        "   LAMMPS ranks, rank 0 computes longest",
        "   in the LAMMPS input, before run:",
        "   fix balance all balance 1000 1.05 shift xyz 10 1.05",
    ]


@pytest.mark.parametrize(
    "throttled, cause",
    [
        (None, "other processes or a quota took the cores of vm"),
        (0.01, "other processes used the cores of vm"),
        (2.0, "a quota of processor time held them back"),
    ],
)
def test_a_quota_is_ruled_out_only_where_it_was_looked_for(throttled, cause):
    advice = judged(TESTS / "reports" / "recorded" / "starved.2r.profile")
    ranks = advice.measures.tables["rank"]
    stopped = {"host_throttled_time": Column("", "s", np.array([throttled] * 2, float))}
    tables = {**advice.measures.tables, "rank": Table("rank", {**ranks.columns, **stopped})}
    screen = compose(replace(advice, measures=replace(advice.measures, tables=tables))).screen
    assert plain(screen.verdict).endswith(f": {cause}.")


@pytest.mark.parametrize(
    "name, command",
    [
        ("stacks", "advisor show {result} stack"),
        ("killed_launcher", ""),  # nothing is to be changed in the program
    ],
)
def test_call_paths_that_are_there_are_shown_and_not_asked_for(name, command):
    result = TESTS / "reports" / "recorded" / f"{name}.2r.profile"
    commands = [each.command for each in compose(advisor.read(result).advice()).screen.actions]
    assert not [each for each in commands if "--stacks" in each]
    assert not command or commands == [command.format(result=result)]
