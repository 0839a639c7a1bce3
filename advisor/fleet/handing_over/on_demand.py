"""One static page a user, for the file browser of Open OnDemand: no script, no network.

    FOLDER/alice.html       owned by alice and readable by her alone, where root exports

Pages lie beside each other in a folder that users cannot write to: in a folder of their own, users
could turn what root writes there to another place.
"""

from __future__ import annotations

import os
import pwd
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from heapq import nlargest
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from advisor import __version__
from advisor.fleet.handing_over.jobs import Job, jobs
from advisor.fleet.handing_over.request import Request
from advisor.fleet.handing_over.sentence import written
from advisor.model.errors import UserError
from advisor.model.harmless import visible

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
MOST_JOBS = 100
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
"""Names that are a file's name and nothing else."""


@dataclass
class _User:
    """What a page says. `worst`: those of the user's jobs that lose most."""

    count: int = 0
    hours: float = 0.0
    lost: float = 0.0
    worst: List[Tuple[float, str, Job]] = field(default_factory=list)

    def add(self, job: Job) -> None:
        lost = job.total("lost")
        self.count, self.lost = self.count + 1, self.lost + lost
        self.hours += job.total("node_hours")
        self.worst.append((lost, f"{job.cluster}.{job.number}", job))
        if len(self.worst) >= 2 * MOST_JOBS:
            self.cut()

    def cut(self) -> None:
        self.worst = nlargest(MOST_JOBS, self.worst, key=lambda each: each[:2])


def write_pages(request: Request, folder: Path) -> List[str]:
    """Pages of all users; names of those who got none, because their names are no names of files.
    Raises UserError."""
    if request.store.pseudonyms.key is not None:
        raise UserError(
            f"{request.store.path} has pseudonyms: nobody would find the own page.",
            do="Export from a store that was made with --names.",
        )
    users: Dict[str, _User] = {}
    for job in jobs(request):
        users.setdefault(job.largest["user_name"] or "", _User()).add(job)
    template = _template()
    try:
        folder.mkdir(mode=0o711, parents=True, exist_ok=True)
        for name, user in users.items():
            if _NAME.fullmatch(name):
                _put(folder / f"{name}.html", template.render(**_said(name, user, request)), name)
    except OSError as error:
        raise UserError(
            f"{folder} cannot be written: {error.strerror or error}.",
            do="Choose another folder with -o.",
        ) from error
    return sorted(name for name in users if not _NAME.fullmatch(name))


def _said(name: str, user: _User, request: Request) -> Mapping[str, Any]:
    user.cut()
    return {
        "policy": POLICY,
        "name": name,
        "first": request.since,
        "last": request.until - timedelta(days=1),
        "count": user.count,
        "hours": user.hours,
        "lost": user.lost,
        "jobs": [job for _, _, job in user.worst],
        "version": __version__,
    }


def _template() -> Any:
    """The template engine escapes all that came from jobs."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).resolve().parent),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["visible"] = lambda text: visible(str(text or ""))
    environment.filters["hours"] = lambda number: written(number or 0.0)
    return environment.get_template("on_demand.html.j2")


def _put(path: Path, content: str, user: str) -> None:
    """All of it or nothing; never through a link. Raises OSError."""
    draft = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(content)
            owner = _number_of(user) if os.geteuid() == 0 else None
            if owner is not None:
                os.fchown(file.fileno(), owner, -1)
        draft.replace(path)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise


def _number_of(user: str) -> Optional[int]:
    try:
        return pwd.getpwnam(user).pw_uid
    except KeyError:
        return None  # Gone since: the page stays with root.
