"""ADVISOR_ENDPOINTS as a setting: the library comes into the ranks with it, and into no launch line
that is to be pasted."""

import os
import re
from argparse import Namespace
from dataclasses import replace

import pytest

from advisor import intake
from advisor.base.resource_paths import samples
from advisor.cli import choosing, verify
from advisor.cli.report import judged
from advisor.launching.run import endpoints
from advisor.model.errors import UserError
from advisor.reports.compose import _for_launchers
from advisor.verifying.trial import Command
from mpi_builds import compile_program, find, require

EMPTY = "#include <mpi.h>\nint main(void) { MPI_Init(0, 0); MPI_Finalize(); }\n"


@pytest.fixture(scope="module")
def line(tmp_path_factory):
    build = require(find("mpich5"))
    folder = tmp_path_factory.mktemp("switch")
    (folder / "empty.c").write_text(EMPTY)
    program = compile_program(build, "c", [folder / "empty.c"], folder / "empty")
    return (build.launcher[0], "-n", "1", program, "input", ":", "-n", "1", program)


def test_every_program_of_a_line_gets_the_library(line):
    profile = intake.read(samples() / "profiles" / "heat.4r.json")
    profile = replace(profile, library=replace(profile.library, name="mpich"))
    found = choosing.applied(
        Command(line, {}, samples()), {"ADVISOR_ENDPOINTS": "2", "FI_PROVIDER": "tcp"}, profile
    ).words
    assert found[:4] == (line[0], "-genv", "FI_PROVIDER", "tcp")
    own = [place for place, word in enumerate(found) if word == "ADVISOR_ENDPOINTS=2"]
    assert len(own) == 2 and all(
        re.search(r"^LD_PRELOAD=/.*/advisor-endpoints-mpich-5[^/]*\.so$", found[place + 1])
        for place in own
    )
    assert all(found[place - 1].endswith("env") and found[place + 2] == line[3] for place in own)


def test_an_overlay_preloads_it(line):
    """Files that a job takes up have no other way into the ranks."""
    profile = intake.read(samples() / "profiles" / "heat.4r.json")
    profile = replace(
        profile,
        run=replace(profile.run, launch_line=line, launcher="mpirun", directory=str(samples())),
    )
    found = choosing.preloading({"ADVISOR_ENDPOINTS": "2", "FI_PROVIDER": "tcp"}, profile, True)
    assert found == {
        "ADVISOR_ENDPOINTS": "2",
        "FI_PROVIDER": "tcp",
        "LD_PRELOAD": str(endpoints.built(line, os.environ, print)),
    }
    assert choosing.preloading({"FI_PROVIDER": "tcp"}, profile, False) == {"FI_PROVIDER": "tcp"}


def test_it_is_built_once(line):
    said = []
    first = endpoints.built(line, os.environ, lambda text: None)
    assert endpoints.built(line, os.environ, said.append) == first and said == []


def test_a_line_without_mpi_is_refused():
    with pytest.raises(UserError, match="is not an MPI program"):
        endpoints.inserted(("/bin/true",), {"ADVISOR_ENDPOINTS": "2"}, os.environ, print)


def test_lines_to_paste_are_without_it():
    assert _for_launchers({"ADVISOR_ENDPOINTS": "2", "UCX_TLS": "rc"}) == {"UCX_TLS": "rc"}


def test_advice_that_cannot_be_applied_here_does_not_keep_others_from_being_tried(
    line, monkeypatch, capsys
):
    profile = intake.read(samples() / "profiles" / "heat.4r.json")
    profile = replace(profile, library=replace(profile.library, name="mpich"))
    chosen = [
        choosing.Chosen(
            "reductions-in-pieces", ("reductions-in-pieces",), {"ADVISOR_ENDPOINTS": "2"}
        ),
        choosing.Chosen("other", ("other",), {"FI_PROVIDER": "tcp"}),
    ]
    monkeypatch.setattr(verify, "_chosen", lambda advice, profile, arguments: chosen)
    begin = Command((line[0], "-n", "1", "/bin/true"), {}, samples())  # no MPI in it
    advice = judged(profile, [], False)

    def changes(*named):
        arguments = Namespace(advice=list(named), against=[], rules=[])
        return [change.name for change in verify._changes(begin, profile, advice, arguments)]

    assert changes() == ["other"]
    assert "is not an MPI program" in capsys.readouterr().err
    with pytest.raises(UserError, match="is not an MPI program"):
        changes("reductions-in-pieces")
