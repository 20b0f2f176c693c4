"""The English stemmer of METEOR 1.5: Porter's second algorithm, as Snowball published it before its revisions."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Final

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
    """Where R1 and R2 begin: after the first consonant that follows a vowel, and the same again from there."""
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
