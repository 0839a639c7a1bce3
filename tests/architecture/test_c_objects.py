"""No objects of a C part call each other in a circle, and folders of a part call only those that
they may."""

from __future__ import annotations

import shutil

import c_objects
import pytest

MAY_CALL = {
    "collector": {
        "base": "",
        "samples": "",
        "process": "base",
        "host": "base process",
        "rendezvous": "base process",
        "record": "base process samples",
        "counting": "base process record samples",
        "matching": "samples",
        "merge": "base record",
        "profile": "base merge process record",
        "library": "base counting process record",
        "callers": "counting library process record samples",
        "objects": "base counting library record",
        "job": "base library record",
        "tracing": "base callers counting job library objects process record",
        "sampling": "base callers counting objects record samples",
        "onesided": "base callers counting library objects record samples sampling",
        "wrap": "base callers counting library objects record sampling tracing",
        "finish": "base counting job library matching merge objects onesided process profile"
        " record samples tracing",
        "life": "base callers counting finish host job library objects process record rendezvous"
        " tracing wrap",
    },
    "otf2": {
        "base": "",
        "definitions": "base",
        "matching": "base",
        "calls": "base matching",
        "events": "base calls",
        "pool": "base calls events matching",
        "profile": "base calls definitions",
        "otf2": "base calls definitions pool profile",
    },
}
"""Folder of a part → those that it may call, beside itself. `wrap` calls `tracing` under Open MPI
only."""


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    """Part → its graph, made once."""
    made = {}

    def get(part):
        if part not in made:
            made[part] = c_objects.objects(part, tmp_path_factory.mktemp("part"))
        return made[part]

    return get


@pytest.mark.parametrize("part", c_objects.PARTS)
def test_no_objects_call_each_other_in_a_circle(part, objects):
    assert sorted(map(sorted, c_objects.circles(objects(part)))) == []


def allowed(part):
    return {
        (caller, called) for caller, others in MAY_CALL[part].items() for called in others.split()
    }


@pytest.mark.parametrize("part", MAY_CALL)
def test_folders_call_only_those_that_they_may(part, objects):
    found = c_objects.arrows(objects(part), c_objects.folder_names(part))
    assert sorted(found - allowed(part)) == []


@pytest.mark.parametrize("part", MAY_CALL)
def test_folders_include_headers_only_of_those_that_they_may_call(part):
    assert sorted(c_objects.includes(part) - allowed(part)) == []


@pytest.mark.parametrize("part", MAY_CALL)
def test_folders_may_not_call_each_other_in_a_circle(part):
    assert (
        c_objects.circles(
            {caller: set(others.split()) for caller, others in MAY_CALL[part].items()}
        )
        == set()
    )


def test_a_planted_circle_and_a_planted_call_are_seen(tmp_path):
    texts = {
        "start": "void one(void);  int main(void) { one(); return 0; }",
        "one": "void two(void);  void one(void) { two(); }",
        "two": "void three(void);  void two(void) { three(); }",
        "three": "extern int used;  void one(void);  void three(void) { used++; one(); }",
        "data": "int used;",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.c").write_text(text)
    compiler = shutil.which("cc") or pytest.skip("no C compiler")
    c_objects.compile_all(tmp_path.glob("*.c"), [compiler], tmp_path)
    graph = c_objects.calls(tmp_path)
    assert c_objects.circles(graph) == {frozenset({"one", "two", "three"})}
    rooms = {"start": "top", "one": "middle", "two": "middle", "three": "low", "data": "low"}
    assert c_objects.arrows(graph, rooms) == {
        ("top", "middle"),
        ("middle", "low"),
        ("low", "middle"),
    }
