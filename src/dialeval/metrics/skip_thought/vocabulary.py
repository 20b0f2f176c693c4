"""The vocabulary of a Skip-Thought model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from dialeval.text.tokenisers.treebank import word_tokenize_all

END: Final = 0
UNKNOWN: Final = 1
_SPECIAL: Final = ("<end>", "<unknown>")


def words_of(texts: Sequence[str], *, lowercase: bool) -> list[list[str]]:
    """The Treebank words of each text."""
    return word_tokenize_all([text.lower() for text in texts] if lowercase else texts)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words by number; number 0 ends a sentence, 1 stands for every word that has no number."""

    words: tuple[str, ...]
    lowercase: bool
    index: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", {word: number for number, word in enumerate(self.words)})

    def __len__(self) -> int:
        return len(self.words)

    def number(self, texts: Sequence[str], *, longest: int) -> list[list[int]]:
        """The numbers of each text's first ``longest`` words."""
        split = words_of(texts, lowercase=self.lowercase)
        return [[self.index.get(word, UNKNOWN) for word in words[:longest]] for words in split]


def count_words(texts: Iterable[str], *, size: int, lowercase: bool) -> Vocabulary:
    """The ``size`` most frequent words, ties in order of the alphabet, after the two special ones."""
    counts: Counter[str] = Counter()
    for words in words_of(list(texts), lowercase=lowercase):
        counts.update(words)
    for word in _SPECIAL:
        counts.pop(word, None)
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    return Vocabulary((*_SPECIAL, *ranked[:size]), lowercase)
