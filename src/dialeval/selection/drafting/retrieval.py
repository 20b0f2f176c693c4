"""Utterances like a ground truth: half found by words, half by meaning (Sato et al., 2020, section 3.1, appendix A)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.errors import Unsuitable
from dialeval.selection.repository.repository import Engine, Repository
from dialeval.selection.repository.sentence_vectors import Vectors
from dialeval.selection.repository.utterances import Excluded
from dialeval.selection.repository.words import content_words, words
from dialeval.text.search import Hit

Way: TypeAlias = Literal["lexical", "vector"]

_TEXTS_AT_ONCE: Final = 64
# Of those fetched many are too long, too short or the same again.
_FETCHED: Final = 8
_DEEPER: Final = 8
_DEEPEST: Final = 400


@dataclass(frozen=True, slots=True)
class CandidateRules:
    """When an utterance found for a ground truth is passed over; the paper states none of these rules."""

    same: float = 0.75
    """Share of words in common (Dice: twice the common words over all words of both) from which two utterances count
    as the same. So do two of which one holds all words of the other and at most as many again, and two with the same
    words in the same order but for their marks."""
    shortest: float = 2 / 3
    """Least length in words, as a share of the ground truth's; 0 lets all through."""
    longest: float = 1.5
    """Greatest length in words, as a multiple of the ground truth's."""

    def fits(self, said: Sequence[str], truth: Sequence[str]) -> bool:
        """Whether an utterance is about as long as the ground truth, both given as words."""
        return self.shortest * len(truth) <= len(said) <= self.longest * len(truth)

    def repeats(self, said: Sequence[str], others: Iterable[Sequence[str]]) -> bool:
        """Whether an utterance is nearly the same as one of the others."""
        return any(self.alike(said, other) for other in others)

    def alike(self, said: Sequence[str], other: Sequence[str]) -> bool:
        """Whether two utterances, given as words, count as the same."""
        common = (Counter(said) & Counter(other)).total()
        fewer, more = sorted((len(said), len(other)))
        if 2 * common >= self.same * (fewer + more):
            return True
        return common == fewer > 0 and more <= 2 * fewer


@dataclass(frozen=True, slots=True)
class Retrieval:
    """An utterance of the repository, and how it was found."""

    id: int
    text: str
    by: Way
    score: float
    """BM25 or cosine; not comparable with one another."""


def retrieve(
    repository: Repository,
    texts: Sequence[str],
    *,
    m: int = 10,
    depth: int = 50,
    apart: Sequence[Sequence[str]] = (),
    exclude: Excluded = Excluded(),  # noqa: B008 - frozen
    rules: CandidateRules = CandidateRules(),  # noqa: B008 - frozen
    engine: Engine | None = None,
) -> list[tuple[Retrieval, ...]]:
    """For each text, ``m`` utterances like it and unlike each other, by turns from either way of searching.

    Half are found by BM25 with the text's content words, so that each shares at least one, and half by the cosine of
    SIF-weighted sentence vectors; where one way has no more, the other fills up. Never the text itself, nor one that
    ``rules`` call the same as it, as one found before, or as one of the texts at the same place in ``apart``, nor one
    of another length than they allow, nor one to ``exclude``. Of either way the best ``depth`` that pass are looked
    at; where vectors are reranked in context, it is these. Fewer than ``m`` where the repository has no more, none
    for a text without content words. ``engine`` searches in the repository's place.
    """
    if m < 1 or depth < 1:
        raise Unsuitable(f"Found m={m} and depth={depth}; expected at least 1 of each.")
    search = _Search(repository, engine or repository.engine, rules, exclude)
    others = apart or [()] * len(texts)
    wanted = [
        _Wanted(text, words(text), [words(other) for other in beside])
        for text, beside in zip(texts, others, strict=True)
    ]
    results: list[tuple[Retrieval, ...]] = []
    for start in range(0, len(wanted), _TEXTS_AT_ONCE):
        results += _retrieve(search, wanted[start : start + _TEXTS_AT_ONCE], m, max(depth, m))
    return results


class _Wanted(NamedTuple):
    """A text to find the like of."""

    text: str
    words: list[str]
    apart: list[list[str]]


class _Found(NamedTuple):
    """An utterance that passes the rules for a text."""

    id: int
    text: str
    words: list[str]
    score: float


