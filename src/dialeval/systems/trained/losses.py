"""Losses on tokens: likelihood of the right ones, unlikelihood of the wrong ones."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor


class Likelihood(NamedTuple):
    """Of the right tokens of a batch, summed."""

    loss: Tensor
    """What is trained on: with smoothed labels where that is asked for."""
    nats: Tensor
    """Negative log-probability."""


def likelihood(logits: Tensor, tokens: Tensor, smoothing: float = 0.0) -> Likelihood:
    """Cross entropy of logits (n, vocabulary) with tokens (n,).

    With smoothing e the wanted distribution has 1 - e on the token and e spread over the whole vocabulary (Szegedy et
    al., 2016, section 7).
    """
    logprobs = logits.float().log_softmax(-1) if logits.dtype != torch.float64 else logits.log_softmax(-1)
    nats = -logprobs.gather(-1, tokens[:, None]).sum()
    if not smoothing:
        return Likelihood(nats, nats)
    return Likelihood((1 - smoothing) * nats - smoothing * logprobs.mean(-1).sum(), nats)


def unlikelihood(logits: Tensor, tokens: Tensor) -> Tensor:
    """The sum over tokens of -log(1 - p(token)), for logits (n, vocabulary) and tokens (n,).

    The loss of Welleck et al. (2020), which Li et al. (2020) put on contradictions. The mass of all other tokens is
    summed in logarithms, so value and gradient are right also where p rounds to 1.
    """
    if logits.dtype != torch.float64:
        logits = logits.float()
    others = logits.scatter(-1, tokens[:, None], -math.inf)
    return (logits.logsumexp(-1) - others.logsumexp(-1)).sum()
