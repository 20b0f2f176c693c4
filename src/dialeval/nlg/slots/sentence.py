"""A sentence while it is matched: its words, what is known of them, and which value has which."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from dialeval.nlg.document import Span
from dialeval.nlg.slots.lexicon import Lexicon, Occurrence, Pair, scan
from dialeval.nlg.slots.phrases import ARTICLES
from dialeval.text.spelling.tokens import Tokens, tokenise

NEAR: Final = 4
"""How many words away a slot's keyword still shows which slot a value belongs to."""
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
    """Where each value of the act is said."""
    refuted: dict[Pair, list[Occurrence]] = field(default_factory=dict)
    """What stands where a value of the act should be said: a denial of it, another half of the day, another value."""

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
        """Where these words stand in the text."""
        first, last = self.tokens.starts[start], self.tokens.ends[end - 1]
        return Span(first, last, self.text[first:last])

    def distance(self, slot: str, start: int, end: int) -> int:
        """How many words away the closest keyword of the slot is."""
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
