"""What the commands of MPI libraries print, and what we take from it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.probing import intel, library, mpich, openmpi, transports
from recordings import FOLDER, recorded

PARTS = "ucx ofi psm2 cma knem xpmem cuda rocm ze hcoll ucc mcast sharp".split()
OPENMPI = {
    "ompi_info-4.1.4": {"ucx", "ofi", "psm2", "cma"},
    "ompi_info-5.0.11": {"ucx", "ofi", "cma"},
    "ompi_info-4.1.4-xpmem-knem": {"cma", "knem", "xpmem"},
}
"""Recorded output → of PARTS those that are built in."""
HCOLL = 'mca:coll:hcoll:version:"component:4.1.4"\n'
"""The line that an Open MPI 4.1 built --with-hcoll has besides: made from that which Debian's
prints of tuned."""


@pytest.mark.parametrize("name", OPENMPI)
def test_openmpi_is_built_with(name):
    assert openmpi.built_with(recorded(name)) == {part: part in OPENMPI[name] for part in PARTS}


def test_openmpi_with_ucc():
    # Whether multicast and SHARP work depends on how UCC was built.
    expected = {part: part in ("ucx", "ucc") for part in PARTS if part not in ("mcast", "sharp")}
    assert openmpi.built_with(recorded("ompi_info-4.1.4-ucc")) == expected
    assert {"coll_ucc_enable", "coll_ucc_priority"} <= openmpi.parse_names(
        recorded("ompi_info-4.1.4-ucc")
    )


def test_openmpi_with_hcoll():
    # Whether multicast and SHARP work depends on how hcoll was built.
    parts = [part for part in PARTS if part not in ("mcast", "sharp")]
    expected = {part: part in OPENMPI["ompi_info-4.1.4"] or part == "hcoll" for part in parts}
    assert openmpi.built_with(recorded("ompi_info-4.1.4") + HCOLL) == expected


@pytest.mark.parametrize(
    "name, mechanism, eager_limit",
    [("ompi_info-4.1.4", "cma", "4096"), ("ompi_info-4.1.4-xpmem-knem", "xpmem", "32768")],
)
def test_openmpi_with_xpmem_sends_more_at_once(name, mechanism, eager_limit):
    values = openmpi.parse_values(recorded(name))
    assert (values["btl_vader_single_copy_mechanism"], values["btl_vader_eager_limit"]) == (
        mechanism,
        eager_limit,
    )


def test_openmpi_with_cuda():
    text = (
        recorded("ompi_info-4.1.4") + "mca:mpi:base:param:mpi_built_with_cuda_support:value:true\n"
    )
    assert (
        openmpi.built_with(text)["cuda"],
        openmpi.built_with(recorded("ompi_info-4.1.4"))["cuda"],
    ) == (True, False)


def test_openmpi_facts():
    facts = {}
    openmpi.parse(recorded("ompi_info-5.0.11"), facts)
    assert facts["version"].value == "5.0.11"
    assert facts["components.smsc"].value == "cma"
    assert (
        facts["components.coll"].value
        == "adapt basic ftagree han inter libnbc monitoring self sm sync tuned"
    )
    assert facts["built_with.thread_multiple"].value is True
    assert "'--with-ucx=/opt/openmpi'" in facts["configure"].value


def test_openmpi_settings():
    names = openmpi.parse_names(recorded("ompi_info-4.1.4"))
    assert {
        "coll_tuned_allreduce_algorithm",
        "btl_vader_single_copy_mechanism",
        "btl_vader_eager_limit",
    } <= names
    assert (
        openmpi.parse_values(recorded("ompi_info-4.1.4"))["btl_vader_single_copy_mechanism"]
        == "cma"
    )


def test_openmpi_of_a_cluster_with_gpus():
    """Without --all it lists no components: nothing is claimed of them, and the configure line is
    kept."""
    facts = {}
    openmpi.parse(recorded("ompi_info-5.0.2-cuda"), facts)
    assert facts["version"].value == "5.0.2" and "--with-cuda=" in facts["configure"].value
    assert [key for key in facts if key.startswith("built_with.")] == []


@pytest.mark.parametrize(
    "name, version, known",
    [
        (
            "library_version-mvapich2-2.3.6",
            "2.3.6",
            dict(knem=True, mcast=True, cma=True, limic=False, xpmem=False),
        ),
        (
            "library_version-mvapich2-2.3.2",
            "2.3.2",
            dict(mcast=False, cma=True, cuda=False, xpmem=False),
        ),
        ("mpichversion-mvapich2-2.3.7", "2.3.7", dict(mcast=True, cma=True, limic=False)),
        (
            "library_version-mvapich2-2.3.7",
            "2.3.7",
            dict(mcast=False, cma=True, limic=False, xpmem=False),
        ),
        (
            "mpichversion-mvapich2-2.3.7-without-mcast",
            "2.3.7",
            dict(mcast=False, cma=True, limic=False, xpmem=False),
        ),
    ],
)
def test_mvapich2_of_centres(name, version, known):
    fields = mpich.parse_version(recorded(name))
    assert (fields["version"], fields["device"]) == (version, "ch3:mrail")
    found = mpich.built_with(fields["device"], fields["configure"], "mvapich2")
    assert {key: found[key] for key in known} == known


@pytest.mark.parametrize(
    "name, version, device, built_with",
    [
        ("mpichversion-4.0.2", "4.0.2", "ch4:ucx", {"ucx": True, "ofi": False}),
        ("mpichversion-5.0.2", "5.0.2", "ch4:ucx ofi", {"ucx": True, "ofi": True}),
    ],
)
def test_mpich(name, version, device, built_with):
    fields = mpich.parse_version(recorded(name))
    assert (fields["version"], fields["device"]) == (version, device)
    known = mpich.built_with(fields["device"], fields["configure"], "mpich")
    absent = dict.fromkeys(("psm2", "mcast", "sharp", "cuda", "rocm", "ze"), False)
    assert known == {**built_with, **absent}
    assert mpich.thread_multiple(fields["configure"]) is True


def test_mpiname():
    fields = mpich.parse_mpiname(recorded("mpiname-mvapich2-2.3.7"))
    assert fields == {
        **mpich.parse_version(recorded("mpichversion-mvapich2-2.3.7-without-mcast")),
        "device": "ch3:mrail",
        "version": "2.3.7",
    }
    known = mpich.built_with(fields["device"], fields["configure"], "mvapich2")
    assert known == dict(
        ucx=False,
        ofi=False,
        psm2=False,
        cma=True,
        limic=False,
        mcast=False,
        sharp=False,
        cuda=False,
        xpmem=False,
    )


def test_mpiname_of_mvapich2_x():
    """Made from the form above and the options that a centre published; the library is not to be
    had."""
    text = (
        "MVAPICH2-X 2.3rc3 Thu Mar 5 22:00:00 EST 2020 ch3:psm\n\nCompilation\nCC:"
        " icc\n\nConfiguration\n--disable-mcast --with-device=ch3:psm --with-xpmem=/opt/xpmem/"
        " --with-ch3-rank-bits=32\n"
    )
    fields = mpich.parse_mpiname(text)
    assert (fields["version"], fields["device"]) == ("2.3rc3", "ch3:psm")
    known = mpich.built_with(fields["device"], fields["configure"], "mvapich2-x")
    assert {key: known[key] for key in ("cma", "limic", "mcast", "xpmem", "psm2")} == dict(
        cma=True, limic=False, mcast=False, xpmem=True, psm2=True
    )


@pytest.mark.parametrize(
    "configure, name, known",
    [
        (
            "--with-limic2=/opt/limic2 --without-cma",
            "mvapich2",
            dict(limic=True, cma=False, mcast=True),
        ),
        ("--enable-mpit-pvars=all", "mvapich2", dict(limic=False, cma=True, mcast=True)),
    ],
)
def test_options_of_mvapich2(configure, name, known):
    found = mpich.built_with("ch3:mrail", configure, name)
    assert {key: found[key] for key in known} == known


@pytest.mark.parametrize(
    "configure, option, expected",
    [
        ("--with-xpmem=/opt/xpmem --prefix=/x", "xpmem", True),
        ("'--with-xpmem=no'", "xpmem", False),
        ("--without-xpmem", "xpmem", False),
        ("--with-xpmem --without-xpmem", "xpmem", False),
        ("--with-xpmem-headers=/opt", "xpmem", None),
        ("--enable-mcast", "mcast", True),
        ("--disable-mcast", "mcast", False),
        ("", "mcast", None),
    ],
)
def test_configure_option(configure, option, expected):
    assert mpich.chosen(configure, option) is expected


def test_intel():
    table, everything = recorded("impi_info-2021.18.1"), recorded("impi_info-all-2021.18.1")
    assert {"I_MPI_ADJUST_BCAST", "I_MPI_PIN"} <= intel.parse_names(table)
    assert "NAME" not in intel.parse_names(table)
    assert {"I_MPI_DEBUG_OUTPUT", "I_MPI_CC"} <= intel.parse_names(everything)
    assert intel.parse_version(recorded("mpiexec-version-2021.18.1")) == "2021.18.1"
    assert intel.parse_version("Intel(R) MPI Library 2019 Update 4 for Linux* OS") == "2019.4"


def test_mpich_settings():
    names = mpich.parse_names(recorded("mpivars-5.0.2"))
    assert names == {
        "MPIR_CVAR_BARRIER_INTRA_ALGORITHM",
        "MPIR_CVAR_BARRIER_INTER_ALGORITHM",
        "MPIR_CVAR_BARRIER_DISSEM_KVAL",
    }


def test_transports():
    assert transports.parse_ucx_version(recorded("ucx_info-v-1.13.1")) == "1.13.1"
    here = transports.parse_ucx_devices(recorded("ucx_info-d-1.13.1"))
    assert here == {
        ("self", "memory0"),
        ("tcp", "lo"),
        ("tcp", "eth0"),
        ("sysv", "memory"),
        ("posix", "memory"),
        ("cma", "memory"),
    }
    assert transports.parse_ucx_devices(recorded("ucx_info-d-mlx5")) == {("rc_mlx5", "mlx5_0:1")}
    assert transports.parse_ucx_devices(recorded("ucx_info-d-several-devices")) == {
        ("tcp", "virbr0"),
        ("tcp", "ib0"),
        ("tcp", "enp7s0f0"),
    }
    assert transports.parse_ucx_devices(recorded("ucx_info-d-infiniband")) == {
        ("rc_verbs", "mlx5_0:1")
    }
    assert transports.parse_ucx_devices(recorded("ucx_info-d-connected-dynamically")) == {
        ("dc_mlx5", "mlx5_1:1")
    }
    assert transports.parse_ucx_devices(recorded("ucx_info-d-1.9")) == {
        ("ud_verbs", "mlx5_1:1"),
        ("ud_mlx5", "mlx5_1:1"),
    }
    assert transports.parse_ucx_devices(recorded("ucx_info-d-xpmem")) == {("xpmem", "memory")}
    assert transports.parse_ucx_devices(recorded("ucx_info-d-efa")) == {("srd", "rdmap162s0:1")}
    assert {"psm2", "tcp", "shm", "ofi_rxm"} <= transports.parse_providers(
        recorded("fi_info-l-1.17.0")
    )


@pytest.mark.parametrize(
    "name, shared",
    [
        ("ucx_info-d-xpmem", True),
        ("ucx_info-d-1.13.1", True),
        ("ucx_info-d-several-devices", False),
    ],
)
def test_whether_ucx_shares_memory_by_what_it_lists(name, shared):
    names = frozenset(transport for transport, _ in transports.parse_ucx_devices(recorded(name)))
    assert transports.shares_memory("/nowhere/libucp.so.0", names) == (shared, "ucx_info -d")


@pytest.mark.parametrize(
    "name, kinds",
    [
        ("ucx_info-d-rocm", {"rocm"}),
        ("ucx_info-d-cuda", {"cuda"}),
        ("ucx_info-d-infiniband", set()),
    ],
)
def test_whose_gpus_ucx_reaches_by_what_it_lists(name, kinds):
    seen = [transport for transport, _ in transports.parse_ucx_devices(recorded(name))]
    assert transports.gpu_kinds(seen) == kinds


# Names as UCC's and Open MPI's own build systems give them (openucx/ucc, src/components/tl/sharp).
@pytest.mark.parametrize(
    "names, module, found",
    [
        (("libucc.so.1",), "ucc/libucc_tl_sharp.so", "ucc/libucc_tl_sharp.so"),
        (("libucc.so.1",), "ucc/libucc_tl_ucp.so", ""),
        (("libhcoll.so.1", "libsharp_coll.so.5"), "", "libsharp_coll.so.5"),
        (("libhcoll.so.1",), "", ""),
    ],
)
def test_whether_there_is_a_part_for_switches(tmp_path, names, module, found):
    if module:
        (tmp_path / module).parent.mkdir()
        (tmp_path / module).touch()
    loaded = {name: str(tmp_path / name) for name in names}
    assert library.sharp_of(loaded) == (str(tmp_path / found) if found else "")


def test_whether_ucx_shares_memory_by_its_library(tmp_path):
    """Where nothing lists the transports, the library that carries them has their names; where it
    has not, nothing is claimed."""
    beside = str(tmp_path / "libucp.so.0")
    assert transports.shares_memory(beside) == (None, str(tmp_path / "libuct.so.0"))
    for content, expected in ((b"uct_self_tl", None), (b"uct_self_tl\0uct_posix_tl", True)):
        (tmp_path / "libuct.so.0").write_bytes(content)
        assert transports.shares_memory(beside)[0] is expected


def test_every_recording_says_what_it_is():
    assert [file.name for file in FOLDER.iterdir() if not file.read_text().startswith("# ")] == []


PARSERS = (
    openmpi.parse_components,
    openmpi.parse_values,
    openmpi.parse_names,
    openmpi.parse_single_copy,
    openmpi.built_with,
    mpich.parse_version,
    mpich.parse_mpiname,
    mpich.parse_names,
    mpich.thread_multiple,
    intel.parse_names,
    intel.parse_version,
    transports.parse_ucx_version,
    transports.parse_ucx_devices,
    transports.parse_providers,
)
FRAGMENTS = st.sampled_from(
    [
        "mca:",
        "btl:",
        ':version:"component',
        "value:",
        "\n",
        " | ",
        "MVAPICH2 ",
        "ch3:",
        "# Device: ",
        "Configuration\n",
        "--with-",
        "=",
        "\t",
    ]
)


@pytest.mark.parametrize(
    "parser",
    PARSERS,
    ids=lambda parser: f"{parser.__module__.rsplit('.', 1)[-1]}.{parser.__name__}",
)
@settings(max_examples=60, deadline=None)
@given(text=st.lists(st.one_of(FRAGMENTS, st.text(max_size=30)), max_size=30).map("".join))
def test_any_text_can_be_parsed(parser, text):
    parser(text)
