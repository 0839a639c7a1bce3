"""Settings that a rank reads from its library are those that MPI_T tells the program itself."""

from __future__ import annotations

import pathlib

import pytest

from advisor.intake.read import read
from mpi_builds import compile_program, find, preloaded, require, run

SHOW = pathlib.Path(__file__).resolve().parent.parent / "intents" / "show.c"
SET = {
    "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
    "OMPI_MCA_coll_tuned_allreduce_algorithm": "recursive_doubling",
    "OMPI_MCA_btl_tcp_eager_limit": "12345",
    "OMPI_MCA_coll": "^monitoring",
}
ASKED = (
    "coll",
    "coll_tuned_use_dynamic_rules",
    "coll_tuned_allreduce_algorithm",
    "btl_tcp_eager_limit",
    "coll_tuned_priority",
    "coll_han_priority",
    "btl_vader_eager_limit",
    "btl_vader_max_send_size",
    "osc_rdma_priority",
    "mpi_leave_pinned",
    "mpi_yield_when_idle",
    "mpi_preconnect_mpi",
)


@pytest.mark.parametrize("name", ("ompi4", "ompi5"))
def test_settings_are_those_of_the_tool_interface(name, collector, tmp_path):
    build = require(find(name))
    program = compile_program(build, "c", [SHOW], tmp_path / "show")
    done = run(
        build,
        1,
        [
            *preloaded(collector(build), tmp_path),
            program,
            "init",
            *("cvar:" + each for each in ASKED),
        ],
        SET,
    )
    assert done.returncode == 0, done.stderr
    reported = dict(line[len("cvar:") :].split(" ", 1) for line in done.stdout.splitlines())
    seen = {
        setting.name: setting.value
        for setting in read(tmp_path / "merged.profile").settings
        if setting.source == "mpi_t"
    }
    assert {each: seen.get(each, "absent") for each in ASKED} == reported
    assert reported == {
        **reported,
        "coll": "^monitoring",
        "coll_tuned_use_dynamic_rules": "true",
        "coll_tuned_allreduce_algorithm": "3",
        "btl_tcp_eager_limit": "12345",
    }
