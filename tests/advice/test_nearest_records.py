"""Gains from records: the nearest count, losers among them; fewer than three give no number; the
order of files does not matter."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rule_writing import plain, rule, scope, write

from advisor.advice.judging.gain import interval, saving
from advisor.advice.judging.nearest_evidence import (
    FARTHEST,
    WANTED,
    Here,
    differences,
    nearest,
    within_reach,
)
from advisor.advice.judging.prediction_interval import prediction
from advisor.model.measures import Quality
from advisor.model.record import Record

RUN = Here(
    "mvapich2-x", "2.3.3", "omnipath", "Intel Xeon Phi 7250", "vasp", "Allreduce", 8, 64, 65536, 4
)


def record(id="a", **known):
    """A pair of calls on a run like RUN, unless it is said otherwise."""
    like = dict(
        of="operation",
        reported="pair",
        origin="published",
        source="s",
        ratio=0.5,
        library="mvapich2-x",
        version="2.3.3",
        fabric="omnipath",
        cpu="Intel Xeon Phi 7250",
        application="vasp",
        operation="Allreduce",
        hosts=8,
        ranks_per_node=64,
        size=65536,
    )
    return Record(id, "t", "t.toml", **{**like, **known})


STEPS = [
    # what differs from the run                                           steps by name
    ({}, {}),
    ({"hosts": 16}, {"hosts": 1}),
    ({"hosts": 1}, {"hosts": 3}),
    ({"hosts": 2, "hosts_to": 64}, {}),
    ({"hosts": 16, "hosts_to": 64}, {"hosts": 1}),
    ({"ranks_per_node": 32}, {"ranks on a host": 1}),
    ({"ranks_per_node": None}, {"ranks on a host": 1}),
    ({"size": 16384}, {"size": 1}),
    ({"before": 16}, {"the setting before": 2}),
    ({"version": "3.0"}, {"library": 1}),
    ({"version": ""}, {"library": 1}),
    ({"library": "mvapich2", "version": "2.1"}, {}),
    ({"library": "openmpi"}, {"library": 3}),
    ({"fabric": "infiniband"}, {"fabric": 2}),
    ({"fabric": ""}, {"fabric": 1}),
    ({"cpu": "AMD EPYC 7742"}, {"CPU": 2}),
    ({"cpu": "Intel Xeon Phi 7210"}, {}),
    ({"operation": "Alltoall"}, {"operation": 2}),
    ({"operation": "", "size": None}, {"operation": 1, "size": 0.5}),
    ({"application": "lammps"}, {}),
    (
        {"of": "elapsed", "application": "lammps", "operation": "Alltoall", "size": 1},
        {"application": 2},
    ),
]


@pytest.mark.parametrize("other, expected", STEPS)
def test_steps_from_a_run(other, expected):
    assert differences(record(**other), RUN) == pytest.approx(expected)


def test_inside_one_host_the_fabric_does_not_count():
    assert differences(record(hosts=1, fabric="infiniband"), RUN._replace(hosts=1)) == {}


def test_what_is_not_known_of_the_run_is_a_step_each():
    known = {
        "library": 1,
        "fabric": 1,
        "CPU": 1,
        "hosts": 1,
        "ranks on a host": 1,
        "operation": 1,
        "size": 0.5,
    }
    assert differences(record(), Here()) == pytest.approx(known)
    assert within_reach([record()], Here()) == []


CHOSEN = [
    # hosts of the records                    hosts of those that count for a run on 8
    ((8, 8), []),
    ((8, 8, 1024), []),
    ((8, 8, 16), [8, 8, 16]),
    ((4, 64, 8, 16, 2, 32), [8, 4, 16, 2, 32]),
    ((8, 8, 8, 8, 8, 8, 8, 16), [8] * 7),
    ((8, 8, 8, 8, 4, 16, 2), [8, 8, 8, 8, 4, 16]),
]


@pytest.mark.parametrize("hosts, expected", CHOSEN)
def test_the_nearest_count_and_all_that_are_as_near(hosts, expected):
    records = [record(str(place), hosts=count) for place, count in enumerate(hosts)]
    assert [each.record.hosts for each in nearest(within_reach(records, RUN))] == expected


# A rule on cells, of which a fifth of elapsed is at stake in a run of 100 s.
BODY = """[look]
each = "cell"
when = "cell.tunable_share > 0"
say = "s"
[gain]
basis = "records"
records = "{topic}"
ceiling = "cell.tunable_share"
source = "s"
"""
GIVEN = {
    "run": {"time": 100, "nodes": 8, "ranks_per_node": 64, "ceiling_share": 0.5},
    "library": {"name": "mvapich2-x", "version": "2.3.3"},
    "node": [{"name": "n", "omnipath": True, "cpu": "Intel Xeon Phi 7250"}],
    "application": [{"name": "vasp"}],
    "cell": [{"operation": "Allreduce", "size": 65536, "tunable_share": 0.2}],
}


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    """The rule, resting on one record that the tests replace."""
    folder = tmp_path_factory.mktemp("rules")
    write(
        folder,
        'schema = 1\ntopic = "t"\nabout = "a"\n[[record]]\nid = "a"\nof = "elapsed"\nratio ='
        ' 0.5\nsource = "s"\n',
        "file",
        "evidence",
    )
    return rule(folder, BODY.format(topic="t"))


def resting(loaded, records):
    return replace(loaded, gain=replace(loaded.gain, rests_on=tuple(records)))


def gained(loaded, records):
    return interval(resting(loaded, records), scope(GIVEN, rows={"cell": 0}))


INTERVALS = [
    # of, ratios of records like the run          low, high as shares of elapsed; a fifth is at
    # stake
    ("operation", (0.5, 0.5, 0.5), (0.1, 0.1)),
    ("operation", (1.0, 0.5, 0.75), (-0.0645, 0.1538)),
    ("operation", (1.5, 0.5, 0.5), (-0.2384, 0.2)),
    ("elapsed", (0.9, 0.9, 0.9), (0.02, 0.1)),
    ("elapsed", (0.5, 0.5, 0.5), (0.1, 0.2)),
    ("elapsed", (1.5, 0.9, 0.9), (-0.9288, 0.2)),
]


@pytest.mark.parametrize("of, ratios, expected", INTERVALS)
def test_intervals(empty, of, ratios, expected):
    found = gained(
        empty, [record(str(place), of=of, ratio=ratio) for place, ratio in enumerate(ratios)]
    )
    assert (found.reason, found.low, found.high) == (
        "",
        pytest.approx(expected[0], abs=1e-4),
        pytest.approx(expected[1], abs=1e-4),
    )


@pytest.mark.parametrize("count", (3, 5, 9))
def test_the_next_one_lies_inside_eight_times_of_ten(count):
    """Draws of which the logarithms are normal; 2000 of them, so that three deviations are less
    than three in a hundred."""
    random = Random(count)
    inside = 0
    for _ in range(2000):
        *known, following = (math.exp(random.gauss(-0.3, 0.4)) for _ in range(count + 1))
        low, high = prediction(known)
        inside += low <= following <= high
    assert inside / 2000 == pytest.approx(0.8, abs=0.03)


def test_slower_without_a_number_keeps_the_low_end_at_nothing(empty):
    winners = [record(str(place)) for place in range(3)]
    loser = record("lost", reported="direction", ratio=None, result="slower")
    assert gained(empty, winners).low == pytest.approx(0.1)
    assert gained(empty, [*winners, loser]).low == 0
    assert gained(empty, [*winners, replace(loser, hosts=64)]).low == pytest.approx(0.1)


REASONS = [
    # records                                                              why there is no number
    (
        [record("1"), record("2")],
        "no basis for a number: 2 of 2 pairs on t are near enough to this run; 3 are needed",
    ),
    (
        [record("1"), record("2", hosts=512), record("3", hosts=512)],
        "no basis for a number: 1 of 3 pairs on t is near enough to this run; 3 are needed",
    ),
    (
        [record(str(n), reported="best") for n in range(4)],
        "no basis for a number: what is published on t is the best of several, or without a number",
    ),
    (
        [record(str(n), ratio=2.0) for n in range(3)],
        (
            "runs near this one lost by it: 3 of 3 pairs on t, from runs like this"
            " one; they took 100 % more time, 3 of them longer; s"
        ),
    ),
]


@pytest.mark.parametrize("records, reason", REASONS)
def test_no_number_and_why(empty, records, reason):
    assert plain(gained(empty, records).reason) == reason


def test_a_saving_says_what_it_rests_on(empty):
    records = [
        record("1", ratio=1.25),
        record("2", hosts=16),
        record("3", source="t", together=("the version",)),
    ]
    found, _ = saving(resting(empty, records), scope(GIVEN, rows={"cell": 0}))
    assert (found.basis, found.quality, plain(found.source)) == (
        "records",
        Quality.ESTIMATED,
        (
            "3 of 3 pairs on t, from runs like this one but for hosts; they took 50.0 % less to"
            " 25.0 % more time, 1 of them longer; other things were changed at once; s; t"
        ),
    )


def records_of(ratios, hosts):
    return [
        record(f"{place:02}", ratio=ratio, hosts=count, of=("operation", "elapsed")[place % 2])
        for place, (ratio, count) in enumerate(zip(ratios, hosts))
    ]


several = st.integers(0, 14).flatmap(
    lambda count: st.tuples(
        st.lists(st.floats(0.02, 20), min_size=count, max_size=count),
        st.lists(st.sampled_from((1, 2, 4, 8, 16, 32, 64, 256)), min_size=count, max_size=count),
    )
)


@given(several)
@settings(max_examples=80, deadline=None)
def test_a_number_needs_three_and_stays_within_the_ceilings(empty, drawn):
    records = records_of(*drawn)
    near, found = within_reach(records, RUN), gained(empty, records)
    assert all(each.steps <= FARTHEST + 1e-6 for each in near)
    if len(near) < 3:
        assert found.reason
    if not found.reason:
        assert found.low <= found.high <= 0.2 and found.high > 0
        assert len(nearest(near)) >= min(WANTED, len(near)) >= 3


@given(several, st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_the_order_of_files_does_not_matter(empty, drawn, random):
    records = records_of(*drawn)
    shuffled = random.sample(records, len(records))
    assert gained(empty, shuffled) == gained(empty, records)


winners = st.lists(
    st.tuples(st.floats(0.02, 0.99), st.sampled_from((4, 8, 16))), min_size=3, max_size=14
)


@given(winners)
@example([(0.5, 8)] * 3)
@settings(max_examples=50, deadline=None)
def test_losers_stay_in(empty, drawn):
    """The worst of all, as near as can be, counts: it raises no end, and the low one says that time
    may be lost."""
    before = records_of(*zip(*drawn))
    after = [*before, record("lost", of="elapsed", ratio=25)]
    chosen = nearest(within_reach(after, RUN))
    assert "lost" in [each.record.id for each in chosen]
    old, new = gained(empty, before), gained(empty, after)
    if not new.reason and len(chosen) == len(nearest(within_reach(before, RUN))) + 1:
        assert new.low <= old.low and new.high <= old.high + 1e-9 and new.low < 0
