"""A sentence while it is matched: its words, which value has which, and what it says of properties."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from dialeval.nlg.document import Finding, Span
from dialeval.nlg.slots.lexicon import HAS, LACKS, Lexicon, Occurrence, Pair, scan
from dialeval.nlg.slots.needs import Need
from dialeval.nlg.slots.negation import is_denied
from dialeval.nlg.slots.phrases import ARTICLES
from dialeval.text.spelling import Tokens, tokenise, word_of

NEAR: Final = 4
"""Most words between a value and a keyword that shows which slot it belongs to."""
FAR: Final = 1_000


@dataclass(slots=True)
class Sentence:
    """A sentence while it is matched."""

    text: str
    tokens: Tokens
    lexicon: Lexicon
    taken: bytearray
    occurrences: list[Occurrence]
    hits: dict[Pair, list[Occurrence]] = field(default_factory=dict)
    """Places at which each value of the act is said."""
    refuted: dict[Pair, list[Occurrence]] = field(default_factory=dict)
    """Occurrences in place of a value of the act: a denial of it, another half of the day, another value."""

    @classmethod
    def of(cls, lexicon: Lexicon, text: str) -> Sentence:
        """The sentence with everything that the lexicon knows in it, the longest sequences of words first."""
        tokens = tokenise(text)
        occurrences = scan(lexicon, tokens)
        occurrences.sort(key=lambda occurrence: (occurrence.start - occurrence.end, occurrence.start))
        return cls(text, tokens, lexicon, bytearray(len(tokens.words)), occurrences)

    def is_free(self, start: int, end: int) -> bool:
        """Whether no value has any of these words."""
        return not any(self.taken[start:end])

    def take(self, start: int, end: int) -> None:
        """Give these words to a value."""
        self.taken[start:end] = b"\x01" * (end - start)

    def span(self, start: int, end: int) -> Span:
        """Span of these words in the text."""
        first, last = self.tokens.starts[start], self.tokens.ends[end - 1]
        return Span(first, last, self.text[first:last])

    def distance(self, slot: str, start: int, end: int) -> int:
        """Number of words to the closest keyword of the slot."""
        keywords, words = self.lexicon.keywords.get(slot, ()), self.tokens.words
        for distance in range(1, NEAR + 1):
            if start >= distance and words[start - distance] in keywords:
                return distance
            if end + distance <= len(words) and words[end + distance - 1] in keywords:
                return distance
        return FAR

    def is_article(self, start: int, end: int) -> bool:
        """Whether these words are one that any sentence may have."""
        return end - start == 1 and self.tokens.words[start] in ARTICLES


_VERBS: Final = (
    "do does did is are was were am would will should shall could can may might must has have had want need "
    "don't doesn't didn't isn't aren't wouldn't shouldn't won't can't"
)
_ASKING: Final = frozenset(map(word_of, _VERBS.split()))
"""Words with which a yes-no question begins."""
_BEFORE: Final = "sorry ok okay please so and well sure hello hi alright also just then or"
_OPENERS: Final = frozenset(_BEFORE.split())
"""Words that may stand before them."""
_INDIRECT: Final = frozenset({"whether", "if"})
_EITHER: Final = frozenset({("or", "not"), ("or", "no"), ("not", "or"), ("or", "without")})
_END: Final = re.compile(r"[.!?;]")


def asks_whether(text: str, tokens: Tokens, start: int, end: int) -> bool:
    """Whether the sentence around the words from ``start`` up to ``end`` asks yes or no, or offers both answers.

    >>> from dialeval.text.spelling import tokenise
    >>> [asks_whether(text, tokenise(text), 2, 3) for text in ("are your kids coming", "we like kids")]
    [True, False]
    """
    first, last = _sentence_around(text, tokens, start, end)
    words = tokens.words[first:last]
    if text[tokens.ends[last - 1] :].lstrip(" )\"'").startswith("?"):
        return True
    if _INDIRECT & set(words) or any(pair in _EITHER for pair in pairwise(words)):
        return True
    opening = next((word for word in words if word not in _OPENERS), "")
    return opening in _ASKING


def _sentence_around(text: str, tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """The words of the sentence that holds these."""
    while start and not _END.search(text, tokens.ends[start - 1], tokens.starts[start]):
        start -= 1
    while end < len(tokens.words) and not _END.search(text, tokens.ends[end - 1], tokens.starts[end]):
        end += 1
    return start, end


def mentions_of(sentence: Sentence, slot: str) -> list[tuple[bool, int, int]]:
    """Whether the sentence says that the thing has the property, for each mention of it; close ones are one."""
    mentions: list[tuple[bool, int, int]] = []
    occurrences = sorted(
        (occurrence.start, -occurrence.end, pair.value)
        for occurrence in sentence.occurrences
        for pair in occurrence.pairs
        if pair.slot == slot and pair.value in (HAS, LACKS)
    )
    for start, ending, sense in occurrences:
        end = -ending
        if not sentence.is_free(start, end):
            continue
        if mentions and start - mentions[-1][2] < NEAR:
            mentions[-1] = (mentions[-1][0], mentions[-1][1], max(end, mentions[-1][2]))
            continue
        denied = is_denied(sentence.text, sentence.tokens, start, end)
        # "Adults only" and "not only for adults" both speak of the opposite.
        mentions.append(((sense == HAS) != denied, start, end))
    return mentions


def judged_property(sentence: Sentence, need: Need, needs: Sequence[Need]) -> Iterator[Finding]:
    """Of a property: whether the sentence says that the thing has it.

    If the act has both yes and no of one thing, a question about it offers both: "do you want kids allowed?"
    """
    both = any(other.slot == need.slot and other.pair != need.pair for other in needs)
    mentions = mentions_of(sentence, need.slot)
    right = [mention for mention in mentions if mention[0] == (need.sort == "yes")]
    if not mentions:
        yield Finding(need.slot, need.value, "missing")
        return
    if right and need.condition and not need.condition.intersection(sentence.tokens.words):
        yield Finding(need.slot, need.value, "missing")
        return
    if not right and both and _is_offered(sentence, need, needs, mentions):
        right = mentions
    if not right:
        spans = tuple(sentence.span(start, end) for _, start, end in mentions)
        yield Finding(need.slot, need.value, "wrong", spans)
        return
    for index, (_, start, end) in enumerate(right):
        yield Finding(need.slot, need.value, "repeated" if index else "said", (sentence.span(start, end),))
    for agrees, start, end in mentions:
        if agrees != right[0][0] and not both:
            yield Finding(need.slot, need.value, "added", (sentence.span(start, end),))


def _is_offered(
    sentence: Sentence, need: Need, needs: Sequence[Need], mentions: Sequence[tuple[bool, int, int]]
) -> bool:
    """Whether a question offers yes and no of the property; of two things that are compared each has its own."""
    opposite = any(other.slot == need.slot and {other.sort, need.sort} == {"yes", "no"} for other in needs)
    return (
        opposite
        and sum(other.is_name for other in needs) < 2
        and any(asks_whether(sentence.text, sentence.tokens, start, end) for _, start, end in mentions)
    )
