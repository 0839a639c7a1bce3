"""Secrets planted wherever a job may have some are in no file of the result, in no form of the
report, and not on standard error.

What is recorded: of the environment, variables of MPI libraries, schedulers and thread libraries
that collectors/core/process/settings.c lists, unless name or value looks like a secret; of the
command line all words, with *** for what advisor/launching/parse/masking.py takes for one."""

from __future__ import annotations

import base64
import itertools
import pathlib
import re
import shlex
import subprocess
import sys
import zlib

import pytest

from advisor.__main__ import main
from mpi_builds import REPOSITORY, compile_program, environment, find, require

HERE = pathlib.Path(__file__).resolve().parent
MARK = "pl4nted"
"""Part of every secret below, and of nothing else."""
count = itertools.count(1)


def secret() -> str:
    return f"{MARK}{next(count):03}Zq"


UNLISTED = [
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "GITHUB_TOKEN",
    "SLURM_JWT",
    "SLURM_SPANK_X",
    "SLURM_JOB_COMMENT",
    "SLURM_EXPORT_ENV",
    "PMIX_SECURITY_NOTE",
    "PMIX_SERVER_URI41",
    "PMI_KEY",
    "PMI_AUTH",
    "MUNGE_KEY",
    "HYDRA_SECRET",
    "OMPI_SECRET",
    "HTTP_PROXY",
    "PGPASSWORD",
    "SSH_CONNECTION",
    "WANDB_API_KEY",
    "LICENSE",
    "LD_AUDIT_X",
    "VASP_LICENSE_KEY",
    "MPI_PASSWORD",
    "ADVISOR_SECRET",
    "ADVISOR_NOTE",
    "MAIL",
    "http_proxy",
    "DATABASE_URL",
    "PBS_O_MAIL",
    "LSB_SUB_PASSWORD",
    "X",
]
LISTED_BY_PREFIX = [
    "OMPI_MCA_token",
    "OMPI_MCA_x_secret",
    "UCX_AUTH_KEY",
    "FI_PASSWORD",
    "I_MPI_CREDENTIAL",
    "MPIR_CVAR_COOKIE",
    "PRTE_MCA_private_key",
    "PMIX_MCA_psec_key",
    "NCCL_JWT",
    "MV2_CERT",
    "OMPI_MCA_mca_base_env_list",
]
VALUES = {
    "OMPI_MCA_one": "token={}",
    "OMPI_MCA_two": "tcp://me:{}@host:1",
    "UCX_THREE": "a;DB_PASSWORD={};b",
    "FI_FOUR": "Bearer {}",
    "I_MPI_FIVE": "eyJhbGciOiJIUzI1NiJ9.{}.x",
    "MPIR_CVAR_SIX": "https://{}@host/",
    "SLURM_HINT": "secret: {}",
    "PBS_QUEUE": "API_KEY={}",
}
"""Variables on the list whose names tell nothing."""


def planted() -> dict:
    names = {name: secret() for name in UNLISTED + LISTED_BY_PREFIX}
    # UCX and libfabric print the names of variables that they do not know.
    return {
        **names,
        "UCX_WARN_UNUSED_ENV_VARS": "n",
        **{name: form.format(secret()) for name, form in VALUES.items()},
    }


def arguments(variables: dict) -> list:
    """Secrets as programs take them; the last but one is what a shell puts in the place of
    $AWS_SECRET_ACCESS_KEY."""
    forms = [
        "--password={}",
        "--db-url=postgres://me:{}@db/x",
        "https://{}@git.example/x.git",
        "API_TOKEN={}",
        "--key={}",
        "https://s3/x?X-Amz-Signature={}",
        '{{"secret": "{}"}}',
        "Authorization: Bearer {}",
        "--config=a=1,auth_token={},b=2",
    ]
    return [form.format(secret()) for form in forms] + [
        "--passphrase",
        secret(),
        "--login",
        f"me/{variables['AWS_SECRET_ACCESS_KEY']}",
        "plain-argument",
    ]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    made = {}

    def get(build):
        if build.name not in made:
            made[build.name] = compile_program(
                require(build),
                "c",
                [HERE / "exchange.c"],
                tmp_path_factory.mktemp("exchange") / build.name,
            )
        return made[build.name]

    return get


def advisor(words, extra, build, cwd) -> subprocess.CompletedProcess:
    whole = {**environment(build, extra), "PYTHONPATH": str(REPOSITORY)}
    return subprocess.run(
        [sys.executable, "-m", "advisor", *map(str, words)],
        env=whole,
        cwd=cwd,
        capture_output=True,
        timeout=120,
    )


