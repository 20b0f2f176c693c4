"""Losses of scorers that learn from dialogues of known order; functions of tensors.

| loss | inputs | what it asks for |
|---|---|---|
| `separation` | centroids of levels, best first | better levels score higher, by a margin that grows with the gap |
| `ordering` | centroids of levels, best first | no level above a better one |
| `compactness` | scores of one level | scores near their centroid |
| `r_drop` | two scores of each dialogue under dropout | the same score twice |
| `bce` | scores and goals in [0, 1] | the goal: a reference score, or whether nothing was replaced |
| `ranking` | pairs of scores | the better one higher, by a margin |
| `graded_ranking` | logits and reference scores | the better of two higher, by a margin that grows with the gap |
| `contrastive` | vectors and their levels | vectors of one level together |
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import normalize


def separation(
    centroids: Tensor,
    *,
    margin: float | None = None,
    absolute: bool = False,
    references: Tensor | None = None,
) -> Tensor:
    """Sum over pairs of levels of ``max(0, gap * margin - (better - worse))``, the best level's centroid first.

    The margin is 1 / (levels - 1) by default, so that centroids spread over [0, 1]. The paper prints the difference
    with the other sign, which would reward the wrong order; this is the intended one. ``absolute`` takes the size of
    the difference whatever its sign, as the released script does, which leaves the order to another loss. The gap is
    the number of levels between two; with ``references``, one falling number for each level, it is the share of their
    range that lies between two, times the number of steps, which is the same for equal steps.
    """
    count = len(centroids)
    if count < 2:
        return centroids.new_zeros(())
    step = 1 / (count - 1) if margin is None else margin
    places = torch.arange(count, device=centroids.device, dtype=centroids.dtype)
    if references is not None:
        places = (count - 1) * (references[0] - references) / (references[0] - references[-1])
    rows, columns = torch.triu_indices(count, count, offset=1, device=centroids.device)
    differences = centroids[rows] - centroids[columns]
    apart = differences.abs() if absolute else differences
    return ((places[columns] - places[rows]) * step - apart).clamp(min=0).sum()


def ordering(centroids: Tensor) -> Tensor:
    """Sum over pairs of levels of ``max(0, worse - better)``, the best level's centroid first."""
    count = len(centroids)
    rows, columns = torch.triu_indices(count, count, offset=1, device=centroids.device)
    return (centroids[columns] - centroids[rows]).clamp(min=0).sum()


def compactness(
    scores: Tensor, *, bound: float = 0.1, of_mean: bool = False, references: Tensor | None = None
) -> Tensor:
    """Sum of ``max(0, |centroid - score| - bound)`` over the scores of a level.

    ``of_mean`` applies the bound to the mean distance of the level instead, as the released script does. With
    ``references``, a reference score for each, scores are to be as far apart as these are, not equal.
    """
    left = scores if references is None else scores - references
    distances = (left.mean() - left).abs()
    if of_mean:
        distances = distances.mean().unsqueeze(0)
    return (distances - bound).clamp(min=0).sum()


def r_drop(first: Tensor, second: Tensor) -> Tensor:
    """Sum of the squared differences of two scores of the same dialogues."""
    return ((first - second) ** 2).sum()


def bce(logits: Tensor, goals: Tensor) -> Tensor:
    """Mean cross-entropy of the scores' logits with goals in [0, 1]."""
    return torch.nn.functional.binary_cross_entropy_with_logits(logits, goals)


def ranking(better: Tensor, worse: Tensor, *, margin: float | None = None) -> Tensor:
    """Mean over pairs of ``max(0, margin - (better - worse))``; without a margin ``log(1 + exp(worse - better))``."""
    if margin is None:
        return torch.nn.functional.softplus(worse - better).mean()
    return (margin - (better - worse)).clamp(min=0).mean()


def graded_ranking(logits: Tensor, references: Tensor) -> Tensor:
    """Mean of ``log(1 + exp(margin - (better - worse)))`` over pairs of logits whose reference scores differ.

    The margin of a pair is the difference of its reference scores; the loss is 0 if none differ.
    """
    margins = references.unsqueeze(1) - references.unsqueeze(0)
    differences = logits.unsqueeze(1) - logits.unsqueeze(0)
    pairs = margins > 0
    if not bool(pairs.any()):
        return logits.new_zeros(())
    return torch.nn.functional.softplus(margins[pairs] - differences[pairs]).mean()


def contrastive(vectors: Tensor, labels: Tensor, *, temperature: float = 0.1) -> Tensor:
    """Mean, over vectors with another of their label, of the mean negative log-probability of those others.

    Probabilities are a softmax of cosines over ``temperature`` among all other vectors; 0 if no label occurs twice.
    """
    units = normalize(vectors, dim=1)
    scores = units @ units.T / temperature
    self_ = torch.eye(len(units), dtype=torch.bool, device=units.device)
    logs = scores - torch.logsumexp(scores.masked_fill(self_, float("-inf")), dim=1, keepdim=True)
    alike = (labels.unsqueeze(0) == labels.unsqueeze(1)) & ~self_
    counts = alike.sum(1)
    if not bool((counts > 0).any()):
        return vectors.new_zeros(())
    means = (logs * alike).sum(1)[counts > 0] / counts[counts > 0]
    return -means.mean()
