"""Open MPI's mpirun: options of 4.x (`mpirun --help full`, mpirun(1)) and of 5.x (PRRTE's
personality "ompi")."""

from __future__ import annotations

from typing import Optional, Sequence

from advisor.launching.launcher import Launcher
from advisor.launching.options import dashed, table

OPTIONS = table(
    none="""allow-run-as-root bind-to-board bind-to-core bind-to-none bind-to-socket bycore byboard bynode byslot bysocket
        continuous d debug debug-daemons debug-daemons-file debug-devel disable-recovery display-allocation display-comm
        display-comm-finalize display-devel-allocation display-devel-map display-diffable-map display-map display-topo
        do-not-aggregate-help do-not-launch do-not-resolve dvm enable-instant-on-support enable-recovery
        fwd-mpirun-port get-stack-traces h help index-argv-by-rank leave-session-attached loadbalance
        merge-stderr-to-stdout nolocal nooversubscribe noprefix nosched-plan novm oversubscribe p parsable
        parseable pernode preload-binary q quiet report-bindings report-child-jobs-separately report-state-on-timeout s
        set-cwd-to-session-dir show-progress soft stop-in-app stop-on-exec tag-output terminate timestamp-output tv
        use-hwthread-cpus use-regexp v verbose V version xml""",
    one="""H N am amca app appfile arch bind-to c cartofile cf cpu-list cpu-set cpus-per-proc cpus-per-rank debugger
        default-hostfile display dvm-uri file forward-signals fwd-environment hnp host hostfile initial-errhandler
        launch-agent machinefile map-by max-restarts max-vm-size memory-alloc-kinds n np npernode npersocket ompi-server
        output output-directory output-filename output-proctable-to path personality ppr prefix preload-files pset
        rank-by rankfile report-events report-pid report-uri rf runtime-options spawn-timeout stdin stop-in-init
        stream-buffering timeout tmpdir tune wd wdir with-ft x xml-file xterm""",
    two="gmca gomca gpmixmca gprtemca mca omca pmixmca prtemca",
    maybe="output-proctable",
)


def consumed(words: Sequence[str], at: int) -> Optional[int]:
    """Words of the option at `at`, itself included; None if Open MPI documents no such option."""
    if OPTIONS.get(words[at].lstrip("-")) == -1:
        # 4.x takes no word here and 5.x takes one: a file name, "-" or "+", never a program.
        following = words[at + 1] if at + 1 < len(words) else ""
        return 2 if following in ("-", "+") else 1
    return dashed(words, at, OPTIONS)


LAUNCHER = Launcher(
    family="openmpi",
    names=(
        "orterun",
        "prterun",
        "prun",
        "mpirun.openmpi",
        "mpiexec.openmpi",
        "oshrun",
        "shmemrun",
        "ompirun_wrapper",
    ),
    answers=("Open MPI", "OpenRTE", "PRRTE", "PMIx Reference"),
    consumed=consumed,
    directory=("wdir", "wd"),
    hosts=(
        "H",
        "host",
        "hostfile",
        "machinefile",
        "default-hostfile",
        "dvm-uri",
        "hnp",
        "preload-binary",
        "s",
    ),
    ranks=("n", "np", "c"),
    environment=("x",),
    files=("app", "appfile"),
    file_lines="options",
    handing=("-x", "{}"),
    # Open MPI 5 looks for `env` under --path too, even for /usr/bin/env, and would not find it.
    bare=("path",),
    from_directory=True,
)
