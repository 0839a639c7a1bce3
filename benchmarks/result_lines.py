"""Files of measurements: one JSON object a line. Where and when a run was made is said once: a line
that leaves out one of the keys of `circumstances` has it from the line before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List, Sequence

Line = Dict[str, Any]


def read(file: Path, circumstances: Sequence[str] = ()) -> List[Line]:
    """All lines of the file, whole."""
    lines: List[Line] = []
    texts = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    for line in map(json.loads, texts):
        before = lines[-1] if lines else {}
        said = {key: before[key] for key in circumstances if key in before}
        lines.append({**said, **line})
    return lines


def write(file: Path, lines: Sequence[Line], circumstances: Sequence[str] = ()) -> None:
    """The lines in short."""
    before: Line = {}
    with open(file, "w", encoding="utf-8") as out:
        for line in lines:
            short = {
                key: value
                for key, value in line.items()
                if key not in circumstances or before.get(key) != value
            }
            out.write(json.dumps(short) + "\n")
            before = line


def rounded(value: Any) -> Any:
    """Numbers of a line with eight digits, more than a measurement of time has."""
    if isinstance(value, float):
        return float(f"{value:.8g}")
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    return [rounded(each) for each in value] if isinstance(value, list) else value


def put(page: Path, parts: Dict[str, str]) -> None:
    """Parts of a page, each between the two marks of its name; what stands around them is written
    by hand."""
    text = page.read_text(encoding="utf-8")
    for name, part in parts.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, found, rest = text.partition(begin)
        if not found or end not in rest:
            raise ValueError(f"{page} has no place for {name}")
        text = f"{before}{begin}{part}\n{end}{rest.partition(end)[2]}"
    page.write_text(text, encoding="utf-8")
