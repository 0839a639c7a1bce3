"""Advice names the words of the batch system in use alone."""

from __future__ import annotations

import pickle

import pytest

from advisor.advice.judging.dialect import for_scheduler
from advisor.model.message import Message

BOTH = "Ask for whole hosts (Slurm: --exclusive; PBS: -l place=excl)."
SAID = [
    ("slurm", BOTH, "Ask for whole hosts (--exclusive)."),
    ("pbs", BOTH, "Ask for whole hosts (-l place=excl)."),
    ("lsf", BOTH, BOTH),  # it has no words for it
    ("", BOTH, BOTH),  # which one is not known
    ("pbs", "整个节点（Slurm: --exclusive; PBS: -l place=excl）。", "整个节点（-l place=excl）。"),
    ("slurm", "Put them together (Open MPI: a file; Slurm: srun).", None),
]


@pytest.mark.parametrize("scheduler, text, said", SAID)
def test_one_of_several_batch_systems(scheduler, text, said):
    assert for_scheduler(text, scheduler) == (said or text)


def test_a_message_stays_one_that_is_translated():
    made = for_scheduler(Message(BOTH, BOTH, {}, "a-rule"), "slurm")
    assert str(pickle.loads(pickle.dumps(made))) == "Ask for whole hosts (--exclusive)."
    assert isinstance(made, Message)
