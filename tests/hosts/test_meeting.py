"""Ranks on hosts that share no memory learn from the result folder whether all of them have the
collector."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_hosts import Hosts, why_impossible
from lines import advised, launch
from mpi_builds import compile_program, find, require

pytestmark = pytest.mark.skipif(bool(why_impossible()), reason=why_impossible())
CLEAR = '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 3 ] && unset LD_PRELOAD; exec "$@"'


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """build → traffic.c compiled with it."""
    folder = tmp_path_factory.mktemp("meeting")
    return lambda build: compile_program(
        require(build), "c", [Path(__file__).with_name("traffic.c")], folder / build.name
    )


@pytest.mark.parametrize("name", ["ompi4", "mpich5"])
def test_all_have_it(name, program, tmp_path):
    build = find(name)
    with Hosts(2, own_memory=True) as pair:
        done = advised(build, pair, launch(build, pair, 2, [program(build), 2, 1000]), tmp_path)
    assert done.code == 0, done.err
    ranks, peers = done.profile.tables["ranks"], done.profile.tables["peers"]
    assert (ranks["state"].tolist(), ranks["node"].tolist()) == ([2] * 4, [0, 0, 1, 1])
    assert set(peers["path"]) == {"intra_node", "other"}  # known only to ranks that met


@pytest.mark.parametrize("name", ["ompi4", "mpich5"])
def test_one_on_the_second_host_has_none(name, program, tmp_path):
    """Nobody waits for it; what the others counted comes into the result folder from both hosts."""
    build = find(name)
    with Hosts(2, own_memory=True) as pair:
        done = advised(
            build,
            pair,
            launch(build, pair, 2, ["sh", "-c", CLEAR, "sh", program(build), 2, 1000]),
            tmp_path,
        )
    assert done.code == 0, done.err
    assert done.profile.tables["ranks"]["rank"].tolist() == [0, 1, 2]
    assert "1 of 4 ranks did not report: 3" in " ".join(done.report.split())
