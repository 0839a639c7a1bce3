"""What one user of a machine plants where all may write, another user's job does not load, believe,
copy or execute."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from counted import counted
from mpi_builds import REPOSITORY, compile_program, find, require

import two_users
from advisor import intake
from two_users import ATTACKER, VICTIM, advisor

pytestmark = pytest.mark.skipif(bool(two_users.why_impossible()), reason=two_users.why_impossible())

PROGRAM = r"""
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void out_of_barriers(const char *go)
{
    char path[4096];
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s.%d", go, rank);
    fclose(fopen(path, "w"));
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 7; i++) MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 2) out_of_barriers(argv[1]);
    while (argc > 1 && access(argv[1], F_OK)) usleep(50000);
    if (argc > 2) raise(SIGKILL);
    MPI_Finalize();
    return 0;
}
"""
PLANTED = r"""
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((constructor)) static void planted(void)
{
    char path[512];
    snprintf(path, sizeof path, "%s/ran-as-%u", FOLDER, (unsigned)geteuid());
    if (geteuid() != ATTACKER) creat(path, 0666);
}
"""
NAME_OF_THE_COLLECTOR = """
import os
from advisor.launching.collector import build, compilers
compiler = compilers.examine("/usr/bin/mpicc.mpich", os.environ)
print(build.file_name(compiler, build.linked_by(compiler)))
"""


class Scene:
    """The machine with a program of MPICH's, a collector in the victim's own cache, and the
    attacker's library."""

    def __init__(self, machine: two_users.Machine) -> None:
        self.machine, build = machine, require(find("mpich4"))
        self.launcher = shutil.which(build.launcher[0])
        (machine.folder / "p.c").write_text(PROGRAM)
        self.program = str(
            compile_program(build, "c", [machine.folder / "p.c"], machine.folder / "p")
        )
        self.loot = machine.folder / "loot"
        self.loot.mkdir()
        self.loot.chmod(0o1777)
        (machine.folder / "evil.c").write_text(PLANTED)
        self.evil = machine.homes[ATTACKER] / "evil.so"
        subprocess.run(
            [
                "cc",
                "-shared",
                "-fPIC",
                f'-DFOLDER="{self.loot}"',
                f"-DATTACKER={ATTACKER}",
                "-o",
                self.evil,
                machine.folder / "evil.c",
            ],
            check=True,
        )
        built = machine.run(
            VICTIM, advisor("build", "--mpicc", "/usr/bin/mpicc.mpich"), machine.homes[VICTIM], 300
        )
        assert built.returncode == 0, built.stderr
        self.collector = machine.python(ATTACKER, NAME_OF_THE_COLLECTOR).strip()

    def plant(self, target: Path, content: str = "") -> None:
        """A file of the attacker's: his library, or a text; the folders above it as well, open to
        all."""
        code = (
            "import os, shutil, sys; os.umask(0); t = sys.argv[1]; os.makedirs(os.path.dirname(t),"
            " exist_ok=True)\n"
        )
        code += (
            "shutil.copy(sys.argv[2], t) if not sys.argv[3] else open(t, 'w').write(sys.argv[3]);"
            " os.chmod(t, 0o777)"
        )
        self.machine.python(ATTACKER, code, target, self.evil, content)

    def stage(self, name: str) -> Path:
        """A new folder in which all may write."""
        folder = self.machine.shared / name
        folder.mkdir()
        folder.chmod(0o1777)
        return folder

    def line(self, *words) -> list:
        return advisor(
            "run", "-o", str(words[0]), "--", self.launcher, "-n", "2", self.program, *words[1:]
        )

    def ran(self) -> list:
        """Proofs that code of the attacker's ran as somebody else."""
        return sorted(path.name for path in self.loot.iterdir())


@pytest.fixture(scope="module")
def scene():
    machine = two_users.Machine()
    try:
        yield Scene(machine)
    finally:
        machine.close()


@pytest.fixture(autouse=True)
def no_proof_of_another_test(scene):
    for path in scene.loot.iterdir():
        path.unlink()


def barriers(result: Path) -> int:
    return sum(counted(intake.read(result), "Barrier").values())


@pytest.mark.parametrize("where", ["result", "directory"])
def test_a_collector_beside_the_results(scene, where):
    """The last place where collectors are looked for: without a home there is no other."""
    shared = scene.stage(f"beside-{where}")
    scene.plant(shared / ".advisor-cache" / scene.collector)
    output = (
        shared / "result" if where == "result" else scene.machine.homes[VICTIM] / "result-directory"
    )
    cwd = scene.machine.homes[VICTIM] if where == "result" else shared
    words = (
        scene.line(output) if where == "result" else advisor("run", "--", *scene.line(output)[7:])
    )
    done = scene.machine.run(VICTIM, words, cwd, HOME=None)
    assert (done.returncode, scene.ran()) == (0, []), done.stderr
    assert "There is no folder to keep the collector in." in done.stderr


