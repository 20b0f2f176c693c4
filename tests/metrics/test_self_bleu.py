from __future__ import annotations

import math
import random
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

from dialeval import SelfBleu
from dialeval.data import read
from dialeval.data.types import Example, Response
from dialeval.errors import DialevalError
from dialeval.metrics import self_bleu


def said(*texts: str) -> list[Example]:
    return [Example(str(at), "s", (), Response(text)) for at, text in enumerate(texts)]


def score(order: int, *texts: str) -> float:
    return SelfBleu(order).measure(said(*texts), np.arange(len(texts))).score


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
    assert score(order, *texts) == pytest.approx(expected, abs=1e-12)


def test_one_response_alone_has_no_score() -> None:
    assert math.isnan(score(4, "a b c"))


def naive(texts: list[str], order: int) -> float:
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
    found = SelfBleu(order).measure(said(*texts), groups)
    others = [
        [t for t, g in zip(texts, groups, strict=True) if g != gone] for gone in range(groups.max() + 1)
    ]
    assert found.score == pytest.approx(naive(texts, order), nan_ok=True, abs=1e-12)
    assert found.without.tolist() == pytest.approx(
        [naive(rest, order) for rest in others], nan_ok=True, abs=1e-12
    )


def test_real_responses_score_as_the_quadratic_way(shared_data: Path) -> None:
    source = shared_data / "multirefeval" / "multireftest.json"
    texts = [p.references[0] for p in islice(read(source, "prompt", format="multirefeval"), 60)]
    found = SelfBleu().measure(said(*texts), np.arange(60))
    assert found.score == pytest.approx(naive(texts, 4), abs=1e-12)
    for gone in (0, 30, 59):
        assert found.without[gone] == pytest.approx(naive(texts[:gone] + texts[gone + 1 :], 4), abs=1e-12)


def test_scoring_few_pairs_at_a_time_moves_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(0)
    texts = [" ".join(rng.choices("abcdefgh", k=rng.randrange(9))) for _ in range(300)]
    groups = np.array([rng.randrange(60) for _ in texts])
    whole = SelfBleu().measure(said(*texts), groups)
    monkeypatch.setattr(self_bleu, "PAIRS_AT_ONCE", 7)
    monkeypatch.setattr(self_bleu, "PLACES_AT_ONCE", 11)
    parts = SelfBleu().measure(said(*texts), groups)
    assert parts.score == whole.score
    assert parts.without.tolist() == whole.without.tolist()


@pytest.mark.parametrize("shift", [0, 61])  # small numbers, and numbers that leave no room for the losses
def test_losses_are_sorted_with_their_pairs(shift: int) -> None:
    pairs, lost = np.array([3, 1, 2, 1]) << shift, np.array([7, 0, 9, 5], np.int32)
    found = self_bleu.ascending(pairs, lost)
    assert found.pairs.tolist() == np.sort(pairs).tolist()
    assert sorted(zip(*found, strict=True)) == sorted(zip(pairs, lost, strict=True))


def test_the_order_of_responses_changes_nothing() -> None:
    texts = ["a b c", "a b", "", "c c c d", "a b c"]
    assert score(3, *texts) == pytest.approx(score(3, *texts[::-1]), abs=1e-15)


@pytest.mark.parametrize("order", [0, 11])
def test_the_order_is_checked(order: int) -> None:
    with pytest.raises(DialevalError, match=rf"'order' of self_bleu: found {order}, expected a whole number"):
        SelfBleu(order)
