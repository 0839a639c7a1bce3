"""One store for all tests that only read it, and what reads with the other side's code."""

import functools
import subprocess

import pytest


@pytest.fixture(scope="session")
def hostile_store(tmp_path_factory):
    """Jobs whose names mean something to somebody."""
    from hostile_fleet import hostile

    return hostile(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="session")
def read_by(tmp_path_factory):
    """Name of a program below readers/, text, arguments → the lines that it prints."""
    from go_readers import built

    folder = tmp_path_factory.mktemp("readers")
    program = functools.lru_cache(maxsize=None)(lambda name: built(name, folder))

    def read(name, text, *arguments):
        words = [program(name), *arguments]
        done = subprocess.run(words, input=text, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return read
