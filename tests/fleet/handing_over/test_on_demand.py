"""Pages for the file browser of Open OnDemand."""

from __future__ import annotations

import os
import pwd
import stat
from html.parser import HTMLParser

import pytest
from hostile_fleet import HOSTILE, asking, finding, hostile, job, made

from advisor.__main__ import main
from advisor.fleet import store as stores
from advisor.fleet.handing_over.on_demand import MOST_JOBS, write_pages
from advisor.fleet.tables import table


class Page(HTMLParser):
    """Tags, links and text."""

    def __init__(self, path):
        super().__init__()
        self.tags, self.links, self.anchors, self.open = set(), [], [], []
        self.source, self.text = path.read_text(encoding="utf-8"), ""
        self.feed(self.source)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        found = dict(attributes)
        self.links += [found["href"]] if "href" in found else []
        self.anchors += [found["id"]] if "id" in found else []
        assert not [name for name in found if name.startswith("on") or name == "src"]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.text += text


def pages(store, folder):
    with asking(store) as request:
        refused = write_pages(request, folder)
    return {each.stem: Page(each) for each in sorted(folder.iterdir())}, refused


def test_each_user_sees_own_jobs(tmp_path):
    jobs = [job(1), job(2, user_name="bob", application="lammps", lost=1.0)]
    findings = [finding(jobs[0], "late-rank", 0.5), finding(jobs[1], "many-barriers", 1.0)]
    store = made(tmp_path, jobs=jobs, findings=findings)
    assert (
        main(["fleet", "export", str(store.path), "--as", "ondemand", "-o", f"{tmp_path}/p"]) == 0
    )
    alice, bob = Page(tmp_path / "p" / "alice.html"), Page(tmp_path / "p" / "bob.html")
    assert "Title of late-rank (late-rank): 0.5 node hours, between 0.4 and\n0.6" in alice.text
    assert "1 job from 2026-11-20 to 2026-11-20: 2.00" in alice.text and "bob" not in alice.source
    assert "many-barriers" in bob.text and "alice" not in bob.source


def test_it_works_without_scripts_and_network(tmp_path):
    found, _ = pages(made(tmp_path, jobs=[job(1), job(2)]), tmp_path / "pages")
    page = found["alice"]
    assert page.links == ["#job-1", "#job-2"] and page.anchors == ["job-1", "job-2"]
    assert not page.tags & {"script", "link", "img", "iframe", "form", "object"}
    assert "default-src &#39;none&#39;" in page.source


def test_hostile_names_are_text(tmp_path):
    jobs = [job(place, application=name, cluster=name) for place, name in enumerate(HOSTILE)]
    findings = [finding(each, name, 0.3, title=name) for each, name in zip(jobs, HOSTILE)]
    found, _ = pages(made(tmp_path, jobs=jobs, findings=findings), tmp_path / "pages")
    assert "script" not in found["alice"].tags
    assert found["alice"].text.count("<script>alert(1)</script>") >= 3
    assert "{{ 7 * 7 }}" in found["alice"].text
    assert "\x1b" not in found["alice"].source


def test_users_whose_names_are_no_names_of_files_get_no_page(tmp_path, capsys):
    names = ["../../etc/cron.d/x", ".hidden", "a/b", "", "x" * 65, "good.name-1"]
    jobs = [job(place, user_name=name) for place, name in enumerate(names)]
    found, refused = pages(made(tmp_path, jobs=jobs), tmp_path / "pages")
    assert (list(found), refused) == (["good.name-1"], sorted(names[:-1]))
    found, refused = pages(hostile(tmp_path / "more"), tmp_path / "other")
    assert (found, len(refused)) == ({}, len(HOSTILE))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_page_belongs_to_its_user(tmp_path):
    nobody = pwd.getpwnam("nobody")
    store = made(tmp_path, jobs=[job(1, user_name="nobody"), job(2, user_name="gone-since")])
    folder = tmp_path / "pages"
    pages(store, folder)
    status = (folder / "nobody.html").stat()
    assert (status.st_uid, stat.S_IMODE(status.st_mode)) == (nobody.pw_uid, 0o600)
    assert (folder / "gone-since.html").stat().st_uid == 0
    assert stat.S_IMODE(folder.stat().st_mode) == 0o711


def test_a_link_in_place_of_a_page_is_replaced_and_not_followed(tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    (tmp_path / "victim").write_text("mine")
    (folder / "alice.html").symlink_to(tmp_path / "victim")
    pages(made(tmp_path, jobs=[job(1)]), folder)
    assert (tmp_path / "victim").read_text() == "mine"
    assert not (folder / "alice.html").is_symlink()


def test_the_jobs_that_lose_most_are_shown(tmp_path):
    jobs = [job(place, lost=place / 100) for place in range(3 * MOST_JOBS)]
    found, _ = pages(made(tmp_path, jobs=jobs), tmp_path / "pages")
    page = found["alice"]
    assert len(page.anchors) == MOST_JOBS and f"Job {3 * MOST_JOBS - 1} on" in page.text
    assert f"{3 * MOST_JOBS} jobs from" in page.text


def test_pseudonyms_are_nobodys_pages(tmp_path, capsys):
    store = stores.create(tmp_path / "store", True)
    with store.locked():
        store.commit({"jobs": table("jobs", [job(1)])}, "by-hand")
    words = ["fleet", "export", str(store.path), "--as", "ondemand", "-o", str(tmp_path / "pages")]
    assert main(words) == 2
    assert "has pseudonyms: nobody would find the own page" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_said(tmp_path, capsys):
    store = made(tmp_path, jobs=[job(1)])
    (tmp_path / "file").write_text("")
    words = ["fleet", "export", str(store.path), "--as", "ondemand"]
    assert main([*words, "-o", str(tmp_path / "file")]) == 2
    assert main(words) == 2
    told = capsys.readouterr().err
    assert "cannot be written" in told and "Pages need a folder" in told