def found_in(text: bytes) -> list:
    at = text.find(MARK.encode())
    return [] if at < 0 else [text[max(0, at - 80) : at + 40]]


def ours(stderr: bytes) -> bytes:
    """What we said. Open MPI for its part prints what it does not understand."""
    return b"\n".join(line for line in stderr.splitlines() if line.startswith(b"advisor:"))


def handed(build, variables: dict) -> list:
    """How the launcher is told of one more secret for the ranks."""
    return (
        ["--mca", "my_token", secret()]
        if build.family == "openmpi"
        else ["-genv", "MY_TOKEN", secret()]
    )


@pytest.mark.parametrize("name", ["ompi4", "mpich5"])
def test_run(name, program, tmp_path, capsys):
    build, variables = find(name), planted()
    line = [
        *require(build).launcher,
        "-n",
        "2",
        *handed(build, variables),
        program(build),
        *arguments(variables),
    ]
    done = advisor(["run", "-o", "result", "--", *line], variables, build, tmp_path)
    assert done.returncode == 0 and b"sum 2\n" in done.stdout, done.stderr
    assert found_in(ours(done.stderr)) == []
    looked_at = nothing_in(tmp_path / "result", capsys)
    # What may be recorded is: otherwise this test would pass on an empty report.
    assert (
        b"plain-argument" in looked_at
        and b"OMP_NUM_THREADS" in looked_at
        and b"--password=***" in looked_at
    )


def nothing_in(result: pathlib.Path, capsys) -> bytes:
    """All that can be had of a result, searched."""
    files = {file.name: file.read_bytes() for file in result.rglob("*") if file.is_file()}
    assert set(files) >= {"profile", "report.html", "report.txt"}
    forms = [
        ["report", str(result), "--format", form]
        for form in ("terminal", "markdown", "json", "html")
    ] + [["report", str(result), "--full"]]
    tables = [
        ["show", str(result), *table]
        for table in ([], ["setting"], ["run"], ["facts"], ["gaps"], ["library"])
    ]
    for words in forms + tables:
        assert main(words) == 0
        shown = capsys.readouterr()
        files[" ".join(words)] = (shown.out + shown.err).encode()
    assert main(["bundle", str(result), "-o", str(result.parent / "ticket.html")]) == 0
    page = (result.parent / "ticket.html").read_bytes()
    files["ticket"] = page + zlib.decompress(
        base64.b64decode(re.search(rb'id="advisor-profile">([^<]*)<', page).group(1))
    )
    assert {name: found for name, text in files.items() for found in found_in(text)} == {}
    return b"\n".join(files.values())


def test_killed_before_its_end(program, tmp_path):
    """What a rank leaves that never came to MPI_Finalize is read as it lies."""
    build, variables = find("mpich5"), planted()
    script = tmp_path / "killed"
    script.write_text(
        f"#!/bin/sh\nexport JOB_SECRET={secret()}\n{program(build)} --token={secret()} plain\nkill"
        " -9 $$\n"
    )
    script.chmod(0o755)
    done = advisor(
        [
            "run",
            "-o",
            "result",
            "--no-report",
            "--",
            *require(build).launcher,
            "-n",
            "1",
            script,
            *arguments(variables),
        ],
        variables,
        build,
        tmp_path,
    )
    files = [file for file in (tmp_path / "result").rglob("*") if file.is_file()]
    assert (
        files
        and [found for file in files for found in found_in(file.read_bytes())] == []
        and found_in(ours(done.stderr)) == []
    )


def test_exec_inside_a_job_script(program, tmp_path):
    build, variables = find("mpich5"), planted()
    script = tmp_path / "job.sh"
    line = [
        *require(build).launcher,
        "-n",
        "2",
        sys.executable,
        "-m",
        "advisor",
        "exec",
        "--",
        program(build),
        *arguments(variables),
    ]
    script.write_text(
        f"export MY_PASSWORD={secret()} OMPI_MCA_key={secret()}\n{shlex.join(map(str, line))}\n"
    )
    extra = {**variables, "ADVISOR_OUTPUT": str(tmp_path / "result"), "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        ["sh", script],
        env=environment(build, extra),
        cwd=tmp_path,
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    files = [file for file in (tmp_path / "result").rglob("*") if file.is_file()]
    assert (
        files
        and [found for file in files for found in found_in(file.read_bytes())] == []
        and found_in(ours(done.stderr)) == []
    )
