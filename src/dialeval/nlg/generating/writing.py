"""Sentences for acts: beam search over a network, or a draw from training sentences."""

from __future__ import annotations

import logging
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from random import Random as Dice
from typing import TYPE_CHECKING, Protocol

from dialeval.nlg.acts.delexicalising import speak
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


@dataclass(frozen=True, slots=True, eq=False)
class NetworkWriter:
    """A network whose over-generated sentences are put in order by their slot errors."""

    loaded: Loaded
    decoding: Decoding
    penalty: float
    rows: int
    """Sentences under way at once; changes no text."""

    def write(self, meanings: Sequence[Meaning], seeds: Sequence[int], n: int) -> list[list[Sentence]]:
        """Acts that the network reads alike are decoded once."""
        acts = [self.loaded.vocabulary.act(meaning) for meaning in meanings]
        _warn_of_strange(acts)
        keys = [self._key(act, seed) for act, seed in zip(acts, seeds, strict=True)]
        first = {key: index for index, key in reversed(list(enumerate(keys)))}
        order = sorted(first.values(), key=lambda index: len(acts[index].parts))
        width = max(self.rows // (self.decoding.most or n), 1)
        drafts: dict[Hashable, list[Draft]] = {}
        for start in range(0, len(order), width):
            batch = order[start : start + width]
            lists = self._decode([acts[index] for index in batch], [seeds[index] for index in batch], n)
            drafts.update(zip((keys[index] for index in batch), lists, strict=True))
        return [
            rank(meaning, drafts[key], self.penalty, self.loaded.judge)[:n]
            for meaning, key in zip(meanings, keys, strict=True)
        ]

    def _key(self, act: ReadAct, seed: int) -> Hashable:
        """What decides a sentence before its values are filled in: with an encoder, the values are read too."""
        network = self.loaded.network
        read = act.parts if network.encoder is not None else frozenset(part.feature for part in act.parts)
        return (read, seed) if self.decoding.samples else read

    def _decode(self, acts: Sequence[ReadAct], seeds: Sequence[int], n: int) -> list[list[Draft]]:
        from dialeval.nlg.generating.stepping import Stepping

        vocabulary = self.loaded.vocabulary
        prefixes = [(number,) for number in range(len(acts))]
        most = self.decoding.most or n
        found = decode(Stepping(self.loaded.network, acts), prefixes, self.decoding, n=most, seeds=seeds)
        return [
            [
                Draft(tuple(vocabulary.words[token] for token in each.tokens), each.logprob, each.length)
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
