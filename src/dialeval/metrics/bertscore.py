"""BERTScore (Zhang et al., 2020) as the bert-score package computes it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from typing import ClassVar, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.core import Floats
from dialeval.data.types import Example
from dialeval.encoder.files import EMBEDDED, Weights, find_encoder
from dialeval.encoder.model import Encoder, Vectors, load_encoder
from dialeval.errors import DialevalError, Unsuitable
from dialeval.metrics.rows import MeanOfValues, NeedsReferences, require_references, rows_of_values, texts_of

Measure: TypeAlias = Literal["f1", "precision", "recall"]
Weigh: TypeAlias = Callable[[int], float]
"""Weight of the token of this id."""

# Every token keeps a vector until its example is matched, so memory follows this and not the batch.
_EXAMPLES_AT_ONCE: Final = 128


def bert_score(
    model: str = EMBEDDED,
    layer: int | None = None,
    idf: bool = False,
    measure: Measure = "f1",
    hub: bool = False,
) -> BertScore:
    """Greedy matching of a response's tokens with a reference's by contextual vectors, in [-1, 1].

    With ``idf`` rare tokens weigh more, and the metric is one to be fitted to its corpus first, as evaluate() does.
    """
    return (IdfBertScore if idf else BertScore)(model, layer, idf, measure, hub)


@dataclass(frozen=True, slots=True)
class BertScore(NeedsReferences, MeanOfValues[Example]):
    """Greedy matching of a response's tokens with a reference's by contextual vectors, in [-1, 1].

    Precision averages over the response's tokens their best cosine with the reference's, recall the other way round.
    Special tokens can be matched but do not count. Of several references the best value counts, for ``precision``,
    ``recall`` and ``f1`` each by itself. The corpus score is the mean. Nothing is rescaled. An empty response or
    reference gives 0. What else is in the batch moves a value by rounding only, about 1e-6.
    """

    name: ClassVar[str] = "bertscore"
    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    silence: ClassVar[float] = 0.0
    model: str = EMBEDDED
    """``minilm``, the folder of a Hugging Face encoder, or its name on the hub."""
    layer: int | None = None
    """Whose output to match, counted from 1; 0 for the input embeddings, None for the last."""
    idf: bool = False
    """Whether tokens weigh by how rare they are in the corpus's references; such a metric comes from `bert_score`."""
    measure: Measure = "f1"
    hub: bool = False
    """Whether the encoder may be downloaded."""

    def __post_init__(self) -> None:
        weights = self._weights()
        if self.layer is not None and not 0 <= self.layer <= (weights.layers or self.layer):
            expected = f"None or 0 to {weights.layers}, the layers of {weights.name}"
            raise DialevalError(
                f"The parameter 'layer' of bertscore: found {self.layer!r}, expected {expected}."
            )

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The encoder and its hash, and how values are chosen."""
        return (("encoder", self._weights().fact), ("references", "best"), ("rescaled", "no"))

    @property
    def resources(self) -> Mapping[str, str]:
        """The encoder and its sha256."""
        return self._weights().resources

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of the example's value and 1."""
        require_references("bertscore", examples)
        return rows_of_values(list(self._values(examples)))

    def _values(self, examples: Sequence[Example]) -> Iterator[float]:
        for start in range(0, len(examples), _EXAMPLES_AT_ONCE):
            some = examples[start : start + _EXAMPLES_AT_ONCE]
            encoder = load_encoder(self._weights())
            tokens = _tokens(encoder, self.layer, self._weigh(encoder), texts_of(some))
            for example in some:
                response = tokens[example.response.text.strip()]
                scores = best([match(response, tokens[text.strip()]) for text in example.references])
                yield getattr(scores, self.measure)

    def _weigh(self, encoder: Encoder) -> Weigh:
        if self.idf:
            raise Unsuitable(
                "bertscore(idf=True) weighs tokens by how rare they are in the references of the whole corpus, and it "
                "has seen none. Score with evaluate(), which fits it, or call fit(examples) and use what it returns."
            )
        special = (encoder.tokenizer.cls_token_id, encoder.tokenizer.sep_token_id)
        return lambda token: float(token not in special)

    def _weights(self) -> Weights:
        return find_encoder(self.model, hub=self.hub)


