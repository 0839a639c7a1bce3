"""The C of the tables: a structure for the rows of each, how rows are compared and combined, and how columns are written."""

from __future__ import annotations

from typing import List, Tuple

from description import NUMBERS, TEXTS, Column, Description, Table

_MADE = "/* Made by schema/generate.py from schema/tables.txt. */\n"


def header(found: Description, program: str) -> str:
    """tables.h."""
    tables = _tables(found, program)
    names = ", ".join(f"TABLE_{table.name.upper()}" for table in tables)
    parts = [_MADE + "#ifndef ADVISOR_TABLES_H\n#define ADVISOR_TABLES_H\n\n#include <stdint.h>\n\n", f"enum table_number {{ {names}, TABLES }};\n\n"]
    parts += [_structure(table, program) for table in tables]
    parts.append(_key(found.keys[program]))
    return "".join(parts) + "\n#endif\n"


def source(found: Description, program: str) -> str:
    """tables.c."""
    tables, merges = _tables(found, program), program == "collector"
    parts = [_MADE + '#include "table.h"\n#include <stddef.h>\n\n']
    if merges:
        parts.append('#include "combine.h"\n\n#define ORDER(member) if (a->member != b->member) return a->member < b->member ? -1 : 1\n\n')
        parts += [_compare(table) + _combine(table) for table in tables]
    parts += [_columns(table, program) for table in tables]
    rows = "".join(f"    {_entry(table, merges)},\n" for table in tables)
    return "".join(parts) + f"const struct table tables[TABLES] = {{\n{rows}}};\n"


def _tables(found: Description, program: str) -> List[Table]:
    return [table for table in found.tables if table.of(program)]


def _structure(table: Table, program: str) -> str:
    members = [f"{NUMBERS.get(column.type) or TEXTS[column.type]} {column.name};" for column in table.of(program)]
    lines = "".join(f"    {member}\n" for member in members)
    return f"#define {table.name.upper()}_MEMBERS {' '.join(members)}\nstruct profile_{table.name} {{\n{lines}}};\n\n"


def _key(parts: List[Tuple[str, int]]) -> str:
    """For each part of the packed key how to take it out, and how to put it in."""
    text, place = "", 0
    for name, bits in parts:
        mask = f"0x{(1 << bits) - 1:X}u"
        text += f"enum {{ KEY_{name.upper()}_PLACE = {place} }};\n"
        text += f"static inline uint32_t key_{name}(uint64_t key) {{ return (uint32_t)(key >> {place}) & {mask}; }}\n"
        text += f"static inline uint64_t key_of_{name}(uint64_t {name}) {{ return {name} << {place}; }}\n"
        place += bits
    return text


def _compare(table: Table) -> str:
    orders = "".join(f"    ORDER({column.name});\n" for column in table.columns if column.combine == "key" and column.is_in("collector"))
    row = f"const struct profile_{table.name}"
    return f"static int compare_{table.name}(const void *left, const void *right)\n{{\n    {row} *a = left, *b = right;\n{orders}    return 0;\n}}\n\n"


def _combine(table: Table) -> str:
    if table.unique:
        return ""
    columns = table.of("collector")
    row, lines = f"struct profile_{table.name}", [_combined(column) for column in columns if not column.own]
    first = ""
    if any(column.own for column in columns):
        first = f"    own_{table.name}(sum, more);\n"
    body = f"    {row} *sum = into;\n    const {row} *more = from;\n{first}{''.join(lines)}"
    return f"static void combine_{table.name}(void *into, const void *from)\n{{\n{body}}}\n\n"


def _combined(column: Column) -> str:
    into, more = f"sum->{column.name}", f"more->{column.name}"
    ways = {"sum": f"    {into} += {more};\n", "min": f"    {into} = {more} < {into} ? {more} : {into};\n", "max": f"    {into} = {more} > {into} ? {more} : {into};\n"}
    return ways.get(column.combine, "")


def _columns(table: Table, program: str) -> str:
    row, columns = f"struct profile_{table.name}", _written(table, program)
    places = ", ".join(f"{{ offsetof({row}, {column.name}), {_form(column)}, {int(column.writer == 'aggregated')} }}" for column in columns)
    return f"static const struct column {table.name}_columns[] = {{ {places} }};\n" if columns else ""


def _form(column: Column) -> str:
    return f"FORM_{column.type.upper().replace('?', '_OR_NONE')}"


def _written(table: Table, program: str) -> List[Column]:
    return [column for column in table.of(program) if column.writer != "merge"]


def _entry(table: Table, merges: bool) -> str:
    columns = _written(table, "collector" if merges else "trace")
    words = "".join(f'"{column.name} {column.stored}\\0"' for column in columns) or "NULL"
    place = f"{table.name}_columns" if columns else "NULL"
    compare = f"compare_{table.name}" if merges else "NULL"
    combine = f"combine_{table.name}" if merges and not table.unique else "NULL"
    return f'{{ "{table.name}", {words}, {place}, {len(columns)}, {int(table.always)}, {{ sizeof(struct profile_{table.name}), {compare}, {combine} }} }}'
