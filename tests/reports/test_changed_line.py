"""The command of a change that is no setting: a number of ranks, an argument, an option."""

from __future__ import annotations

import pytest

from advisor.model.profile import Run
from advisor.reports.composing.changed_line import changed_line

CASES = [
    # launch line                     change                       command
    ("mpirun -n 4 pw.x -in a", "program -nk 2", "mpirun -n 4 pw.x -in a -nk 2"),
    ("mpirun -n 4 pw.x -nk 1 -in a", "program -nk 2", "mpirun -n 4 pw.x -nk 2 -in a"),
    ("srun gmx mdrun -dlb no -v", "program without -dlb", "srun gmx mdrun -v"),
    ("srun gmx mdrun -v", "program without -dlb", ""),
    ("mpiexec -n 4 ./a -n 512", "ranks 2", "mpiexec -n 2 ./a -n 512"),
    ("mpirun -np 4 ./a", "ranks 2.67", "mpirun -np 2 ./a"),
    ("srun --ntasks=4 ./a", "ranks 2", "srun --ntasks=2 ./a"),
    ("srun -n4 ./a", "ranks 1 024", "srun -n1024 ./a"),
    ("srun ./a", "ranks 2", "srun -n 2 ./a"),
    ("mpirun -n 2 ./a", "ranks 0.5", ""),
    ("mpirun -n 2 -np 2 ./a", "ranks 1", ""),
    ("jsrun -n 4 ./a", "ranks 2", ""),
    ("timeout 5 mpirun -n 4 ./a", "ranks 2", "timeout 5 mpirun -n 2 ./a"),
    ("srun ./a", "launcher --cpu-bind=cores", "srun --cpu-bind cores ./a"),
    ("", "ranks 2", ""),
]


@pytest.mark.parametrize("line, change, command", CASES)
def test_the_command_holds_the_change(line, change, command):
    words = tuple(line.split())
    program = next((word for word in words if word in ("pw.x", "gmx", "./a")), "")
    run = Run(program, launch_line=words)

    def with_settings(settings):
        options = [word for pair in settings.items() for word in pair]
        return " ".join([words[0], *options, *words[1:]])

    made = changed_line(run, change, with_settings)
    assert made == (f"advisor run -- {command}" if command else "")


def test_a_batch_system_is_told_with_the_script_that_only_the_user_knows():
    assert changed_line(Run(""), "submit sbatch --exclude=n1", lambda _: None) == (
        "sbatch --exclude=n1 job.sh"
    )
