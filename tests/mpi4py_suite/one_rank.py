"""Runs mpi4py's own tests in one rank and writes down, test by test, how each ended.

    python one_rank.py SUITE OUT SECONDS [words for the suite's main.py …]

SUITE: the suite's folder. OUT: a folder; `skip` in it, if there, names tests to leave out, one a
line; rank N writes `rank-N` there: lines ["begin", test] and ["end", test, outcome, seconds] in
JSON, each as soon as it is true, so that a crash is found in the test that made it. A test of more
than SECONDS ends its process.
"""

import faulthandler
import json
import os
import sys
import time
import unittest


class Recorder(unittest.TestResult):
    """Writes lines; holds nothing back."""

    def __init__(self, file, seconds):
        super().__init__()
        self.file, self.seconds = file, seconds
        self.outcome, self.begun = "", 0.0

    def _write(self, *line):
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()

    def startTest(self, test):
        super().startTest(test)
        self.outcome, self.begun = "pass", time.monotonic()
        self._write("begin", test.id())
        faulthandler.dump_traceback_later(self.seconds, exit=True, file=self.file)

    def stopTest(self, test):
        faulthandler.cancel_dump_traceback_later()
        super().stopTest(test)
        self._write("end", test.id(), self.outcome, round(time.monotonic() - self.begun, 3))

    def _ends(self, test, outcome):
        # What goes wrong with a class or module comes without a start.
        if isinstance(test, unittest.TestCase):
            self.outcome = outcome
        else:
            self._write("end", test.id(), outcome, 0.0)

    def addSkip(self, test, reason):
        self._ends(test, "skip")

    def addFailure(self, test, error):
        self._ends(test, "fail")

    def addError(self, test, error):
        self._ends(test, "error")

    def addExpectedFailure(self, test, error):
        self._ends(test, "expected failure")

    def addUnexpectedSuccess(self, test):
        self._ends(test, "unexpected success")

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.outcome = "fail"


class Runner:
    """What unittest.main calls to run the tests."""

    def __init__(self, out, seconds):
        self.out, self.seconds = out, seconds

    def run(self, suite):
        from mpi4py import MPI

        left = unittest.TestSuite(test for test in flat(suite) if test.id() not in self._skipped())
        with open(
            os.path.join(self.out, f"rank-{MPI.COMM_WORLD.Get_rank()}"), "a", encoding="utf-8"
        ) as file:
            result = Recorder(file, self.seconds)
            left.run(result)
        return result

    def _skipped(self):
        path = os.path.join(self.out, "skip")
        return (
            set(open(path, encoding="utf-8").read().split("\n")) if os.path.exists(path) else set()
        )


def flat(suite):
    """The tests of a suite, in its order."""
    for part in suite:
        if isinstance(part, unittest.TestCase):
            yield part
        else:
            yield from flat(part)


if __name__ == "__main__":
    folder, out, seconds, *words = sys.argv[1:]
    sys.path.insert(0, folder)
    import main

    main.TestProgram(
        module=None,
        argv=["mpi4py", *words],
        testRunner=Runner(out, float(seconds)),
        verbosity=0,
        exit=False,
    )
