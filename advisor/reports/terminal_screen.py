"""The first screen in a terminal, and in a mail: at most 25 lines of 80 columns."""

from __future__ import annotations

import re
import shlex
from itertools import product, zip_longest
from typing import Callable, Dict, List, NamedTuple, Optional, Pattern, Sequence, Tuple

from rich.cells import cell_len
from rich.text import Text

from advisor.reports.first_screen import MOST_POLICIES, Advised, FirstScreen, Policy
from advisor.reports.page import Page, one_line, padded, without_quotes

MOST_LINES = 25
NARROW = 60
"""Below so many columns bars go, and of the calls all but their time; commands stay."""
LANE, LEAST_LANE = 30, 6
_STYLES = {"waiting": "yellow", "transfer": "blue", "io": "blue", "no_core": "red"}
_GLYPHS = {
    "between_polls": "▒",
    "no_core": "▚",
    "unsplit": "▒",
    "polling": "▒",
    "startup": "░",
    "other": "░",
}
_BETWEEN = 2
_INDENT = "   "


class Room(NamedTuple):
    """What is shown where there is room for it."""

    calls: int = 5
    actions: int = 3
    gaps: int = 5
    """Blank lines: the sections that need one most come first."""
    lines: int = 9
    """Of one text of an action: whole sentences, and at least one."""
    whole: bool = True
    """No text of an action ends within a sentence."""
    cautions: bool = True
    checks: bool = True
    settings: bool = True
    """What meets a policy."""
    reply: bool = False
    """What the reply to a ticket says besides."""

    @property
    def lacks(self) -> int:
        """How much a reader misses."""
        return (
            _LESS_CALLS[5 - self.calls]
            + _LESS_ACTIONS[3 - self.actions]
            + _LESS_GAPS[5 - self.gaps]
            + _LESS_LINES[self.lines]
            + 60 * (not self.whole)
            + 7 * (not self.cautions)
            + (not self.checks)
            + 2 * (not self.settings)
        )


_LESS_CALLS, _LESS_ACTIONS = (0, 1, 3), (0, 3, 33)
_LESS_GAPS, _LESS_LINES = (0, 1, 5, 9, 16, 23), {9: 0, 2: 6, 1: 34}
"""What each step towards less costs: air between sections is worth more than a fifth call."""
_ROOMS = sorted(
    (
        Room(*room)  # type: ignore[arg-type]
        for room in product(
            (5, 4, 3), (3, 2, 1), range(6), (9, 2, 1), *((True, False) for _ in range(4))
        )
    ),
    key=lambda room: room.lacks,
)
_GAPS = ("calls", "actions", "parts", "verdict", "end")
_SMALLEST = Room(2, 1, 0, 1, False, False, False, False)
_ALL = 9
"""Lines of a text that is not cut."""
_SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=。)")
_CLAUSES = re.compile(r"; (\w+: )?|: |, and | \(")
"""Where a title may end: what it names stands first, and figures behind that."""


def first_screen(page: Page, screen: FirstScreen) -> None:
    """The screen at the end of the page, with as much of it as has room."""
    drawn = _Drawn(page, screen)
    room = next((room for room in _ROOMS if drawn.height(room) <= MOST_LINES), _SMALLEST)
    page.lines += drawn.lines(room)


def whole_screen(page: Page, screen: FirstScreen, below: bool = False, reply: bool = False) -> None:
    """All of it, where lines are not counted. `below`: all findings follow; `reply`: to a
    ticket."""
    page.lines += _Drawn(page, screen, below).lines(Room(checks=not reply, reply=reply))