@pytest.mark.parametrize("mode", [0o1777, 0o777])
def test_a_cache_that_is_open_to_all_is_named_and_not_used(scene, mode):
    shared = scene.stage(f"cache-{mode:o}")
    shared.chmod(mode)
    scene.plant(shared / scene.collector)
    done = scene.machine.run(
        VICTIM,
        scene.line(scene.machine.homes[VICTIM] / f"cached-{mode:o}"),
        scene.machine.homes[VICTIM],
        ADVISOR_CACHE=str(shared),
    )
    assert (done.returncode, scene.ran()) == (0, []), done.stderr
    assert (
        done.stderr.count(
            f"advisor: ADVISOR_CACHE={shared} is not used: others can write to {shared}. Choose a"
            " folder"
        )
        == 1
    )
    assert barriers(scene.machine.homes[VICTIM] / f"cached-{mode:o}") == 14


def test_a_link_to_a_file_of_the_victims_is_not_followed(scene):
    """A collector of another library, say, which would end the job."""
    shared = scene.stage("link")
    other = scene.machine.homes[VICTIM] / "other.so"
    shutil.copy(scene.evil, other)
    os.chown(other, VICTIM, VICTIM)
    scene.machine.python(
        ATTACKER,
        "import os, sys; os.symlink(sys.argv[1], sys.argv[2])",
        other,
        shared / scene.collector,
    )
    done = scene.machine.run(
        VICTIM,
        scene.line(scene.machine.homes[VICTIM] / "linked"),
        scene.machine.homes[VICTIM],
        ADVISOR_CACHE=str(shared),
    )
    assert (done.returncode, scene.ran()) == (0, []), done.stderr


def test_a_cache_of_the_administrator_is_used_by_all(scene):
    own = scene.machine.homes[VICTIM] / ".cache" / "advisor" / scene.collector
    site = scene.machine.folder / "site"
    site.mkdir(mode=0o755)
    shutil.copy(own, site / scene.collector)
    code = (
        "import os; from advisor.base import resource_paths;"
        " print(resource_paths.kept(os.environ['NAME'], os.environ))"
    )
    assert scene.machine.python(
        ATTACKER, code, NAME=scene.collector, ADVISOR_CACHE=str(site)
    ).strip() == str(site / scene.collector)
    done = scene.machine.run(
        ATTACKER,
        scene.line(scene.machine.homes[ATTACKER] / "site"),
        scene.machine.homes[ATTACKER],
        ADVISOR_CACHE=str(site),
    )
    assert "is not used" not in done.stderr and "building" not in done.stderr
    assert barriers(scene.machine.homes[ATTACKER] / "site") == 14


SCRIPT = REPOSITORY / "advisor" / "launching" / "advisor-exec"
STEP = {"SLURM_JOB_ID": "777", "SLURM_STEP_ID": "1", "ADVISOR_PYTHON": sys.executable}


@pytest.mark.parametrize("planted", ["answer", "nothing"])
@pytest.mark.parametrize("home", ["with a home", "without"])
def test_where_the_ranks_of_a_step_would_meet(scene, home, planted):
    """advisor-exec: an answer that names a library, and a folder in which nobody will ever
    answer."""
    shared = scene.stage(f"exec-{home[:5]}-{planted}".replace(" ", "-"))
    cache = shared if home == "with a home" else shared / ".advisor-cache"
    result = scene.machine.homes[VICTIM] / shared.name
    scene.plant(
        cache / "exec" / "777-1" / (planted if planted == "answer" else ".x"),
        f"BEFORE=\nLD_PRELOAD={scene.evil}\n",
    )
    more = {"ADVISOR_CACHE": str(cache)} if home == "with a home" else {"HOME": None}
    begin = time.monotonic()
    done = scene.machine.run(
        VICTIM, [SCRIPT, scene.program], shared, 60, ADVISOR_OUTPUT=str(result), **STEP, **more
    )
    assert (done.returncode, scene.ran()) == (0, []), done.stderr
    assert time.monotonic() - begin < 30
    if home == "with a home":
        assert (
            barriers(result) == 7
            and f"ADVISOR_CACHE={cache} is not used: others can write to {cache}." in done.stderr
        )
    else:
        assert (
            done.stderr.startswith("advisor: The ranks have no folder to meet in: ")
            and done.stderr.count("\n") == 1
        )


GARBAGE = """
import os, sys
run, secret = sys.argv[1:]
name = "/dev/shm/advisor-%s-%d.record"
open(name % (run, 99999), "w").write("garbage")
with open(name % (run, 99998), "wb") as file: file.truncate(3 << 30)
os.symlink(secret, name % (run, 99997))
os.mkfifo(name % (run, 99996))
os.mkdir(name % (run, 99995))
for kind, size in (("events", 3 << 30), ("rendezvous", 4096)):
    with open("/dev/shm/advisor-%s-1.%s" % (run, kind), "wb") as file: file.truncate(size)
try: print(os.listdir("/dev/shm/advisor-%s" % secret.split("-")[-1].split("/")[0]))
except PermissionError: print("closed")
"""


