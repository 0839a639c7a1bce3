"""A remedy that names an intent becomes one for each library, in its words."""

from __future__ import annotations

import pytest

from advisor.advice.language.expression import parse
from advisor.advice.rulebook.intents import book, from_intent
from advisor.advice.rulebook.selectors import check_selector
from advisor.base import resource_paths
from advisor.model.intent import IntentMistake, Words, read_intents, translated


def remedies(**entry):
    return {each.applies: each for each in from_intent({"for": "any", **entry})}


def test_each_library_in_its_words():
    found = remedies(intent="eager-limit-in-host", value="{limit.proposed}")
    assert (
        found["openmpi >=5"].text == "OMPI_MCA_btl_sm_eager_limit={limit.proposed}"
        " OMPI_MCA_btl_sm_max_send_size={limit.proposed}"
    )
    assert (
        found["mvapich2 >=2,<3"].text
        == found["mvapich2-x >=2,<3"].text
        == "MV2_SMP_EAGERSIZE={limit.proposed} MV2_SMP_QUEUE_LENGTH=262144"
    )
    assert found["hpcx >=4,<5"].text == found["openmpi >=4,<5"].text
    assert (found["intel"].kind, found["intel"].who) == ("do", "nobody")
    assert all(each.check and each.undo for each in found.values() if each.kind == "set")


def test_an_algorithm_by_its_name():
    found = remedies(intent="allreduce-algorithm", value="ring")
    assert found["openmpi >=4,<5"].text.endswith("coll_tuned_allreduce_algorithm=4")
    assert found["mpich >=4.3"].text.endswith("ALLREDUCE_INTRA_ALGORITHM=ring")
    assert "mpich >=4,<4.3" not in found, (
        "it has no ring, and ends at the start if it is asked for one"
    )
    assert "no words" not in found["intel >=2021"].text and found["intel >=2021"].who == "nobody"


def test_narrowed_with_needs_of_its_own():
    found = from_intent(
        {
            "for": "mpich",
            "intent": "progress-thread",
            "needs": ["run.nodes > 1"],
            "request": "Please.",
        }
    )
    assert [each.applies for each in found] == ["mpich"]
    assert (
        found[0].needs[-1] == "run.nodes > 1"
        and len(found[0].needs) == 2
        and found[0].request == "Please."
    )


@pytest.mark.parametrize(
    "entry, said",
    [
        ({"intent": "progress-thred"}, 'no intent "progress-thred"; did you mean progress-thread?'),
        ({"intent": "eager-limit-in-host"}, "needs a value: bytes of one message"),
        ({"intent": "huge-pages", "for": "mvapich"}, "has no words for mvapich"),
    ],
)
def test_mistakes(entry, said):
    with pytest.raises(IntentMistake, match=said):
        from_intent({"for": "any", **entry})


def test_a_broken_file_is_named(tmp_path):
    (tmp_path / "x.toml").write_text(
        'intent = "x"\nmeans = "X"\n[[words]]\nfor = "openmpi"\nset = "A=1"\nnone = "no"\nsource ='
        ' "s"\n'
    )
    with pytest.raises(IntentMistake, match="x.toml.*exactly one of set, launch, none"):
        read_intents(tmp_path)


def test_numbers_are_carried_over_and_algorithms_by_their_meaning():
    number, word = (
        Words("openmpi", "set", "A={value}", "s"),
        Words("mpich", "set", "B={value}", "s", values={"ring": "r"}),
    )
    numbered = Words("intel", "set", "C=1 D={value}", "s", values={"ring": "4", "linear": "1"})
    assert translated(number, "A", "7", Words("mpich", "set", "E={value}", "s")) == "E=7"
    assert translated(numbered, "D", "4", word) == "B=r"
    assert translated(numbered, "D", "1", word) == "", "an algorithm that the other does not have"
    assert translated(numbered, "C", "1", word) == "", "only what the number belongs to"


@pytest.mark.parametrize("intent", book(), ids=lambda intent: intent.id)
def test_intent_file(intent):
    """Every file is right: named as it is, every word with a source, a way to check and to undo,
    selectors and needs that can be read."""
    assert (resource_paths.rules() / "intents" / f"{intent.id}.toml").exists() and intent.means
    for words in intent.words:
        check_selector(words.applies)
        assert words.source and "/" not in words.source[:1]
        assert words.kind == "none" or (words.check and words.undo), words.applies
        for need in words.needs:
            parse(need, "run")
        assert ("{value}" not in words.text) or intent.example
        if words.values:
            assert "{value}" in words.text
    assert not intent.words[0].values or intent.example in intent.words[0].values
    libraries = {words.applies.partition(" ")[0] for words in intent.words}
    assert len(libraries) >= 2, "an intent is for more than one library"
