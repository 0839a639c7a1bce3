"""The option tables against the launchers themselves: the word that we take for the program is the
one that they start."""

from __future__ import annotations

import os
import subprocess

import pytest
from mpi_builds import BUILDS, environment, find, require

from advisor.launching.launchers.recognise import recognise
from advisor.launching.parse.line import parse

FAMILY = {
    "ompi4": "openmpi",
    "ompi5": "openmpi",
    "mpich4": "hydra",
    "mpich5": "hydra",
    "impi": "hydra",
}

# build, options that the launcher accepts on one host; behind them `-n 1 echo MARK`
LINES = [
    ("ompi4", "--mca btl self,vader -mca pml ob1 --gmca mpi_yield_when_idle 1"),
    ("ompi4", "--report-bindings --tag-output -merge-stderr-to-stdout -display-map"),
    (
        "ompi4",
        "-x A=1 -x HOME --wdir /tmp --path /bin:/usr/bin --timeout 30 -stdin 0 --prefix /usr",
    ),
    ("ompi4", "--bind-to none --map-by slot --rank-by core --host localhost -H localhost"),
    (
        "ompi4",
        (
            "--personality ompi -q -v --max-restarts 0 -cpus-per-proc 1 --use-hwthread-cpus"
            " -report-pid + --report-uri +"
        ),
    ),
    ("ompi4", "--am none --show-progress --leave-session-attached --noprefix --display-allocation"),
    ("ompi4", "--output-proctable"),
    (
        "ompi5",
        (
            "--mca btl self,sm -mca pml ob1 --gmca mpi_yield_when_idle 1 --prtemca"
            " prte_silence_shared_fs 1 --pmixmca a b"
        ),
    ),
    (
        "ompi5",
        "--report-bindings --tag-output --merge-stderr-to-stdout --bind-to none --map-by slot",
    ),
    ("ompi5", "-x A=1 -x HOME --wdir /tmp --timeout 30 --stdin 0"),
    ("ompi5", "--display map,bind --rank-by slot --output tag -H localhost:1 --stream-buffering 1"),
    ("ompi5", "--output-proctable -"),
    (
        "ompi5",
        (
            "--personality ompi --use-hwthread-cpus --get-stack-traces --report-state-on-timeout"
            " --forward-signals SIGUSR1"
        ),
    ),
    ("mpich4", "-genv A 1 -genv B=2 -env C 3 -prepend-rank -verbose -print-all-exitcodes"),
    (
        "mpich4",
        (
            "-hosts localhost -launcher fork -rmk user -bind-to none -map-by core -ppn 1 -wdir /tmp"
            " -iface lo"
        ),
    ),
    (
        "mpich4",
        (
            "-disable-auto-cleanup -usize SYSTEM -localhost localhost -prepend-pattern %r -topolib"
            " hwloc -demux poll -order-nodes UP"
        ),
    ),
    (
        "mpich4",
        (
            "-genvlist PATH,HOME -envall -disable-x -disable-hostname-propagation -outfile-pattern"
            " /dev/stdout -gpus-per-proc 0 -l"
        ),
    ),
    (
        "mpich5",
        "-genv A 1 -genv B=2 -env C 3 -prepend-rank -verbose -print-all-exitcodes -pmi-port",
    ),
    (
        "mpich5",
        (
            "-hosts localhost -launcher fork -rmk user -bind-to none -map-by core -ppn 1 -wdir /tmp"
            " -usize INFINITE"
        ),
    ),
    ("mpich5", "-memory-alloc-kinds mpi -rankmap 0 -enable-auto-cleanup -genvall"),
    (
        "impi",
        (
            "-genv A 1 -genv B=2 -env C 3 -prepend-rank -print-rank-map -silent-abort -perhost 1 -s"
            " all -ordered-output"
        ),
    ),
    (
        "impi",
        (
            "-hosts localhost -bootstrap fork -rmk user -ppn 1 -wdir /tmp -iface lo -genvexcl"
            " NOTHING -tmpdir /tmp -prot"
        ),
    ),
    ("impi", "-gwdir /tmp -branch-count 4 -envexcl NOTHING -usize SYSTEM -rr"),
]


@pytest.fixture
def say(tmp_path):
    """A program that says its first word. Hydra's launcher dies of SIGPIPE if rank 0 is gone before
    its input is handed on: 1 of 10 times on a busy machine, of programs that end at once."""
    program = tmp_path / "say"
    program.write_text("#!/bin/sh\nsleep 0.2\necho $1\n")
    program.chmod(0o755)
    return str(program)


@pytest.mark.parametrize("name, options", LINES)
def test_the_program_is_the_one_that_the_launcher_starts(name, options, say):
    build = require(find(name))
    words = [*build.launcher, *options.split(), "-n", "1", say, "MARK"]
    parsed = parse(words, environment(build))
    assert (parsed.family, parsed.doubt) == (FAMILY[name], "")
    assert [program.index for program in parsed.programs] == [words.index(say)]
    done = subprocess.run(
        words,
        env=environment(build),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert "MARK" in done.stdout, done.stderr


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_mpmd(build, say):
    require(build)
    words = [*build.launcher, "-n", "1", say, "ONE", ":", "-n", "2", say, "TWO"]
    parsed = parse(words, environment(build))
    assert ([parsed.words[program.index + 1] for program in parsed.programs], parsed.ranks) == (
        ["ONE", "TWO"],
        3,
    )
    done = subprocess.run(
        words,
        env=environment(build),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert sorted(done.stdout.split()) == ["ONE", "TWO", "TWO"], done.stderr


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_the_family_is_told_by_a_link_or_by_the_launcher_itself(build, tmp_path):
    require(build)
    link = tmp_path / "mpirun"
    target = subprocess.run(
        ["sh", "-c", f"command -v {build.launcher[0]}"], capture_output=True, text=True
    ).stdout.strip()
    link.symlink_to(target)
    assert recognise(str(link), environment(build)).family == FAMILY[build.name]


def test_a_launcher_that_hangs_or_lies_is_not_known(tmp_path):
    for text in ("#!/bin/sh\necho what\n", "#!/bin/sh\nexit 3\n"):
        script = tmp_path / "mpirun"
        script.write_text(text)
        os.chmod(script, 0o755)
        assert recognise(str(script), dict(os.environ)) is None
