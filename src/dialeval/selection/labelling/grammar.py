"""Person and tense of a sentence, as far as part-of-speech tags show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

from dialeval.resources.tagger import PerceptronTagger, Tagged
from dialeval.selection.repository.words import content_words, tidy
from dialeval.text.tokenisers.porter import stem
from dialeval.text.tokenisers.treebank import word_tokenize_all

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
