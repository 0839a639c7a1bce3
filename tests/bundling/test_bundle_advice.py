"""The advice of a bundle is that of the profile it was made from, but for the neutral names in
it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, Iterator, Tuple

import pytest

from advisor import advice, analysis, bundling, intake, reports
from advisor.analysis.metrics.setting_names import is_meant
from advisor.cli.rule_book import rule_folders
from advisor.model.profile import Application, Fact, Profile, Setting
from advisor.reports.data import content

ROOT = Path(__file__).resolve().parents[2]
OTHERS = (
    "caliper-waits-2r-profile.json",
    "ipm-waits-2r-full.xml",
    "mpip-waits-2r.mpiP",
    "scorep-waits-2r-profile.cubex",
    "talp-waits-2r.json",
)
FILES = [
    *sorted((ROOT / "samples" / "profiles").glob("*.json")),
    ROOT / "samples" / "verified" / "profile",
    *(ROOT / "tests" / "foreign" / "recorded" / name for name in OTHERS),
]
OPEN_MPI, MPICH, LAMMPS = (
    ROOT / "samples" / "profiles" / f"{name}.json"
    for name in ("uneven_compute.4r", "late_rank.before.4r", "lmp_lj.2r")
)
_ALIAS = re.compile(r"(?:/path|host|user|account|address|argument|word)\d+")
GIVEN = {
    "misspelt, unknown and private": (
        OPEN_MPI,
        {
            "OMPI_MCA_btl_tcp_eager_limt": "65536",
            "OMPI_MCA_stealth_tuning": "1",
            "SLURM_JOB_PARTITION": "stealth",
            "UCX_LOG_FILE": "/home/jkim/x.log",
        },
    ),
    "known to the library alone": (
        OPEN_MPI,
        {
            "OMPI_MCA_mtl": "^ofi",
            "OMPI_MCA_allocator_bucket_num_buckets": "30",
            "OMPI_MCA_mtl_base_verbos": "1",
        },
    ),
    "without shared memory": (
        OPEN_MPI,
        {"OMPI_MCA_btl": "self,tcp", "UCX_TLS": "rc,self", "OMPI_MCA_coll": "^han,stealth"},
    ),
    "fixed algorithms": (
        OPEN_MPI,
        {
            "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
            "OMPI_MCA_coll_tuned_allreduce_algorithm": "3",
            "OMPI_MCA_osc": "pt2pt",
        },
    ),
    "of other libraries": (
        OPEN_MPI,
        {
            "I_MPI_ADJUST_ALLREDUCE": "2",
            "MV2_USE_MCAST": "1",
            "MPICH_ASYNC_PROGRESS": "1",
            "I_MPI_PIN_DOMAIN": "core",
            "I_MPI_EAGER_THRESHOLD": "65536",
        },
    ),
    "of MPICH": (
        MPICH,
        {
            "MPIR_CVAR_ASYNC_PROGRESS": "1",
            "MPIR_CVAR_CH4_NETMOD": "ucx",
            "MPIR_CVAR_NOLOCAL": "1",
            "FI_PROVIDER": "tcp",
            "OMP_NUM_THREADS": "4",
            "MPIR_CVAR_CH4_NUM_VCIS": "4",
        },
    ),
}


def with_settings(profile: Profile, given: dict) -> Profile:
    return replace(
        profile,
        settings=profile.settings
        + tuple(Setting(name, value, "environment") for name, value in given.items()),
    )


def judged(profile: Profile) -> dict:
    book = advice.read_rules(rule_folders([]))
    return content(
        reports.compose(
            advice.judge(analysis.measure(profile, book.intents), book.rules, book.mistakes)
        )
    )


def texts(value: Any, place: str = "") -> Iterator[Tuple[str, Any]]:
    """All that stands in a part of a report, with its place."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from texts(part, f"{place}.{name}")
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from texts(part, f"{place}.{index}")
    else:
        yield place, value


def differences(before: Any, after: Any) -> list:
    """Where two parts of reports differ by more than neutral names."""
    pairs = zip(texts(before), texts(after))
    longer = (
        [("length", len(list(texts(before))), len(list(texts(after))))]
        if len(list(texts(before))) != len(list(texts(after)))
        else []
    )
    return longer + [(place, old, new) for (place, old), (_, new) in pairs if not same(old, new)]


def same(old: Any, new: Any) -> bool:
    if not isinstance(old, str) or not isinstance(new, str):
        return old == new
    return re.fullmatch(".+?".join(map(re.escape, _ALIAS.split(new))), old, re.DOTALL) is not None


def bundled(profile: Profile) -> Profile:
    return bundling.redact(profile, meant=lambda name: is_meant(name, profile.library)).profile


def compared(profile: Profile) -> None:
    before, after = judged(profile), judged(bundled(profile))
    assert before["findings"] or before["silences"], "nothing is compared"
    for part in ("verdict", "time", "standings", "findings", "silences", "banners"):
        assert differences(before[part], after[part]) == [], part


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_of_recorded_runs(file):
    compared(intake.read(file))


@pytest.mark.parametrize("name", GIVEN)
def test_of_settings(name):
    file, given = GIVEN[name]
    compared(with_settings(intake.read(file), given))


def test_of_a_known_program():
    profile = intake.read(LAMMPS)
    settings = {
        **profile.application.settings,
        "kspace_style": Fact("pppm/kk 1e-4", "in.stealth"),
        "processors": Fact("* 1 1", "in.stealth"),
        "balance": Fact("none", "in.stealth"),
    }
    compared(replace(profile, application=Application("lammps", settings)))


def test_a_bundle_of_a_bundle_is_the_same():
    once = bundled(with_settings(intake.read(OPEN_MPI), GIVEN["misspelt, unknown and private"][1]))
    twice = bundled(once)
    assert (once.run, once.settings, once.library, once.nodes, once.gaps) == (
        twice.run,
        twice.settings,
        twice.library,
        twice.nodes,
        twice.gaps,
    )
