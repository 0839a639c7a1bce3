"""IBM's jsrun (jsrun(1) of Job Step Manager, and job scripts of Summit and Sierra): options as
getopt_long reads them."""

from __future__ import annotations

from typing import Sequence

from advisor.launching.launcher import Launcher
from advisor.launching.options import getopt, table

OPTIONS = table(
    none="? V help i immediate usage v version",
    one="""A D E F H I J K L M P S U X Z a b c d e f g h k l m n o p r t x allocate_only appfile bind chdir cpu_per_rs env env_eval
        env_no_propagate erf_input erf_output exclude_hosts exit_on_error gpu_per_rs latency_priority launch_distribution
        launch_node_task memory_per_rs np nrs pre_post_exec print_placement progress rs_per_host rs_per_socket save_resources smpiargs
        stdin_rank stdio_input stdio_mode stdio_stderr stdio_stdout tasks_per_rs use_reservation use_resources use_spindle""",
)


def consumed(words: Sequence[str], at: int) -> int:
    """Words of the option at `at`, itself included. An option that is not in the table takes one
    word, as nearly all do."""
    return getopt(words, at, OPTIONS, otherwise=1) or 1


LAUNCHER = Launcher(
    family="jsrun",
    names=("jsrun",),
    answers=(),
    consumed=consumed,
    of_any_library=True,
    directory=("h", "chdir"),
    hosts=("n", "nrs", "p", "np"),
    ranks=("p", "np"),
    environment=("E", "env"),
    files=("f", "appfile"),
    handing=("-E", "{}"),
    in_front=False,
    attached=True,
    tried=False,
)
