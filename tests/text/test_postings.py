from __future__ import annotations

import numpy as np
from hypothesis import given, settings, strategies as st

from dialeval.text.search import Hit, Postings

DOCUMENTS = st.lists(st.lists(st.sampled_from("abcd"), max_size=5), max_size=8)


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
@given(DOCUMENTS, st.lists(st.sampled_from("abcdz"), max_size=4), st.integers(-1, 9))
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
