"""tantivy's BM25 against the formula."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings, strategies as st

from dialeval.selection.repository.indexes import LexicalIndex, build_lexical
from dialeval.text.search import Bm25

DOCUMENTS = [
    "focus on the camera",
    "the camera and the table",
    "tennis",
    "focus focus focus",
    "camera on the table",
    "a table for tennis and a camera",
]


def bm25(query: list[str], document: list[str], documents: list[list[str]]) -> float:
    """Robertson and Zaragoza (2009), equation 3.15, with Lucene's idf, k1 = 1.2 and b = 0.75."""
    mean = sum(map(len, documents)) / len(documents)
    total = 0.0
    for word in query:
        having = sum(word in other for other in documents)
        count = document.count(word)
        idf = math.log(1 + (len(documents) - having + 0.5) / (having + 0.5))
        total += idf * count / (count + 1.2 * (1 - 0.75 + 0.75 * len(document) / mean))
    return total


@pytest.mark.parametrize(
    "query", [["focus"], ["camera", "table"], ["tennis", "focus", "camera"], ["absent", "table"]]
)
def test_scores_equal_the_formula_and_ties_go_by_id(tmp_path, query):
    split = [text.split() for text in DOCUMENTS]
    index = build_lexical(DOCUMENTS, tmp_path / "lexical")
    scores = [bm25(query, document, split) for document in split]
    expected = sorted(
        (at for at, score in enumerate(scores) if score), key=lambda at: (-round(scores[at], 4), at)
    )
    [found] = index.search([query], 10)
    assert [hit.document for hit in found] == expected
    assert [hit.score for hit in found] == pytest.approx([scores[at] for at in expected], abs=1e-4)


def test_of_many_ties_the_lowest_ids_are_found(tmp_path):
    index = build_lexical(["focus it"] * 3 + ["the park"] * 50 + ["focus it"] * 400, tmp_path / "lexical")
    [found] = index.search([["focus"]], 5)
    assert [hit.document for hit in found] == [0, 1, 2, 53, 54]


def test_a_query_that_shares_no_word_finds_nothing(tmp_path):
    index = build_lexical(DOCUMENTS, tmp_path / "lexical")
    assert index.search([[], ["absent"], ["tennis"]], 0) == [[], [], []]
    assert [len(hits) for hits in index.search([[], ["absent"], ["tennis"]], 9)] == [0, 0, 2]


@settings(max_examples=15, deadline=None)
@given(
    documents=st.lists(st.lists(st.sampled_from("abcde"), min_size=1, max_size=8), min_size=1, max_size=12),
    query=st.lists(st.sampled_from("abcdef"), min_size=1, max_size=4, unique=True),
)
def test_the_index_agrees_with_our_own_in_memory(tmp_path_factory, documents, query):
    folder = tmp_path_factory.mktemp("index") / "lexical"
    build_lexical(map(" ".join, documents), folder)
    [found] = LexicalIndex.open(folder).search([query], 5)
    expected = {hit.document: hit.score for hit in Bm25(documents).top(query, len(documents))}
    best = sorted(expected, key=lambda at: (-round(expected[at], 4), at))[:5]
    assert [hit.score for hit in found] == pytest.approx([expected[at] for at in best], abs=2e-4)
    assert [hit.document for hit in found] == pytest.approx(best) or len(set(expected.values())) < len(
        expected
    )
