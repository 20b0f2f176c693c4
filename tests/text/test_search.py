from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dialeval.text.search import Bm25, Hit, Postings, TfIdf

DOCUMENTS = [
    ["the", "cat", "sat"],
    ["the", "the", "dog"],
    ["a", "bird", "in", "the", "tree", "and", "a", "cat"],
]


def test_scores_by_hand() -> None:
    # 'cat' is in 2 of 3 documents; they have 3 and 8 words, 14 / 3 on average.
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    first = idf * 1 / (1 + 1.2 * (0.25 + 0.75 * 3 / (14 / 3)))
    last = idf * 1 / (1 + 1.2 * (0.25 + 0.75 * 8 / (14 / 3)))
    hits = Bm25(DOCUMENTS).top(["cat"], 5)
    assert [hit.document for hit in hits] == [0, 2]
    assert [hit.score for hit in hits] == pytest.approx([first, last], rel=1e-12)


def test_frequency_saturates_and_rare_words_weigh_more() -> None:
    once, twice = (Bm25([["x", "y", "y"], ["x", "x", "y"]]).top(["x"], 2)[at].score for at in (1, 0))
    assert once < twice < 2 * once
    hits = Bm25(DOCUMENTS).top(["the", "dog"], 3)
    assert hits[0].document == 1


def test_a_word_asked_for_twice_counts_twice() -> None:
    index = Bm25(DOCUMENTS)
    assert index.top(["cat", "cat"], 1)[0].score == pytest.approx(2 * index.top(["cat"], 1)[0].score)


def test_ties_go_to_the_lower_number() -> None:
    index = Bm25([["a", "b"]] * 50)
    assert [hit.document for hit in index.top(["b", "a"], 3)] == [0, 1, 2]


def test_the_order_of_a_query_changes_nothing() -> None:
    index = Bm25(DOCUMENTS)
    assert index.top(["the", "cat", "dog"], 3) == index.top(["dog", "the", "cat"], 3)


@pytest.mark.parametrize("documents", [[], [[]], [[], []]])
def test_nothing_is_found_in_nothing(documents: list[list[str]]) -> None:
    index = Bm25(documents)
    assert len(index) == len(documents)
    assert index.top(["a"], 3) == []


def test_nothing_is_found_for_nothing() -> None:
    assert Bm25(DOCUMENTS).top([], 3) == []
    assert Bm25(DOCUMENTS).top(["zebra"], 3) == []
    assert Bm25(DOCUMENTS).top(["cat"], 0) == []


SHORT_DOCUMENTS = [["cat", "cat", "sat"], ["dog"], ["cat", "dog"]]


def test_cosines_by_hand() -> None:
    both, one = 1 + math.log(4 / 3), 1 + math.log(4 / 2)  # 'cat' and 'dog' are in two documents, 'sat' in one
    hits = TfIdf(SHORT_DOCUMENTS).top(["cat"], 5)
    assert [hit.document for hit in hits] == [0, 2]
    assert hits[0].score == pytest.approx(2 * both / math.hypot(2 * both, one), rel=1e-12)
    assert hits[1].score == pytest.approx(math.sqrt(0.5), rel=1e-12)


def test_a_document_is_most_like_itself() -> None:
    index = TfIdf(SHORT_DOCUMENTS)
    for number, document in enumerate(SHORT_DOCUMENTS):
        best = index.top(document, 1)[0]
        assert best.document == number
        assert best.score == pytest.approx(1)


def test_unknown_words_do_not_lower_the_score() -> None:
    index = TfIdf(SHORT_DOCUMENTS)
    assert index.top(["dog", "zebra"], 3) == index.top(["dog"], 3)


def test_it_agrees_with_a_matrix_product() -> None:
    counts = np.array(
        [[document.count(word) for word in ("cat", "dog", "sat")] for document in SHORT_DOCUMENTS]
    )
    weights = counts * [1 + math.log(4 / 3), 1 + math.log(4 / 3), 1 + math.log(4 / 2)]
    weights /= np.linalg.norm(weights, axis=1, keepdims=True)
    hits = TfIdf(SHORT_DOCUMENTS).top(SHORT_DOCUMENTS[2], 3)
    assert {hit.document: hit.score for hit in hits} == pytest.approx(dict(enumerate(weights @ weights[2])))


@pytest.mark.parametrize("documents", [[], [[]]])
def test_no_cosine_is_found_in_nothing(documents: list[list[str]]) -> None:
    assert TfIdf(documents).top(["a"], 3) == []


def test_no_cosine_is_found_for_an_unknown_word() -> None:
    assert TfIdf(SHORT_DOCUMENTS).top(["zebra"], 3) == []


LETTER_DOCUMENTS = st.lists(st.lists(st.sampled_from("abcd"), max_size=5), max_size=8)


def test_postings_by_hand() -> None:
    postings = Postings.of([["b", "a", "b"], [], ["c", "a"]])
    assert dict(postings.vocabulary) == {"b": 0, "a": 1, "c": 2}
    assert postings.starts.tolist() == [0, 1, 3, 4]
    assert postings.documents.tolist() == [0, 0, 2, 2]
    assert postings.counts.tolist() == [2, 1, 1, 1]
    assert postings.lengths.tolist() == [3, 0, 2]
    assert postings.frequencies.tolist() == [1, 2, 1]


def test_words_the_index_lacks_are_left_out_of_a_query() -> None:
    assert Postings.of([["a", "b"]]).query(["b", "z", "a", "b"]) == {0: 1, 1: 2}


@settings(deadline=None)
@given(LETTER_DOCUMENTS, st.lists(st.sampled_from("abcdz"), max_size=4), st.integers(-1, 9))
def test_the_best_come_first_and_ties_by_number(documents: list[list[str]], words: list[str], k: int) -> None:
    postings = Postings.of(documents)
    hits = postings.top(postings.counts.astype(np.float64), dict(postings.query(words)), k)
    scores = {
        number: float(sum(document.count(word) for word in words))
        for number, document in enumerate(documents)
    }
    ranked = sorted(
        (Hit(n, score) for n, score in scores.items() if score), key=lambda hit: (-hit.score, hit.document)
    )
    assert hits == ranked[: max(k, 0)]
