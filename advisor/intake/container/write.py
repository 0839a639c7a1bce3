"""write(profile, path): the container, or plain JSON if the name ends in .json. All or nothing."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any, BinaryIO, Dict, List, Tuple, Union

import numpy as np

from advisor.intake.container import compact
from advisor.intake.container.framing import PROFILE_MAGIC, data_start
from advisor.intake.container.header import FORMAT, VERSION, plain
from advisor.intake.container.layout import declared
from advisor.model.columns import TABLES
from advisor.model.errors import UserError
from advisor.model.profile import Columns, Profile
from advisor.model.unknown import plain_cells

Path = Union[str, "os.PathLike[str]"]
_BLOCK = 8


def write(profile: Profile, path: Path) -> None:
    """Write atomically: a reader sees the old file or the whole new one. Raises UserError."""
    name = os.fspath(path)
    try:
        _replace(name, profile)
    except OSError as error:
        raise UserError(
            f"{name} cannot be written: {error.strerror or error}.",
            "The measurements are not lost: they stay where they are.",
        ) from None


def _replace(name: str, profile: Profile) -> None:
    handle, temporary = tempfile.mkstemp(
        prefix=".profile-", dir=os.path.dirname(os.path.abspath(name))
    )
    try:
        with os.fdopen(handle, "wb") as file:
            (_write_json if name.endswith(".json") else _write_container)(file, profile)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes files that only the owner may read; results are shared like other files.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, name)
    except BaseException:
        os.unlink(temporary)
        raise


def _write_container(file: BinaryIO, profile: Profile) -> None:
    """As it is, for readers who map its columns; a small one compact."""
    raw, columns = _header_and_columns(profile)
    small = compact.compressed(raw, columns)
    if small is not None:
        sizes, columns = small
        raw = _json({"format": FORMAT, "version": list(VERSION), **sizes})
    file.write(PROFILE_MAGIC + len(raw).to_bytes(8, "little") + raw)
    file.write(columns if small else b"\0" * (data_start(16 + len(raw)) - 16 - len(raw)) + columns)


def _header_and_columns(profile: Profile) -> Tuple[bytes, bytes]:
    strings: Dict[str, int] = {}
    tables: Dict[str, Any] = {}
    blocks: List[bytes] = []
    for name, columns in profile.tables.items():
        words = []
        for label, values in columns.items():
            dtype, block = _encode(name, label, values, strings)
            stored = block.tobytes()
            is_zero = stored != b"" and not stored.strip(b"\0")
            words.append(declared(label, dtype, is_zero))
            blocks.append(b"" if is_zero else stored + b"\0" * (-len(stored) % _BLOCK))
        tables[name] = {"rows": _rows(columns), "columns": words}
    return _json({**plain(profile), "strings": list(strings), "tables": tables}), b"".join(blocks)


def _json(content: Dict[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode(
        "utf-8"
    )


def _encode(
    table: str, label: str, values: np.ndarray, strings: Dict[str, int]
) -> Tuple[str, np.ndarray]:
    kind = TABLES[table][label]
    if kind.dtype == "text":
        for value in dict.fromkeys(values):
            strings.setdefault(value, len(strings))
        return "text", np.fromiter(map(strings.__getitem__, values), "<u4", len(values))
    return kind.dtype, np.ascontiguousarray(values, dtype="<" + kind.dtype)


def _write_json(file: BinaryIO, profile: Profile) -> None:
    declared = {
        name: {
            "rows": _rows(columns),
            "columns": [
                {"name": label, "unit": TABLES[name][label].unit, "values": plain_cells(values)}
                for label, values in columns.items()
            ],
        }
        for name, columns in profile.tables.items()
    }
    file.write(_layout({**plain(profile), "tables": declared}).encode("utf-8"))


def _layout(content: Dict[str, Any]) -> str:
    """JSON with one column a line, so that a changed sample reads well as a difference of two
    versions."""
    tables = content.pop("tables")
    head = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)[:-2]
    parts = []
    for name, table in tables.items():
        lines = ",\n   ".join(
            json.dumps(column, ensure_ascii=False, allow_nan=False) for column in table["columns"]
        )
        parts.append(
            f'  {json.dumps(name)}: {{"rows": {table["rows"]}, "columns": [\n   {lines}]}}'
        )
    return head + ',\n "tables": {\n' + ",\n".join(parts) + "\n }\n}\n"


def _rows(columns: Columns) -> int:
    return len(next(iter(columns.values()))) if columns else 0
