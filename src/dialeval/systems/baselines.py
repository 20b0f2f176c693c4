"""Baselines: the reference, the last turn again, a random response, what followed the most similar turn of a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from random import Random as Dice
from typing import Final, Literal, TypeAlias

from dialeval.core import Signature
from dialeval.data.codec.sources import file_of, source_stamp
from dialeval.data.types import Context, Prompt, Response
from dialeval.encoder.files import EMBEDDED, find_encoder
from dialeval.encoder.model import SentenceIndex, index_sentences
from dialeval.errors import BadInput
from dialeval.files.digests import Stamp, hash_file
from dialeval.systems.decoding.search import context_seed
from dialeval.systems.exchanges import Exchange, exchanges, spoken
from dialeval.text.search import Bm25, Hit, TfIdf
from dialeval.text.tokenisers.words import search_terms

Method: TypeAlias = Literal["bm25", "tfidf", "encoder"]
Which: TypeAlias = Literal["first", "last", "shortest", "longest", "random"]
"""Which of several references."""

_SAME: Final = 0.8


@dataclass(frozen=True, slots=True)
class Echo:
    """Answers with the last turn of the context, word for word; has no answer to an empty context."""

    name: str

    @property
    def signature(self) -> Signature:
        """All that could move its responses."""
        return Signature("echo")

    def generate(
        self, contexts: Sequence[Context], *, n: int = 1, seed: int = 0
    ) -> list[tuple[Response, ...]]:
        """The last turn of each context; there is never a second best, and ``seed`` changes nothing."""
        return [(Response(context[-1].text),) if context and n > 0 else () for context in contexts]


@dataclass(frozen=True, slots=True)
class Gold:
    """Answers with a reference of the item: people's own answer, which raters may rank and measures compare with.

    ``which`` says which of several: the first or the last as the data have them, the shortest or the longest in
    characters (the first of equals), or a random one, which follows from the item's id alone. An item without
    references has no answer. Measures that compare with all references find the answer among them and give it their
    best value.
    """

    name: str
    which: Which = "first"

    @property
    def signature(self) -> Signature:
        """All that could move its responses, beside the references."""
        return Signature("gold", (("which", self.which),))

    def replay(self, prompts: Sequence[Prompt]) -> list[tuple[Response, ...]]:
        """The chosen reference of each prompt; none if it has none."""
        return [(Response(self._chosen(prompt)),) if prompt.references else () for prompt in prompts]

    def _chosen(self, prompt: Prompt) -> str:
        references = prompt.references
        if self.which in ("shortest", "longest"):
            return (min if self.which == "shortest" else max)(references, key=len)
        if self.which == "random":
            return references[int(Dice(prompt.item).random() * len(references))]
        return references[0 if self.which == "first" else -1]


@dataclass(frozen=True, slots=True)
class Random:
    """Answers with a random response of a corpus, each different text as likely as any other.

    The choice follows from the seed and the context alone, so it does not depend on what else is asked. An empty
    context is answered like any other. By chance it may say the reference, once in as many times as the corpus has
    different responses.
    """

    name: str
    corpus: Path

    @property
    def signature(self) -> Signature:
        """All that could move its responses, beside the seed."""
        return Signature("random", (), (("corpus", hash_file(file_of(self.corpus))),), version=2)

    def generate(
        self, contexts: Sequence[Context], *, n: int = 1, seed: int = 0
    ) -> list[tuple[Response, ...]]:
        """``n`` different responses to each context, or as many as the corpus has."""
        pool = _pool(source_stamp(self.corpus))
        return [
            tuple(Response(pool[number]) for number in _draw(len(pool), n, context, seed))
            for context in contexts
        ]


@lru_cache(maxsize=4)
def _pool(corpus: Stamp) -> tuple[str, ...]:
    return tuple(dict.fromkeys(exchange.response for exchange in exchanges(corpus.path)))


def _draw(size: int, n: int, context: Context, seed: int) -> list[int]:
    """At most ``n`` different numbers below ``size``: the start of a shuffle, of which only the moves are kept."""
    # Only random() is promised to stay the same from one Python to the next; choice() and sample() are not.
    dice = Dice(context_seed(seed, context))
    moved: dict[int, int] = {}
    drawn: list[int] = []
    for first in range(min(n, size)):
        other = first + int(dice.random() * (size - first))
        drawn.append(moved.get(other, other))
        moved[other] = moved.get(first, first)
    return drawn


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Answers with the turn that followed the corpus turn most like the last turn of the context.

    Places that may be the very item under test, where the next turn is the reference, are passed over: those whose last
    two turns have at least four words in five in common with the asked context's, or, if either context is a single
    turn, whose last turn has the same words. The n best are different texts. There is no answer to an empty context,
    nor, but by ``encoder``, if no turn of the corpus shares a word with the last turn.
    """

    name: str
    corpus: Path
    method: Method = "bm25"

    @property
    def signature(self) -> Signature:
        """All that could move its responses."""
        like = (
            ("encoder", find_encoder(EMBEDDED).fact)
            if self.method == "encoder"
            else ("tokens", "search_terms")
        )
        facts = (("corpus", hash_file(file_of(self.corpus))), ("query", "last_turn"), like)
        return Signature("retrieval", (("method", self.method),), facts, version=2)

    @property
    def resources(self) -> Mapping[str, str]:
        """The encoder's weights, if there is one."""
        return find_encoder(EMBEDDED).resources if self.method == "encoder" else {}

    def generate(
        self, contexts: Sequence[Context], *, n: int = 1, seed: int = 0
    ) -> list[tuple[Response, ...]]:
        """The best ``n`` responses to each context; ``seed`` changes nothing."""
        library = _library(source_stamp(self.corpus), self.method)
        return [tuple(islice(library.answers(context, n), max(n, 0))) for context in contexts]


