"""Rule files: what they become, and what a mistake in one says."""

from __future__ import annotations

import pytest
from rule_writing import DESIGN_RULE, HEAD, rule, write

from advisor.advice.rulebook.load import load_rules, read_rules
from advisor.model.errors import UserError
from advisor.model.rule import Gain, Limit, Look, Remedy, Require

BODY = (
    '[look]\neach = "run"\nwhen = "run.time > limit.long"\nsay = "{run.time}"\n[limit]\nlong = {'
    ' value = "10 s", why = "w" }\n'
)


def test_the_rule_of_the_design(tmp_path):
    write(tmp_path, DESIGN_RULE, "threads-share-cores", "placement")
    (loaded,) = load_rules([tmp_path])
    assert (loaded.id, loaded.folder, loaded.status, loaded.severity) == (
        "threads-share-cores",
        "placement",
        "stable",
        "",
    )
    assert loaded.look == Look(
        "rank",
        "rank.cores < rank.threads * limit.cores_per_thread",
        "Rank {rank.id} on {rank.node} runs {rank.threads:thread} on {rank.cores:core}.",
        "rank.threads > 1",
    )
    assert loaded.limits["shortest_run"] == Limit(
        "shortest_run",
        10,
        "10 s",
        "Start-up settles within 5 s in our samples; twice that is safe.",
    )
    assert loaded.requires == (
        Require(
            "run.time >= limit.shortest_run",
            "The run took less than {limit.shortest_run}: starting up is most of what was"
            " measured.",
        ),
    )
    assert loaded.gain == Gain(
        "0.5 * rank.compute_share * (1 - rank.cores / rank.threads)",
        "rank.compute_share * (1 - rank.cores / rank.threads)",
        "model",
        "Amdahl's law over the time outside MPI.",
    )
    assert loaded.remedies == (
        Remedy(
            "openmpi >=4",
            "launch",
            "mpirun --map-by slot:PE={rank.threads} --bind-to core",
            "mpirun(1), --map-by with PE=n",
            effort=2,
        ),
    )
    assert loaded.cases[0].gain == (0.35, 0.70) and loaded.cases[0].given["rank"] == [
        {"id": 0, "node": "n1", "threads": 8, "cores": 1, "compute_share": 0.8}
    ]


