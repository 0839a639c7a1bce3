"""An attack: every text of a profile holds a word of its own that nobody knows, in many disguises.
None of them is in the ticket.

The words are put in by walking the whole profile, so that a field that is added later is attacked
as well.
"""

from __future__ import annotations

import base64
import dataclasses
import os
import re
import zlib
from typing import Any, Callable, Iterator, Tuple

import numpy as np
import pytest
from analysis.profiles import profile

from advisor.__main__ import main
from advisor.bundling import redact
from advisor.intake import write
from advisor.intake.container.ticket import OPENING, packed
from advisor.model.columns import TABLES
from advisor.model.profile import Application, Fact, Gap, Library, Node, Profile, Run, Setting

DISGUISES = {
    "plain": "{0}",
    "after": "{1} {0}",
    "before": "{0} {1}",
    "attached": "{1}{0}",
    "upper case": "{1} {2}",
    "in a longer word": "RUN-x{0}2024",
    "percent-encoded": "{1}=%2Fhome%2F{0}%2Fin.dat",
    "each letter percent-encoded": "{1} {3}",
    "in brackets": "[{0}]",
    "list of hosts": "{0}[17-19,{0}23]",
    "address": "[fe80::{0}]:80",
    "system folder": "/opt/acme/{0}/lib64/x",
    "home folder": "/home/{0}/case 1/in.dat",
    "below usr": "/usr/local/{0}/bin",
    "below dev": "/dev/{0}",
    "relative": "../{0}/x",
    "UNC": "\\\\{0}9\\share",
    "drive": "C:\\Users\\{0}\\x",
    "git": "git@hub.{0}.example:{0}/fusion",
    "git path": ":{0}/fusion",
    "URL": "https://u:{0}@{0}.example/x?y={0}",
    "domain": "build7.{0}.host3",
    "option": "--comment {0} -x WANDB_PROJECT={0}",
    "JSON": '{{"user": "{0}", "n": 1}}',
    "camel case": "my{2}Case",
    "underscores": "OMPI_MCA_{0}_x",
    "line ends": "{1}\n{0}\r\n",
}
EXCEPTIONS = re.compile(
    r"run\.program|library\.path|tables\.\w+\.(module|file|function)|tables\.communicators\.name|tables\.regions\.name|library\.facts\.settings\.known\.value"
)
"""Places of names that stay, as the page says: of the program, the code of call sites,
communicators, regions, known settings. Of a path it is the last part alone."""


def full() -> Profile:
    """A profile with a text in each of its fields and each text column of all tables."""
    made = profile([10.0, 10.0], [(0, "Barrier", "intra_node", -1, 3, 0, 1.0)])
    facts = {
        "cpu.model": Fact("AMD EPYC", "/proc/cpuinfo"),
        "built_with.x": Fact("yes", "ompi_info"),
        "settings.known": Fact("btl pml", "ompi_info"),
    }
    others = {
        name: {
            label: (
                np.array(["text"], dtype=object)
                if kind.dtype == "text"
                else np.zeros(1, kind.dtype)
            )
            for label, kind in columns.items()
        }
        for name, columns in TABLES.items()
        if name not in made.tables
    }
    return dataclasses.replace(
        made,
        run=Run(
            "app",
            ("-nk", "x"),
            ("mpirun", "-H", "n0", "--comment", "x", "app", "-nk", "x"),
            "mpirun",
            "dir",
            "2026-01-01T00:00:00",
            "4711",
            "slurm",
            overlay="rule",
        ),
        library=Library("openmpi", "4.1.4", "Open MPI v4.1.4", "3.1", "libmpi.so", facts),
        nodes=(Node("n0", facts), Node("n1", facts)),
        tables={**made.tables, **others},
        settings=(
            Setting("UCX_TLS", "rc", "environment"),
            Setting("SLURM_JOB_PARTITION", "gpu", "file x:1"),
            Setting("SLURM_NTASKS", "4", "launcher"),
        ),
        application=Application("vasp", {"algo": Fact("Normal", "INCAR")}),
        gaps=(Gap("calls", "because", "do"),),
        source="result/profile",
    )