@dataclass(frozen=True, slots=True)
class IdfBertScore(BertScore):
    """BERTScore that is yet to learn how much each token weighs."""

    idf: bool = True

    def fit(self, examples: Sequence[Example]) -> FittedBertScore:
        """BERTScore with weights from the references of ``examples``, each item's once whatever the systems."""
        require_references("bertscore", examples)
        documents = [
            text.strip()
            for _, references in {(e.item, e.references): None for e in examples}
            for text in references
        ]
        weights = learn_idf(load_encoder(self._weights()).tokens(documents))
        return FittedBertScore(self.model, self.layer, self.idf, self.measure, self.hub, learnt=weights)


@dataclass(frozen=True, slots=True)
class FittedBertScore(BertScore):
    """BERTScore with the token weights of one reference corpus: what `IdfBertScore.fit` returns."""

    idf: bool = True
    learnt: Idf = field(kw_only=True, repr=False)

    @property
    def resources(self) -> Mapping[str, str]:
        """The encoder, and the digest of the reference corpus, which moves every value."""
        return {**self._weights().resources, "bertscore reference corpus": self.learnt.digest}

    def _weigh(self, encoder: Encoder) -> Weigh:
        return self.learnt.weight


def _tokens(encoder: Encoder, layer: int | None, weigh: Weigh, texts: Sequence[str]) -> dict[str, Tokens]:
    ids = encoder.tokens(texts)
    states = encoder.states(ids, layer=layer, keep=_unit)
    return {
        text: Tokens(units, np.array([weigh(token) for token in tokens]))
        for text, units, tokens in zip(texts, states, ids, strict=True)
    }


def _unit(states: Vectors) -> Vectors:
    return np.asarray(states / np.linalg.norm(states, axis=1, keepdims=True))


class Tokens(NamedTuple):
    """A text as matching sees it."""

    units: Vectors
    """One vector of length 1 per token, special ones included, shape (tokens, size)."""
    weights: Floats
    """Weight of each token; 0 for special ones, which can be matched but ask for no match."""


class Match(NamedTuple):
    """Cover of a response by a reference, and the other way round."""

    precision: float
    recall: float
    f1: float


NO_MATCH = Match(0.0, 0.0, 0.0)


def match(response: Tokens, reference: Tokens) -> Match:
    """Each token's best cosine with the other text's tokens, averaged by weight.

    All three are 0 if either text has no token of any weight, as an empty one.
    """
    if not response.weights.any() or not reference.weights.any():
        return NO_MATCH
    cosines = response.units @ reference.units.T
    precision = float(np.average(cosines.max(axis=1), weights=response.weights))
    recall = float(np.average(cosines.max(axis=0), weights=reference.weights))
    both = precision + recall
    return Match(precision, recall, 2 * precision * recall / both if both else 0.0)


def best(matches: list[Match]) -> Match:
    """The best precision, recall and F1, each taken by itself, as the bert-score package does."""
    return Match(*map(max, zip(*matches, strict=True)))


@dataclass(frozen=True, slots=True)
class Idf:
    """In how many documents each token is."""

    documents: int
    counts: Mapping[int, int] = field(hash=False)

    def weight(self, token: int) -> float:
        """log((documents + 1) / (documents with the token + 1)): 0 for a token that is in all."""
        return log((self.documents + 1) / (self.counts.get(token, 0) + 1))

    @property
    def digest(self) -> str:
        """The sha256 of all that the weights depend on."""
        lines = [f"{self.documents}", *(f"{token} {self.counts[token]}" for token in sorted(self.counts))]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def learn_idf(documents: Iterable[Iterable[int]]) -> Idf:
    """The frequencies of the tokens in these documents."""
    counts: Counter[int] = Counter()
    total = 0
    for tokens in documents:
        counts.update(set(tokens))
        total += 1
    return Idf(total, dict(counts))
