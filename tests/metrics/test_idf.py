from __future__ import annotations

from math import log

from dialeval.metrics.neural.matching import Idf, learn_idf


def test_a_token_counts_once_a_document_and_weighs_less_the_more_have_it() -> None:
    idf = learn_idf([[1, 7, 7], [1, 8], [1]])
    assert idf == Idf(3, {1: 3, 7: 1, 8: 1})
    assert idf.weight(1) == 0
    assert idf.weight(7) == log(4 / 2)
    assert idf.weight(99) == log(4)


def test_the_digest_follows_all_that_moves_a_weight() -> None:
    assert learn_idf([[1, 2], [3]]).digest == learn_idf([[3], [2, 1]]).digest
    assert len({learn_idf(docs).digest for docs in ([[1]], [[1], []], [[1], [1]], [[1], [2]])}) == 4
