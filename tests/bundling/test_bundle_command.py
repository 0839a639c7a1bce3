"""`advisor bundle`, and a ticket as a result of other commands; hostile tickets."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path

import pytest

from advisor.__main__ import main
from advisor.intake.container import ticket
from advisor.intake.container.framing import PROFILE_MAGIC

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples" / "profiles"


@pytest.fixture(scope="module")
def tickets(tmp_path_factory):
    """Tickets of two samples, made once."""
    folder = tmp_path_factory.mktemp("tickets")
    made = {}
    for name in ("heat.4r", "late_rank.before.4r", "late_rank.after.4r"):
        made[name] = folder / f"{name}.html"
        assert main(["bundle", str(SAMPLES / f"{name}.json"), "-o", str(made[name])]) == 0
    return made


def command(capfdbinary, *words):
    code = main([str(word) for word in words])
    out, err = capfdbinary.readouterr()
    return code, out.decode("utf-8"), err.decode("utf-8")


def test_the_page_lists_what_was_removed_and_holds_none_of_it(tickets, capfdbinary):
    text = tickets["heat.4r"].read_text(encoding="utf-8")
    assert (
        "What was removed before sharing" in text
        and "names of hosts: 2 replaced by host1 to host2" in text
    )
    assert (
        "/home/user" not in text
        and "n1"
        not in json.loads(text.partition('id="advisor-data">')[2].partition("</script>")[0])[
            "facts"
        ][0]["text"]
    )


def test_what_stays_is_said_as_well(tmp_path, capfdbinary):
    said = {
        option: command(
            capfdbinary,
            "bundle",
            SAMPLES / "heat.4r.json",
            "-o",
            tmp_path / f"{option}.html",
            *filter(None, [option]),
        )[2]
        for option in ("", "--keep-arguments")
    }
    for option, text in said.items():
        page = (tmp_path / f"{option}.html").read_text(encoding="utf-8")
        assert all(
            "functions, call sites, regions and communicators" in each for each in (text, page)
        )
        assert [
            ("The arguments of the program were kept, as asked for." in each)
            for each in (text, page)
        ] == [bool(option)] * 2


def test_a_ticket_gives_the_same_findings_as_its_result(tickets, capfdbinary):
    of = [
        json.loads(command(capfdbinary, "report", file, "--format", "json")[1])
        for file in (SAMPLES / "heat.4r.json", tickets["heat.4r"])
    ]
    assert (
        [one["rule"] for one in of[0]["findings"]]
        == [one["rule"] for one in of[1]["findings"]]
        != []
    )
    assert [one["gain"] for one in of[0]["findings"]] == [one["gain"] for one in of[1]["findings"]]


def test_what_pseudonyms_stand_for_is_said_and_can_be_looked_up(tmp_path, capfdbinary):
    result, page = SAMPLES / "heat.4r.json", tmp_path / "ticket.html"
    _, out, err = command(capfdbinary, "bundle", result, "-o", page)
    assert (out, err.splitlines()[-1]) == (
        "",
        "advisor: host1, /path1 and the like stand for one name each. To see which: advisor bundle"
        f" {result} --names",
    )
    text = page.read_text(encoding="utf-8")
    assert "host1, user1, /path1, word1 and the like stand for one name each" in text
    assert "Whoever made it looks them up with: advisor bundle RESULT --names." in text
    page.unlink()
    assert command(capfdbinary, "bundle", result, "-o", page, "--names") == (
        0,
        "host1   n1\nhost2   n2\n/path1  /opt/example\n/path2  /home/user\n",
        "",
    )
    assert not page.exists()


@pytest.mark.parametrize(
    "name, what, do",
    [
        (
            "t.pdf",
            "PDF is not among the formats.",
            "Write HTML, and print it to a PDF file from a browser: -o {0}.html",
        ),
        ("t.txt", "no format is known by the ending .txt.", "End the name with .html, .htm."),
    ],
)
def test_a_ticket_is_html_and_nothing_else(name, what, do, tmp_path, capfdbinary):
    file = tmp_path / name
    code, out, err = command(capfdbinary, "bundle", SAMPLES / "heat.4r.json", "-o", file)
    assert (code, out, list(tmp_path.iterdir())) == (2, "", [])
    assert err == f"advisor: {file}: {what}\nadvisor: {do.format(file.with_suffix(''))}\n"


def test_two_tickets_are_compared_as_their_results_are(tickets, capfdbinary):
    pairs = (
        [SAMPLES / f"late_rank.{name}.4r.json" for name in ("before", "after")],
        [tickets[f"late_rank.{name}.4r"] for name in ("before", "after")],
    )
    contents = [json.loads(command(capfdbinary, "compare", *pair, "--json")[1]) for pair in pairs]
    assert (
        contents[0]["parts"] == contents[1]["parts"]
        and contents[0]["unit"] == contents[1]["unit"] == "s"
    )


def test_nothing_is_overwritten(tickets, capfdbinary):
    first = tickets["heat.4r"].read_bytes()
    code, _, err = command(
        capfdbinary, "bundle", SAMPLES / "heat.4r.json", "-o", tickets["heat.4r"]
    )
    assert (code, tickets["heat.4r"].read_bytes() == first) == (0, True)
    assert err.startswith(f"advisor: wrote {tickets['heat.4r'].with_name('heat.4r-2.html')}\n")


def test_bundling_a_ticket_again_removes_nothing_more(tickets, capfdbinary, tmp_path):
    code, _, err = command(
        capfdbinary, "bundle", tickets["late_rank.after.4r"], "-o", tmp_path / "again.html"
    )
    assert code == 0 and "names of users" not in err


def page(data: bytes) -> bytes:
    return (
        b"<!doctype html><html>"
        + ticket.OPENING.encode()
        + base64.b64encode(data)
        + b"</script></html>"
    )


BOMB = zlib.compress(b"\0" * (64 << 20), 9)
HOSTILE = {
    "no profile": (b"<!DOCTYPE html><html></html>", "a page without a profile inside"),
    "a bomb": (page(BOMB), "unpacks to more bytes than such a file may become"),
    "two": (page(b"x") + page(b"x"), "2 profiles inside"),
    "not base64": (b"<html>" + ticket.OPENING.encode() + b"abc</script>", "is not whole"),
    "not compressed": (page(b"hello"), "is damaged"),
    "cut": (page(zlib.compress(PROFILE_MAGIC * 99)[:-6]), "is not whole"),
    "more behind": (page(zlib.compress(PROFILE_MAGIC) + b"more"), "is not whole"),
    "another file": (page(zlib.compress(b"@ mpiP\n@ Command : ./a\n" * 99)), "is not a profile"),
    "an empty one": (page(b""), "is not whole"),
    "a header that lies": (
        page(zlib.compress(PROFILE_MAGIC + (1 << 60).to_bytes(8, "little"))),
        "claims",
    ),
    "script in its place": (
        b"<html>" + ticket.OPENING.encode() + b"<b>alert(1)</b></script>",
        "a page without a profile inside",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_ticket_is_one_sentence(name, tmp_path, capfdbinary):
    content, said = HOSTILE[name]
    file = tmp_path / "ticket.html"
    file.write_bytes(content)
    code, out, err = command(capfdbinary, "report", file)
    assert (
        (code, out) == (2, "")
        and said in err
        and "Traceback" not in err
        and len(err.splitlines()) <= 2
    )


def test_a_page_of_any_size_is_not_searched(tmp_path, capfdbinary, monkeypatch):
    monkeypatch.setattr(ticket, "LARGEST_PAGE", 1000)
    file = tmp_path / "ticket.html"
    file.write_bytes(b"<!doctype html>" + b" " * 1000)
    assert "the most that is read is 1000" in command(capfdbinary, "report", file)[2]