class _Drawn:
    """The sections of a screen, each drawn once for each room that it may have."""

    def __init__(self, page: Page, screen: FirstScreen, below: bool = False) -> None:
        self._page, self._screen, self._below = page, screen, below
        self._kept: Dict[tuple, List[Text]] = {}

    def height(self, room: Room) -> int:
        """Lines that it takes."""
        return len(self.lines(room))

    def lines(self, room: Room) -> List[Text]:
        """All sections, with blank lines between them."""
        screen, found = self._screen, []  # type: ignore[var-annotated]
        sections = {
            "run": self._section(_run, screen),
            "verdict": self._section(_verdict, screen),
            "parts": self._section(_parts, screen),
            "calls": self._section(_calls, screen, room.calls),
            "actions": self._actions(room),
            "end": self._section(_end, screen, room.checks),
        }
        for name, section in sections.items():
            if section and found and name in _GAPS[: room.gaps]:
                found.append(Text())
            found += section
        return found

    def _actions(self, room: Room) -> List[Text]:
        actions, policies = self._screen.actions, self._screen.policies
        found = list(self._section(_policies, policies, room.settings))
        if not actions:
            return found
        if found and room.gaps == len(_GAPS):
            found.append(Text())
        left = max(0, len(actions) - room.actions) + self._screen.more
        # What else has room does not change the texts of an action: each is drawn once.
        texts = room._replace(calls=5, actions=3, gaps=5, checks=True, settings=True)
        found += self._section(_heading, left, self._below)
        for number, action in enumerate(actions[: room.actions], 1):
            found += self._section(_action, action, number, texts)
        return found

    def _section(self, draw: Callable, *content: object) -> List[Text]:
        key = (draw, *(each for each in content if isinstance(each, (int, Room))))
        if key not in self._kept:
            own = Page(self._page.width, self._page.color, self._page.ascii_only, self._page.words)
            draw(own, *content)
            self._kept[key] = own.lines
        return self._kept[key]


def _verdict(page: Page, screen: FirstScreen) -> None:
    page.wrapped(without_quotes(screen.verdict), "bold")


def _run(page: Page, screen: FirstScreen) -> None:
    """As many pieces a line as fit; the program is cut before the line is too long."""
    line = ""
    for piece in map(one_line, screen.run):
        longer = f"{line} · {piece}" if line else piece
        if line and cell_len(longer) > page.width:
            page.wrapped(line, "bold")
            longer = piece
        line = longer
    page.line((cut(page.known(line), page.width), "bold"))
    if screen.ticket:
        page.wrapped(page.gettext("Ticket: {note}", note=screen.ticket))
    if screen.preview:
        page.wrapped(without_quotes(screen.preview), "bold")


def cut(text: str, cells: int, front: bool = False) -> str:
    """At most so many cells; what is left out, at the end or in `front`, is told by "…"."""
    if cell_len(text) <= cells:
        return text
    while text and cell_len(text) > cells - 1:
        text = text[1:] if front else text[:-1]
    return f"…{text}" if front else f"{text.rstrip()}…"


def _parts(page: Page, screen: FirstScreen) -> None:
    parts = screen.parts
    if not parts:
        return
    rows = [
        tuple(page.known(text) for text in (part.label, part.share_text, part.seconds_text))
        for part in parts
    ]
    wide = [max(cell_len(row[at]) for row in rows) for at in range(3)]
    room = page.width - sum(wide) - 3 * _BETWEEN
    longest = max(part.share for part in parts)
    # Every number names its base: bars give way to words.
    lanes = [
        (room - cell_len(page.known(part.detail)) - 2) * longest / part.share
        for part in parts
        if part.detail and part.role not in ("other", "startup")
    ]
    lane = max(LEAST_LANE, int(min([LANE, room, *lanes])))
    for part, row in zip(parts, rows):
        text = f"{padded(row[0], wide[0])}  {_right(row[1], wide[1])}  {_right(row[2], wide[2])}  "
        if page.width < NARROW:
            line = f"{text}{page.known(part.detail)}"
            page.line(((line if cell_len(line) <= page.width else text).rstrip(), ""))
            continue
        length = max(1 if part.share >= 0.005 else 0, round(lane * part.share / longest))
        bar = _GLYPHS.get(part.role, "█") * length
        detail = page.known(part.detail)
        fits = detail and cell_len(detail) + length + 2 <= room
        page.line(
            (text, ""),
            (bar, _STYLES.get(part.role, "dim" if part.role == "computing" else "")),
            (f"  {detail}" if fits else "", "dim"),
        )