REMEDY = '[[remedy]]\nfor = "any"\ndo = "it"\nsource = "s"\n'
MISTAKES = [
    # text after the head (which has 5 lines)                        line, what the message must say
    ("look = 3\n", 6, "look is written wrongly; expected [look]"),
    ("", 0, "[look] is missing: where the rule looks"),
    ('colour = "red"\n' + BODY, 6, 'unknown key "colour"'),
    ('severty = "high"\n' + BODY, 6, 'unknown key "severty"; did you mean "severity"?'),
    (
        'severity = "huge"\n' + BODY,
        6,
        '"huge" is not known; expected one of high, low, medium, must, note',
    ),
    (BODY + "[remedies]\nx = 1\n", 12, 'unknown section [remedies]; did you mean "remedy"?'),
    (BODY + '[remedy]\nfor = "any"\n', 12, "remedy is written wrongly; expected [[remedy]]"),
    (
        BODY + REMEDY + '[[remedy]]\nfor = "openmp"\ndo = "it"\nsource = "s"\n',
        17,
        '"openmp" is not a library; expected any of',
    ),
    (
        BODY + '[[remedy]]\nfor = "any"\nsource = "s"\n',
        12,
        "exactly one of launch, set, input, code, do, intent; found none",
    ),
    (BODY + '[[remedy]]\nfor = "any"\nsource = "s"\ndo = "a"\nset = "b=1"\n', 12, "found set, do"),
    (
        BODY + '[[remedy]]\nfor = "any"\ndo = "a"\n',
        12,
        "source is missing: manual, publication or measurement",
    ),
    (BODY + REMEDY + "effort = 9\n", 16, "effort: expected 1 to 5"),
    (
        BODY + REMEDY + 'who = "me"\n',
        16,
        '"me" is not known; expected one of centre, developer, nobody, you',
    ),
    (
        BODY.replace("limit.long", "limit.lung"),
        8,
        'limit.lung is not in [limit]; did you mean "long"?',
    ),
    (BODY.replace("limit.long", "node.cpus"), 8, "node has many rows; say any(node.cpus)"),
    (BODY.replace("{run.time}", "{run.time"), 9, "a brace without its partner"),
    (
        BODY.replace('"10 s"', '"10 sec"'),
        11,
        '"10 sec" is not a quantity; expected a number with one of',
    ),
    (BODY.replace(', why = "w"', ""), 11, "why is missing: why this value"),
    (BODY + '[[case]]\nname = "x"\nexpect = "clear"\n', 12, "given is missing: tables of measures"),
    (BODY.replace('{ value = "10 s", why = "w" }', "10"), 11, "every limit has a reason"),
    (BODY.replace('each = "run"\n', ""), 6, "each is missing: the table whose rows are looked at"),
    (BODY.replace('"{run.time}"', "3"), 9, "a number found; expected a text in quotes"),
    (BODY.replace('"{run.time}"', "2020-01-01"), 9, "a date found; expected a text in quotes"),
    (
        BODY + '[[case]]\nname = "n"\ngiven.run = { time = 1 }\nexpect = "bad"\n',
        15,
        '"bad" is not known; expected one of clear, found, moot, unknown',
    ),
    (
        BODY + '[[case]]\nname = "n"\ngiven.run = 3\nexpect = "found"\n',
        14,
        "given.run: expected rows",
    ),
    (
        BODY + '[[case]]\nname = "n"\ngiven.run = {}\nexpect = "found"\ngain = [1]\n',
        16,
        "expected [low, high], or []",
    ),
    (BODY + '[[evidence]]\ntext = "t"\nsource = "s"\nlow = -1\n', 15, "expected a number above 0"),
    (
        BODY + '[[caveat]]\ntext = "a \\u001b[2J b"\n',
        13,
        "has control characters; expected plain text",
    ),
    (BODY + "x = = 1\n", 12, "not TOML: "),
    (
        BODY.replace('"run.time > limit.long"', '"library.name == "openmpi""'),
        8,
        "; in a condition with texts, write single quotes around all",
    ),
]


@pytest.mark.parametrize(
    "body, line, message", MISTAKES, ids=[message[:40] for _, _, message in MISTAKES]
)
def test_a_mistake_has_file_line_and_what_was_expected(tmp_path, body, line, message):
    file = write(tmp_path, HEAD.format(id="a-rule") + body)
    book = read_rules([tmp_path])
    assert book.rules == ()
    assert (file.name, line) in [
        (each.file.rpartition("/")[2], each.line) for each in book.mistakes if message in each.what
    ], list(map(str, book.mistakes))
    with pytest.raises(UserError, match="a-rule.toml"):
        load_rules([tmp_path])


HOSTILE = [
    (b"\xff\xfe\x00", "not UTF-8 at byte 0"),
    (b"a = " + b"[" * 100_000, "not TOML|nested too deeply"),
    (b"a." * 50_000 + b"b = 1", "a line with more than 100 dots"),
    (b"x = '" + b"a" * 300_000 + b"'", "larger than 256 KiB"),
    (b"id = 'a'\nid = 'b'", "not TOML"),
    (b"look = [[[[]]]]\nschema = 1", "look is written wrongly"),
    (b"limit = [1]\nlook = {each='run', when='run.x > 0', say='s'}", "limit is written wrongly"),
    (b"limit.x = {value = nan, why = 'w'}", "beyond all bounds"),
    (b"limit.x = {value = 1" + b"0" * 4000 + b", why = 'w'}", "beyond all bounds"),
    (
        (
            b"id ="
            b" '../../etc/passwd'\nschema=1\nfound='f'\nclear='c'\nwhy='w'\nlook={each='run',when='run.x"
            b" > 0',say='s'}"
        ),
        "is not a name; expected small words",
    ),
    (
        b"look = {each='run', when='__import__(\"os\").system(\"touch pwned\")', say='s'}",
        "no such function",
    ),
    (
        b"look = {each='run', when='run.x > 0', say='{run.x.__class__}'}",
        "expected a name of two parts",
    ),
    (b"[[remedy]]\n" * 5000, "too many"),
]


