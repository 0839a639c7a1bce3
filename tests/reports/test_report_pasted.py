"""Variables of remedies as the launcher in use takes them from a shell."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import advices
import pytest

from advisor.model.finding import State, Step
from advisor.model.profile import Library, Profile, Run
from advisor.reports import compose, render
from advisor.reports.composing.item import _action
from advisor.reports.composing.pasted import with_exports

CASES = [
    # launcher, library, kind, remedy                    what is pasted; empty: the remedy itself
    ("mpirun", "openmpi", "set", "OMPI_MCA_pml=ucx", "export OMPI_MCA_pml=ucx"),
    ("/usr/bin/mpirun", "openmpi", "set", "UCX_TLS=rc", "-x UCX_TLS=rc"),
    ("mpirun", "openmpi", "set", "A=1 OMPI_MCA_b=2", "-x A=1 -x OMPI_MCA_b=2"),
    ("srun", "openmpi", "set", "UCX_TLS=rc,sm", "export UCX_TLS=rc,sm"),
    ("mpiexec.hydra", "intel", "set", "FI_PROVIDER='a b'", "export 'FI_PROVIDER=a b'"),
    ("mpirun_rsh", "mvapich2", "set", "MV2_USE_MCAST=1", ""),
    ("mpirun", "openmpi", "launch", "--map-by core", ""),
    ("srun", "openmpi", "set", "not a variable", ""),
]


@dataclass(frozen=True)
class Parts:
    actions: tuple


@pytest.mark.parametrize("launcher, library, kind, text, paste", CASES)
def test_a_variable_is_said_as_it_is_pasted(launcher, library, kind, text, paste):
    step = Step(kind, text, "you", "", "", "", State.DOABLE, 1)
    profile = Profile(Run("app", launcher=launcher), Library(library), (), {})
    (item,) = with_exports((Parts((_action(step),)),), profile)
    assert [(each.text, each.paste) for each in item.actions] == [(text, paste)]


BARE = re.compile(r"^[\s`>*-]*[A-Z][A-Z0-9]*_\w+=\S*[\s`]*$", re.MULTILINE)


@pytest.mark.parametrize("format", ["terminal", "markdown", "mail", "html"])
@pytest.mark.parametrize(
    "launcher, library", [("mpirun", "openmpi"), ("srun", "openmpi"), ("mpiexec", "mpich")]
)
def test_no_format_has_a_variable_alone_in_a_line(format, launcher, library):
    """Pasted alone it does nothing for the next command."""
    advice = advices.slow_host()
    measures = advice.measures
    profile = replace(
        measures.profile,
        run=replace(measures.profile.run, launcher=launcher, launch_line=()),
        library=Library(library),
    )
    document = compose(replace(advice, measures=replace(measures, profile=profile)))
    page = re.sub(r"</?(code|b|span|a)\b[^>]*>", "", render(document, format, full=True))
    text = re.sub(r"<[^>]*>", "\n", page)
    assert "MV2_" in text and BARE.findall(text) == []
    assert BARE.findall("\n  MV2_A=1\n")
