"""One line for Slurm's AdminComment, as commands for a shell.

`scontrol` changes jobs that slurmctld still knows (MinJobAge, five minutes by default), `sacctmgr`
those of the accounting database at any time. Both must be called by an administrator of Slurm, and
replace what stands there.
"""

from __future__ import annotations

import re
import shlex
from typing import Callable, Iterator, List

from advisor.fleet.handing_over.jobs import Job, jobs
from advisor.fleet.handing_over.request import Request
from advisor.fleet.handing_over.sentence import sentence
from advisor.model.errors import UserError

_NUMBER = re.compile(r"[0-9]{1,12}")
_CLUSTER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def scontrol(request: Request) -> Iterator[str]:
    """Of one cluster: scontrol speaks to that of its configuration. Raises UserError if the store
    has jobs of several."""
    first = None
    for job in jobs(request):
        first = first or job.cluster
        if job.cluster != first:
            raise UserError(
                f"The store has jobs of {first} and of {job.cluster}; scontrol knows one cluster.",
                "The same number may be another job there.",
                "Use --as sacctmgr, which names the cluster.",
            )
        yield from _command(job, scontrol_words)


def sacctmgr(request: Request) -> Iterator[str]:
    """Of all clusters of the database."""
    for job in jobs(request):
        yield from _command(job, sacctmgr_words)


def scontrol_words(job: Job) -> List[str]:
    """scontrol takes all that follows the first `=`."""
    return ["scontrol", "update", f"JobId={job.number}", f"AdminComment={sentence(job)}"]


def sacctmgr_words(job: Job) -> List[str]:
    """-i: without asking. sacctmgr takes quotes off that stand around a value."""
    where = ["where", f"JobID={job.number}", f"Cluster={job.cluster}"]
    return ["sacctmgr", "-i", "modify", "job", *where, "set", f'AdminComment="{sentence(job)}"']


def _command(job: Job, words: Callable[[Job], List[str]]) -> Iterator[str]:
    """Nothing for jobs that have no number of Slurm's: what is no number could be more."""
    if _NUMBER.fullmatch(job.number) and _CLUSTER.fullmatch(job.cluster):
        yield shlex.join(words(job)) + "\n"
