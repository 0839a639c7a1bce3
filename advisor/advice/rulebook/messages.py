"""The texts of rules as messages, so that catalogues of other languages find them by the text as
its file has it."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, Collection, Iterator, List, Mapping, Tuple

from advisor.advice.rulebook.intents import book
from advisor.advice.rulebook.schema import COMMANDS
from advisor.base import resource_paths
from advisor.model.intent import FOLDER
from advisor.model.message import PLACE, Message, changed
from advisor.model.rule import Limit, Remedy, Rule

_SENTENCE = re.compile(r"\w[ ,]\(?[a-z{]|\.$|^\{")
"""What is more than a command: two words, a full stop, or a place alone."""
_COLON = re.compile("[:\uff1a]")
"""The second one stands in Japanese and Chinese."""


def message_of(text: str) -> str:
    """One text of a rule. Rules that say the same share its translation."""
    return Message(text, text, {}) if text else text


def name_of(rule: Rule) -> str:
    """Its heading where no row gives it numbers: "Ranks share cores: {n} on {cores}" without what
    is behind the colon."""
    if not PLACE.search(rule.found):
        return message_of(rule.found)
    unused = dict.fromkeys(PLACE.findall(rule.found), "")
    return changed(Message(rule.found, rule.found, unused), _before_the_colon)


def _before_the_colon(text: str) -> str:
    return _COLON.split(text, maxsplit=1)[0].rstrip()


def with_messages(rule: Rule) -> Rule:
    """The rule with all texts that people read as messages. Commands are none. A rule is made so
    when it speaks: most of them do not."""
    look = replace(
        rule.look,
        say=message_of(rule.look.say),
        evidence=tuple(map(message_of, rule.look.evidence)),
        otherwise=message_of(rule.look.otherwise),
    )
    return replace(
        rule,
        found=message_of(rule.found),
        clear=message_of(rule.clear),
        why=message_of(rule.why),
        look=look,
        limits={name: _limit(each) for name, each in rule.limits.items()},
        requires=tuple(
            replace(each, otherwise=message_of(each.otherwise)) for each in rule.requires
        ),
        remedies=tuple(_remedy(each) for each in rule.remedies),
        caveats=tuple(replace(each, text=message_of(each.text)) for each in rule.caveats),
    )


def _limit(limit: Limit) -> Limit:
    return replace(limit, why=message_of(limit.why))


def _remedy(remedy: Remedy) -> Remedy:
    text = remedy.text if remedy.kind in COMMANDS else message_of(remedy.text)
    return replace(remedy, text=text, check=message_of(remedy.check), undo=message_of(remedy.undo))


def messages_of(rule: Rule) -> Iterator[Message]:
    """All of them."""
    rule = with_messages(rule)
    look = rule.look
    texts = [rule.found, rule.clear, rule.why, look.say, look.otherwise, *look.evidence]
    texts += [each.otherwise for each in rule.requires]
    texts += [text for each in rule.remedies for text in (each.text, each.check, each.undo)]
    texts += [each.text for each in rule.caveats]
    texts += [each.why for each in rule.limits.values()]
    return (text for text in texts if isinstance(text, Message))


def extracted(
    file: BinaryIO, keywords: Mapping, comments: Collection[str], options: Mapping
) -> List[Tuple[int, str, str, List[str]]]:
    """What `pybabel extract` asks for a file of the rule book: line, function, text, comments."""
    path = Path(file.name).resolve()
    rule = _ours().get(path)
    found = {
        " ".join(text.template.split()): None
        for text in (messages_of(rule) if rule else ())
        if _SENTENCE.search(text)
    }
    if path.parent.name == FOLDER:
        found = {
            " ".join(words.text.split()): None
            for intent in book()
            for words in intent.words
            if words.kind == "none" and intent.id == path.stem
        }
    return [(1, "gettext", entry, []) for entry in found]


@lru_cache(maxsize=None)
def _ours() -> Mapping[Path, Rule]:
    """Rules by their file."""
    from advisor.advice.rulebook.load import load_rules  # it needs this module

    return {Path(rule.file).resolve(): rule for rule in load_rules([resource_paths.rules()])}
