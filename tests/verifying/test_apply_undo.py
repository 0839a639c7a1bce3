"""Settings in job scripts and overlays, and their way back byte for byte."""

from __future__ import annotations

import json
import os
import stat

import pytest

from advisor import intake
from advisor.__main__ import main
from advisor.base import resource_paths
from advisor.model.errors import UserError
from advisor.model.launch_options import contradicted
from advisor.verifying import overlay, script

SETTINGS = {"OMPI_MCA_btl": "self,vader,tcp", "UCX_TLS": "sm", "--bind-to": "core"}
BEHIND = ("--bind-to", "core", "--mca", "btl", "self,vader,tcp", "-x", "UCX_TLS=sm")
INSERTED = " ".join(BEHIND)


def words(launcher):
    """As the launch line of reports has them."""
    return (
        (("UCX_TLS=sm", "OMPI_MCA_btl=self,vader,tcp"), ("--bind-to", "core"))
        if launcher == "srun"
        else ((), BEHIND)
    )


def patched(text, settings=SETTINGS):
    return script.patched(
        text,
        settings,
        ("mpirun", "srun"),
        words,
        "x of r",
        lambda launcher: contradicted(launcher, "openmpi", settings),
    ).text


@pytest.mark.parametrize(
    "before, after",
    [
        ("mpirun -n 4 ./a\n", f"mpirun {INSERTED} -n 4 ./a\n"),
        (
            "  /opt/mpi/bin/mpirun -n 4 ./a > out # note\n",
            f"  /opt/mpi/bin/mpirun {INSERTED} -n 4 ./a > out # note\n",
        ),
        ("$MPI_HOME/bin/mpirun -n 4 ./a\n", f"$MPI_HOME/bin/mpirun {INSERTED} -n 4 ./a\n"),
        (
            "srun -n 4 ./a\n",
            "env UCX_TLS=sm OMPI_MCA_btl=self,vader,tcp srun --bind-to core -n 4 ./a\n",
        ),
        ("cd x && time mpirun -n 4 ./a; mpirun -n 2 ./b\n", None),
        ("if true; then mpirun ./a; fi\n", f"if true; then mpirun {INSERTED} ./a; fi\n"),
        ("OMP_NUM_THREADS=2 mpirun ./a\n", f"OMP_NUM_THREADS=2 mpirun {INSERTED} ./a\n"),
        ("advisor run -- mpirun ./a\n", f"advisor run -- mpirun {INSERTED} ./a\n"),
        (
            "mpirun -n 4 \\\n  --bind-to none --mca btl self,tcp \\\n  -x UCX_TLS=tcp ./a\n",
            f"mpirun {INSERTED} -n 4 \\\n  \\\n  ./a\n",
        ),
        ("mpirun -n 4 ./a\r\n", f"mpirun {INSERTED} -n 4 ./a\r\n"),
    ],
    ids=[
        "plain",
        "path",
        "path in a variable",
        "srun",
        "two in a line",
        "in a condition",
        "with a variable",
        "under advisor",
        "other values go",
        "ends of lines stay",
    ],
)
def test_launch_lines_get_the_settings_and_nothing_else_changes(before, after):
    end = "\r\n" if "\r\n" in before else "\n"
    head = f"#!/bin/bash{end}#SBATCH -n 4{end}"
    export = f"export ADVISOR_OVERLAY='x of r'{end}"
    if after is None:
        with pytest.raises(UserError, match="more than one launch"):
            patched(head + before)
        return
    assert patched(head + before) == head + export + after


@pytest.mark.parametrize(
    "line, settings, after",
    [
        (
            "mpirun --cpu-set 0 --bind-to-none -n 2 ./a",
            {"--bind-to": "core"},
            "mpirun BEHIND -n 2 ./a",
        ),
        (
            "mpirun --mca hwloc_base_cpu_list 0 --mca btl self -n 2 ./a",
            {"--bind-to": "core"},
            "mpirun BEHIND --mca btl self -n 2 ./a",
        ),
        (
            "srun --hint=nomultithread -c 4 ./a",
            {"--cpu-bind": "cores", "--cpus-per-task": "2"},
            "srun BEHIND ./a",
        ),
        ("mpirun --npernode 2 ./a", {"--map-by": "slot"}, "says how many ranks are on a host"),
    ],
)
def test_words_that_contradict_a_setting_go(line, settings, after):
    make = lambda: (
        script.patched(
            line + "\n",
            settings,
            ("mpirun", "srun"),
            lambda _: ((), ("BEHIND",)),
            "x",
            lambda each: contradicted(each, "openmpi", settings),
        ).text
    )  # noqa: E731
    if "BEHIND" not in after:
        with pytest.raises(UserError, match=after):
            make()
    else:
        assert make().splitlines()[-1] == after


