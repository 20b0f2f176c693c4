"""Choosers among candidates: language models by likelihood, and two baselines by similarity.

A chooser gives every candidate of a question a score; the candidate with the highest score is its choice.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Final, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np

from dialeval.core import Floats, LikelihoodModel, Signature, resources_of
from dialeval.data.types import Context, Question
from dialeval.encoder.files import EMBEDDED, find_encoder
from dialeval.encoder.model import load_encoder, unit_vectors
from dialeval.files.folders import with_home
from dialeval.text.tokenisers.words import search_terms

Heard: TypeAlias = Literal["all", "last"]
"""Which turns a chooser hears: all that it has room for, or the last one."""


@runtime_checkable
class Chooser(Protocol):
    """Something that scores the candidates of questions, the higher the sooner it would say them."""

    @property
    def name(self) -> str:
        """As tables print it."""

    @property
    def signature(self) -> Signature:
        """All that could move its scores."""

    def scores(self, questions: Sequence[Question], /) -> list[tuple[float, ...]]:
        """The scores of each question's candidates, in their order."""


@runtime_checkable
class FittableChooser(Protocol):
    """A chooser that must see the whole question set before it can score any of it."""

    def fit(self, questions: Sequence[Question], /) -> Chooser:
        """The chooser fitted to these questions."""


@dataclass(frozen=True, slots=True)
class _OfSystem:
    """Parts that a language model lends to those that ask it: its name, its signature and its resources."""

    system: LikelihoodModel

    @property
    def name(self) -> str:
        """The system's."""
        return self.system.name

    @property
    def signature(self) -> Signature:
        """The system's."""
        return self.system.signature

    @property
    def resources(self) -> Mapping[str, str]:
        """The system's."""
        return resources_of(self.system)


class ByLikelihood(_OfSystem):
    """Chooses the candidate with the lowest cross-entropy loss (Sato et al., 2020, section 4.1.2).

    A candidate's score is its natural-log probability given the context, summed over its tokens. All candidates of the
    questions go to the system in one call, which lets it read a context once.
    """

    __slots__ = ()

    def scores(self, questions: Sequence[Question]) -> list[tuple[float, ...]]:
        """The log-probability of each candidate."""
        contexts = [question.context for question in questions for _ in question.candidates]
        return _shared_out(questions, self.system.logprob(contexts, _texts(questions)))


class TokenCounts(_OfSystem):
    """No chooser to be asked, but what turns summed log-probabilities into means: each candidate's tokens."""

    __slots__ = ()

    def scores(self, questions: Sequence[Question]) -> list[tuple[float, ...]]:
        """Return the number of tokens that each candidate counts for."""
        return _shared_out(questions, self.system.tokens(_texts(questions)).astype(np.float64))


@dataclass(frozen=True, slots=True)
class TfIdfChooser:
    """Chooses the candidate whose tf-idf vector has the largest cosine with the context's (Lowe et al., 2015).

    Words are weighed by tf * (1 + ln((1 + N) / (1 + df))) over N documents: the contexts and the candidates of the
    whole question set, each different text once. A word that none of them has weighs as the rarest would.
    """

    name: str = "tfidf"
    frequencies: tuple[tuple[str, int], ...] = ()
    documents: int = 0

    @property
    def signature(self) -> Signature:
        """The question set it is fitted to, by a hash of its word counts."""
        counted = hashlib.sha256(repr((self.documents, self.frequencies)).encode()).hexdigest()[:12]
        facts = (("documents", str(self.documents)), ("counts", counted), ("tokens", "search_terms"))
        return Signature("tfidf", (), facts)

    def fit(self, questions: Sequence[Question]) -> TfIdfChooser:
        """The chooser with the word counts of these questions."""
        texts = dict.fromkeys(chain(map(joined, (q.context for q in questions)), _texts(questions)))
        counts = Counter(word for text in texts for word in set(search_terms(text)))
        return replace(self, frequencies=tuple(sorted(counts.items())), documents=len(texts))

    def scores(self, questions: Sequence[Question]) -> list[tuple[float, ...]]:
        """Cosines in [0, 1]; 0 where no word is shared."""
        idf = {w: 1 + math.log((1 + self.documents) / (1 + n)) for w, n in self.frequencies}
        rarest = 1 + math.log(1 + self.documents)
        rows = []
        for question in questions:
            context = _weights(joined(question.context), idf, rarest)
            rows.append(
                tuple(
                    _cosine(context, _weights(candidate.text, idf, rarest))
                    for candidate in question.candidates
                )
            )
        return rows


