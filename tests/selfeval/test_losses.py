"""Every loss on tensors small enough to check by hand."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("torch")
import torch

from dialeval.selfeval.losses import (
    bce,
    compactness,
    contrastive,
    graded_ranking,
    ordering,
    r_drop,
    ranking,
    separation,
)


def values(*numbers: float):  # type: ignore[no-untyped-def]
    return torch.tensor(numbers, dtype=torch.float64)


def test_levels_at_their_reference_scores_are_separate() -> None:
    assert separation(values(1.0, 0.5, 0.0)).item() == 0.0


def test_separation_by_hand() -> None:
    # Margin 1/2. Pairs (0,1): .5 - .2 = .3; (1,2): .5 - (-.1) = .6; (0,2): 1 - .1 = .9.
    assert separation(values(0.6, 0.4, 0.5)).item() == pytest.approx(0.3 + 0.6 + 0.9)


def test_the_printed_sign_would_reward_the_wrong_order() -> None:
    right, wrong = values(0.9, 0.5, 0.1), values(0.1, 0.5, 0.9)
    assert separation(right).item() < separation(wrong).item()


def test_the_released_script_does_not_see_the_order() -> None:
    right, wrong = values(0.9, 0.5, 0.1), values(0.1, 0.5, 0.9)
    same = [separation(each, margin=0.3, absolute=True).item() for each in (right, wrong)]
    assert same[0] == pytest.approx(same[1])
    assert separation(values(0.6, 0.4), margin=0.3, absolute=True).item() == pytest.approx(0.1)


def test_margins_follow_reference_scores_if_they_are_given() -> None:
    # Levels at 1, .25 and 0: margins .75, .25 and 1.
    references = values(1.0, 0.25, 0.0)
    assert separation(references, references=references).item() == 0.0
    assert separation(values(1.0, 0.5, 0.0), references=references).item() == pytest.approx(0.25)
    # Equal steps are the paper's, whatever their size.
    centroids = values(0.6, 0.4, 0.5)
    for margin in (None, 0.3):
        plain = separation(centroids, margin=margin).item()
        graded = separation(centroids, margin=margin, references=values(0.9, 0.6, 0.3)).item()
        assert graded == pytest.approx(plain)


def test_scores_of_a_level_are_as_far_apart_as_their_reference_scores() -> None:
    assert compactness(values(0.2, 0.5, 0.8), references=values(0.0, 0.3, 0.6)).item() == pytest.approx(0.0)
    assert compactness(values(0.5, 0.5), references=values(0.8, 0.2)).item() == pytest.approx(0.4)


def test_graded_ranking_by_hand() -> None:
    # One pair differs, by .5, and is ordered rightly by 2.
    loss = graded_ranking(values(1.0, -1.0), values(1.0, 0.5)).item()
    assert loss == pytest.approx(math.log(1 + math.exp(0.5 - 2.0)))
    assert graded_ranking(values(1.0, -1.0), values(1.0, 1.0)).item() == 0.0


def test_one_level_alone_is_separate() -> None:
    assert separation(values(0.4)).item() == 0.0


def test_compactness_by_hand() -> None:
    # Centroid .5; distances .3, 0, .3, each beyond .1 by .2.
    assert compactness(values(0.2, 0.5, 0.8)).item() == pytest.approx(0.4)
    assert compactness(values(0.45, 0.55)).item() == 0.0
    # The mean distance is .2, beyond .1 by .1.
    assert compactness(values(0.2, 0.5, 0.8), of_mean=True).item() == pytest.approx(0.1)


def test_r_drop_by_hand() -> None:
    assert r_drop(values(0.5, 0.9), values(0.7, 0.8)).item() == pytest.approx(0.04 + 0.01)


def test_bce_by_hand() -> None:
    # A logit of 0 is a score of .5: log 2 whatever the target.
    assert bce(values(0.0, 0.0), values(1.0, 0.3)).item() == pytest.approx(math.log(2))


def test_ranking_by_hand() -> None:
    assert ranking(values(1.0, 0.0), values(1.0, 2.0), margin=0.5).item() == pytest.approx((0.5 + 2.5) / 2)
    assert ranking(values(0.0), values(0.0)).item() == pytest.approx(math.log(2))


def test_contrastive_by_hand() -> None:
    vectors = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0]], dtype=torch.float64)
    # The first two have each other at cosine 1 and the third at 0; the third has no partner.
    expected = -math.log(math.exp(10) / (math.exp(10) + 1))
    labels = torch.tensor([0, 0, 1])
    assert contrastive(vectors, labels).item() == pytest.approx(expected)
    assert contrastive(vectors, torch.tensor([0, 1, 2])).item() == 0.0


def test_gradients_are_right() -> None:
    draw = torch.Generator().manual_seed(0)
    scores = torch.rand(4, generator=draw, dtype=torch.float64, requires_grad=True)
    vectors = torch.randn(5, 3, generator=draw, dtype=torch.float64, requires_grad=True)
    labels = torch.tensor([0, 0, 1, 1, 0])
    assert torch.autograd.gradcheck(separation, (scores,))
    assert torch.autograd.gradcheck(lambda x: compactness(x, bound=0.05), (scores,))
    assert torch.autograd.gradcheck(lambda x: contrastive(x, labels), (vectors,))


def test_ordering_by_hand() -> None:
    # Pairs (0,1): .6 - .5 = .1; (0,2): .2 < .5 costs nothing; (1,2): nothing.
    assert ordering(values(0.5, 0.6, 0.2)).item() == pytest.approx(0.1)
    assert ordering(values(0.9, 0.5, 0.1)).item() == 0.0
