"""What `--trace=…` may say, and what is said where it makes no sense or finds no room."""

from __future__ import annotations

import pytest

from advisor.launching.run import tracing
from advisor.model.errors import UserError


@pytest.mark.parametrize(
    "written, read",
    [
        ("all", "size=67108864"),
        ("", "size=67108864"),
        ("first=60s", "size=67108864:to=60"),
        ("last=5m", "last=300:size=67108864"),
        ("from=10,to=1.5h", "from=10:size=67108864:to=5400"),
        ("region=-3", "region=-3:size=67108864"),
        ("size=1G,region=2", "region=2:size=1073741824"),
        ("SIZE=512KiB", "size=524288"),
    ],
)
def test_a_selection_is_read(written, read):
    assert tracing.wanted(written) == read


@pytest.mark.parametrize(
    "written, reported",
    [
        ("everything", '"everything" is not a part of a run that can be traced.'),
        ("first", '"first" is not a part of a run that can be traced.'),
        ("first=soon", '"first=soon" names no time.'),
        ("last=0", '"last=0" names no time.'),
        ("size=3", '"size=3" names no size that the events of a rank can have.'),
        ("size=1e9", '"size=1e9" names no size that the events of a rank can have.'),
        ("region=solve", '"region=solve" names no region.'),
        ("first=5,to=9", '"first=5,to=9" says twice how much to trace.'),
        (
            "last=5,first=9",
            '"last=5,first=9" asks for the end of the run and for another part of it.',
        ),
        ("from=9,to=5", '"from=9,to=5" ends before it begins.'),
    ],
)
def test_a_selection_that_makes_no_sense_is_one_sentence_and_what_to_write(written, reported):
    with pytest.raises(UserError) as problem:
        tracing.wanted(written)
    assert problem.value.lines()[0] == reported and "=" in problem.value.lines()[1]


def test_without_room_there_is_no_trace_and_a_sentence(tmp_path):
    said = []
    assert tracing.begin(tmp_path, 1 << 20, "size=1073741824", said.append) == {}
    assert len(said) == 1 and said[0].startswith("No trace is kept: it may take 1.05e+06 GiB, and ")
    assert not (tmp_path / "trace").exists()
    assert tracing.begin(tmp_path, 2, "size=65536", said.append) == {"ADVISOR_TRACE": "size=65536"}
    assert (tmp_path / "trace").is_dir()
