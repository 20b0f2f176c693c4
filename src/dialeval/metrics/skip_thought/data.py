"""Training data of a Skip-Thought model: sentences with their neighbours, and the vocabulary of their words."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from dialeval.data.types import Dialogue, Prompt
from dialeval.errors import Unsuitable
from dialeval.text.tokenisers.treebank import word_tokenize_all

END: Final = 0
UNKNOWN: Final = 1
_SPECIAL: Final = ("<end>", "<unknown>")


class Triple(NamedTuple):
    """A sentence and its neighbours; an empty text for a missing one."""

    before: str
    here: str
    after: str


def triples(records: Iterable[Dialogue | Prompt]) -> list[Triple]:
    """Every turn with the turns beside it, each triple once, in the order in which they are first met.

    Each reference of a prompt is one continuation of its context.
    """
    unique: dict[Triple, None] = {}
    for record in records:
        for turns in _passages(record):
            said = [text for turn in turns if (text := " ".join(turn.split()))]
            for index, here in enumerate(said):
                triple = Triple(
                    said[index - 1] if index else "", here, said[index + 1] if index + 1 < len(said) else ""
                )
                if triple.before or triple.after:
                    unique[triple] = None
    if not unique:
        raise Unsuitable(
            "The corpus has no two turns in a row, so there is nothing to learn from. "
            "Give dialogues of two turns or more."
        )
    return list(unique)


def digest(data: Sequence[Triple]) -> str:
    """The sha256 of the triples in order."""
    made = hashlib.sha256()
    for triple in data:
        made.update("\t".join(triple).encode("utf-8", "surrogatepass") + b"\n")
    return made.hexdigest()


def _passages(record: Dialogue | Prompt) -> list[list[str]]:
    if isinstance(record, Dialogue):
        return [[turn.text for turn in record.turns]]
    context = [turn.text for turn in record.context]
    return [[*context, reference] for reference in record.references] or [context]


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
