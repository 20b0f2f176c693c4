"""Numbers of n-grams that come more than once, against dictionaries."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

from dialeval import Distinct, SelfBleu, Vocabulary
from dialeval.data import read
from dialeval.data.types import Example, Response
from dialeval.errors import DialevalError
from dialeval.metrics import diversity
from dialeval.metrics._diversity_kernels import lengthen


def said(*texts: str) -> list[Example]:
    return [Example(str(at), "s", (), Response(text)) for at, text in enumerate(texts)]


def score(measure: Distinct | Vocabulary, *texts: str) -> float:
    return measure.without(said(*texts), np.arange(len(texts))).score


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
        found = measure.without(said(*texts), groups)
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


def self_bleu_of(order: int, *texts: str) -> float:
    return SelfBleu(order).without(said(*texts), np.arange(len(texts))).score


@pytest.mark.parametrize(
    ("order", "texts", "expected"),
    [
        (1, ["a b", "a b"], 1.0),
        (1, ["a b", "c d"], 0.0),
        (1, ["a b", "a c"], 1 / 2),
        (1, ["a a b", "a a c", "a c c"], (2 / 3 + 1 + 2 / 3) / 3),  # the most generous of the others clips
        (1, ["a", "a b b"], (math.exp(1 - 3) + 1 / 3) / 2),  # brevity penalty of the first
        # To two words 1 is as close as 3, and shorter: no penalty. To one word 2 is closest, to three words also.
        (1, ["a b", "a", "a b c"], (1 + math.exp(1 - 2) + 2 / 3) / 3),
        (2, ["a b", "b a"], math.sqrt(1 * 0.1)),  # no bigram shared: a tenth of a match
        (2, ["a", "a"], math.sqrt(1 * 0.1)),  # one word has no bigram: a tenth of one too
        (1, ["", "a", "a"], 2 / 3),  # an empty response scores 0
    ],
)
def test_scores_by_hand(order: int, texts: list[str], expected: float) -> None:
    assert self_bleu_of(order, *texts) == pytest.approx(expected, abs=1e-12)


def test_one_response_alone_has_no_score() -> None:
    assert math.isnan(self_bleu_of(4, "a b c"))


def naive_bleu(texts: list[str], order: int) -> float:
    """Each response against all the others by nltk, as the authors' code does: quadratic."""
    if len(texts) < 2:
        return math.nan
    words = [text.split() for text in texts]
    weights, smooth = (1 / order,) * order, SmoothingFunction().method1
    scores = [
        sentence_bleu([*words[:at], *words[at + 1 :]], one, weights, smooth) for at, one in enumerate(words)
    ]
    return float(np.mean(scores))


WORDS = st.lists(st.sampled_from("abcd"), max_size=9).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(texts=st.lists(WORDS, min_size=1, max_size=8), order=st.integers(1, 4), data=st.data())
def test_it_is_the_quadratic_score_also_without_each_group(
    texts: list[str], order: int, data: st.DataObject
) -> None:
    drawn = data.draw(st.lists(st.integers(0, 5), min_size=len(texts), max_size=len(texts)))
    groups = np.unique(drawn, return_inverse=True)[1]
    found = SelfBleu(order).without(said(*texts), groups)
    others = [
        [t for t, g in zip(texts, groups, strict=True) if g != gone] for gone in range(groups.max() + 1)
    ]
    assert found.score == pytest.approx(naive_bleu(texts, order), nan_ok=True, abs=1e-12)
    assert found.without.tolist() == pytest.approx(
        [naive_bleu(rest, order) for rest in others], nan_ok=True, abs=1e-12
    )


def test_real_responses_score_as_the_quadratic_way(shared_data: Path) -> None:
    source = shared_data / "multirefeval" / "multireftest.json"
    texts = [p.references[0] for p in islice(read(source, "prompt", format="multirefeval"), 60)]
    found = SelfBleu().without(said(*texts), np.arange(60))
    assert found.score == pytest.approx(naive_bleu(texts, 4), abs=1e-12)
    for gone in (0, 30, 59):
        assert found.without[gone] == pytest.approx(
            naive_bleu(texts[:gone] + texts[gone + 1 :], 4), abs=1e-12
        )


def test_scoring_few_pairs_at_a_time_moves_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(0)
    texts = [" ".join(rng.choices("abcdefgh", k=rng.randrange(9))) for _ in range(300)]
    groups = np.array([rng.randrange(60) for _ in texts])
    whole = SelfBleu().without(said(*texts), groups)
    monkeypatch.setattr(diversity, "PAIRS_AT_ONCE", 7)
    monkeypatch.setattr(diversity, "PLACES_AT_ONCE", 11)
    parts = SelfBleu().without(said(*texts), groups)
    assert parts.score == whole.score
    assert parts.without.tolist() == whole.without.tolist()


@pytest.mark.parametrize("shift", [0, 61])  # small numbers, and numbers that leave no room for the losses
def test_losses_are_sorted_with_their_pairs(shift: int) -> None:
    pairs, lost = np.array([3, 1, 2, 1]) << shift, np.array([7, 0, 9, 5], np.int32)
    found = diversity.ascending(pairs, lost)
    assert found.pairs.tolist() == np.sort(pairs).tolist()
    assert sorted(zip(*found, strict=True)) == sorted(zip(pairs, lost, strict=True))


def test_the_order_of_responses_changes_nothing() -> None:
    texts = ["a b c", "a b", "", "c c c d", "a b c"]
    assert self_bleu_of(3, *texts) == pytest.approx(self_bleu_of(3, *texts[::-1]), abs=1e-15)


@pytest.mark.parametrize("order", [0, 11])
def test_the_order_is_checked(order: int) -> None:
    with pytest.raises(DialevalError, match=rf"'order' of self_bleu: found {order}, expected a whole number"):
        SelfBleu(order)


@pytest.mark.parametrize("at_once", [1 << 17, 100, 1])
@pytest.mark.parametrize("words", [12, 400])
def test_ngrams_are_numbered_by_their_first_place_and_those_that_come_once_are_not(
    words: int, at_once: int
) -> None:
    rng = random.Random(0)
    texts = [[rng.randrange(words) for _ in range(rng.randrange(9))] for _ in range(3_000)]
    begin = np.cumsum([0, *map(len, texts)]).astype(np.int64)
    numbers = np.array([word for text in texts for word in text], np.int32)
    for n in range(2, 6):
        used = lengthen(numbers, begin, n, at_once)
        ngrams = {
            int(begin[index]) + place: tuple(text[place : place + n])
            for index, text in enumerate(texts)
            for place in range(len(text) - n + 1)
        }
        counts, known = Counter(ngrams.values()), dict[tuple[int, ...], int]()
        expected = {
            place: known.setdefault(ngram, len(known)) if counts[ngram] > 1 else -1
            for place, ngram in ngrams.items()
        }
        assert {place: int(numbers[place]) for place in ngrams} == expected
        assert used == len(known)


def test_texts_without_ngrams_have_no_numbers() -> None:
    numbers = np.array([0, 0, 1], np.int32)
    assert lengthen(numbers, np.array([0, 1, 2, 3]), 2, 1 << 17) == 0
    assert lengthen(np.empty(0, np.int32), np.array([0, 0]), 2, 1 << 17) == 0
