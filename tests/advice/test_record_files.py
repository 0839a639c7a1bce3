"""Files of records: what is wrong with one is said in a sentence, with its line; a site's records
add to ours."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_writing import HEAD, plain, write

from advisor.advice.checking.check import check
from advisor.advice.pages.rule_pages import explain
from advisor.advice.rulebook.evidence_files import RECORD
from advisor.advice.rulebook.load import load_rules, read_rules
from advisor.base import resource_paths

HEADER = 'schema = 1\ntopic = "t"\nabout = "a"\n'
GOOD = '[[record]]\nid = "a"\nof = "elapsed"\nsource = "s"\nratio = 0.5\n'
GAIN = (
    '[look]\neach = "run"\nwhen = "run.ranks > 1"\nsay = "s"\n[gain]\nbasis = "records"\nrecords ='
    ' "t"\nceiling = "run.mpi_share"\nsource = "s"\n'
)


def records(*folders):
    """Records of the topic that a rule of the first folder rests on."""
    write(folders[0], HEAD.format(id="a-rule") + GAIN)
    (rule,) = load_rules(folders)
    return rule.gain.rests_on


def mistakes(folder, text, name="file"):
    write(folder, text, name, "evidence")
    return [f"{mistake.line}: {mistake.what}" for mistake in read_rules([folder]).mistakes]


READ = [
    # what a record says                                                                ratio,
    # times, and other parts of it
    ("ratio = 0.81\n", (0.81, (), "pair", None)),
    (
        'with = 400.8\nwithout = 324.5\nreported = "best"\n',
        (400.8 / 324.5, (400.8, 324.5), "best", None),
    ),
    (
        'reported = "direction"\nresult = "slower"\nsize = "64 KiB"\n',
        (None, (), "direction", 65536),
    ),
]


@pytest.mark.parametrize("written, expected", READ)
def test_what_a_record_says(tmp_path, written, expected):
    write(
        tmp_path,
        HEADER + '[[record]]\nid = "a"\nof = "operation"\nsource = "s"\n' + written,
        "file",
        "evidence",
    )
    (found,) = records(tmp_path)
    assert (found.ratio, found.times, found.reported, found.size) == expected


def test_what_holds_for_all_records_and_what_one_says_otherwise(tmp_path):
    shared = (
        '[all]\nof = "elapsed"\nsource = "s"\nhosts = 8\nreported = "direction"\nresult ='
        ' "slower"\n'
    )
    write(
        tmp_path,
        HEADER
        + shared
        + '[[record]]\nid = "a"\n[[record]]\nid = "b"\nhosts = 4\nresult = "faster"\n[[record]]\nid'
        ' = "c"\nreported = "pair"\nratio = 2\n',
        "file",
        "evidence",
    )
    assert [(each.id, each.hosts, each.result, each.ratio) for each in records(tmp_path)] == [
        ("a", 8, "slower", None),
        ("b", 4, "faster", None),
        ("c", 8, "", 2),
    ]


def test_a_site_adds_records_to_a_topic(tmp_path):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    write(ours, HEADER + GOOD, "file", "evidence")
    write(theirs, HEADER + GOOD.replace('"a"', '"of-our-cluster"'), "cluster", "evidence")
    assert [each.id for each in records(ours, theirs)] == ["a", "of-our-cluster"]


WRONG = [
    # text of the file                                                       line: what is said
    (HEADER + GOOD + "cpus = 4\n", '9: unknown key "cpus"; did you mean "cpu"?'),
    (
        HEADER + GOOD.replace("0.5", "81"),
        (
            "8: ratio: 81 times the time is not believed; expected 0.02 to 50, time with the change"
            " over time without it"
        ),
    ),
    (
        HEADER + GOOD.replace("ratio = 0.5", "with = 1\nwithout = 1e6"),
        (
            "8: with: 1e-06 times the time is not believed; expected 0.02 to 50, time with the"
            " change over time without it"
        ),
    ),
    (HEADER + GOOD.replace("0.5", "nan"), "8: ratio: beyond all bounds; expected a finite number"),
    (HEADER + GOOD.replace("0.5", "-1"), "8: ratio: expected a number above 0"),
    (
        HEADER + GOOD.replace("ratio = 0.5", "with = 1"),
        "4: ratio: expected with and without, or ratio in their place",
    ),
    (
        HEADER + GOOD + "with = 1\nwithout = 2\n",
        "8: ratio: expected with and without, or ratio in their place",
    ),
    (HEADER + GOOD.replace('source = "s"\n', ""), "4: source: is missing: by whom, when, where"),
    (
        HEADER + GOOD + 'reported = "direction"\n',
        '8: ratio: does not go with reported = "direction"',
    ),
    (
        HEADER + GOOD.replace("ratio = 0.5", 'reported = "direction"'),
        "4: result: is missing: of a direction: faster, equal or slower",
    ),
    (
        HEADER + GOOD + 'fabric = "omni-path"\n',
        '9: fabric: "omni-path" is not known; did you mean "omnipath"?',
    ),
    (HEADER + GOOD + "hosts = 0\n", "9: hosts: expected at least 1"),
    (
        HEADER + GOOD + "hosts = 8\nhosts_to = 4\n",
        "10: hosts_to: expected the upper end of a range that begins at hosts",
    ),
    (HEADER + GOOD + GOOD, '10: id "a" is taken by a record of FILE'),
    (HEADER, "0: [record] is missing: one result"),
    (GOOD, None),
    ("schema = 1\n[[record]\n", None),
    (HEADER + "record = 1\n", "4: record is written wrongly; expected [[record]]"),
    (HEADER + "[[record]]\n" * 300, "4: 300 entries are too many; expected at most 200"),
    (
        HEADER + GOOD.replace('"s"', '"\\u001b[31m"'),
        "7: source: has control characters; expected plain text",
    ),
]


@pytest.mark.parametrize("text, expected", WRONG)
def test_what_is_wrong_is_said_in_a_sentence(tmp_path, text, expected):
    found = mistakes(tmp_path, text)
    if expected is None:
        assert found
    else:
        assert [each.replace(str(tmp_path / "evidence" / "file.toml"), "FILE") for each in found][
            :1
        ] == [expected]


def test_a_file_that_is_no_text_is_a_sentence_too(tmp_path):
    file = write(tmp_path, "", "file", "evidence")
    file.write_bytes(b"\xff\xfe\x00" * 50)
    assert [str(mistake.what) for mistake in read_rules([tmp_path]).mistakes] == [
        "not UTF-8 at byte 0; expected TOML text"
    ]


RULES = [
    # [gain] of a rule                                                       what is said
    (GAIN.replace('"t"', '"tt"'), 'there are no records on "tt"; did you mean "t"?'),
    (
        GAIN.replace('records = "t"\n', ""),
        'records is missing; basis "records" needs records and ceiling',
    ),
    (
        GAIN.replace('ceiling = "run.mpi_share"\n', ""),
        'ceiling is missing; basis "records" needs records and ceiling',
    ),
    (GAIN + 'low = "0"\n', 'low does not go with basis "records"; leave it out'),
    (GAIN + 'unit = "s"\n', "gains from records are shares of elapsed"),
    (
        GAIN.replace('basis = "records"', 'basis = "model"'),
        'low is missing; basis "model" needs low and high',
    ),
]


@pytest.mark.parametrize("written, expected", RULES)
def test_rules_that_rest_on_records_wrongly(tmp_path, written, expected):
    write(tmp_path, HEADER + GOOD, "file", "evidence")
    write(tmp_path, HEAD.format(id="a-rule") + written)
    assert expected in [mistake.what for mistake in read_rules([tmp_path]).mistakes]


def test_a_topic_that_no_rule_names(tmp_path):
    write(tmp_path, HEADER + GOOD, "file", "evidence")
    write(tmp_path, HEAD.format(id="a-rule") + GAIN)
    write(
        tmp_path, (HEADER + GOOD).replace('"t"', '"tt"').replace('"a"', '"b"'), "other", "evidence"
    )
    found = [
        f"{mistake.line}: {mistake.what}"
        for mistake in check(read_rules([tmp_path]))
        if mistake.file.endswith("other.toml")
    ]
    assert found == ['2: no rule rests on the topic "tt"; did you mean "t"?']


def test_the_example_of_the_guide_joins_our_records(tmp_path):
    guide = (resource_paths.rules() / "README.md").read_text(encoding="utf-8")
    example = guide.partition("on that topic:\n\n")[2].partition("\n\n`[all]`")[0]
    write(tmp_path, "\n".join(line[4:] for line in example.splitlines()), "our-cluster", "evidence")
    (rule,) = [
        each for each in load_rules([resource_paths.rules(), tmp_path]) if each.id == "single-copy"
    ]
    (found,) = [each for each in rule.gain.rests_on if each.id == "our-gromacs-64"]
    assert (found.hosts, found.ranks_per_node, found.origin, found.times) == (
        1,
        64,
        "own",
        (118.2, 131.0),
    )


def test_a_rule_is_explained_with_its_records(tmp_path):
    write(
        tmp_path,
        HEADER
        + GOOD
        + '[[record]]\nid = "b"\nof = "elapsed"\nsource = "s"\nwith = 3\nwithout = 2\nhosts = 8\n',
        "file",
        "evidence",
    )
    write(tmp_path, HEAD.format(id="a-rule") + GAIN)
    text = " ".join(plain(explain(load_rules([tmp_path]), "a-rule")).split())
    assert (
        "from the nearest of 2 pairs on t: 50.0 % less to 50.0 % more time, 1 of them longer. s at"
        " most run.mpi_share" in text
    )
    assert "elapsed, from s a: 50.0 % less time b: 50.0 % more time (3 against 2); 8 hosts" in text


VALUES = (
    '"s"',
    "1",
    "-1",
    "0",
    "1e308",
    "inf",
    "nan",
    "true",
    "[]",
    '["s"]',
    "{}",
    "{ a = 1 }",
    "1979-05-27",
    '"\\u0000"',
    '"' + "x" * 30_000 + '"',
    '"elapsed"',
    '"pair"',
    '"64 KiB"',
)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(("all", "record", "")),
            st.sampled_from((*RECORD, "id", "topic", "about", "schema", "record", "all")),
            st.sampled_from(VALUES),
        ),
        max_size=8,
    )
)
@settings(max_examples=60, deadline=None)
def test_whatever_a_file_holds_is_a_record_or_a_sentence(tmp_path_factory, lines):
    folder = tmp_path_factory.mktemp("records")
    parts = {"": 'topic = "t"\n', "all": "[all]\n", "record": "[[record]]\n"}
    for section, key, value in lines:
        parts[section] += f"{key} = {value}\n"
    write(folder, "".join(parts.values()), "file", "evidence")
    book = read_rules([folder])
    assert all(
        mistake.what and "\n" not in mistake.what[:300] and mistake.file.endswith("file.toml")
        for mistake in book.mistakes
    )
    assert all(
        0.02 <= each.ratio <= 50
        for each in book.topics.records.get("t", ())
        if each.ratio is not None
    )