def walk(value: Any, put: Callable[[str, str], str], place: str = "") -> Any:
    """The same profile with `put(place, text)` for each text, keys of facts as well."""
    if isinstance(value, str):
        return put(place, value)
    if isinstance(value, tuple):
        return tuple(walk(part, put, f"{place}.{index}") for index, part in enumerate(value))
    if isinstance(value, np.ndarray):
        return (
            np.array([walk(text, put, place) for text in value], dtype=object)
            if value.dtype == object
            else value
        )
    if place == "tables" or place.startswith("tables."):
        return {name: walk(part, put, f"{place}.{name}") for name, part in value.items()}
    if isinstance(value, dict):
        # A key that is changed is a fact that nobody knows; the fact itself stays beside it.
        return {
            **{name: walk(part, put, f"{place}.{name}") for name, part in value.items()},
            **{put(f"{place} key", name): part for name, part in value.items()},
        }
    if dataclasses.is_dataclass(value):
        return dataclasses.replace(
            value,
            **{
                field.name: walk(
                    getattr(value, field.name), put, f"{place}.{field.name}".lstrip(".")
                )
                for field in dataclasses.fields(value)
            },
        )
    return value


def attacked(form: str) -> Tuple[Profile, dict]:
    """A profile with a word in each text, and where each word must be gone from."""
    secrets = {}

    def put(place: str, old: str) -> str:
        secret = f"zq{len(secrets):03}".translate(str.maketrans("0123456789", "bdfghjkmpv")) + "wyx"
        encoded = "".join(f"%{ord(letter):02X}" for letter in secret)
        text = form.format(secret, old, secret.upper(), encoded)
        last = (
            os.path.basename(text.rstrip("/"))
            if re.search("(module|file|path|program)$", place)
            else text
        )
        kept = EXCEPTIONS.fullmatch(place) and (secret in last.lower() or encoded in last)
        secrets[secret] = "" if kept else place
        return text

    return walk(full(), put), secrets


def leaks(secrets: dict, *holders: bytes) -> Iterator[Tuple[str, str]]:
    """Where words came from that are still there: as they are, in capitals, percent-encoded, in
    base64."""
    for holder in holders:
        small = holder.lower()
        for secret, place in secrets.items():
            encoded = "".join(f"%{ord(letter):02x}" for letter in secret).encode()
            if place and (secret.encode() in small or encoded in small):
                yield place, secret


def unpacked(holder: str) -> bytes:
    return zlib.decompress(
        base64.b64decode(re.search(r">(.*)</script>", holder, re.DOTALL).group(1))
    )


@pytest.mark.parametrize("name", DISGUISES)
def test_no_word_is_left_in_the_profile(name):
    made, secrets = attacked(DISGUISES[name])
    cleaned = redact(made)
    assert len(secrets) > 90
    assert (
        list(
            leaks(
                secrets,
                unpacked(packed(cleaned.profile)),
                repr(cleaned.profile).encode(),
                repr(cleaned.removals).encode(),
            )
        )
        == []
    )


@pytest.mark.parametrize("name", ["plain", "after", "URL", "system folder", "in a longer word"])
def test_no_word_is_left_in_the_page(name, tmp_path, capsys):
    made, secrets = attacked(DISGUISES[name])
    # A name of the result's own folder is on the machine of who bundles, and in no page.
    write(made, tmp_path / "profile.json")
    assert main(["bundle", str(tmp_path / "profile.json"), "-o", str(tmp_path / "t.html")]) == 0
    page = (tmp_path / "t.html").read_text(encoding="utf-8")
    holder = page[page.index(OPENING) :].partition("</script>")[0] + "</script>"
    decoded = [
        base64.b64decode(text)
        for text in re.findall(r"(?:[A-Za-z0-9+/]{4}){4,}", page.replace(holder, ""))
    ]
    assert (
        list(
            leaks(
                secrets,
                page.encode(),
                unpacked(holder),
                capsys.readouterr().err.replace(str(tmp_path), "").encode(),
                *decoded,
            )
        )
        == []
    )


def test_names_that_stay_lose_those_of_users_and_hosts():
    """The names of functions stay; that of a user, known by his folder, does not stay in them."""
    made = full()
    columns = {
        "function": "zqsecret_solve",
        "file": "/home/zqsecret/ZQSECRETmain.c",
        "module": "libzqsecret.so",
    }
    sites = {
        **made.tables["sites"],
        **{name: np.array([text], dtype=object) for name, text in columns.items()},
    }
    cleaned = redact(dataclasses.replace(made, tables={**made.tables, "sites": sites}))
    assert {name: cleaned.profile.tables["sites"][name][0] for name in columns} == {
        "function": "user1_solve",
        "file": "/path1/user1main.c",
        "module": "libuser1.so",
    }
