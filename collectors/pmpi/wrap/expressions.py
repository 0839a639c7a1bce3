"""The rules of calls.txt, field `bytes`, as C. standard/meaning.txt explains them."""

from __future__ import annotations

import re
from typing import Dict, List, NamedTuple

from declared import Wrapper

CONDITIONS = {
    "in-place": "sendbuf == MPI_IN_PLACE",
    "root": "communicator_is_root(communicator, root)",
    "outside": "root == MPI_PROC_NULL",
    "far-root": "root == MPI_ROOT",
    "keeps": "recvbuf == MPI_IN_PLACE",
    "no-op": "op == MPI_NO_OP",
}
MEANS = {"mean": "communicator->partners", "edges": "communicator_degree(communicator)"}


class Said(NamedTuple):
    """What is computed of the data that a rule names: C of none, of elements of one type, and the
    macros for arrays of counts, and of counts and types."""

    none: str
    elements: str
    total: str
    products: str


PAYLOAD = Said("-1", "datatype_payload", "MEAN_OF", "MEAN_OF_PRODUCTS")
HANDLING = Said("0", "datatype_handling", "HANDLING_OF", "HANDLING_OF_PRODUCTS")


def product(expression: str, said: Said) -> str:
    """C for one expression: `count*datatype`, `mean(counts)*type`, `mean(counts*types)`,
    `own(counts)*type`, `none`."""
    if expression == "none":
        return said.none
    each = re.fullmatch(r"(mean|edges)\((\w+)\*(\w+)\)", expression)
    if each:
        return "%s(%s, %s, %s)" % (said.products, *each.groups()[1:], MEANS[each.group(1)])
    total = re.fullmatch(r"(mean|edges)\((\w+)\)\*(\w+)", expression)
    if total:
        return "%s(%s, %s, %s)" % (said.total, *total.groups()[1:], MEANS[total.group(1)])
    own = re.fullmatch(r"own\((\w+)\)\*(\w+)", expression)
    if own:
        return "%s(%s[communicator->rank], %s)" % (said.elements, *own.groups())
    *factors, datatype = expression.split("*")
    return "%s(%s, %s)" % (
        said.elements,
        " * ".join("(int64_t)" + factor for factor in factors),
        datatype,
    )


def bytes_statement(rule: str, kinds: Dict[str, str], types: Dict[str, str]) -> List[str]:
    """C lines that define `bytes`, -1 for a call that carries none."""
    if rule == "-":
        return ["const int64_t bytes = -1;"]
    return ["const int64_t bytes = %s;" % by_rule(rule, PAYLOAD)]


def by_rule(rule: str, said: Said) -> str:
    """One expression, by the conditions of the rule."""
    *cases, last = [part.strip() for part in rule.split(";")]
    text = product(last, said)
    for case in reversed(cases):
        condition, _, expression = case.partition(":")
        text = "%s ? %s : %s" % (
            CONDITIONS[condition.strip()],
            product(expression.strip(), said),
            text,
        )
    return text


def handled_operation(wrapper: Wrapper, collective: bool) -> str:
    """C of the operation's number with what forbids the library its fast paths with the data at
    hand. Two instructions where the program has neither such a type nor such an operator.

    Of collective calls and one-sided ones the data whose bytes are counted."""
    names = [parameter.name for parameter in wrapper.parameters]
    rule = wrapper.call.rule
    if collective and "op" in names:
        return _unless("operators_created", wrapper.number, "operator_handling(op)")
    parts = [by_rule(rule, HANDLING)] if rule != "-" else []
    if wrapper.call.group == "p2p":
        received = ("recvcount", "recvtype") if "recvtype" in names else ("count", "datatype")
        if "recvtype" in names or rule == "-" and set(received) <= set(names):
            parts.append("datatype_handling((int64_t)%s, %s)" % received)
    return (
        _unless("datatypes_have_gaps", wrapper.number, " | ".join(parts))
        if parts
        else str(wrapper.number)
    )


def _unless(seldom: str, number: int, handled: str) -> str:
    return "unlikely(%s) ? %d | (%s) : %d" % (seldom, number, handled, number)
