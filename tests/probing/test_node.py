"""Facts of hosts, from copies of their /proc, /sys and /dev."""

from __future__ import annotations

import os
import platform

import pytest

from advisor.probing.node import probe_node
from recordings import recorded
from trees import TWO_SOCKETS, plant, port


def values(root: str):
    return {key: fact.value for key, fact in probe_node(root).items()}


def test_two_sockets_with_hardware_threads(tmp_path):
    expected = {
        "cpu.model": "Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz",
        "cpu.vendor": "GenuineIntel",
        "cpus": 8,
        "cores": 4,
        "sockets": 2,
        "smt": True,
        "numa_nodes": 2,
        "numa_cpus": "0-1,4-5;2-3,6-7",
        "l3_cpus": "0,4;1,5;2,6;3,7",
        "memory": 196577520 * 1024,
        "memory_limit": 68719476736,
        "cgroup_cpus": 4.0,
        "thp": "always",
        "hugepages": "2048kB:12/64",
        "memlock": -1,
        "kernel": "4.18.0-477.el8.x86_64",
        "virtual": False,
        "container": False,
        "user_namespace": False,
        "loadavg": 12.34,
        "clocksource": "tsc",
        "gpu": "",
        "xpmem": False,
        "knem": False,
        "limic": False,
        "ptrace_scope": 1,
        "cma": False,
        "infiniband": "",
        "roce": False,
        "omnipath": False,
        "efa": False,
        "slingshot": False,
        "ethernet": "eno1:10000",
    }
    found = values(plant(tmp_path, TWO_SOCKETS))
    assert {key: found[key] for key in expected} == expected


@pytest.mark.parametrize(
    "files, expected",
    [
        (
            port("mlx5_0", "InfiniBand", "100 Gb/sec (4X EDR)"),
            {"infiniband": "mlx5_0:1:InfiniBand:100", "roce": False},
        ),
        (
            port("mlx5_0", "InfiniBand", "2.5 Gb/sec (1X SDR)", "1: DOWN"),
            {"infiniband": "", "rdma_ports": "mlx5_0:1:InfiniBand:2:down"},
        ),
        (
            port("mlx5_1", "Ethernet", "25 Gb/sec (1X EDR)"),
            {"infiniband": "", "roce": True, "efa": False},
        ),
        (
            port("hfi1_0", "InfiniBand", "100 Gb/sec (4X EDR)", vendor="0x8086"),
            {"omnipath": True, "infiniband": "", "roce": False},
        ),
        (
            port("rdmap0s31", "Unspecified", "100 Gb/sec (4X EDR)", vendor="0x1d0f"),
            {"efa": True, "roce": False, "infiniband": ""},
        ),
        ({"sys/class/cxi/cxi0/device/uevent": ""}, {"slingshot": True}),
        ({"dev/xpmem": ""}, {"xpmem": True, "xpmem_mode": "0644", "xpmem_usable": True}),
        ({"dev/knem": "", "dev/limic": ""}, {"knem": True, "limic": True}),
        ({"proc/sys/kernel/yama/ptrace_scope": "0\n"}, {"ptrace_scope": 0, "cma": True}),
        ({"proc/driver/nvidia/gpus/0000:07:00.0/information": ""}, {"gpu": "nvidia:1"}),
        (
            {
                "sys/class/kfd/kfd/topology/nodes/0/properties": "simd_count 0\n",
                "sys/class/kfd/kfd/topology/nodes/1/properties": (
                    "cpu_cores_count 0\nsimd_count 440\n"
                ),
            },
            {"gpu": "amd:1"},
        ),
        ({"proc/self/uid_map": "0 100000 65536\n"}, {"user_namespace": True}),
        ({".dockerenv": ""}, {"container": True}),
        (
            {"proc/cpuinfo": "processor\t: 0\nCPU implementer\t: 0x46\n"},
            {"cpu.vendor": "Fujitsu", "cpu.model": None, "virtual": None},
        ),
        ({"proc/self/status": "Cpus_allowed_list:\t0,4\n"}, {"cpus": 2, "cores": 1, "sockets": 1}),
        (
            {"sys/devices/system/cpu/cpu3/topology/physical_package_id": "-1\n"},
            {"sockets": None, "cores": 4},
        ),
    ],
    ids=lambda case: " ".join(case)[:60] if isinstance(case, dict) else None,
)
def test_capability(tmp_path, files, expected):
    found = values(plant(tmp_path, TWO_SOCKETS, files))
    assert {key: found[key] for key in expected} == expected


def as_printed(ibstatus):
    """The files of /sys/class/infiniband that ibstatus prints."""
    device = ibstatus.split("'")[1]
    lines = (line.split(":", 1) for line in ibstatus.splitlines()[1:])
    said = {key.strip(): text.strip() for key, text in lines}
    return port(device, said["link_layer"], said["rate"], said["state"])


IBSTATUS = [
    ("ibstatus-infiniband", {"infiniband": "mlx5_0:1:InfiniBand:100", "roce": False}),
    ("ibstatus-roce", {"infiniband": "", "roce": True, "network_rate": 200}),
]


@pytest.mark.parametrize("name, expected", IBSTATUS)
def test_networks_of_real_hosts(tmp_path, name, expected):
    found = values(plant(tmp_path, TWO_SOCKETS, as_printed(recorded(name))))
    assert {key: found[key] for key in expected} == expected


