"""Writers of sentences for acts: beam search over a network, or a draw from training sentences.

Over-generated sentences are ranked: fewest slot errors first, then the likeliest (as in Wen et al., 2015b). The draw is
the Random model of Sharma et al. (2017, section 4.1): a training sentence of the same acts and slots.
"""

from __future__ import annotations

import json
import logging
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from random import Random as Dice
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from dialeval.errors import BadInput
from dialeval.nlg.acts.placeholders import JOINED, PREFIX, fillers, join_words, speak, split_words
from dialeval.nlg.acts.types import Act, Meaning
from dialeval.nlg.generators.lessons import Lesson
from dialeval.nlg.generators.vocabulary import kind_of, special_slot
from dialeval.nlg.slots.lexicon import Lexicon, build_lexicon
from dialeval.nlg.slots.matcher import match
from dialeval.systems.decoding import Decoding, decode

if TYPE_CHECKING:
    from dialeval.nlg.generators.search import LoadedNetwork
    from dialeval.nlg.generators.vocabulary import NumberedAct

Sentences: TypeAlias = Mapping[str, Mapping[str, int]]
"""Delexicalised sentences by kind of act, each with how often it was met."""


def sentences_by_kind(lessons: Iterable[Lesson]) -> dict[str, dict[str, int]]:
    """The sentences of each kind of act; values are ignored, special ones too, as the paper does."""
    counts: dict[str, Counter[str]] = {}
    for lesson in lessons:
        counts.setdefault(kind_of(lesson.meaning), Counter())[join_words(lesson.words)] += 1
    return {kind: dict(counts[kind]) for kind in sorted(counts)}


