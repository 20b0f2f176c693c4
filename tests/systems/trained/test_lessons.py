from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from dialeval.data.types import Candidate, Dialogue, Example, Prompt, Question, Response, Turn
from dialeval.errors import Unsuitable
from dialeval.systems.trained.lessons import (
    Lesson,
    Width,
    bundles,
    contrasts,
    cut_batches,
    digest,
    lessons,
    split,
    training_batches,
)
from support.small_generators import made_lessons, said


def test_every_turn_but_the_first_is_a_target():
    turns = (Turn("system", "Be kind."), *said("Hi.", "Hello.", " ", "Tea?"))
    assert lessons([Dialogue("1", turns)]) == [
        Lesson(said("Hi."), "Hello."),
        Lesson(said("Hi.", "Hello."), "Tea?"),
    ]


def test_references_are_targets_and_nothing_is_learnt_twice():
    found = lessons(
        [
            Prompt("1", said("Hi."), ("Hello.", "Hey.", "Hello.")),
            Example("2", "bot", said("Tea?"), Response("No."), ("Yes.",)),
            Example("3", "bot", said("Milk?"), Response("No.")),
            Prompt("4", (), ("Good morning.",)),
        ]
    )
    assert [lesson.gold for lesson in found] == ["Hello.", "Hey.", "Yes.", "No.", "Good morning."]


def test_a_corpus_of_single_turns_is_refused():
    with pytest.raises(Unsuitable, match="no turn that answers another"):
        lessons([Dialogue("1", said("Hi."))])


def test_each_false_candidate_stands_beside_a_correct_one():
    question = Question(
        "1",
        said("Are you here?"),
        (
            Candidate("Yes.", True),
            Candidate("No.", False),
            Candidate("I am.", True),
            Candidate("Never.", False),
            Candidate("Not I.", False),
        ),
    )
    assert [(one.gold, one.negative) for one in contrasts([question])] == [
        ("Yes.", "No."),
        ("I am.", "Never."),
        ("Yes.", "Not I."),
    ]
    with pytest.raises(Unsuitable, match="no false candidate"):
        contrasts([Question("1", (), (Candidate("Yes.", True),))])


def test_dialogues_that_begin_alike_stay_on_one_side():
    data = made_lessons()
    found = split(data, 0.25, seed=3)
    assert {one.context[0] for one in found.train} & {one.context[0] for one in found.held_out} == set()
    assert len(found.held_out) == 5
    assert sorted(map(repr, (*found.train, *found.held_out))) == sorted(map(repr, data))
    assert split(data[::-1], 0.25, seed=3).held_out == found.held_out[::-1]
    assert {split(data, 0.25, seed=seed).held_out[0].context[0].text for seed in range(20)} > {
        found.held_out[0].context[0].text
    }


def test_nothing_is_held_out_where_nothing_is_asked_for_and_one_dialogue_cannot_be_split():
    assert split(made_lessons(), 0, seed=0).held_out == []
    with pytest.raises(Unsuitable, match=r"too few dialogues \(1\)"):
        split(made_lessons()[:1], 0.05, seed=0)


def test_the_digest_follows_every_part():
    one = Lesson(said("Hi."), "Hello.")
    others = [one._replace(gold="Hey."), one._replace(negative=""), one._replace(context=said("Hi"))]
    assert len({digest([lesson]) for lesson in (one, *others)}) == 4


WIDTHS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=60)


@given(WIDTHS, st.integers(1, 60), st.integers(0, 5))
def test_every_lesson_once_and_within_the_budget(rows, budget: int, epoch: int):
    contexts = [(key, context) for key, context, _ in rows]
    widths = [Width(context, response) for _, context, response in rows]
    bundled = bundles(contexts, widths)
    batches = training_batches(bundled, budget, 7, epoch)
    assert sorted(at for batch in batches for at in batch) == list(range(len(rows)))
    assert batches == training_batches(bundled, budget, 7, epoch)
    for batch in batches:
        alone = [bundle for bundle in bundled if sorted(bundle.lessons) == sorted(batch)]
        context = len({contexts[at] for at in batch}) * max(widths[at].context for at in batch)
        response = len(batch) * max(widths[at].response for at in batch)
        assert alone or max(context, response) <= budget


def test_lessons_of_one_context_stay_together_up_to_eight():
    found = bundles(["a", "b", *["a"] * 9], [Width(3, at) for at in range(1, 12)])
    assert [bundle.lessons for bundle in found] == [[0, 2, 3, 4, 5, 6, 7, 8], [9, 10], [1]]
    assert found[0].width == (3, 9)


def test_batches_have_texts_of_like_length():
    widths = [Width(length, 1) for length in (9, 1, 8, 2, 9, 1)]
    assert cut_batches(bundles(range(6), widths), 18) == [[1, 5, 3], [2, 0], [4]]


def test_epochs_differ():
    bundled = bundles(range(40), [Width(1, 1)] * 40)
    assert training_batches(bundled, 4, 0, 0) != training_batches(bundled, 4, 0, 1)
    assert training_batches(bundled, 4, 0, 0) != training_batches(bundled, 4, 1, 0)
