"""Forms of English verbs, by ``lemminflect``."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from dialeval.resources import obtain

BE: Final = frozenset(("be", "am", "is", "are", "was", "were", "'m", "'s", "'re"))
HAVE: Final = frozenset(("have", "has", "had", "'ve", "'d"))
DO: Final = frozenset(("do", "does", "did"))

_REGULAR: Final = "is are was were do does did have has had could would should must"
NEGATIVE: Final = {
    "am": "aren't",
    "will": "won't",
    "can": "can't",
    **{word: f"{word}n't" for word in _REGULAR.split()},
}
"""Auxiliaries with their negation, as questions begin with them."""

_USUAL: Final = {"found": "find", "saw": "see", "lay": "lie", "felt": "feel", "left": "leave", "fell": "fall"}
"""Past forms that two verbs share, and the verb that is meant nearly always."""


@lru_cache(maxsize=1)
def _library() -> Any:
    """Lemminflect, after its files were compared with their hashes: two of them are pickles, which it loads."""
    obtain("lemminflect")
    import lemminflect

    return lemminflect


@lru_cache(maxsize=10_000)
def lemma(verb: str) -> str:
    """The base form of a verb.

    >>> lemma("made"), lemma("saw"), lemma("goes")
    ('make', 'see', 'go')
    """
    lower = verb.lower()
    found: tuple[str, ...] = _library().getLemma(lower, upos="VERB")
    return _USUAL.get(lower) or (found[0] if found else lower)


@lru_cache(maxsize=10_000)
def _inflections(base: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = _library().getAllInflections(base, upos="VERB")
    return found


@lru_cache(maxsize=10_000)
def _lemmas(word: str) -> tuple[str, ...]:
    found: tuple[str, ...] = _library().getAllLemmas(word, upos="VERB").get("VERB", ())
    return found


def is_present(word: str) -> bool:
    """Whether the word can be the present form of a verb that goes with I, you, we and they."""
    return word in _lemmas(word)


def is_third_person(word: str) -> bool:
    """Whether the word can be the present form of a verb that goes with he, she and it."""
    return any(word in _inflections(base).get("VBZ", ()) for base in _lemmas(word))


def is_past(word: str) -> bool:
    """Whether the word can be the past form of a verb."""
    return any(word in _inflections(base).get("VBD", ()) for base in _lemmas(word))


@lru_cache(maxsize=10_000)
def is_dictionary_word(word: str) -> bool:
    """Whether the word in lower case is a word of the dictionary, not only a name."""
    return bool(_library().getAllLemmas(word.lower()))
