"""The division of pairs, and the thesis's choice of training pairs."""

from __future__ import annotations

from dialeval.consistency.learning.crossvalidation import balanced, with_random_earlier
from dialeval.consistency.pairs.types import LabelledPair, Pair, divide


def made(n, label="consistent"):
    return [LabelledPair(Pair(f"I have {i} dogs", "I have none"), label, "x") for i in range(n)]


def test_every_pair_falls_into_one_part_whatever_the_order():
    pairs = made(500)
    parts = divide(pairs, validation=0.2, test=0.3)
    assert sorted(map(str, [*parts.train, *parts.validation, *parts.test])) == sorted(map(str, pairs))
    assert 70 < len(parts.validation) < 130
    assert 110 < len(parts.test) < 190
    assert {*divide(reversed(pairs), validation=0.2, test=0.3).test} == {*parts.test}


def test_case_and_spaces_do_not_move_a_pair_into_another_part():
    first = LabelledPair(Pair("I  have a Dog", "no"), "neutral", "x")
    second = LabelledPair(Pair("i have a dog", "No"), "neutral", "x")
    for share in (0.1, 0.3, 0.5, 0.7, 0.9):
        assert len(divide([first, second], validation=share).train) in (0, 2)


def test_only_consistent_responses_stand_beside_a_random_earlier_utterance():
    others = tuple(f"other {i}" for i in range(50))
    contradiction = LabelledPair(Pair("a", "b"), "contradiction", "x", others=others)
    consistent = LabelledPair(Pair("a", "b"), "consistent", "x", others=others)
    chosen = with_random_earlier([contradiction] * 20 + [consistent] * 20, seed=1)
    assert {each.pair.earlier for each in chosen[:20]} == {"a"}
    assert len({each.pair.earlier for each in chosen[20:]}) > 5
    assert {each.pair.earlier for each in chosen[20:]} <= {"a", *others}


def test_balanced_classes_are_equally_many():
    kept = balanced(made(30) + made(7, "contradiction"))
    assert sum(each.contradicts for each in kept) == 7
    assert len(kept) == 14
