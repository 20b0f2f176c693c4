"""Relevance as a metric: the cosine of a context and a response by an encoder that learnt what is said next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dialeval.core import Floats, Signature
from dialeval.encoder.adapters import Adapted, load_adapter
from dialeval.encoder.sentences import to_units
from dialeval.metrics.rows import rows_of_values
from dialeval.selfeval.metric import EMBEDDED, adapter_file
from dialeval.selfeval.relevance.lessons import context_segments, response_segments, spoken_texts
from dialeval.selfeval.subjects import Exchange, Judged, ReferenceFree, over_exchanges


@dataclass(frozen=True, slots=True)
class Relevance(ReferenceFree):
    """How well a response fits what was said before it: a cosine in [-1, 1], learnt from what people said next.

    The context's last three turns and the response are encoded apart. A dialogue's value is the mean over its judged
    responses, and the corpus score the mean over all subjects. It knows nothing of wording, truth or manners.
    """

    limits: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    model: str = EMBEDDED
    """``embedded``, or the folder that ``dialeval train relevance`` wrote."""

    def __post_init__(self) -> None:
        adapter_file(self.model, "relevance")

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        file = adapter_file(self.model, "relevance")
        facts = (("adapter", file.fact), ("encoder", file.weights.fact))
        return Signature("relevance", (("model", self.model),), facts)

    @property
    def resources(self) -> Mapping[str, str]:
        """The adapter and the encoder, each with its sha256."""
        return adapter_file(self.model, "relevance").resources

    def statistics(self, subjects: Sequence[Judged]) -> Floats:
        """Rows of the subject's cosine and 1."""
        adapted = load_adapter(adapter_file(self.model, "relevance"))
        return rows_of_values(over_exchanges(subjects, lambda exchanges: relevances(adapted, exchanges)))


def relevances(adapted: Adapted, exchanges: Sequence[Exchange]) -> list[float]:
    """The cosine of each exchange's context and response."""
    contexts = [context_segments(spoken_texts(exchange.context)) for exchange in exchanges]
    responses = [response_segments(exchange.response) for exchange in exchanges]
    tokens = adapted.tokens([*contexts, *responses])
    rows = {ids: row for row, ids in enumerate(dict.fromkeys(map(tuple, tokens)))}
    states = adapted.encoder.states(list(rows), keep=lambda states: states.mean(axis=0))
    if not states:
        return []
    units = to_units(np.stack(states))[[rows[tuple(ids)] for ids in tokens]]
    cosines = (units[: len(exchanges)] * units[len(exchanges) :]).sum(axis=1)
    return [float(value) for value in np.clip(cosines, -1, 1)]
