"""How variables reach the ranks of a launch line that stays as it is: lines of sh in front of
it."""

from __future__ import annotations

import os
import shlex
from typing import Mapping

from advisor.launching.target.library_file import MpiLibrary

_LIST = "OMPI_MCA_mca_base_env_list"
"""Open MPI sets what this lists in its ranks, on all hosts, and not in mpirun itself."""


def script(
    variables: Mapping[str, str], library: MpiLibrary, launcher: str, environment: Mapping[str, str]
) -> str:
    """Lines for `eval`. `launcher`: its name; empty for the library's own.

    All launchers hand on the environment that they are started in, but Open MPI's to its own host
    only.
    """
    name = os.path.basename(launcher) or ("mpirun" if library.family == "openmpi" else "mpiexec")
    exports = [f"export {key}={shlex.quote(value)}" for key, value in variables.items()]
    if library.family != "openmpi" or name not in ("mpirun", "mpiexec", "orterun", "prterun"):
        hint = (
            "srun --export=ALL …"
            if name == "srun"
            else f"{name} -genvlist {','.join(variables)} …"
            if name == "mpiexec"
            else ""
        )
        return "\n".join(
            [*exports, f"# If the line keeps the environment back: {hint}" if hint else "#"]
        )
    # 4.x ends with an error where the line has -x as well; 5.x sets both.
    if library.version.partition(".")[0] in ("1", "2", "3", "4"):
        return "\n".join(
            [
                *exports,
                (
                    f"# For ranks on other hosts, in the line: {name}"
                    f" {' '.join(f'-x {key}' for key in variables)} …"
                ),
            ]
        )
    listed = [
        part
        for part in environment.get(_LIST, "").split(";")
        if part and part.partition("=")[0] not in variables
    ]
    listed += [f"{key}={value}" for key, value in variables.items()]
    return f"export {_LIST}={shlex.quote(';'.join(listed))}"
