"""What advice asks for that is no setting: edits of a script, an input file or a program, which
`advisor apply` leaves to its user."""

from __future__ import annotations

from typing import Collection, List

from advisor.model.finding import Advice
from advisor.reports import compose
from advisor.reports.composing.actions import first_sentence
from advisor.reports.document import Item
from advisor.reports.first_screen import Advised


def by_hand(advice: Advice, applied: Collection[str]) -> List[str]:
    """One line for each thing to do of the first screen, by the rule of its finding, with the
    command or the change; without those `applied`."""
    document = compose(advice)
    found = []
    for action in document.screen.actions:
        item = document.items[action.finding - 1] if action.finding else None
        if item is not None and item.rule not in applied:
            found.append(f"{item.rule}: {_edit(item, action)}")
    return found


def _edit(item: Item, action: Advised) -> str:
    step = item.actions[0]
    text = first_sentence(step.text)
    if step.command and step.file:
        return f"in {step.file}: {'; '.join(filter(None, step.text.splitlines()))}"
    return f"{text} ({action.command})" if step.change and action.command else text