def run_in_ps(seconds: float = 30) -> str:
    """ADVISOR_RUN of the job that runs, as anybody sees it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                found = re.search(
                    rb"two-users-.*ADVISOR_RUN=([0-9a-f]{16})|ADVISOR_RUN=([0-9a-f]{16}).*two-users-",
                    entry.read_bytes(),
                    re.DOTALL,
                )
            except OSError:
                continue
            if found:
                return (found.group(1) or found.group(2)).decode()
        time.sleep(0.05)
    raise AssertionError("no job is seen")


def started(scene, name, how):
    """(the victim's job when its ranks are past MPI_Init, its run, its result, the file that lets
    them go on)."""
    result, go = (scene.machine.homes[VICTIM] / f"{what}-{name}" for what in ("result", "go"))
    job = scene.machine.start(VICTIM, scene.line(result, go, *how), scene.machine.homes[VICTIM])
    return job, run_in_ps(), result, go


def records_of(run):
    return [
        path
        for pattern in ("", "advisor-*/")
        for path in Path("/dev/shm").glob(f"{pattern}advisor-{run}-*.record")
    ]


def of_victim(run):
    return [
        path
        for pattern in ("", "advisor-*/")
        for path in Path("/dev/shm").glob(f"{pattern}advisor-{run}-*")
        if path.lstat().st_uid == VICTIM
    ]


@pytest.fixture
def clean_memory():
    yield
    for path in [*Path("/dev/shm").glob("advisor-*")]:
        if path.lstat().st_uid in (ATTACKER, VICTIM):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


@pytest.mark.parametrize("taken", [False, True], ids=["own folder", "its name is taken"])
def test_records_that_are_none(scene, taken, clean_memory):
    """Garbage, three sparse gigabytes, a link, a pipe and a folder beside the record of a rank that
    is killed."""
    secret = scene.machine.homes[VICTIM] / "secret"
    if taken:
        scene.machine.python(
            ATTACKER, f"import os; os.umask(0); os.mkdir('/dev/shm/advisor-{VICTIM}')"
        )
    secret.write_text("secret")
    os.chown(secret, VICTIM, VICTIM)
    secret.chmod(0o600)
    job, run, result, go = started(scene, f"records-{taken}", ["die"])
    # A rank that dies while another one is still in its last barrier would leave that call
    # uncounted.
    while len(list(go.parent.glob(f"{go.name}.*"))) < 2 and job.poll() is None:
        time.sleep(0.05)
    listed = scene.machine.python(ATTACKER, GARBAGE, run, secret)
    go.touch()
    _, said = job.communicate(timeout=60)
    assert listed == ("[]\n" if taken else "closed\n")
    assert "could not be written" not in said
    profile = intake.read(result)
    assert (profile.run.exit_code, profile.run.launch_line[-1], barriers(result)) == (
        job.returncode,
        "die",
        14,
    )
    assert [gap.subject for gap in profile.gaps if gap.subject.startswith("record")] == []
    assert sum(path.stat().st_blocks * 512 for path in result.rglob("*")) < 8 << 20
    assert of_victim(run) == [] and len(records_of(run)) == 5
    assert list(Path("/tmp").glob(f"advisor-{run}-*")) == []


FACTS = {
    "run": {
        "program": "p",
        "arguments": [],
        "launch_line": ["p"],
        "started": "2026-01-01T00:00:00+00:00",
    }
}


@pytest.mark.parametrize("how", ["found", "named"])
def test_facts_of_a_run_that_name_what_would_be_executed(scene, how):
    """advisor exec --finish: the commands of the library are looked for beside the launcher that
    run.json names."""
    shared = scene.stage(f"finish-{how}")
    tools = scene.machine.homes[ATTACKER] / f"bin-{how}"
    library = {
        "name": "mpich",
        "version": "4.0.2",
        "path": "/usr/lib/x86_64-linux-gnu/libmpich.so.12",
        "soname": "libmpich.so.12",
    }
    facts = {
        **FACTS,
        "started": {"run": "r", "launcher": str(tools / "mpirun"), "library": library},
    }
    scene.plant(shared / "advisor-9" / "parts" / "run.json", json.dumps(facts))
    for name in (
        "mpirun",
        "mpichversion",
        "mpivars",
        "mpiname",
        "ompi_info",
        "ucx_info",
        "fi_info",
    ):
        scene.plant(tools / name, f"#!/bin/sh\n: >{scene.loot}/{name}-$(id -u)\n")
    named = ["-o", str(shared / "advisor-9")] if how == "named" else []
    done = scene.machine.run(VICTIM, advisor("exec", "--finish", "0", *named), shared)
    assert scene.ran() == [], done.stderr
    assert done.stderr.startswith(
        {
            "found": "advisor: There is no job here whose end",
            "named": "advisor: The facts of this job are not believed: ",
        }[how]
    )
    assert (shared / "advisor-9" / "parts" / "run.json").exists()


def test_a_result_folder_of_somebody_else_is_left_alone(scene):
    shared = scene.stage("folder")
    scene.plant(
        shared / "advisor-777" / "parts" / "run.json",
        json.dumps({**FACTS, "started": {"run": "777-1"}}),
    )
    done = scene.machine.run(VICTIM, [SCRIPT, scene.program], shared, **STEP)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in (shared / "advisor-777" / "parts").iterdir()] == ["run.json"]
    assert barriers(shared / "advisor-777-2") == 7
