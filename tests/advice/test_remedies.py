"""Remedies: chosen for this run, offered only as far as they were seen to be possible, and never in
conflict."""

from __future__ import annotations

import pytest
from rule_writing import HEAD, opinion, plain, rule, write

from advisor.advice import judge
from advisor.advice.checking.cases import given_measures
from advisor.advice.checking.check import check
from advisor.advice.judging.remedies import settings_of
from advisor.advice.rulebook.load import read_rules
from advisor.advice.rulebook.selectors import SelectorMistake, check_selector, covers
from advisor.model.finding import State, Step
from advisor.model.measures import Measures
from advisor.model.profile import Fact, Library, Profile, Run
from advisor.reports.composing.item import item

FACTS = {
    "library": "openmpi",
    "version": "4.1.4",
    "application": "VASP",
    "launcher": "/usr/bin/mpirun.openmpi",
    "scheduler": "slurm",
}
NOBODY = dict.fromkeys(FACTS, "")
SELECTIONS = [
    # selector                          facts   covered
    ("any", FACTS, True),
    ("any", NOBODY, True),
    ("openmpi >=4,<6", FACTS, True),
    ("openmpi >=5", FACTS, False),
    ("openmpi", NOBODY, False),
    ("app vasp", FACTS, True),
    ("app lammps", FACTS, False),
    ("slurm", FACTS, True),
    ("slurm", {**NOBODY, "launcher": "srun"}, True),
    ("pbs", FACTS, False),
    ("launcher mpirun", FACTS, True),
    ("launcher hydra", {**NOBODY, "launcher": "mpiexec.hydra"}, True),
    ("srun", FACTS, False),
    ("openmpi >=4 and slurm", FACTS, True),
    ("openmpi >=4 and app lammps", FACTS, False),
]


@pytest.mark.parametrize("selector, facts, covered", SELECTIONS)
def test_whom_a_selector_covers(selector, facts, covered):
    check_selector(selector)
    assert covers(selector, facts) is covered


@pytest.mark.parametrize(
    "selector", ["", "vasp", "app ", "openmpi and", "openmpi or mpich", "openmpi 4"]
)
def test_a_wrong_selector_is_refused(selector):
    with pytest.raises(SelectorMistake, match="expected"):
        check_selector(selector)


LOOK = '[look]\neach = "run"\nwhen = "run.ranks > 1"\nsay = "s"\n'


def remedy(selector, action, more=""):
    return f'[[remedy]]\nfor = "{selector}"\n{action}\nsource = "s"\n{more}\n'


def steps(tmp_path, body, **given):
    tables = {
        "run": {"ranks": 4, "size": 65536},
        "library": {"name": "openmpi", "version": "4.1.4"},
        **given,
    }
    said = opinion(rule(tmp_path, LOOK + body), tables)
    return said, [(step.text, step.state, step.reason) for step in said.steps]


LINES = remedy("any", 'input = """\nsize {run.size}\nlonger"""', 'file = "in.lj"')


@pytest.mark.parametrize(
    "given, text, state",
    [
        ({}, "size 65536\nlonger", State.DOABLE),
        ({"run": {"ranks": 4}}, "size ?\nlonger", State.WITHHELD),
    ],
    ids=["known", "a number is not known"],
)
def test_lines_of_an_input_file(tmp_path, given, text, state):
    said, _ = steps(tmp_path, LINES, **given)
    assert [(step.kind, step.file, step.text, step.state) for step in said.steps] == [
        ("input", "in.lj", text, state)
    ]


def test_what_no_setting_helps_is_no_setting_to_try(tmp_path):
    said, _ = steps(tmp_path, remedy("any", 'do = "Look at balance first."', 'who = "nobody"'))
    assert (said.state, said.steps[0].state, said.severity) == (
        State.NO_SETTING,
        State.NO_SETTING,
        "note",
    )


NEEDS = 'needs = ["all(node.xpmem)", "library.built_with_xpmem"]'
ASK = NEEDS + '\nrequest = "Please install XPMEM on {count(node.name):host}."'
CAPABILITIES = [
    # xpmem on hosts, built with, further keys    state, holds of each need
    ([True, True], True, NEEDS, State.DOABLE, [True, True]),
    ([True, False], True, NEEDS, State.WITHHELD, [False, True]),
    ([True, None], True, NEEDS, State.WITHHELD, [None, True]),
    ([True, True], None, NEEDS, State.WITHHELD, [True, None]),
    ([True, False], True, ASK, State.REQUEST, [False, True]),
    ([True, None], None, ASK, State.REQUEST, [None, None]),
    ([], True, NEEDS, State.WITHHELD, [None, True]),
    (None, True, NEEDS, State.WITHHELD, [None, True]),
]


