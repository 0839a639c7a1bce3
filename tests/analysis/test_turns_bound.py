"""Waiting in turns is for what others compute: no rank waits longer for it than they do."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from advisor.analysis.derived.causes import _of_others


def test_nobody_waits_longer_in_turns_than_all_others_compute():
    view = SimpleNamespace(useful=np.array([3.0, 1.0, 0.0]), count=3)
    assert _of_others(view, 3).tolist() == [1.0, 3.0, 4.0]


def test_where_computing_is_not_known_nothing_is_bounded():
    view = SimpleNamespace(useful=np.array([3.0, np.nan]), count=2)
    assert _of_others(view, 2).tolist() == [np.inf, np.inf]
