"""What stays of a text that a scheduler, a user or a site wrote, and what stands in its place."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from analysis.profiles import profile

from advisor.bundling import gather, known, redact
from advisor.model.profile import Application, Fact, Library, Node, Run, Setting

ROOT = Path(__file__).resolve().parents[2]
MADE = profile([10.0, 10.0], [(0, "Barrier", "intra_node", -1, 3, 0, 1.0)])


@pytest.mark.parametrize(
    "name, value, expected",
    [
        ("OMPI_MCA_btl", "self,vader,tcp", "self,vader,tcp"),
        ("OMPI_MCA_coll", "^han,stealth", "^han,word1"),
        ("UCX_TLS", "rc_x,gdr_copy,cuda_ipc,sm", "rc_x,gdr_copy,cuda_ipc,sm"),
        ("UCX_RNDV_THRESH", "intra:64k,inter:auto", "intra:64k,inter:auto"),
        ("UCX_NET_DEVICES", "mlx5_0:1,bond7x:1", "mlx5_0:1,word1:1"),
        ("OMP_PLACES", "{0:4},{4:4}", "{0:4},{4:4}"),
        ("I_MPI_PIN_DOMAIN", "[0xff,0xff00]", "[0xff,0xff00]"),
        ("UCX_LOG_FILE", "/home/jkim/%h.log", "/path1"),
        ("UCX_X", "%2Fhome%2Fjkimsecret", "word1"),
        ("UCX_X", "\\\\fileserver9\\vol7", "\\\\word1\\word2"),
        ("UCX_X", "git@hub:stealth/fusion", "user1@host2:word1/word2"),
        ("UCX_X", "build7.hpc.host3", "word1.word2.word3"),
        ("UCX_X", "[fe80::1ff:fe23:4567:890a]", "[address1]"),
        ("UCX_X", "GPU-5f3c9a2e", "GPU-word1"),
        ("SLURM_CLUSTER_NAME", "gpu", "word1"),
        ("SLURM_JOB_PARTITION", "4711", "word1"),
        ("SLURM_JOB_ACCOUNT", "4711", "account1"),
        ("SLURM_JOB_COMMENT", "a b", "word1"),
        ("SLURM_JOB_NODELIST", "n[01-17,19]", "host2"),
        ("SLURM_TOPOLOGY_ADDR", "s0.s1.n7", "word1"),
        ("SLURM_NTASKS_PER_NODE", "64", "64"),
        ("SLURM_CPU_BIND", "quiet,mask_cpu:0x3", "quiet,mask_cpu:0x3"),
    ],
)
def test_values_of_settings(name, value, expected):
    (setting,) = redact(
        replace(MADE, nodes=(Node("n0"),), settings=(Setting(name, value, "environment"),))
    ).profile.settings
    assert setting.value == expected


@pytest.mark.parametrize(
    "name, expected",
    [
        ("OMPI_MCA_btl_tcp_eager_limit", "OMPI_MCA_btl_tcp_eager_limit"),
        ("UCX_STEALTH_LOG_LEVEL", "UCX_word1_LOG_LEVEL"),
        ("OMPI_MCA_btl_tcp_eager_limt", "OMPI_MCA_btl_tcp_eager_limt"),
    ],
)
def test_names_of_settings(name, expected):
    found = redact(
        replace(MADE, settings=(Setting(name, "1", "environment"),)),
        meant=lambda name: name.endswith("limt"),
    )
    assert found.profile.settings[0].name == expected


def test_a_launch_line():
    line = (
        "srun --comment stealthjob -A 4711 -w gpunode[17-19] -x WANDB_PROJECT=fusion7 --mca"
        " btl_tcp_if_include ib0 --map-by ppr:2:socket ./app in.dat 64 -nk 4"
    )
    made = redact(
        replace(
            MADE,
            nodes=(Node("n0"),),
            run=Run("./app", ("in.dat", "64", "-nk", "4"), tuple(line.split())),
        )
    ).profile.run
    assert (
        " ".join(made.launch_line)
        == "srun --comment word1 -A word2 -w host2[17-19] -x word3_PROJECT=word4 --mca"
        " btl_tcp_if_include ib0 --map-by ppr:2:socket ./app argument1 64 -nk 4"
    )


def test_a_user_who_is_called_like_a_known_word():
    """His name goes out of paths and sentences; where rules judge by the word it stays."""
    text = "Open MPI v4.1.4, package: Open MPI david@node7 Distribution"
    settings = {
        "diagonalization": Fact("david", "si.in"),
        "prefix": Fact("stealthjob", "si.in"),
        "outdir": Fact("/home/david/tmp", "si.in"),
    }
    made = redact(
        replace(
            MADE,
            library=Library("openmpi", "4.1.4", text),
            run=Run("/home/david/pw.x"),
            application=Application("quantum-espresso", settings),
        )
    ).profile
    assert (made.run.program, made.library.text) == (
        "/path1/pw.x",
        "Open MPI v4.1.4, package: Open MPI user1@host2 Distribution",
    )
    assert made.application.settings["diagonalization"].value == "david" and "prefix" not in repr(
        made.settings
    )
    assert "/home" not in repr(made) and "stealth" not in repr(made)


def test_many_hosts_take_seconds():
    nodes = tuple(
        Node(f"node{index:05}.hpc.example", {"kernel": Fact("5.14.0-362.el9.x86_64", "uname")})
        for index in range(20000)
    )
    begin = time.process_time()
    made = redact(
        replace(
            MADE,
            nodes=nodes,
            settings=(Setting("UCX_X", "node00041,NODE19999.hpc.example", "environment"),),
        )
    ).profile
    assert time.process_time() - begin < 10
    assert made.nodes[-1].name == "host20000" and made.settings[0].value == "host42,host20000"


def test_facts_that_advisor_does_not_have_are_left_out():
    facts = {
        "cores": Fact(4, "/sys/devices/system/cpu"),
        "serial": Fact(5551234567, "dmidecode"),
        "cpu.model": Fact("Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz", "/proc/cpuinfo"),
    }
    (node,) = redact(replace(MADE, nodes=(Node("n0", facts),))).profile.nodes
    assert dict(node.facts) == {name: facts[name] for name in ("cores", "cpu.model")}


def test_names_inside_longer_names_of_functions():
    made = replace(MADE, run=Run("/home/jkimsecret/bin/JKIMSECRET_solver"))
    assert redact(made).profile.run.program == "/path1/user1_solver"


def test_variables_of_schedulers_are_known_or_replaced():
    source = (ROOT / "collectors" / "core" / "settings.c").read_text()
    recorded = re.findall(r'"(\w+)"', source.partition("names[] = {")[2].partition("NULL")[0])
    assert (
        len(recorded) > 40
        and [name for name in recorded if name not in known.SCHEDULERS and not gather.kind_of(name)]
        == []
    )
