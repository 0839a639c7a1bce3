"""rules/EXPRESSIONS.md: each condition to be copied holds for the run that its row speaks of, and
not for another one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from advisor.advice.checking.cases import given_measures
from advisor.advice.language.expression import parse
from advisor.advice.language.scope import Scope, View
from advisor.cli.rule_book import vocabulary
from advisor.model.rule import Limit

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "rules" / "EXPRESSIONS.md").read_text(encoding="utf-8")
LIMITS = {"share": 0.05, "large": 1 << 20}


def of(name, value, **more):
    return {"setting": [{"name": name, "value": value, **more}]}


def run(**columns):
    return {"run": columns}


OPEN_MPI = {"name": "openmpi", "version": "5.0.2"}
NEWER = {"name": "openmpi", "version": "5.0.10"}
CASES = {
    # what one wants to say: (a run of which it is true, one of which it is false)
    "variable X is set": (of("UCX_NET_DEVICES", "mlx5_0:1"), of("UCX_TLS", "all")),
    "variable X is not set": ({"setting": []}, of("UCX_NET_DEVICES", "mlx5_0:1")),
    "X is set to something else": (of("OMP_PROC_BIND", "true"), of("OMP_PROC_BIND", "close")),
    "the value of X has a word in it": (of("UCX_TLS", "self,tcp"), of("UCX_TLS", "rc")),
    "somebody set X; the library has a value for it anyway": (
        of("MPIR_CVAR_CH4_NUM_VCIS", "4", source="environment"),
        of("MPIR_CVAR_CH4_NUM_VCIS", "1", source="mpi_t"),
    ),
    "X is not the same on all ranks": (
        of("OMP_NUM_THREADS", "4", differs=True),
        of("OMP_NUM_THREADS", "4", differs=False),
    ),
    "more than 2 nodes and library Y below 5.0.3": (
        {**run(nodes=3), "library": OPEN_MPI},
        {**run(nodes=3), "library": NEWER},
    ),
    "MPICH, or a library made from it": (
        {"library": {"name": "intel", "family": "mpich"}},
        {"library": {"name": "hpcx", "family": "openmpi"}},
    ),
    "the library was built without UCX": (
        {"library": {"built_with_ucx": False}},
        {"library": {"built_with_ucx": True}},
    ),
    "program Z, by the name of its file": (run(program="vasp_std"), run(program="lmp")),
    "program Z, with an option of its input": (
        {"application": {"name": "vasp", "ncore": 1}},
        {"application": []},
    ),
    "started by srun under Slurm": (
        run(launcher="srun", scheduler="slurm"),
        run(launcher="mpirun", scheduler="slurm"),
    ),
    "fewer ranks on a node than it has cores": (
        {**run(ranks_per_node=32), "node": [{"cores": 64}, {"cores": 64}]},
        {**run(ranks_per_node=64), "node": [{"cores": 64}, {"cores": 128}]},
    ),
    "a rank has more threads than cores": (
        {"rank": [{"threads": 4, "cores": 4}, {"threads": 4, "cores": 2}]},
        {"rank": [{"threads": 4, "cores": 4}]},
    ),
    "every node has InfiniBand": (
        {"node": [{"infiniband": True}, {"infiniband": True}]},
        {"node": [{"infiniband": True}, {"infiniband": False}]},
    ),
    "between 2 and 8 GPUs in all": (
        {"node": [{"gpus": 4}, {"gpus": 4}]},
        {"node": [{"gpus": 8}, {"gpus": 1}]},
    ),
    "MPI takes more than a limit": (run(mpi_share=0.06), run(mpi_share=0.04)),
    "one operation takes more than a limit": (
        {"operation": [{"name": "Alltoall", "share": 0.2}]},
        {"operation": [{"name": "Alltoall", "share": 0.01}, {"name": "Bcast", "share": 0.2}]},
    ),
    "large messages take more than half of MPI": (
        {**run(mpi_time=10), "cell": [{"time": 6, "size": 4 << 20}, {"time": 4, "size": 8}]},
        {**run(mpi_time=10), "cell": [{"time": 4, "size": 4 << 20}, {"time": 6, "size": 8}]},
    ),
    "some node reads the time from a slow clock": (
        {"node": [{"clocksource": "tsc"}, {"clocksource": "hpet"}]},
        {"node": [{"clocksource": "tsc"}]},
    ),
}
COPIED = dict(re.findall(r"^\| ([^|]+) \| `([^`|]+)` \|$", PAGE, re.MULTILINE))


def value(condition, given):
    limits = {name: Limit(name, amount, str(amount), "w") for name, amount in LIMITS.items()}
    return parse(condition).evaluate(Scope(View(given_measures(given, vocabulary())), limits))


def test_each_condition_of_the_page_is_tried():
    assert (len(COPIED), COPIED.keys() ^ CASES.keys()) == (20, set())


@pytest.mark.parametrize("wanted", CASES)
def test_a_condition_says_what_stands_beside_it(wanted):
    condition, (yes, no) = COPIED[wanted], CASES[wanted]
    assert (value(condition, yes), value(condition, no)) == (True, False)


def test_conditions_have_names_that_there_are():
    known = {*vocabulary(), *(f"limit.{name}" for name in LIMITS)}
    used = {name for condition in COPIED.values() for name in parse(condition).names}
    assert used - known == set()


def test_variables_that_are_recorded_are_those_of_the_collector():
    source = (ROOT / "collectors" / "core" / "process" / "settings.c").read_text()
    recorded = re.search(r"prefixes\[\] = \{(.*?)NULL", source, re.DOTALL).group(1)
    listed = re.search(r"<!-- prefixes -->(.*?)<!-- end -->", PAGE, re.DOTALL).group(1)
    assert re.findall(r"`(\w+)`", listed) == re.findall(r'"(\w+)"', recorded)
