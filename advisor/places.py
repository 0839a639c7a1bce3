"""Where rules, samples and collector sources lie: beside the package in a checkout, under share/ when installed."""

from __future__ import annotations

import sysconfig
from pathlib import Path

from advisor.model.errors import UserError

_CHECKOUT = Path(__file__).resolve().parent.parent


def collectors() -> Path:
    """The folder of the collectors' C sources."""
    return _folder("collectors")


def rules() -> Path:
    """The folder of the rule book."""
    return _folder("rules")


def samples() -> Path:
    """The folder of sample programs and recorded profiles."""
    return _folder("samples")


def _folder(name: str) -> Path:
    candidates = (_CHECKOUT / name, Path(sysconfig.get_path("data")) / "share" / "advisor" / name)
    for folder in candidates:
        if folder.is_dir():
            return folder
    raise UserError(
        f"The folder {name} of advisor is missing.",
        f"It was looked for in {' and '.join(str(folder.parent) for folder in candidates)}.",
        "Install advisor again: the installation is not complete.",
    )
