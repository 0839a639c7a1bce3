"""Copies of /proc, /sys and /dev as other machines have them, written into a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Mapping

TWO_SOCKETS = {
    "proc/cpuinfo": (
        "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) Gold 6148 CPU @"
        " 2.40GHz\nflags\t\t: fpu sse2 avx512f\n\nprocessor\t: 1\nvendor_id\t: GenuineIntel\n"
    ),
    "proc/meminfo": (
        "MemTotal:       196577520 kB\nMemFree:        190000000 kB\nHugePages_Total:       0\n"
    ),
    "proc/self/status": "Name:\tpython\nCpus_allowed:\tff\nCpus_allowed_list:\t0-7\n",
    "proc/self/limits": (
        "Limit                     Soft Limit           Hard Limit           Units     \nMax locked"
        " memory         unlimited            unlimited            bytes     \n"
    ),
    "proc/self/uid_map": "         0          0 4294967295\n",
    "proc/self/cgroup": "0::/system.slice/slurmstepd.scope/job_7/step_0\n",
    "proc/sys/kernel/osrelease": "4.18.0-477.el8.x86_64\n",
    "proc/sys/kernel/yama/ptrace_scope": "1\n",
    "proc/loadavg": "12.34 10.00 9.00 3/512 4242\n",
    "sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/memory.max": "68719476736\n",
    "sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/step_0/memory.max": "max\n",
    "sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/cpu.max": "400000 100000\n",
    "sys/devices/system/node/online": "0-1\n",
    "sys/devices/system/cpu/online": "0-7\n",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
    "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n",
    "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages": "64\n",
    "sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages": "12\n",
    "sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages": "0\n",
    "sys/class/net/eno1/type": "1\n",
    "sys/class/net/eno1/operstate": "up\n",
    "sys/class/net/eno1/speed": "10000\n",
    "sys/class/net/eno1/device/vendor": "0x8086\n",
    "sys/class/net/docker0/type": "1\n",
    "sys/class/net/docker0/operstate": "up\n",
    "dev/shm/.keep": "",
    "dev/null.txt": "",
    "sys/devices/system/node/node0/cpulist": "0-1,4-5\n",
    "sys/devices/system/node/node1/cpulist": "2-3,6-7\n",
    "sys/devices/system/node/node2/cpulist": "\n",
    **{
        f"sys/devices/system/cpu/cpu{cpu}/cache/index3/shared_cpu_list": (
            f"{cpu % 4},{cpu % 4 + 4}\n"
        )
        for cpu in range(8)
    },
    **{
        f"sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id": f"{cpu % 4 // 2}\n"
        for cpu in range(8)
    },
    **{
        f"sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list": (
            f"{cpu % 4},{cpu % 4 + 4}\n"
        )
        for cpu in range(8)
    },
}


def port(
    device: str, layer: str, rate: str, state: str = "4: ACTIVE", vendor: str = "0x15b3"
) -> Mapping[str, str]:
    """Files of an RDMA device with one port."""
    base = f"sys/class/infiniband/{device}"
    return {
        f"{base}/ports/1/link_layer": f"{layer}\n",
        f"{base}/ports/1/rate": f"{rate}\n",
        f"{base}/ports/1/state": f"{state}\n",
        f"{base}/device/vendor": f"{vendor}\n",
    }


def plant(root: Path, *parts: Mapping[str, str]) -> str:
    """Write the files below `root`; its path."""
    for part in parts:
        for name, text in part.items():
            file = root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    return str(root)
