"""Makes of tables.txt what else has to know the tables.

generate.py
    advisor/model/tables.json, and the tables of FORMAT.md. They are kept with the sources.
generate.py PROGRAM FOLDER
    tables.h and tables.c of "collector" or "trace", and of the former record_tables.h. They are
    made whenever the program is built.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from string import Template
from typing import Dict, List

import description
import tables_c
import tables_record
from description import Description, Table

HERE = Path(__file__).resolve().parent
BEGIN, END = "<!-- tables: made by schema/generate.py -->\n", "<!-- end of the tables -->\n"
_WRITERS = {
    "both": "",
    "collector": "collector",
    "trace": "traces",
    "later": "readers",
    "aggregated": "collector, of jobs whose calls are added up over ranks",
}
_TABLE = Template("""\
### $name

| column | type | unit | combined | only from | meaning |
|---|---|---|---|---|---|
$rows""")


def for_python(tables: List[Table]) -> str:
    """Each column in a line, so that a change reads well as a difference of two versions."""
    parts = []
    for table in tables:
        columns = {
            column.name: [
                column.unit,
                column.stored,
                column.combine,
                column.meaning,
                column.needed,
                column.not_negative,
            ]
            for column in table.columns
            if column.writer != "merge"
        }
        lines = ",\n".join(
            f"  {json.dumps(name)}: {json.dumps(content)}" for name, content in columns.items()
        )
        parts.append(f" {json.dumps(table.name)}: {{\n{lines}\n }}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def for_readers(tables: List[Table]) -> str:
    """The tables as Markdown."""
    return "\n".join(_TABLE.substitute(name=table.name, rows=_rows(table)) for table in tables)


def _rows(table: Table) -> str:
    columns = [column for column in table.columns if column.writer != "merge"]
    cells = [
        (
            f"`{each.name}`",
            each.stored,
            each.unit,
            each.combine,
            _WRITERS[each.writer],
            each.meaning,
        )
        for each in columns
    ]
    return "".join(f"| {' | '.join(map(_cell, row))} |\n" for row in cells)


def _cell(text: str) -> str:
    return text.replace("*", "\\*").replace("|", "\\|")


def documents(found: Description) -> Dict[Path, str]:
    """Files that are kept with the sources → what stands in them."""
    tables = [table for table in found.tables if table.is_in_profiles]
    guide = HERE.parent / "FORMAT.md"
    before, _, rest = guide.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    return {
        HERE.parent.parent / "advisor" / "model" / "tables.json": for_python(tables),
        guide: before + BEGIN + "\n" + for_readers(tables) + "\n" + END + after,
    }


def sources(found: Description, program: str) -> Dict[str, str]:
    """Files of C → what stands in them."""
    made = {
        "tables.h": tables_c.header(found, program),
        "tables.c": tables_c.source(found, program),
    }
    return (
        {**made, "record_tables.h": tables_record.header(found)} if program == "collector" else made
    )


def main() -> int:
    found = description.read(HERE / "tables.txt")
    if len(sys.argv) == 3:
        files = {
            Path(sys.argv[2]) / name: text for name, text in sources(found, sys.argv[1]).items()
        }
    else:
        files = documents(found)
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
