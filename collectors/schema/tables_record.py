"""The C that says where the record of a killed rank has the columns: record_tables.h, for core/record_header.c."""

from __future__ import annotations

from typing import List, Tuple

from description import Column, Description, Table

_TEXTS = {"operation": "RECORD_OPERATION", "operation?": "RECORD_OPERATION", "class": "RECORD_CLASS", "window_kind": "RECORD_KIND"}
_BYTES = 8


def header(found: Description) -> str:
    parts = ["/* Made by schema/generate.py from schema/tables.txt. */\n"]
    recorded = [table for table in found.tables if table.record]
    parts += [_columns(table, found.keys["collector"]) for table in recorded]
    parts.append("static const struct record_table record_tables[] = {\n")
    parts += [_entry(table, found.keys["collector"]) for table in recorded]
    scalars = " ".join(f"X({column.name})" for table in found.tables if not table.record for column in table.columns if column.member)
    return "".join(parts) + f"}};\n#define RECORD_SCALARS(X) {scalars}\n"


def _rows(table: Table) -> str:
    """The array of the table's rows, in a block or in the record itself."""
    owner, _, member = table.record[0].partition(".")
    return f"((struct {owner} *)0)->{member}"


def _columns(table: Table, key: List[Tuple[str, int]]) -> str:
    entries = "".join(f"    {{ \"{column.name}\", {_member(table, column.member, key)}, {_how(table, column)}, {column.add} }},\n" for column in table.columns if column.member)
    return f"static const struct record_column {table.name}_record[] = {{\n{entries}}};\n"


def _member(table: Table, member: str, key: List[Tuple[str, int]]) -> str:
    """Where a member begins in its row, how long it is, and of what sort."""
    row = f"__typeof__({_rows(table)}[0])"
    if not member.startswith("key:"):
        return f"RECORD_MEMBER({row}, {member})"
    names = [name for name, _ in key]
    number = names.index(member[len("key:"):])
    place, bits = sum(bits for _, bits in key[:number]), key[number][1]
    return f"offsetof({row}, key) + {place // _BYTES}, {bits // _BYTES}, 'u'"


def _how(table: Table, column: Column) -> str:
    """What a reader must do with the member to get the column."""
    if column.type in _TEXTS:
        return _TEXTS[column.type]
    if column.member == "key:communicator":
        return "RECORD_COMMUNICATOR"
    member = f"((__typeof__({_rows(table)}[0]) *)0)->{column.member}"
    if column.type == "text":
        return f"RECORD_TEXT({member})"
    return f"RECORD_TIME({member})" if column.unit == "s" else "RECORD_AS_IT_IS"


def _entry(table: Table, key: List[Tuple[str, int]]) -> str:
    owner, _, member = table.record[0].partition(".")
    rows = _rows(table)
    counts = f"sizeof({rows}) / sizeof({rows}[0]), sizeof({rows}[0])"
    columns = f"{table.name}_record, sizeof {table.name}_record / sizeof *{table.name}_record"
    place = f"offsetof(struct {owner}, {member})"
    return f'    {{ "{table.name}", {place}, {counts}, {int(owner == "block")}, {{ {_member(table, table.record[1], key)} }}, {columns} }},\n'
