"""What a report needs is read while the job runs, and nothing of that reaches the job."""

from __future__ import annotations

import os
import subprocess
import sys

RUN = """
import os, sys
from advisor.cli import readying
from advisor.launching.run import child
reader = readying.Reader()
ended = child.run(sys.argv[1:], dict(os.environ), reader.begin)
reader.end()
import advisor.cli.sealing
read = [name for name in readying.REPORTING if name in sys.modules]
print(ended.code, len(read) == len(readying.REPORTING), "OPENBLAS_NUM_THREADS" in os.environ)
print(os.getpriority(os.PRIO_PROCESS, 0))
"""


def after(*job, program=RUN):
    plain = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    words = [sys.executable, "-c", program, *job]
    done = subprocess.run(words, env=plain, capture_output=True, text=True, timeout=90)
    return done.stdout.splitlines(), done.stderr


def test_modules_are_read_while_the_job_runs_and_the_job_does_not_notice():
    """The job's niceness, its variables and a signal to us: all as without the reading."""
    out, err = after("sh", "-c", "nice; echo ${OPENBLAS_NUM_THREADS-unset}")
    nice = str(os.getpriority(os.PRIO_PROCESS, 0))
    assert (out, err) == ([nice, "unset", "0 True False", nice], "")


def test_a_signal_meant_for_the_job_still_reaches_it():
    """Python would hand it to the reading thread, were it not blocked there."""
    job = (
        "trap 'echo caught' USR1; us=$PPID; (kill -USR1 $us); for i in 1 2 3 4; do sleep 0.1; done"
    )
    out, _ = after("sh", "-c", job)
    assert out[0] == "caught"


def test_what_cannot_be_read_is_nobodys_problem():
    broken = RUN.replace("reader =", "readying.REPORTING = ('advisor.missing',)\nreader =")
    out, err = after("true", program=broken)
    assert (out[0], err) == ("0 False False", "")