@dataclass(frozen=True, slots=True, eq=False)
class _Library:
    """Places of a corpus with an index over the last turns of their contexts."""

    places: tuple[Exchange, ...]
    index: Bm25 | TfIdf | None
    """None if turns are compared by their vectors."""
    vectors: SentenceIndex | None = None

    def answers(self, context: Context, n: int) -> Iterator[Response]:
        """Responses that followed like turns, best first, no text twice."""
        said = spoken(context)
        asked = [search_terms(text) for text in said[-2:]]
        seen: set[str] = set()
        for hit in self._hits(said[-1] if said else "", n):
            exchange = self.places[hit.document]
            if exchange.response not in seen and not _same_place(asked, exchange):
                seen.add(exchange.response)
                yield Response(exchange.response)

    def _hits(self, text: str, n: int) -> Iterator[Hit]:
        """All hits, best first; few are ranked at first, as few are mostly needed."""
        if self.index is None:
            yield from self.vectors.nearest(text) if self.vectors and text.strip() else ()
            return
        terms, start, stop = search_terms(text), 0, 8 * n
        while hits := self.index.top(terms, stop)[start:]:
            yield from hits
            start, stop = stop, stop * 8


@lru_cache(maxsize=4)
def _library(corpus: Stamp, method: Method) -> _Library:
    answered = tuple(exchange for exchange in exchanges(corpus.path) if exchange.end)
    if not answered:
        raise BadInput(
            path=str(corpus.path),
            found="no turn that comes before a response",
            expected="dialogues of two turns or more, or prompts with a context",
            todo="Give 'corpus' a file of conversations.",
        )
    if method == "encoder":
        return _Library(answered, None, index_sentences([e.turns[e.end - 1] for e in answered]))
    documents = (search_terms(exchange.turns[exchange.end - 1]) for exchange in answered)
    return _Library(answered, Bm25(documents) if method == "bm25" else TfIdf(documents))


def _same_place(asked: Sequence[Sequence[str]], place: Exchange) -> bool:
    """Whether the words of the last two turns, or of the last one if either side has no more, coincide."""
    shared = min(len(asked), place.end)
    recorded = [search_terms(text) for text in place.context[-2:]]
    if shared == 1:
        return asked[-1] == recorded[-1]
    # Corpora hold dialogues twice with a word or a space changed: asked for equality, one answer in seven from
    # DailyDialog's training set to itself was the reference; like this, one in 250.
    ours, theirs = Counter(chain.from_iterable(asked)), Counter(chain.from_iterable(recorded))
    return 2 * (ours & theirs).total() >= _SAME * (ours.total() + theirs.total())