@pytest.mark.parametrize(
    "line",
    [
        "which mpirun",
        "MPIRUN=mpirun",
        "# mpirun -n 4 ./a",
        "echo mpirun -n 4",
        "module load mpirun",
    ],
)
def test_what_starts_no_ranks_is_left_alone(line):
    settings = {"UCX_TLS": "sm"}
    assert (
        patched(f"#!/bin/sh\n{line}\n$MPIRUN ./a\n", settings)
        == f"#!/bin/sh\nexport ADVISOR_OVERLAY='x of r'\nexport UCX_TLS=sm\n{line}\n$MPIRUN ./a\n".replace(
            "export ADVISOR_OVERLAY='x of r'\nexport UCX_TLS=sm\n# mpirun -n 4 ./a\n",
            "# mpirun -n 4 ./a\nexport ADVISOR_OVERLAY='x of r'\nexport UCX_TLS=sm\n",
        )
    )


@pytest.mark.parametrize(
    "text, said",
    [
        ("#!/bin/tcsh\nmpirun ./a\n", "another interpreter"),
        ("#!/usr/bin/env python3\nmpirun ./a\n", "another interpreter"),
        ("$MPIRUN ./a\n", "no launch line"),
        ('mpirun -x UCX_TLS="$X" ./a\n', "cannot be replaced safely"),
    ],
)
def test_what_cannot_be_done_safely_is_refused(text, said):
    with pytest.raises(UserError, match=said):
        patched(text)


