"""`advisor run`: profile a job, then advise."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Dict, Mapping, Sequence

from advisor.cli.arguments import add_rules
from advisor.cli import metering, readying
from advisor.cli.messages import complain, problems_of_reporting, say
from advisor.cli.progress import Progress
from advisor.launching.parse.masking import mask
from advisor.launching.run import scorep, session, tracing
from advisor.model.errors import UserError

if TYPE_CHECKING:
    from advisor.model.profile import Run

EXAMPLES = """examples:
  advisor run -- mpirun -n 64 ./vasp_std
  advisor run -o before -- mpirun -n 4 ./app input.dat > app.out
  advisor run -- srun -n 128 ./app
      in a job script of Slurm
  advisor run --counters -- mpirun -n 4 ./app
      with cycles, instructions, stalls and page faults, where the node has them
  advisor run --trace=last=60s -- mpirun -n 4 ./app
      with an OTF2 trace of the last minute, for Vampir and others
  advisor run --with single-copy --of before -- mpirun -n 4 ./app input.dat
      with a setting that was advised in the result `before`
  advisor run --collector scorep -- mpirun -n 4 ./app.scorep
      a program that was built with Score-P measures itself
What follows -- runs as it would without advisor: its output, exit code and
signals pass through. The report goes to standard error and, with the profile,
into the result folder.
"""


def add(subparsers) -> None:
    """The command and its options."""
    command = subparsers.add_parser(
        "run",
        help="profile a job, then advise",
        usage="advisor run [options] -- mpirun … ./program …",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_results(command.add_argument_group("the result"))
    _add_applied(command.add_argument_group("with settings of an earlier result"))
    _add_measuring(command.add_argument_group("what is measured besides"))
    _add_collector(command.add_argument_group("which collector measures"))
    command.set_defaults(run=run)


def _add_results(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=Path,
        help=(
            "result folder (default: PROGRAM.RANKSr.JOBID.advisor, outside of batch jobs the date);"
            " never overwritten: DIR-2, DIR-3 …"
        ),
    )
    add_rules(group)
    group.add_argument("--quiet", action="store_true", help="say nothing unless something is wrong")
    group.add_argument("--no-report", action="store_true", help="keep the profile, make no report")


def _add_applied(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--with",
        dest="applied",
        metavar="ID",
        action="append",
        default=[],
        help="with the settings of these findings, by their rule; again or with commas for several",
    )
    group.add_argument(
        "--of",
        metavar="RESULT",
        help=(
            "the result whose findings they are (default: the newest in this folder); its command"
            " is run if none is given"
        ),
    )
    group.add_argument(
        "--yes",
        action="store_true",
        help="run the recorded command of --of although nothing shows that you recorded it",
    )


def _add_measuring(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--counters",
        metavar="LIST",
        nargs="?",
        const="all",
        help=(
            "read counters of processor and system: a usual set, or with commas cycles,"
            " instructions, memory_stalls, stalls, cache_misses, floating_point, or names of PAPI's"
            " (also: ADVISOR_COUNTERS)"
        ),
    )
    group.add_argument(
        "--stacks",
        metavar="DEPTH",
        nargs="?",
        const=8,
        type=int,
        help=(
            "keep the call stacks of sampled calls, DEPTH frames of each, up to 16 (default: 8;"
            " without this option those of mpi4py's calls alone; 0: none; also: ADVISOR_STACKS)"
        ),
    )
    group.add_argument(
        "--trace",
        metavar="SELECTION",
        nargs="?",
        const="all",
        help=(
            "keep an OTF2 trace as well: all, first=60s, last=60s, from=10s, to=90s, region=LEVEL"
            " (MPI_Pcontrol), size=64M a rank; with commas for several"
        ),
    )


def _add_collector(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--collector",
        choices=("pmpi", "scorep"),
        default="pmpi",
        help=(
            "pmpi: ours, for any program (default); scorep: for a program that is instrumented with"
            " Score-P"
        ),
    )
    group.add_argument(
        "--filter",
        metavar="FILE",
        help="with --collector scorep: which functions are not measured (SCOREP_FILTERING_FILE)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the user's line; its exit code. Nothing that fails in us stands in its way or in place of
    its code."""
    environment = {**os.environ, **_asked(arguments)}
    trace = "" if arguments.trace is None else tracing.wanted(arguments.trace)
    words = _with_settings(arguments, environment) if arguments.applied else arguments.words
    if not words:
        raise UserError(
            "There is no command to run.",
            do="Write it after two dashes: advisor run -- mpirun -n 4 ./program",
        )
    if _by_scorep(arguments, words, environment):
        from advisor.cli import scorep_run

        return scorep_run.run(arguments, words, environment, trace)
    # Where a collector must be built first, it takes some seconds.
    with Progress("preparing the run", quiet=arguments.quiet) as progress:
        prepared = session.prepare(
            words, environment, arguments.output, progress.tell, say(False), trace
        )
    if prepared.problem:
        complain(prepared.problem)
    reader = readying.Reader()
    meter = metering.begin()
    finished = session.execute(
        prepared, environment, reader.begin if prepared.folder else lambda: None
    )
    metering.end(meter, prepared.folder)
    reader.end()
    if finished.problem:
        complain(finished.problem)
    if finished.run is None:
        return _unmeasured(prepared, finished, environment)
    conclude(prepared, finished.run, arguments)
    keep_trace(prepared, arguments)
    return finished.ended.code


