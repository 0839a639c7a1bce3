"""The rules of calls.txt, field `bytes`, as C. standard/meaning.txt explains them."""

from __future__ import annotations

import re
from typing import Dict, List

CONDITIONS = {
    "in-place": "sendbuf == MPI_IN_PLACE",
    "root": "communicator_is_root(communicator, root)",
    "outside": "root == MPI_PROC_NULL",
    "far-root": "root == MPI_ROOT",
    "keeps": "recvbuf == MPI_IN_PLACE",
    "no-op": "op == MPI_NO_OP",
}
MEANS = {"mean": "communicator->partners", "edges": "communicator_degree(communicator)"}


def product(expression: str) -> str:
    """C for one expression: `count*datatype`, `mean(counts)*type`, `mean(counts*types)`,
    `own(counts)*type`, `none`."""
    if expression == "none":
        return "-1"
    each = re.fullmatch(r"(mean|edges)\((\w+)\*(\w+)\)", expression)
    if each:
        return "MEAN_OF_PRODUCTS(%s, %s, %s)" % (each.group(2), each.group(3), MEANS[each.group(1)])
    total = re.fullmatch(r"(mean|edges)\((\w+)\)\*(\w+)", expression)
    if total:
        return "MEAN_OF(%s, %s, %s)" % (total.group(2), total.group(3), MEANS[total.group(1)])
    own = re.fullmatch(r"own\((\w+)\)\*(\w+)", expression)
    if own:
        return "datatype_payload(%s[communicator->rank], %s)" % own.groups()
    *factors, datatype = expression.split("*")
    return "datatype_payload(%s, %s)" % (
        " * ".join("(int64_t)" + factor for factor in factors),
        datatype,
    )


def bytes_statement(rule: str, kinds: Dict[str, str], types: Dict[str, str]) -> List[str]:
    """C lines that define `bytes`, -1 for a call that carries none."""
    if rule == "-":
        return ["const int64_t bytes = -1;"]
    *cases, last = [part.strip() for part in rule.split(";")]
    text = product(last)
    for case in reversed(cases):
        condition, _, expression = case.partition(":")
        text = "%s ? %s : %s" % (CONDITIONS[condition.strip()], product(expression.strip()), text)
    return ["const int64_t bytes = %s;" % text]
