"""Log-probability of a response under a language model, given its context and beside that without one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dialeval.core import Floats, Signature
from dialeval.resources.huggingface import require_torch
from dialeval.selfeval.rivals.lines import FACT, LONGEST, beginnings, lines_of
from dialeval.selfeval.scorer import Scorer
from dialeval.selfeval.subjects import Exchange, Judged, exchanges_of
from dialeval.systems.huggingface.files import EMBEDDED
from dialeval.systems.huggingface.loading import Precision
from dialeval.systems.huggingface.texts import TextModel


@dataclass(frozen=True, slots=True)
class LmLikelihood(Scorer):
    """Mean log-probability per token that a language model gives the response after its context.

    Of a dialogue it is the mean over its responses. The context's last 12 turns are lines of A and B, of which the
    last 300 tokens are kept, and the response is B's next; its first 256 tokens count. Never above 0. Prefers what is
    common: see `pmi`.
    """

    limits: ClassVar[tuple[float, float]] = (-np.inf, 0.0)
    family: ClassVar[str] = "likelihood"
    model: str = EMBEDDED
    """``smollm2-135m-instruct``, the folder of a causal language model, or its name on the hub."""
    hub: bool = False
    """Whether the model may be downloaded."""
    dtype: Precision = "float32"

    def __post_init__(self) -> None:
        require_torch("lm_likelihood", "transformers")
        _ = self._model.fact

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        return _signature("lm_likelihood", self._model)

    @property
    def resources(self) -> Mapping[str, str]:
        """The language model and its sha256."""
        return self._model.resources

    def values(self, subjects: Sequence[Judged]) -> Floats:
        """The mean log-probability of each subject's responses."""
        return _mean_over_exchanges(subjects, self._model, without_context=0.0)

    @property
    def _model(self) -> TextModel:
        return TextModel(self.model, self.hub, self.dtype)


@dataclass(frozen=True, slots=True)
class Pmi(Scorer):
    """How much more probable per token the context makes the response, its pointwise mutual information.

    `lm_likelihood` minus the same without any context (Li et al., 2016), so that a response that would be common
    anywhere gains nothing. Of a dialogue it is the mean over its responses.
    """

    family: ClassVar[str] = "likelihood"
    model: str = EMBEDDED
    """``smollm2-135m-instruct``, the folder of a causal language model, or its name on the hub."""
    hub: bool = False
    """Whether the model may be downloaded."""
    dtype: Precision = "float32"

    def __post_init__(self) -> None:
        require_torch("pmi", "transformers")
        _ = self._model.fact

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        return _signature("pmi", self._model)

    @property
    def resources(self) -> Mapping[str, str]:
        """The language model and its sha256."""
        return self._model.resources

    def values(self, subjects: Sequence[Judged]) -> Floats:
        """The mean gain of each subject's responses."""
        return _mean_over_exchanges(subjects, self._model, without_context=1.0)

    @property
    def _model(self) -> TextModel:
        return TextModel(self.model, self.hub, self.dtype)


def _signature(name: str, model: TextModel) -> Signature:
    parameters = (("model", model.model), ("hub", model.hub), ("dtype", model.dtype))
    return Signature(name, parameters, (("lm", model.fact), ("context", FACT)), version=3)


def _mean_over_exchanges(subjects: Sequence[Judged], model: TextModel, *, without_context: float) -> Floats:
    """The mean over each subject's responses, so many times the value without context taken off."""
    exchanges = [exchanges_of(subject) for subject in subjects]
    flat = [exchange for each in exchanges for exchange in each]
    values = mean_logprobs(flat, model)
    if without_context:
        values = values - without_context * mean_logprobs([Exchange((), e.response) for e in flat], model)
    ends = np.cumsum([len(each) for each in exchanges])
    return np.array([part.mean() for part in np.split(values, ends[:-1])])


def mean_logprobs(exchanges: Sequence[Exchange], model: TextModel) -> Floats:
    """Mean log-probability per token of each response as B's line after its context."""
    before = beginnings([lines_of(exchange.context, "A") for exchange in exchanges], "B", model)
    texts = [f" {' '.join(exchange.response.split())}" for exchange in exchanges]
    after = [tokens[: model.longest(LONGEST)] for tokens in model.tokens(texts)]
    return np.asarray(model.logprobs(before, after) / [len(tokens) for tokens in after])