@pytest.mark.parametrize("xpmem, built, more, state, holds", CAPABILITIES)
def test_doable_only_if_every_need_was_seen_to_hold(tmp_path, xpmem, built, more, state, holds):
    library = {
        "name": "openmpi",
        "version": "4.1.4",
        **({} if built is None else {"built_with_xpmem": built}),
    }
    tables = (
        {}
        if xpmem is None
        else {
            "node": [
                {"name": f"n{number}", **({} if each is None else {"xpmem": each})}
                for number, each in enumerate(xpmem)
            ]
        }
    )
    said, _ = steps(tmp_path, remedy("openmpi", 'set = "A=1"', more), library=library, **tables)
    assert said.state is state and [each.holds for each in said.steps[0].prerequisites] == holds
    assert state is State.DOABLE or said.steps[0].reason


def test_a_request_is_ready_to_send_and_says_what_was_seen(tmp_path):
    nodes = [{"name": "n1", "xpmem": True}, {"name": "n2", "xpmem": False}]
    said, _ = steps(
        tmp_path,
        remedy("openmpi", 'set = "A=1"', ASK),
        node=nodes,
        library={"name": "openmpi", "version": "4", "built_with_xpmem": True},
    )
    (step,) = said.steps
    assert plain(step.request) == "Please install XPMEM on 2 hosts." and step.who == "centre"
    assert [each.text for each in step.prerequisites] == [
        "XPMEM (/dev/xpmem) on the hosts: on 1 of 2",
        "library built with XPMEM: yes",
    ]


IN_WORDS = [
    # a need, a run in which it does not hold, what is seen, why the step is withheld
    (
        "not run.in_blocks",
        {"run": {"ranks": 4, "in_blocks": True}},
        "ranks that do not lie in blocks of consecutive numbers: they lie in blocks already",
        (
            "it needs ranks that do not lie in blocks of consecutive numbers, here: they lie in"
            " blocks already"
        ),
    ),
    (
        'library.layer == "ob1"',
        {"library": {"name": "openmpi", "version": "4.1.4", "layer": "ucx"}},
        "layer that sends messages: ucx",
        "it needs the layer that sends messages to be ob1, here: ucx",
    ),
    (
        "all(node.xpmem)",
        {"node": [{"name": "a", "xpmem": True}, {"name": "b", "xpmem": False}]},
        "XPMEM (/dev/xpmem) on the hosts: on 1 of 2",
        "it needs XPMEM (/dev/xpmem) on all hosts, here: on 1 of 2",
    ),
    (
        "all(node.infiniband) or all(node.roce)",
        {"node": [{"name": "a", "infiniband": False, "roce": False}]},
        "InfiniBand on the hosts: on 0 of 1; RoCE on the hosts: on 0 of 1",
        (
            "it needs InfiniBand on all hosts or RoCE on all hosts, here: InfiniBand on the hosts:"
            " on 0 of 1, RoCE on the hosts: on 0 of 1"
        ),
    ),
    (
        'run.thread_requested in ("serialized", "multiple")',
        {"run": {"ranks": 4, "thread_requested": "single"}},
        "thread level requested: single",
        "it needs the thread level requested to be serialized or multiple, here: single",
    ),
    (
        "library.built_with_ucx",
        {},
        "library built with UCX: not known",
        "it needs a library built with UCX, not known here",
    ),
    (
        "run.delaying_rank_share >= 0.5",
        {"run": {"ranks": 4, "delaying_rank_share": 0.4}},
        "waiting for the rank that was waited for most: 40.0 % of all waiting",
        "it needs run.delaying_rank_share >= 0.5, here: 40.0 % of all waiting",
    ),
    (
        "run.ranks > run.size",
        {},
        "run ranks: 4; run size: 64 KiB",
        "it needs run.ranks > run.size, here: run ranks: 4, run size: 64 KiB",
    ),
]


@pytest.mark.parametrize("need, given, seen, reason", IN_WORDS, ids=[row[0] for row in IN_WORDS])
def test_a_need_that_fails_is_said_in_words(tmp_path, need, given, seen, reason):
    said, _ = steps(tmp_path, remedy("any", 'do = "Try."', f"needs = ['{need}']"), **given)
    assert (
        [plain(each.text) for each in said.steps[0].prerequisites],
        plain(said.steps[0].reason),
    ) == ([seen], reason)


