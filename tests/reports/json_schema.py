"""A check of plain data against the part of JSON Schema that advisor/reports/schema.json uses."""

from __future__ import annotations

from typing import Iterator

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
KNOWN = {
    "$schema",
    "title",
    "description",
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "anyOf",
    "minimum",
    "minItems",
    "maxItems",
}


def faults(value, schema: dict, place: str = "$") -> Iterator[str]:
    """Every place where the value is not as the schema says."""
    assert set(schema) <= KNOWN, f"{place}: this check does not know {set(schema) - KNOWN}"
    if "anyOf" in schema:
        if all(list(faults(value, option, place)) for option in schema["anyOf"]):
            yield f"{place}: fits none of the options"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place}: {value!r} is not one of {schema['enum']}"
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(is_a(value, kind) for kind in kinds):
        yield f"{place}: {value!r} is not {kinds}"
        return
    if "minimum" in schema and value is not None and value < schema["minimum"]:
        yield f"{place}: {value} < {schema['minimum']}"
    yield from (
        in_array(value, schema, place)
        if isinstance(value, list)
        else in_object(value, schema, place)
        if isinstance(value, dict)
        else ()
    )


def is_a(value, kind: str) -> bool:
    if kind in ("number", "integer"):
        return isinstance(value, int if kind == "integer" else (int, float)) and not isinstance(
            value, bool
        )
    return isinstance(value, TYPES[kind])


def in_array(value: list, schema: dict, place: str) -> Iterator[str]:
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        yield f"{place}: {len(value)} items"
    for number, part in enumerate(value):
        yield from faults(part, schema["items"], f"{place}[{number}]")


def in_object(value: dict, schema: dict, place: str) -> Iterator[str]:
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    yield from (
        f"{place}: {name} is missing" for name in schema.get("required", ()) if name not in value
    )
    for name, part in value.items():
        if name in properties:
            yield from faults(part, properties[name], f"{place}.{name}")
        elif others is False:
            yield f"{place}: {name} is not in the schema"
        elif isinstance(others, dict):
            yield from faults(part, others, f"{place}.{name}")