def _right(text: str, cells: int) -> str:
    return " " * max(0, cells - cell_len(text)) + text


def _calls(page: Page, screen: FirstScreen, most: int) -> None:
    if not screen.calls:
        return
    _ = page.gettext
    heads = [
        _("MPI call"),
        _("time"),
        _("waiting"),
        _("calls/rank"),
        _("size"),
        _("call site"),
    ]
    rows = [
        [
            page.known(one_line(text))
            for text in (row.call, row.time, row.waiting, row.calls, row.size, row.site)
        ]
        for row in screen.calls[:most]
    ]
    kept = [at for at in range(6) if any(row[at] for row in rows)]
    kept = kept if page.width >= NARROW else kept[:2]
    wide = {
        at: max(cell_len(text) for text in (heads[at], *(row[at] for row in rows))) for at in kept
    }
    # Columns stand closer where call sites would be cut: their ends alone name no file.
    needed = sum(wide.values()) - wide.get(5, 0) + max(cell_len(_short(row[5])) for row in rows)
    gap = 2 if needed + 2 * (len(kept) - 1) + 1 <= page.width else 1
    for place, row in enumerate([heads, *rows]):
        line = ""
        for at in kept:
            left = at in (0, 5)
            between = " " * (gap + (at == 5)) if at else ""
            if at == 5:
                line += between + _place(row[at], page.width - cell_len(line + between))
            else:
                line += between + (padded(row[at], wide[at]) if left else _right(row[at], wide[at]))
        page.line((line.rstrip(), "" if place else "dim"))


def _place(text: str, cells: int) -> str:
    """The function alone, then its end, where there is no room for more."""
    short = text if cell_len(text) <= cells else _short(text)
    return cut(short, cells, front=True)


def _short(place: str) -> str:
    return place.rpartition("::")[2]


def _policies(page: Page, policies: Sequence[Policy], settings: bool) -> None:
    """One line each, and what meets it."""
    right = page.gettext("policy of this site")
    for policy in policies[:MOST_POLICIES]:
        (title,) = _at_most(page, without_quotes(policy.title), page.width - cell_len(right) - 2, 1)
        space = " " * (page.width - cell_len(title) - cell_len(right))
        page.line((title, ""), (space + right, ""))
        for part in continued(policy.command, page.width - len(_INDENT)) if settings else ():
            page.line((_INDENT + part, "bold")) if part else None
    more = len(policies) - MOST_POLICIES
    if more > 0:
        page.wrapped(page.gettext("{count} more policies in the full report", count=more))


def _heading(page: Page, left: int, below: bool) -> None:
    _ = page.gettext
    title = _("What to do")
    if left > 0 and below:
        title = _("What to do ({count} more below)", count=left)
    elif left > 0:
        title = _("What to do ({count} more in the full report)", count=left)
    page.split("", title, _("may save"))


def _action(page: Page, action: Advised, number: int, room: Room) -> None:
    gain, text = [page.known(action.gain)], without_quotes(action.title)
    if action.rows:
        rows = f"({page.known(action.rows)})"
        both = f"{gain[0]} {rows}"
        fits = cell_len(page.known(text)) + cell_len(both) <= page.width - 5
        gain = [both] if fits else [*gain, rows]
    if action.either:
        room = room._replace(lines=_ALL, whole=True)
    wide = page.width - 3 - max(map(cell_len, gain)) - 2
    title = _at_most(page, text, wide, room.lines, _CLAUSES if room.whole else None)
    for place, (part, right) in enumerate(zip_longest(title, gain, fillvalue="")):
        head = padded(f"{number}" if place == 0 else "", 3) + part
        space = " " * (page.width - cell_len(head) - cell_len(right)) if right else ""
        page.line((head.rstrip() if not right else head, ""), (space + right, ""))
    inner = page.width - len(_INDENT)
    _indented(page, action.do, room)
    if action.file:
        page.line((_INDENT + page.gettext("in {file}:", file=action.file), ""))
    words = action.command.split("\n") if action.file else continued(action.command, inner)
    for part in words if action.command else ():
        page.line((_INDENT + part, "bold"))
    _ = page.gettext
    if room.reply:
        _indented(page, _("At most: {text}", text=action.most) if action.most else "", room)
        _indented(page, _("Check: {text}", text=action.check) if action.check else "", room)
        _indented(page, _("Undo: {text}", text=action.undo) if action.undo else "", room)
    if room.cautions and action.caution:
        _indented(page, _("Caution: {text}", text=action.caution), room)
    if room.reply and action.help_url:
        page.line((_INDENT + _("More: {text}", text=action.help_url), ""))


