"""The set of programs with one planted fault: what is said first of some of them, and that the
simulation is right."""

from __future__ import annotations

import shutil
import sys
from functools import lru_cache
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

from advisor.analysis.measure import measure
from advisor.intake.read import read as read_profile

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "benchmarks" / "diagnosis")]

import io_runs  # noqa: E402
import real_runs  # noqa: E402
import score  # noqa: E402
from answers import Answer, Verdict, read, verdict  # noqa: E402
from labelled_cases import LABELS, case_of  # noqa: E402
from forms import FORMS, UNKNOWN  # noqa: E402
from programs import FAMILIES  # noqa: E402
from tools import aps  # noqa: E402
from simulator import Collective, Compute, Machine, Receive, Send, Simulation, Wait  # noqa: E402

PAIR = Machine((0, 0), latency=(1e-3, 1e-3), bandwidth=(1e6, 1e6), overhead=0.0, eager=1000)
"""A millisecond a message and a microsecond a byte; up to 1000 bytes go without the receiver."""


def times(*programs):
    """(rank, call): (entered, left) in milliseconds."""
    calls = Simulation(programs, PAIR).run()
    return {
        (call.rank, call.name): (round(1e3 * call.entered, 3), round(1e3 * call.left, 3))
        for call in calls
    }


@pytest.mark.parametrize(
    "first, second, expected",
    [
        (  # A late sender: the receive ends a millisecond and 100 bytes after the send began.
            [Compute(0.010), Send(1, 100)],
            [Receive(0)],
            {(0, "Send"): (10, 10), (1, "Recv"): (0, 11.1)},
        ),
        (  # A short message needs no receiver; a receive that comes later finds it.
            [Send(1, 100)],
            [Compute(0.010), Receive(0)],
            {(0, "Send"): (0, 0), (1, "Recv"): (10, 10)},
        ),
        (  # A long one waits for its receive: three latencies and 2000 bytes from there.
            [Send(1, 2000)],
            [Compute(0.010), Receive(0)],
            {(0, "Send"): (0, 15), (1, "Recv"): (10, 15)},
        ),
        (  # Requests: both sides go on, and meet what they began in MPI_Waitall.
            [Send(1, 2000, 0, 1), Compute(0.050), Wait((1,))],
            [Receive(0, 0, 1), Wait((1,))],
            {
                (0, "Isend"): (0, 0),
                (0, "Waitall"): (50, 50),
                (1, "Irecv"): (0, 0),
                (1, "Waitall"): (0, 5),
            },
        ),
        (  # All wait for the last, then one stage of a millisecond.
            [Collective("Barrier", 0)],
            [Compute(0.020), Collective("Barrier", 0)],
            {(0, "Barrier"): (0, 21), (1, "Barrier"): (20, 21)},
        ),
    ],
)
def test_calls_take_what_first_principles_say(first, second, expected):
    assert times(first, second) == expected


def test_ranks_that_wait_for_each_other_are_a_mistake():
    with pytest.raises(RuntimeError, match="wait for each other"):
        times([Receive(1)], [Receive(0)])


def test_a_cure_takes_nothing_but_the_fault_out():
    """The work stays the same: divided anew it saves the difference to the mean."""
    made = FAMILIES["one_rank_computes_more"](Random("a test"))
    work = [
        sum(part.seconds for program in side for part in program if isinstance(part, Compute))
        for side in (made.faulty, made.cured)
    ]
    assert work[0] == pytest.approx(work[1], rel=0.01)


