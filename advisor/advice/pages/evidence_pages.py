"""Records as pages: what a gain rests on, and every record of the rules as a line of the book."""

from __future__ import annotations

from itertools import groupby
from typing import Dict, List, Sequence, Tuple

from advisor.advice.judging.nearest_evidence import FARTHEST, WANTED
from advisor.advice.judging.prediction_interval import ENOUGH
from advisor.base.numbers import counted, size, time_saved
from advisor.model.record import BEST, OPERATION, PAIR, Record
from advisor.model.rule import Gain, Rule

_HEAD = f"""## Records

What the gains above rest on: what a change saved of the time without it. For a run the {WANTED} nearest count, and those as near as the
last of them; with fewer than {ENOUGH} within {FARTHEST:g} steps there is no number. A step is a factor of two in hosts, in ranks on a host or in the
setting before, a factor of four in the size of messages, or another major version; another application or operation, fabric or kind of CPU is two,
another family of libraries three, and what is not known is one. The gain is where the next one would lie eight times of ten, losers among
them: what few that scatter leave open is in it.
"""


def rests_on(gain: Gain) -> str:
    """One sentence: how many records of which topic, and what range they have."""
    ratios = [
        each.ratio for each in gain.rests_on if each.ratio is not None and each.reported == PAIR
    ]
    others = len(gain.rests_on) - len(ratios)
    told = f"{others} without a number or the best of several" if others else ""
    if not ratios:
        return f"no number yet: of pairs on {gain.records} there is none; {told}. {gain.source}"
    slower = sum(ratio > 1 for ratio in ratios)
    lost = f", {slower} of them longer" if slower else ""
    more = f"; besides {told}" if told else ""
    return (
        f"from the nearest of {counted(len(ratios), 'pair')} on {gain.records}:"
        f" {time_saved(*ratios)}{lost}{more}. {gain.source}"
    )


def listed(rules: Sequence[Rule]) -> str:
    """All records that rules rest on, by topic, in Markdown."""
    topics: Dict[str, Tuple[Record, ...]] = {
        rule.gain.records: rule.gain.rests_on for rule in rules if rule.gain and rule.gain.rests_on
    }
    parts = [_HEAD] if topics else []
    for topic in sorted(topics):
        users = ", ".join(rule.id for rule in rules if rule.gain and rule.gain.records == topic)
        parts += [
            f"### Records on {topic}",
            "",
            f"For {users}.",
            "",
            *(f"- {each}" for each in lines(topics[topic])),
            "",
        ]
    return "\n".join(parts)


def lines(records: Sequence[Record]) -> List[str]:
    """A line for each record; of one source they follow a line with what all of them have in
    common."""
    return [
        line
        for _, same in groupby(records, key=lambda record: record.source)
        for line in _of_one_source(tuple(same))
    ]


def _of_one_source(records: Sequence[Record]) -> List[str]:
    words = [_words(record) for record in records]
    shared = (
        [key for key, text in words[0].items() if text and all(each[key] == text for each in words)]
        if len(words) > 1
        else []
    )
    head = [", ".join(words[0][key] for key in shared)] if shared else []
    return head + [
        _line(record, [text for key, text in each.items() if text and key not in shared])
        for record, each in zip(records, words)
    ]


def _line(record: Record, words: Sequence[str]) -> str:
    return f"{record.id}: {'; '.join(filter(None, (_result(record), ', '.join(words))))}"


def _result(record: Record) -> str:
    if record.ratio is None:
        return f"{record.result}, without a number"
    times = (
        f" ({record.times[0]:g} against {record.times[1]:g})"
        if record.times and record.times[0] != 1
        else ""
    )
    return f"{time_saved(record.ratio)}{times}" + (
        ", the best of several" if record.reported == BEST else ""
    )


def _words(record: Record) -> Dict[str, str]:
    """What is known of a record, part by part; empty where nothing is."""
    return {
        "what": _what(record),
        "application": _application(record),
        "library": f"{record.library} {record.version}".strip(),
        "against": f"against {record.against}" if record.against else "",
        "hosts": _hosts(record),
        "ranks": (
            f"{counted(record.ranks_per_node, 'rank')} on a host" if record.ranks_per_node else ""
        ),
        "before": f"{record.before:g} before" if record.before is not None else "",
        "cpu": record.cpu,
        "fabric": record.fabric,
        "together": f"changed at once: {', '.join(record.together)}" if record.together else "",
        "conditions": record.conditions.rstrip("."),
        "source": f"from {record.source}",
        "page": record.page,
    }


def _what(record: Record) -> str:
    if record.of == OPERATION:
        return f"time of {record.operation or 'the calls'}" + (
            f" of {size(record.size)}" if record.size else ""
        )
    return "elapsed"


def _application(record: Record) -> str:
    return record.application and f"of {record.application}"


def _hosts(record: Record) -> str:
    if not record.hosts:
        return ""
    return (
        counted(record.hosts, "host")
        if record.hosts_to in (None, record.hosts)
        else f"{record.hosts:g} to {record.hosts_to:g} hosts"
    )
