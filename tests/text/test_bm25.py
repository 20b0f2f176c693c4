from __future__ import annotations

import math

import pytest

from dialeval.text.search import Bm25

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