def load_sentences(path: Path) -> Sentences:
    """The sentences in a file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))["sentences"]
        return {str(kind): {str(text): int(n) for text, n in some.items()} for kind, some in content.items()}
    except (ValueError, KeyError, TypeError, RecursionError, AttributeError) as error:
        found = f"{type(error).__name__}: {error}"
        raise BadInput(str(path), found, "sentences by kind of act", "Train the model again.") from error


def draw(sentences: Sentences, meaning: Meaning, n: int, dice: Dice) -> list[str]:
    """At most ``n`` different sentences of the meaning's kind, each as likely to be next as it is frequent.

    If no training act is of that kind, those of the kind that shares most slots with it and has fewest others.
    """
    counts = sentences.get(kind_of(meaning)) or sentences[_closest(sentences, meaning)]
    left = dict(counts)
    drawn: list[str] = []
    while left and len(drawn) < n:
        text = _weighted(left, dice.random())
        drawn.append(text)
        del left[text]
    return drawn


def _weighted(counts: Mapping[str, int], number: float) -> str:
    """The text in whose share a number from 0 up to 1 falls."""
    texts = list(counts)
    edges = list(accumulate(counts.values()))
    return texts[min(bisect_right(edges, number * edges[-1]), len(texts) - 1)]


def _closest(sentences: Sentences, meaning: Meaning) -> str:
    wanted = _names(kind_of(meaning))

    def distance(kind: str) -> tuple[int, str]:
        return sum(((wanted - _names(kind)) + (_names(kind) - wanted)).values()), kind

    return min(sentences, key=distance)


def _names(kind: str) -> Counter[str]:
    """The acts and slots of a kind."""
    return Counter(re.findall(r"[^(), ]+", kind))


class Draft(NamedTuple):
    """A delexicalised sentence as a network generated it."""

    words: tuple[str, ...]
    logprob: float
    length: int
    """Words, the end counted."""


class Sentence(NamedTuple):
    """A sentence with its values filled in."""

    text: str
    logprob: float | None
    """Of the delexicalised sentence; None if no network said it."""
    errors: int
    """Slots that are missing, wrong, said twice, or not in the act."""


@dataclass(frozen=True, slots=True, eq=False)
class SlotJudge:
    """Counts the slot errors of delexicalised sentences.

    Placeholders show which values were said. Special values (yes, no, dontcare, none) are said in many words, which
    the slot matcher looks for.
    """

    lexicon: Lexicon | None = None
    """Of the slots that had special values in training; None if there were none."""

    def errors(self, meaning: Meaning, words: Sequence[str]) -> int:
        """Slots that are missing, wrong, added or repeated."""
        if self.lexicon is None:
            return placeholder_errors(meaning, words)
        special = tuple(Act(act.act, tuple(slot for slot in act.slots if slot.special)) for act in meaning)
        findings = match(self.lexicon, special, join_words(words))
        return placeholder_errors(meaning, words) + sum(found.outcome != "said" for found in findings)


def placeholder_errors(meaning: Meaning, words: Sequence[str]) -> int:
    """Placeholders that are missing, added or repeated."""
    wanted = {filler.placeholder for filler in fillers(meaning)}
    said: dict[str, int] = {}
    for word in words:
        if PREFIX in word:
            placeholder = word.removeprefix(JOINED)
            said[placeholder] = said.get(placeholder, 0) + 1
    missing = sum(placeholder not in said for placeholder in wanted)
    return missing + sum(count - (placeholder in wanted) for placeholder, count in said.items())


def make_judge(features: Iterable[str], words: Iterable[str]) -> SlotJudge:
    """The judge of a generator that knows these features of acts and words of sentences."""
    specials = {special for feature in features if (special := special_slot(feature))}
    if not specials:
        return SlotJudge()
    meaning = (Act("inform", tuple(sorted(specials, key=str))),)
    return SlotJudge(build_lexicon([meaning], [((), " ".join(words))]))


def rank(meaning: Meaning, drafts: Iterable[Draft], penalty: float, judge: SlotJudge) -> list[Sentence]:
    """The drafts as sentences, each text once, best first.

    The score of a draft is its log-probability per word less ``penalty`` times its slot errors per slot, so that a
    high penalty puts any draft with an error after all without one.
    """
    slots = max(sum(len(act.slots) for act in meaning), 1)
    scored: list[tuple[float, Sentence]] = []
    for draft in drafts:
        errors = judge.errors(meaning, draft.words)
        score = draft.logprob / draft.length - penalty * errors / slots
        text = speak(join_words(draft.words), meaning)
        scored.append((score, Sentence(text, draft.logprob, errors)))
    unique: dict[str, Sentence] = {}
    for _, sentence in sorted(scored, key=lambda pair: -pair[0]):
        unique.setdefault(sentence.text, sentence)
    return list(unique.values())


class Writer(Protocol):
    """Writer that puts acts into words."""

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


class _Request(NamedTuple):
    """An act to be put into words."""

    act: NumberedAct
    seed: int
    values: frozenset[str]
    """The placeholders of its values."""
    key: Hashable
    """Key that decides its drafts."""


@dataclass(frozen=True, slots=True, eq=False)
class NetworkWriter:
    """A network whose over-generated sentences are put in order by their slot errors."""

    loaded: LoadedNetwork
    decoding: Decoding
    penalty: float
    rows: int
    """Sentences under way at once; changes no text."""
    retry: int = 1
    """Factor by which more sentences are over-generated for an act whose best one still has slot errors; in these
    no value is said twice, and none that the act does not have."""
    samples: int = 1
    """Sentences over-generated where decoding samples, at least."""

    def write(self, meanings: Sequence[Meaning], seeds: Sequence[int], n: int) -> list[list[Sentence]]:
        """Acts that the network reads alike are decoded once."""
        acts = [self.loaded.vocabulary.act(meaning) for meaning in meanings]
        _warn_of_strange(acts)
        values = [frozenset(filler.placeholder for filler in fillers(meaning)) for meaning in meanings]
        asked = [_Request(*each, self._key(*each)) for each in zip(acts, seeds, values, strict=True)]
        most = self.decoding.most or max(n, self.samples)
        drafts = self._decode_each(asked, self.decoding, most)
        written = [
            self._rank(meaning, drafts[each.key]) for meaning, each in zip(meanings, asked, strict=True)
        ]
        if self.penalty and self.retry > 1 and self.decoding.method != "greedy":
            poor = [index for index, sentences in enumerate(written) if sentences and sentences[0].errors]
            wider = self.decoding
            if wider.most is not None:  # a sampling one has no beams: it draws more
                wider = replace(wider, beams=wider.beams * self.retry)
            further = self._decode_each([asked[index] for index in poor], wider, most * self.retry, fill=True)
            for index in poor:
                key = asked[index].key
                again = self._rank(meanings[index], [*drafts[key], *further[key]])
                if again[0].errors < written[index][0].errors:
                    written[index] = again
        return [sentences[:n] for sentences in written]

    def _rank(self, meaning: Meaning, drafts: Sequence[Draft]) -> list[Sentence]:
        return rank(meaning, drafts, self.penalty, self.loaded.judge)

    def _key(self, act: NumberedAct, seed: int, values: frozenset[str]) -> Hashable:
        """Key that decides a sentence before its values are filled in: with an encoder, the values are read too."""
        network = self.loaded.network
        read = act.parts if network.encoder is not None else frozenset(part.feature for part in act.parts)
        return (read, values, seed) if self.decoding.samples else (read, values)

    def _decode_each(
        self, asked: Sequence[_Request], decoding: Decoding, most: int, *, fill: bool = False
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
        self, asked: Sequence[_Request], decoding: Decoding, most: int, *, fill: bool
    ) -> list[list[Draft]]:
        from dialeval.nlg.generators.search import NetworkSearch, bounded_search

        words = self.loaded.vocabulary.words
        search = NetworkSearch(self.loaded.network, [each.act for each in asked])
        prefixes, seeds = [(number,) for number in range(len(asked))], [each.seed for each in asked]
        if not fill:
            found = decode(search, prefixes, decoding, n=most, seeds=seeds)
        else:
            filled = bounded_search(search, words, [each.values for each in asked])
            every = decode(filled, prefixes, decoding, n=most, seeds=seeds)
            found = search.weigh([[each for each in own if each.finished] for own in every])
        return [
            [
                Draft(tuple(words[token] for token in each.tokens), each.logprob, each.length)
                for each in hypotheses
            ]
            for hypotheses in found
        ]


def _warn_of_strange(acts: Sequence[NumberedAct]) -> None:
    strange = [act.strange for act in acts if act.strange]
    if strange:
        logging.getLogger(__name__).warning(
            "%d of %d acts have parts that the training data do not have, such as %r; they are read as another act's "
            "same slot, or left out.",
            len(strange),
            len(acts),
            strange[0][0],
        )