CHOICES = [
    # remedies                                                         what is offered
    (
        remedy("openmpi", 'set = "A={run.size}"') + remedy("mpich", 'set = "B=1"'),
        [("A=65536", State.DOABLE, "")],
    ),
    (remedy("mpich", 'set = "B=1"') + remedy("other", 'do = "Ask."'), [("Ask.", State.DOABLE, "")]),
    (
        remedy("openmpi", 'set = "A=1"') + remedy("other", 'do = "Ask."'),
        [("A=1", State.DOABLE, "")],
    ),
    (
        remedy("openmpi", 'set = "A=1"', 'needs = ["run.no"]') + remedy("other", 'do = "Ask."'),
        [("Ask.", State.DOABLE, ""), ("A=1", State.WITHHELD, "it needs run no, not known here")],
    ),
    (
        remedy("any", 'code = "Rewrite."') + remedy("openmpi", 'set = "A=1"'),
        [("A=1", State.DOABLE, ""), ("Rewrite.", State.DEVELOPER, "")],
    ),
    (remedy("any", 'do = "Ask for it."', 'who = "centre"'), [("Ask for it.", State.REQUEST, "")]),
    (
        remedy("openmpi", 'set = "A={run.none}"'),
        [("A=?", State.WITHHELD, "a number in it is not known: run.none: not measured")],
    ),
    (
        remedy("mpich", 'set = "B=1"'),
        [
            (
                "No MPI setting helps: Open MPI 4.1.4 has no equivalent known to this rule.",
                State.NO_SETTING,
                "remedies are known for mpich",
            )
        ],
    ),
    ("", []),
]


@pytest.mark.parametrize("body, expected", CHOICES)
def test_what_is_offered(tmp_path, body, expected):
    assert steps(tmp_path, body)[1] == expected


def test_nothing_to_do_is_a_note_without_a_number(tmp_path):
    gain = '[gain]\nlow = "1"\nhigh = "1"\nbasis = "model"\nsource = "s"\n'
    said, _ = steps(tmp_path, gain + remedy("mpich", 'set = "B=1"'), run={"ranks": 4, "time": 100})
    assert (said.state, said.severity, said.saving) == (State.NO_SETTING, "note", None)


def test_an_unknown_library_gets_no_setting(tmp_path):
    said, (only,) = steps(tmp_path, remedy("mpich", 'set = "B=1"'), library={"version": "4"})
    assert only[0] == "The MPI library of this run is not known, so no setting can be named."


SETTINGS = [
    ("set", "A=1 B=x:y", {"A": "1", "B": "x:y"}),
    (
        "launch",
        "mpirun --map-by slot:PE=8 --bind-to core",
        {"--map-by": "slot:PE=8", "--bind-to": "core"},
    ),
    ("launch", "--mca pml ucx --mca osc ucx", {"OMPI_MCA_pml": "ucx", "OMPI_MCA_osc": "ucx"}),
    (
        "launch",
        "mpirun -x UCX_TLS=all --report-bindings",
        {"UCX_TLS": "all", "--report-bindings": ""},
    ),
    (
        "launch",
        "mpiexec -genv I_MPI_PIN 1 -bind-to core:8",
        {"I_MPI_PIN": "1", "-bind-to": "core:8"},
    ),
    ("launch", "srun --cpus-per-task=8", {"--cpus-per-task": "8"}),
    ("launch", "mpirun_rsh MV2_USE_MCAST=1", {"MV2_USE_MCAST": "1"}),
    ("do", "set A=1", {}),
]


@pytest.mark.parametrize("kind, text, expected", SETTINGS)
def test_settings_of_a_step(kind, text, expected):
    assert settings_of(Step(kind, text, "you", "", "", "", State.DOABLE, 1)) == expected


def advised(tmp_path, *bodies, settings=(), known=""):
    gain = '[gain]\nlow = "{low}"\nhigh = "1"\nbasis = "model"\nsource = "s"\n'
    rules = [
        rule(tmp_path / f"r{number}", LOOK + gain.format(low=1 / (number + 2)) + body, f"r{number}")
        for number, body in enumerate(bodies)
    ]
    given = {
        "run": {"ranks": 4, "time": 100},
        "library": {"name": "openmpi", "version": "4"},
        "setting": [dict(zip(("name", "value"), each)) for each in settings],
    }
    facts = {"settings.known": Fact(known, "ompi_info")} if known else {}
    measures = given_measures(given, {})
    return judge(Measures(measures.tables, Profile(Run("p"), Library(facts=facts), (), {})), rules)