@pytest.mark.parametrize("raw, message", HOSTILE, ids=[message for _, message in HOSTILE])
def test_hostile_files_are_refused_and_do_nothing(tmp_path, raw, message, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "", "bad").write_bytes(raw)
    book = read_rules([tmp_path])
    assert book.rules == ()
    assert any(part in str(each) for each in book.mistakes for part in message.split("|")), list(
        map(str, book.mistakes)
    )
    assert not (tmp_path / "pwned").exists()


def test_a_link_out_of_the_folder_is_not_read(tmp_path):
    outside = write(tmp_path / "outside", HEAD.format(id="a-rule") + BODY)
    (tmp_path / "site" / "io").mkdir(parents=True)
    (tmp_path / "site" / "io" / "a-rule.toml").symlink_to(outside)
    (mistake,) = read_rules([tmp_path / "site"]).mistakes
    assert "leads out of its folder" in mistake.what


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(UserError, match="does not exist"):
        load_rules([tmp_path / "nowhere"])


def test_good_rules_are_kept_beside_a_bad_one(tmp_path):
    rule(tmp_path, BODY)
    write(tmp_path, "nonsense", "bad")
    book = read_rules([tmp_path])
    assert [each.id for each in book.rules] == ["a-rule"] and [
        each.line for each in book.mistakes
    ] == [0]


def site(tmp_path, text):
    write(
        tmp_path / "ours",
        HEAD.format(id="a-rule")
        + BODY
        + REMEDY
        + '[[remedy]]\nfor = "openmpi"\nset = "A=1"\nsource = "s"\n',
    )
    write(tmp_path / "site", "schema = 1\n" + text, "here")
    return read_rules([tmp_path / "ours", tmp_path / "site"])


def test_a_site_amends_limits_remedies_caveats_and_status(tmp_path):
    book = site(
        tmp_path,
        """amends = "a-rule"
why = "Our network"
status = "trial"
limit.long = { value = "1 min", why = "Our runs start slowly." }
[[remedy]]
for = "openmpi"
set = "B=2"
source = "our measurement"
[[caveat]]
text = "Not on Mondays"
""",
    )
    (loaded,) = book.rules
    assert book.mistakes == () and loaded.status == "trial"
    assert (loaded.limits["long"].value, loaded.limits["long"].text, loaded.limits["long"].why) == (
        60,
        "1 min",
        "Our runs start slowly.",
    )
    assert loaded.limits["long"].changed_by.endswith("site/balance/here.toml")
    assert [(each.applies, each.text) for each in loaded.remedies] == [
        ("openmpi", "B=2"),
        ("any", "it"),
    ]
    assert [each.text for each in loaded.caveats] == ["Not on Mondays"]


def test_a_site_mutes_a_rule_and_says_why(tmp_path):
    (loaded,) = site(tmp_path, 'amends = "a-rule"\nwhy = "Known here."\nmute = true\n').rules
    assert loaded.status == "muted" and "Known here." in loaded.why


def test_a_site_links_a_page_of_its_own_to_a_rule_of_ours(tmp_path):
    page = "https://hpc.example.org/barriers?x=1"
    (loaded,) = site(tmp_path, f'amends = "a-rule"\nwhy = "Ours."\nhelp_url = "{page}"\n').rules
    assert (loaded.help_url, loaded.limits["long"].text) == (page, "10 s")


AMEND_MISTAKES = [
    (
        'amends = "a-rle"\nwhy = "w"\n',
        2,
        'amends "a-rle", which is no rule; did you mean "a-rule"?',
    ),
    ("amends = 3\n", 2, "expected the id of a rule in quotes"),
    ('amends = "a-rule"\n', 0, "why is missing"),
    (
        'amends = "a-rule"\nwhy = "w"\nlimit.lon = { value = 1, why = "w" }\n',
        4,
        'the rule has no such limit; did you mean "long"?',
    ),
    ('amends = "a-rule"\nwhy = "w"\nfound = "x"\n', 4, 'unknown key "found"'),
    ('amends = "a-rule"\nwhy = "w"\n[[caveat]]\ntext = "t"\nwhen = "run.x >"\n', 6, "when: column"),
]


