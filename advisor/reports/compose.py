"""Advice → Document. This module alone decides content and order; renderers only render."""

from __future__ import annotations

import math
import os
import shlex
from functools import partial
from typing import Callable, Dict, Mapping, Optional, Tuple

from advisor import __version__
from advisor.base.worth.amounts import UNPRICED, Rates
from advisor.model.finding import Advice, State
from advisor.model.launch_options import contradicted
from advisor.model.message import message
from advisor.reports.composing.actions import result_of
from advisor.reports.composing.call_tree import call_tree
from advisor.reports.composing.causes import cause_table
from advisor.reports.composing.delaying_ranks import delaying_ranks
from advisor.reports.composing.efficiency import efficiency
from advisor.reports.composing.experiment import experiments
from advisor.reports.composing.first_screen import first_screen
from advisor.reports.composing.head import head
from advisor.reports.composing.headline import is_of_balance, verdict
from advisor.reports.composing.item import item, limit_text
from advisor.reports.composing.launch_line import launch_line
from advisor.reports.composing.matrix import matrix
from advisor.reports.composing.measurement import facts, measurement, run_facts, settings_table
from advisor.reports.composing.message_sizes import message_sizes
from advisor.reports.composing.operation_map import operation_map
from advisor.reports.composing.outside_mpi import outside_mpi
from advisor.reports.composing.rank_times import rank_times
from advisor.reports.composing.order import in_order
from advisor.reports.composing.pasted import with_exports
from advisor.reports.composing.rates import rates as rate_tables
from advisor.reports.composing.silences import silences
from advisor.reports.composing.stake import bounded
from advisor.reports.composing.standing import standing_notes, standings
from advisor.reports.composing.tables import tables
from advisor.reports.composing.time_bar import time_bar
from advisor.reports.composing.timeline import timeline
from advisor.reports.composing.unexplained import unexplained
from advisor.reports.composing.verified import others
from advisor.reports.composing.whole_run import by_role
from advisor.reports.composing.worth import (
    of_run,
    worth_lines,
    worth_rows,
    worth_table,
    plain_worth,
)
from advisor.reports.document import Document, Item, LaunchLine, Line
from advisor.reports.figures import Figures, Grid
from advisor.reports.lookup import Lookup
from advisor.reports.plain import plain_all

_QUARTERS = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


def compose(advice: Advice, rates: Rates = UNPRICED) -> Document:
    """Everything that a report says, the verdict first and the measurement last. Texts hold no
    control characters. `rates`: what an hour of its nodes is worth."""
    run, advice = Lookup(advice.measures), as_read(advice)
    items = tuple(
        bounded(run, finding, item(number, finding, advice.verified))
        for number, finding in enumerate(advice.findings, 1)
    )
    items = with_exports(items, run.profile)
    rows = standings(run, _offers_settings(advice))
    quiet, line = silences(advice), partial(_line, advice, items)
    worth = worth_rows(run, advice.findings, rates)
    launch = line(advice.settings or {})
    return plain_all(
        Document(
            head=head(run),
            banners=tuple(advice.measures.banners),
            time=time_bar(run),
            standings=rows,
            standing_notes=standing_notes(rows),
            items=items,
            axis=axis(items),
            launch=launch,
            figures=_figures(run),
            tables=cause_table(run, advice) + worth_table(worth, rates) + _tables(run),
            worth=plain_worth(worth, rates),
            silences=quiet,
            measurement=measurement(run) + _left(run, advice) + worth_lines(worth, rates),
            facts=facts(run, advice),
            changed_limits=tuple(limit_text(limit) for limit in advice.changed_limits),
            source=run.profile.source,
            screen=first_screen(
                run,
                advice,
                items,
                quiet,
                partial(_line_text, line),
                partial(_next, run, launch),
                of_run(worth, rates),
            ),
            footer=message(
                "Made by advisor {version}. ~ estimated, * assumed, ? unknown.",
                version=__version__,
            ),
            run=run_facts(run),
            measures=advice.measures,
            verified=others((*advice.findings, *advice.experiments), advice.verified),
            experiments=experiments(advice.experiments, run.profile.source, advice.verified),
            outside=outside_mpi(run),
        )
    )