def test_two_findings_never_ask_for_two_values_of_one_setting(tmp_path):
    advice = advised(
        tmp_path,
        remedy("any", 'set = "OMPI_MCA_pml=ucx"'),
        remedy("any", 'launch = "--mca pml ob1"'),
        remedy("any", 'set = "C=3"'),
    )
    assert advice.settings == {"OMPI_MCA_pml": "ucx", "C": "3"}
    assert [(each.rule, each.state, each.steps[0].reason) for each in advice.findings] == [
        ("r0", State.DOABLE, ""),
        ("r2", State.DOABLE, ""),
        ("r1", State.WITHHELD, "r0, which may save more, asks for OMPI_MCA_pml=ucx"),
    ]


LAYER, LIMIT = 'set = "OMPI_MCA_pml=ucx"', 'set = "OMPI_MCA_btl_sm_eager_limit=65536"'


@pytest.mark.parametrize(
    "first, second, reason",
    [
        (LAYER, LIMIT, "it is without effect with OMPI_MCA_pml=ucx of r0, which may save more"),
        (
            LIMIT,
            LAYER,
            (
                "with it OMPI_MCA_btl_sm_eager_limit=65536 of r0, which may save more, would be"
                " without effect"
            ),
        ),
        (LIMIT, LAYER.replace("ucx", "ob1"), ""),
    ],
)
def test_no_finding_asks_for_what_another_puts_out_of_effect(tmp_path, first, second, reason):
    """The layers ucx and cm of Open MPI do not read what is set for the components below ob1."""
    advice = advised(tmp_path, remedy("any", first), remedy("any", second))
    assert [(each.rule, each.steps[0].reason) for each in advice.findings] == [
        ("r0", ""),
        ("r1", reason),
    ]
    assert len(advice.settings) == (1 if reason else 2)


def test_two_findings_may_ask_for_the_same_value(tmp_path):
    advice = advised(tmp_path, remedy("any", 'set = "A=1"'), remedy("any", 'set = "A=1"'))
    assert advice.settings == {"A": "1"} and [each.state for each in advice.findings] == [
        State.DOABLE,
        State.DOABLE,
    ]


def test_alternatives_of_one_finding_do_not_conflict_but_only_the_first_is_set(tmp_path):
    advice = advised(tmp_path, remedy("any", 'set = "A=1"') + remedy("any", 'set = "A=2"'))
    assert advice.settings == {"A": "1"} and [each.state for each in advice.findings[0].steps] == [
        State.DOABLE,
        State.DOABLE,
    ]


def test_what_is_in_force_already_is_not_asked_for(tmp_path):
    advice = advised(tmp_path, remedy("any", 'set = "A=1"'), settings=[("A", "1")])
    assert [each.reason for each in advice.findings[0].steps] == [
        "already in force: A=1"
    ] and advice.settings == {}


def test_names_that_the_library_does_not_have_are_not_printed_as_doable(tmp_path):
    advice = advised(
        tmp_path,
        remedy("any", 'set = "OMPI_MCA_pml=ucx"'),
        remedy("any", 'set = "OMPI_MCA_plm=x"'),
        known="pml osc",
    )
    assert [(each.state, each.steps[0].reason) for each in advice.findings] == [
        (State.DOABLE, ""),
        (State.WITHHELD, "this library has no setting OMPI_MCA_plm"),
    ]


ALTERNATIVES = [
    # remedies of two rules                                                           the step shown
    # first of each         on the launch line
    (
        (remedy("any", 'do = "Start fewer ranks."') + remedy("openmpi", 'set = "A=1"'),),
        ["A=1"],
        {"A": "1"},
    ),
    (
        (remedy("openmpi", 'set = "A=1"') + remedy("openmpi", 'launch = "mpirun --bind-to core"'),),
        ["A=1"],
        {"A": "1"},
    ),
    (
        (
            remedy("openmpi", 'set = "A=1"'),
            remedy("openmpi", 'set = "A=2"') + remedy("openmpi", 'set = "B=1"'),
        ),
        ["A=1", "B=1"],
        {"A": "1", "B": "1"},
    ),
    (
        (
            remedy("openmpi", 'set = "A=1"'),
            remedy("openmpi", 'set = "A=2"') + remedy("any", 'do = "Ask."'),
        ),
        ["A=1", "Ask."],
        {"A": "1"},
    ),
]