CLOSED = {"proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  [...]\n"}
"""As the README of NVIDIA's driver 515.43.04 has it, quoted in the issue
NVIDIA/open-gpu-kernel-modules 171."""
OPEN = {
    "proc/driver/nvidia/version": (
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  525.60.11  Release Build "
        " (archlinux-builder@localhost)  \n"
    )
}
"""Real, as reported in the issue nix-community/nixGL 121."""


def loaded(lsmod):
    """What /sys/module holds of the modules that lsmod lists."""
    return {
        f"sys/module/{line.split()[0]}/refcnt": f"{line.split()[2]}\n"
        for line in lsmod.splitlines()
    }


NOW = loaded(
    "nvidia_peermem         16384  0\nib_core               434176  9"
    " rdma_cm,ib_ipoib,nvidia_peermem\nnvidia              56717312  550"
    " nvidia_uvm,nvidia_peermem,nvidia_modeset"
)
"""Real lsmod, as reported in the pull request leptonai/gpud 39; users shortened."""
BEFORE = loaded(
    "gdrdrv                 24576  0\nnvidia              34037760  19"
    " nvidia_uvm,nv_peer_mem,gdrdrv,nvidia_modeset"
)
"""Real output of lsmod | grep gdrdrv, as reported in the issue NVIDIA/gdrcopy 205: nv_peer_mem, of
which the line was not asked for, is among the users."""


@pytest.mark.parametrize(
    "files, peer, gdrcopy",
    [
        ({}, None, None),
        ({**CLOSED, "sys/module/nvidia/refcnt": "1\n"}, False, False),
        ({**OPEN, "sys/module/nvidia/refcnt": "1\n"}, None, False),
        ({**CLOSED, **NOW}, True, False),
        ({**OPEN, **NOW}, True, False),
        (
            {**CLOSED, **BEFORE, "sys/module/nv_peer_mem/refcnt": "0\n", "dev/gdrdrv": ""},
            True,
            True,
        ),
        (
            {
                **CLOSED,
                "sys/module/nvidia/refcnt": "1\n",
                "sys/kernel/mm/memory_peers/nv_mem/version": "",
            },
            True,
            False,
        ),
        (CLOSED, None, False),
    ],
    ids=[
        "no GPU",
        "closed driver alone",
        "open driver alone",
        "module of today",
        "both",
        "modules of before",
        "old place",
        "no list of modules",
    ],
)
def test_whether_network_cards_reach_gpu_memory(tmp_path, files, peer, gdrcopy):
    found = values(plant(tmp_path, TWO_SOCKETS, files))
    assert (found["gpu_peer_memory"], found["gdrcopy"]) == (peer, gdrcopy)


def test_first_version_of_cgroups(tmp_path):
    group = {
        "proc/self/cgroup": "9:memory:/slurm/job_7\n5:cpu,cpuacct:/slurm\n0::/\n",
        "sys/fs/cgroup/memory/slurm/job_7/memory.limit_in_bytes": "9223372036854771712\n",
        "sys/fs/cgroup/memory/slurm/memory.limit_in_bytes": "1073741824\n",
        "sys/fs/cgroup/cpu,cpuacct/slurm/cpu.cfs_quota_us": "150000\n",
        "sys/fs/cgroup/cpu,cpuacct/slurm/cpu.cfs_period_us": "100000\n",
    }
    found = values(plant(tmp_path, TWO_SOCKETS, group))
    assert (found["memory_limit"], found["cgroup_cpus"]) == (1 << 30, 1.5)


def test_no_limit_is_no_fact(tmp_path):
    found = values(plant(tmp_path, TWO_SOCKETS, {"proc/self/cgroup": "0::/user.slice\n"}))
    assert "memory_limit" not in found and "cgroup_cpus" not in found


def test_an_empty_root_tells_nothing(tmp_path):
    claimed = {
        key: value for key, value in values(str(tmp_path)).items() if value not in (None, "")
    }
    assert claimed == {}


def test_this_host():
    found = values("/")
    assert found["kernel"] == platform.release()
    assert found["cpus"] == len(os.sched_getaffinity(0))
    assert found["memory"] == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert isinstance(found["cma"], bool)


def test_hostile_files_are_no_obstacle(tmp_path):
    root = plant(tmp_path, TWO_SOCKETS)
    loop, pipe = tmp_path / "proc" / "loadavg", tmp_path / "proc" / "self" / "cgroup"
    loop.unlink(), pipe.unlink()
    loop.symlink_to("loadavg")
    os.mkfifo(pipe)
    (tmp_path / "proc" / "cpuinfo").write_bytes(os.urandom(3 << 20))
    with open(tmp_path / "proc" / "meminfo", "wb") as huge:
        huge.truncate(1 << 40)
    (tmp_path / "sys" / "devices" / "system" / "cpu" / "online").write_text("0-99999999999\n")
    found = values(root)
    assert [key for key in found if key.startswith("failed.")] == []
    assert (found["loadavg"], found["memory"], found["cpus"], found["kernel"]) == (
        None,
        None,
        8,
        "4.18.0-477.el8.x86_64",
    )
