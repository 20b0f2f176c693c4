"""Which pairs a system is tested and trained on."""

from __future__ import annotations

from dialeval.consistency.learning.crossvalidation import FOLDS, _folds
from dialeval.consistency.pairs.types import LabelledPair, Pair


def pairs(system, contexts):
    return [
        LabelledPair(Pair("I smoke.", "I do not.", each), "contradiction", "", system) for each in contexts
    ]


def test_contexts_of_the_test_are_left_out_at_once_if_enough_is_left():
    test, rest = pairs("a", ["p", "q"]), pairs("b", ["q", "r", "s"])
    assert _folds(test, rest, seed=0) == [{"p", "q"}]


def test_contexts_that_all_systems_answered_are_tested_in_folds():
    names = [f"p{n}" for n in range(9)]
    folds = _folds(pairs("a", names), pairs("b", names), seed=0)
    assert len(folds) == FOLDS
    assert sorted(name for fold in folds for name in fold) == names
    assert {len(fold) for fold in folds} == {3}
