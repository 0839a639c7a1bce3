"""The form of a rule file: every section, every key, what it may hold and what it means.

The loader reads by this table and `advisor rules schema` prints it, so that the two cannot
disagree.
"""

from __future__ import annotations

from typing import Mapping, NamedTuple, Tuple

from advisor.model.finding import State

FOLDERS = (
    "balance",
    "waiting",
    "messages",
    "collectives",
    "onesided",
    "placement",
    "library",
    "application",
    "io",
    "gpu",
    "measurement",
)
"""Folders of the rule book: the question that a rule answers."""

STATUSES = ("stable", "trial", "muted")
POLICY = "policy"
KINDS = ("advice", POLICY)
MUST = "must"
"""The severity of policies alone: what is asked for whatever it gains."""
SEVERITIES = (MUST, "high", "medium", "low", "note")
NONE = "none"
RECORDS = "records"
"""The basis that names a topic of records in place of expressions."""
CHANGES = ("ranks", "program", "launcher", "submit")
"""How the words of a change begin."""
BASES = ("measured", "model", "published", RECORDS, NONE)
ACTIONS = ("launch", "set", "input", "code", "do")
CONDITION = "condition"
"""Stands in place of that and else: a condition of conditions.toml."""
INTENT = "intent"
"""Stands in place of one of the actions: the words of each library for the same thing."""
COMMANDS = ("launch", "set", "input")
"""Those that are pasted as they stand: a number in them that is not known withholds them."""
RISKS = ("results", "start", "slower")
"""What a remedy may do beyond not helping."""
STATES = tuple(
    word
    for state in State
    for word in dict.fromkeys((state.name.lower().replace("_", " "), state.value))
)
"""A state by its short name or as reports print it."""
VERDICTS = ("found", "clear", "moot", "unknown")


class Key(NamedTuple):
    """`kind`: text, sentence (text with places in braces), expression, sentences, expressions
    (lists), quantity, number, address (of a page), ownership (an expression over the table cause
    and the row at hand), factor, whole, yes/no, interval, given. `choices`: the only texts
    allowed, if any."""

    kind: str
    meaning: str
    required: bool = False
    choices: Tuple[str, ...] = ()


class Section(NamedTuple):
    """`many`: written [[name]], once for each. `named`: the keys are names that the author
    chooses."""

    keys: Mapping[str, Key]
    meaning: str
    many: bool = False
    named: bool = False
    required: bool = False


HELP_URL = Key("address", "a page of the site about it, https:// or http://; reports link to it")
TOP: Mapping[str, Key] = {
    "schema": Key("whole", "version of this form: 1", True),
    "id": Key(
        "text", "name of the rule, as its file: words in small letters with - between them", True
    ),
    "found": Key(
        "sentence",
        "heading if the rule speaks: the cause; numbers of this run stand behind a colon",
        True,
    ),
    "clear": Key("text", "sentence if all is well", True),
    "status": Key(
        "text", "stable; trial: confidence is never high; muted: not judged", False, STATUSES
    ),
    "kind": Key(
        "text",
        "advice, the default: it saves time; policy: what a site asks for, whatever it gains",
        False,
        KINDS,
    ),
    "severity": Key(
        "text",
        "fixed severity, which policies need; otherwise it follows from the seconds at stake; must:"
        " of policies alone",
        False,
        SEVERITIES,
    ),
    "help_url": HELP_URL,
    "why": Key("text", "why it costs time, in plain words", True),
    "given": Key(
        "given",
        "what cases have in common: tables that a case leaves out, and columns of a table of one"
        " row",
    ),
}

LIMIT: Mapping[str, Key] = {
    "value": Key("quantity", 'a number, or a quoted quantity such as "10 s", "8 KiB", "5 %"', True),
    "why": Key("text", "why this value", True),
    "source": Key("text", "where the value comes from"),
}

REMEDY = Section(
    {
        "for": Key(
            "text",
            'library and versions ("openmpi >=4,<6"), "any", "other" (where no other remedy fits),'
            ' "app NAME", "launcher NAME", "slurm"; several joined by " and "',
            True,
        ),
        "launch": Key("sentence", "options of the launch line"),
        "set": Key("sentence", "variables: NAME=VALUE, several with a blank between them"),
        "input": Key("sentence", "lines of an input file of the program, which `file` names"),
        "code": Key("sentence", "a change in the program"),
        "do": Key("sentence", "anything else, in one imperative"),
        "intent": Key(
            "text",
            "a file of rules/intents: a remedy for each library that has words there; `for` narrows"
            " them",
        ),
        "value": Key(
            "text", "of intent: the number or word that is filled in; it may be a place in braces"
        ),
        "file": Key("text", "of input: the file that the lines belong to, such as INCAR"),
        "instead": Key(
            "sentence",
            "of set: a variable at hand whose place it takes; the launch line of the report is"
            " without it",
        ),
        "source": Key("text", "manual, publication or measurement; an intent brings its own"),
        "who": Key(
            "text",
            "who can do it; nobody: no setting helps, and the text says what to do instead",
            False,
            ("you", "centre", "developer", "nobody"),
        ),
        "check": Key("sentence", "how to see that it is in force"),
        "undo": Key("sentence", "how to take it back"),
        "needs": Key("expressions", "capabilities that must be seen to hold"),
        "request": Key("sentence", "ready text for the centre, if they do not"),
        "effort": Key("whole", "1 one variable, 2 relaunch, 3 rebuild, 4 code, 5 administrator"),
        "risk": Key(
            "text",
            "results: it can change what the program computes, so only a developer can tell, and"
            " advisor never sets, applies or verifies it; start: the job may not start with it, so"
            " verify looks at that first; slower: it may cost time",
            False,
            RISKS,
        ),
        "change": Key(
            "sentence",
            "of do: the same as words, so that the first screen has a command that holds it:"
            " ranks N; program OPTION VALUE; program without OPTION; launcher OPTION=VALUE; submit"
            " COMMAND OPTION",
        ),
    },
    "what to do for one library, version, launcher or application; one of launch, set, input, code,"
    " do, intent",
    many=True,
)

