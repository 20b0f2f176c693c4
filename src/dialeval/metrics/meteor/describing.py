"""Facts about words that the aligner needs: hash, stem, function word or not, synsets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialeval.metrics.meteor.stemming import stem

Integers: TypeAlias = NDArray[np.int32]


class Words(NamedTuple):
    """Facts about words by their number, each an array over all words but the last."""

    key: Integers
    """Java's hash of the word: METEOR takes words of equal hash for the same word."""
    stem: Integers
    """Java's hash of its stem."""
    function: Integers
    """1 for function words, else 0."""
    first_synset: Integers
    """Where its synsets begin in ``synsets``; they end where the next word's begin."""
    synsets: Integers
    """The synsets of all words, end to end."""


class Describer:
    """Looks words up in METEOR's lists, given as lines: function words, and WordNet's synsets and irregular forms.

    The lines of ``synsets`` and ``exceptions`` take turns: a word and its synsets, a base and its forms.
    """

    def __init__(
        self, function_words: Sequence[str], synsets: Sequence[str], exceptions: Sequence[str]
    ) -> None:
        bases: defaultdict[str, list[str]] = defaultdict(list)
        for base, forms in zip(exceptions[::2], exceptions[1::2], strict=True):
            for form in forms.split():
                bases[form].append(base)
        self._function_words = frozenset(function_words)
        self._synonyms = Synonyms(dict(zip(synsets[::2], synsets[1::2], strict=True)), bases)

    def describe(self, words: Sequence[str], known: Words | None = None) -> Words:
        """Facts about the words, behind those ``known`` of others."""
        synsets: list[int] = []
        first_synset = [0]
        for word in words:
            synsets += sorted(self._synonyms.of(word))
            first_synset.append(len(synsets))
        facts = Words(
            java_hashes(words),
            java_hashes([stem(word) for word in words]),
            _integers([word in self._function_words for word in words]),
            _integers(first_synset),
            _integers(synsets),
        )
        if known is None:
            return facts
        shifted = facts.first_synset[1:] + known.first_synset[-1]
        return Words(*map(_joined, known, facts._replace(first_synset=shifted)))


def java_hashes(words: Sequence[str]) -> Integers:
    """Java's ``String.hashCode`` of each word: a polynomial over UTF-16 units, modulo 2**32, signed."""
    coded = [word.encode("utf-16-le", "surrogatepass") for word in words]
    units = np.frombuffer(b"".join(coded), "<u2")
    lengths = np.array([len(code) // 2 for code in coded], np.int64)
    starts = np.cumsum(lengths) - lengths
    hashes = np.zeros(len(words), np.uint32)
    # Unit by unit over all words that are as long: the last of them once nearly all are done.
    left = np.flatnonzero(lengths)
    position = 0
    while len(left):
        hashes[left] = hashes[left] * np.uint32(31) + units[starts[left] + position]
        position += 1
        left = left[lengths[left] > position]
    return hashes.view(np.int32)


def _integers(numbers: list[int]) -> Integers:
    return np.array(numbers, np.int32)


def _joined(known: Integers, new: Integers) -> Integers:
    both = np.concatenate([known, new])
    # As the tables are, so that the kernels see one type.
    both.setflags(write=False)
    return both


# WordNet's rules of detachment, in the order in which they are tried: endings of nouns, verbs, adjectives.
_DETACHMENTS: Final = (
    *(("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man")),
    *(("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    *(("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
)
_DETACHED: Final = frozenset(ending[-1] for ending, _ in _DETACHMENTS)


class Synonyms:
    """WordNet's synsets by word, and the irregular forms that are looked up under their bases.

    ``synsets`` gives a word's numbers as text, separated by spaces: few words are ever asked for.
    """

    def __init__(self, synsets: Mapping[str, str], bases: Mapping[str, Sequence[str]]) -> None:
        self._synsets, self._bases = synsets, bases

    def of(self, word: str) -> set[int]:
        """The synsets of the word as it stands and of its base form."""
        forms = {word, *(self._bases.get(word) or (self._base(word),))}
        return {int(number) for form in forms for number in self._synsets.get(form, "").split()}

    def _base(self, word: str) -> str:
        """The first known word that a detachment gives, or nothing."""
        if word.endswith("ss") or len(word) <= 2:
            return word
        if word[-1] not in _DETACHED:
            return ""
        for ending, replacement in _DETACHMENTS:
            if word.endswith(ending):
                base = word.removesuffix(ending) + replacement
                if base in self._synsets:
                    return base
        return ""
