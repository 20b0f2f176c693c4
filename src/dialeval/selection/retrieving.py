"""Utterances like a ground truth: half found by words, half by meaning (Sato et al., 2020, section 3.1, appendix A)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.engine import SILENT, Progress
from dialeval.errors import Unsuitable
from dialeval.selection.candidate_rules import CandidateRules
from dialeval.selection.content_words import content_words, words
from dialeval.selection.repository import Engine, Repository
from dialeval.selection.sif import Vectors
from dialeval.text.postings import Hit

Way: TypeAlias = Literal["lexical", "vector"]

_TEXTS_AT_ONCE: Final = 64
_DEEPER: Final = 8
_DEEPEST: Final = 4_096


@dataclass(frozen=True, slots=True)
class Retrieved:
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
    rules: CandidateRules = CandidateRules(),  # noqa: B008 - frozen
    engine: Engine | None = None,
    progress: Progress = SILENT,
) -> list[tuple[Retrieved, ...]]:
    """For each text, ``m`` utterances like it and unlike each other, by turns from either way of searching.

    Half are found by BM25 with the text's content words, so that each shares at least one, and half by the cosine of
    SIF-weighted sentence vectors; where one way has no more, the other fills up. Never the text itself, nor one that
    ``rules`` call the same as it, as one found before, or as one of the texts at the same place in ``apart``. Of either
    way the best ``depth`` are looked at first, and more only where too few of them pass. Fewer than ``m`` where the
    repository has no more, none for a text without content words. ``engine`` searches in the repository's place.
    """
    if m < 1 or depth < 1:
        raise Unsuitable(f"Found m={m} and depth={depth}; needed at least 1 of each.")
    search = _Search(repository, engine or repository.engine, {})
    others = apart or [()] * len(texts)
    found: list[tuple[Retrieved, ...]] = []
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        batch = [
            _Wanted(text, words(text), [words(other) for other in beside])
            for text, beside in zip(texts[start:], others[start:], strict=True)
        ][:_TEXTS_AT_ONCE]
        found += _retrieve(search, batch, m, depth, rules)
        progress.advance(len(batch))
    return found


class _Wanted(NamedTuple):
    """A text to find the like of."""

    text: str
    words: list[str]
    apart: list[list[str]]


def _retrieve(
    search: _Search, batch: Sequence[_Wanted], m: int, depth: int, rules: CandidateRules
) -> list[tuple[Retrieved, ...]]:
    searched = search.both([wanted.text for wanted in batch], depth)
    picked = [_pick(search, wanted, *lists, m, rules) for wanted, lists in zip(batch, searched, strict=True)]
    deeper = min(depth * _DEEPER, max(_DEEPEST, depth), len(search.repository))
    short = [at for at, found in enumerate(picked) if len(found) < m and any(searched[at])]
    if deeper > depth and short:
        again = _retrieve(search, [batch[at] for at in short], m, deeper, rules)
        for at, found in zip(short, again, strict=True):
            picked[at] = found
    return picked


def _pick(
    search: _Search,
    wanted: _Wanted,
    lexical: Sequence[Hit],
    nearest: Sequence[Hit],
    m: int,
    rules: CandidateRules,
) -> tuple[Retrieved, ...]:
    """By turns the best of either list that pass the rules, half of each; then whatever one of them has left."""
    texts = search.texts([hit.document for hit in (*lexical, *nearest)])
    taken: dict[int, Retrieved] = {}
    said = [wanted.words, *wanted.apart]

    def passing(hits: Sequence[Hit], by: Way) -> Iterator[Retrieved]:
        for hit in hits:
            own = words(texts[hit.document])
            if hit.document not in taken and rules.fits(own, wanted.words) and not rules.repeats(own, said):
                said.append(own)
                yield Retrieved(hit.document, texts[hit.document], by, hit.score)

    ways = [passing(lexical, "lexical"), passing(nearest, "vector")]
    quotas = [(m + 1) // 2, m // 2]
    while len(taken) < m and ways:
        for at, way in list(enumerate(ways)):
            if len(taken) < m and (quotas[at] > 0 or sum(quotas) <= 0 or len(ways) == 1):
                one = next(way, None)
                if one is None:
                    del ways[at], quotas[at]
                    break
                taken[one.id] = one
                quotas[at] -= 1
    return tuple(taken.values())


@dataclass(frozen=True, slots=True)
class _Search:
    """A repository, where it is searched, and the vectors in context that were computed so far."""

    repository: Repository
    engine: Engine
    in_context: dict[int, Vectors]

    def texts(self, ids: Sequence[int]) -> Mapping[int, str]:
        return dict(zip(ids, self.repository.texts(ids), strict=True)) if ids else {}

    def both(self, texts: Sequence[str], depth: int) -> list[tuple[list[Hit], list[Hit]]]:
        """For each text the best by words and the nearest; neither for a text without content words."""
        queries = [content_words(text) for text in texts]
        lexical = self.engine.lexical.search(queries, depth)
        nearest = self.engine.nearest.search(self.repository.vectors.units(list(texts)), depth)
        if self.repository.vectors.kind == "reranked":
            nearest = self._ranked_anew(texts, nearest)
        return [
            (own, near if query else []) for query, own, near in zip(queries, lexical, nearest, strict=True)
        ]

    def _ranked_anew(self, texts: Sequence[str], nearest: Sequence[Sequence[Hit]]) -> list[list[Hit]]:
        """The same utterances, by the cosine of their vectors in context."""
        vectors = self.repository.vectors
        new = sorted({hit.document for hits in nearest for hit in hits} - self.in_context.keys())
        if new:
            units = vectors.units_in_context(self.repository.texts(new))
            self.in_context.update(zip(new, units.astype(np.float16), strict=True))
        asked = vectors.units_in_context(list(texts))
        return [
            sorted(
                (Hit(hit.document, float(own @ self.in_context[hit.document])) for hit in hits),
                key=lambda hit: (-round(hit.score, 4), hit.document),
            )
            for own, hits in zip(asked, nearest, strict=True)
        ]
