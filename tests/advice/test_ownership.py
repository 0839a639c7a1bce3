"""Each cause belongs to one finding; what belongs to none is said, and what findings may promise
follows from their causes."""

from __future__ import annotations

import pytest

from advisor.advice import judge, load_rules
from advisor.advice.judging.ownership import LEAST
from advisor.analysis import measure
from advisor.base import resource_paths
from advisor.intake import read
from advisor.reports import compose
from analysis.simulated import Step, profile_of, simulate
from rules.real_runs import accounted_for

LATE = [Step("Allreduce", (1.0, 2.0, 1.0, 1.0), 0.001)] * 40
MOVING = [Step("Allreduce", (1.0, 1.0, 1.0, 1.0), 1.0)] * 40
ALONE = [Step("Recv", (0.0, 1.0), 0.0), Step("Recv", (1.0, 0.0), 0.2)] * 40
QUIET = [Step("Allreduce", (1.0, 1.0), 0.001)] * 40


def advised(steps, *only):
    rules = [rule for rule in load_rules([resource_paths.rules()]) if not only or rule.id in only]
    return judge(measure(profile_of(simulate(steps))), rules)


@pytest.mark.parametrize(
    "steps", (LATE, MOVING, ALONE, QUIET), ids=("late", "moving", "alone", "quiet")
)
def test_nothing_above_five_percent_is_left_without_a_word(steps):
    """Computing, causes of findings and what is not explained are all of elapsed, but for less than
    5 %; no cause belongs to two."""
    assert accounted_for(advised(steps)) > 1 - LEAST


@pytest.mark.parametrize(
    "file", sorted(resource_paths.samples().glob("profiles/*.json")), ids=lambda file: file.stem
)
def test_nothing_above_five_percent_of_a_recorded_run_is_left_without_a_word(file):
    advice = judge(measure(read(file)), load_rules([resource_paths.rules()]))
    assert advice.measures.causes is not None
    assert accounted_for(advice) > 1 - LEAST


@pytest.mark.parametrize(
    "steps, unexplained, sentence",
    (
        (
            MOVING,
            0.5,
            "s that no check explains, mostly transfer in MPI_Allreduce",
        ),
        (
            LATE,
            0.375,
            (
                "s that no check explains, mostly waiting in MPI_Allreduce (wait at collective)"
                " for rank 1"
            ),
        ),
    ),
)
def test_what_no_finding_explains_is_said(steps, unexplained, sentence):
    """Without a rule."""
    advice = advised(steps, "none")
    assert advice.unexplained.share == pytest.approx(unexplained, abs=0.005)
    document = compose(advice)
    assert any(action.title.endswith(sentence) for action in document.screen.actions)
    assert any(line.text.endswith(f"{sentence}.") for line in document.measurement)


def test_a_quiet_run_has_nothing_to_explain():
    assert advised(QUIET).unexplained is None


def test_a_second_explanation_of_the_same_time_says_so_and_comes_later():
    findings = advised(LATE, "uneven-compute", "collectives-mostly-wait").findings
    assert [(each.rule, each.rival_of) for each in findings] == [
        ("uneven-compute", ""),
        ("collectives-mostly-wait", "uneven-compute"),
    ]
    first, second = findings
    assert first.causes and not second.causes
    assert first.facts[-1] == f"Another explanation of the same time: “{second.title}”."
    assert (
        second.facts[-1]
        == f"This is the same time as in “{first.title}”: the two gains do not add up."
    )


def test_the_ceiling_is_longest_minus_shortest():
    """Rank 1 computes 80 s, the others 40 s: made like them, it saves 40 s; evened out, 30 s."""
    (finding,) = advised(LATE, "uneven-compute").findings
    assert finding.saving.ceiling == pytest.approx(40, abs=0.01)
