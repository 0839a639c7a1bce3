"""Any ReFrame test under advisor. ReFrame 4.6 or newer.

class MyCheck(rfm.RunOnlyRegressionTest, Advised):
    executable = "./app"
    reference_result = "/srv/results/app"      # fail if it got slower than that
"""

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import performance_function, run_before, variable


class Advised(rfm.RegressionMixin):
    """Puts `advisor run` in front of the launcher; the result is kept with the outputs of the
    test."""

    reference_result = variable(str, value="")
    slower = variable(str, value="elapsed > 5 % and beyond_noise")

    @run_before("run")
    def under_advisor(self):
        self.job.launcher.modifier = "advisor"
        self.job.launcher.modifier_options = ["run", "-o", "advised", "--"]
        self.keep_files += ["advised"]
        # The exit code of this line becomes that of the job script.
        self.postrun_cmds += ["advisor export advised --format openmetrics -o advised.prom"]
        if self.reference_result:
            self.postrun_cmds += [
                f"advisor compare {self.reference_result} advised --fail-if '{self.slower}' || exit 1"
            ]

    @performance_function("s")
    def elapsed(self):
        return sn.extractsingle(r"^advisor_run_time_seconds\{.*\} (\S+)$", "advised.prom", 1, float)
