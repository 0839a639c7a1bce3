"""The JSON schema of rule files, made from their form, for editors: `advisor rules schema`."""

from __future__ import annotations

import json
from typing import Dict, Mapping

from advisor.advice.rulebook import evidence_files
from advisor.advice.rulebook.schema import (
    ACTIONS,
    AMEND_SECTIONS,
    AMEND_TOP,
    CONDITION,
    INTENT,
    RECORDS,
    SECTIONS,
    TOP,
    Key,
    Section,
)

_TEXT: Mapping[str, object] = {"type": "string"}
_NUMBER: Mapping[str, object] = {"type": "number"}
_TEXTS: Mapping[str, object] = {"type": "array", "items": _TEXT}
_ROW: Mapping[str, object] = {
    "type": "object",
    "additionalProperties": {"type": ["string", "number", "boolean"]},
}
_TYPES: Mapping[str, Mapping[str, object]] = {
    "text": _TEXT,
    "sentence": _TEXT,
    "expression": _TEXT,
    "ownership": _TEXT,
    "texts": _TEXTS,
    "sentences": _TEXTS,
    "expressions": _TEXTS,
    "address": {"type": "string", "pattern": "^https?://"},
    "quantity": {"type": ["number", "string"]},
    "number": _NUMBER,
    "factor": {"type": "number", "exclusiveMinimum": 0},
    "whole": {"type": "integer"},
    "yes/no": {"type": "boolean"},
    "interval": {"type": "array", "items": _NUMBER, "maxItems": 2},
    "given": {
        "type": "object",
        "additionalProperties": {"anyOf": [_ROW, {"type": "array", "items": _ROW}]},
    },
}


def schema() -> Dict[str, object]:
    """The JSON schema of a rule file, an amendment or a file of records."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "advisor rule file",
        "description": ("Made by `advisor rules schema` from advisor/advice/rulebook/schema.py."),
        "if": {"required": ["amends"]},
        "then": _object(AMEND_TOP, AMEND_SECTIONS),
        "else": {
            "if": {"required": ["record"]},
            "then": _object(evidence_files.TOP, evidence_files.SECTIONS),
            "else": _object(TOP, SECTIONS),
        },
    }


def schema_text() -> str:
    """The same as text."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


def _object(keys: Mapping[str, Key], sections: Mapping[str, Section]) -> Dict[str, object]:
    properties = {name: _key(key) for name, key in keys.items()}
    properties.update({name: _section(name, section) for name, section in sections.items()})
    required = [name for name, key in keys.items() if key.required] + [
        name for name, each in sections.items() if each.required
    ]
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _section(name: str, section: Section) -> Dict[str, object]:
    entry = _object(section.keys, {})
    if name == "remedy":
        entry["oneOf"] = [{"required": [action, "source"]} for action in ACTIONS] + [
            {"required": [INTENT]}
        ]
    if name == "require":
        entry["oneOf"] = [{"required": entry.pop("required")}, {"required": [CONDITION]}]
    if name == "gain":
        entry["if"] = {"properties": {"basis": {"const": RECORDS}}}
        entry["then"], entry["else"] = (
            {"required": ["records", "ceiling"]},
            {"required": ["low", "high"]},
        )
    if section.named:
        return {"type": "object", "description": section.meaning, "additionalProperties": entry}
    described = {"description": section.meaning}
    return (
        {**described, "type": "array", "items": entry} if section.many else {**described, **entry}
    )


def _key(key: Key) -> Dict[str, object]:
    return {
        "description": key.meaning,
        **_TYPES[key.kind],
        **({"enum": list(key.choices)} if key.choices else {}),
    }