CAVEAT = Section(
    {
        "text": Key("sentence", "when it hurts", True),
        "when": Key("expression", "said only if this holds; empty: always said"),
        "then": Key(
            "text",
            "doubt lowers the confidence, withdraw takes the row back",
            False,
            ("doubt", "withdraw"),
        ),
        "source": Key("text", "where this is known from"),
        "of": Key(
            "texts",
            "a part of the text of each remedy that it is about, and without which it is not said;"
            " left out: it holds whatever is done",
        ),
    },
    "when it hurts",
    many=True,
)

EVIDENCE = Section(
    {
        "text": Key("text", "what was measured or published", True),
        "source": Key("text", "by whom, when, where", True),
        "low": Key("factor", "speed-up factor, lower end; 1 = no change"),
        "high": Key("factor", "speed-up factor, upper end"),
        "conditions": Key("text", "what else was true there"),
        "ranks": Key(
            "whole", "ranks that it was measured with; a few raise no confidence in a finding"
        ),
    },
    "a published or measured result",
    many=True,
)

SECTIONS: Mapping[str, Section] = {
    "look": Section(
        {
            "each": Key("text", "the table whose rows are looked at", True),
            "where": Key("expression", "rows for which the question arises; empty: all"),
            "when": Key("expression", "rows that the rule finds", True),
            "else": Key("sentence", "what is said if no row is asked about"),
            "say": Key("sentence", "what is said of a row that was found", True),
            "evidence": Key("sentences", "more facts about that row"),
        },
        "where the rule looks",
        required=True,
    ),
    "limit": Section(
        LIMIT, "named thresholds, each with a reason: name = { value, why }", named=True
    ),
    "require": Section(
        {
            "that": Key("expression", "without which nothing may be said", True),
            "else": Key(
                "sentence", "what is said if it does not hold: the rule is then moot", True
            ),
            CONDITION: Key("text", "in place of both: the name of one of conditions.toml"),
        },
        "conditions of the whole run",
        many=True,
    ),
    "evidence": EVIDENCE,
    "gain": Section(
        {
            "low": Key("expression", "what is saved at least; not with records or none"),
            "high": Key("expression", "what is saved at most; not with records or none"),
            "basis": Key(
                "text",
                "where the two come from; records: from those of a topic that are nearest to"
                " the run",
                True,
                BASES,
            ),
            "records": Key(
                "text", "of basis records: the topic, as files of the folder evidence have it"
            ),
            "before": Key(
                "expression",
                "of basis records: the setting at hand, where records tell what it was before the"
                " change",
            ),
            "source": Key("text", "measurement, model or publication; not with none"),
            "ceiling": Key("expression", "time at stake, in the same unit; records need it"),
            "ranks": Key("whole", "of basis measured: with how many ranks"),
            "owns": Key(
                "ownership",
                "causes (rows of the table cause) that a row found explains: they give the ceiling,"
                " and belong to no later finding",
            ),
            "beyond": Key(
                "expression", "what goes besides the causes that it owns, added to their ceiling"
            ),
            "work_stays": Key(
                "yes/no",
                "true: no remedy lets ranks compute less in all, so that the run gets no shorter than"
                " they compute on average",
            ),
            "unit": Key("text", "share of elapsed, or seconds", False, ("share", "s")),
            "balance": Key(
                "yes/no",
                "true: about balance or placement, so that the ceiling of settings does not apply",
            ),
        },
        "what may be saved",
    ),
    "remedy": REMEDY,
    "caveat": CAVEAT,
    "case": Section(
        {
            "name": Key("text", "what the case shows", True),
            "given": Key(
                "given",
                "tables of measures: a row, or a list of rows; what is left out, here and in [given],"
                " is unknown",
            ),
            "expect": Key("text", "the verdict", True, VERDICTS),
            "gain": Key(
                "interval", "low and high in the unit of the gain; [] if no number may be given"
            ),
            "remedy": Key("text", "a part of the remedy's text"),
            "state": Key("text", "what can be done", False, STATES),
        },
        "a test of the rule",
        many=True,
    ),
}

AMEND_TOP: Mapping[str, Key] = {
    "schema": TOP["schema"],
    "amends": Key("text", "id of the rule that is changed", True),
    "status": TOP["status"],
    "mute": Key("yes/no", "true: the rule is not judged here"),
    "help_url": HELP_URL,
    "why": Key("text", "why it is changed here", True),
}

AMEND_SECTIONS: Mapping[str, Section] = {
    "limit": SECTIONS["limit"],
    "remedy": REMEDY,
    "caveat": CAVEAT,
    "evidence": EVIDENCE,
}