@pytest.mark.parametrize("bodies, first, settings", ALTERNATIVES)
def test_the_step_shown_first_is_the_one_on_the_launch_line(tmp_path, bodies, first, settings):
    rules = [
        rule(tmp_path / str(number), LOOK + body, name=f"rule-{number}")
        for number, body in enumerate(bodies)
    ]
    advice = judge(
        given_measures(
            {"run": {"ranks": 4}, "library": {"name": "openmpi", "version": "4.1.4"}}, {}
        ),
        rules,
    )
    shown = {finding.rule: finding.steps[0].text for finding in advice.findings}
    assert ([shown[f"rule-{number}"] for number in range(len(bodies))], advice.settings) == (
        first,
        settings,
    )


@pytest.mark.parametrize(
    "launcher, launch, reason",
    [
        ("/usr/bin/mpirun", "mpirun --bind-to core", ""),
        ("mpiexec", "mpirun --bind-to core", ""),
        (
            "srun",
            "mpirun --bind-to core",
            "these are options of mpirun, and this run was started by srun",
        ),
        (
            "mpirun",
            "srun --cpu-bind=cores",
            "these are options of srun, and this run was started by mpirun",
        ),
    ],
)
def test_options_of_another_launcher_are_not_offered(tmp_path, launcher, launch, reason):
    given = {
        "run": {"ranks": 4, "launcher": launcher},
        "library": {"name": "openmpi", "version": "4.1.4"},
    }
    advice = judge(
        given_measures(given, {}),
        [rule(tmp_path, LOOK + remedy("openmpi", f'launch = "{launch}"'))],
    )
    assert (advice.findings[0].steps[0].reason, bool(advice.settings)) == (reason, not reason)


def test_a_caution_stands_beside_the_step_that_it_is_about(tmp_path):
    cautions = (
        '[[caveat]]\ntext = "Always."\n[[caveat]]\ntext = "Of A."\nof = ["A="]\n[[caveat]]\ntext ='
        ' "Of B."\nof = ["B="]\n[[caveat]]\ntext = "Of C."\nof = ["C="]\n'
    )
    body = (
        remedy("mpich", 'set = "A=1"')
        + remedy("openmpi", 'set = "B=1"')
        + remedy("any", 'do = "C=D"')
    )
    said, _ = steps(tmp_path, body + cautions)
    assert ([step.hurts for step in said.steps], said.hurts) == (
        [("Of B.",), ("Of C.",)],
        ("Always.",),
    )
    # of A nothing is said: it is not offered here
    assert item(1, said).hurts == ("Of B.", "Always.", "Of C.")


def test_a_caution_of_no_remedy_is_a_mistake(tmp_path):
    write(
        tmp_path,
        HEAD.format(id="a-rule")
        + LOOK
        + remedy("any", 'do = "Ask."')
        + '[[caveat]]\ntext = "t"\nof = ["A="]\n',
    )
    assert 'of: no remedy has "A=" in its text' in " ".join(map(str, check(read_rules([tmp_path]))))


@pytest.mark.parametrize(
    "words, wrong",
    [
        ('do = "Use two."\nchange = "ranks 2"', ""),
        ('do = "Use two."\nchange = "rank 2"', "change: expected one of ranks, program, launcher"),
        ('set = "A=1"\nchange = "ranks 2"', "change belongs to do, not to set"),
    ],
)
def test_a_change_of_the_line_begins_with_what_it_changes(tmp_path, words, wrong):
    write(tmp_path, HEAD.format(id="a-rule") + LOOK + remedy("any", words))
    said = [each.what for each in check(read_rules([tmp_path])) if "change" in each.what]
    assert bool(said) is bool(wrong) and all(wrong in each for each in said)


OPTION_OR_CODE = remedy("any", 'do = "Print less often."') + remedy(
    "any", 'code = "Sum an array at once."', 'who = "developer"'
)


@pytest.mark.parametrize(
    "application, first",
    [
        ({"name": "lammps"}, "Print less often."),  # has a manual, which names the option
        ({}, "Sum an array at once."),  # is run by those who wrote it
    ],
)
def test_whose_advice_comes_first(tmp_path, application, first):
    assert steps(tmp_path, OPTION_OR_CODE, application=application)[1][0][0] == first
