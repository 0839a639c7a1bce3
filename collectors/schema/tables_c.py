"""The C of the tables: a structure for the rows of each, how rows are compared and combined, and
how columns are written."""

from __future__ import annotations

from string import Template
from typing import List, Tuple

from description import NUMBERS, TEXTS, Column, Description, Table

_HEADER = Template("""\
/* Made by schema/generate.py from schema/tables.txt. */
#ifndef ADVISOR_TABLES_H
#define ADVISOR_TABLES_H

#include <stdint.h>

enum table_number { $numbers, TABLES };

$structures$key
#endif
""")
_SOURCE = Template("""\
/* Made by schema/generate.py from schema/tables.txt. */
#include "table.h"
#include <stddef.h>
$merging
$columns
const struct table tables[TABLES] = {
$entries};
""")
_MERGING = """\
#include "combine.h"

#define ORDER(member) \\
    if (a->member != b->member) \\
        return a->member < b->member ? -1 : 1
"""
_STRUCTURE = Template("""\
struct profile_$name {
$members};

""")
_MEMBERS = Template("#define ${NAME}_MEMBERS $members\n\n")
_KEY = Template("""\
enum { KEY_${PART}_PLACE = $place };
static inline uint32_t key_$part(uint64_t key) { return (uint32_t)(key >> $place) & $mask; }
static inline uint64_t key_of_$part(uint64_t $part) { return $part << $place; }
""")
_COMPARE = Template("""
static int compare_$name(const void *left, const void *right)
{
    const struct profile_$name *a = left, *b = right;
$orders    return 0;
}
""")
_COMBINE = Template("""
static void combine_$name(void *into, const void *from)
{
    struct profile_$name *sum = into;
    const struct profile_$name *more = from;
$statements}
""")
_COMBINED = {
    "sum": "    sum->{0} += more->{0};\n",
    "min": "    sum->{0} = more->{0} < sum->{0} ? more->{0} : sum->{0};\n",
    "max": "    sum->{0} = more->{0} > sum->{0} ? more->{0} : sum->{0};\n",
}
_COLUMN = Template("    { offsetof(struct profile_$table, $name), FORM_$form, $aggregated },\n")
_COLUMNS = Template("""\
static const struct column ${name}_columns[] = {
$columns};
""")
_ENTRY = Template("""\
    { "$name", $words, $columns, $count, $always,
      { sizeof(struct profile_$name), $compare, $combine } },
""")


def header(found: Description, program: str) -> str:
    """tables.h."""
    tables = _tables(found, program)
    numbers = ", ".join(f"TABLE_{table.name.upper()}" for table in tables)
    structures = "".join(_structure(table, program) for table in tables)
    return _HEADER.substitute(numbers=numbers, structures=structures, key=_key(found.keys[program]))


def source(found: Description, program: str) -> str:
    """tables.c."""
    tables, merges = _tables(found, program), program == "collector"
    functions = [_compare(table) + _combine(table) for table in tables]
    return _SOURCE.substitute(
        merging="".join([_MERGING, *functions]) if merges else "",
        columns="".join(_columns(table, program) for table in tables),
        entries="".join(_entry(table, program) for table in tables),
    )


def _tables(found: Description, program: str) -> List[Table]:
    return [table for table in found.tables if table.of(program)]


def _structure(table: Table, program: str) -> str:
    types = {**NUMBERS, **TEXTS}
    members = [f"{types[column.type]} {column.name};" for column in table.of(program)]
    text = _STRUCTURE.substitute(
        name=table.name, members="".join(f"    {each}\n" for each in members)
    )
    if table.is_scalar:
        text += _MEMBERS.substitute(NAME=table.name.upper(), members=" ".join(members))
    return text


def _key(parts: List[Tuple[str, int]]) -> str:
    """For each part of the packed key how to take it out, and how to put it in."""
    text, place = "", 0
    for part, bits in parts:
        mask = f"0x{(1 << bits) - 1:X}u"
        text += _KEY.substitute(part=part, PART=part.upper(), place=place, mask=mask)
        place += bits
    return text


def _compare(table: Table) -> str:
    keys = [column.name for column in table.of("collector") if column.combine == "key"]
    orders = "".join(f"    ORDER({name});\n" for name in keys)
    return _COMPARE.substitute(name=table.name, orders=orders)


def _combine(table: Table) -> str:
    if table.unique:
        return ""
    columns = table.of("collector")
    own = any(column.own for column in columns)
    statements = [f"    own_{table.name}(sum, more);\n"] if own else []
    for column in columns:
        if not column.own and column.combine in _COMBINED:
            statements.append(_COMBINED[column.combine].format(column.name))
    return _COMBINE.substitute(name=table.name, statements="".join(statements))


def _written(table: Table, program: str) -> List[Column]:
    return [column for column in table.of(program) if column.writer != "merge"]


def _columns(table: Table, program: str) -> str:
    columns = "".join(
        _COLUMN.substitute(
            table=table.name,
            name=column.name,
            form=column.type.upper().replace("?", "_OR_NONE"),
            aggregated=int(column.writer == "aggregated"),
        )
        for column in _written(table, program)
    )
    return _COLUMNS.substitute(name=table.name, columns=columns) if columns else ""


def _entry(table: Table, program: str) -> str:
    columns, merges = _written(table, program), program == "collector"
    words = "".join(f'"{column.name} {column.stored}\\0"' for column in columns)
    return _ENTRY.substitute(
        name=table.name,
        words=words or "NULL",
        columns=f"{table.name}_columns" if columns else "NULL",
        count=len(columns),
        always=int(table.always),
        compare=f"compare_{table.name}" if merges else "NULL",
        combine=f"combine_{table.name}" if merges and not table.unique else "NULL",
    )
