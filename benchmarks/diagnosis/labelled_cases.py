"""The cases of the set: programs, simulated with their fault and without it, and what is true of
each."""

from __future__ import annotations

import hashlib
from pathlib import Path
from random import Random
from typing import Callable, Dict, Iterator, List, NamedTuple, Sequence

from blind_programs import BLIND
from campus_programs import CAMPUS
from campus_programs_more import CAMPUS_MORE
from centre_programs import CENTRE
from centre_programs_more import CENTRE_MORE
from daily_programs import DAILY
from desk_programs import DESK
from desk_programs_more import DESK_MORE
from field_programs import FIELD
from field_programs_more import FIELD_MORE
from hotline_programs import HOTLINE
from later_programs import LATER
from mishap_programs import MISHAPS
from more_programs import MORE
from pattern_programs import PATTERNS
from programs import FAMILIES, Made
from skeleton_programs import SKELETONS
from simulator import Call, Simulation
from site_programs import SITE
from site_programs_more import SITE_MORE
from ticket_programs import TICKETS
from unseen_programs import UNSEEN

try:
    import tomllib
except ModuleNotFoundError:  # Python below 3.11
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
LABELS = tomllib.loads((HERE / "labels.toml").read_text(encoding="utf-8"))
HEALTHY = "healthy"
SLIGHT = 0.05
"""Of elapsed: a fault that costs less need not be found."""


class Case(NamedTuple):
    """`saved`: share of elapsed that goes when the fault does."""

    name: str
    made: Made
    calls: List[Call]
    saved: float


def half(name: str) -> str:
    """Which half a case belongs to. Rules are written with an eye on the first one only."""
    return "looked-at" if hashlib.sha256(name.encode()).digest()[0] % 2 else "held-out"


def families() -> Dict[str, Callable[[Random], Made]]:
    """Round by round; LATER came after the fifth, UNSEEN is the sixth, PATTERNS the seventh, FIELD
    and FIELD_MORE are the eighth, SITE and SITE_MORE the ninth, CAMPUS and CAMPUS_MORE the tenth,
    CENTRE and CENTRE_MORE the eleventh, TICKETS the twelfth, DESK and DESK_MORE the
    thirteenth, HOTLINE the fourteenth, DAILY the fifteenth."""
    earlier = {**FAMILIES, **MORE, **BLIND, **MISHAPS, **SKELETONS, **LATER, **UNSEEN, **PATTERNS}
    later = {**FIELD, **FIELD_MORE, **SITE, **SITE_MORE}
    latest = {**CENTRE, **CENTRE_MORE, **TICKETS, **DESK, **DESK_MORE, **HOTLINE, **DAILY}
    return {**earlier, **later, **CAMPUS, **CAMPUS_MORE, **latest}


def cases(seeds: int, wanted: str, only: Sequence[str] = ()) -> Iterator[Case]:
    """Simulated, one after the other."""
    for family in families():
        for seed in range(seeds):
            name = f"{family}/{seed}"
            if wanted in ("all", half(name)) and (not only or family in only):
                yield case_of(name)


def case_of(name: str) -> Case:
    """One case, FAMILY/SEED, simulated with its fault and without it."""
    made = families()[name.partition("/")[0]](Random(name))
    calls = Simulation(made.faulty, made.machine).run()
    cured = Simulation(made.cured, made.healed or made.machine).run()
    return Case(name, made, calls, 1 - _elapsed(cured) / _elapsed(calls))


def _elapsed(calls: Sequence[Call]) -> float:
    return max(call.left for call in calls)


def truth(case: Case) -> str:
    """The label; a fault that costs next to nothing is none."""
    return case.made.label if case.saved >= SLIGHT else HEALTHY


def without_calls(case: Case) -> Case:
    """What is still needed of a case once it was judged: hundreds of them take no memory."""
    return case._replace(made=case.made._replace(faulty=[], cured=[]), calls=[])
