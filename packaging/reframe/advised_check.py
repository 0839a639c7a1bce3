"""Any ReFrame test under advisor. ReFrame 4.6 or newer.

class MyCheck(rfm.RunOnlyRegressionTest, Advised):
    executable = "./app"
    reference_result = "/srv/results/app"  # fail if it got slower than that
"""

import os

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import performance_function, run_after, run_before, variable


class Advised(rfm.RegressionMixin):
    """Puts `advisor run` in front of the launcher; the result is kept with the outputs of the test.

    Recent versions call the base class RegressionTestPlugin.
    """

    reference_result = variable(str, value="")
    slower = variable(str, value="elapsed > 5 % and beyond_noise")

    @run_before("run")
    def under_advisor(self):
        self.job.launcher.modifier = "advisor"
        self.job.launcher.modifier_options = ["run", "-o", "advised", "--"]
        self.keep_files += ["advised"]
        self.postrun_cmds += ["advisor export advised --format openmetrics -o advised.prom"]
        if self.reference_result:
            self.postrun_cmds += [
                f"advisor compare {self.reference_result} advised --fail-if '{self.slower}'",
                "echo $? > compared",
            ]

    @run_after("sanity")
    def not_slower(self):
        if self.reference_result:
            compared = os.path.join(self.stagedir, "compared")
            said = f"slower than {self.reference_result}, or not to be compared: see the output"
            sn.evaluate(sn.assert_found(r"^0$", compared, said))

    @performance_function("s")
    def elapsed(self):
        return sn.extractsingle(r"^advisor_run_time_seconds\{.*\} (\S+)$", "advised.prom", 1, float)