def _by_scorep(
    arguments: argparse.Namespace, words: Sequence[str], environment: Mapping[str, str]
) -> bool:
    """Whether Score-P measures; what is uncertain about it is said. Raises UserError where its
    options are given without it."""
    if arguments.filter and arguments.collector != "scorep":
        raise UserError(
            "--filter is Score-P's.", do="Write: advisor run --collector scorep --filter FILE -- …"
        )
    if arguments.collector == "scorep":
        return scorep.fits(words, environment, say(arguments.quiet))
    scorep.warn(words, environment, say(arguments.quiet))
    return False


def _asked(arguments: argparse.Namespace) -> Dict[str, str]:
    """Variables of the collector for what is measured on demand."""
    asked = {"ADVISOR_COUNTERS": arguments.counters, "ADVISOR_STACKS": arguments.stacks}
    return {name: str(value) for name, value in asked.items() if value is not None}


def _with_settings(arguments: argparse.Namespace, environment: Dict[str, str]) -> Sequence[str]:
    """The words with the settings of findings in them; adds to the environment what belongs there.
    Raises UserError before anything runs."""
    # Judging takes a moment that other runs need not wait for.
    from advisor.cli import choosing, opening
    from advisor.cli.report import judged
    from advisor.verifying import overlay

    result = Path(arguments.of) if arguments.of else choosing.latest_result(Path.cwd())
    profile = opening.read(str(result))
    chosen = choosing.by_id(judged(profile, arguments.rules, forgetting=True), arguments.applied)
    command = choosing.applied(
        choosing.recorded_command(profile, arguments.words, arguments.yes),
        choosing.merged(chosen),
        profile,
    )
    if command.directory.resolve() != Path.cwd():
        raise UserError(
            f"The command of {result} ran in {command.directory}.",
            do="Go there, or write the command after two dashes.",
        )
    environment.update(command.added)
    environment[overlay.VARIABLE] = choosing.overlay_name(chosen, result)
    say(arguments.quiet)(
        f"with {environment[overlay.VARIABLE]}: {shlex.join(mask(command.words, environment))}"
    )
    return command.words


def conclude(prepared: session.Prepared, measured: Run, arguments: argparse.Namespace) -> None:
    """Profile and report; what was measured is kept."""
    with problems_of_reporting(prepared.folder, f"What was measured is kept in {prepared.folder}."):
        # After the job, so that it starts at once and no fault of ours can prevent it.
        from advisor.cli import sealing

        sealing.conclude(
            session.left(prepared, measured),
            arguments.rules,
            arguments.quiet,
            not arguments.no_report,
        )


def keep_trace(prepared: session.Prepared, arguments: argparse.Namespace) -> None:
    """Turn what the ranks recorded into an archive. Problems are said, and what was recorded is
    kept."""
    if arguments.trace is None or prepared.folder is None or not tracing.left(prepared.folder):
        return
    from advisor.cli import tracing_out

    try:
        tracing_out.write(prepared.folder, say(arguments.quiet))
    except UserError as problem:
        complain(problem)
    except KeyboardInterrupt:
        complain(
            UserError(
                "The trace was interrupted.",
                do=f"To make it: advisor export {prepared.folder} --format otf2",
            )
        )


def _unmeasured(
    prepared: session.Prepared, finished: session.Finished, environment: Mapping[str, str]
) -> int:
    """A program that is not there has the code that a shell gives, whatever the launcher made of
    it."""
    ended = finished.ended
    # What was not found has been said before the start.
    if ended.error and not (prepared.problem and shutil.which(prepared.words[0]) is None):
        complain(UserError(f"{prepared.words[0]} cannot be started: {ended.error}."))
    return session.absent(prepared, environment) or ended.code if ended.code else 0