@pytest.fixture
def result(tmp_path, monkeypatch):
    """A result folder for which a setting is doable, in a working directory of its own."""
    monkeypatch.setenv("ADVISOR_EVIDENCE", str(tmp_path / "evidence.jsonl"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "result").mkdir()
    intake.write(
        intake.read(resource_paths.samples() / "verified"), tmp_path / "result" / "profile"
    )
    return tmp_path / "result"


JOB = b"#!/bin/sh\n#PBS -l nodes=1\nmpirun -n 2 ./ping_pong \xff\n"


@pytest.fixture
def job(tmp_path):
    place = tmp_path / "job.sh"
    place.write_bytes(JOB)
    place.chmod(0o750)
    return place


def test_a_copy_is_patched_and_the_script_itself_is_not(result, job, capsysbinary):
    assert main(["apply", "result", "--to", "job.sh"]) == 0
    diff = capsysbinary.readouterr().out.decode("utf-8", "surrogateescape")
    assert (
        "-mpirun -n 2 ./ping_pong" in diff
        and "+mpirun --mca btl_vader_eager_limit 65536 --mca btl_vader_max_send_size 65536 -n 2 ./ping_pong"
        in diff
    )
    copy = job.with_name("job.advisor.sh")
    assert (job.read_bytes(), stat.S_IMODE(copy.stat().st_mode)) == (JOB, 0o750)
    assert (
        b"export ADVISOR_OVERLAY='eager-limit-in-host of result'\n" in copy.read_bytes()
        and b"\xff" in copy.read_bytes()
    )
    assert main(["undo", "result"]) == 0
    assert sorted(os.listdir(result.parent)) == ["job.sh", "result"] and os.listdir(result) == [
        "profile"
    ]


def test_in_place_is_undone_bit_for_bit(result, job):
    assert main(["apply", "result", "--to", "job.sh", "--in-place"]) == 0
    assert job.read_bytes() != JOB
    assert main(["undo", "result"]) == 0
    assert (job.read_bytes(), stat.S_IMODE(job.stat().st_mode)) == (JOB, 0o750)


@pytest.mark.parametrize("damage", ["the script", "the copy as it was", "the record"])
def test_what_was_changed_since_is_not_touched(damage, result, job, capsysbinary):
    main(["apply", "result", "--to", "job.sh", "--in-place"])
    place = {
        "the script": job,
        "the copy as it was": result / "overlay" / "job.sh.before",
        "the record": result / "overlay" / "overlay.json",
    }[damage]
    place.write_bytes(place.read_bytes()[:-1] + b"#")
    before = job.read_bytes()
    assert main(["undo", "result"]) == 2
    assert b"othing was touched" in capsysbinary.readouterr().err
    assert job.read_bytes() == before and (result / "overlay" / "job.sh.before").exists()


def test_without_a_script_the_overlay_can_be_sourced(result, capsys):
    assert main(["apply", "result", "--advice", "eager-limit-in-host"]) == 0
    line = capsys.readouterr().out
    folder = overlay.folder_of(result)
    assert (
        line == (folder / "launch-line").read_text() and "--mca btl_vader_eager_limit 65536" in line
    )
    assert (folder / "environment").read_text().splitlines() == [
        "OMPI_MCA_btl_vader_eager_limit=65536",
        "OMPI_MCA_btl_vader_max_send_size=65536",
        "ADVISOR_OVERLAY=eager-limit-in-host of result",
    ]
    shown = os.popen(
        f". {folder / 'overlay.sh'}; echo $OMPI_MCA_btl_vader_eager_limit $ADVISOR_OVERLAY"
    ).read()
    assert shown == "65536 eager-limit-in-host of result\n"


@pytest.mark.parametrize(
    "words, environment, option",
    [
        (
            ["--setting", "OMPI_MCA_pml=ucx"],
            ["OMPI_MCA_pml=ucx", "ADVISOR_OVERLAY=OMPI_MCA_pml=ucx of result"],
            "--mca pml ucx",
        ),
        (
            ["--setting", "--bind-to core"],
            ["ADVISOR_OVERLAY=--bind-to core of result"],
            "--bind-to core",
        ),
        (
            ["--setting", "OMP_NUM_THREADS=1", "--advice", "eager-limit-in-host"],
            [
                "OMPI_MCA_btl_vader_eager_limit=65536",
                "OMPI_MCA_btl_vader_max_send_size=65536",
                "OMP_NUM_THREADS=1",
                "ADVISOR_OVERLAY=eager-limit-in-host,OMP_NUM_THREADS=1 of result",
            ],
            "OMP_NUM_THREADS",
        ),
    ],
)
def test_settings_of_ones_own_are_applied_alone_or_beside_advice_that_is_named(
    words, environment, option, result, capsys
):
    assert main(["apply", "result", *words]) == 0
    assert (overlay.folder_of(result) / "environment").read_text().splitlines() == environment
    assert option in capsys.readouterr().out


def test_what_is_no_setting_is_not_applied(result, capsys):
    assert main(["apply", "result", "--setting", "nonsense"]) == 2
    assert "is no setting" in capsys.readouterr().err and not overlay.folder_of(result).exists()


def test_a_setting_over_several_lines_stays_a_comment_in_the_script(result, capsys):
    main(["apply", "result", "--setting", "A=1\ntouch made"])
    os.popen(f". {overlay.folder_of(result) / 'overlay.sh'}").read()
    assert not (result.parent / "made").exists()


def test_a_second_overlay_waits_for_the_first_to_be_undone(result, capsys):
    main(["apply", "result"])
    assert main(["apply", "result"]) == 2
    assert "Undo it first: advisor undo" in capsys.readouterr().err
    assert json.loads((result / "overlay" / "overlay.json").read_text())["files"] == []


@pytest.mark.parametrize(
    "wanted, said",
    [
        ("no-such-rule", "has no finding no-such-rule"),
        ("moving-dominates", "no setting that could be applied"),
    ],
)
def test_advice_that_is_no_setting_is_refused(wanted, said, result, capsys):
    assert main(["apply", "result", "--advice", wanted]) == 2
    assert said in capsys.readouterr().err and not (result / "overlay").exists()
