"""Person and tense of a sentence, as far as part-of-speech tags show them (Collins, 2002)."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias, cast

from dialeval.errors import ResourceUnavailable
from dialeval.resources import obtain
from dialeval.selection.repository.words import content_words, tidy
from dialeval.text.tokenisers.porter import stem
from dialeval.text.tokenisers.treebank import word_tokenize_all

RESOURCE: Final = "perceptron-tagger"

_BEFORE: Final = ("-START-", "-START2-")
_AFTER: Final = ("-END-", "-END2-")
Person: TypeAlias = Literal["first", "second", "third"]
Tense: TypeAlias = Literal["past", "present", "future"]

_PERSONS: Final[Mapping[str, Person]] = {
    "i": "first",
    "we": "first",
    "you": "second",
    "he": "third",
    "she": "third",
    "they": "third",
}
"""Not ``it``, which as often stands for nothing at all."""

_FINITE: Final = frozenset(("MD", "VBD", "VBP", "VBZ"))
_HELPING_VERBS: Final = """
am is are was were do does did have has had will would shall should can could may might must ca wo 'm 're 's
"""
_HELPING: Final = frozenset(_HELPING_VERBS.split())
_BETWEEN: Final = frozenset(("RB", "RBR"))
"""What may stand between a subject and its verb."""
_PAST: Final = frozenset(("was", "were", "did", "had"))
_PRESENT: Final = frozenset(("am", "is", "are", "'m", "'re", "do", "does"))
_FUTURE: Final = frozenset(("will", "'ll", "wo", "shall"))
_OPEN: Final = frozenset(("a", "an", "the", "my", "your", "our", "their", "and", "or", "but"))
"""Words that something must follow, whatever came before them."""


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
    """The tagger of the catalogue, read once a process; ResourceUnavailable where it is not installed."""
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
            f"The tagger's weights ask for {module}.{name}, which plain data has no need of, and are not read."
        )


def _normal(word: str) -> str:
    if "-" in word and not word.startswith("-"):
        return "!HYPHEN"
    if word.isdigit() and len(word) == 4:
        return "!YEAR"
    return "!DIGITS" if word[:1].isdigit() else word.lower()


def _features(word: str, near: Sequence[str], last: str, before: str) -> Iterator[str]:
    """What is known of a word: ``near`` holds it, two words before and two after, all in normal form.

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


class Sketch(NamedTuple):
    """What little a glance at a sentence tells; None where it does not."""

    person: Person | None
    tense: Tense | None
    bare: bool
    """Whether it has no finite verb and no word of content, as in "Yeah, yeah"."""
    breaks_off: bool
    """Whether it ends in a word that something must follow."""
    stems: frozenset[str]
    """Its words of content without their endings (Porter, 1980)."""


def sketch(texts: Sequence[str], tagger: PerceptronTagger) -> list[Sketch]:
    """A glance at each text, its first clause above all."""
    tidied = [tidy(text) for text in texts]
    return [
        _sketch(tagger.tag(words), frozenset(map(stem, content_words(text))))
        for text, words in zip(tidied, word_tokenize_all(tidied), strict=True)
    ]


def _sketch(sentence: Sequence[Tagged], stems: frozenset[str]) -> Sketch:
    tagged = [Tagged(token.word.lower(), token.tag) for token in sentence]
    said = [token.word for token in tagged if any(char.isalnum() for char in token.word)]
    verbs = [index for index, token in enumerate(tagged) if _is_finite(token)]
    return Sketch(
        person=_person(tagged, verbs),
        tense=_tense(tagged, verbs[0]) if verbs else None,
        bare=not verbs and not stems,
        breaks_off=_breaks_off(said),
        stems=stems,
    )


def _breaks_off(said: Sequence[str]) -> bool:
    *before, last = ["", *said]
    # "So do I" and "she and I" are whole; "yeah, I" is not.
    whole = before[-1:] and before[-1] in (*_HELPING, "and", "or", "than", "as", "not", "n't")
    return last in _OPEN or (last in _PERSONS and last != "you" and not whole)


def _is_finite(word: Tagged) -> bool:
    return word.tag in _FINITE or word.word in ("'m", "'re", "'ll")


def _person(tagged: Sequence[Tagged], verbs: Sequence[int]) -> Person | None:
    """The person of the pronoun beside the first verb that has one, unless some other subject comes before."""
    for verb in verbs:
        before = _step(tagged, verb, -1)
        if before is not None and tagged[before].word in _PERSONS:
            return _PERSONS[tagged[before].word]
        after = _step(tagged, verb, 1)
        if tagged[verb].word in _HELPING and after is not None and tagged[after].word in _PERSONS:
            return _PERSONS[tagged[after].word]
        if before is not None and tagged[before].tag.startswith(("NN", "WP", "EX", "DT", "PRP")):
            # Some other subject, of which a glance does not tell whether it could be meant.
            return None
    return None


def _tense(tagged: Sequence[Tagged], verb: int) -> Tense | None:
    word, tag = tagged[verb]
    if word in _FUTURE:
        return "future"
    if tag == "MD":
        return None
    following = [token.word for token in tagged[verb + 1 : verb + 4]]
    if word in _PRESENT and ("going", "to") in pairwise(following):
        return "future"
    if word in _PAST or tag == "VBD":
        return "past"
    if word in ("have", "has", "'ve", "'s") and any(
        token.tag == "VBN" for token in tagged[verb + 1 : verb + 4]
    ):
        return None
    return "present"


def _step(tagged: Sequence[Tagged], place: int, by: Literal[1, -1]) -> int | None:
    """The next place that way that holds no adverb or negation."""
    place += by
    while 0 <= place < len(tagged) and (tagged[place].tag in _BETWEEN or tagged[place].word == "n't"):
        place += by
    return place if 0 <= place < len(tagged) else None