@pytest.mark.parametrize(
    "text, line, message", AMEND_MISTAKES, ids=[message[:30] for _, _, message in AMEND_MISTAKES]
)
def test_a_wrong_amendment_leaves_the_rule_as_it_was(tmp_path, text, line, message):
    book = site(tmp_path, text)
    assert [(each.line, message in each.what) for each in book.mistakes] == [(line, True)], list(
        map(str, book.mistakes)
    )
    assert [(each.id, each.limits["long"].value, each.status) for each in book.rules] == [
        ("a-rule", 10, "stable")
    ]


def test_a_rule_of_a_site_cannot_replace_one_of_ours(tmp_path):
    write(tmp_path / "ours", HEAD.format(id="a-rule") + BODY)
    write(tmp_path / "site", HEAD.format(id="a-rule") + BODY)
    (mistake,) = read_rules([tmp_path / "ours", tmp_path / "site"]).mistakes
    assert (
        "is taken by" in mistake.what and 'amends = "a-rule"' in mistake.what and mistake.line == 2
    )


def test_a_file_full_of_mistakes_is_read_in_no_time_and_shows_the_first(tmp_path):
    write(
        tmp_path,
        HEAD.format(id="a-rule")
        + BODY
        + "".join(f"l{number} = {{ valu = 1 }}\n" for number in range(500)),
    )
    assert len(read_rules([tmp_path]).mistakes) == 50


def test_rules_are_parsed_once_and_anew_when_a_file_changes(tmp_path, monkeypatch):
    """Files, what is parsed for it: all (the rule and our conditions), none, all again; and the
    rule reads the same."""
    from advisor.base import answer_cache
    from advisor.advice.rulebook import parsed_files

    monkeypatch.setenv("ADVISOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(answer_cache, "_SETTLED", 0.0)
    count, loads = [], parsed_files.tomllib.loads
    monkeypatch.setattr(parsed_files.tomllib, "loads", lambda text: count.append(1) or loads(text))
    write(tmp_path / "rules", DESIGN_RULE, "threads-share-cores", "placement")
    file = next((tmp_path / "rules").rglob("*.toml"))
    first, parsed_first = load_rules([tmp_path / "rules"]), len(count)
    second, parsed_second = load_rules([tmp_path / "rules"]), len(count)
    file.write_text(file.read_text().replace("found ", "found  "))
    third, parsed_third = load_rules([tmp_path / "rules"]), len(count)
    assert (parsed_first, parsed_second, parsed_third) == (2, 2, 4)
    assert first == second == third


COMMON = """[given]
run     = { ranks = 4, nodes = 1 }
library = { name = "mpich" }
setting = [{ name = "A" }, { name = "B" }]
"""


@pytest.mark.parametrize(
    "own, expected",
    [
        ("", ["run ranks=4 nodes=1", "library name=mpich", "setting name=A", "setting name=B"]),
        (
            "given.run = { nodes = 2, time = 9 }\ngiven.setting = []\n",
            ["run ranks=4 nodes=2 time=9", "library name=mpich"],
        ),
        (
            'given.setting = [{ name = "C" }]\ngiven.rank = { id = 0 }\n',
            ["run ranks=4 nodes=1", "library name=mpich", "setting name=C", "rank id=0"],
        ),
    ],
)
def test_a_case_has_what_all_cases_have_in_common(own, expected, tmp_path):
    text = BODY + COMMON + '[[case]]\nname = "x"\nexpect = "clear"\n' + own
    (case,) = rule(tmp_path, text).cases
    assert [
        " ".join([table, *(f"{name}={cell}" for name, cell in row.items())])
        for table, rows in case.given.items()
        for row in rows
    ] == expected