@dataclass(frozen=True, slots=True)
class EncoderChooser:
    """Chooses the candidate whose sentence vector has the largest cosine with the context's.

    The context is one text, its turns joined by spaces; where it is too long for the encoder, the oldest turns are left
    out, and of a last turn that is too long, its end. With a blank text there is no cosine: NaN.
    """

    name: str = "encoder"
    model: str = EMBEDDED
    """``minilm``, or the folder of a Hugging Face encoder."""
    context: Heard = "last"

    @property
    def signature(self) -> Signature:
        """The encoder by name and hash, and what it hears of a context."""
        weights = find_encoder(self.model)
        facts = (("encoder", weights.fact), ("pooling", weights.pooling))
        return Signature("encoder", (("context", self.context),), facts)

    @property
    def resources(self) -> Mapping[str, str]:
        """The encoder and its sha256."""
        return find_encoder(self.model).resources

    def scores(self, questions: Sequence[Question]) -> list[tuple[float, ...]]:
        """Cosines in [-1, 1]; NaN with a blank text."""
        heard = [self._heard(question.context) for question in questions]
        units = unit_vectors([*heard, *_texts(questions)], self.model)
        return [
            tuple(float(units[text] @ units[candidate.text]) for candidate in question.candidates)
            for question, text in zip(questions, heard, strict=True)
        ]

    def located(self, folder: Path) -> EncoderChooser:
        """The chooser with its model's folder as seen from anywhere, where the model is a folder beside a study."""
        path = folder / with_home(self.model)
        return replace(self, model=str(path)) if path.is_dir() else self

    def _heard(self, context: Context) -> str:
        turns = context if self.context == "all" else context[-1:]
        weights = find_encoder(self.model)
        encoder = load_encoder(weights)
        # One more than there is room for, since a text that was cut looks like one that just fits.
        most = min(weights.sentence_length or encoder.longest, encoder.longest - 1)
        while len(turns) > 1 and len(encoder.tokens([joined(turns)], longest=most + 1)[0]) > most:
            turns = turns[1:]
        return joined(turns)


CHOOSERS: Final[Mapping[str, Callable[..., Chooser]]] = {"encoder": EncoderChooser, "tfidf": TfIdfChooser}
"""Choosers that are not dialogue systems, by name."""


def joined(context: Context) -> str:
    """A context as one text, its turns joined by spaces."""
    return " ".join(turn.text for turn in context)


def _texts(questions: Sequence[Question]) -> list[str]:
    return [candidate.text for question in questions for candidate in question.candidates]


def _shared_out(questions: Sequence[Question], values: Floats) -> list[tuple[float, ...]]:
    """Values of all candidates in a row, given back to their questions."""
    bounds = np.cumsum([0, *(len(question.candidates) for question in questions)]).tolist()
    return [tuple(values[start:end].tolist()) for start, end in pairwise(bounds)]


def _weights(text: str, idf: Mapping[str, float], rarest: float) -> dict[str, float]:
    raw = {word: count * idf.get(word, rarest) for word, count in sorted(Counter(search_terms(text)).items())}
    norm = math.sqrt(sum(weight * weight for weight in raw.values()))
    return {word: weight / norm for word, weight in raw.items()}


def _cosine(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    return sum((weight * b[word] for word, weight in a.items() if word in b), start=0.0)
