"""Rule files and expressions with any mistake: places and sentences, never a traceback; what can be
read can look at any numbers."""

from __future__ import annotations

import pathlib
import random
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor import advice, analysis, intake
from advisor.advice.checking.check import check
from advisor.advice.judging.judge import judge_rule
from advisor.advice.language.expression import ExpressionError, parse
from advisor.advice.language.scope import Scope, View
from advisor.advice.language.unknown import Unknown

from .seeds import SAMPLES

RULES = sorted((SAMPLES.parent.parent / "rules").glob("*/*.toml"))
TEXTS = [path.read_text() for path in RULES]
WORDS = sorted({word for text in TEXTS for word in re.findall(r'[\w.]+|[^\w\s]+|"[^"\n]*"', text)})
NASTY = [
    "\n",
    '"',
    '"""',
    "'''",
    "[[",
    "]]",
    "= ",
    "1e999",
    "-inf",
    "nan",
    "0x7fffffffffffffffff",
    "9" * 40,
    "\x1b[2J",
    "\u202e",
    "1979-05-27T07:32:00Z",
    "{",
    "}" * 40,
    "[" * 300,
    "a." * 90,
    "\\ud800",
    "((" * 30,
    "{run.",
    "**",
    "lambda: 0",
    "__class__",
]
numbers = st.integers(0, 2**32 - 1).map(random.Random)
many = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))


def changed(text: str, number: random.Random) -> str:
    """A rule in which words stand in other places."""
    words = re.split(r"(\s+|[^\w\s]+)", text)
    for _ in range(number.randint(1, 4)):
        at = number.randrange(len(words))
        what = number.randrange(4)
        if what == 0:
            words[at] = number.choice(WORDS)
        elif what == 1:
            words.insert(at, number.choice(NASTY))
        elif what == 2:
            del words[at : at + number.choice((1, 1, 5, 40))]
            words = words or [""]
        else:
            other = number.randrange(len(words))
            words[at], words[other] = words[other], words[at]
    return "".join(words)


@pytest.fixture(scope="module")
def measures():
    return [analysis.measure(intake.read(path)) for path in sorted(SAMPLES.glob("*.json"))]


@many
@given(number=numbers, several=st.booleans())
def test_rule_files(tmp_path_factory, measures, number, several):
    folder = pathlib.Path(tmp_path_factory.mktemp("rules"))
    texts = [changed(number.choice(TEXTS), number) for _ in range(1 + several)]
    for place, text in enumerate(texts):
        (folder / f"{place}.toml").write_text(text, encoding="utf-8", errors="replace")
    book = advice.read_rules([folder])
    for mistake in book.mistakes:
        assert mistake.what and "Traceback" not in mistake.what
    check(book)
    for measured in measures:
        view = View(measured)
        for rule in book.rules:
            judge_rule(rule, view)


NAMES = [
    "run.elapsed",
    "rank.mpi_time",
    "limit.x",
    "cell.size",
    "site.time_share",
    "operation.calls",
    "node.cores",
    "1",
    "0",
    "1e200",
    "-1e300",
    "'a'",
    '""',
    "True",
    "None",
    "x",
    "run",
    "run.none",
]
expressions = st.recursive(
    st.sampled_from(NAMES),
    lambda inner: st.one_of(
        st.tuples(
            inner,
            st.sampled_from(
                [
                    " + ",
                    " - ",
                    " * ",
                    " / ",
                    " < ",
                    " == ",
                    " in ",
                    " and ",
                    " or ",
                    " if ",
                    " ** ",
                    ", ",
                ]
            ),
            inner,
        ).map("".join),
        st.tuples(
            st.sampled_from(
                [
                    "max",
                    "min",
                    "abs",
                    "any",
                    "all",
                    "sum",
                    "count",
                    "most",
                    "least",
                    "print",
                    "not ",
                    "-",
                    "lambda x: ",
                ]
            ),
            inner,
        ).map(lambda pair: f"{pair[0]}({pair[1]})"),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"[{text}]"),
        inner.map(lambda text: f"f'{{{text}}}'"),
    ),
    max_leaves=12,
)


@many
@given(
    text=st.one_of(
        expressions,
        st.text(max_size=60),
        st.text("()[]{}.,'\"\\ abmax=<>!*-+/01e:;#\n\0", max_size=60),
    )
)
def test_expressions(text):
    """Read, or refused with a column and a reason on one line."""
    try:
        parse(text, "rank")
    except ExpressionError as error:
        assert str(error).isprintable()


@many
@given(text=expressions)
def test_expressions_over_real_numbers(measures, text):
    """What can be read can be asked of every rank; it is a number, a truth, a text or unknown."""
    try:
        expression = parse(text, "rank")
    except ExpressionError:
        return
    view = View(measures[0])
    for rank in range(2):
        assert isinstance(
            expression.evaluate(Scope(view, {}, {"rank": rank})),
            (int, float, str, tuple, Unknown, np.generic),
        )
