"""HPE's mpiexec of PALS (mpiexec(1) of cray-pals 1.x, and job scripts of centres that use it). Its
aprun is read as Cray's."""

from __future__ import annotations

from typing import Optional, Sequence

from advisor.launching.launcher import Launcher
from advisor.launching.options import dashed, table

OPTIONS = table(
    none="""V abort-on-failure debug envall envnone exclusive genvall genvnone h help l label line-buffer no-abort-on-failure no-transfer
        no-vni no-zip shared transfer v verbose version x""",
    one="""arch binding configfile cores-per-rank cpu-bind d depth envlist f fanout file g genvlist gpu-bind gpus-per-rank host hostfile
        hostlist hosts include-tasks launcher list-file mem-bind n network np path pmi ppn procinfo-file ranks-per-core rlimits soft
        spindle umask wdir""",
)


def consumed(words: Sequence[str], at: int) -> Optional[int]:
    """Words of the option at `at`, itself included; None if it is not documented. `--env
    NAME=value` and `--env NAME value` are read."""
    name, equals, _ = words[at].lstrip("-").partition("=")
    if name in ("env", "genv"):
        following = words[at + 1] if at + 1 < len(words) else ""
        return 1 if equals else 2 if "=" in following else 3
    return dashed(words, at, OPTIONS)


LAUNCHER = Launcher(
    family="pals",
    names=("palsrun",),
    answers=("PALS",),
    paths=("/cray/pals/", "/cray/pe/pals/"),
    consumed=consumed,
    of_any_library=True,
    directory=("wdir",),
    hosts=("f", "host", "hostfile", "hostlist", "hosts", "n", "np", "ppn"),
    ranks=("n", "np"),
    environment=("env", "genv"),
    files=("configfile",),
    # Like aprun it copies the program that stands first to the nodes.
    handing=("--env", "{}"),
    in_front=False,
    tried=False,
)
