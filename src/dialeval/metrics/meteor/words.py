"""Facts about words that the aligner needs: hash, stem (Snowball's English stemmer), function word or not, synsets."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

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
    """Beginning of its synsets in ``synsets``; they end before the next word's."""
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


_VOWELS: Final = frozenset("aeiouy")
_LI_ENDINGS: Final = frozenset("cdeghkmnrt")
_DOUBLES: Final = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")

_WHOLE_WORDS: Final[Mapping[str, str]] = {
    "skis": "ski",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "idly": "idl",
    "gently": "gentl",
    "ugly": "ugli",
    "early": "earli",
    "only": "onli",
    "singly": "singl",
    **{word: word for word in ("sky", "news", "howe", "atlas", "cosmos", "bias", "andes")},
}
_DONE_WITHOUT_PLURAL: Final = frozenset(
    ("inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed")
)
_FIRST_REGIONS: Final = ("gener", "commun", "arsen")

_STEP_2: Final[Mapping[str, str]] = {
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "abli": "able",
    "entli": "ent",
    "izer": "ize",
    "ization": "ize",
    "ational": "ate",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "aliti": "al",
    "alli": "al",
    "fulness": "ful",
    "ousli": "ous",
    "ousness": "ous",
    "iveness": "ive",
    "iviti": "ive",
    "biliti": "ble",
    "bli": "ble",
    "ogi": "og",
    "fulli": "ful",
    "lessli": "less",
    "li": "",
}
_STEP_3: Final[Mapping[str, str]] = {
    "tional": "tion",
    "ational": "ate",
    "alize": "al",
    "icate": "ic",
    "iciti": "ic",
    "ical": "ic",
    "ful": "",
    "ness": "",
    "ative": "",
}
_STEP_4: Final = frozenset(
    (
        *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent"),
        *("ism", "ate", "iti", "ous", "ive", "ize", "ion"),
    )
)


def _lengths(endings: Iterable[str]) -> dict[str, list[int]]:
    """By their last letter, the lengths that endings have, from the longest."""
    by_letter: dict[str, set[int]] = {}
    for ending in endings:
        by_letter.setdefault(ending[-1], set()).add(len(ending))
    return {letter: sorted(lengths, reverse=True) for letter, lengths in by_letter.items()}


_LENGTHS_2: Final = _lengths(_STEP_2)
_LENGTHS_3: Final = _lengths(_STEP_3)
_LENGTHS_4: Final = _lengths(_STEP_4)
_PARTICIPLES: Final = ("eedly", "eed", "ingly", "edly", "ing", "ed")
_VOWEL_AND_CONSONANT: Final = re.compile("[aeiouy][^aeiouy]", re.DOTALL)


def stem(word: str) -> str:
    """The stem of a lower-case English word (Porter, 2001).

    >>> stem("generously"), stem("running"), stem("skies")
    ('generous', 'run', 'sky')
    """
    if word in _WHOLE_WORDS:
        return _WHOLE_WORDS[word]
    if len(word) < 3:
        return word
    word = _mark_consonant_y(word.removeprefix("'"))
    first, second = _regions(word)
    word = _without_plural(_without_possessive(word))
    if word not in _DONE_WITHOUT_PLURAL:
        word = _without_participle(word, first)
        word = _with_final_i(word)
        word = _derivational(word, first, second)
        word = _without_final_letter(word, first, second)
    return word.replace("Y", "y")


def _mark_consonant_y(word: str) -> str:
    """The word with every y that begins it or follows a vowel written ``Y``, which is not a vowel."""
    if "y" not in word:
        return word
    letters = list(word)
    for index, letter in enumerate(letters):
        if letter == "y" and (index == 0 or letters[index - 1] in _VOWELS):
            letters[index] = "Y"
    return "".join(letters)


def _regions(word: str) -> tuple[int, int]:
    """Return the beginnings of R1 and R2: after the first consonant behind a vowel, and the same again from there."""
    first = _after_vowel_and_consonant(word, 0)
    if word.startswith(_FIRST_REGIONS):
        first = next(len(prefix) for prefix in _FIRST_REGIONS if word.startswith(prefix))
    return first, _after_vowel_and_consonant(word, first)


def _after_vowel_and_consonant(word: str, start: int) -> int:
    found = _VOWEL_AND_CONSONANT.search(word, start)
    return found.end() if found else len(word)


def _ends_in_short_syllable(word: str) -> bool:
    if len(word) == 2:
        return word[0] in _VOWELS and word[1] not in _VOWELS
    return (
        len(word) > 2
        and word[-1] not in _VOWELS
        and word[-1] not in "wxY"
        and word[-2] in _VOWELS
        and word[-3] not in _VOWELS
    )


def _has_vowel(text: str) -> bool:
    return not _VOWELS.isdisjoint(text)


def _without_possessive(word: str) -> str:
    if "'" not in word:
        return word
    ending = next((ending for ending in ("'s'", "'s", "'") if word.endswith(ending)), "")
    return word.removesuffix(ending)


def _without_plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")) and _has_vowel(word[:-2]):
        return word[:-1]
    return word


def _without_participle(word: str, first: int) -> str:
    if not word.endswith(_PARTICIPLES):
        return word
    for ending in ("eedly", "eed"):
        if word.endswith(ending):
            return word.removesuffix(ending) + "ee" if len(word) - len(ending) >= first else word
    ending = next((ending for ending in ("ingly", "edly", "ing", "ed") if word.endswith(ending)), "")
    rest = word.removesuffix(ending)
    if not ending or not _has_vowel(rest):
        return word
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if rest.endswith(_DOUBLES):
        return rest[:-1]
    return rest + "e" if len(rest) == first and _ends_in_short_syllable(rest) else rest


def _with_final_i(word: str) -> str:
    if word[-1:] in ("y", "Y") and len(word) > 2 and word[-2] not in _VOWELS:
        return word[:-1] + "i"
    return word


def _derivational(word: str, first: int, second: int) -> str:
    word = _step_2(word, first)
    word = _step_3(word, first, second)
    ending = _longest(word, _STEP_4, _LENGTHS_4)
    rest = word.removesuffix(ending)
    if not ending or len(rest) < second or (ending == "ion" and rest[-1:] not in ("s", "t")):
        return word
    return rest


def _step_2(word: str, first: int) -> str:
    ending = _longest(word, _STEP_2, _LENGTHS_2)
    rest = word.removesuffix(ending)
    if not ending or len(rest) < first:
        return word
    if (ending == "li" and rest[-1:] not in _LI_ENDINGS) or (ending == "ogi" and rest[-1:] != "l"):
        return word
    return rest + _STEP_2[ending]


def _step_3(word: str, first: int, second: int) -> str:
    ending = _longest(word, _STEP_3, _LENGTHS_3)
    rest = word.removesuffix(ending)
    if not ending or len(rest) < first or (ending == "ative" and len(rest) < second):
        return word
    return rest + _STEP_3[ending]


def _without_final_letter(word: str, first: int, second: int) -> str:
    rest = word[:-1]
    if word.endswith("e") and (
        len(rest) >= second or (len(rest) >= first and not _ends_in_short_syllable(rest))
    ):
        return rest
    if word.endswith("ll") and len(rest) >= second:
        return rest
    return word


def _longest(word: str, endings: Container[str], lengths: Mapping[str, Sequence[int]]) -> str:
    """The longest of the endings that the word has, or nothing."""
    for length in lengths.get(word[-1:], ()):
        if word[-length:] in endings:
            return word[-length:]
    return ""
