"""The perceptron tagger: Penn Treebank tags for English words (Collins, 2002)."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, cast

from dialeval.errors import ResourceUnavailable
from dialeval.resources.catalogue import obtain

RESOURCE: Final = "perceptron-tagger"

_BEFORE: Final = ("-START-", "-START2-")
_AFTER: Final = ("-END-", "-END2-")


class Tagged(NamedTuple):
    """A word and its Penn Treebank tag."""

    word: str
    tag: str


@dataclass(frozen=True, slots=True, eq=False)
class PerceptronTagger:
    """Tags the words of a sentence from left to right, each by its neighbours and the two tags before it."""

    weights: Mapping[str, Mapping[str, float]]
    """From a feature to its weight for each tag."""
    certain: Mapping[str, str]
    """Words that have one tag only."""

    def tag(self, words: Sequence[str]) -> list[Tagged]:
        """The words with their tags, Penn Treebank words being expected."""
        padded = [*_BEFORE, *map(_normal, words), *_AFTER]
        # The weights know the tags before a sentence in the other order than the words.
        last, before = _BEFORE
        tagged = []
        for index, word in enumerate(words):
            tag = self.certain.get(word) or self._best(
                _features(word, padded[index : index + 5], last, before)
            )
            tagged.append(Tagged(word, tag))
            before, last = last, tag
        return tagged

    def _best(self, features: Iterator[str]) -> str:
        scores: dict[str, float] = {}
        for feature in features:
            for tag, weight in self.weights.get(feature, {}).items():
                scores[tag] = scores.get(tag, 0.0) + weight
        return max(scores, key=lambda tag: (scores[tag], tag))


def load_tagger() -> PerceptronTagger:
    """The tagger of the catalogue, read once a process; ResourceUnavailable if it is not installed."""
    return _load(obtain(RESOURCE))


@lru_cache(maxsize=1)
def _load(path: Path) -> PerceptronTagger:
    with path.open("rb") as handle:
        weights, certain, _ = cast(
            tuple[dict[str, dict[str, float]], dict[str, str], set[str]], _PlainUnpickler(handle).load()
        )
    return PerceptronTagger(weights, certain)


class _PlainUnpickler(pickle.Unpickler):
    """Reads plain data only: of all that a pickle may name, a set is let through."""

    def find_class(self, module: str, name: str) -> type[set[str]]:
        if (module, name) in (("__builtin__", "set"), ("builtins", "set")):
            return set
        raise ResourceUnavailable(
            f"The tagger's weights refer to {module}.{name}, which plain data does not need, so they are not read."
        )


def _normal(word: str) -> str:
    if "-" in word and not word.startswith("-"):
        return "!HYPHEN"
    if word.isdigit() and len(word) == 4:
        return "!YEAR"
    return "!DIGITS" if word[:1].isdigit() else word.lower()


def _features(word: str, near: Sequence[str], last: str, before: str) -> Iterator[str]:
    """Features of a word: ``near`` holds it, two words before and two after, all in normal form.

    Spelled as the weights spell them.
    """
    second, first, own, following, after = near
    yield "bias"
    yield f"i suffix {word[-3:]}"
    yield f"i pref1 {word[:1]}"
    yield f"i-1 tag {last}"
    yield f"i-2 tag {before}"
    yield f"i tag+i-2 tag {last} {before}"
    yield f"i word {own}"
    yield f"i-1 tag+i word {last} {own}"
    yield f"i-1 word {first}"
    yield f"i-1 suffix {first[-3:]}"
    yield f"i-2 word {second}"
    yield f"i+1 word {following}"
    yield f"i+1 suffix {following[-3:]}"
    yield f"i+2 word {after}"
