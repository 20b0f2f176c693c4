from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dialeval import Distinct, Vocabulary
from dialeval.data.types import Example, Response
from dialeval.errors import DialevalError


def said(*texts: str) -> list[Example]:
    return [Example(str(at), "s", (), Response(text)) for at, text in enumerate(texts)]


def score(measure: Distinct | Vocabulary, *texts: str) -> float:
    return measure.measure(said(*texts), np.arange(len(texts))).score


@pytest.mark.parametrize(
    ("n", "texts", "expected"),
    [
        (1, ["i am fine", "i am here"], 4 / 6),
        (2, ["i am fine", "i am here"], 3 / 4),  # i am, am fine, am here
        (3, ["i am fine", "i am here"], 1.0),
        (2, ["a b", "b a"], 1.0),  # no bigram spans two responses
        (1, ["Yes yes"], 1.0),  # case matters
        (1, ["a a", ""], 1 / 2),  # an empty response has no words
        (2, ["a a a a"], 1 / 3),
    ],
)
def test_shares_by_hand(n: int, texts: list[str], expected: float) -> None:
    assert score(Distinct(n), *texts) == pytest.approx(expected, abs=1e-15)


def test_no_ngram_leaves_it_undefined() -> None:
    assert math.isnan(score(Distinct(2), "a", "b"))
    assert math.isnan(score(Distinct(), ""))


def test_a_vocabulary_by_hand() -> None:
    assert score(Vocabulary(), "i am fine", "i am here", "") == 4
    assert score(Vocabulary(), "") == 0


def test_other_scripts_have_words_through_their_tokenisers() -> None:
    assert score(Vocabulary(), "東京 です", "京都 です") == 3
    assert score(Vocabulary(tokens="char"), "東京です", "京都です") == 5
    assert score(Distinct(tokens="zh"), "北京很好", "天京") == 5 / 6


TEXTS = st.lists(st.lists(st.sampled_from("abc"), max_size=5).map(" ".join), min_size=1, max_size=7)


@given(texts=TEXTS, n=st.integers(1, 3), data=st.data())
def test_without_each_group_it_is_the_score_of_the_others(
    texts: list[str], n: int, data: st.DataObject
) -> None:
    drawn = data.draw(st.lists(st.integers(0, 3), min_size=len(texts), max_size=len(texts)))
    groups = np.unique(drawn, return_inverse=True)[1]
    for measure in (Distinct(n), Vocabulary()):
        found = measure.measure(said(*texts), groups)
        others = [
            [t for t, g in zip(texts, groups, strict=True) if g != gone] for gone in range(groups.max() + 1)
        ]
        assert found.score == pytest.approx(naive(measure, texts), nan_ok=True)
        assert found.without.tolist() == pytest.approx([naive(measure, rest) for rest in others], nan_ok=True)


def naive(measure: Distinct | Vocabulary, texts: list[str]) -> float:
    n = measure.n if isinstance(measure, Distinct) else 1
    words = [text.split() for text in texts]
    ngrams = [tuple(one[at : at + n]) for one in words for at in range(len(one) - n + 1)]
    if isinstance(measure, Vocabulary):
        return len(set(ngrams))
    return len(set(ngrams)) / len(ngrams) if ngrams else math.nan


@pytest.mark.parametrize("n", [0, 11])
def test_n_is_checked(n: int) -> None:
    with pytest.raises(
        DialevalError, match=rf"'n' of distinct: found {n}, expected a whole number from 1 to 10"
    ):
        Distinct(n)