def _retrieve(search: _Search, batch: Sequence[_Wanted], m: int, depth: int) -> list[tuple[Retrieval, ...]]:
    """What is picked for each text; those with too few are looked for again among more."""
    picked = [_pick(lexical, nearest, m, search.rules) for lexical, nearest in search.both(batch, depth)]
    short = [
        index for index, result in enumerate(picked) if len(result) < m and content_words(batch[index].text)
    ]
    if short and depth < min(_DEEPEST, len(search.repository)):
        again = _retrieve(search, [batch[index] for index in short], m, depth * _DEEPER)
        for index, result in zip(short, again, strict=True):
            picked[index] = result
    return picked


def _pick(
    lexical: Sequence[_Found], nearest: Sequence[_Found], m: int, rules: CandidateRules
) -> tuple[Retrieval, ...]:
    """By turns the best of either list that are like none before, half of each; then what one of them has left."""
    taken: dict[int, Retrieval] = {}
    said: list[list[str]] = []

    def unlike(passing: Sequence[_Found], by: Way) -> Iterator[Retrieval]:
        for utterance in passing:
            if utterance.id not in taken and not rules.repeats(utterance.words, said):
                said.append(utterance.words)
                yield Retrieval(utterance.id, utterance.text, by, utterance.score)

    ways: dict[Way, Iterator[Retrieval]] = {
        "lexical": unlike(lexical, "lexical"),
        "vector": unlike(nearest, "vector"),
    }
    quotas: dict[Way, int] = {"lexical": (m + 1) // 2, "vector": m // 2}
    given: Counter[Way] = Counter()
    while ways and len(taken) < m:
        # The one with the smallest part of its share is next, words before meaning; if it has no more, the other is.
        by = min(ways, key=lambda way: (given[way] >= quotas[way], given[way], way == "vector"))
        utterance = next(ways[by], None)
        if utterance is None:
            del ways[by]
        else:
            taken[utterance.id] = utterance
            given[by] += 1
    return tuple(taken.values())


@dataclass(frozen=True, slots=True)
class _Search:
    """A repository, where and by which rules it is searched, and the vectors in context that are known so far."""

    repository: Repository
    engine: Engine
    rules: CandidateRules
    exclude: Excluded
    in_context: dict[int, Vectors] = field(default_factory=dict)

    def both(self, batch: Sequence[_Wanted], depth: int) -> list[tuple[list[_Found], list[_Found]]]:
        """For each text the best by words and the nearest that pass; neither for a text without content words."""
        texts = [wanted.text for wanted in batch]
        queries = [content_words(text) for text in texts]
        fetched = min(depth * _FETCHED, len(self.repository))
        lexical = self._passing(batch, self.engine.lexical.search(queries, fetched), depth)
        near = self.engine.nearest.search(self.repository.vectors.units(texts), fetched)
        related = [hits if query else [] for hits, query in zip(near, queries, strict=True)]
        nearest = self._passing(batch, related, depth)
        if self.repository.vectors.kind == "reranked":
            nearest = self._reranked(texts, nearest)
        return list(zip(lexical, nearest, strict=True))

    def _passing(
        self, batch: Sequence[_Wanted], fetched: Sequence[Sequence[Hit]], depth: int
    ) -> list[list[_Found]]:
        """The best ``depth`` of each list that are about as long as the text, not the same as it, nor excluded."""
        ids = sorted({hit.document for hits in fetched for hit in hits})
        texts = dict(zip(ids, self.repository.texts(ids), strict=True))
        split = {number: words(text) for number, text in texts.items()}

        def passing(wanted: _Wanted, hits: Sequence[Hit]) -> Iterator[_Found]:
            for number, score in hits:
                if (
                    self.rules.fits(split[number], wanted.words)
                    and not self.rules.repeats(split[number], (wanted.words, *wanted.apart))
                    and texts[number] not in self.exclude
                ):
                    yield _Found(number, texts[number], split[number], score)

        return [list(islice(passing(*pair), depth)) for pair in zip(batch, fetched, strict=True)]

    def _reranked(self, texts: Sequence[str], nearest: Sequence[Sequence[_Found]]) -> list[list[_Found]]:
        """The same utterances, by the cosine of their vectors in context."""
        vectors = self.repository.vectors
        new = {hit.id: hit.text for hits in nearest for hit in hits if hit.id not in self.in_context}
        if new:
            units = vectors.units_in_context(list(new.values()))
            self.in_context.update(zip(new, units.astype(np.float16), strict=True))
        asked = vectors.units_in_context(list(texts))
        return [
            sorted(
                (hit._replace(score=round(float(unit @ self.in_context[hit.id]), 4)) for hit in hits),
                key=lambda hit: (-hit.score, hit.id),
            )
            for unit, hits in zip(asked, nearest, strict=True)
        ]
