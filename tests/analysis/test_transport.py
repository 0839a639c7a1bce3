"""The layer that sends messages and the network that carries them, from what the collector wrote
down."""

from __future__ import annotations

import pytest

from advisor.analysis.derived import transport
from advisor.model.profile import Fact, Library, Node, Profile, Run, Setting


def profile(library: str, transport_line=None, device="", netmod="") -> Profile:
    facts = {
        key: Fact(value, "")
        for key, value in (("transport", transport_line), ("device", device))
        if value
    }
    settings = (Setting("MPIR_CVAR_CH4_NETMOD", netmod, "mpi_t"),)
    return Profile(
        Run("a"), Library(library, "1", facts=facts), (Node("a"), Node("b")), {}, settings
    )


@pytest.mark.parametrize(
    "seen, layer, fabric",
    [
        (("openmpi", "pml=ob1 btl=tcp,vader,self open=tcp"), "ob1", "tcp"),
        (("openmpi", "pml=ob1 btl=self,sm,tcp open="), "ob1", "tcp"),
        (("openmpi", "pml=ob1 btl=openib,vader,self open=infiniband/uverbs0"), "ob1", "verbs"),
        (("openmpi", "pml=ob1 btl=self,ofi,sm,tcp open="), "ob1", None),
        (("openmpi", "pml=ucx open=infiniband/uverbs0,xpmem"), "ucx", "ucx+verbs"),
        (("openmpi", "pml=ucx open=tcp"), "ucx", "ucx+tcp"),
        (("openmpi", "pml=ucx open="), "ucx", "ucx"),
        (("openmpi", "pml=cm mtl=psm2 btl=self,sm open=hfi1_0,tcp"), "cm+psm2", "psm2"),
        (("openmpi", "pml=cm mtl=ofi open=cxi0"), "cm+ofi", "ofi+cxi"),
        (("openmpi", "pml=cm mtl=ofi open=infiniband/uverbs0,tcp"), "cm+ofi", "ofi"),
        (("openmpi", "open=tcp"), None, None),
        (("mpich", "open=tcp", "ch4:ucx ofi"), "ch4:ucx", "ucx+tcp"),
        (("mpich", "open=tcp", "ch4:ucx ofi", "ofi"), "ch4:ofi", "ofi+tcp"),
        (("mvapich2", "open=infiniband/uverbs0", "ch3:mrail"), "ch3:mrail", "verbs"),
        (("mvapich2-x", "open=hfi1_0", "ch3:psm"), "ch3:psm", "psm2"),
        (("intel", "open=tcp", "ch4:ofi"), "ch4:ofi", "ofi+tcp"),
        (("openmpi", None), None, None),
    ],
)
def test_layer_and_fabric(seen, layer, fabric):
    assert (transport.layer(profile(*seen)), transport.fabric(profile(*seen))) == (layer, fabric)
