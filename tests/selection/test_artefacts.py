"""Sets that give their answers away, and sets that do not."""

from __future__ import annotations

import random

import pytest

from dialeval.data import Candidate, Question, Turn
from dialeval.data.choices import Choice
from dialeval.selection.artefacts import BASELINES, FEWEST, find_artefacts, notes_below_chance
from support.choosing_systems import question

WORDS = (
    "apple",
    "bread",
    "chair",
    "dance",
    "early",
    "fruit",
    "green",
    "house",
    "ivory",
    "jolly",
    "knife",
    "lemon",
)


def made(
    number: int, *, truth_words: int = 4, false_words: int = 4, first: bool = False, sign: str = ""
) -> Question:
    """Four candidates of random words, of these lengths; the right one first or anywhere, with a sign or not."""
    rng = random.Random(number)

    def text(size: int) -> str:
        return " ".join(rng.choices(WORDS, k=size + rng.choice((-1, 0, 1)))) + "." * rng.randrange(1, 4)

    false = [Candidate(text(false_words), correct=False) for _ in range(3)]
    right = Candidate(f"{sign}{text(truth_words)}", correct=True)
    false.insert(0 if first else rng.randrange(4), right)
    return Question(f"q{number}", (Turn("user", f"context {number}"),), tuple(false))


def by_name(questions):
    return {one.name: one for one in find_artefacts(questions)}


def test_a_clean_set_raises_no_warning():
    found = by_name([made(number) for number in range(200)])
    assert [one.warning for one in found.values()] == [None, None, None]
    for one in found.values():
        assert one.chance == 0.25
        assert one.accuracy.n == 200
        assert one.accuracy.value == pytest.approx(0.25, abs=0.1)


@pytest.mark.parametrize(
    ("name", "options", "advice"),
    [
        ("length", {"truth_words": 8}, "Draw false candidates of the ground truths' lengths."),
        ("position", {"first": True}, "Shuffle the candidates"),
        ("words", {"sign": "well now "}, "Take false candidates from sources more like"),
    ],
)
def test_each_sign_is_found_by_its_baseline(name, options, advice):
    found = by_name([made(number, **options) for number in range(100)])
    assert found[name].accuracy.value > 0.9
    assert found[name].warning is not None
    assert advice in found[name].warning
    assert "chance being 25.0%" in found[name].warning


def test_the_length_in_the_middle_gives_away_too():
    """The truth is neither the longest nor the shortest: the spread of lengths tells, not their mean."""
    rng = random.Random(1)
    questions = []
    for number in range(100):
        sizes = rng.choice([(2, 12, 2), (12, 2, 12)])
        false = [Candidate("x" * size * 5, correct=False) for size in sizes]
        truth = Candidate("x" * 25, correct=True)
        questions.append(Question(f"q{number}", (Turn("user", f"c{number}"),), (*false, truth)))
    assert by_name(questions)["length"].accuracy.value > 0.9


def test_a_context_is_never_learned_from_and_tried_on():
    """Every second question repeats the first's context and candidates: learned from, it would be solved by heart."""
    questions = []
    for number in range(60):
        one = made(number)
        unlike = [Candidate(f"unlike{number}{at}.", c.correct) for at, c in enumerate(one.candidates)]
        questions += [
            Question(f"{one.item}a", one.context, tuple(unlike)),
            Question(f"{one.item}b", one.context, tuple(unlike)),
        ]
    assert by_name(questions)["words"].accuracy.value < 0.35


def test_few_contexts_give_a_reason_and_no_number():
    found = find_artefacts([made(number, first=True) for number in range(FEWEST - 1)])
    assert len(found) == len(BASELINES)
    for one in found:
        assert one.accuracy.reason == "29 different contexts are too few to learn from; 30 are needed"
        assert (one.accuracy.bounds, one.warning) == (None, None)


def test_questions_without_a_choice_are_left_out():
    lone = Question("lone", (), (Candidate("only", correct=True),))
    assert {one.accuracy.n for one in find_artefacts([*(made(n) for n in range(40)), lone])} == {40}


def short_and_long(n, *, truth):
    """Questions with a correct candidate of so many words, and false ones of one to three."""
    false = ("no", "no no", "no no no")
    return [
        question(f"q{index}", " ".join(["yes"] * truth), false=[f"{text} {index}" for text in false])
        for index in range(n)
    ]


def by_length(questions, sign):
    """Choices of the shortest candidate, or with a sign of -1 of the longest."""
    return [
        Choice(one, "s", tuple(-sign * float(len(candidate.text)) for candidate in one.candidates))
        for one in questions
    ]


@pytest.mark.parametrize(("truth", "sign", "which"), [(9, 1, "longest"), (1, -1, "shortest")])
def test_accuracy_below_chance_is_told_with_the_length_of_the_truth(truth, sign, which):
    (note,) = notes_below_chance({"s": by_length(short_and_long(40, truth=truth), sign)})
    assert note.code == "below_chance"
    assert "guessing (0.250): s 0.000" in note.text
    assert f"the {which} candidate in 100%" in note.text


def test_accuracy_at_chance_or_of_few_questions_is_not_below_it():
    assert not list(notes_below_chance({"s": by_length(short_and_long(40, truth=9), -1)}))
    assert not list(notes_below_chance({"s": by_length(short_and_long(10, truth=9), 1)}))
    assert not list(notes_below_chance({"s": []}))
