"""The collector's facts of a host, on every host of a job, against those of the launch host: the
same tree, the same answer."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from advisor.probing.node import probe_node
from mpi_builds import REPOSITORY
from trees import TWO_SOCKETS, plant, port

OWN = {"cpus", "memlock", "shm_free", "shm_size"}
"""Facts that the collector takes from the kernel by calls, not from files: those of this machine.
"""
MORE = {"rdma_ports", "network_ports"}
GROUPS = {
    "proc/self/cgroup": "9:memory:/slurm/job_7\n5:cpu,cpuacct:/slurm\n0::/\n",
    "sys/fs/cgroup/memory/slurm/job_7/memory.limit_in_bytes": "9223372036854771712\n",
    "sys/fs/cgroup/memory/slurm/memory.limit_in_bytes": "1073741824\n",
    "sys/fs/cgroup/cpu,cpuacct/slurm/cpu.cfs_quota_us": "150000\n",
    "sys/fs/cgroup/cpu,cpuacct/slurm/cpu.cfs_period_us": "100000\n",
}
TREES = {
    "two sockets": (),
    "InfiniBand": (
        port("mlx5_0", "InfiniBand", "200 Gb/sec (4X HDR)"),
        port("mlx5_1", "InfiniBand", "10 Gb/sec (4X SDR)", "1: DOWN"),
    ),
    "RoCE": (port("mlx5_1", "Ethernet", "25 Gb/sec (1X EDR)"),),
    "Omni-Path": (port("hfi1_0", "InfiniBand", "100 Gb/sec (4X EDR)", vendor="0x8086"),),
    "EFA": (port("rdmap0s31", "Unspecified", "100 Gb/sec (4X EDR)", vendor="0x1d0f"),),
    "Slingshot": (
        {
            "sys/class/cxi/cxi0/device/uevent": "",
            "sys/class/net/hsn0/type": "1\n",
            "sys/class/net/hsn0/operstate": "up\n",
            "sys/class/net/hsn0/speed": "200000\n",
            "sys/class/net/hsn0/device/vendor": "0x17db\n",
        },
    ),
    "devices": ({"dev/xpmem": "", "dev/knem": "", "dev/limic": "", "dev/infiniband/umad0": ""},),
    "GPUs": (
        {
            "proc/driver/nvidia/gpus/0000:07:00.0/information": "",
            "sys/class/kfd/kfd/topology/nodes/1/properties": "simd_count 440\n",
        },
    ),
    "a container": ({".dockerenv": "", "proc/self/uid_map": "0 100000 65536\n"},),
    "the first version of control groups": (GROUPS,),
    "no control group": ({"proc/self/cgroup": "0::/user.slice\n"},),
    "packages unknown": ({"sys/devices/system/cpu/cpu3/topology/physical_package_id": "-1\n"},),
}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    compiler = shutil.which("cc") or shutil.which("gcc") or pytest.skip("no C compiler")
    core, output = REPOSITORY / "collectors" / "core", tmp_path_factory.mktemp("facts") / "facts"
    parts = [
        core / f"{name}.c"
        for name in ("facts", "sheet", "limits", "networks", "devices", "settings", "secrets")
    ]
    words = [
        compiler,
        "-std=gnu11",
        "-I",
        core,
        REPOSITORY / "tests" / "probing" / "facts_of_tree.c",
        *parts,
        "-o",
        output,
    ]
    subprocess.run(list(map(str, words)), check=True)
    return str(output)


def reported(program: str, root: str):
    lines = subprocess.run(
        [program, root], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return {line.split("\t")[0]: line.split("\t")[1] for line in lines}


def as_text(value) -> str:
    return (
        {True: "true", False: "false"}.get(value, str(value))
        if isinstance(value, bool)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )


@pytest.mark.parametrize("files", TREES.values(), ids=TREES)
def test_same_tree_same_answer(program, tmp_path, files):
    root = plant(tmp_path, TWO_SOCKETS, *files)
    collector = {key: value for key, value in reported(program, root).items() if key not in OWN}
    launcher = {
        key: as_text(fact.value) for key, fact in probe_node(root).items() if fact.value is not None
    }
    assert collector == {key: launcher.get(key) for key in collector}
    missing = set(launcher) - set(collector) - OWN - {"xpmem_mode"}
    assert missing == set()


def test_a_folder_without_anything_tells_nothing(program, tmp_path):
    assert set(reported(program, str(tmp_path))) <= OWN