def as_read(advice: Advice) -> Advice:
    """The advice with its findings in the order of all reports and lists."""
    run = Lookup(advice.measures)
    return in_order(advice, is_of_balance(verdict(run, by_role(run), False)))


def _figures(run: Lookup) -> Figures:
    return Figures(
        rank_times(run),
        message_sizes(run),
        operation_map(run),
        matrix(run),
        rate_tables(run),
        call_tree(run),
        efficiency(run),
        timeline(run),
    )


def _line(
    advice: Advice, items: Tuple[Item, ...], settings: Mapping[str, str]
) -> Optional[LaunchLine]:
    """The user's launch line with these settings, those that a launcher can hand over."""
    profile = advice.measures.profile
    return launch_line(
        profile.run, profile.library.name, _for_launchers(settings), items, _replaced(advice)
    )


def _line_text(line: Callable, settings: Mapping[str, str]) -> Optional[str]:
    made = line(settings)
    return made.text if made else None


def _offers_settings(advice: Advice) -> bool:
    steps = [step for finding in advice.findings for step in finding.steps]
    return any(
        step.kind in ("launch", "set") and step.state in (State.DOABLE, State.REQUEST)
        for step in steps
    )


def _for_launchers(settings: Mapping[str, str]) -> Dict[str, str]:
    """Without settings of advisor itself, which need a library of ours in the ranks: verify, apply
    and run --with put it there."""
    return {name: value for name, value in settings.items() if not name.startswith("ADVISOR_")}


def _replaced(advice: Advice) -> Dict[str, str]:
    """Settings of the run that doable steps take the place of, or that would keep them from taking
    effect, with their source."""
    names = {
        step.instead
        for finding in advice.findings
        for step in finding.steps
        if step.state is State.DOABLE and step.instead
    }
    profile = advice.measures.profile
    names.update(
        contradicted(
            os.path.basename(profile.run.launcher), profile.library.name, advice.settings or {}
        ).parameters
    )
    return {
        setting.name: setting.source
        for setting in advice.measures.profile.settings
        if setting.name in names
    }


def _tables(run: Lookup) -> Tuple[Grid, ...]:
    settings: Optional[Grid] = settings_table(run)
    return delaying_ranks(run) + tables(run) + ((settings,) if settings else ())


def _left(run: Lookup, advice: Advice) -> Tuple[Line, ...]:
    """Time that no finding explains: on the first screen it stands only where findings leave
    room."""
    left = unexplained(run, advice)
    if left is None:
        return ()
    text = message("{sentence}.", sentence=left.sentence)
    return (Line(message("Not explained"), text),)


def _next(run: Lookup, launch: Optional[LaunchLine], offered: bool) -> Tuple[str, str]:
    """A command, and why. `offered`: an action on the screen offers settings."""
    name, source = shlex.quote(result_of(run)), run.profile.source
    # A profile lies in its result folder; another tool's file lies anywhere, and its run may have
    # been elsewhere.
    ours = run.profile.run.collector == "pmpi" or os.path.basename(source) == "profile"
    if run.number("run.mpi_share") is None and ours:
        return "advisor doctor", message("what can be measured here")
    if launch and offered and os.path.basename(source) == "profile":
        return f"advisor verify {name}", message("runs with and without the settings")
    if launch and offered and len(launch.applied) > 1:
        return "advisor run -- " + launch.text, message("with all offered settings")
    return "", ""


def axis(items: Tuple[Item, ...]) -> Tuple[float, ...]:
    """Five ticks from 0 to a round number at or above the largest ceiling; empty if no finding has
    seconds."""
    most = max((entry.gain.ceiling for entry in items if entry.gain), default=0.0)
    if most <= 0:
        return ()
    power = 10.0 ** math.floor(math.log10(most / 4))
    quarter = next(step for step in _QUARTERS if step * power * 4 >= most * 0.999999) * power
    return tuple(quarter * tick for tick in range(5))
