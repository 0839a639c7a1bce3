"""Document → the same document with its sentences in another language. Commands, names, numbers and
marks for machines stay."""

from __future__ import annotations

from dataclasses import replace
from typing import Optional, Tuple

from advisor.reports.document import (
    Action,
    Document,
    Experiment,
    Gain,
    Item,
    Line,
    Quiet,
    Seen,
    Sentence,
    Span,
    TimeBar,
)
from advisor.reports.languages import Translator


def translated(document: Document, to: Translator) -> Document:
    """All that is read as a sentence. `state`, `kind`, `role` and the like are compared by
    renderers, who translate them when they print."""
    if to.language == "en":
        return document
    quiet = document.silences
    return replace(
        document,
        head=replace(
            document.head, size=to.text(document.head.size), details=_all(document.head.details, to)
        ),
        banners=_all(document.banners, to),
        verdict=tuple(_sentence(sentence, to) for sentence in document.verdict),
        time=_time(document.time, to),
        items=tuple(_item(item, to) for item in document.items),
        experiments=tuple(_experiment(each, to) for each in document.experiments),
        launch=document.launch and replace(document.launch, title=to.text(document.launch.title)),
        silences=replace(
            quiet,
            **{
                name: tuple(_quiet(entry, to) for entry in getattr(quiet, name))
                for name in ("clear", "moot", "unknown", "unseen")
            },
        ),
        measurement=tuple(_line(line, to) for line in document.measurement),
        verified=tuple(_line(line, to) for line in document.verified),
        facts=tuple(_line(line, to) for line in document.facts),
        next=(document.next[0], to.text(document.next[1])),
        footer=to.text(document.footer),
    )


def _all(texts: Tuple[str, ...], to: Translator) -> Tuple[str, ...]:
    return tuple(map(to.text, texts))


def _sentence(sentence: Sentence, to: Translator) -> Sentence:
    """Words change their order, so a translated sentence is one piece, without coloured words."""
    whole = "".join(span.text for span in sentence)
    found = to.text(whole)
    return sentence if found == whole else (Span(found),)


def _time(bar: Optional[TimeBar], to: Translator) -> Optional[TimeBar]:
    if bar is None:
        return None
    whole, enlarged = (
        tuple(
            replace(
                part,
                label=to.text(part.label),
                seconds_text=to.text(part.seconds_text),
                share_text=to.text(part.share_text),
            )
            for part in parts
        )
        for parts in (bar.whole, bar.enlarged)
    )
    return replace(bar, whole=whole, enlarged=enlarged, note=to.text(bar.note))


def _item(item: Item, to: Translator) -> Item:
    return replace(
        item,
        title=to.text(item.title),
        confidence=to.text(item.confidence),
        gain=item.gain and _gain(item.gain, to),
        no_gain=to.text(item.no_gain),
        why=to.text(item.why),
        facts=_all(item.facts, to),
        hurts=_all(item.hurts, to),
        limits=tuple(_limit(text, to) for text in item.limits),
        actions=tuple(_action(action, to) for action in item.actions),
        verified=to.text(item.verified),
    )


def _limit(text: str, to: Translator) -> str:
    """ "share = 5 %: why (source)": name, value and source stay."""
    name, colon, rest = text.partition(": ")
    found = to.text(rest)
    if found == rest and rest.endswith(")"):
        why, bracket, source = rest.rpartition(" (")
        found = to.text(why) + bracket + source
    return name + colon + found


def _gain(gain: Gain, to: Translator) -> Gain:
    return replace(
        gain,
        share_text=to.text(gain.share_text),
        ceiling_text=to.text(gain.ceiling_text),
        ceiling_name=to.text(gain.ceiling_name),
        basis=to.text(gain.basis),
    )


def _action(action: Action, to: Translator) -> Action:
    """What can be pasted, and a request that is sent as it stands, keep their words."""
    text = action.text if action.command else to.text(action.text)
    seen = tuple(Seen(one.mark, to.text(one.text)) for one in action.seen)
    return replace(
        action,
        text=text,
        who=to.text(action.who),
        check=to.text(action.check),
        undo=to.text(action.undo),
        seen=seen,
        reason=to.text(action.reason),
    )


def _experiment(each: Experiment, to: Translator) -> Experiment:
    return replace(
        each,
        title=to.text(each.title),
        subject=to.text(each.subject),
        reason=to.text(each.reason),
        before=to.text(each.before),
        check=to.text(each.check),
        undo=to.text(each.undo),
        hurts=_all(each.hurts, to),
        verified=to.text(each.verified),
    )


def _quiet(entry: Quiet, to: Translator) -> Quiet:
    missing = tuple((to.text(reason), to.text(collect)) for reason, collect in entry.missing)
    return replace(
        entry, sentence=to.text(entry.sentence), collect=to.text(entry.collect), missing=missing
    )


def _line(line: Line, to: Translator) -> Line:
    return replace(
        line,
        name=to.text(line.name),
        text=line.text if line.code else to.text(line.text),
        short=to.text(line.short),
    )
