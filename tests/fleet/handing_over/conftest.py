"""One store for all tests that only read it."""

import pytest


@pytest.fixture(scope="session")
def hostile_store(tmp_path_factory):
    """Jobs whose names mean something to somebody."""
    from hostile_fleet import hostile

    return hostile(tmp_path_factory.mktemp("hostile"))