def _indented(page: Page, text: str, room: Room) -> None:
    width = page.width - len(_INDENT)
    ends, text = _SENTENCES if room.whole else None, without_quotes(text)
    parts = _at_most(page, text, width, room.lines, ends)
    lead = _SENTENCES.split(text)[-1]
    if ends and len(parts) >= room.lines and lead.endswith(":") and not parts[-1].endswith(lead):
        # What leads to the command below stays.
        parts = page.parts(" ".join((*(part.strip() for part in parts), lead)), width)
    for part in parts:
        page.line((_INDENT + part, "")) if part else None


def _at_most(
    page: Page, text: str, width: int, lines: int, ends: Optional[Pattern[str]] = None
) -> List[str]:
    """The text in so many lines. `ends`: up to the last of them that has room, and to the first in
    any case; without, what is cut off is told by "…"."""
    parts = page.parts(text, width)
    for end in reversed(list(ends.finditer(text))) if ends else ():
        if len(parts) > lines:
            parts = page.parts(text[: end.start()], width)
    if ends or len(parts) <= lines:
        return parts
    return [*parts[: lines - 1], cut(f"{parts[lines - 1]} {parts[lines]}", width)]


def continued(command: str, width: int) -> List[str]:
    """A command that can be pasted, with a backslash at the end of each line but the last."""
    if cell_len(command) <= width:
        return [command]
    lines, line = [], ""
    for word in _words(command):
        longer = f"{line} {word}" if line else word
        if line and cell_len(longer) > width - 2:
            lines.append(line + " \\")
            longer = "  " + word
        line = longer
    return [*lines, line]


def _words(command: str) -> Sequence[str]:
    try:
        return [shlex.quote(word) for word in shlex.split(command)]
    except ValueError:
        return command.split(" ")


def _end(page: Page, screen: FirstScreen, checks: bool) -> None:
    _ = page.gettext
    if screen.trust:
        page.wrapped(without_quotes(screen.trust), "dim", _("Trust: "), 0)
    if screen.checks and checks:
        page.wrapped(without_quotes(screen.checks), "dim")
    last = [(_("Full:"), screen.full), (_("Next:"), screen.next[0])]
    last = [each for each in last if each[1]]
    why = f"({page.known(screen.next[1])})" if screen.next[1] else ""
    one = "  ".join(f"{name} {command}" for name, command in last)
    if cell_len(one) <= page.width:
        _on_one_line(page, last, why if cell_len(f"{one}  {why}") <= page.width else "")
        return
    for name, command in last:
        parts = continued(command, page.width - cell_len(name) - 1)
        for place, part in enumerate(parts):
            page.line((f"{name} " if place == 0 else "", ""), (part, "bold"))
    # Why to go on stands where it needs no line of its own.
    if why and cell_len(f"{last[-1][0]} {parts[-1]} {why}") <= page.width and len(parts) == 1:
        page.lines[-1].append(f" {why}")


def _on_one_line(page: Page, commands: Sequence[Tuple[str, str]], why: str) -> None:
    pieces = [
        piece for name, text in commands for piece in ((f"{name} ", ""), (f"{text}  ", "bold"))
    ]
    page.line(*pieces, (why, ""))
