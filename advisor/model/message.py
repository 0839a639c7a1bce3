"""A text that knows how it was made: English, with the template and the values behind it, so that a
catalogue of another language can make it anew. Where nobody asks, it is a string like any other."""

from __future__ import annotations

import re
from typing import Callable, Iterable, Mapping, Optional

Find = Callable[[str, str], Optional[str]]
"""(context, template) → the template in another language; None if it has none."""
PLACE = re.compile(r"\{([^{}]+)\}")
BETWEEN = "between the parts of a list"
"""Context of what stands between parts."""
DIGITS = ":#"
"""Behind the name of a place in a translation: of "4 ranks" only the 4."""


class Message(str):
    """`values`: what stands in the places of the template, by the words between their braces.
    `context`: what tells two meanings of the same English apart."""

    template: str
    values: Mapping[str, object]
    context: str

    def __new__(
        cls, text: str, template: str, values: Mapping[str, object] = {}, context: str = ""
    ) -> Message:
        """`text`: the English one, finished."""
        made = super().__new__(cls, text)
        made.template, made.values, made.context = template, values, context
        return made

    def __deepcopy__(self, memo: object) -> Message:
        return self  # as of any string: it never changes

    def __reduce__(self) -> tuple:
        return type(self), (str(self), self.template, dict(self.values), self.context)

    def translated(self, find: Find) -> str:
        """In another language; English, with all that is in it, if the template has no
        translation."""
        found = find(self.context, self.template)
        if found is None or not all(_name(place) in self.values for place in PLACE.findall(found)):
            return str(self)
        return PLACE.sub(lambda place: self._value(place.group(1), find), found)

    def _value(self, place: str, find: Find) -> str:
        value = self.values[_name(place)]
        is_number = isinstance(value, Counted) and place.endswith(DIGITS)
        return value.number if is_number else translated(value, find)  # type: ignore[attr-defined]

    def of(self, **values: object) -> Message:
        """Of a template that a table holds: with values in it."""
        return message_in(self.context, self.template, **values)

    def mapped(self, change: Callable[[str], str]) -> Message:
        """The same with a change to all that came from elsewhere."""
        values = {name: mapped(value, change) for name, value in self.values.items()}
        return Message(change(str(self)), self.template, values, self.context)


def _name(place: str) -> str:
    return place[: -len(DIGITS)] if place.endswith(DIGITS) else place


class Counted(Message):
    """A number with its noun: "4 ranks"."""

    @property
    def number(self) -> str:
        """Without the noun."""
        return str(self.values["number"])

    def mapped(self, change: Callable[[str], str]) -> Message:
        """As it is: nothing in it came from elsewhere."""
        return self


class _Joined(Message):
    """Messages one behind the other. `template`: what stands between them."""

    def translated(self, find: Find) -> str:
        between = find(BETWEEN, self.template) or self.template
        return between.join(translated(part, find) for part in self.values.values())

    def mapped(self, change: Callable[[str], str]) -> Message:
        values = {name: mapped(part, change) for name, part in self.values.items()}
        return _Joined(change(str(self)), self.template, values)


class _Changed(Message):
    """A message that something is done to in any language: `values` has it, and what is done."""

    def translated(self, find: Find) -> str:
        return self.values["how"](translated(self.values["of"], find))  # type: ignore[operator]

    def mapped(self, change: Callable[[str], str]) -> Message:
        values = {**self.values, "of": mapped(self.values["of"], change)}
        return _Changed(change(str(self)), "", values)


def message(template: str, **values: object) -> Message:
    """The template with these values in its places. Each template is an entry of the catalogues."""
    return message_in("", template, **values)


def message_in(context: str, template: str, **values: object) -> Message:
    """The same where one English text has several meanings."""
    return Message(filled(template, values), template, values, context)


def filled(template: str, values: Mapping[str, object]) -> str:
    """The template with values in its places."""
    return PLACE.sub(lambda place: str(values[place.group(1)]), template) if values else template


def known(text: str) -> Message:
    """A text that comes back from a file: it may be the template of a message without values."""
    return Message(text, text)


def as_data(text: str) -> object:
    """A text for JSON: of a message what it is made from, so that it can be made again."""
    if type(text) is not Message:
        return str(text)
    values = {
        name: as_data(str(value) if not isinstance(value, str) else value)
        for name, value in text.values.items()
    }
    return {"template": text.template, "values": values}


def from_data(data: object) -> str:
    """The same from JSON. Raises TypeError, KeyError if it is none."""
    if isinstance(data, str):
        return known(data)
    if not isinstance(data, dict) or not isinstance(data["values"], dict):
        raise TypeError("a message has a template and values")
    values = {str(name): from_data(value) for name, value in data["values"].items()}
    return message(str(data["template"]), **values)


def joined(separator: str, parts: Iterable[str]) -> str:
    """Texts one behind the other, of which some may be messages."""
    parts = tuple(parts)
    text = separator.join(parts)
    if not any(isinstance(part, Message) for part in parts):
        return text
    return _Joined(text, separator, {str(place): part for place, part in enumerate(parts)})


def changed(text: str, how: Callable[[str], str]) -> str:
    """What a function makes of a text, in whatever language it is read. `how`: not a lambda, so
    that documents can be pickled."""
    if not isinstance(text, Message):
        return how(text)
    return _Changed(how(str(text)), "", {"of": text, "how": how})


def behind(sign: str, text: str) -> str:
    """A text with a sign in front: "~4 ranks"."""
    if isinstance(text, Counted):
        return Counted(sign + text, text.template, {"number": sign + text.number}, text.context)
    return joined("", (sign, text)) if sign else text


_SEPARATORS = (
    message_in("between the parts of a list", ", "),
    message_in("between the parts of a list", ": "),
    message_in("between the parts of a list", "; "),
)


def unstopped(text: str) -> str:
    """Without full stops at the end."""
    return changed(text, _unstopped)


def _unstopped(text: str) -> str:
    return text.rstrip(".。")


def translated(value: object, find: Find) -> str:
    """A message in another language, anything else as it is."""
    return value.translated(find) if isinstance(value, Message) else str(value)


def mapped(value: object, change: Callable[[str], str]) -> object:
    """A text, or message, with a change to it; other values stay."""
    if isinstance(value, Message):
        return value.mapped(change)
    return change(value) if isinstance(value, str) else value