SAID = {
    "pipeline/0": ("one-rank-at-a-time", "late-sender"),
    "large_messages/1": ("large-messages",),
    "gathered_by_hand/1": ("one-late-rank", "messages-to-one-rank"),
    "many_gathers/0": ("small-collectives",),
    "serial_part/0": ("serial-phase-rank-0",),
    "slow_host/3": ("uneven-hosts",),
    "late_senders/1": ("late-sender",),
    "polled_messages/0": ("polling-hides-waiting",),
    "polled_halo_of_a_late_rank/0": ("polled-late-rank",),
    "polled_coupler/0": ("polled-server", "polling-hides-waiting"),
    "gathered_and_sent_back/0": ("gather-then-broadcast",),
    "prefix_by_hand/0": ("late-sender",),
    "replicated_data/3": ("large-allgathers",),
    "wavefront/0": ("one-rank-at-a-time", "blocking-exchange"),
    "slow_link/1": ("slow-path-between-nodes", "late-in-completion"),
    "shared_counter/1": ("lock-each-call", "lock-contention"),
    "exposed_halos/0": ("uneven-compute",),
    "healthy_coarse_grids/0": (),
    "healthy_tasks/1": (),
    "healthy/1": (),
    "healthy_manager/0": (),
}
"""Findings above a note. Of a coordinating rank only the note "coordinating-rank" is said."""


@pytest.fixture(scope="module")
def asked():
    if not shutil.which("otf2-config") or not shutil.which("otf2-print"):
        pytest.skip("libotf2-trace-dev and otf2-tools are needed")
    return score.asked("advisor")


@lru_cache(maxsize=None)
def simulated(name):
    """One case; those of smaller seeds are not made."""
    return case_of(name)


@pytest.mark.parametrize("name, rules", SAID.items())
def test_what_is_said(asked, name, rules):
    case = simulated(name)
    answer = asked(case)
    assert answer.words == rules
    assert verdict(case, answer) == Verdict(True, False, False)


@pytest.fixture(scope="module")
def uneven():
    return simulated("one_rank_computes_more/0")


@pytest.mark.parametrize(
    "answer, expected",
    [
        (Answer(("load imbalance", "late sender")), Verdict(True, False, False)),
        (Answer(("load imbalance",), ranks=(3, 7)), Verdict(True, False, False)),
        (Answer(("load imbalance",), ranks=(3,)), Verdict(True, False, False, culprit=True)),
        (Answer(("load imbalance",), ceiling=0.05), Verdict(True, False, exceeded=True)),
        (Answer(("late sender", "load imbalance")), Verdict(False, True, False)),
        (Answer(()), Verdict(False, False, False)),
    ],
)
def test_what_an_answer_is_worth(uneven, answer, expected):
    """Rank 7 computes more."""
    case = uneven
    assert case.made.culprits == (7,)
    assert verdict(case, answer) == expected


@pytest.mark.parametrize(
    "family, label", [("late_senders", "slow host"), ("healthy", "serial part")]
)
def test_a_cure_that_makes_a_program_slower_is_harmful(family, label):
    case = simulated(f"{family}/1")
    assert verdict(case, Answer((label,))) == Verdict(False, True, False, harmful=True)


def test_answers_in_a_file(tmp_path):
    file = tmp_path / "mine.json"
    file.write_text(
        """{"tool": "my tool 1.0", "answers": {
            "healthy/0": [],
            "serial_part/0": ["serial part"],
            "token/0": [{"label": "late sender", "ranks": [2], "at_most": 0.3, "words": "LS"},
                        {"label": "many barriers"}]}}"""
    )
    assert read(file) == (
        "my tool 1.0",
        {
            "healthy/0": Answer(()),
            "serial_part/0": Answer(("serial part",), None, ("serial part",)),
            "token/0": Answer(("late sender", "many barriers"), 0.3, ("LS", "many barriers"), (2,)),
        },
    )
    file.write_text('{"answers": {"healthy/0": ["noise"]}}')
    with pytest.raises(SystemExit, match="labels.toml has no label 'noise'"):
        read(file)


PAGES = [
    # MPI time and imbalance in percent of elapsed, as pages of APS print them → what they say
    (9.30, 5.92, ()),
    (72.51, 26.49, ("load imbalance",)),
    (3.73, 0.05, ()),
    (14.44, 2.70, ("many small collective calls",)),
    (15.28, 4.87, ("load imbalance",)),
    (14.38, 3.21, ("many small collective calls",)),
    (38.53, 18.91, ("load imbalance",)),
]
"""Of github.com/boutproject/cs-performance-tuning-workshop, and a text of 2025: "looks good", "MPI
bound", or also "not well balanced"."""


