"""Metrics of a trace as counters: what was counted inside MPI and outside, and what is left out,
with the reason. A tick is a microsecond."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor import analysis
from advisor.intake import read
from advisor.model.errors import UserError

from . import printed
from .archives import BARRIER, archive, call, collective, world, writer

INSTRUCTIONS = ["member 0 PAPI_TOT_INS accumulated_start 10 0", "class 0 0"]


REAL = Path(__file__).with_name("recorded") / "counts" / "traces.otf2"
"""Score-P 8.4 with PAPI 7.0 and getrusage; `PROFILE` is what the Cube profile of the same run has
inside MPI."""
OURS = {
    "ru_minflt": "page_faults",
    "ru_nvcsw": "voluntary_switches",
    "ru_nivcsw": "involuntary_switches",
    "ru_utime": "cpu_time",
    "ru_stime": "cpu_time",
}
PROFILE = {
    (0, "perf::PAGE-FAULTS"): 8,
    (1, "perf::PAGE-FAULTS"): 10,
    (0, "perf::CONTEXT-SWITCHES"): 0,
    (1, "perf::CONTEXT-SWITCHES"): 0,
    (0, "page_faults"): 41,
    (1, "page_faults"): 41,
    (0, "cpu_time"): 167279000,
    (1, "cpu_time"): 75768000,
    (0, "voluntary_switches"): 0,
    (1, "voluntary_switches"): 0,
    (0, "involuntary_switches"): 66,
    (1, "involuntary_switches"): 46,
}


def counters(profile):
    """(rank, counter) → total, inside, microseconds inside, outside, microseconds outside."""
    table = profile.tables.get("counters")
    labels = ("rank", "counter", "total", "inside", "inside_time", "outside", "outside_time")
    rows = zip(*(table[label].tolist() for label in labels)) if table else ()
    return {
        (rank, name): (
            total,
            round(inside, 6),
            round(1e6 * inner, 3),
            round(outside, 6),
            round(1e6 * outer, 3),
        )
        for rank, name, total, inside, inner, outside, outer in rows
    }


def reasons(profile):
    return {gap.subject: gap.reason for gap in profile.gaps if gap.subject.startswith("counters.")}


def strict(at, points, number=0):
    """MPI_Init from 0 to 10, a barrier from 30 to 40, MPI_Finalize from 100 on, with values at each
    enter and leave; before these records, as Score-P has them."""
    names = {
        0: "enter MPI_Init",
        10: "leave MPI_Init",
        30: "enter MPI_Barrier",
        40: "leave MPI_Barrier",
        100: "enter MPI_Finalize",
        110: "leave MPI_Finalize",
    }
    lines = []
    for (time, name), value in zip(names.items(), points):
        lines.append(f"{at} {time} metric {number} {value}")
        lines += [f"{at} {time} {collective(BARRIER)}"] if name == "leave MPI_Barrier" else []
        lines.append(f"{at} {time} {name}")
    return lines


def reordered(lines):
    """The same with values behind the enter or leave."""
    found = list(lines)
    for i, line in enumerate(found[:-1]):
        if " metric " in line:
            other = next(k for k in range(i + 1, len(found)) if "MPI_" in found[k])
            found.insert(other, found.pop(i))
    return found


VALUES = {
    0: ["u5", "u1000", "u1300", "u1307", "u1400", "u9000"],
    1: ["u0", "u0", "u1", "u3", "u6", "u7"],
}
EXPECTED = {(0, "instructions"): (400, 7, 10, 393, 80), (1, "instructions"): (6, 2, 10, 4, 80)}


def test_counters_of_a_real_trace_are_the_sums_of_what_otf2_print_lists():
    writer()
    expected: dict = {}
    for (rank, name), (inside, outside) in printed.counted(REAL).items():
        if name != "ru_maxrss":
            key, factor = (rank, OURS.get(name, name)), 1000 if OURS.get(name) == "cpu_time" else 1
            before = expected.get(key, (0, 0))
            expected[key] = (before[0] + factor * inside, before[1] + factor * outside)
    profile = read(REAL)
    found = counters(profile)
    assert {key: (inside, outside) for key, (_, inside, _, outside, _) in found.items()} == expected
    assert all(total == inside + outside for total, inside, _, outside, _ in found.values())
    assert {key: inside for key, (_, inside, *_) in found.items()} == PROFILE
    assert reasons(profile) == {"counters.ru_maxrss": LEFT_OUT["a level"][-1]}


@pytest.mark.parametrize("order", ["values before", "values behind"])
def test_what_was_counted_between_two_values_belongs_to_the_side_that_it_was_on(order, tmp_path):
    both = [strict(at, VALUES[at]) for at in (0, 1)]
    if order == "values behind":
        both = [reordered(strict(at, VALUES[at])) for at in (0, 1)]
    found = read(archive(tmp_path, world(0, 0) + INSTRUCTIONS + both[0] + both[1]))
    assert counters(found) == EXPECTED and not reasons(found)


@pytest.mark.parametrize(
    "member, values, expected",
    [
        (
            "PAPI_TOT_INS accumulated_point 10 0",
            ["i-5", "i-1", "i2", "i4", "i10", "i99"],
            {"instructions": (11, 2, 10, 9, 80)},
        ),
        (
            "some::EVENT accumulated_start 10 3",
            ["d0", "d0.25", "d0.5", "d1", "d2", "d9"],
            {"some::EVENT": (1750, 500, 10, 1250, 80)},
        ),
        (
            "some::EVENT relative_last 2 4",
            ["u9", "u9", "u3", "u2", "u1", "u9"],
            {"some::EVENT": (96, 32, 10, 64, 80)},
        ),
        (
            "ru_utime accumulated_start 10 -6",
            ["u1", "u10", "u20", "u25", "u90", "u91"],
            {"cpu_time": (80000, 5000, 10, 75000, 80)},
        ),
    ],
    ids=["signed", "floating point, thousands", "what came since, sixteens", "CPU time, in ns"],
)
def test_units_types_and_modes(member, values, expected, tmp_path):
    found = read(
        archive(tmp_path, world(0) + [f"member 7 {member}", "class 3 7"] + strict(0, values, 3))
    )
    assert counters(found) == {(0, name): row for name, row in expected.items()}


def test_two_names_of_ours_are_a_sum_and_two_ways_of_counting_are_not(tmp_path):
    members = [
        f"member {i} {name} accumulated_start 10 0"
        for i, name in enumerate(("ru_minflt", "ru_majflt", "PAPI_RES_STL", "PAPI_STL_ICY"))
    ]
    values = [" ".join(f"u{value * k}" for k in (1, 10, 100, 1000)) for value in (0, 1, 3, 4, 7, 8)]
    found = read(archive(tmp_path, world(0) + members + ["class 0 0 1 2 3"] + strict(0, values)))
    assert counters(found) == {
        (0, "page_faults"): (66, 11, 10, 55, 80),
        (0, "stalls"): (600, 100, 10, 500, 80),
    }


def test_where_values_are_rare_what_lies_between_them_stands_for_the_rest(tmp_path):
    """Between two values with calls in between nobody knows; the ones around one barrier stand for
    all since Init and up to the next ones."""
    barriers = [
        line
        for at in (20, 30, 40, 50)
        for line in call(0, at, at + 2, "Barrier", collective(BARRIER))
    ]
    around = [
        "0 18 metric 0 u100",
        "0 20 metric 0 u104",
        *barriers[:2],
        "0 22 metric 0 u110",
        *barriers[2:9],
        "0 50 metric 0 u200",
        *barriers[9:11],
        "0 52 metric 0 u204",
        barriers[11],
    ]
    found = read(archive(tmp_path, world(0) + INSTRUCTIONS + around))
    # Windows from 18 to 22, which stands for itself, and from 50 to 52, which stands for 30
    # microseconds.
    assert counters(found) == {(0, "instructions"): (104, 6 + 4 * 15, 2 + 2 * 15, 4, 2)}
    assert float(found.tables["counters"]["inside_squares"][0]) == pytest.approx(6**2 + 60**2)


LEFT_OUT = {
    "a level": (
        "ru_maxrss absolute_point 2 10",
        [],
        ["u1"] * 6,
        "ru_maxrss",
        "the trace has it as a level, of which there is no count",
    ),
    "what comes": (
        "x relative_next 10 0",
        [],
        ["u1"] * 6,
        "x",
        "the trace does not count it from one reading to the next",
    ),
    "an exponent": (
        "x accumulated_start 10 99999",
        [],
        ["u1"] * 6,
        "x",
        "the trace gives it a unit that cannot be",
    ),
    "backwards": (
        "PAPI_TOT_CYC accumulated_start 10 0",
        [],
        ["u9", "u8", "u7", "u6", "u5", "u4"],
        "cycles",
        "the trace has values of it that no count can have",
    ),
    "not a number": (
        "x accumulated_start 10 0",
        [],
        ["d0", "d1", "dnan", "d3", "d4", "d5"],
        "x",
        "the trace has values of it that no count can have",
    ),
    "infinite": (
        "x accumulated_start 10 0",
        [],
        ["d0", "d1", "dinf", "d3", "d4", "d5"],
        "x",
        "the trace has values of it that no count can have",
    ),
    "too much": (
        "x accumulated_start 10 20",
        [],
        ["u0", "u1", "u2", "u3", "u4", "u5"],
        "x",
        "the trace has values of it that no count can have",
    ),
    "of the process": (
        "x accumulated_start 10 0",
        ["instance 1 0 0 1 0"],
        [],
        "x",
        "the trace counts it for another place than the thread that reads it",
    ),
    "of nobody": (
        "x accumulated_start 10 0",
        [],
        [],
        "x",
        "the trace has no values of it from the threads that began MPI",
    ),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_is_no_count_is_left_out_and_said(name, tmp_path):
    member, more, values, subject, reason = LEFT_OUT[name]
    found = read(
        archive(
            tmp_path,
            world(0)
            + [f"member 0 {member}", "class 0 0", *more]
            + (strict(0, values) or call(0, 1, 2, "Barrier", collective(BARRIER))),
        )
    )
    assert not counters(found) and reasons(found) == {"counters." + subject: reason}


def test_a_counter_of_the_whole_process_beside_that_of_its_thread_changes_nothing(tmp_path):
    elsewhere = ["instance 1 0 0 1 0", "instance 2 0 0 0 1", "instance 3 0 0 0 0"]
    lines = [line for line in strict(0, VALUES[0])]
    lines[3:3] = ["0 10 metric 1 u77", "0 10 metric 2 u5"]
    found = read(archive(tmp_path, world(0) + INSTRUCTIONS + elsewhere + lines))
    assert counters(found) == {(0, "instructions"): EXPECTED[0, "instructions"]} and not reasons(
        found
    )
    through = read(
        archive(
            tmp_path / "instance", world(0) + INSTRUCTIONS + elsewhere + strict(0, VALUES[0], 3)
        )
    )
    assert counters(through) == counters(found)


@pytest.mark.parametrize(
    "lines, sentence",
    [
        (
            ["0 10 metric 4 u1"],
            "it holds values of a metric that is not defined (at event 1 of traces/0.evt)",
        ),
        (
            ["instance 4 9 0 0 0", "0 10 metric 4 u1"],
            "it holds values of a metric that is not defined (at event 1 of traces/0.evt)",
        ),
        (
            ["0 10 metric 0 u1 u2"],
            (
                "it holds another number of values of a metric than it defines (at event 1 of"
                " traces/0.evt)"
            ),
        ),
        (["class 1 0 8", "0 10 metric 0 u1"], "it defines a metric of parts that are not there"),
    ],
)
def test_what_contradicts_itself_is_one_sentence(lines, sentence, tmp_path):
    with pytest.raises(UserError) as error:
        read(archive(tmp_path, world(0) + INSTRUCTIONS + lines))
    assert error.value.what.endswith(f"it looks like an OTF2 trace, but {sentence}.")


MODES = (
    "accumulated_start",
    "accumulated_point",
    "relative_last",
    "relative_next",
    "absolute_point",
)
NUMBERS = (
    "u0",
    "u7",
    f"u{2**64 - 1}",
    "i-1",
    f"i{2**63 - 1}",
    f"i{-(2**63)}",
    "d0.5",
    "d-1",
    "d1e308",
    "dinf",
    "dnan",
)
NAMES = ("PAPI_TOT_INS", "instructions", "ru_utime", "cpu_time", "x")


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(
        st.tuples(
            st.sampled_from(NAMES),
            st.sampled_from(MODES),
            st.sampled_from((2, 10)),
            st.sampled_from((0, 3, -6, 18, -400, 2**31 - 1)),
        ),
        min_size=1,
        max_size=4,
    ),
    st.lists(st.lists(st.sampled_from(NUMBERS), min_size=4, max_size=4), min_size=6, max_size=6),
    st.sampled_from(("advisor 1", "Score-P 8", "x")),
)
def test_whatever_values_are_there_is_a_count_or_left_out(
    tmp_path_factory, members, values, creator
):
    definitions = [f"creator {creator}"] + [
        f"member {i} {name} {mode} {base} {exponent}"
        for i, (name, mode, base, exponent) in enumerate(members)
    ]
    lines = strict(0, [" ".join(row[: len(members)]) for row in values])
    profile = read(
        archive(
            tmp_path_factory.mktemp("any"),
            world(0)
            + definitions
            + ["class 0 " + " ".join(str(i) for i in range(len(members)))]
            + lines,
        )
    )
    analysis.measure(profile)
    for (_, name), (total, inside, _, outside, _) in counters(profile).items():
        assert (
            inside >= 0
            and outside >= 0
            and total <= 2**62
            and total == pytest.approx(inside + outside, abs=1, rel=1e-6)
        ), name
