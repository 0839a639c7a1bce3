"""The line in Slurm's AdminComment, set by the command that is printed, on a real Slurm."""

from __future__ import annotations

import os
import re
import shlex

import pytest
from hostile_fleet import HOSTILE, asking, exported, finding, job, made
from hypothesis import given, strategies
from slurm_controller import CLUSTER, OF_ACCOUNTING, PROGRAMS, slurm, why_missing

from advisor.fleet.handing_over.admin_comment import sacctmgr, scontrol
from advisor.fleet.handing_over.jobs import Job, Step
from advisor.fleet.handing_over.sentence import LONGEST, plain, sentence
from advisor.model.errors import UserError

LONG_NAME = "a-rule-with-a-long-name-" * 20


def of(*causes, hours=2.0):
    """A job that loses these node hours."""
    row = job(1, node_hours=hours, lost=sum(lost for _, lost in causes))
    return Job("c1", "1", [Step(row, [finding(row, *each) for each in causes])])


@pytest.mark.parametrize(
    "causes, text",
    [
        ([], "advisor: none of 2.00 node hours lost to a known cause"),
        ([("r", 0.0)], "advisor: none of 2.00 node hours lost to a known cause"),
        ([("r", 1.25)], "advisor: 1.25 of 2.00 node hours lost: r 1.25"),
        (
            [("a", 0.1), ("b", 0.4), ("c", 0.2), ("d", 0.05), ("e", 0.01)],
            "advisor: 0.76 of 2.00 node hours lost: b 0.4 + c 0.2 + a 0.1 + 2 more",
        ),
        ([("r", 0.00012)], "advisor: 0.00012 of 2.00 node hours lost: r 0.00012"),
        ([('"; rm -rf /\n', 1.0)], "advisor: 1.00 of 2.00 node hours lost: __ rm -rf __ 1.00"),
    ],
)
def test_the_sentence(causes, text):
    assert sentence(of(*causes)) == text


def test_it_is_never_too_long():
    assert len(sentence(of((LONG_NAME, 1.0)))) == LONGEST


@given(strategies.text())
def test_any_name_is_one_plain_word_of_the_shell(name):
    said = sentence(of((name, 1.0)))
    assert len(said) <= LONGEST
    assert re.fullmatch(r"[A-Za-z0-9 .:_%+-]+", said)
    assert shlex.split(shlex.quote(said)) == [said]
    assert plain(said) == said


def test_hostile_names_do_not_leave_their_line(hostile_store):
    with asking(hostile_store) as request:
        for command in (scontrol, sacctmgr):
            found = list(command(request))
            assert len(found) == len(HOSTILE)
            assert all(line.count("\n") == 1 for line in found)
            assert {len(shlex.split(line)) for line in found} == {4 if command is scontrol else 9}


def test_jobs_without_a_number_are_left_out(tmp_path):
    jobs = [job(1, job="$(id)"), job(2, job="line77"), job(3, cluster="c1 set"), job(4)]
    with asking(made(tmp_path, jobs=jobs)) as request:
        assert [line.split()[5] for line in sacctmgr(request)] == ["JobID=4"]


def test_scontrol_wants_one_cluster(tmp_path):
    with asking(made(tmp_path, jobs=[job(1), job(2, cluster="c2")])) as request:
        with pytest.raises(UserError, match="jobs of c1 and of c2"):
            list(scontrol(request))
        assert len(list(sacctmgr(request))) == 2


@pytest.mark.skipif(bool(why_missing()), reason=why_missing() or "there")
def test_slurm_keeps_the_line(tmp_path, capfdbinary):
    with slurm() as run:
        number = int(run("sbatch", "--parsable", "-H", "--wrap", "true"))
        here = job(number, cluster=CLUSTER)
        causes = [finding(here, name, 0.1, place) for place, name in enumerate(HOSTILE)]
        store = made(tmp_path, jobs=[here], findings=causes)
        commands = exported(store, "scontrol", capfdbinary)
        run("sh", "-e", stdin=commands)
        shown = run("scontrol", "show", "job", str(number))
    (kept,) = re.findall(r"^ +AdminComment=(.*?) ?$", shown, re.MULTILINE)
    with asking(store) as request:
        assert f"'AdminComment={kept}'" in list(scontrol(request))[0]
    assert kept.startswith("advisor: 0.5 of 2.00 node hours lost: ")


@pytest.mark.skipif(
    not os.environ.get("ADVISOR_TEST_LONG") or bool(why_missing(PROGRAMS + OF_ACCOUNTING)),
    reason="starts a database: runs with ADVISOR_TEST_LONG=1 where slurmdbd and MariaDB are",
)
def test_the_accounting_database_keeps_the_line(tmp_path, capfdbinary):
    """As with most jobs: it has ended, and slurmctld does not know it any more."""
    with slurm(accounting=True) as run:
        number = run("sbatch", "--parsable", "-H", "--wrap", "true").strip()
        run("scancel", number)
        here = job(int(number), cluster=CLUSTER)
        causes = [finding(here, name, 0.1, place) for place, name in enumerate(HOSTILE)]
        store = made(tmp_path, jobs=[here], findings=causes)
        commands = exported(store, "sacctmgr", capfdbinary)
        run("sh", "-e", stdin=commands)
        shown = run("sacct", "-n", "-P", "-X", "-j", number, "-o", "AdminComment").strip()
    assert f'"{shown}"' in commands
    assert shown.startswith("advisor: ")
