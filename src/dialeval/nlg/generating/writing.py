"""Sentences for acts: beam search over a network, or a draw from training sentences."""

from __future__ import annotations

import logging
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from random import Random as Dice
from typing import TYPE_CHECKING, NamedTuple, Protocol

from dialeval.nlg.acts.delexicalising import fillers, speak
from dialeval.nlg.acts.types import Meaning
from dialeval.nlg.generating.random_sentences import Sentences, draw
from dialeval.nlg.generating.ranking import Draft, Sentence, SlotJudge, rank
from dialeval.nlg.generating.words import split_words
from dialeval.systems.decoding import Decoding, decode

if TYPE_CHECKING:
    from dialeval.nlg.generating.stepping import Loaded
    from dialeval.nlg.generating.vocabulary import ReadAct


class Writer(Protocol):
    """What puts acts into words."""

    def write(self, meanings: Sequence[Meaning], seeds: Sequence[int], n: int) -> list[list[Sentence]]:
        """At most ``n`` different sentences for each meaning, best first; whatever is random follows from its seed."""


@dataclass(frozen=True, slots=True)
class RandomWriter:
    """Training sentences of the same acts and slots."""

    sentences: Sentences
    judge: SlotJudge

    def write(self, meanings: Sequence[Meaning], seeds: Sequence[int], n: int) -> list[list[Sentence]]:
        """The first sentence is the paper's random choice, the others follow it."""
        return [self._draw(meaning, seed, n) for meaning, seed in zip(meanings, seeds, strict=True)]

    def _draw(self, meaning: Meaning, seed: int, n: int) -> list[Sentence]:
        drawn = draw(self.sentences, meaning, n, Dice(seed))
        return [
            Sentence(speak(text, meaning), None, self.judge.errors(meaning, split_words(text)))
            for text in drawn
        ]


class _Asked(NamedTuple):
    """An act to be put into words."""

    act: ReadAct
    seed: int
    values: frozenset[str]
    """The placeholders of its values."""
    key: Hashable
    """What decides its drafts."""


@dataclass(frozen=True, slots=True, eq=False)
class NetworkWriter:
    """A network whose over-generated sentences are put in order by their slot errors."""

    loaded: Loaded
    decoding: Decoding
    penalty: float
    rows: int
    """Sentences under way at once; changes no text."""
    retry: int = 1
    """How many times as many sentences are over-generated for an act whose best one still has slot errors; in these
    no value is said twice, and none that the act does not have."""

    def write(self, meanings: Sequence[Meaning], seeds: Sequence[int], n: int) -> list[list[Sentence]]:
        """Acts that the network reads alike are decoded once."""
        acts = [self.loaded.vocabulary.act(meaning) for meaning in meanings]
        _warn_of_strange(acts)
        values = [frozenset(filler.placeholder for filler in fillers(meaning)) for meaning in meanings]
        asked = [_Asked(*each, self._key(*each)) for each in zip(acts, seeds, values, strict=True)]
        most = self.decoding.most or n
        drafts = self._decode_each(asked, self.decoding, most)
        written = [
            self._rank(meaning, drafts[each.key]) for meaning, each in zip(meanings, asked, strict=True)
        ]
        if self.penalty and self.retry > 1 and self.decoding.method != "greedy":
            poor = [index for index, sentences in enumerate(written) if sentences and sentences[0].errors]
            wider = replace(self.decoding, beams=self.decoding.beams * self.retry)
            further = self._decode_each([asked[index] for index in poor], wider, most * self.retry, fill=True)
            for index in poor:
                key = asked[index].key
                again = self._rank(meanings[index], [*drafts[key], *further[key]])
                if again[0].errors < written[index][0].errors:
                    written[index] = again
        return [sentences[:n] for sentences in written]

    def _rank(self, meaning: Meaning, drafts: Sequence[Draft]) -> list[Sentence]:
        return rank(meaning, drafts, self.penalty, self.loaded.judge)

    def _key(self, act: ReadAct, seed: int, values: frozenset[str]) -> Hashable:
        """What decides a sentence before its values are filled in: with an encoder, the values are read too."""
        network = self.loaded.network
        read = act.parts if network.encoder is not None else frozenset(part.feature for part in act.parts)
        return (read, values, seed) if self.decoding.samples else (read, values)

    def _decode_each(
        self, asked: Sequence[_Asked], decoding: Decoding, most: int, *, fill: bool = False
    ) -> dict[Hashable, list[Draft]]:
        """At most this many drafts for each key, in batches of acts with about as many parts."""
        first = {each.key: each for each in reversed(asked)}
        order = sorted(first.values(), key=lambda each: len(each.act.parts))
        width = max(self.rows // most, 1)
        drafts: dict[Hashable, list[Draft]] = {}
        for start in range(0, len(order), width):
            batch = order[start : start + width]
            found = self._decode(batch, decoding, most, fill=fill)
            drafts.update(zip((each.key for each in batch), found, strict=True))
        return drafts

    def _decode(
        self, asked: Sequence[_Asked], decoding: Decoding, most: int, *, fill: bool
    ) -> list[list[Draft]]:
        from dialeval.nlg.generating.filling import filling
        from dialeval.nlg.generating.stepping import Stepping

        words = self.loaded.vocabulary.words
        stepping = Stepping(self.loaded.network, [each.act for each in asked])
        prefixes, seeds = [(number,) for number in range(len(asked))], [each.seed for each in asked]
        if not fill:
            found = decode(stepping, prefixes, decoding, n=most, seeds=seeds)
        else:
            filled = filling(stepping, words, [each.values for each in asked])
            every = decode(filled, prefixes, decoding, n=most, seeds=seeds)
            found = stepping.weigh([[each for each in own if each.finished] for own in every])
        return [
            [
                Draft(tuple(words[token] for token in each.tokens), each.logprob, each.length)
                for each in hypotheses
            ]
            for hypotheses in found
        ]


def _warn_of_strange(acts: Sequence[ReadAct]) -> None:
    strange = [act.strange for act in acts if act.strange]
    if strange:
        logging.getLogger(__name__).warning(
            "%d of %d acts have parts that the training data do not have, such as %r; they are read as another act's "
            "same slot, or left out.",
            len(strange),
            len(acts),
            strange[0][0],
        )