@pytest.mark.parametrize("mpi_time, imbalance, said", PAGES)
def test_thresholds_of_aps_say_what_its_pages_say(mpi_time, imbalance, said):
    columns = {"mpi_share": mpi_time / 100, "wait_share": imbalance / 100}
    tables = {"run": Rows([columns]), "operation": Rows([{"name": "Allreduce", "share": 0.1}])}
    assert aps(SimpleNamespace(tables=tables)).labels == said


class Rows(list):
    """Rows of a table of measures."""

    def row(self, place):
        return self[place]


FORMS_READ = [
    # form, calls of MPI_Gather of each rank, whether waiting is known
    ("own", 60, True),
    ("mpip", 60, False),
    ("ipm", 60, False),
    ("cube", 60, False),
    ("talp", None, False),
]


@pytest.fixture(scope="module")
def serial_part():
    return simulated("serial_part/0")


@pytest.mark.parametrize("form, gathers, waiting", FORMS_READ)
def test_a_run_as_a_file_of_another_tool(tmp_path, serial_part, form, gathers, waiting):
    if form == "own" and not shutil.which("otf2-config"):
        pytest.skip("libotf2-trace-dev is needed")
    measures = measure(read_profile(FORMS[form].write(serial_part, tmp_path)))
    run, operations = measures.tables["run"].row(0), measures.tables["operation"]
    rows = [operations.row(place) for place in range(len(operations))]
    found = [row["calls_per_rank"] for row in rows if row["name"] == "Gather"]
    assert found == ([gathers] if gathers else [])
    assert (run["wait_share"] is not None) == waiting
    assert run["ranks"] == len(serial_part.made.machine.host)
    assert run["load_balance"] == pytest.approx(0.697, abs=0.001)


def test_what_a_file_cannot_tell_is_no_miss(serial_part):
    silent = verdict(serial_part, Answer(()), cannot_tell=("serial part",))
    assert silent == Verdict(False, False, False, unknowable=True)
    assert verdict(serial_part, Answer(("serial part",)), ("serial part",)).right


def test_labels_name_each_other():
    names = set(LABELS)
    for about in LABELS.values():
        assert {*about["near"], *about.get("harmful", ())} <= names
    for about in UNKNOWN.values():
        assert set(about["cannot_tell"]) <= names


def test_recorded_real_runs():
    """Of some programs, whose ranks had no cores, nothing more is said than that."""
    files = [real_runs.file_of(run) for run in real_runs.RUNS]
    assert {file for file in files if not file.exists()} == set()
    assert set(real_runs.RECORDED.glob("*.profile")) <= set(files)
    found = {case.name: worth for case, _, worth in real_runs.judged("advisor")}
    assert [name for name, each in found.items() if not (each.right or each.unknowable)] == []
    assert {each.harmful or each.culprit for each in found.values()} == {False}
    assert sum(each.right for each in found.values()) >= 18


IO_SAID = [
    # family, first answer of advisor and of Drishti's thresholds, which know no time
    ("small_requests", "independent file access", "small file requests"),
    ("requests_alone", "independent file access", "independent file access"),
    ("many_files", "files opened often", "files opened often"),
    ("healthy_collective", None, None),
    ("healthy_small", None, "small file requests"),
]


@pytest.fixture(scope="module")
def io_said():
    return {
        tool: {case.name: (answer.labels or (None,))[0] for case, answer, _ in found}
        for tool in ("advisor", "drishti")
        for found in [list(io_runs.judged(tool, 1))]
    }


@pytest.mark.parametrize("family, ours, drishti", IO_SAID)
def test_what_is_said_of_files(io_said, family, ours, drishti):
    assert io_said["advisor"][f"{family}/0"] == ours
    assert io_said["drishti"][f"{family}/0"] == drishti
