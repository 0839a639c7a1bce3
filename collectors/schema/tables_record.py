"""The C that says where the record of a killed rank has the columns: record_tables.h, for
core/record/record_header.c."""

from __future__ import annotations

from string import Template
from typing import List, Tuple

from description import Column, Description, Table

_HEADER = Template("""\
/* Made by schema/generate.py from schema/tables.txt. */
$columns
static const struct record_table record_tables[] = {
$entries};
#define RECORD_SCALARS(X) $scalars
""")
_COLUMNS = Template("""\
static const struct record_column ${name}_record[] = {
$columns};
""")
_COLUMN = Template('    { "$name", $member, $how, $add },\n')
_ENTRY = Template("""\
    { "$name", offsetof(struct $owner, $place), sizeof($rows) / sizeof($rows[0]), sizeof($rows[0]),
      $in_block, { $used },
      ${name}_record, sizeof ${name}_record / sizeof *${name}_record },
""")
_TEXTS = {
    "operation": "RECORD_OPERATION",
    "class": "RECORD_CLASS",
    "window_kind": "RECORD_KIND",
}
_BYTES = 8
Key = List[Tuple[str, int]]


def header(found: Description) -> str:
    key = found.keys["collector"]
    recorded = [table for table in found.tables if table.record]
    scalars = [table for table in found.tables if table.is_scalar]
    names = [column.name for table in scalars for column in table.columns if column.member]
    return _HEADER.substitute(
        columns="".join(_columns(table, key) for table in recorded),
        entries="".join(_entry(table, key) for table in recorded),
        scalars=" ".join(f"X({name})" for name in names),
    )


def _rows(table: Table) -> str:
    """The array of the table's rows, in a block or in the record itself."""
    owner, _, place = table.record[0].partition(".")
    return f"((struct {owner} *)0)->{place}"


def _columns(table: Table, key: Key) -> str:
    columns = "".join(
        _COLUMN.substitute(
            name=column.name,
            member=_member(table, column.member, key),
            how=_how(table, column),
            add=column.add,
        )
        for column in table.columns
        if column.member
    )
    return _COLUMNS.substitute(name=table.name, columns=columns)


def _member(table: Table, member: str, key: Key) -> str:
    """Where a member begins in its row, how long it is, and of what sort."""
    row = f"__typeof__({_rows(table)}[0])"
    if not member.startswith("key:"):
        return f"RECORD_MEMBER({row}, {member})"
    number = [name for name, _ in key].index(member[len("key:") :])
    place, bits = sum(bits for _, bits in key[:number]), key[number][1]
    return f"offsetof({row}, key) + {place // _BYTES}, {bits // _BYTES}, 'u'"


def _how(table: Table, column: Column) -> str:
    """What a reader must do with the member to get the column."""
    if column.type in _TEXTS:
        return _TEXTS[column.type]
    if column.member == "key:communicator":
        return "RECORD_COMMUNICATOR"
    member = f"{_rows(table)}[0].{column.member}"
    if column.type == "text":
        return f"RECORD_TEXT({member})"
    return f"RECORD_TIME({member})" if column.unit == "s" else "RECORD_AS_IT_IS"


def _entry(table: Table, key: Key) -> str:
    owner, _, place = table.record[0].partition(".")
    return _ENTRY.substitute(
        name=table.name,
        owner=owner,
        place=place,
        rows=_rows(table),
        in_block=int(owner == "block"),
        used=_member(table, table.record[1], key),
    )
