from __future__ import annotations

import math

import numpy as np
import pytest

from dialeval.text.search import TfIdf

DOCUMENTS = [["cat", "cat", "sat"], ["dog"], ["cat", "dog"]]


def test_cosines_by_hand() -> None:
    both, one = 1 + math.log(4 / 3), 1 + math.log(4 / 2)  # 'cat' and 'dog' are in two documents, 'sat' in one
    hits = TfIdf(DOCUMENTS).top(["cat"], 5)
    assert [hit.document for hit in hits] == [0, 2]
    assert hits[0].score == pytest.approx(2 * both / math.hypot(2 * both, one), rel=1e-12)
    assert hits[1].score == pytest.approx(math.sqrt(0.5), rel=1e-12)


def test_a_document_is_most_like_itself() -> None:
    index = TfIdf(DOCUMENTS)
    for number, document in enumerate(DOCUMENTS):
        best = index.top(document, 1)[0]
        assert best.document == number
        assert best.score == pytest.approx(1)


def test_unknown_words_do_not_lower_the_score() -> None:
    index = TfIdf(DOCUMENTS)
    assert index.top(["dog", "zebra"], 3) == index.top(["dog"], 3)


def test_it_agrees_with_a_matrix_product() -> None:
    counts = np.array([[document.count(word) for word in ("cat", "dog", "sat")] for document in DOCUMENTS])
    weights = counts * [1 + math.log(4 / 3), 1 + math.log(4 / 3), 1 + math.log(4 / 2)]
    weights /= np.linalg.norm(weights, axis=1, keepdims=True)
    hits = TfIdf(DOCUMENTS).top(DOCUMENTS[2], 3)
    assert {hit.document: hit.score for hit in hits} == pytest.approx(dict(enumerate(weights @ weights[2])))


@pytest.mark.parametrize("documents", [[], [[]]])
def test_nothing_is_found_in_nothing(documents: list[list[str]]) -> None:
    assert TfIdf(documents).top(["a"], 3) == []


def test_nothing_is_found_for_nothing() -> None:
    assert TfIdf(DOCUMENTS).top(["zebra"], 3) == []
